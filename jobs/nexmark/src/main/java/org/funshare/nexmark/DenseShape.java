package org.funshare.nexmark;

import java.util.List;

/**
 * Two streams with few join keys, so that a tuple meets hundreds of others: stream_a and stream_b with
 * (k INT, attr INT 0..99, val BIGINT, ts).
 */
final class DenseShape implements Shape {
    static final int ATTR_DOMAIN = 100;
    private static final int VALUE_BOUND = 1_000_000;

    private final Settings settings;
    private final Chance chance;
    private final EventClock clock;
    private final KeyPhases keys;
    private final List<AttrSchedule> attrs;
    private final JsonRow row = new JsonRow();

    DenseShape(Settings settings) {
        this.settings = settings;
        this.chance = new Chance(settings.seed());
        this.clock = new EventClock(settings, chance);
        this.keys = KeyPhases.parse(settings.keyPhases());
        this.attrs = topics().stream()
                .map(topic -> AttrSchedule.parse(settings.attrPhases(topic), ATTR_DOMAIN, settings.seed()))
                .toList();
    }

    @Override
    public List<String> topics() {
        return List.of("stream_a", "stream_b");
    }

    @Override
    public Event event(long index) {
        long second = clock.second(index);
        int topic = Chance.unit(chance.bits(index, Purpose.SIDE)) < keys.shareOfA(second) ? 0 : 1;
        int key = chance.below(index, Purpose.KEY, keys.keys(second));
        long time = clock.recordMs(index);
        row.start().number("k", key);
        Fields.nullable(row, "attr", attrs.get(topic).pick(second, chance.bits(index, Purpose.ATTR)),
                chance.happens(index, Purpose.ATTR_NULL, settings.nullShare()));
        Fields.nullable(row, "val", chance.below(index, Purpose.PRICE, VALUE_BOUND),
                chance.happens(index, Purpose.PRICE_NULL, settings.nullShare()));
        row.timestamp("ts", time);
        return new Event(topic, key, time, row.finish());
    }
}
