package org.funshare.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Nanoseconds to tag one row: each query has one range of a tenth of the values, the queries being
 * spread evenly over the columns. {@code naive} tests every range.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class TagBenchmark {
  private static final int VALUES = 1_000_000;
  private static final int ROWS = 4096;

  /** Range predicates x columns. */
  @Param({"1x1", "128x1", "1024x1", "1024x3"})
  public String shape;

  private long[] lows;
  private PredicateIndex index;
  private long[][] values;
  private Object[][] arguments;
  private long[] set;
  private int row;

  /** Builds the spec and rows; seeded, so that runs compare. */
  @Setup(Level.Trial)
  public void setUp() {
    String[] parts = shape.split("x");
    int queries = Integer.parseInt(parts[0]);
    int columns = Integer.parseInt(parts[1]);
    Random chance = new Random(1);
    lows = chance.longs(queries, 0, VALUES * 9 / 10).toArray();
    index = new PredicateIndex(spec(lows, columns));
    set = new long[index.words()];
    values = new long[ROWS][columns];
    arguments = new Object[ROWS][columns];
    for (int i = 0; i < ROWS; i++) {
      for (int column = 0; column < columns; column++) {
        values[i][column] = chance.nextInt(VALUES);
        arguments[i][column] = values[i][column];
      }
    }
  }

  /** The index on unboxed values. */
  @Benchmark
  public long[] index() {
    long[] current = values[next()];
    index.start(set);
    for (int column = 0; column < current.length; column++) {
      index.intersectLong(column, current[column], set);
    }
    return set;
  }

  /** The index on objects, as QS_TAG calls it. */
  @Benchmark
  public long[] tag() {
    index.tag(arguments[next()], 0, set);
    return set;
  }

  /** Query by query, on primitive arrays: the fastest that a loop over filters can be. */
  @Benchmark
  public long[] naive() {
    long[] current = values[next()];
    index.start(set);
    for (int query = 0; query < lows.length; query++) {
      long value = current[query % current.length];
      if (value < lows[query] || value >= lows[query] + VALUES / 10) {
        set[query / Long.SIZE] &= ~(1L << query);
      }
    }
    return set;
  }

  private int next() {
    row = (row + 1) % ROWS;
    return row;
  }

  private static TagSpec spec(long[] lows, int columns) {
    List<List<TagSpec.ValueSet>> sets = new ArrayList<>();
    for (int column = 0; column < columns; column++) {
      sets.add(new ArrayList<>());
    }
    for (int query = 0; query < lows.length; query++) {
      TagSpec.Range range = new TagSpec.Range(lows[query], true, lows[query] + VALUES / 10, false);
      sets.get(query % columns).add(new TagSpec.ValueSet(List.of(query), List.of(range), false));
    }
    return new TagSpec(
        lows.length,
        sets.stream().map(s -> new TagSpec.Column(ColumnType.INT64, s)).toList(),
        List.of());
  }
}
