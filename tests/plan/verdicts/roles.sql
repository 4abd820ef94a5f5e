-- expect other_role: share A
-- funshare: name=other_role
INSERT INTO nums SELECT a.ticket, b.ticket FROM bought a JOIN bought b ON a.ferry = b.ferry WHERE a.deck = 'sun' AND a.ticket < b.ticket;
-- expect same_role: share A
-- funshare: name=same_role
INSERT INTO nums SELECT x.ticket, y.ticket FROM bought y JOIN bought x ON x.ferry = y.ferry WHERE y.deck = 'sun';
-- expect uneven_keys: share B
-- funshare: name=uneven_keys
INSERT INTO nums SELECT a.ticket, b.ticket FROM gate a JOIN gate b ON a.ticket = b.seq WHERE a.pier = 'n';
-- expect uneven_keys_swapped: share B
-- funshare: name=uneven_keys_swapped
INSERT INTO nums SELECT a.ticket, b.ticket FROM gate a JOIN gate b ON a.seq = b.ticket WHERE a.pier = 'n';
-- expect match_tail: share C
-- funshare: name=match_tail
INSERT INTO nums SELECT first_seq, last_seq FROM (SELECT b.ticket, g.seq, g.at_time FROM bought b JOIN gate g
  ON b.ticket = g.ticket AND g.at_time BETWEEN b.at_time AND b.at_time + INTERVAL '1' MINUTE WHERE b.ferry = 3)
  MATCH_RECOGNIZE (PARTITION BY ticket ORDER BY at_time MEASURES A.seq AS first_seq, LAST(B.seq) AS last_seq
  PATTERN (A B+ C) DEFINE B AS B.seq > A.seq, C AS C.seq < A.seq);
-- expect no_tail: share C
-- funshare: name=no_tail
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g
  ON b.ticket = g.ticket AND g.at_time BETWEEN b.at_time AND b.at_time + INTERVAL '1' MINUTE;
