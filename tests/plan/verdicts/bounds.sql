-- expect ten_minutes: share A
-- funshare: name=ten_minutes
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  AND g.at_time BETWEEN b.at_time AND b.at_time + INTERVAL '10' MINUTE;
-- expect six_hundred: share A
-- funshare: name=six_hundred
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  AND g.at_time BETWEEN b.at_time AND b.at_time + INTERVAL '600' SECOND(3) WHERE b.deck = 'sun';
-- expect half_open: share B
-- funshare: name=half_open
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  AND g.at_time >= b.at_time AND g.at_time < b.at_time + INTERVAL '10' MINUTE;
-- expect one_side_less: share B
-- funshare: name=one_side_less
INSERT INTO nums SELECT b.ticket, g.seq FROM gate g, bought b WHERE b.ticket = g.ticket
  AND b.at_time > g.at_time - INTERVAL '10' MINUTE AND b.at_time <= g.at_time;
-- expect thirty_days: share C
-- funshare: name=thirty_days
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  AND g.at_time BETWEEN b.at_time AND b.at_time + INTERVAL '30' DAY;
-- expect equal_times: share D
-- funshare: name=equal_times
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket AND g.at_time = b.at_time;
-- expect swapped_roles: share E
-- funshare: name=swapped_roles
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  AND b.at_time BETWEEN g.at_time AND g.at_time + INTERVAL '10' MINUTE;
-- expect with_residual: share A
-- funshare: name=with_residual
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket AND b.ferry <> g.ferry
  AND g.at_time BETWEEN b.at_time AND b.at_time + INTERVAL '10' MINUTE;
-- expect month: not C
-- funshare: name=month
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  AND g.at_time BETWEEN b.at_time AND b.at_time + INTERVAL '1' MONTH;
