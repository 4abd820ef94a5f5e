package org.funshare.kernel;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;

/** Random specs and rows for the tests. */
final class Specs {
  private static final String[] TEXTS = {
    "", "a", "aa", "ab", "b", "ä", "中", "\ue000", "\uffff", "😀"
  };

  private final Random chance;

  Specs(long seed) {
    chance = new Random(seed);
  }

  TagSpec spec(int queries) {
    List<TagSpec.Column> columns = new ArrayList<>();
    for (int i = chance.nextInt(4); i > 0; i--) {
      ColumnType type = ColumnType.values()[chance.nextInt(ColumnType.values().length)];
      columns.add(new TagSpec.Column(type, sets(type, queries)));
    }
    List<List<Integer>> opaque = new ArrayList<>();
    for (int i = chance.nextInt(3); i > 0; i--) {
      opaque.add(bits(queries));
    }
    return new TagSpec(queries, columns, opaque);
  }

  Object[] row(TagSpec spec) {
    List<Object> row = new ArrayList<>();
    for (TagSpec.Column column : spec.columns()) {
      row.add(chance.nextInt(8) == 0 ? null : argument(column.type()));
    }
    for (int i = 0; i < spec.opaque().size(); i++) {
      row.add(chance.nextInt(4) == 0 ? null : chance.nextBoolean());
    }
    return row.toArray();
  }

  /** A query set's words as bits. */
  static BitSet bits(long[] words) {
    return BitSet.valueOf(words);
  }

  private List<TagSpec.ValueSet> sets(ColumnType type, int queries) {
    List<TagSpec.ValueSet> sets = new ArrayList<>();
    for (int i = chance.nextInt(Math.min(queries, 40) + 1); i > 0; i--) {
      List<TagSpec.Range> ranges = new ArrayList<>();
      for (int j = chance.nextInt(4); j > 0; j--) {
        ranges.add(
            new TagSpec.Range(end(type), chance.nextBoolean(), end(type), chance.nextBoolean()));
      }
      sets.add(new TagSpec.ValueSet(bits(queries), ranges, chance.nextBoolean()));
    }
    return sets;
  }

  private List<Integer> bits(int queries) {
    List<Integer> bits = new ArrayList<>();
    for (int i = chance.nextInt(3); i >= 0; i--) {
      bits.add(chance.nextInt(queries));
    }
    return bits;
  }

  private Comparable<?> end(ColumnType type) {
    if (chance.nextInt(5) == 0) {
      return null;
    }
    return switch (type) {
      case INT64 -> integer();
      case BOOLEAN -> (long) chance.nextInt(2);
      case STRING -> text();
      case DECIMAL -> decimal();
    };
  }

  private Object argument(ColumnType type) {
    return switch (type) {
      case INT64 -> narrow(integer());
      case BOOLEAN -> chance.nextBoolean();
      case STRING -> chance.nextBoolean() ? text() : StringData.fromBytes(text().toBytes());
      case DECIMAL -> decimal();
    };
  }

  private long integer() {
    return switch (chance.nextInt(12)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      default -> chance.nextInt(30) - 5;
    };
  }

  /** The same number in one of the classes in which Flink may pass it. */
  private Number narrow(long value) {
    if (value != (byte) value) {
      return value;
    }
    return switch (chance.nextInt(4)) {
      case 0 -> (byte) value;
      case 1 -> (short) value;
      case 2 -> (int) value;
      default -> value;
    };
  }

  private StringData text() {
    return StringData.fromString(TEXTS[chance.nextInt(TEXTS.length)]);
  }

  private DecimalData decimal() {
    int scale = chance.nextInt(4);
    BigDecimal value = BigDecimal.valueOf(chance.nextInt(60) - 30, 1);
    return DecimalData.fromBigDecimal(value, chance.nextBoolean() ? 10 : 30, scale);
  }
}
