-- The zone of the machine comes first; whichever it is, RESET leads back to it, and not to Tokyo.
-- expect plain: not B
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
SET 'table.local-time-zone' = 'Asia/Tokyo';
-- expect tokyo: share B
-- funshare: name=tokyo
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
SET 'table.local-time-zone' = 'Etc/UTC';
-- expect utc: share C
-- funshare: name=utc
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE b.ferry > 2;
SET 'table.local-time-zone' = 'UTC';
-- expect utc_again: share C
-- funshare: name=utc_again
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE g.ferry > 2;
SET 'table.local-time-zone' = 'Asia/Tokyo';
-- expect tokyo_again: share B
-- funshare: name=tokyo_again
INSERT INTO nums SELECT b.ticket, g.seq FROM gate g JOIN bought b ON b.ticket = g.ticket;
RESET 'table.local-time-zone';
-- expect reset: not B
-- funshare: name=reset
INSERT INTO nums SELECT b.ticket, g.seq FROM gate g JOIN bought b ON b.ticket = g.ticket;
