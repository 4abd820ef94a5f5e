-- Regular joins, with state that expires and with state that does not.
SET 'table.exec.state.ttl' = '2 h';
-- funshare: name=pair_plain
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, CAST(NULL AS TIMESTAMP(3)) FROM picks p JOIN scales s
  ON p.crate = s.crate AND p.row_no = s.row_no;
-- funshare: name=pair_swapped_keys
INSERT INTO crate_log SELECT s.crate, p.fruit, s.grams, CAST(NULL AS TIMESTAMP(3)) FROM scales s JOIN picks p
  ON s.row_no = p.row_no AND s.crate = p.crate WHERE p.fruit > 'm' AND s.note IS NOT NULL;
-- funshare: name=pair_totals
INSERT INTO totals SELECT p.fruit, SUM(s.grams) FROM picks p JOIN scales s
  ON p.crate = s.crate AND p.row_no = s.row_no WHERE s.grams >= 10 AND NOT p.ripe GROUP BY p.fruit;
-- funshare: name=pair_null_keys
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, CAST(NULL AS TIMESTAMP(3)) FROM picks p JOIN scales s
  ON p.crate IS NOT DISTINCT FROM s.crate AND p.row_no = s.row_no;
SET 'table.exec.state.ttl' = '3 h';
-- funshare: name=pair_other_ttl
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, CAST(NULL AS TIMESTAMP(3)) FROM picks p JOIN scales s
  ON p.crate = s.crate AND p.row_no = s.row_no;
RESET 'table.exec.state.ttl';
-- funshare: name=pair_for_ever
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, CAST(NULL AS TIMESTAMP(3)) FROM picks p JOIN scales s
  ON p.crate = s.crate AND p.row_no = s.row_no;
-- funshare: name=pinned_key
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, CAST(NULL AS TIMESTAMP(3)) FROM picks p JOIN scales s
  ON p.crate = s.crate WHERE p.crate = 77;
