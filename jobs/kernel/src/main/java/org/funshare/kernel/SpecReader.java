package org.funshare.kernel;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.StreamReadFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.json.JsonMapper;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.types.logical.DecimalType;

/**
 * Reads a {@link TagSpec} from its JSON text, version 1. Strict: an unknown or missing field, a
 * wrong type or a bit that does not exist is an {@link IllegalArgumentException} that names the
 * place. The format is described in the module's README.
 */
public final class SpecReader {
  private static final int VERSION = 1;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private SpecReader() {}

  /**
   * Parses and checks a spec.
   *
   * @throws IllegalArgumentException if the text is not a spec of version 1
   */
  public static TagSpec read(String json) {
    JsonNode root;
    try {
      root = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "the query set spec is not JSON: " + e.getOriginalMessage() + "; compile the group again",
          e);
    }
    try {
      return spec(root);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the query set spec is wrong: "
              + e.getMessage()
              + "; the kernel and the planner must be of one version",
          e);
    }
  }

  private static TagSpec spec(JsonNode root) {
    object(root, "spec", Set.of("v", "queries", "columns", "opaque"));
    int version = integer(root.get("v"), "v");
    if (version != VERSION) {
      throw new IllegalArgumentException("v is " + version + ", this kernel reads " + VERSION);
    }
    return new TagSpec(
        integer(root.get("queries"), "queries"),
        list(root.get("columns"), "columns", SpecReader::column),
        list(root.get("opaque"), "opaque", SpecReader::bits));
  }

  private static TagSpec.Column column(Place at) {
    object(at.node(), at.name(), Set.of("type", "sets"));
    ColumnType type = type(at.node().get("type"), at.name() + ".type");
    return new TagSpec.Column(
        type, list(at.node().get("sets"), at.name() + ".sets", set -> valueSet(set, type)));
  }

  private static TagSpec.ValueSet valueSet(Place at, ColumnType type) {
    object(at.node(), at.name(), Set.of("bits", "ranges", "nulls"));
    return new TagSpec.ValueSet(
        bits(new Place(at.node().get("bits"), at.name() + ".bits")),
        list(at.node().get("ranges"), at.name() + ".ranges", range -> range(range, type)),
        bool(at.node().get("nulls"), at.name() + ".nulls"));
  }

  private static TagSpec.Range range(Place at, ColumnType type) {
    JsonNode node = at.node();
    if (!node.isArray() || node.size() != 4) {
      throw new IllegalArgumentException(
          at.name() + " must be [low, lowInclusive, high, highInclusive], but is " + node);
    }
    return new TagSpec.Range(
        bound(node.get(0), at.name() + "[0]", type),
        bool(node.get(1), at.name() + "[1]"),
        bound(node.get(2), at.name() + "[2]", type),
        bool(node.get(3), at.name() + "[3]"));
  }

  private static Comparable<?> bound(JsonNode node, String name, ColumnType type) {
    if (node.isNull()) {
      return null;
    }
    return switch (type) {
      case INT64 -> int64(node, name);
      case BOOLEAN -> bool(node, name) ? 1L : 0L;
      case STRING -> string(node, name);
      case DECIMAL -> decimal(node, name);
    };
  }

  private static Long int64(JsonNode node, String name) {
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      throw new IllegalArgumentException(name + " must be a 64-bit integer, but is " + node);
    }
    return node.longValue();
  }

  private static StringData string(JsonNode node, String name) {
    BinaryStringData value = BinaryStringData.fromString(text(node, name));
    // Now, not at the first row: encoding is lazy and several threads may share the spec.
    value.ensureMaterialized();
    return value;
  }

  private static DecimalData decimal(JsonNode node, String name) {
    BigDecimal value;
    try {
      value = new BigDecimal(text(node, name));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " must be a decimal number, but is " + node, e);
    }
    int scale = Math.max(0, value.scale());
    DecimalData result = null;
    if (scale <= DecimalType.MAX_PRECISION) {
      result = DecimalData.fromBigDecimal(value, DecimalType.MAX_PRECISION, scale);
    }
    if (result == null) {
      throw new IllegalArgumentException(
          name + " must have at most " + DecimalType.MAX_PRECISION + " digits, but is " + node);
    }
    return result;
  }

  private static ColumnType type(JsonNode node, String name) {
    String text = text(node, name);
    for (ColumnType type : ColumnType.values()) {
      if (type.name().equals(text)) {
        return type;
      }
    }
    throw new IllegalArgumentException(
        name + " must be one of " + List.of(ColumnType.values()) + ", but is " + text);
  }

  private static List<Integer> bits(Place at) {
    return list(at.node(), at.name(), bit -> integer(bit.node(), bit.name()));
  }

  private static <T> List<T> list(JsonNode node, String name, Function<Place, T> element) {
    if (node == null || !node.isArray()) {
      throw new IllegalArgumentException(name + " must be an array, but is " + node);
    }
    List<T> result = new ArrayList<>(node.size());
    for (JsonNode child : node) {
      result.add(element.apply(new Place(child, name + "[" + result.size() + "]")));
    }
    return result;
  }

  private static void object(JsonNode node, String name, Set<String> fields) {
    if (node == null || !node.isObject()) {
      throw new IllegalArgumentException(name + " must be an object, but is " + node);
    }
    for (Iterator<String> given = node.fieldNames(); given.hasNext(); ) {
      String field = given.next();
      if (!fields.contains(field)) {
        throw new IllegalArgumentException(name + " has an unknown field " + field);
      }
    }
  }

  private static int integer(JsonNode node, String name) {
    if (node == null || !node.isIntegralNumber() || !node.canConvertToInt()) {
      throw new IllegalArgumentException(name + " must be a 32-bit integer, but is " + node);
    }
    return node.intValue();
  }

  private static boolean bool(JsonNode node, String name) {
    if (node == null || !node.isBoolean()) {
      throw new IllegalArgumentException(name + " must be true or false, but is " + node);
    }
    return node.booleanValue();
  }

  private static String text(JsonNode node, String name) {
    if (node == null || !node.isTextual()) {
      throw new IllegalArgumentException(name + " must be a string, but is " + node);
    }
    return node.textValue();
  }

  /** A node and the path to it, for messages. */
  private record Place(JsonNode node, String name) {}
}
