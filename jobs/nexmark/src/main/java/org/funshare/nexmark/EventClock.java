package org.funshare.nexmark;

/**
 * Event time of an event: base + index / rate, optionally late by a bounded random delay or rounded down to
 * the second. All times in epoch milliseconds.
 */
final class EventClock {
    private final Settings settings;
    private final Chance chance;

    EventClock(Settings settings, Chance chance) {
        this.settings = settings;
        this.chance = chance;
    }

    /** The time without disorder: never falls from one event to the next. */
    long orderedMs(long index) {
        return settings.baseTsMs() + elapsedMs(index);
    }

    /** Whole seconds of event time since event 0, for phases. */
    long second(long index) {
        return elapsedMs(index) / 1000;
    }

    /** The time that the record carries: at most {@code max_out_of_order_ms} (+ 999 for a tie) earlier. */
    long recordMs(long index) {
        long time = orderedMs(index);
        if (settings.maxOutOfOrderMs() > 0 && chance.happens(index, Purpose.LATE, settings.outOfOrderShare())) {
            time -= chance.below(index, Purpose.LATENESS, settings.maxOutOfOrderMs() + 1);
        }
        if (chance.happens(index, Purpose.TIE, settings.tieShare())) {
            time -= Math.floorMod(time, 1000L);
        }
        return time;
    }

    private long elapsedMs(long index) {
        // Split so that index * 1000 cannot overflow and the result stays exact.
        long rate = settings.eventRate();
        return index / rate * 1000 + index % rate * 1000 / rate;
    }
}
