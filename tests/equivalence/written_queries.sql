-- Queries in the shapes that people write, over the tables of awkward_data.py. Sinks are Kafka tables, because their
-- rows are compared; {prefix} and {bootstrap} are filled in by the test.

-- one regular join, written in several ways
CREATE TABLE on_filter (id BIGINT, kind STRING, d INT) WITH ({kafka}, 'topic' = '{prefix}on_filter');
INSERT INTO on_filter SELECT l.id, r.kind, l.num - r.num FROM l INNER JOIN r ON l.id = r.fk AND l.num BETWEEN 2 AND 9;

CREATE TABLE comma_swapped (g INT, n BIGINT, total DECIMAL(38, 2), PRIMARY KEY (g) NOT ENFORCED)
  WITH ({upsert}, 'topic' = '{prefix}comma_swapped');
INSERT INTO comma_swapped SELECT COALESCE(l.grp, -1), COUNT(*), SUM(r.price) FROM r, l
  WHERE r.fk = l.id AND (r.kind = 'num' OR r.kind = 'text') GROUP BY COALESCE(l.grp, -1) HAVING COUNT(*) > 3;

CREATE TEMPORARY VIEW named AS SELECT id AS k, UPPER(name) AS shout, flag FROM l WHERE name IS NOT NULL;
CREATE TABLE through_view (k BIGINT, shout STRING, note STRING) WITH ({kafka}, 'topic' = '{prefix}through_view');
INSERT INTO through_view WITH picked AS (SELECT * FROM r WHERE price > 12.50)
  SELECT n.k, n.shout, p.note FROM named n JOIN picked p ON p.fk = n.k WHERE n.shout LIKE 'A%' AND n.flag IS NOT FALSE;

CREATE TABLE key_held (id BIGINT, note STRING) WITH ({kafka}, 'topic' = '{prefix}key_held');
INSERT INTO key_held SELECT l.id, r.note FROM l JOIN r ON l.id = r.fk WHERE l.id = 7;

CREATE TABLE guarded_cast (id BIGINT, v INT) WITH ({kafka}, 'topic' = '{prefix}guarded_cast');
INSERT INTO guarded_cast SELECT l.id, x.v FROM l JOIN
  (SELECT fk, CAST(note AS INT) AS v FROM r WHERE kind = 'num') x ON l.id = x.fk;

CREATE TABLE both_sides (id BIGINT, a INT, b INT) WITH ({kafka}, 'topic' = '{prefix}both_sides');
INSERT INTO both_sides SELECT l.id, l.num, r.num FROM l, r
  WHERE (l.id = r.fk AND l.name = 'ab') OR (l.id = r.fk AND r.num > l.num + 3);

CREATE TABLE distinct_kinds (id BIGINT, kind STRING, PRIMARY KEY (id, kind) NOT ENFORCED)
  WITH ({upsert}, 'topic' = '{prefix}distinct_kinds');
INSERT INTO distinct_kinds SELECT DISTINCT l.id, COALESCE(r.kind, '?') FROM l JOIN r ON l.id = r.fk WHERE l.flag;

CREATE TABLE left_running (id BIGINT, n BIGINT, w DOUBLE) WITH ({debezium}, 'topic' = '{prefix}left_running');
INSERT INTO left_running SELECT l.id, COUNT(*), SUM(r.weight) FROM l JOIN r ON l.id = r.fk WHERE r.num <> 4 GROUP BY l.id;

CREATE TABLE best_price (g INT, price DECIMAL(8, 2), id BIGINT, PRIMARY KEY (g) NOT ENFORCED)
  WITH ({upsert}, 'topic' = '{prefix}best_price');
INSERT INTO best_price SELECT g, price, id FROM (SELECT g, price, id, ROW_NUMBER() OVER
  (PARTITION BY g ORDER BY price DESC, id ASC) AS rn FROM (SELECT COALESCE(r.grp, -1) AS g, r.price, l.id
  FROM l JOIN r ON l.id = r.fk WHERE r.price IS NOT NULL)) WHERE rn = 1;

CREATE TABLE elements (id BIGINT, e INT) WITH ({kafka}, 'topic' = '{prefix}elements');
INSERT INTO elements SELECT j.id, t.e FROM (SELECT l.id, ARRAY[l.num, r.num] AS es FROM l JOIN r ON l.id = r.fk
  WHERE l.name IN ('ab', 'abc')) j CROSS JOIN UNNEST(j.es) AS t (e);

-- other keys: NULL equals NULL, and two columns
CREATE TABLE null_keys (id BIGINT, n INT) WITH ({kafka}, 'topic' = '{prefix}null_keys');
INSERT INTO null_keys SELECT l.id, r.num FROM l JOIN r ON l.id IS NOT DISTINCT FROM r.fk WHERE l.num > 15;
CREATE TABLE null_keys_too (id BIGINT, n INT) WITH ({kafka}, 'topic' = '{prefix}null_keys_too');
INSERT INTO null_keys_too SELECT r.fk, l.num FROM r JOIN l ON l.id IS NOT DISTINCT FROM r.fk WHERE r.kind = 'text' AND r.num < 0;
CREATE TABLE two_columns (id BIGINT, g INT, a DOUBLE) WITH ({kafka}, 'topic' = '{prefix}two_columns');
INSERT INTO two_columns SELECT l.id, l.grp, l.ratio FROM l JOIN r ON l.grp = r.grp AND r.fk = l.id WHERE l.ratio >= 0.1;
CREATE TABLE two_columns_too (id BIGINT, p DECIMAL(8, 2)) WITH ({kafka}, 'topic' = '{prefix}two_columns_too');
INSERT INTO two_columns_too SELECT l.id, r.price FROM l, r WHERE l.id = r.fk AND r.grp = l.grp AND l.grp = 2;

-- a self-join: filters follow the role
CREATE TABLE roles (a BIGINT, b BIGINT) WITH ({kafka}, 'topic' = '{prefix}roles');
INSERT INTO roles SELECT x.id, y.id FROM l x JOIN l y ON x.num = y.grp WHERE x.flag;
CREATE TABLE roles_swapped (a BIGINT, b BIGINT) WITH ({kafka}, 'topic' = '{prefix}roles_swapped');
INSERT INTO roles_swapped SELECT y.id, x.id FROM l y JOIN l x ON x.num = y.grp WHERE y.flag AND x.name = 'ab';

-- an interval join under every kind of tail
CREATE TEMPORARY VIEW near AS SELECT l.id, l.grp, l.name, l.num AS lnum, r.num, r.price, r.weight, r.kind, r.ts
  FROM l JOIN r ON l.id = r.fk AND r.ts BETWEEN l.ts - INTERVAL '8' SECOND AND l.ts + INTERVAL '12' SECOND;
CREATE TABLE iv_rows (id BIGINT, t TIMESTAMP(3)) WITH ({kafka}, 'topic' = '{prefix}iv_rows');
INSERT INTO iv_rows SELECT id, CAST(ts AS TIMESTAMP(3)) FROM near WHERE lnum > num AND kind <> 'other';
CREATE TABLE iv_tumble (s TIMESTAMP(3), grp INT, n BIGINT, w DOUBLE) WITH ({kafka}, 'topic' = '{prefix}iv_tumble');
INSERT INTO iv_tumble SELECT window_start, grp, COUNT(*), SUM(weight) FROM
  TABLE(TUMBLE(TABLE near, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE price > 20 GROUP BY window_start, window_end, grp;
CREATE TABLE iv_cumulate (s TIMESTAMP(3), e TIMESTAMP(3), m INT) WITH ({kafka}, 'topic' = '{prefix}iv_cumulate');
INSERT INTO iv_cumulate SELECT window_start, window_end, MAX(num) FROM
  TABLE(CUMULATE(TABLE near, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '20' SECOND)) GROUP BY window_start, window_end;
CREATE TABLE iv_legacy (e TIMESTAMP(3), name STRING, n BIGINT) WITH ({kafka}, 'topic' = '{prefix}iv_legacy');
INSERT INTO iv_legacy SELECT TUMBLE_END(ts, INTERVAL '20' SECOND), name, COUNT(*) FROM near WHERE name IS NOT NULL
  GROUP BY name, TUMBLE(ts, INTERVAL '20' SECOND);
CREATE TABLE iv_over (id BIGINT, n BIGINT, s DECIMAL(38, 2)) WITH ({kafka}, 'topic' = '{prefix}iv_over');
INSERT INTO iv_over SELECT id, COUNT(*) OVER w, SUM(price) OVER w FROM near WHERE grp IN (0, 2)
  WINDOW w AS (PARTITION BY id ORDER BY ts RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW);
CREATE TABLE iv_match (id BIGINT, a INT, b INT) WITH ({kafka}, 'topic' = '{prefix}iv_match');
INSERT INTO iv_match SELECT id, a, b FROM (SELECT id, num, ts FROM near WHERE num IS NOT NULL AND id IS NOT NULL)
  MATCH_RECOGNIZE (PARTITION BY id ORDER BY ts, num MEASURES A.num AS a, B.num AS b ONE ROW PER MATCH
  AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) WITHIN INTERVAL '30' SECOND DEFINE A AS A.num > 5, B AS B.num < 3);
CREATE TABLE iv_python (id BIGINT, band STRING) WITH ({kafka}, 'topic' = '{prefix}iv_python');
CREATE TEMPORARY FUNCTION band AS 'python_functions.band' LANGUAGE PYTHON;
INSERT INTO iv_python SELECT id, band(lnum) FROM near WHERE kind = 'text';

-- a window join; a filter on the window's own columns
CREATE TEMPORARY VIEW lw AS SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND));
CREATE TEMPORARY VIEW rw AS SELECT * FROM TABLE(TUMBLE(DATA => TABLE r, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '10' SECOND));
CREATE TABLE wj_rows (s TIMESTAMP(3), id BIGINT, note STRING) WITH ({kafka}, 'topic' = '{prefix}wj_rows');
INSERT INTO wj_rows SELECT lw.window_start, lw.id, rw.note FROM lw JOIN rw ON lw.id = rw.fk
  AND lw.window_start = rw.window_start AND lw.window_end = rw.window_end WHERE rw.num > 3;
CREATE TABLE wj_late (s TIMESTAMP(3), id BIGINT) WITH ({kafka}, 'topic' = '{prefix}wj_late');
INSERT INTO wj_late SELECT rw.window_start, lw.id FROM rw JOIN lw ON rw.window_end = lw.window_end
  AND lw.window_start = rw.window_start AND lw.id = rw.fk
  WHERE lw.window_start >= TIMESTAMP '2026-03-01 00:01:00' AND lw.name <> 'ab';
CREATE TABLE wj_counts (s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT) WITH ({kafka}, 'topic' = '{prefix}wj_counts');
INSERT INTO wj_counts SELECT s, e, COUNT(*) FROM (SELECT lw.window_start AS s, lw.window_end AS e, rw.kind FROM lw JOIN rw
  ON lw.id = rw.fk AND lw.window_start = rw.window_start AND lw.window_end = rw.window_end WHERE lw.amount < 30.00)
  GROUP BY s, e;
