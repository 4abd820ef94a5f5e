package org.funshare.kernel;

import java.util.Arrays;
import java.util.List;

/**
 * Evaluates the filters of all members of a sharing group on a row at once.
 *
 * <p>The sets of a column cut its values into disjoint cells; per cell the queries that accept it
 * are known beforehand as a bit mask. So a row costs one binary search and one AND per column,
 * however many queries there are. Immutable, and nothing is allocated per row: the caller owns the
 * query set, {@link #words()} words of 64 bits, bit q in word q / 64.
 */
public final class PredicateIndex {
  private final int queries;
  private final long[] all;
  private final ColumnIndex[] columns;
  private final long[][] withoutOpaque;

  /** Builds the index; the work is (sets x cells) per column. */
  public PredicateIndex(TagSpec spec) {
    this.queries = spec.queries();
    this.all = allBits(spec.queries(), spec.words());
    this.columns =
        spec.columns().stream().map(c -> ColumnIndex.of(c, all)).toArray(ColumnIndex[]::new);
    this.withoutOpaque =
        spec.opaque().stream().map(bits -> complement(bits, all)).toArray(long[][]::new);
  }

  /** Number of queries. */
  public int queries() {
    return queries;
  }

  /** Number of 64-bit words of a query set. */
  public int words() {
    return all.length;
  }

  /** Number of value columns. */
  public int columns() {
    return columns.length;
  }

  /** Number of opaque predicates. */
  public int opaque() {
    return withoutOpaque.length;
  }

  /**
   * Writes the queries that accept a row.
   *
   * @param row from {@code from} on: the columns' values in Flink's internal classes, null for
   *     NULL; then the opaque predicates as {@code Boolean}, null for UNKNOWN
   * @param from index of the first value
   * @param set receives the query set
   */
  public void tag(Object[] row, int from, long[] set) {
    start(set);
    for (int column = 0; column < columns.length; column++) {
      columns[column].intersect(row[from + column], set);
    }
    int firstOpaque = from + columns.length;
    for (int predicate = 0; predicate < withoutOpaque.length; predicate++) {
      if (!Boolean.TRUE.equals(row[firstOpaque + predicate])) {
        intersect(withoutOpaque[predicate], set);
      }
    }
  }

  /** Sets {@code set} to all queries: the first step of a row that is not an array of objects. */
  public void start(long[] set) {
    System.arraycopy(all, 0, set, 0, all.length);
  }

  /** Takes from {@code set} the queries that reject the value of an INT64 column. */
  public void intersectLong(int column, long value, long[] set) {
    ((LongColumnIndex) columns[column]).intersect(value, set);
  }

  private static void intersect(long[] mask, long[] set) {
    for (int word = 0; word < set.length; word++) {
      set[word] &= mask[word];
    }
  }

  private static long[] allBits(int queries, int words) {
    long[] all = new long[words];
    Arrays.fill(all, -1L);
    // The last word has 1 to 64 queries, so the shift is 63 to 0.
    all[words - 1] = -1L >>> (words * Long.SIZE - queries);
    return all;
  }

  private static long[] complement(List<Integer> bits, long[] all) {
    long[] mask = all.clone();
    for (int bit : bits) {
      mask[bit / Long.SIZE] &= ~(1L << bit);
    }
    return mask;
  }
}
