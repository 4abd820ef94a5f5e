package org.funshare.nexmark;

/**
 * Which person, auction or bid an event is, and which earlier ones it may refer to, after the Nexmark
 * model: of {@code persons + auctions + bids} events in a row the first are persons, then auctions, then
 * bids; references go to one hot id of the latest hundred or to one of the recent ids.
 */
final class NexmarkIds {
    static final long FIRST_PERSON = 1000;
    static final long FIRST_AUCTION = 1000;
    private static final int HOT_BLOCK = 100;
    /** References may run a little ahead of creation, so a bid can come before its auction. */
    private static final int LEAD = 10;

    enum Kind {
        PERSON,
        AUCTION,
        BID
    }

    private final Settings settings;
    private final Chance chance;
    private final long perEpoch;

    NexmarkIds(Settings settings, Chance chance) {
        this.settings = settings;
        this.chance = chance;
        this.perEpoch = (long) settings.persons() + settings.auctions() + settings.bids();
    }

    Kind kind(long index) {
        long offset = index % perEpoch;
        if (offset < settings.persons()) {
            return Kind.PERSON;
        }
        return offset < settings.persons() + settings.auctions() ? Kind.AUCTION : Kind.BID;
    }

    /** The id of the newest person at this event, the event itself included. */
    long lastPerson(long index) {
        long offset = Math.min(index % perEpoch, settings.persons() - 1L);
        return index / perEpoch * settings.persons() + offset;
    }

    /** The number of the newest auction at this event, the event itself included; 0 before the first. */
    long lastAuction(long index) {
        long offset = Math.min(index % perEpoch - settings.persons(), settings.auctions() - 1L);
        return Math.max(0, index / perEpoch * settings.auctions() + Math.max(offset, -1));
    }

    long personId(long index) {
        return FIRST_PERSON + lastPerson(index);
    }

    long auctionId(long index) {
        return auctionId(lastAuction(index), settings.auctionIdCycle());
    }

    /** The auction that a bid bids for. */
    long biddenAuction(long index) {
        long last = lastAuction(index);
        long number = isHot(index, Purpose.HOT_KEY, settings.hotAuctions())
                ? last / HOT_BLOCK * HOT_BLOCK
                : recent(index, Purpose.KEY, last, settings.inFlightAuctions());
        return auctionId(number, settings.auctionIdCycle());
    }

    /** The first person of the latest hundred sells most. */
    long seller(long index) {
        long last = lastPerson(index);
        return FIRST_PERSON + (isHot(index, Purpose.HOT_PERSON, settings.hotSellers())
                ? last / HOT_BLOCK * HOT_BLOCK
                : recent(index, Purpose.PERSON, last, settings.activePeople()));
    }

    /** The second person of the latest hundred bids most. */
    long bidder(long index) {
        long last = lastPerson(index);
        return FIRST_PERSON + (isHot(index, Purpose.HOT_PERSON, settings.hotBidders())
                ? last / HOT_BLOCK * HOT_BLOCK + 1
                : recent(index, Purpose.PERSON, last, settings.activePeople()));
    }

    private static long auctionId(long number, int cycle) {
        return FIRST_AUCTION + (cycle > 0 ? number % cycle : number);
    }

    /** A ratio of n makes all but every n-th reference hot; 1 means no skew. */
    private boolean isHot(long index, Purpose purpose, int ratio) {
        return chance.below(index, purpose, ratio) > 0;
    }

    private long recent(long index, Purpose purpose, long last, int window) {
        long oldest = Math.max(last - window, 0);
        return oldest + chance.below(index, purpose, (int) (last - oldest) + 1 + LEAD);
    }
}
