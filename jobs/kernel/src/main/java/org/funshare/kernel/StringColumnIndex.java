package org.funshare.kernel;

import java.util.List;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryStringData;

/**
 * A column of strings whose ends contain characters from U+E000 on or beyond U+FFFF.
 *
 * <p>Flink's own comparison has two orders. A value that still has its Java string, as a JSON or
 * Avro source delivers it, is compared with a literal by UTF-16 units; one that was read from bytes
 * is compared by UTF-8 bytes. They differ when a surrogate pair meets a character from U+E000 to
 * U+FFFF. To agree with Flink's filters on every row there is an index for each.
 */
final class StringColumnIndex extends ColumnIndex {
  private final ObjectColumnIndex<StringData> byUnits;
  private final ObjectColumnIndex<StringData> byBytes;

  private StringColumnIndex(
      ObjectColumnIndex<StringData> byUnits, ObjectColumnIndex<StringData> byBytes) {
    this.byUnits = byUnits;
    this.byBytes = byBytes;
  }

  /** One index where both orders agree, which is nearly always; else one for each order. */
  static ColumnIndex of(TagSpec.Column column, long[] all) {
    ObjectColumnIndex<StringData> byUnits = ObjectColumnIndex.of(column, StringData.class, all);
    return ordersAgree(column)
        ? byUnits
        : new StringColumnIndex(
            byUnits, ObjectColumnIndex.of(bytesOnly(column), StringData.class, all));
  }

  @Override
  void intersect(Object value, long[] set) {
    boolean hasUnits = value instanceof BinaryStringData text && text.getJavaObject() != null;
    (hasUnits ? byUnits : byBytes).intersect(value, set);
  }

  /** A unit below the surrogates has the same place among all characters in both orders. */
  private static boolean ordersAgree(TagSpec.Column column) {
    return column.sets().stream()
        .flatMap(set -> set.ranges().stream())
        .allMatch(range -> isPlain(range.low()) && isPlain(range.high()));
  }

  private static boolean isPlain(Comparable<?> end) {
    return end == null || end.toString().chars().allMatch(unit -> unit < Character.MIN_SURROGATE);
  }

  /** The same column with ends that, having no Java string, compare by bytes. */
  private static TagSpec.Column bytesOnly(TagSpec.Column column) {
    return new TagSpec.Column(
        column.type(), column.sets().stream().map(StringColumnIndex::bytesOnly).toList());
  }

  private static TagSpec.ValueSet bytesOnly(TagSpec.ValueSet set) {
    List<TagSpec.Range> ranges =
        set.ranges().stream()
            .map(
                range ->
                    new TagSpec.Range(
                        bytesOnly(range.low()),
                        range.lowInclusive(),
                        bytesOnly(range.high()),
                        range.highInclusive()))
            .toList();
    return new TagSpec.ValueSet(set.bits(), ranges, set.nulls());
  }

  private static StringData bytesOnly(Comparable<?> end) {
    return end == null ? null : StringData.fromBytes(((StringData) end).toBytes());
  }
}
