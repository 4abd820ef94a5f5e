CREATE TEMPORARY TABLE buoy (id BIGINT, colour STRING) WITH ('connector' = 'kafka', 'topic' = 'buoys',
  'properties.bootstrap.servers' = 'quay:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE VIEW pairs AS SELECT b.ticket AS a, u.id AS b FROM bought b JOIN buoy u ON b.ticket = u.id;
-- expect first: share A
-- funshare: name=first
INSERT INTO nums SELECT b.ticket, u.id FROM bought b JOIN buoy u ON b.ticket = u.id;
DROP TEMPORARY TABLE buoy;
CREATE TEMPORARY TABLE buoy (id BIGINT, colour STRING) WITH ('connector' = 'kafka', 'topic' = 'buoys-new',
  'properties.bootstrap.servers' = 'quay:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
-- expect other_topic: share B
-- funshare: name=other_topic
INSERT INTO nums SELECT b.ticket, u.id FROM bought b JOIN buoy u ON b.ticket = u.id;
-- expect view_sees_it: share B
-- funshare: name=view_sees_it
INSERT INTO nums SELECT a, b FROM pairs WHERE a > 3;
DROP TEMPORARY TABLE buoy;
-- expect gone: reject buoy
-- funshare: name=gone
INSERT INTO nums SELECT b.ticket, u.id FROM bought b JOIN buoy u ON b.ticket = u.id;
CREATE TEMPORARY TABLE buoy (id BIGINT, colour STRING) WITH ('connector' = 'kafka', 'topic' = 'buoys',
  'properties.bootstrap.servers' = 'quay:9092', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
-- expect back: share A
-- funshare: name=back
INSERT INTO nums SELECT b.ticket, u.id FROM bought b JOIN buoy u ON b.ticket = u.id WHERE u.colour = 'red';
ALTER TABLE gate SET ('scan.startup.mode' = 'latest-offset');
-- expect altered: share C
-- funshare: name=altered
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
CREATE TEMPORARY TABLE IF NOT EXISTS buoy (id BIGINT) WITH ('connector' = 'datagen');
CREATE TEMPORARY TABLE kept (a BIGINT, b BIGINT) WITH ('connector' = 'blackhole');
-- expect temporary_sink: share A
-- funshare: name=temporary_sink
INSERT INTO kept SELECT b.ticket, u.id FROM bought b JOIN buoy u ON b.ticket = u.id;
DROP TEMPORARY TABLE IF EXISTS kept;
-- expect sink_gone: reject kept
-- funshare: name=sink_gone
INSERT INTO kept SELECT b.ticket, u.id FROM bought b JOIN buoy u ON b.ticket = u.id;
