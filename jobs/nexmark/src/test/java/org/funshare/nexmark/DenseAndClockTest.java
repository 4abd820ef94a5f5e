package org.funshare.nexmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DenseAndClockTest {
    private static final long BASE_MS = 1_704_067_200_000L;

    @Test
    void denseStreamsAreHalfAndHalfOver500Keys() {
        List<Event> events = Events.of(100_000, "--shape", "dense");
        assertEquals(0.5, Events.topic(events, 0).size() / 100_000.0, 0.01);
        Map<Long, Long> perKey = events.stream().collect(Collectors.groupingBy(Event::key, Collectors.counting()));
        assertEquals(500, perKey.size());
        perKey.values().forEach(count -> assertEquals(200, count, 75));
        assertTrue(Events.json(events.get(0)).matches("\\{\"k\":\\d+,\"attr\":\\d{1,2},\"val\":\\d+,\"ts\":\"2024-01-01 00:00:00.000\"}"));
    }

    @Test
    void keyPhasesChangeKeysAndRatio() {
        List<Event> events =
                Events.of(20_000, "--shape", "dense", "--event-rate", "1000", "--key-phases", "0=500:0.5;10=10:0.25");
        List<Event> late = events.subList(10_000, 20_000);
        assertEquals(10, late.stream().map(Event::key).distinct().count());
        assertEquals(0.25, Events.topic(late, 0).size() / 10_000.0, 0.02);
    }

    @Test
    void eventTimeAdvancesWithTheEventRate() {
        List<Event> events = Events.of(10, "--event-rate", "3");
        assertEquals(BASE_MS + 333, events.get(1).timestampMs());
        assertEquals(BASE_MS + 3_000, events.get(9).timestampMs());
    }

    @Test
    void disorderIsBoundedAndKeepsTheRowsTimeAndTheRecordsTimeEqual() {
        List<Event> ordered = Events.of(20_000);
        List<Event> events = Events.of(20_000, "--max-out-of-order-ms", "250", "--out-of-order-share", "0.5");
        int late = 0;
        for (int at = 0; at < events.size(); at++) {
            long delay = ordered.get(at).timestampMs() - events.get(at).timestampMs();
            assertTrue(delay >= 0 && delay <= 250, "delay " + delay);
            late += delay > 0 ? 1 : 0;
        }
        assertEquals(0.5, late / 20_000.0, 0.02);
    }

    @Test
    void tiesLieAtWholeSeconds() {
        long ties = Events.of(20_000, "--tie-share", "0.3").stream()
                .filter(event -> event.timestampMs() % 1000 == 0)
                .count();
        assertEquals(0.3, ties / 20_000.0, 0.02);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--shape|wide|use nexmark or dense",
                "--events|-1|must be 0 or more",
                "--events|many|not a whole number",
                "--tie-share|1.5|a share is 0 to 1",
                "--proportions|1:3|PERSONS:AUCTIONS:BIDS",
                "--colour|red|unknown setting --colour",
            })
    void aBadSettingSaysWhatToWrite(String name, String value, String expected) {
        SettingException error = assertThrows(SettingException.class, () -> new Settings(name, value));
        assertTrue(error.getMessage().contains(expected), error.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "5=uniform|must start at second 0",
                "0=uniform;0=uniform|must rise",
                "0=gauss|use uniform",
                "uniform|SECOND=DISTRIBUTION",
                "0=uniform:5:200|values are 0 to 99",
                "0=zipf:1:sideways|rank or permuted",
            })
    void aBadScheduleSaysWhatToWrite(String text, String expected) {
        SettingException error = assertThrows(SettingException.class, () -> AttrSchedule.parse(text, 100, 1));
        assertTrue(error.getMessage().contains(expected), error.getMessage());
    }
}
