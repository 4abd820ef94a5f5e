package org.funshare.kernel;

import java.util.List;
import java.util.Objects;

/**
 * What the members of a sharing group want from one input: per column the sets of values, and the
 * predicates that only Flink itself can evaluate.
 *
 * <p>A query is tagged if every set that names its bit accepts the row's value and every opaque
 * predicate that names it is TRUE; a query that nothing names is always tagged.
 *
 * @param queries number of bits, at least 1; bits are 0 to queries - 1
 * @param columns one per value argument, in the order of the arguments
 * @param opaque per BOOLEAN argument (they follow the values) the bits of the queries that need it
 */
public record TagSpec(int queries, List<Column> columns, List<List<Integer>> opaque) {

  /** Copies the lists and checks that every bit exists. */
  public TagSpec {
    if (queries < 1) {
      throw new IllegalArgumentException("queries must be at least 1, but is " + queries);
    }
    columns = List.copyOf(columns);
    opaque = opaque.stream().map(List::copyOf).toList();
    for (Column column : columns) {
      for (ValueSet set : column.sets()) {
        checkBits(set.bits(), queries);
      }
    }
    for (List<Integer> bits : opaque) {
      checkBits(bits, queries);
    }
  }

  /** Number of 64-bit words of a query set. */
  public int words() {
    return (queries + Long.SIZE - 1) / Long.SIZE;
  }

  private static void checkBits(List<Integer> bits, int queries) {
    for (int bit : bits) {
      if (bit < 0 || bit >= queries) {
        throw new IllegalArgumentException(
            "bit "
                + bit
                + " is not one of the "
                + queries
                + " queries' bits (0 to "
                + (queries - 1)
                + ")");
      }
    }
  }

  /** One value argument: its type and the sets that queries ask of it. */
  public record Column(ColumnType type, List<ValueSet> sets) {
    /** Copies the list. */
    public Column {
      Objects.requireNonNull(type, "type");
      sets = List.copyOf(sets);
    }
  }

  /**
   * Values that some queries accept in one column.
   *
   * @param bits the queries
   * @param ranges their union is accepted; none accepts no value
   * @param nulls whether SQL NULL is accepted
   */
  public record ValueSet(List<Integer> bits, List<Range> ranges, boolean nulls) {
    /** Copies the lists. */
    public ValueSet {
      bits = List.copyOf(bits);
      ranges = List.copyOf(ranges);
    }
  }

  /**
   * An interval of values; a null end is unbounded and its flag has no meaning. The ends are {@code
   * Long} (INT64, and BOOLEAN as 0 and 1), {@code StringData} or {@code DecimalData}. An interval
   * whose ends cross is empty.
   */
  public record Range(
      Comparable<?> low, boolean lowInclusive, Comparable<?> high, boolean highInclusive) {}
}
