package org.funshare.kernel;

import java.util.List;

/**
 * A column of values that know their order: a binary search by {@code compareTo}.
 *
 * @param <T> the class of Flink's internal values
 */
final class ObjectColumnIndex<T extends Comparable<? super T>> extends ColumnIndex {
  private final CellWords cells;
  private final Class<T> type;
  private final List<Boundary<T>> boundaries;

  private ObjectColumnIndex(CellWords cells, List<Boundary<T>> boundaries, Class<T> type) {
    this.cells = cells;
    this.boundaries = boundaries;
    this.type = type;
  }

  static <T extends Comparable<? super T>> ObjectColumnIndex<T> of(
      TagSpec.Column column, Class<T> type, long[] all) {
    List<Boundary<T>> boundaries = Boundary.of(column, type);
    return new ObjectColumnIndex<>(CellWords.of(column, boundaries, type, all), boundaries, type);
  }

  @Override
  void intersect(Object value, long[] set) {
    cells.intersect(value == null ? cells.nullCell() : cellOf(type.cast(value)), set);
  }

  private int cellOf(T value) {
    int low = 0;
    int high = boundaries.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isBelow(boundaries.get(middle), value)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static <T extends Comparable<? super T>> boolean isBelow(Boundary<T> boundary, T value) {
    int order = boundary.value().compareTo(value);
    return order < 0 || (order == 0 && !boundary.after());
  }
}
