package org.funshare.nexmark;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Makes the events in order, at the asked pace, until the last one or until told to stop. */
final class Generator {
    private static final long PROGRESS_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long NAP_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** The clock is read once per so many events. */
    private static final int BURST = 64;

    private final Settings settings;
    private final PrintStream out;
    private final Shape shape;
    private final Chance chance;
    private final long[] records;
    private long firstTsMs = Long.MAX_VALUE;
    private long lastTsMs = Long.MIN_VALUE;
    private long startNs;
    private long nextProgressNs;
    private volatile boolean stopped;

    Generator(Settings settings, PrintStream out) {
        this.settings = settings;
        this.out = out;
        this.shape = settings.newShape();
        this.chance = new Chance(settings.seed());
        this.records = new long[shape.topics().size()];
    }

    /** May be called from another thread; {@link #run} then flushes, reports and returns. */
    void stop() {
        stopped = true;
    }

    void run() {
        long next;
        String extra;
        try (EventSink sink = newSink()) {
            startNs = System.nanoTime();
            nextProgressNs = startNs + PROGRESS_NS;
            next = sendAll(sink);
            extra = sink.report();
        }
        out.println(report(next, extra));
        out.flush();
    }

    private EventSink newSink() {
        Settings.Delivery delivery = settings.delivery();
        return delivery.report().digest()
                ? new DigestSink(shape.topics(), delivery.partitions())
                : new KafkaSink(delivery, shape.topics());
    }

    private long sendAll(EventSink sink) {
        long next = settings.firstEvent();
        long end = settings.endEvent();
        while (next < end && !stopped) {
            long burstEnd = Math.min(Math.min(end, next + BURST), due());
            for (; next < burstEnd; next++) {
                send(sink, next);
            }
            if (settings.delivery().ratePerSecond() > 0 && next >= due()) {
                LockSupport.parkNanos(NAP_NS);
            }
            progress(next);
        }
        return next;
    }

    /** The number of the event that is not to be sent yet, by the wall clock. */
    private long due() {
        long rate = settings.delivery().ratePerSecond();
        if (rate == 0) {
            return Long.MAX_VALUE;
        }
        return settings.firstEvent() + (long) ((System.nanoTime() - startNs) * 1e-9 * rate);
    }

    private void send(EventSink sink, long index) {
        Event event = shape.event(index);
        int copies = chance.happens(index, Purpose.DUPLICATE, settings.duplicateShare()) ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            sink.send(event);
        }
        records[event.topic()] += copies;
        firstTsMs = Math.min(firstTsMs, event.timestampMs());
        lastTsMs = Math.max(lastTsMs, event.timestampMs());
    }

    private void progress(long next) {
        if (!settings.delivery().report().progress() || System.nanoTime() < nextProgressNs) {
            return;
        }
        nextProgressNs += PROGRESS_NS;
        out.println(report(next, ",\"progress\":true"));
        out.flush();
    }

    private String report(long next, String extra) {
        StringBuilder line = new StringBuilder("{\"events\":").append(next - settings.firstEvent()).append(",\"records\":{");
        List<String> topics = shape.topics();
        for (int at = 0; at < records.length; at++) {
            line.append(at == 0 ? "\"" : ",\"");
            line.append(settings.delivery().topicPrefix()).append(topics.get(at)).append("\":").append(records[at]);
        }
        line.append("},\"first_ts\":").append(time(firstTsMs)).append(",\"last_ts\":").append(time(lastTsMs));
        line.append(",\"seconds\":").append((System.nanoTime() - startNs) / 1_000_000 / 1000.0);
        return line.append(extra).append('}').toString();
    }

    /** Epoch milliseconds, or null while there is no event. */
    private static String time(long epochMs) {
        return epochMs == Long.MAX_VALUE || epochMs == Long.MIN_VALUE ? "null" : Long.toString(epochMs);
    }
}
