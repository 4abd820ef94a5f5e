-- expect plain: share A
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect dice: alone non-deterministic filter: RAND
-- funshare: name=dice
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE RAND() < 0.1;
-- expect whole_dice: alone non-deterministic filter: RAND_INTEGER
-- funshare: name=whole_dice
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE b.ferry = RAND_INTEGER(4);
-- expect fresh: alone non-deterministic filter
-- funshare: name=fresh
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  WHERE b.at_time > CAST(CURRENT_TIMESTAMP AS TIMESTAMP(3)) - INTERVAL '1' DAY;
-- expect today: alone non-deterministic filter
-- funshare: name=today
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  WHERE CAST(g.at_time AS DATE) = CURRENT_DATE;
-- expect unique_name: alone non-deterministic filter: UUID
-- funshare: name=unique_name
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE g.pier < UUID();
-- expect residual_dice: alone non-deterministic filter
-- funshare: name=residual_dice
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket AND b.fare + g.seq > RAND();
-- expect watermark_filter: alone non-deterministic filter: CURRENT_WATERMARK
-- funshare: name=watermark_filter
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  WHERE CURRENT_WATERMARK(b.at_time) IS NULL OR b.at_time > CURRENT_WATERMARK(b.at_time);
-- expect dice_shown: share A
-- funshare: name=dice_shown
INSERT INTO texts SELECT b.ticket, CONCAT(g.pier, UUID()) FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE b.ferry = 1;
-- expect sure: share A
-- funshare: name=sure
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  WHERE MOD(b.ferry, 3) = 1 AND SUBSTRING(g.pier, 1, 2) = 'no' AND CHAR_LENGTH(b.deck) > 2;
