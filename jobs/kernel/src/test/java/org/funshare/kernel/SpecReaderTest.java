package org.funshare.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpecReaderTest {
  private static final String SETS =
      "{'v':1,'queries':2,'columns':[{'type':'INT64','sets':[%s]}],'opaque':[]}";

  @Test
  void readsEveryField() {
    TagSpec spec =
        read(
            "{'v':1,'queries':65,'columns':[{'type':'INT64','sets':[{'bits':[0,64],"
                + "'ranges':[[1,true,null,false]],'nulls':true}]}],'opaque':[[3]]}");
    TagSpec.Range range = new TagSpec.Range(1L, true, null, false);
    TagSpec.ValueSet set = new TagSpec.ValueSet(List.of(0, 64), List.of(range), true);
    assertEquals(
        new TagSpec(
            65, List.of(new TagSpec.Column(ColumnType.INT64, List.of(set))), List.of(List.of(3))),
        spec);
    assertEquals(2, spec.words());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{ | not JSON",
        "{} {} | not JSON",
        "{'v':1,'v':1} | not JSON",
        "[] | spec must be an object",
        "{'queries':1,'columns':[],'opaque':[]} | v must be a 32-bit integer",
        "{'v':2,'queries':1,'columns':[],'opaque':[]} | v is 2, this kernel reads 1",
        "{'v':1,'queries':0,'columns':[],'opaque':[]} | queries must be at least 1",
        "{'v':1,'queries':1.5,'columns':[],'opaque':[]} | queries must be a 32-bit integer",
        "{'v':1,'queries':1,'columns':[]} | opaque must be an array",
        "{'v':1,'queries':1,'columns':[],'opaque':[],'x':0} | unknown field x",
        "{'v':1,'queries':64,'columns':[],'opaque':[[64]]} | bit 64 is not one of the 64",
        "{'v':1,'queries':1,'columns':[],'opaque':[[-1]]} | bit -1 is not one",
        "{'v':1,'queries':1,'columns':[{'type':'DOUBLE','sets':[]}],'opaque':[]} | but is DOUBLE",
      })
  void refusesAWrongSpec(String json, String message) {
    refused(json, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'bits':[2],'ranges':[],'nulls':false} | bit 2 is not one of the 2",
        "{'bits':[0],'ranges':[]} | columns[0].sets[0].nulls must be true or false",
        "{'bits':[0],'ranges':[[1,true,2]],'nulls':false} | must be [low, lowInclusive",
        "{'bits':[0],'ranges':[['1',true,2,true]],'nulls':false} | ranges[0][0] must be a 64-bit",
        "{'bits':[0],'ranges':[[1,true,2.5,true]],'nulls':false} | ranges[0][2] must be a 64-bit",
        "{'bits':[0],'ranges':[[1,null,2,true]],'nulls':false} | ranges[0][1] must be true or false",
        "{'bits':[0],'ranges':[[9223372036854775808,true,null,true]],'nulls':false} | 64-bit",
      })
  void refusesAWrongSet(String set, String message) {
    refused(String.format(SETS, set), message);
  }

  @Test
  void refusesADecimalThatFlinkCannotHold() {
    String spec =
        "{'v':1,'queries':1,'columns':[{'type':'DECIMAL','sets':[{'bits':[0],"
            + "'ranges':[['%s',true,null,true]],'nulls':false}]}],'opaque':[]}";
    refused(String.format(spec, "1".repeat(39)), "at most 38 digits");
    refused(String.format(spec, "1e-39"), "at most 38 digits");
    refused(String.format(spec, "one"), "must be a decimal number");
  }

  private static void refused(String json, String message) {
    Exception refusal = assertThrows(IllegalArgumentException.class, () -> read(json));
    assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
  }

  private static TagSpec read(String json) {
    return SpecReader.read(json.replace('\'', '"'));
  }
}
