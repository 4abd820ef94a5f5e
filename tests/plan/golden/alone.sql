-- Queries that stay alone, each for another reason.
-- funshare: name=left_join
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, p.picked_at FROM picks p LEFT JOIN scales s ON p.crate = s.crate
  AND s.weighed_at BETWEEN p.picked_at - INTERVAL '10' SECOND AND p.picked_at + INTERVAL '1' MINUTE;
-- funshare: name=semi_join
INSERT INTO crate_log SELECT crate, fruit, CAST(row_no AS BIGINT), picked_at FROM picks
  WHERE crate IN (SELECT crate FROM scales WHERE ok);
-- funshare: name=chance_filter
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, p.picked_at FROM picks p JOIN scales s ON p.crate = s.crate
  AND s.weighed_at BETWEEN p.picked_at - INTERVAL '10' SECOND AND p.picked_at + INTERVAL '1' MINUTE WHERE RAND() < 0.5;
-- funshare: name=no_join
INSERT INTO totals SELECT fruit, COUNT(*) FROM picks GROUP BY fruit;
-- funshare: name=temporal_join
INSERT INTO window_log SELECT p.fruit, p.picked_at, 1, CAST(r.price AS DECIMAL(18, 2)) FROM picks p
  JOIN prices FOR SYSTEM_TIME AS OF p.picked_at AS r ON p.fruit = r.fruit;
-- funshare: name=three_inputs
INSERT INTO crate_log SELECT p.crate, s.station, q.grams, CAST(NULL AS TIMESTAMP(3)) FROM picks p
  JOIN scales s ON p.crate = s.crate JOIN scales q ON p.row_no = q.row_no;
-- funshare: name=price_list
INSERT INTO totals SELECT p.fruit, p.crate FROM picks p JOIN prices r ON p.fruit = r.fruit;
-- funshare: name=aggregated_input
INSERT INTO totals SELECT s.station, t.n FROM scales s
  JOIN (SELECT row_no, COUNT(*) AS n FROM picks GROUP BY row_no) t ON s.row_no = t.row_no;
-- funshare: name=no_key
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, CAST(NULL AS TIMESTAMP(3)) FROM picks p JOIN scales s
  ON p.crate > s.crate;
-- funshare: name=unknown_column
INSERT INTO crate_log SELECT p.colour, s.station, s.grams, p.picked_at FROM picks p JOIN scales s ON p.crate = s.crate;
