package org.funshare.kernel;

import org.apache.flink.table.functions.ScalarFunction;

/** {@code QS_ANY(word)}: whether any query is in this word of a query set. */
public final class QsAny extends ScalarFunction {
  private static final long serialVersionUID = 1L;

  /** Works on one word of each query set. */
  public boolean eval(long word) {
    return word != 0;
  }
}
