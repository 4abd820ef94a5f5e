package org.funshare.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.expressions.Expression;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;

/**
 * One call in a plan, as the planner shows it to a function: a literal, or null for an argument
 * that is none, then arguments of some types.
 */
record FakeCall(String literal, List<DataType> others)
    implements CallContext, SpecializedFunction.SpecializedContext {

  @Override
  public <T> Optional<T> getArgumentValue(int position, Class<T> type) {
    return position == 0 ? Optional.ofNullable(type.cast(literal)) : Optional.empty();
  }

  @Override
  public List<DataType> getArgumentDataTypes() {
    List<DataType> types = new ArrayList<>(List.of(DataTypes.STRING().notNull()));
    types.addAll(others);
    return types;
  }

  @Override
  public boolean isArgumentLiteral(int position) {
    return position == 0 && literal != null;
  }

  @Override
  public boolean isArgumentNull(int position) {
    return false;
  }

  @Override
  public CallContext getCallContext() {
    return this;
  }

  @Override
  public ReadableConfig getConfiguration() {
    return new Configuration();
  }

  @Override
  public ClassLoader getBuiltInClassLoader() {
    return getClass().getClassLoader();
  }

  @Override
  public String getName() {
    return "CALL";
  }

  @Override
  public Optional<DataType> getOutputDataType() {
    return Optional.empty();
  }

  @Override
  public boolean isGroupedAggregation() {
    return false;
  }

  @Override
  public DataTypeFactory getDataTypeFactory() {
    throw new UnsupportedOperationException("not part of this fake");
  }

  @Override
  public FunctionDefinition getFunctionDefinition() {
    throw new UnsupportedOperationException("not part of this fake");
  }

  @Override
  public SpecializedFunction.ExpressionEvaluator createEvaluator(
      Expression expression, DataType output, DataTypes.Field... arguments) {
    throw new UnsupportedOperationException("not part of this fake");
  }

  @Override
  public SpecializedFunction.ExpressionEvaluator createEvaluator(
      String expression, DataType output, DataTypes.Field... arguments) {
    throw new UnsupportedOperationException("not part of this fake");
  }

  @Override
  public SpecializedFunction.ExpressionEvaluator createEvaluator(
      org.apache.flink.table.functions.BuiltInFunctionDefinition function,
      DataType output,
      DataType... arguments) {
    throw new UnsupportedOperationException("not part of this fake");
  }
}
