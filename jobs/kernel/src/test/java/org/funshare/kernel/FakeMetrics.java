package org.funshare.kernel;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.functions.FunctionContext;

/** A function's context that remembers the counters by their full name. */
final class FakeMetrics extends FunctionContext {
  private final Map<String, Counter> counters = new HashMap<>();

  FakeMetrics() {
    super(null);
  }

  @Override
  public MetricGroup getMetricGroup() {
    return new Group("");
  }

  long count(String name) {
    return counters.get(name).getCount();
  }

  private final class Group extends UnregisteredMetricsGroup {
    private final String prefix;

    Group(String prefix) {
      this.prefix = prefix;
    }

    @Override
    public MetricGroup addGroup(String name) {
      return new Group(prefix + name + ".");
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      return addGroup(key).addGroup(value);
    }

    @Override
    public <C extends Counter> C counter(String name, C counter) {
      counters.put(prefix + name, counter);
      return counter;
    }
  }
}
