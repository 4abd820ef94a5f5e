package org.funshare.kernel;

import org.apache.flink.table.functions.ScalarFunction;

/**
 * {@code QS_AND(left, right)}: the queries that are in both words, of a joined pair for example.
 */
public final class QsAnd extends ScalarFunction {
  private static final long serialVersionUID = 1L;

  /** Works on one word of each query set. */
  public long eval(long left, long right) {
    return left & right;
  }
}
