package org.funshare.nexmark;

/**
 * Zipf over 0 .. domain - 1: the value of rank r (from 1) has a chance in proportion to 1 / r^exponent.
 *
 * <p>Drawn by the alias method (Walker 1977, in Vose's form): one table look-up a draw, whatever the domain.
 * StrictMath keeps the tables the same on every machine.
 */
final class ZipfInts implements IntDistribution {
    private final double[] keep;
    private final int[] alias;
    private final int[] valueOfRank;

    private ZipfInts(double[] weights, int[] valueOfRank) {
        this.keep = new double[weights.length];
        this.alias = new int[weights.length];
        this.valueOfRank = valueOfRank;
        fillTables(weights);
    }

    /** Rank r is the value (r - 1 + shift) modulo the domain, so a shift moves the hot end. */
    static ZipfInts byRank(int domain, double exponent, int shift) {
        int[] values = new int[domain];
        for (int rank = 0; rank < domain; rank++) {
            values[rank] = Math.floorMod(rank + shift, domain);
        }
        return new ZipfInts(weights(domain, exponent), values);
    }

    /** Ranks are spread over the values by a permutation that the seed and the shift decide. */
    static ZipfInts permuted(int domain, double exponent, long seed, int shift) {
        int[] values = new int[domain];
        for (int rank = 0; rank < domain; rank++) {
            int other = Chance.scale(Chance.mix(Chance.mix(seed + shift) + rank), rank + 1);
            values[rank] = values[other];
            values[other] = rank;
        }
        return new ZipfInts(weights(domain, exponent), values);
    }

    @Override
    public int pick(long bits) {
        int column = Chance.scale(bits, keep.length);
        double rest = (bits & 0xFFFF_FFFFL) * 0x1.0p-32;
        return valueOfRank[rest < keep[column] ? column : alias[column]];
    }

    private static double[] weights(int domain, double exponent) {
        double[] weights = new double[domain];
        double sum = 0;
        for (int rank = 0; rank < domain; rank++) {
            weights[rank] = StrictMath.pow(rank + 1.0, -exponent);
            sum += weights[rank];
        }
        for (int rank = 0; rank < domain; rank++) {
            weights[rank] *= domain / sum;
        }
        return weights;
    }

    /** Each column of height 1 holds its own rank up to {@code keep} and one other rank above it. */
    private void fillTables(double[] weights) {
        double[] left = weights.clone();
        int[] small = new int[left.length];
        int[] large = new int[left.length];
        int smallCount = 0;
        int largeCount = 0;
        for (int rank = 0; rank < left.length; rank++) {
            if (left[rank] < 1) {
                small[smallCount++] = rank;
            } else {
                large[largeCount++] = rank;
            }
        }
        while (smallCount > 0 && largeCount > 0) {
            int poor = small[--smallCount];
            int rich = large[--largeCount];
            keep[poor] = left[poor];
            alias[poor] = rich;
            left[rich] -= 1 - left[poor];
            if (left[rich] < 1) {
                small[smallCount++] = rich;
            } else {
                large[largeCount++] = rich;
            }
        }
        while (largeCount > 0) {
            keep[large[--largeCount]] = 1;
        }
        while (smallCount > 0) {
            keep[small[--smallCount]] = 1;
        }
    }
}
