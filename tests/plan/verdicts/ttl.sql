-- expect for_ever: share A
-- funshare: name=for_ever
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
SET 'table.exec.state.ttl' = '1 h';
-- expect hour: share B
-- funshare: name=hour
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
SET 'table.exec.state.ttl' = '60 min';
-- expect sixty_minutes: share B
-- funshare: name=sixty_minutes
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE b.ferry = 1;
-- expect hint_one_side: share C
-- funshare: name=hint_one_side
INSERT INTO nums SELECT /*+ STATE_TTL('b' = '2d') */ b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect hint_one_side_swapped: share C
-- funshare: name=hint_one_side_swapped
INSERT INTO nums SELECT /*+ STATE_TTL('x' = '2d') */ x.ticket, y.seq FROM gate y JOIN bought x ON x.ticket = y.ticket;
-- expect hint_other_side: share D
-- funshare: name=hint_other_side
INSERT INTO nums SELECT /*+ STATE_TTL('g' = '2d') */ b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
RESET 'table.exec.state.ttl';
-- expect hint_hour: share B
-- funshare: name=hint_hour
INSERT INTO nums SELECT /*+ STATE_TTL('b' = '1h', 'g' = '3600s') */ b.ticket, g.seq FROM bought b
  JOIN gate g ON b.ticket = g.ticket;
-- expect reset: share A
-- funshare: name=reset
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE g.pier <> 'east';
SET 'table.exec.state.ttl' = '1 h';
RESET;
-- expect reset_all: share A
-- funshare: name=reset_all
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
SET 'table.exec.state.ttl' = '0 s';
-- expect zero: share A
-- funshare: name=zero
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
