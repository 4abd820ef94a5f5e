package org.funshare.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.TypeInference;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class FunctionsTest {
  /** Bit 0: value >= 5. Bit 64: value is NULL and the predicate is TRUE. 65 queries. */
  private static final String SPEC =
      """
      {"v":1,"queries":65,"columns":[{"type":"INT64","sets":[
        {"bits":[0],"ranges":[[5,true,null,false]],"nulls":false},
        {"bits":[64],"ranges":[],"nulls":true}]}],"opaque":[[64]]}
      """;

  private static final List<DataType> ARGUMENTS = List.of(DataTypes.INT(), DataTypes.BOOLEAN());

  @Test
  void tagWritesTheWordsAndCountsRows() throws Exception {
    FakeMetrics metrics = new FakeMetrics();
    QsTag tag = opened(SPEC, metrics);

    RowData all = tag.eval(null, 5, true);
    assertEquals(2, all.getArity());
    assertFalse(all.isNullAt(1));
    assertEquals(-1L, all.getLong(0));
    assertEquals(0L, all.getLong(1));
    assertEquals(-2L, tag.eval(null, null, true).getLong(0));
    assertEquals(1L, tag.eval(null, null, true).getLong(1));
    assertEquals(0L, tag.eval(null, null, null).getLong(1));
    assertEquals(4, metrics.count("funshare.tag.rows"));
    assertEquals(0, metrics.count("funshare.tag.dropped"));
  }

  @Test
  void tagCountsRowsThatNoQueryWants() throws Exception {
    FakeMetrics metrics = new FakeMetrics();
    String spec = "{\"v\":1,\"queries\":1,\"columns\":[],\"opaque\":[[0]]}";
    QsTag tag =
        reloaded((QsTag) new QsTag().specialize(new FakeCall(spec, List.of(DataTypes.BOOLEAN()))));
    tag.open(metrics);
    assertEquals(1L, tag.eval(null, true).getLong(0));
    assertEquals(0L, tag.eval(null, false).getLong(0));
    assertEquals(0L, tag.eval(null, (Object) null).getLong(0));
    assertEquals(3, metrics.count("funshare.tag.rows"));
    assertEquals(2, metrics.count("funshare.tag.dropped"));
  }

  @Test
  void tagReturnsOneNotNullBigintPerWord() {
    TypeInference types = new QsTag().getTypeInference(null);
    DataType output = types.getOutputTypeStrategy().inferType(call(SPEC)).orElseThrow();
    assertEquals(
        "ROW<`w0` BIGINT NOT NULL, `w1` BIGINT NOT NULL> NOT NULL",
        output.getLogicalType().asSerializableString());
    assertEquals(RowData.class, output.getConversionClass());
    DataType text =
        types.getInputTypeStrategy().inferInputTypes(call(SPEC), true).orElseThrow().get(0);
    assertEquals(StringData.class, text.getConversionClass());
  }

  @Test
  void tagRefusesArgumentsThatDoNotFitItsSpec() {
    refused(new FakeCall(SPEC, List.of(DataTypes.INT())), "1 values and 1 predicates");
    refused(
        new FakeCall(SPEC, List.of(DataTypes.STRING(), DataTypes.BOOLEAN())),
        "argument 1 of QS_TAG is STRING, which its spec calls INT64");
    refused(
        new FakeCall(SPEC, List.of(DataTypes.DATE(), DataTypes.INT())),
        "argument 2 of QS_TAG is INT, which its spec calls BOOLEAN");
    refused(new FakeCall(null, ARGUMENTS), "must be a STRING literal");
    assertThrows(
        IllegalArgumentException.class,
        () -> new QsTag().specialize(new FakeCall("{}", ARGUMENTS)));
    assertThrows(ValidationException.class, () -> new QsTag().open(new FakeMetrics()));
  }

  @Test
  void routeCountsWhatPasses() throws Exception {
    FakeMetrics metrics = new FakeMetrics();
    QsRoute route = reloaded((QsRoute) new QsRoute().specialize(new FakeCall("q7", List.of())));
    route.open(metrics);
    assertTrue(route.eval(null, Long.MIN_VALUE, Long.MIN_VALUE));
    assertFalse(route.eval(null, 3, 4));
    assertEquals(1, metrics.count("funshare.query.q7.routed"));
    assertThrows(ValidationException.class, () -> new QsRoute().open(metrics));
    assertThrows(
        ValidationException.class, () -> new QsRoute().specialize(new FakeCall(null, List.of())));
  }

  @Test
  void wordsAreIntersectedAndAsked() {
    assertEquals(Long.MIN_VALUE, new QsAnd().eval(Long.MIN_VALUE | 1, Long.MIN_VALUE | 2));
    assertTrue(new QsMeets().eval(Long.MIN_VALUE, -1));
    assertFalse(new QsMeets().eval(1, 2));
    assertTrue(new QsHas().eval(6, 2));
    assertFalse(new QsHas().eval(6, 1));
    assertTrue(new QsAny().eval(Long.MIN_VALUE));
    assertFalse(new QsAny().eval(0));
  }

  private static FakeCall call(String spec) {
    return new FakeCall(spec, ARGUMENTS);
  }

  private static QsTag opened(String spec, FakeMetrics metrics) throws Exception {
    QsTag tag = reloaded((QsTag) new QsTag().specialize(call(spec)));
    tag.open(metrics);
    return tag;
  }

  /** A function reaches a task in serialised form. */
  private static <T extends Serializable> T reloaded(T function)
      throws IOException, ClassNotFoundException {
    return InstantiationUtil.clone(function);
  }

  private static void refused(FakeCall call, String message) {
    Exception refusal = assertThrows(ValidationException.class, () -> new QsTag().specialize(call));
    assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
  }
}
