package org.funshare.kernel;

import java.util.List;
import java.util.TreeSet;

/**
 * A place between values: just before or just after {@code value}. With places instead of values,
 * an inclusive and an exclusive end are one thing, and k places cut a column into k + 1 disjoint
 * cells on whose values all sets agree.
 */
record Boundary<T extends Comparable<? super T>>(T value, boolean after)
    implements Comparable<Boundary<T>> {

  @Override
  public int compareTo(Boundary<T> other) {
    int byValue = value.compareTo(other.value);
    return byValue != 0 ? byValue : Boolean.compare(after, other.after);
  }

  /** Where the range begins, or null if it is unbounded below. */
  static <T extends Comparable<? super T>> Boundary<T> low(TagSpec.Range range, Class<T> type) {
    return range.low() == null
        ? null
        : new Boundary<>(type.cast(range.low()), !range.lowInclusive());
  }

  /** Where the range ends, or null if it is unbounded above. */
  static <T extends Comparable<? super T>> Boundary<T> high(TagSpec.Range range, Class<T> type) {
    return range.high() == null
        ? null
        : new Boundary<>(type.cast(range.high()), range.highInclusive());
  }

  /** All boundaries of a column's ranges, ascending, each once. */
  static <T extends Comparable<? super T>> List<Boundary<T>> of(
      TagSpec.Column column, Class<T> type) {
    TreeSet<Boundary<T>> sorted = new TreeSet<>();
    for (TagSpec.ValueSet set : column.sets()) {
      for (TagSpec.Range range : set.ranges()) {
        addIfBounded(sorted, low(range, type));
        addIfBounded(sorted, high(range, type));
      }
    }
    return List.copyOf(sorted);
  }

  private static <T extends Comparable<? super T>> void addIfBounded(
      TreeSet<Boundary<T>> sorted, Boundary<T> boundary) {
    if (boundary != null) {
      sorted.add(boundary);
    }
  }
}
