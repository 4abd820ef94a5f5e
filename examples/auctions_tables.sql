-- Tables and views of auctions.yaml; the same as in auctions.sql.

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
