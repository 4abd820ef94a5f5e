package org.funshare.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PriceAnomalyTest {
    private static final long MILLISECOND = 1_000_000L;

    @Test
    void scoreDependsOnThePriceAlone() {
        double expected = PriceAnomaly.score(4_200L);
        assertEquals(expected, new PriceAnomaly().eval(4_200L, 0L, "burn"));
        assertEquals(expected, new PriceAnomaly().eval(4_200L, 5_000L, "park"));
    }

    @Test
    void scoresLieBetweenZeroAndOneAndSpread() {
        int high = 0;
        for (long price = 0; price < 10_000; price++) {
            double score = PriceAnomaly.score(price);
            assertTrue(score >= 0 && score < 1, "score " + score);
            high += score >= 0.9 ? 1 : 0;
        }
        assertTrue(high > 800 && high < 1_200, "a tenth should be high, found " + high);
    }

    @Test
    void nullPriceGivesNullAndNullCostIsFree() {
        assertNull(new PriceAnomaly().eval(null, 1L, "burn"));
        assertEquals(PriceAnomaly.score(1L), new PriceAnomaly().eval(1L, null, "burn"));
    }

    @Test
    void unknownModeSaysWhatToUse() {
        var error = assertThrows(
                IllegalArgumentException.class, () -> new PriceAnomaly().eval(1L, 1L, "sleep"));
        assertTrue(error.getMessage().contains("'burn' or 'park'"), error.getMessage());
    }

    @Test
    void bothModesTakeAtLeastTheirCost() {
        for (String mode : new String[] {"burn", "park"}) {
            PriceAnomaly anomaly = new PriceAnomaly();
            long start = System.nanoTime();
            for (int row = 0; row < 100; row++) {
                anomaly.eval((long) row, MILLISECOND / 4, mode);
            }
            long tookNs = System.nanoTime() - start;
            assertTrue(tookNs >= 24 * MILLISECOND, mode + " took " + tookNs + " ns");
        }
    }
}
