package org.funshare.workload;

import java.util.concurrent.locks.LockSupport;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * {@code PRICE_ANOMALY(price, cost_ns, mode) -> DOUBLE}: how unusual a price is, from 0 (usual) to below 1,
 * at a cost per row that the query chooses.
 *
 * <p>The cost stands for a compute-heavy model. {@code 'burn'} keeps a core busy for {@code cost_ns}, so
 * capacity is what the machine has; {@code 'park'} sleeps instead, so that a task slot has the same limited
 * capacity although many slots share few cores. The result depends on the price alone, never on the cost.
 */
public class PriceAnomaly extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    /** Parking is coarse (tens of microseconds), so short costs are saved up to one longer sleep. */
    private static final long SHORTEST_PARK_NS = 1_000_000L;

    private transient long owedNs;

    /**
     * Scores one price.
     *
     * @param price any unit; NULL gives NULL, at no cost
     * @param costNs nanoseconds that the row costs; NULL or less than 1 costs nothing
     * @param mode 'burn' or 'park'
     * @throws IllegalArgumentException on another mode
     */
    public Double eval(Long price, Long costNs, String mode) {
        if (price == null) {
            return null;
        }
        if (costNs != null && costNs > 0) {
            spend(costNs, mode);
        }
        return score(price);
    }

    private void spend(long costNs, String mode) {
        if ("burn".equals(mode)) {
            burn(costNs);
        } else if ("park".equals(mode)) {
            park(costNs);
        } else {
            throw new IllegalArgumentException(
                    "PRICE_ANOMALY: unknown mode '" + mode + "'; use 'burn' or 'park' as the third argument");
        }
    }

    private static void burn(long costNs) {
        long end = System.nanoTime() + costNs;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private void park(long costNs) {
        owedNs += costNs;
        if (owedNs < SHORTEST_PARK_NS) {
            return;
        }
        long start = System.nanoTime();
        LockSupport.parkNanos(owedNs);
        // What was slept too long is credited to the rows that follow, so the mean cost is exact.
        owedNs -= System.nanoTime() - start;
    }

    /** A fixed hash of the price, scaled to [0, 1): stands for a model's verdict and is the same everywhere. */
    static double score(long price) {
        long mixed = (price ^ (price >>> 31)) * 0x9E3779B97F4A7C15L;
        mixed ^= mixed >>> 29;
        return (mixed >>> 11) * 0x1.0p-53;
    }
}
