package org.funshare.kernel;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.functions.UserDefinedFunction;

/**
 * {@code QS_ROUTE(query, word, mask)}: {@link QsHas} that also counts what it lets through.
 *
 * <p>Counter {@code funshare.query.<query>.routed}; {@code query} is a label of its own
 * (Prometheus: {@code query="<query>"}). Put the call last in a condition, so that only rows that
 * pass count.
 */
public final class QsRoute extends ScalarFunction implements SpecializedFunction {
  private static final long serialVersionUID = 1L;

  private final String query;
  private transient Counter routed;

  /** The function as it is registered, before a plan gives it a query. */
  public QsRoute() {
    this(null);
  }

  private QsRoute(String query) {
    this.query = query;
  }

  @Override
  public UserDefinedFunction specialize(SpecializedContext context) {
    return new QsRoute(
        context
            .getCallContext()
            .getArgumentValue(0, String.class)
            .orElseThrow(
                () ->
                    new ValidationException(
                        "the first argument of QS_ROUTE must be a STRING literal, the query's"
                            + " name")));
  }

  @Override
  public void open(FunctionContext context) {
    if (query == null) {
      throw new ValidationException(
          "QS_ROUTE has no query: it works only in a plan, with a literal as its first argument");
    }
    routed =
        context
            .getMetricGroup()
            .addGroup("funshare")
            .addGroup("query", query)
            .counter("routed", new SimpleCounter());
  }

  /** Works on one word of a query set; the name was read from the plan. */
  public boolean eval(
      @DataTypeHint(value = "STRING", bridgedTo = StringData.class) StringData name,
      long word,
      long mask) {
    boolean passes = (word & mask) != 0;
    if (passes) {
      routed.inc();
    }
    return passes;
  }
}
