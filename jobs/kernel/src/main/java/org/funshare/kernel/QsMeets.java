package org.funshare.kernel;

import org.apache.flink.table.functions.ScalarFunction;

/** {@code QS_MEETS(left, right)}: whether two words of query sets have a query in common. */
public final class QsMeets extends ScalarFunction {
  private static final long serialVersionUID = 1L;

  /** Works on one word of each query set. */
  public boolean eval(long left, long right) {
    return (left & right) != 0;
  }
}
