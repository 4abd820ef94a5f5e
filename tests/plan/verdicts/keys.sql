-- expect plain: share A
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect as_text: share B
-- funshare: name=as_text
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON CAST(b.ticket AS STRING) = g.ticket_text;
-- expect as_text_too: share B
-- funshare: name=as_text_too
INSERT INTO nums SELECT g.seq, x.ticket FROM gate g JOIN (SELECT ticket, CAST(ticket AS STRING) AS t FROM bought
  WHERE deck = 'sun') x ON x.t = g.ticket_text;
-- expect as_number: share C
-- funshare: name=as_number
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = CAST(g.ticket_text AS BIGINT);
-- expect other_types: share D
-- funshare: name=other_types
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ferry = g.ticket;
-- expect other_types_too: share D
-- funshare: name=other_types_too
INSERT INTO nums SELECT b.ticket, g.seq FROM gate g JOIN bought b ON g.ticket = CAST(b.ferry AS BIGINT) WHERE g.pier = 'a';
-- expect upper_key: share E
-- funshare: name=upper_key
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON UPPER(b.deck) = g.pier;
-- expect lower_key: share F
-- funshare: name=lower_key
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON LOWER(b.deck) = g.pier;
-- expect key_order: share G
-- funshare: name=key_order
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ferry = g.ferry AND b.deck = g.pier AND b.ticket = g.seq;
-- expect key_order_too: share G
-- funshare: name=key_order_too
INSERT INTO nums SELECT b.ticket, g.seq FROM gate g JOIN bought b ON g.seq = b.ticket AND b.deck = g.pier AND g.ferry = b.ferry;
-- expect null_matches: share H
-- funshare: name=null_matches
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket IS NOT DISTINCT FROM g.ticket;
-- expect null_matches_spelt_out: share H
-- funshare: name=null_matches_spelt_out
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g
  ON b.ticket = g.ticket OR (b.ticket IS NULL AND g.ticket IS NULL);
