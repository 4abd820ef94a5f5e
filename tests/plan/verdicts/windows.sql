CREATE VIEW bought_five AS SELECT * FROM TABLE(TUMBLE(TABLE bought, DESCRIPTOR(at_time), INTERVAL '5' MINUTE));
CREATE VIEW gate_five AS SELECT * FROM TABLE(TUMBLE(TABLE gate, DESCRIPTOR(at_time), INTERVAL '5' MINUTE));
CREATE VIEW bought_zero AS SELECT * FROM TABLE(
  TUMBLE(TABLE bought, DESCRIPTOR(at_time), INTERVAL '5' MINUTE, INTERVAL '0' MINUTE));
CREATE VIEW gate_zero AS SELECT * FROM TABLE(
  TUMBLE(TABLE gate, DESCRIPTOR(at_time), INTERVAL '5' MINUTE, INTERVAL '0' MINUTE));
CREATE VIEW gate_later AS SELECT * FROM TABLE(
  TUMBLE(TABLE gate, DESCRIPTOR(at_time), INTERVAL '5' MINUTE, INTERVAL '1' MINUTE));
CREATE VIEW bought_later AS SELECT * FROM TABLE(
  TUMBLE(TABLE bought, DESCRIPTOR(at_time), INTERVAL '5' MINUTE, INTERVAL '1' MINUTE));
CREATE VIEW sunny AS SELECT * FROM bought WHERE deck = 'sun';
CREATE VIEW visits AS SELECT * FROM TABLE(
  SESSION(TABLE bought PARTITION BY ticket, DESCRIPTOR(at_time), INTERVAL '5' MINUTE));
CREATE VIEW sunny_visits AS SELECT * FROM TABLE(
  SESSION(TABLE sunny PARTITION BY ticket, DESCRIPTOR(at_time), INTERVAL '5' MINUTE));

-- expect five: share A
-- funshare: name=five
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_five b JOIN gate_five g
  ON b.ticket = g.ticket AND b.window_start = g.window_start AND b.window_end = g.window_end WHERE b.deck = 'sun';

-- expect key_is_constant: share A
-- funshare: name=key_is_constant
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_five b JOIN gate_five g
  ON b.ticket = g.ticket AND b.window_start = g.window_start AND b.window_end = g.window_end WHERE b.ticket = 7;

-- expect key_is_other_constant: share A
-- funshare: name=key_is_other_constant
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_five b JOIN gate_five g
  ON b.ticket = g.ticket AND b.window_start = g.window_start AND b.window_end = g.window_end WHERE g.ticket = 8;

-- expect no_offset: share A
-- funshare: name=no_offset
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_zero b JOIN gate_zero g
  ON b.ticket = g.ticket AND b.window_start = g.window_start AND b.window_end = g.window_end;

-- expect offset_by_one: share B
-- funshare: name=offset_by_one
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_later b JOIN gate_later g
  ON b.ticket = g.ticket AND b.window_start = g.window_start AND b.window_end = g.window_end;

-- expect sessions: alone session window
-- funshare: name=sessions
INSERT INTO nums SELECT b.ticket, g.seq FROM visits b JOIN gate g ON b.ticket = g.ticket;

-- expect sunny_sessions: alone session window
-- funshare: name=sunny_sessions
INSERT INTO nums SELECT b.ticket, g.seq FROM sunny_visits b JOIN gate g ON b.ticket = g.ticket;
