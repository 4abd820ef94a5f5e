package org.funshare.kernel;

import java.util.List;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.TypeInference;

/**
 * {@code QS_TAG(spec, value..., predicate...)}: the query set of a row, as ROW&lt;w0 BIGINT NOT
 * NULL, ...&gt; NOT NULL.
 *
 * <p>{@code spec} is a literal, read when the plan is translated ({@link #specialize}), not per
 * row. The values follow in the order of its columns, then its opaque predicates as BOOLEAN.
 *
 * <p>The result is one row that the next call overwrites, so a calc may hold one QS_TAG only, and
 * the calc after it reads the words: Flink evaluates the call again for every mention of it.
 *
 * <p>Counters {@code funshare.tag.rows} and {@code funshare.tag.dropped} (rows without any query).
 */
public final class QsTag extends ScalarFunction implements SpecializedFunction {
  private static final long serialVersionUID = 1L;

  private final String spec;
  private transient PredicateIndex index;
  private transient long[] set;
  private transient BinaryRowData result;
  private transient Counter rows;
  private transient Counter dropped;

  /** The function as it is registered, before a plan gives it a spec. */
  public QsTag() {
    this(null);
  }

  private QsTag(String spec) {
    this.spec = spec;
  }

  @Override
  public TypeInference getTypeInference(DataTypeFactory factory) {
    return TagTypes.inference();
  }

  @Override
  public UserDefinedFunction specialize(SpecializedContext context) {
    CallContext call = context.getCallContext();
    String literal = TagTypes.literal(call);
    List<DataType> arguments = call.getArgumentDataTypes();
    TagTypes.check(SpecReader.read(literal), arguments.subList(1, arguments.size()));
    return new QsTag(literal);
  }

  @Override
  public void open(FunctionContext context) {
    if (spec == null) {
      throw new ValidationException(
          "QS_TAG has no spec: it works only in a plan, with a literal as its first argument");
    }
    index = new PredicateIndex(SpecReader.read(spec));
    set = new long[index.words()];
    result = WordsRow.zeros(index.words());
    MetricGroup group = context.getMetricGroup().addGroup("funshare").addGroup("tag");
    rows = group.counter("rows", new SimpleCounter());
    dropped = group.counter("dropped", new SimpleCounter());
  }

  /**
   * Tags one row.
   *
   * @param arguments the spec (not looked at), then values and predicates in internal classes
   */
  public RowData eval(Object... arguments) {
    index.tag(arguments, 1, set);
    long any = 0;
    for (int word = 0; word < set.length; word++) {
      result.setLong(word, set[word]);
      any |= set[word];
    }
    rows.inc();
    if (any == 0) {
      dropped.inc();
    }
    return result;
  }
}
