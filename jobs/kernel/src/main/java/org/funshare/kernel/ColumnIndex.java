package org.funshare.kernel;

import org.apache.flink.table.data.DecimalData;

/** All sets of one column: knows which queries accept a value. */
abstract class ColumnIndex {

  /** Builds the index of a column for query sets whose full one is {@code all}. */
  static ColumnIndex of(TagSpec.Column column, long[] all) {
    return switch (column.type()) {
      case INT64, BOOLEAN -> LongColumnIndex.of(column, all);
      case STRING -> StringColumnIndex.of(column, all);
      case DECIMAL -> ObjectColumnIndex.of(column, DecimalData.class, all);
    };
  }

  /** Takes from {@code set} the queries that reject {@code value}; null is SQL NULL. */
  abstract void intersect(Object value, long[] set);
}
