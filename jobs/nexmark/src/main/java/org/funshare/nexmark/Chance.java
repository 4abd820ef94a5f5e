package org.funshare.nexmark;

/**
 * Random numbers as a pure function of (seed, event index, purpose): no state, so any event can be made
 * alone, in any order, by any thread, and is the same each time.
 *
 * <p>The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom
 * number generators", 2014).
 */
final class Chance {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final long seed;

    Chance(long seed) {
        this.seed = mix(seed + GOLDEN);
    }

    /** 64 random bits for one purpose of one event. */
    long bits(long index, Purpose purpose) {
        return mix(mix(seed + GOLDEN * index) + GOLDEN * (purpose.ordinal() + 1L));
    }

    /** A random whole number from 0 to {@code bound} - 1; {@code bound} at least 1. */
    int below(long index, Purpose purpose, int bound) {
        return scale(bits(index, purpose), bound);
    }

    /** True with this probability (0 to 1). */
    boolean happens(long index, Purpose purpose, double probability) {
        return probability > 0 && unit(bits(index, purpose)) < probability;
    }

    /** Maps 64 random bits to 0 .. bound - 1 without a division. */
    static int scale(long bits, int bound) {
        return (int) (((bits >>> 32) * bound) >>> 32);
    }

    /** Maps 64 random bits to [0, 1). */
    static double unit(long bits) {
        return (bits >>> 11) * 0x1.0p-53;
    }

    static long mix(long value) {
        long mixed = value;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
