package org.funshare.kernel;

import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/**
 * Per cell of one column the query set that the cell leaves: bit q is 0 if some set that names q
 * rejects the cell's values. Cells 0 to k lie between the k boundaries; cell k + 1 is SQL NULL.
 */
final class CellWords {
  private final int width;
  private final int nullCell;
  private final long[] words;

  private CellWords(int width, int boundaries) {
    this.width = width;
    this.nullCell = boundaries + 1;
    this.words = new long[(boundaries + 2) * width];
  }

  /** Evaluates all sets of a column on all its cells. */
  static <T extends Comparable<? super T>> CellWords of(
      TagSpec.Column column, List<Boundary<T>> boundaries, Class<T> type, long[] all) {
    CellWords cells = new CellWords(all.length, boundaries.size());
    for (int cell = 0; cell <= cells.nullCell; cell++) {
      System.arraycopy(all, 0, cells.words, cell * all.length, all.length);
    }
    for (TagSpec.ValueSet set : column.sets()) {
      BitSet accepted = new BitSet(cells.nullCell + 1);
      for (TagSpec.Range range : set.ranges()) {
        accept(accepted, range, boundaries, type);
      }
      accepted.set(cells.nullCell, set.nulls());
      cells.clearRejected(set.bits(), accepted);
    }
    return cells;
  }

  private static <T extends Comparable<? super T>> void accept(
      BitSet accepted, TagSpec.Range range, List<Boundary<T>> boundaries, Class<T> type) {
    Boundary<T> low = Boundary.low(range, type);
    Boundary<T> high = Boundary.high(range, type);
    int first = low == null ? 0 : Collections.binarySearch(boundaries, low) + 1;
    int last = high == null ? boundaries.size() : Collections.binarySearch(boundaries, high);
    if (first <= last) {
      accepted.set(first, last + 1);
    }
  }

  private void clearRejected(List<Integer> bits, BitSet accepted) {
    for (int cell = accepted.nextClearBit(0);
        cell <= nullCell;
        cell = accepted.nextClearBit(cell + 1)) {
      for (int bit : bits) {
        words[cell * width + bit / Long.SIZE] &= ~(1L << bit);
      }
    }
  }

  int nullCell() {
    return nullCell;
  }

  /** Takes from {@code set} the queries that reject the cell. */
  void intersect(int cell, long[] set) {
    int from = cell * width;
    for (int word = 0; word < width; word++) {
      set[word] &= words[from + word];
    }
  }
}
