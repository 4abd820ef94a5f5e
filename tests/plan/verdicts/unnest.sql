-- expect plain: share A
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect above: share A
-- funshare: name=above
INSERT INTO texts SELECT j.ticket, s.stop FROM (SELECT b.ticket, b.stops FROM bought b JOIN gate g ON b.ticket = g.ticket
  WHERE g.pier = 'x') j CROSS JOIN UNNEST(j.stops) AS s (stop);
-- expect below: alone UNNEST or table function below the join
-- funshare: name=below
INSERT INTO texts SELECT j.ticket, j.stop FROM (SELECT b.ticket, s.stop FROM bought b CROSS JOIN UNNEST(b.stops) AS s (stop)) j
  JOIN gate g ON j.ticket = g.ticket;
-- expect below_as_key: alone UNNEST or table function below the join
-- funshare: name=below_as_key
INSERT INTO texts SELECT j.ticket, j.stop FROM (SELECT b.ticket, s.stop FROM bought b CROSS JOIN UNNEST(b.stops) AS s (stop)) j
  JOIN gate g ON j.stop = g.pier;
-- expect no_other_input: alone no two-stream join
-- funshare: name=no_other_input
INSERT INTO texts SELECT b.ticket, s.stop FROM bought b CROSS JOIN UNNEST(b.stops) AS s (stop);
