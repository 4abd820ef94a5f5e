package org.funshare.nexmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NexmarkShapeTest {
    private static final int PERSON = 0;
    private static final int AUCTION = 1;
    private static final int BID = 2;

    private final List<Event> events = Events.of(50_000);

    @Test
    void ratiosAreOneThreeFortySix() {
        assertEquals(1_000, Events.topic(events, PERSON).size());
        assertEquals(3_000, Events.topic(events, AUCTION).size());
        assertEquals(46_000, Events.topic(events, BID).size());
    }

    @Test
    void rowsAreFlatJsonWithSqlTimestamps() {
        assertTrue(Events.json(events.get(0)).matches("\\{\"id\":1000,\"name\":\"\\w+ 1000\",\"email\":\"[^\"]+\","
                + "\"city\":\"[^\"]+\",\"state\":\"[A-Z]{2}\",\"attr\":\\d+,\"ts\":\"2024-01-01 00:00:00.000\"}"));
        assertTrue(Events.json(events.get(1)).matches("\\{\"id\":1000,\"item\":\"item-\\d+\",\"initial_bid\":\\d+,"
                + "\"reserve\":\\d+,\"category\":1[0-4],\"seller\":\\d+,\"attr\":\\d+,\"ts\":\"[0-9: .-]{23}\","
                + "\"expires\":\"[0-9: .-]{23}\"}"));
        assertTrue(Events.json(events.get(49_999)).matches("\\{\"auction\":\\d+,\"bidder\":\\d+,\"price\":\\d+,"
                + "\"channel\":\"\\w+\",\"url\":\"[^\"]+\",\"attr\":\\d+,\"ts\":\"2024-01-01 00:00:04.999\"}"));
    }

    @Test
    void auctionIdsCountUpWithoutGaps() {
        long expected = NexmarkIds.FIRST_AUCTION;
        for (Event auction : Events.topic(events, AUCTION)) {
            assertEquals(expected++, Events.number(auction, "id"));
        }
    }

    @Test
    void halfOfTheBidsGoToTheHotAuctionOfTheLatestHundred() {
        long hot = Events.topic(events, BID).stream()
                .filter(bid -> (bid.key() - NexmarkIds.FIRST_AUCTION) % 100 == 0)
                .count();
        // Half by the hot ratio, and of the other half about 1 in 100 by chance.
        assertEquals(0.505, hot / 46_000.0, 0.02);
    }

    @Test
    void threeQuartersOfBidsAndAuctionsHaveAHotPerson() {
        long bidders = Events.topic(events, BID).stream().filter(bid -> Events.number(bid, "bidder") % 100 == 1).count();
        long sellers = Events.topic(events, AUCTION).stream().filter(one -> Events.number(one, "seller") % 100 == 0).count();
        assertEquals(0.7525, bidders / 46_000.0, 0.02);
        assertEquals(0.7525, sellers / 3_000.0, 0.04);
    }

    @Test
    void mostBidsMeetAnAuctionThatIsOpen() {
        Map<Long, Long> created = new HashMap<>();
        Events.topic(events, AUCTION).forEach(one -> created.put(one.key(), one.timestampMs()));
        long meets = Events.topic(events, BID).stream()
                .filter(bid -> created.getOrDefault(bid.key(), Long.MAX_VALUE) <= bid.timestampMs())
                .count();
        assertTrue(meets > 0.9 * 46_000, "only " + meets + " bids have an earlier auction");
    }

    @Test
    void anIdCycleLetsABidMeetManyAuctions() {
        List<Event> cycled = Events.of(50_000, "--auction-id-cycle", "30");
        long auctionsOfOneId = Events.topic(cycled, AUCTION).stream().filter(one -> one.key() == 1_007).count();
        assertEquals(100, auctionsOfOneId);
        assertTrue(Events.topic(cycled, BID).stream().allMatch(bid -> bid.key() >= 1_000 && bid.key() < 1_030));
    }

    @Test
    void theKeyIsTheJoinKeyAndKeepsItsPartitionInEveryTopic() {
        Map<Long, Integer> partitions = new HashMap<>();
        int[] counts = new int[4];
        for (Event event : events) {
            String field = event.topic() == BID ? "auction" : "id";
            assertEquals(Events.number(event, field), event.key());
            int partition = event.partition(4);
            assertEquals(partition, partitions.computeIfAbsent(event.key(), key -> partition));
        }
        partitions.values().forEach(partition -> counts[partition]++);
        for (int count : counts) {
            assertEquals(0.25, count / (double) partitions.size(), 0.03);
        }
    }

    @Test
    void proportionsCategoriesAndNullsAreSettings() {
        List<Event> other = Events.of(10_000, "--proportions", "10:10:80", "--categories", "50", "--null-share", "0.2");
        assertEquals(1_000, Events.topic(other, AUCTION).size());
        assertEquals(50, Events.topic(other, AUCTION).stream().map(one -> Events.number(one, "category")).distinct().count());
        long nullPrices = Events.topic(other, BID).stream().filter(bid -> Events.number(bid, "price") < 0).count();
        long nullAttrs = other.stream().filter(event -> Events.number(event, "attr") < 0).count();
        assertEquals(0.2, nullPrices / 8_000.0, 0.02);
        assertEquals(0.2, nullAttrs / 10_000.0, 0.02);
    }
}
