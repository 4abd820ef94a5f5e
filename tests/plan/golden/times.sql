-- Time attributes that are computed, filters on what a window adds, and mini-batches.
CREATE TABLE beeps (crate BIGINT, ms BIGINT, tone STRING, loud AS CHAR_LENGTH(tone) > 3, t AS TO_TIMESTAMP_LTZ(ms, 3),
  part INT METADATA FROM 'partition' VIRTUAL, WATERMARK FOR t AS t - INTERVAL '1' SECOND) WITH (
  'connector' = 'kafka', 'topic' = 'beeps', 'properties.bootstrap.servers' = 'broker:9092',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE lifts (crate BIGINT, ms BIGINT, height INT, t AS TO_TIMESTAMP_LTZ(ms, 3),
  WATERMARK FOR t AS t - INTERVAL '1' SECOND) WITH (
  'connector' = 'kafka', 'topic' = 'lifts', 'properties.bootstrap.servers' = 'broker:9092',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE noises (crate BIGINT, tone STRING, height INT, t TIMESTAMP_LTZ(3)) WITH ('connector' = 'blackhole');
CREATE VIEW beeps_minute AS SELECT * FROM TABLE(TUMBLE(TABLE beeps, DESCRIPTOR(t), INTERVAL '1' MINUTE));
CREATE VIEW lifts_minute AS SELECT * FROM TABLE(TUMBLE(TABLE lifts, DESCRIPTOR(t), INTERVAL '1' MINUTE));
-- funshare: name=beep_lift
INSERT INTO noises SELECT b.crate, b.tone, l.height, b.t FROM beeps b JOIN lifts l ON b.crate = l.crate
  AND l.t BETWEEN b.t AND b.t + INTERVAL '5' SECOND WHERE b.loud AND l.ms > 1000;
-- funshare: name=beep_lift_parts
INSERT INTO noises SELECT l.crate, UPPER(b.tone), l.height * 2, l.t FROM lifts l JOIN beeps b ON b.crate = l.crate
  AND b.t BETWEEN l.t - INTERVAL '5' SECOND AND l.t WHERE b.part = 1 AND b.ms + l.ms > 7 AND l.height / 2 > 1;
-- funshare: name=beep_lift_minutes
INSERT INTO noises SELECT b.crate, b.tone, l.height, b.t FROM beeps_minute b JOIN lifts_minute l ON b.crate = l.crate
  AND b.window_start = l.window_start AND b.window_end = l.window_end WHERE b.loud;
-- funshare: name=beep_lift_late_minutes
INSERT INTO noises SELECT l.crate, b.tone, MAX(l.height), CAST(b.window_start AS TIMESTAMP_LTZ(3)) FROM lifts_minute l JOIN beeps_minute b
  ON b.window_start = l.window_start AND b.window_end = l.window_end AND b.crate = l.crate
  WHERE b.window_start >= TIMESTAMP '2025-01-01 00:00:00' AND l.window_end > TIMESTAMP '2025-01-01 00:00:00'
  GROUP BY l.crate, b.tone, b.window_start, b.window_end;
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '1 s';
SET 'table.exec.mini-batch.size' = '500';
-- funshare: name=batched
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, CAST(NULL AS TIMESTAMP(3)) FROM picks p JOIN scales s
  ON p.crate = s.crate WHERE p.fruit = 'pear';
-- funshare: name=batched_totals
INSERT INTO totals SELECT p.fruit, COUNT(*) FROM scales s JOIN picks p ON p.crate = s.crate WHERE s.ok GROUP BY p.fruit;
