package org.funshare.nexmark;

import java.util.List;

/** The auction house: topics person, auction and bid, flat columns, one filter attribute each. */
final class NexmarkShape implements Shape {
    static final int ATTR_DOMAIN = 10_000;
    static final int FIRST_CATEGORY = 10;
    private static final int PRICES = 1 << 16;
    private static final String[] STATES = {"AZ", "CA", "ID", "OR", "WA", "WY"};
    private static final String[] CITIES = {
        "Phoenix", "Los Angeles", "Boise", "Portland", "Seattle", "Cheyenne", "Bend", "Redmond", "Kent", "San Francisco"
    };
    private static final String[] FIRST_NAMES = {"Ada", "Alan", "Barbara", "Edgar", "Grace", "Jim", "Leslie", "Pat"};
    private static final String[] CHANNELS = {"Apple", "Google", "Facebook", "Baidu"};

    private final Settings settings;
    private final Chance chance;
    private final EventClock clock;
    private final NexmarkIds ids;
    private final List<AttrSchedule> attrs;
    private final long[] prices = new long[PRICES];
    private final JsonRow row = new JsonRow();

    NexmarkShape(Settings settings) {
        this.settings = settings;
        this.chance = new Chance(settings.seed());
        this.clock = new EventClock(settings, chance);
        this.ids = new NexmarkIds(settings, chance);
        this.attrs = topics().stream()
                .map(topic -> AttrSchedule.parse(settings.attrPhases(topic), ATTR_DOMAIN, settings.seed()))
                .toList();
        for (int at = 0; at < PRICES; at++) {
            // 1.00 to 1,000,000.00 in cents, evenly spread over the orders of magnitude as in Nexmark.
            prices[at] = Math.round(StrictMath.pow(10, 6.0 * at / PRICES) * 100);
        }
    }

    @Override
    public List<String> topics() {
        return List.of("person", "auction", "bid");
    }

    @Override
    public Event event(long index) {
        return switch (ids.kind(index)) {
            case PERSON -> person(index);
            case AUCTION -> auction(index);
            case BID -> bid(index);
        };
    }

    private Event person(long index) {
        long id = ids.personId(index);
        long time = clock.recordMs(index);
        long text = chance.bits(index, Purpose.TEXT);
        String name = FIRST_NAMES[Chance.scale(text, FIRST_NAMES.length)];
        row.start().number("id", id).text("name", name + " ", id).text("email", name + "@mail.example/", id);
        row.text("city", CITIES[Chance.scale(text << 16, CITIES.length)]);
        row.text("state", STATES[Chance.scale(text << 32, STATES.length)]);
        attr(0, index);
        row.timestamp("ts", time);
        return new Event(0, id, time, row.finish());
    }

    private Event auction(long index) {
        long id = ids.auctionId(index);
        long time = clock.recordMs(index);
        long initialBid = price(index, Purpose.PRICE);
        row.start().number("id", id).text("item", "item-", chance.below(index, Purpose.TEXT, 1_000_000));
        row.number("initial_bid", initialBid).number("reserve", initialBid + price(index, Purpose.RESERVE));
        row.number("category", FIRST_CATEGORY + chance.below(index, Purpose.CATEGORY, settings.categories()));
        row.number("seller", ids.seller(index));
        attr(1, index);
        row.timestamp("ts", time).timestamp("expires", time + openMs(index));
        return new Event(1, id, time, row.finish());
    }

    private Event bid(long index) {
        long auction = ids.biddenAuction(index);
        long time = clock.recordMs(index);
        long text = chance.bits(index, Purpose.TEXT);
        row.start().number("auction", auction).number("bidder", ids.bidder(index));
        Fields.nullable(row, "price", price(index, Purpose.PRICE),
                chance.happens(index, Purpose.PRICE_NULL, settings.nullShare()));
        row.text("channel", CHANNELS[Chance.scale(text, CHANNELS.length)]);
        row.text("url", "https://house.example/item/", auction);
        attr(2, index);
        row.timestamp("ts", time);
        return new Event(2, auction, time, row.finish());
    }

    private void attr(int topic, long index) {
        int value = attrs.get(topic).pick(clock.second(index), chance.bits(index, Purpose.ATTR));
        Fields.nullable(row, "attr", value, chance.happens(index, Purpose.ATTR_NULL, settings.nullShare()));
    }

    private long price(long index, Purpose purpose) {
        return prices[chance.below(index, purpose, PRICES)];
    }

    /** An auction stays open about as long as it stays among those that bids pick, 1 ms at least. */
    private long openMs(long index) {
        double perAuction = (settings.persons() + settings.auctions() + settings.bids()) / (double) settings.auctions();
        long horizonMs = (long) (settings.inFlightAuctions() * perAuction * 1000 / settings.eventRate());
        return 1 + chance.below(index, Purpose.EXPIRES, (int) Math.min(Math.max(2 * horizonMs, 1), Integer.MAX_VALUE));
    }
}
