-- Six queries over the auction site of Nexmark. Five of them do the same join with other filters and other tails,
-- so FunShare can run them as one job; the sixth has no join and stays alone.
--
-- Nothing here is special to FunShare but the comments that begin with `funshare:`; they are wishes of a query's
-- owner and no Flink client minds them.

CREATE TABLE auction (
  id BIGINT,
  item STRING,
  reserve BIGINT,
  category INT,
  seller BIGINT,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'auction',
  'properties.bootstrap.servers' = 'localhost:9092',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);

CREATE TABLE bid (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  channel STRING,
  attr INT,
  ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'bid',
  'properties.bootstrap.servers' = 'localhost:9092',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);

CREATE TABLE sampled_bids (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  item STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'sampled_bids',
  'properties.bootstrap.servers' = 'localhost:9092',
  'format' = 'json'
);

CREATE TABLE high_bids (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  seller BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'high_bids',
  'properties.bootstrap.servers' = 'localhost:9092',
  'format' = 'json'
);

CREATE TABLE above_reserve (
  auction BIGINT,
  bidder BIGINT,
  surplus BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'above_reserve',
  'properties.bootstrap.servers' = 'localhost:9092',
  'format' = 'json'
);

CREATE TABLE category_average (
  window_start TIMESTAMP(3),
  category INT,
  average_price BIGINT,
  bids BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'category_average',
  'properties.bootstrap.servers' = 'localhost:9092',
  'format' = 'json'
);

CREATE TABLE seller_income (
  window_start TIMESTAMP(3),
  seller BIGINT,
  highest_price BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'seller_income',
  'properties.bootstrap.servers' = 'localhost:9092',
  'format' = 'json'
);

CREATE TABLE channel_counts (
  window_start TIMESTAMP(3),
  channel STRING,
  bids BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'channel_counts',
  'properties.bootstrap.servers' = 'localhost:9092',
  'format' = 'json'
);

CREATE TEMPORARY VIEW joined AS
  SELECT a.category, a.seller, b.price, b.attr, b.ts
  FROM auction AS a JOIN bid AS b
    ON a.id = b.auction AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '20' SECOND;

-- Every joined row of a tenth of the bids.
INSERT INTO sampled_bids
SELECT b.auction, b.bidder, b.price, a.item
FROM auction AS a JOIN bid AS b
  ON a.id = b.auction AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '20' SECOND
WHERE b.attr BETWEEN 0 AND 999;

-- Another filter, other columns.
INSERT INTO high_bids
SELECT b.auction, b.bidder, b.price, a.seller
FROM auction AS a JOIN bid AS b
  ON a.id = b.auction AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '20' SECOND
WHERE b.price > 10000000 AND a.category IN (10, 12);

-- A condition over both sides: checked per query, behind the shared join.
INSERT INTO above_reserve
SELECT b.auction, b.bidder, b.price - a.reserve
FROM auction AS a JOIN bid AS b
  ON a.id = b.auction AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '20' SECOND
WHERE b.price > a.reserve AND b.channel = 'Apple';

-- The same join below a window. This query has two task slots when it runs alone.
-- funshare: slots=2
INSERT INTO category_average
SELECT window_start, category, AVG(price), COUNT(*)
FROM TABLE(TUMBLE(TABLE joined, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end, category;

-- The same view, another filter and another window.
INSERT INTO seller_income
WITH cheap AS (SELECT * FROM joined WHERE price < 10000000)
SELECT window_start, seller, MAX(price)
FROM TABLE(TUMBLE(TABLE cheap, DESCRIPTOR(ts), INTERVAL '20' SECOND))
GROUP BY window_start, window_end, seller;

-- No join: stays alone.
INSERT INTO channel_counts
SELECT window_start, channel, COUNT(*)
FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end, channel;
