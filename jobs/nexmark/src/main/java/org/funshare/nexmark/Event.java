package org.funshare.nexmark;

/** One record to send. {@code topic} is the index in {@link Shape#topics()}, {@code key} the join key. */
record Event(int topic, long key, long timestampMs, byte[] value) {

    /** The record's partition: the same key gives the same partition in every topic. */
    int partition(int partitions) {
        return (int) Math.floorMod(Chance.mix(key), (long) partitions);
    }
}
