-- expect plain: share A
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect key_is_constant: share A
-- funshare: name=key_is_constant
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket AND b.ticket = 7;
-- expect key_is_constant_where: share A
-- funshare: name=key_is_constant_where
INSERT INTO nums SELECT b.ticket, g.seq FROM gate g JOIN bought b ON b.ticket = g.ticket WHERE g.ticket = 8 AND b.ferry > 1;
-- expect in_view: share A
-- funshare: name=in_view
INSERT INTO nums SELECT * FROM (SELECT b.ticket AS t, g.seq FROM gate g JOIN bought b ON b.ticket = g.ticket) WHERE t = 9;
-- expect only_pinned: alone no equi-key
-- funshare: name=only_pinned
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = 7 AND g.ticket = 7;
-- expect pinned_elsewhere: alone no equi-key
-- funshare: name=pinned_elsewhere
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b, gate g WHERE b.ticket = 7 AND g.ferry = 7;
-- expect two_keys: share B
-- funshare: name=two_keys
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket AND b.ferry = g.ferry;
-- expect one_of_two: share B
-- funshare: name=one_of_two
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket AND b.ferry = g.ferry
  WHERE b.ferry = 4;
-- expect one_pinned_not_a_key: share A
-- funshare: name=one_pinned_not_a_key
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket
  WHERE b.ferry = 4 AND g.ferry = 4;
-- expect never: alone
-- funshare: name=never
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket AND b.ticket = 7 AND g.ticket = 8;
-- expect key_in_list: share A
-- funshare: name=key_in_list
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE b.ticket IN (1, 2, 3);

-- expect key_of_a_removed_branch: alone no equi-key
-- funshare: name=key_of_a_removed_branch
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b, gate g WHERE b.ticket = 1 AND g.ticket = 2
  UNION ALL SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE 1 = 0;
