package org.funshare.kernel;

import org.apache.flink.table.functions.ScalarFunction;

/** {@code QS_HAS(word, mask)}: whether any query of the mask is in this word of a query set. */
public final class QsHas extends ScalarFunction {
  private static final long serialVersionUID = 1L;

  /** Works on one word of each query set. */
  public boolean eval(long word, long mask) {
    return (word & mask) != 0;
  }
}
