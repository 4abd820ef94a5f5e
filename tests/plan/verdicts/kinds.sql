CREATE TABLE decks (deck STRING, seats INT, upd TIMESTAMP(3), WATERMARK FOR upd AS upd, PRIMARY KEY (deck) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'topic' = 'decks', 'properties.bootstrap.servers' = 'quay:9092',
  'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE bought_cdc (ticket BIGINT, ferry INT) WITH ('connector' = 'kafka', 'topic' = 'cdc',
  'properties.bootstrap.servers' = 'quay:9092', 'format' = 'debezium-json');
CREATE TABLE bought_canal (ticket BIGINT, ferry INT) WITH ('connector' = 'kafka', 'topic' = 'canal',
  'properties.bootstrap.servers' = 'quay:9092', 'value.format' = 'canal-json');
CREATE TABLE bought_now (ticket BIGINT, ferry INT, at_time AS PROCTIME()) WITH ('connector' = 'kafka', 'topic' = 'now',
  'properties.bootstrap.servers' = 'quay:9092', 'format' = 'json');
-- expect inner_one: share A
-- funshare: name=inner_one
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b JOIN gate g ON b.ticket = g.ticket;
-- expect left_one: alone outer join
-- funshare: name=left_one
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b LEFT JOIN gate g ON b.ticket = g.ticket;
-- expect right_one: alone outer join
-- funshare: name=right_one
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b RIGHT OUTER JOIN gate g ON b.ticket = g.ticket;
-- expect full_one: alone outer join
-- funshare: name=full_one
INSERT INTO nums SELECT b.ticket, g.seq FROM bought b FULL JOIN gate g ON b.ticket = g.ticket;
-- expect in_one: alone semi join
-- funshare: name=in_one
INSERT INTO nums SELECT ticket, 1 FROM bought WHERE ticket IN (SELECT ticket FROM gate WHERE ferry = 2);
-- expect exists_one: alone semi join
-- funshare: name=exists_one
INSERT INTO nums SELECT ticket, 1 FROM bought b WHERE EXISTS (SELECT 1 FROM gate g WHERE g.ticket = b.ticket);
-- expect not_exists: alone anti join
-- funshare: name=not_exists
INSERT INTO nums SELECT ticket, 1 FROM bought b WHERE NOT EXISTS (SELECT 1 FROM gate g WHERE g.ticket = b.ticket);
-- expect versions: alone temporal join
-- funshare: name=versions
INSERT INTO nums SELECT b.ticket, CAST(d.seats AS BIGINT) FROM bought b
  JOIN decks FOR SYSTEM_TIME AS OF b.at_time AS d ON b.deck = d.deck;
-- expect upserts: alone changelog input
-- funshare: name=upserts
INSERT INTO nums SELECT b.ticket, CAST(d.seats AS BIGINT) FROM bought b JOIN decks d ON b.deck = d.deck;
-- expect debezium: alone changelog input
-- funshare: name=debezium
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_cdc b JOIN gate g ON b.ticket = g.ticket;
-- expect canal: alone changelog input
-- funshare: name=canal
INSERT INTO nums SELECT b.ticket, g.seq FROM bought_canal b JOIN gate g ON b.ticket = g.ticket;
-- expect by_the_clock: alone processing-time
-- funshare: name=by_the_clock
INSERT INTO nums SELECT a.ticket, b.ticket FROM bought_now a JOIN bought_now b ON a.ticket = b.ticket
  AND a.at_time BETWEEN b.at_time - INTERVAL '5' SECOND AND b.at_time;
-- expect counted: alone aggregated input
-- funshare: name=counted
INSERT INTO nums SELECT g.ticket, c.n FROM gate g JOIN (SELECT ferry, COUNT(*) AS n FROM bought GROUP BY ferry) c
  ON g.ferry = c.ferry;
-- expect first_only: alone
-- funshare: name=first_only
INSERT INTO nums SELECT g.ticket, c.ticket FROM gate g JOIN (SELECT * FROM (SELECT *, ROW_NUMBER() OVER
  (PARTITION BY ticket ORDER BY at_time ASC) AS n FROM bought) WHERE n = 1) c ON g.ticket = c.ticket;
-- expect three: alone more than two inputs
-- funshare: name=three
INSERT INTO nums SELECT b.ticket, h.seq FROM bought b JOIN gate g ON b.ticket = g.ticket JOIN gate h ON g.ferry = h.ferry;
-- expect scalar: alone
-- funshare: name=scalar
INSERT INTO nums SELECT ticket, 1 FROM bought WHERE fare > (SELECT AVG(fare) FROM bought);
-- expect single: alone no join
-- funshare: name=single
INSERT INTO keyed SELECT deck, COUNT(*) FROM bought GROUP BY deck;
