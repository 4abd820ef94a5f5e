package org.funshare.kernel;

import java.util.EnumSet;
import java.util.Set;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * The value types that a {@link PredicateIndex} can search, and the SQL types that each one takes.
 */
public enum ColumnType {
  /** TINYINT to BIGINT, and DATE as its days since 1970-01-01; searched as {@code long}. */
  INT64(
      EnumSet.of(
          LogicalTypeRoot.TINYINT,
          LogicalTypeRoot.SMALLINT,
          LogicalTypeRoot.INTEGER,
          LogicalTypeRoot.BIGINT,
          LogicalTypeRoot.DATE)),
  /** CHAR and VARCHAR in Flink's order: unsigned bytes of UTF-8. */
  STRING(EnumSet.of(LogicalTypeRoot.CHAR, LogicalTypeRoot.VARCHAR)),
  /** DECIMAL by value: 1.0 equals 1.00. */
  DECIMAL(EnumSet.of(LogicalTypeRoot.DECIMAL)),
  /** BOOLEAN, FALSE before TRUE; searched as {@code long} 0 and 1. */
  BOOLEAN(EnumSet.of(LogicalTypeRoot.BOOLEAN));

  private final Set<LogicalTypeRoot> roots;

  ColumnType(Set<LogicalTypeRoot> roots) {
    this.roots = roots;
  }

  /** Whether a SQL value of this type root may stand in such a column. */
  public boolean takes(LogicalTypeRoot root) {
    return roots.contains(root);
  }
}
