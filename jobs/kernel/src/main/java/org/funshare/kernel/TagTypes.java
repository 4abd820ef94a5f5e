package org.funshare.kernel;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.ArgumentCount;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.ConstantArgumentCount;
import org.apache.flink.table.types.inference.InputTypeStrategy;
import org.apache.flink.table.types.inference.Signature;
import org.apache.flink.table.types.inference.TypeInference;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/** The SQL types of {@code QS_TAG}: any arguments, as internal values; one BIGINT per word. */
final class TagTypes {
  private TagTypes() {}

  static TypeInference inference() {
    return TypeInference.newBuilder()
        .inputTypeStrategy(new InternalArguments())
        .outputTypeStrategy(call -> Optional.of(words(SpecReader.read(literal(call)).words())))
        .build();
  }

  /** The spec's text, the first argument of a call. */
  static String literal(CallContext call) {
    return call.getArgumentValue(0, String.class)
        .orElseThrow(
            () ->
                new ValidationException(
                    "the first argument of QS_TAG must be a STRING literal, the spec"));
  }

  /**
   * Checks the types behind the spec against it.
   *
   * @throws ValidationException that names the argument (1 is the one after the spec)
   */
  static void check(TagSpec spec, List<DataType> arguments) {
    int columns = spec.columns().size();
    int expected = columns + spec.opaque().size();
    if (arguments.size() != expected) {
      throw new ValidationException(
          "QS_TAG needs "
              + columns
              + " values and "
              + spec.opaque().size()
              + " predicates after its spec, but has "
              + arguments.size()
              + " arguments");
    }
    for (int i = 0; i < expected; i++) {
      ColumnType type = i < columns ? spec.columns().get(i).type() : ColumnType.BOOLEAN;
      LogicalTypeRoot root = arguments.get(i).getLogicalType().getTypeRoot();
      if (!type.takes(root)) {
        throw new ValidationException(
            "argument "
                + (i + 1)
                + " of QS_TAG is "
                + arguments.get(i).getLogicalType()
                + ", which its spec calls "
                + type
                + "; compile the group again");
      }
    }
  }

  private static DataType words(int words) {
    return DataTypes.ROW(
            IntStream.range(0, words)
                .mapToObj(i -> DataTypes.FIELD("w" + i, DataTypes.BIGINT().notNull()))
                .toList())
        .notNull()
        .toInternal();
  }

  /** Takes what comes, and takes it without conversion. */
  private static final class InternalArguments implements InputTypeStrategy {
    @Override
    public ArgumentCount getArgumentCount() {
      return ConstantArgumentCount.from(1);
    }

    @Override
    public Optional<List<DataType>> inferInputTypes(CallContext call, boolean throwOnFailure) {
      return Optional.of(call.getArgumentDataTypes().stream().map(DataType::toInternal).toList());
    }

    @Override
    public List<Signature> getExpectedSignatures(FunctionDefinition definition) {
      return List.of(
          Signature.of(
              Signature.Argument.of("spec", "STRING"), Signature.Argument.ofGroupVarying("ANY")));
    }
  }
}
