package org.funshare.nexmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DistributionTest {
    private static final int DRAWS = 200_000;
    private final Chance chance = new Chance(7);

    @Test
    void uniformPassesChiSquare() {
        int[] counts = draw(new UniformInts(0, 99), 100);
        // 99 degrees of freedom: 148.2 is passed by chance once in a thousand.
        assertTrue(chiSquare(counts, DRAWS / 100.0) < 148.2, "chi-square " + chiSquare(counts, DRAWS / 100.0));
    }

    @Test
    void uniformKeepsToItsRange() {
        int[] counts = draw(new UniformInts(20, 29), 100);
        assertEquals(DRAWS, Arrays.stream(counts, 20, 30).sum());
    }

    @Test
    void zipfByRankFollowsThePowerLaw() {
        int[] counts = draw(ZipfInts.byRank(10_000, 1.0, 0), 10_000);
        double harmonic = 0;
        for (int rank = 1; rank <= 10_000; rank++) {
            harmonic += 1.0 / rank;
        }
        for (int rank : new int[] {1, 2, 5, 10, 50}) {
            double expected = DRAWS / harmonic / rank;
            assertEquals(expected, counts[rank - 1], 5 * Math.sqrt(expected), "rank " + rank);
        }
    }

    @Test
    void aPermutedZipfHasTheSameCountsAtOtherValues() {
        int[] plain = draw(ZipfInts.byRank(1_000, 1.3, 0), 1_000);
        int[] permuted = draw(ZipfInts.permuted(1_000, 1.3, 5, 0), 1_000);
        assertTrue(!Arrays.equals(plain, permuted), "the permutation moved nothing");
        Arrays.sort(plain);
        Arrays.sort(permuted);
        assertTrue(Arrays.equals(plain, permuted), "the permutation changed the counts");
    }

    @Test
    void aShiftMovesTheHotEnd() {
        int[] counts = draw(ZipfInts.byRank(1_000, 1.3, 400), 1_000);
        int hottest = 0;
        for (int value = 0; value < counts.length; value++) {
            hottest = counts[value] > counts[hottest] ? value : hottest;
        }
        assertEquals(400, hottest);
    }

    @Test
    void exponentZeroIsUniform() {
        int[] counts = draw(ZipfInts.byRank(100, 0, 0), 100);
        assertTrue(chiSquare(counts, DRAWS / 100.0) < 148.2);
    }

    @Test
    void phasesFollowEventTime() {
        AttrSchedule schedule = AttrSchedule.parse("0=uniform:0:9;30=uniform:10:19;60=uniform:20:29", 100, 1);
        for (long second : new long[] {0, 29, 30, 59, 60, 1_000_000}) {
            int tens = schedule.pick(second, chance.bits(second, Purpose.ATTR)) / 10;
            assertEquals(second < 30 ? 0 : second < 60 ? 1 : 2, tens, "second " + second);
        }
    }

    private int[] draw(IntDistribution distribution, int domain) {
        int[] counts = new int[domain];
        for (int index = 0; index < DRAWS; index++) {
            counts[distribution.pick(chance.bits(index, Purpose.ATTR))]++;
        }
        return counts;
    }

    private static double chiSquare(int[] counts, double expected) {
        return Arrays.stream(counts).mapToDouble(count -> (count - expected) * (count - expected) / expected).sum();
    }
}
