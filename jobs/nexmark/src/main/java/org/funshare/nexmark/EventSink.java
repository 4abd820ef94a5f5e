package org.funshare.nexmark;

/** Takes the events in order. */
interface EventSink extends AutoCloseable {
    void send(Event event);

    /** What to add to the final report, as JSON members with a leading comma, or an empty text. */
    String report();

    /** Waits until everything sent is stored; fails if anything was not. */
    @Override
    void close();
}
