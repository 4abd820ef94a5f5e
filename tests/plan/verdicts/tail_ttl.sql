CREATE VIEW pairs AS SELECT b.ticket, b.ferry, b.at_time, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  AND g.at_time BETWEEN b.at_time AND b.at_time + INTERVAL '10' MINUTE;

-- expect for_ever: share A
-- funshare: name=for_ever
INSERT INTO nums SELECT ticket, COUNT(*) OVER (PARTITION BY ferry ORDER BY at_time) FROM pairs;

SET 'table.exec.state.ttl' = '1 h';

-- expect hour_without_state: share A
-- funshare: name=hour_without_state
INSERT INTO nums SELECT ticket, seq FROM pairs;

-- expect hour_in_the_plan: share A
-- funshare: name=hour_in_the_plan
INSERT INTO keyed SELECT CAST(ferry AS STRING), COUNT(*) FROM pairs GROUP BY ferry;

-- expect hour: share B
-- funshare: name=hour
INSERT INTO nums SELECT ticket, COUNT(*) OVER (PARTITION BY ferry ORDER BY at_time) FROM pairs WHERE ferry = 1;

SET 'table.exec.state.ttl' = '2 h';

-- expect two_hours: share C
-- funshare: name=two_hours
INSERT INTO nums SELECT ticket, COUNT(*) OVER (PARTITION BY ferry ORDER BY at_time) FROM pairs;
