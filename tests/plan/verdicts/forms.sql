CREATE VIEW quick AS SELECT b.ticket, b.deck, g.pier, g.seq FROM bought AS b INNER JOIN gate AS g ON b.ticket = g.ticket;
CREATE TEMPORARY VIEW sunny AS SELECT * FROM bought WHERE deck = 'sun';
CREATE VIEW renamed (t_no, n) AS SELECT ticket, seq FROM gate;
-- expect plain: share A
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect from_view: share A
-- funshare: name=from_view
INSERT INTO nums SELECT ticket, seq FROM quick WHERE pier LIKE 'n%';
-- expect from_temporary_view: share A
-- funshare: name=from_temporary_view
INSERT INTO nums SELECT s.ticket, r.n FROM sunny s JOIN renamed r ON r.t_no = s.ticket;
-- expect cte: share A
-- funshare: name=cte
INSERT INTO nums WITH few AS (SELECT ticket AS t FROM bought WHERE fare < 9.5) SELECT f.t, g.seq FROM few f
  JOIN gate g ON f.t = g.ticket;
-- expect subquery: share A
-- funshare: name=subquery
INSERT INTO nums SELECT x.ticket, y.seq FROM (SELECT ticket FROM bought WHERE ferry IN (1, 2, 8)) x,
  (SELECT seq, ticket FROM gate WHERE pier IS NOT NULL) y WHERE x.ticket = y.ticket;
-- expect using_clause: share A
-- funshare: name=using_clause
INSERT INTO nums SELECT ticket, seq FROM bought JOIN gate USING (ticket);
-- expect cross_where: share A
-- funshare: name=cross_where
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b CROSS JOIN gate g WHERE b.ticket = g.ticket AND b.fare > 3;
-- expect upper_case: share A
-- funshare: name=upper_case
insert into nums select `b`.`ticket`, g.seq from default_catalog.default_database.bought as `b` join `gate` g on b.ticket=g.ticket;
-- expect two_keys: share B
-- funshare: name=two_keys
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket AND b.ferry = g.ferry;
-- expect union_input: alone input is a union
-- funshare: name=union_input
INSERT INTO nums SELECT b.ticket, g.seq FROM (SELECT ticket FROM bought WHERE ferry = 1 UNION ALL
  SELECT ticket FROM gate WHERE ferry = 2) b JOIN gate g ON b.ticket = g.ticket;
-- expect union_of_joins: alone more than two inputs
-- funshare: name=union_of_joins
INSERT INTO nums SELECT ticket, seq FROM quick WHERE deck = 'sun' UNION ALL SELECT ticket, 1 FROM bought;
EXECUTE STATEMENT SET BEGIN
-- expect in_set: share A
-- funshare: name=in_set
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE b.ferry < 5;
-- expect in_set_totals: share A
-- funshare: name=in_set_totals
INSERT INTO keyed SELECT g.pier, COUNT(*) FROM bought b JOIN gate g ON b.ticket = g.ticket GROUP BY g.pier;
END;
-- expect made: share A
CREATE TABLE made WITH ('connector' = 'blackhole') AS SELECT b.ticket, g.seq FROM bought b
  JOIN gate g ON b.ticket = g.ticket WHERE b.deck = 'moon';
-- expect bad_column: reject nowhere
-- funshare: name=bad_column
INSERT INTO nums SELECT b.nowhere, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect plain_again: share A
-- funshare: name=plain_again
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON g.ticket = b.ticket;
