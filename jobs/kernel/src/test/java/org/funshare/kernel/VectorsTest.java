package org.funshare.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The vectors that the Python tests read too. */
class VectorsTest {

  @TestFactory
  Stream<DynamicTest> vectors() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    try (InputStream file = getClass().getResourceAsStream("/vectors.json")) {
      for (JsonNode vector : new ObjectMapper().readTree(file).get("vectors")) {
        tests.add(DynamicTest.dynamicTest(vector.get("name").textValue(), () -> check(vector)));
      }
    }
    return tests.stream();
  }

  private static void check(JsonNode vector) {
    TagSpec spec = SpecReader.read(vector.get("spec").toString());
    PredicateIndex index = new PredicateIndex(spec);
    long[] set = new long[index.words()];
    for (JsonNode row : vector.get("rows")) {
      index.tag(arguments(spec, row), 0, set);
      BitSet expected = new BitSet();
      row.get("bits").forEach(bit -> expected.set(bit.intValue()));
      assertEquals(expected, Specs.bits(set), () -> "row " + row);
    }
  }

  private static Object[] arguments(TagSpec spec, JsonNode row) {
    List<Object> arguments = new ArrayList<>();
    for (int column = 0; column < spec.columns().size(); column++) {
      arguments.add(value(spec.columns().get(column).type(), row.get("columns").get(column)));
    }
    row.get("opaque").forEach(outcome -> arguments.add(value(ColumnType.BOOLEAN, outcome)));
    return arguments.toArray();
  }

  private static Object value(ColumnType type, JsonNode node) {
    if (node.isNull()) {
      return null;
    }
    return switch (type) {
      case INT64 -> node.longValue();
      case BOOLEAN -> node.booleanValue();
      case STRING -> StringData.fromString(node.textValue());
      case DECIMAL -> {
        BigDecimal value = new BigDecimal(node.textValue());
        yield DecimalData.fromBigDecimal(value, 38, value.scale());
      }
    };
  }
}
