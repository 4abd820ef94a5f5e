package org.funshare.kernel;

import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.binary.BinaryRowData;

/** Rows of BIGINT NOT NULL words in Flink's binary format, which its serialisers copy as bytes. */
final class WordsRow {
  private WordsRow() {}

  /** A row of {@code words} zeros that {@link BinaryRowData#setLong} writes to. */
  static BinaryRowData zeros(int words) {
    BinaryRowData row = new BinaryRowData(words);
    int bytes = row.getFixedLengthPartSize();
    row.pointTo(MemorySegmentFactory.wrap(new byte[bytes]), 0, bytes);
    return row;
  }
}
