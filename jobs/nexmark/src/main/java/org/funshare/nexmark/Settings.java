package org.funshare.nexmark;

import java.util.List;

/**
 * What to generate, from the command line. Everything but the fields of {@link Delivery} decides the data;
 * the same values give the same bytes.
 *
 * <p>Shares are probabilities 0 to 1. A hot ratio of n sends all but every n-th reference to the hot id.
 */
final class Settings {
    private static final long DEFAULT_BASE_MS = 1_704_067_200_000L; // 2024-01-01 00:00:00 UTC

    /** Where records go and how fast; no effect on their bytes. {@code ratePerSecond} 0: as fast as possible. */
    record Delivery(
            String bootstrapServers, String topicPrefix, int partitions, long ratePerSecond, Producer producer, Report report) {}

    /** Settings of the Kafka producer. */
    record Producer(String acks, String compression, int lingerMs, int batchBytes) {}

    /** {@code digest}: count and digest instead of sending. {@code progress}: a line every half second. */
    record Report(boolean digest, boolean progress) {}

    private final String shape;
    private final long seed;
    private final long firstEvent;
    private final long events;
    private final long eventRate;
    private final long baseTsMs;
    private final int[] proportions;
    private final int hotAuctions;
    private final int hotBidders;
    private final int hotSellers;
    private final int inFlightAuctions;
    private final int activePeople;
    private final int auctionIdCycle;
    private final int categories;
    private final int maxOutOfOrderMs;
    private final double outOfOrderShare;
    private final double nullShare;
    private final double duplicateShare;
    private final double tieShare;
    private final String attrPhases;
    private final List<String> attrPhasesOfTopic;
    private final String keyPhases;
    private final Delivery delivery;

    private static final List<String> TOPICS = List.of("person", "auction", "bid", "stream_a", "stream_b");

    Settings(String... args) {
        Arguments given = new Arguments(args);
        shape = given.text("shape", "nexmark");
        seed = given.number("seed", 42, Long.MIN_VALUE);
        firstEvent = given.number("first-event", 0, 0);
        events = given.number("events", 0, 0);
        eventRate = given.number("event-rate", 10_000, 1);
        baseTsMs = given.number("base-ts-ms", DEFAULT_BASE_MS, 0);
        proportions = proportions(given.text("proportions", "1:3:46"));
        hotAuctions = given.smallNumber("hot-auctions", 2, 1);
        hotBidders = given.smallNumber("hot-bidders", 4, 1);
        hotSellers = given.smallNumber("hot-sellers", 4, 1);
        inFlightAuctions = given.smallNumber("in-flight-auctions", 100, 1);
        activePeople = given.smallNumber("active-people", 1000, 1);
        auctionIdCycle = given.smallNumber("auction-id-cycle", 0, 0);
        categories = given.smallNumber("categories", 5, 1);
        maxOutOfOrderMs = given.smallNumber("max-out-of-order-ms", 0, 0);
        outOfOrderShare = given.share("out-of-order-share", 1);
        nullShare = given.share("null-share", 0);
        duplicateShare = given.share("duplicate-share", 0);
        tieShare = given.share("tie-share", 0);
        attrPhases = given.text("attr-phases", "0=uniform");
        attrPhasesOfTopic = TOPICS.stream().map(topic -> given.text("attr-phases-" + topic, "")).toList();
        keyPhases = given.text("key-phases", "0=500:0.5");
        delivery = delivery(given);
        given.requireAllUsed();
        if (!List.of("nexmark", "dense").contains(shape)) {
            throw new SettingException("--shape '" + shape + "': use nexmark or dense");
        }
    }

    private static Delivery delivery(Arguments given) {
        Producer producer = new Producer(
                given.text("acks", "all"),
                given.text("compression", "none"),
                given.smallNumber("linger-ms", 20, 0),
                given.smallNumber("batch-bytes", 1 << 18, 1));
        Report report = new Report(given.flag("digest"), given.flag("progress"));
        return new Delivery(
                given.text("bootstrap-servers", "localhost:9092"),
                given.text("topic-prefix", ""),
                given.smallNumber("partitions", 2, 1),
                given.number("rate", 0, 0),
                producer,
                report);
    }

    private static int[] proportions(String text) {
        String[] words = text.split(":");
        if (words.length != 3) {
            throw new SettingException("--proportions '" + text + "': write PERSONS:AUCTIONS:BIDS, like 1:3:46");
        }
        int[] numbers = new int[3];
        for (int at = 0; at < 3; at++) {
            numbers[at] = (int) Numbers.wholeNumber("--proportions", words[at]);
            if (numbers[at] < 1) {
                throw new SettingException("--proportions '" + text + "': each must be 1 or more");
            }
        }
        return numbers;
    }

    Shape newShape() {
        return shape.equals("dense") ? new DenseShape(this) : new NexmarkShape(this);
    }

    /** The schedule of one topic's filter attribute: its own if given, else the common one. */
    String attrPhases(String topic) {
        String own = attrPhasesOfTopic.get(TOPICS.indexOf(topic));
        return own.isEmpty() ? attrPhases : own;
    }

    long seed() {
        return seed;
    }

    long firstEvent() {
        return firstEvent;
    }

    /** Number of the event after the last one. */
    long endEvent() {
        return events == 0 ? Long.MAX_VALUE : firstEvent + events;
    }

    /** Events per second of event time. */
    long eventRate() {
        return eventRate;
    }

    /** Event time of event 0, epoch milliseconds. */
    long baseTsMs() {
        return baseTsMs;
    }

    int persons() {
        return proportions[0];
    }

    int auctions() {
        return proportions[1];
    }

    int bids() {
        return proportions[2];
    }

    int hotAuctions() {
        return hotAuctions;
    }

    int hotBidders() {
        return hotBidders;
    }

    int hotSellers() {
        return hotSellers;
    }

    int inFlightAuctions() {
        return inFlightAuctions;
    }

    int activePeople() {
        return activePeople;
    }

    /** After so many auctions their ids start again, so that a bid meets several auctions; 0: never. */
    int auctionIdCycle() {
        return auctionIdCycle;
    }

    int categories() {
        return categories;
    }

    int maxOutOfOrderMs() {
        return maxOutOfOrderMs;
    }

    double outOfOrderShare() {
        return outOfOrderShare;
    }

    double nullShare() {
        return nullShare;
    }

    double duplicateShare() {
        return duplicateShare;
    }

    double tieShare() {
        return tieShare;
    }

    String keyPhases() {
        return keyPhases;
    }

    Delivery delivery() {
        return delivery;
    }
}
