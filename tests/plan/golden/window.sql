-- Window joins of three kinds of window.
CREATE VIEW p_tumble AS SELECT * FROM TABLE(TUMBLE(TABLE picks, DESCRIPTOR(picked_at), INTERVAL '1' MINUTE));
CREATE VIEW s_tumble AS SELECT * FROM TABLE(TUMBLE(TABLE scales, DESCRIPTOR(weighed_at), INTERVAL '1' MINUTE));
CREATE VIEW p_hop AS SELECT * FROM TABLE(HOP(TABLE picks, DESCRIPTOR(picked_at), INTERVAL '30' SECOND, INTERVAL '1' MINUTE));
CREATE VIEW s_hop AS SELECT * FROM TABLE(HOP(TABLE scales, DESCRIPTOR(weighed_at), INTERVAL '30' SECOND, INTERVAL '1' MINUTE));
CREATE VIEW p_cum AS SELECT * FROM TABLE(CUMULATE(TABLE picks, DESCRIPTOR(picked_at), INTERVAL '20' SECOND, INTERVAL '1' MINUTE));
CREATE VIEW s_cum AS SELECT * FROM TABLE(CUMULATE(TABLE scales, DESCRIPTOR(weighed_at), INTERVAL '20' SECOND, INTERVAL '1' MINUTE));
-- funshare: name=tumble_plain
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, p.window_start FROM p_tumble p JOIN s_tumble s
  ON p.crate = s.crate AND p.window_start = s.window_start AND p.window_end = s.window_end;
-- funshare: name=tumble_swapped
INSERT INTO crate_log SELECT p.crate, p.fruit, s.grams, s.window_end FROM s_tumble s JOIN p_tumble p
  ON s.window_end = p.window_end AND s.window_start = p.window_start AND s.crate = p.crate
  WHERE s.grade <> 4 AND p.row_no < s.row_no;
-- funshare: name=tumble_totals
INSERT INTO window_log SELECT p.fruit, p.window_start, COUNT(*), SUM(p.kilos) FROM p_tumble p JOIN s_tumble s
  ON p.crate = s.crate AND p.window_start = s.window_start AND p.window_end = s.window_end
  WHERE p.ripe GROUP BY p.fruit, p.window_start, p.window_end;
-- funshare: name=hop_plain
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, p.window_start FROM p_hop p JOIN s_hop s
  ON p.crate = s.crate AND p.window_start = s.window_start AND p.window_end = s.window_end;
-- funshare: name=hop_filtered
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, s.window_start FROM p_hop p JOIN s_hop s
  ON p.crate = s.crate AND p.window_start = s.window_start AND p.window_end = s.window_end WHERE s.grams > 250;
-- funshare: name=cumulate_plain
INSERT INTO crate_log SELECT p.crate, s.station, s.grams, p.window_end FROM p_cum p JOIN s_cum s
  ON p.crate = s.crate AND p.window_start = s.window_start AND p.window_end = s.window_end WHERE p.fruit = 'fig';
