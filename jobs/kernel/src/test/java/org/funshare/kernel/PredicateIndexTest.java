package org.funshare.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PredicateIndexTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 63, 64, 65, 128, 1000})
  void equalsTheNaiveEvaluationOnRandomSpecsAndRows(int queries) {
    Specs random = new Specs(queries);
    for (int round = 0; round < 100; round++) {
      TagSpec spec = random.spec(queries);
      PredicateIndex index = new PredicateIndex(spec);
      long[] set = new long[index.words()];
      for (int i = 0; i < 50; i++) {
        Object[] row = random.row(spec);
        index.tag(row, 0, set);
        assertEquals(
            NaiveTagger.tag(spec, row),
            Specs.bits(set),
            () -> "seed " + queries + ": " + spec + " on " + Arrays.toString(row));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 63, 64, 65, 128, 1000})
  void aQueryThatNothingNamesIsAlwaysTagged(int queries) {
    PredicateIndex index = new PredicateIndex(new TagSpec(queries, List.of(), List.of()));
    long[] set = new long[index.words()];
    index.tag(new Object[0], 0, set);
    assertEquals(queries, Specs.bits(set).cardinality());
    assertEquals(queries, Specs.bits(set).length());
  }

  @Test
  void theUnboxedPathEqualsTheBoxedOne() {
    TagSpec spec =
        SpecReader.read(
            "{\"v\":1,\"queries\":2,\"columns\":[{\"type\":\"INT64\",\"sets\":["
                + "{\"bits\":[0],\"ranges\":[[1,true,2,true]],\"nulls\":false},"
                + "{\"bits\":[1],\"ranges\":[[2,true,null,false]],\"nulls\":false}]}],"
                + "\"opaque\":[]}");
    PredicateIndex index = new PredicateIndex(spec);
    for (long value = 0; value < 4; value++) {
      long[] boxed = new long[1];
      long[] unboxed = new long[1];
      index.tag(new Object[] {value}, 0, boxed);
      index.start(unboxed);
      index.intersectLong(0, value, unboxed);
      assertArrayEquals(boxed, unboxed);
    }
  }

  @Test
  void stringsAreOrderedAsFlinkOrdersThemInEachOfItsTwoForms() {
    StringData high = StringData.fromString("\uffff");
    TagSpec.Range fromHigh = new TagSpec.Range(high, true, null, false);
    TagSpec.ValueSet set = new TagSpec.ValueSet(List.of(0), List.of(fromHigh), false);
    PredicateIndex index =
        new PredicateIndex(
            new TagSpec(
                1, List.of(new TagSpec.Column(ColumnType.STRING, List.of(set))), List.of()));
    StringData units = StringData.fromString("😀");
    StringData bytes = StringData.fromBytes(units.toBytes());
    long[] tagged = new long[1];

    index.tag(new Object[] {units}, 0, tagged);
    assertEquals(units.compareTo(high) >= 0, tagged[0] == 1);
    index.tag(new Object[] {bytes}, 0, tagged);
    assertEquals(bytes.compareTo(high) >= 0, tagged[0] == 1);
  }
}
