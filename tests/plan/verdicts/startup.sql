-- expect plain: share A
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect hint_as_declared: share A
-- funshare: name=hint_as_declared
INSERT INTO nums SELECT b.ticket, g.seq FROM bought /*+ OPTIONS('scan.startup.mode'='earliest-offset') */ b
  JOIN gate g ON b.ticket = g.ticket WHERE b.ferry = 3;
-- expect hint_latest: share B
-- funshare: name=hint_latest
INSERT INTO nums SELECT b.ticket, g.seq FROM bought /*+ OPTIONS('scan.startup.mode'='latest-offset') */ b
  JOIN gate g ON b.ticket = g.ticket;
-- expect hint_latest_again: share B
-- funshare: name=hint_latest_again
INSERT INTO nums SELECT g.seq, b.ticket FROM gate g
  JOIN bought /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */ b ON b.ticket = g.ticket WHERE g.pier = 'north';
-- expect hint_other_side: share C
-- funshare: name=hint_other_side
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b
  JOIN gate /*+ OPTIONS('scan.startup.mode'='latest-offset') */ g ON b.ticket = g.ticket;
-- expect hint_time: share D
-- funshare: name=hint_time
INSERT INTO nums SELECT b.ticket, g.seq FROM bought
  /*+ OPTIONS('scan.startup.mode'='timestamp','scan.startup.timestamp-millis'='1700000000000') */ b
  JOIN gate g ON b.ticket = g.ticket;
-- expect hint_other_time: share E
-- funshare: name=hint_other_time
INSERT INTO nums SELECT b.ticket, g.seq FROM bought
  /*+ OPTIONS('scan.startup.mode'='timestamp','scan.startup.timestamp-millis'='1700000000001') */ b
  JOIN gate g ON b.ticket = g.ticket;
-- expect group_named: share A
-- funshare: name=group_named
INSERT INTO nums SELECT b.ticket, g.seq FROM bought /*+ OPTIONS('properties.group.id'='clerks') */ b
  JOIN gate g ON b.ticket = g.ticket;
-- expect group_read: share F
-- funshare: name=group_read
INSERT INTO nums SELECT b.ticket, g.seq FROM bought
  /*+ OPTIONS('properties.group.id'='clerks','scan.startup.mode'='group-offsets') */ b
  JOIN gate g ON b.ticket = g.ticket;
-- expect other_group_read: share G
-- funshare: name=other_group_read
INSERT INTO nums SELECT b.ticket, g.seq FROM bought
  /*+ OPTIONS('properties.group.id'='pursers','scan.startup.mode'='group-offsets') */ b
  JOIN gate g ON b.ticket = g.ticket;

-- expect group_read_in_capitals: share I
-- funshare: name=group_read_in_capitals
INSERT INTO nums SELECT b.ticket, g.seq FROM bought
  /*+ OPTIONS('properties.group.id'='clerks','scan.startup.mode'='GROUP-OFFSETS') */ b
  JOIN gate g ON b.ticket = g.ticket;

-- expect other_group_read_in_capitals: share H
-- funshare: name=other_group_read_in_capitals
INSERT INTO nums SELECT b.ticket, g.seq FROM bought
  /*+ OPTIONS('properties.group.id'='pursers','scan.startup.mode'='GROUP-OFFSETS') */ b
  JOIN gate g ON b.ticket = g.ticket;
