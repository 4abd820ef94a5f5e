-- Interval joins: one class unless said otherwise.
CREATE VIEW near_all AS SELECT p.crate, p.fruit AS label, p.kilos, s.grams, s.grade, s.weighed_at AS at_time
  FROM picks p JOIN scales s ON p.crate = s.crate
  AND s.weighed_at BETWEEN p.picked_at - INTERVAL '10' SECOND AND p.picked_at + INTERVAL '1' MINUTE;
-- funshare: name=near_plain
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, s.weighed_at FROM picks p JOIN scales s ON p.crate = s.crate
  AND s.weighed_at BETWEEN p.picked_at - INTERVAL '10' SECOND AND p.picked_at + INTERVAL '1' MINUTE;
-- funshare: name=near_filters
INSERT INTO crate_log SELECT p.crate, p.fruit, s.grams, s.weighed_at FROM picks p JOIN scales s ON p.crate = s.crate
  AND s.weighed_at BETWEEN p.picked_at - INTERVAL '10' SECOND AND p.picked_at + INTERVAL '1' MINUTE
  WHERE p.fruit IN ('pear', 'plum') AND p.kilos > 3.5 AND s.grade BETWEEN 2 AND 5 AND s.ok;
-- funshare: name=near_swapped
INSERT INTO crate_log SELECT s.crate, p.picker, CAST(p.row_no AS BIGINT), s.weighed_at FROM scales s, picks p
  WHERE s.crate = p.crate AND p.picked_at >= s.weighed_at - INTERVAL '60' SECOND
  AND p.picked_at <= s.weighed_at + INTERVAL '10' SECOND AND (s.note IS NULL OR s.note <> 'broken');
-- funshare: name=near_residual
INSERT INTO crate_log SELECT p.crate, s.note, s.grams, p.picked_at FROM picks p JOIN scales s ON p.crate = s.crate
  AND s.weighed_at BETWEEN p.picked_at - INTERVAL '10' SECOND AND p.picked_at + INTERVAL '1' MINUTE
  WHERE p.row_no > s.row_no AND UPPER(p.picker) LIKE 'A%' AND CAST(s.note AS INT) > 7;
-- funshare: name=near_window_totals
INSERT INTO window_log SELECT label, window_start, COUNT(*), SUM(kilos) FROM TABLE(TUMBLE(TABLE near_all,
  DESCRIPTOR(at_time), INTERVAL '1' MINUTE)) WHERE grade > 3 GROUP BY label, window_start, window_end;
-- funshare: name=near_group_totals
INSERT INTO totals SELECT label, COUNT(*) FROM near_all WHERE label <> 'fig' GROUP BY label;
-- funshare: name=near_top
INSERT INTO totals SELECT label, grams FROM (SELECT label, grams, ROW_NUMBER() OVER (PARTITION BY label
  ORDER BY grams DESC) AS place FROM near_all WHERE grade = 1) WHERE place <= 1;
-- funshare: name=near_over
INSERT INTO crate_log SELECT crate, label, COUNT(*) OVER (PARTITION BY label ORDER BY at_time
  RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW), at_time FROM near_all WHERE kilos < 100;
-- funshare: name=near_match
INSERT INTO crate_log SELECT label_crate, label, n, at_time FROM near_all MATCH_RECOGNIZE (PARTITION BY label
  ORDER BY at_time MEASURES A.crate AS label_crate, B.grams AS n, B.at_time AS at_time ONE ROW PER MATCH
  AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) WITHIN INTERVAL '1' MINUTE DEFINE A AS A.grade > 1, B AS B.grade <= 1);
-- funshare: name=near_key_expression
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, s.weighed_at FROM picks p JOIN scales s
  ON p.crate = s.crate + 1
  AND s.weighed_at BETWEEN p.picked_at - INTERVAL '10' SECOND AND p.picked_at + INTERVAL '1' MINUTE;
-- funshare: name=near_other_bounds
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, s.weighed_at FROM picks p JOIN scales s ON p.crate = s.crate
  AND s.weighed_at BETWEEN p.picked_at - INTERVAL '10' SECOND AND p.picked_at + INTERVAL '2' MINUTE;
-- funshare: name=near_self
INSERT INTO crate_log SELECT a.crate, a.picker, b.crate, a.picked_at FROM picks a JOIN picks b ON a.picker = b.picker
  AND b.picked_at BETWEEN a.picked_at AND a.picked_at + INTERVAL '1' MINUTE WHERE a.crate < b.crate AND a.ripe;
-- funshare: name=near_self_later
INSERT INTO crate_log SELECT b.crate, b.picker, a.crate, b.picked_at FROM picks b JOIN picks a ON a.picker = b.picker
  AND a.picked_at BETWEEN b.picked_at - INTERVAL '1' MINUTE AND b.picked_at WHERE b.fruit = 'apple';
