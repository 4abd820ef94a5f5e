package org.funshare.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A column of whole numbers: a binary search over {@code long}s. */
final class LongColumnIndex extends ColumnIndex {
  private final CellWords cells;

  /** Ascending; a value lies in the cell whose number is how many cuts are at or below it. */
  private final long[] cuts;

  private LongColumnIndex(CellWords cells, long[] cuts) {
    this.cells = cells;
    this.cuts = cuts;
  }

  static LongColumnIndex of(TagSpec.Column column, long[] all) {
    TagSpec.Column whole = halfOpen(column);
    List<Boundary<Long>> boundaries = Boundary.of(whole, Long.class);
    long[] cuts = boundaries.stream().mapToLong(Boundary::value).toArray();
    return new LongColumnIndex(CellWords.of(whole, boundaries, Long.class, all), cuts);
  }

  /** The same sets with every range as [low, high): then each boundary is before its value. */
  private static TagSpec.Column halfOpen(TagSpec.Column column) {
    List<TagSpec.ValueSet> sets = new ArrayList<>(column.sets().size());
    for (TagSpec.ValueSet set : column.sets()) {
      List<TagSpec.Range> ranges =
          set.ranges().stream().map(LongColumnIndex::halfOpen).filter(Objects::nonNull).toList();
      sets.add(new TagSpec.ValueSet(set.bits(), ranges, set.nulls()));
    }
    return new TagSpec.Column(column.type(), sets);
  }

  /** The range as [low, high), or null if it begins above the largest number. */
  private static TagSpec.Range halfOpen(TagSpec.Range range) {
    Long low = (Long) range.low();
    Long high = (Long) range.high();
    if (low != null && !range.lowInclusive()) {
      if (low == Long.MAX_VALUE) {
        return null;
      }
      low = low + 1;
    }
    if (high != null && range.highInclusive()) {
      high = high == Long.MAX_VALUE ? null : high + 1;
    }
    return new TagSpec.Range(low, true, high, false);
  }

  @Override
  void intersect(Object value, long[] set) {
    if (value == null) {
      cells.intersect(cells.nullCell(), set);
    } else if (value instanceof Boolean flag) {
      intersect(flag ? 1L : 0L, set);
    } else {
      intersect(((Number) value).longValue(), set);
    }
  }

  void intersect(long value, long[] set) {
    cells.intersect(cellOf(value), set);
  }

  private int cellOf(long value) {
    int low = 0;
    int high = cuts.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (cuts[middle] <= value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
