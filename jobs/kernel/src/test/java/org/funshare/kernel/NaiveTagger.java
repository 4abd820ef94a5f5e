package org.funshare.kernel;

import java.math.BigDecimal;
import java.util.BitSet;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;

/** The meaning of a spec, query set by query set and range by range: what the index must equal. */
final class NaiveTagger {
  private NaiveTagger() {}

  static BitSet tag(TagSpec spec, Object[] row) {
    BitSet tagged = new BitSet();
    tagged.set(0, spec.queries());
    for (int column = 0; column < spec.columns().size(); column++) {
      for (TagSpec.ValueSet set : spec.columns().get(column).sets()) {
        if (!accepts(set, row[column])) {
          set.bits().forEach(tagged::clear);
        }
      }
    }
    for (int predicate = 0; predicate < spec.opaque().size(); predicate++) {
      Object outcome = row[spec.columns().size() + predicate];
      if (outcome == null || outcome.equals(false)) {
        spec.opaque().get(predicate).forEach(tagged::clear);
      }
    }
    return tagged;
  }

  private static boolean accepts(TagSpec.ValueSet set, Object value) {
    return value == null
        ? set.nulls()
        : set.ranges().stream().anyMatch(range -> contains(range, value));
  }

  private static boolean contains(TagSpec.Range range, Object value) {
    if (range.low() != null) {
      int order = compare(value, range.low());
      if (order < 0 || (order == 0 && !range.lowInclusive())) {
        return false;
      }
    }
    if (range.high() == null) {
      return true;
    }
    int order = compare(value, range.high());
    return order < 0 || (order == 0 && range.highInclusive());
  }

  private static int compare(Object value, Comparable<?> end) {
    if (value instanceof StringData text) {
      return text.compareTo((StringData) end);
    }
    if (value instanceof DecimalData decimal) {
      BigDecimal other = ((DecimalData) end).toBigDecimal();
      return decimal.toBigDecimal().compareTo(other);
    }
    long number = value instanceof Boolean flag ? (flag ? 1 : 0) : ((Number) value).longValue();
    return Long.compare(number, (Long) end);
  }
}
