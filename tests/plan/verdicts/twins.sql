CREATE TABLE bought_twin (ticket BIGINT, ferry INT, deck STRING, fare DECIMAL(8, 2), stops ARRAY<STRING>,
  at_time TIMESTAMP(3), WATERMARK FOR at_time AS at_time - INTERVAL '2' SECOND) COMMENT 'the same again' WITH (
  'format' = 'json', 'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'quay:9092',
  'topic' = 'bought', 'connector' = 'kafka');
CREATE TABLE bought_late (ticket BIGINT, ferry INT, deck STRING, fare DECIMAL(8, 2), stops ARRAY<STRING>,
  at_time TIMESTAMP(3), WATERMARK FOR at_time AS at_time - INTERVAL '3' SECOND) WITH (
  'connector' = 'kafka', 'topic' = 'bought', 'properties.bootstrap.servers' = 'quay:9092',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE bought_wide LIKE bought (OVERWRITING OPTIONS);
CREATE TABLE bought_elsewhere WITH ('topic' = 'bought-2') LIKE bought (OVERWRITING OPTIONS);
CREATE TABLE bought_other_type (ticket BIGINT, ferry BIGINT, deck STRING, fare DECIMAL(8, 2), stops ARRAY<STRING>,
  at_time TIMESTAMP(3), WATERMARK FOR at_time AS at_time - INTERVAL '2' SECOND) WITH (
  'connector' = 'kafka', 'topic' = 'bought', 'properties.bootstrap.servers' = 'quay:9092',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE bought_careless WITH ('json.ignore-parse-errors' = 'true') LIKE bought (OVERWRITING OPTIONS);
CREATE TABLE bought_files (ticket BIGINT, at_time TIMESTAMP(3)) WITH (
  'connector' = 'filesystem', 'path' = 'file:///nowhere', 'format' = 'json');
-- expect plain: share A
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect twin: share A
-- funshare: name=twin
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_twin b JOIN gate g ON b.ticket = g.ticket WHERE b.deck = 'sun';
-- expect like: share A
-- funshare: name=like
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_wide b JOIN gate g ON b.ticket = g.ticket;
-- expect late: share B
-- funshare: name=late
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_late b JOIN gate g ON b.ticket = g.ticket;
-- expect elsewhere: share C
-- funshare: name=elsewhere
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_elsewhere b JOIN gate g ON b.ticket = g.ticket;
-- expect other_type: share D
-- funshare: name=other_type
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_other_type b JOIN gate g ON b.ticket = g.ticket;
-- expect careless: share E
-- funshare: name=careless
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_careless b JOIN gate g ON b.ticket = g.ticket;
-- expect files: alone only Kafka sources are shared: table bought_files uses filesystem
-- funshare: name=files
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_files b JOIN gate g ON b.ticket = g.ticket;
