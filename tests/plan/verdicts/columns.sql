CREATE TABLE bought_meta (ticket BIGINT, ferry INT, part INT METADATA FROM 'partition' VIRTUAL, at_time TIMESTAMP(3)
  METADATA FROM 'timestamp', double_ferry AS ferry * 2, WATERMARK FOR at_time AS at_time - INTERVAL '2' SECOND) WITH (
  'connector' = 'kafka', 'topic' = 'bought', 'properties.bootstrap.servers' = 'quay:9092',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE gate_text (line STRING, ticket AS CAST(SPLIT_INDEX(line, ';', 0) AS BIGINT), pier AS SPLIT_INDEX(line, ';', 1))
  WITH ('connector' = 'kafka', 'topic' = 'lines', 'properties.bootstrap.servers' = 'quay:9092', 'format' = 'raw');
-- expect reads_meta: share A
-- funshare: name=reads_meta
INSERT INTO nums SELECT b.ticket, CAST(b.part AS BIGINT) FROM bought_meta b JOIN gate g ON b.ticket = g.ticket WHERE b.part < 2;
-- expect reads_meta_too: share A
-- funshare: name=reads_meta_too
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_meta b JOIN gate g ON b.ticket = g.ticket WHERE b.part >= 2;
-- expect no_meta: share A
-- funshare: name=no_meta
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_meta b JOIN gate g ON b.ticket = g.ticket;
-- expect computed_filter: share A
-- funshare: name=computed_filter
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_meta b JOIN gate g ON b.ticket = g.ticket WHERE b.double_ferry > 6;
-- expect computed_key: share B
-- funshare: name=computed_key
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_meta b JOIN gate g ON b.double_ferry = g.ferry;
-- expect computed_key_spelt_out: share B
-- funshare: name=computed_key_spelt_out
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_meta b JOIN gate g ON b.ferry * 2 = g.ferry WHERE b.part = 1;
-- expect from_text: share C
-- funshare: name=from_text
INSERT INTO nums SELECT b.ticket, g.ticket FROM bought b JOIN gate_text g ON b.ticket = g.ticket WHERE g.pier = 'north';
-- expect from_text_too: share C
-- funshare: name=from_text_too
INSERT INTO texts SELECT b.ticket, g.pier FROM bought b JOIN gate_text g ON b.ticket = g.ticket WHERE b.deck = 'sun';
