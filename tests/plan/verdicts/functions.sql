CREATE TEMPORARY FUNCTION shout AS 'ferry_functions.shout' LANGUAGE PYTHON;
CREATE TEMPORARY SYSTEM FUNCTION any_bit AS 'org.funshare.kernel.QsAny';
CREATE TEMPORARY SYSTEM FUNCTION never_there AS 'org.funshare.kernel.QsAnd' LANGUAGE JAVA;
-- expect plain: share A
-- funshare: name=plain
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect python_tail: share A
-- funshare: name=python_tail
INSERT INTO texts SELECT b.ticket, shout(g.pier) FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE b.ferry = 2;
-- expect python_tail_both: share A
-- funshare: name=python_tail_both
INSERT INTO texts SELECT b.ticket, shout(CONCAT(g.pier, b.deck)) FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect python_filter: alone Python UDF below the join
-- funshare: name=python_filter
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE shout(b.deck) = 'SUN';
-- expect java_filter: share A
-- funshare: name=java_filter
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE any_bit(g.seq);
-- expect java_tail: share A
-- funshare: name=java_tail
INSERT INTO nums SELECT b.ticket, CASE WHEN any_bit(g.seq) THEN 1 ELSE 2 END FROM bought b JOIN gate g ON b.ticket = g.ticket;

CREATE DATABASE harbour;
USE harbour;
CREATE FUNCTION any_bit_too AS 'org.funshare.kernel.QsAny';
CREATE FUNCTION IF NOT EXISTS any_bit_too AS 'org.funshare.kernel.QsHas';
USE default_database;
CREATE FUNCTION `default_catalog`.`default_database`.any_bit_too AS 'org.funshare.kernel.QsHas';

-- expect function_elsewhere: share A
-- funshare: name=function_elsewhere
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE harbour.any_bit_too(g.seq);

-- expect function_here: share A
-- funshare: name=function_here
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket WHERE any_bit_too(g.seq, 4);
