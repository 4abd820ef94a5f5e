"""The splitter hands on exactly what the user wrote, and says what each statement is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funshare_flink.model.errors import BadInputError
from funshare_flink.model.workload import Directives, Setting, Statement, StatementKind
from funshare_flink.plan.script import (
    find_placeholders,
    is_ctas,
    is_query,
    python_function,
    sink_name,
    split_script,
)

KIND = StatementKind


def statements(text: str) -> tuple[Statement, ...]:
    return split_script(text, "tram.sql").statements


def texts(text: str) -> list[str]:
    return [s.text for s in statements(text)]


def only(text: str) -> Statement:
    (statement,) = statements(text)
    return statement


def refusal(text: str) -> str:
    with pytest.raises(BadInputError) as caught:
        split_script(text, "tram.sql")
    return str(caught.value)


WHOLE = [
    "INSERT INTO `night;trams` SELECT 'it''s; -- late', `line``no;` FROM stops",
    "INSERT INTO s SELECT a FROM t WHERE a = 'C:\\'",
    "INSERT INTO s SELECT a FROM t WHERE a = U&'\\00e9''\\003b;'",
    "INSERT INTO s SELECT X'3b', _UTF8'a;b' FROM t",
    "INSERT INTO s SELECT a -- the door; isn't open\r\nFROM t",
    "INSERT INTO s SELECT a // so don't; either\nFROM t",
    "INSERT INTO s SELECT a /* no; it's ` \" */ FROM t",
    "INSERT INTO s SELECT a /**/ , b /* one /* two; */ FROM t",
    "INSERT INTO s SELECT a /***/ ; */ FROM t",
    "INSERT INTO s SELECT a FROM t /*+ OPTIONS('format.sep'=';', 'x'='*/') */ WHERE a > 1",
    "INSERT INTO s SELECT /*+ STATE_TTL('a'='1h') -- why; */\n */ a FROM t",
    "INSERT INTO s SELECT CASE WHEN a = ';' THEN 1 ELSE 2 END FROM t",
    "INSERT INTO s SELECT '\n;\n' FROM t",
    'INSERT INTO s SELECT a FROM t WHERE a = "don\'t; trust"',
]


@pytest.mark.parametrize("text", WHOLE)
def test_no_semicolon_inside_a_statement_cuts_it(text: str) -> None:
    assert texts(f"{text};\n{text}") == [text, text]


def test_comments_around_a_statement_go_and_those_inside_stay() -> None:
    script = "-- head; it's\n/* more; */ SELECT /* in */ 1 -- tail\n; // next\n\n;;\nSHOW TABLES -- end"
    assert texts(script) == ["SELECT /* in */ 1", "SHOW TABLES"]


@pytest.mark.parametrize("text", ["", "  \r\n ", ";;;", "-- nothing", "/* nothing */ ;", "\ufeff"])
def test_a_script_of_nothing_has_no_statements(text: str) -> None:
    assert statements(text) == ()


def test_lines_and_numbers_with_mark_and_crlf() -> None:
    script = "\ufeff-- c\r\nSET 'a'='b';\r\n\r\n;\r\n/* x\r\n */ INSERT INTO s\r\nSELECT 1;SHOW TABLES"
    places = [(s.location.line, s.location.statement) for s in statements(script)]
    assert places == [(2, 1), (6, 2), (7, 3)]


def test_lines_count_from_where_the_text_begins() -> None:
    (statement,) = split_script("\nSHOW TABLES", "w.yaml", first_line=40).statements
    assert statement.location.line == 41


@pytest.mark.parametrize(
    ("script", "line", "words"),
    [
        ("SHOW TABLES;\nSELECT 'open;\nSHOW TABLES;", 2, "string literal"),
        ("SELECT 'it''s", 1, "string literal"),
        ("SELECT `a\nFROM `b`", 1, "quoted name"),
        ("SHOW TABLES;\n\n/* open", 3, "block comment"),
        ("/**", 1, "block comment"),
    ],
)
def test_what_is_never_closed_is_named_where_it_opens(script: str, line: int, words: str) -> None:
    message = refusal(script)
    assert message.startswith(f"tram.sql, line {line}:")
    assert words in message


def test_a_literal_that_swallowed_a_statement_is_suspected() -> None:
    message = refusal("SELECT 'late;\nSELECT 'early';\nSELECT 1;")
    assert message.startswith("tram.sql, line 2:")
    assert "opens in line 1" in message


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("insert into s select 1", KIND.INSERT),
        ("INSERT OVERWRITE s SELECT 1", KIND.INSERT),
        ("create temporary view v AS SELECT 1", KIND.DDL),
        ("CREATE MODEL m WITH ('provider'='x')", KIND.DDL),
        ("ADD JAR 'x.jar'", KIND.DDL),
        ("USE CATALOG c", KIND.DDL),
        ("EXPLAIN PLAN FOR SELECT 1", KIND.INFO),
        ("SET", KIND.INFO),
        ("(SELECT 1)", KIND.SELECT),
        ("WITH q AS (SELECT 1) SELECT * FROM q", KIND.SELECT),
        ("EXECUTE SELECT 1", KIND.SELECT),
        ("CALL sys.compact('t')", KIND.OTHER),
        ("EXECUTE PLAN 'p.json'", KIND.OTHER),
        ("UPSERT INTO s SELECT 1", KIND.OTHER),
        ("trams:=SELECT 1", KIND.UNKNOWN),
    ],
)
def test_kind_by_leading_words(text: str, kind: StatementKind) -> None:
    assert only(text).kind is kind


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT 1", "INSERT INTO <sink>"),
        ("Flink SQL> CREATE TABLE t (a INT)", "prompt of a client, 'Flink SQL>'"),
        ("mysql> SHOW TABLES", "prompt"),
        ("db:= 'x'", "name:=value"),
        ("${tables}", "placeholder"),
        ("/*+ banner */ INSERT INTO s SELECT 1", "hint"),
        ("*/ SHOW TABLES", "do not nest"),
        ("PRAGMA x", "'PRAGMA'"),
        ("DELETE FROM s", "DELETE has no place"),
        ("EXECUTE PLAN 'p'", "write the INSERT itself"),
        ("SET a.b", "SET 'key' = 'value'"),
        ("SET 'a' = 'b' 'c'", "SET 'key' = 'value'"),
        ("RESET a b", "RESET 'key'"),
    ],
)
def test_what_is_of_no_use_says_why(text: str, words: str) -> None:
    assert words in (only(text).problem or "")


@pytest.mark.parametrize("rest", ["UNION ALL SELECT 2", "left join u ON 1=1", "WITH ('a'='b')", ", b INT)"])
def test_a_stray_semicolon_spoils_both_halves(rest: str) -> None:
    first, second, third = statements(f"INSERT INTO s SELECT 1;\n{rest};\nINSERT INTO s SELECT 3")
    assert "a stray semicolon" in (second.problem or "")
    assert "statement 2 looks like its end" in (first.problem or "")
    assert (first.kind, second.kind, third.problem) == (KIND.INSERT, KIND.UNKNOWN, None)


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("SET 'a.b' = 'c d'", Setting("a.b", "c d")),
        ("set 'o''clock'='it''s'", Setting("o'clock", "it's")),
        ("SET table.exec.state.ttl = 1 h", Setting("table.exec.state.ttl", "1 h")),
        ("SET a=b=c", Setting("a", "b=c")),
        ("SET 'a' = ''", Setting("a", "")),
        ("SET 'a' = b", Setting("a", "b")),
        ("SET /* soon */ a = 'b' -- x", Setting("a", "b")),
        ("SET dir = file:///tmp/x", Setting("dir", "file:///tmp/x")),
        ("RESET 'a''b'", Setting("a'b")),
        ("reset a.b", Setting("a.b")),
        ("RESET", Setting(None)),
    ],
)
def test_operands_of_set_and_reset(text: str, setting: Setting) -> None:
    statement = only(text + ";")
    assert statement.setting == setting
    assert statement.problem is None


SET_BODY = "INSERT INTO a SELECT CASE WHEN x THEN 1 END FROM t;\n-- funshare: slots=2\nINSERT INTO b SELECT 2"


@pytest.mark.parametrize("frame", ["EXECUTE STATEMENT SET BEGIN\n{};\nEND", "begin statement set;\n{};\nend"])
def test_statement_sets_come_apart(frame: str) -> None:
    script = f"SHOW TABLES;\n{frame.format(SET_BODY)};\n{frame.format(SET_BODY)};\nEXECUTE INSERT INTO c SELECT 3"
    found = [(sink_name(s), s.set_id, s.directives.slots) for s in statements(script)[1:]]
    assert found == [("a", 1, None), ("b", 1, 2), ("a", 2, None), ("b", 2, 2), ("c", None, None)]
    assert statements(script)[1].location.line == 3
    assert texts(script)[1].endswith("1 END FROM t")
    assert texts(script)[-1] == "INSERT INTO c SELECT 3"


def test_a_directive_may_follow_begin() -> None:
    statement = only("EXECUTE STATEMENT SET BEGIN\n-- funshare: slots=3\nINSERT INTO a SELECT 1;\nEND;")
    assert statement.directives.slots == 3


@pytest.mark.parametrize("head", ["EXPLAIN STATEMENT SET BEGIN", "EXPLAIN PLAN FOR STATEMENT SET BEGIN"])
def test_explaining_a_set_is_one_statement(head: str) -> None:
    script = f"{head} INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;\nSHOW TABLES"
    assert [s.kind for s in statements(script)] == [KIND.INFO, KIND.INFO]
    assert texts(script)[0] == f"{head} INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END"


@pytest.mark.parametrize(
    ("script", "line", "words"),
    [
        ("SHOW TABLES;\nEND;", 2, "END without BEGIN"),
        ("\nBEGIN STATEMENT SET; INSERT INTO a SELECT 1;", 2, "never closed"),
        ("EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1;", 1, "never closed"),
        ("BEGIN STATEMENT SET;\nEXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;", 2, "line 1"),
    ],
)
def test_frames_of_statement_sets_must_match(script: str, line: int, words: str) -> None:
    message = refusal(script)
    assert f"tram.sql, line {line}" in message
    assert words in message


def test_only_inserts_stand_in_a_statement_set() -> None:
    script = "BEGIN STATEMENT SET; CREATE VIEW v AS SELECT 1; INSERT INTO a SELECT 1; END;"
    view, insert = statements(script)
    assert "holds only INSERTs" in (view.problem or "")
    assert insert.problem is None


def test_directives_go_to_the_next_query() -> None:
    script = """
    -- Night service.  funshare is not addressed here
    -- funshare: slots=2, name='night trams'
    /* funshare: min_rate_rps = 1e3
     * funshare: pinned=TRUE */
    CREATE TABLE a (x INT) WITH ('connector' = 'print');
    INSERT INTO a SELECT 1;
    -- funshare slots=4
    CREATE TABLE b WITH ('connector'='print') AS SELECT 1;
    INSERT INTO a SELECT 2;
    """
    ddl, first, ctas, last = statements(script)
    assert first.directives == Directives(slots=2, min_rate_rps=1000.0, pinned=True, name="night trams")
    assert ctas.directives == Directives(slots=4)
    assert ddl.directives == last.directives == Directives()


@pytest.mark.parametrize(
    ("directive", "words"),
    [
        ("slots=0", "1 or more, not 0"),
        ("slots=-1", "not -1"),
        ("slots=abc", "not 'abc'"),
        ("slots=1.5", "not '1.5'"),
        ("slots=2 slots=3", "said twice"),
        ("solts=2", "did you mean 'slots'"),
        ("priority=2", "the keys are slots"),
        ("min_rate_rps=0", "above 0"),
        ("min_rate_rps=inf", "above 0"),
        ("min_rate_rps=nan", "above 0"),
        ("pinned=maybe", "true or false"),
        ("name=''", "cannot be empty"),
        ("two slots, please", "key=value"),
        ("slots=", "key=value"),
        ("", "key=value"),
    ],
)
def test_bad_directives(directive: str, words: str) -> None:
    message = refusal(f"SHOW TABLES;\n\n-- funshare: {directive}\nINSERT INTO s SELECT 1;")
    assert message.startswith("tram.sql, line 3:")
    assert words in message


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("INSERT INTO s SELECT 1; -- funshare: slots=2\nINSERT INTO s SELECT 2;", 1),
        ("INSERT INTO s\n-- funshare: slots=2\nSELECT 1;", 2),
        ("INSERT INTO s SELECT 1\n-- funshare: slots=2", 2),
        ("INSERT INTO s SELECT 1;\n\n-- funshare: slots=2\nSHOW TABLES;", 3),
        ("INSERT INTO s SELECT 1;\n-- funshare: slots=2\n", 2),
    ],
)
def test_a_directive_that_would_be_lost_is_refused(script: str, line: int) -> None:
    assert f"tram.sql, line {line}:" in refusal(script)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("INSERT INTO s SELECT 1", "s"),
        ("insert overwrite cat.`my db`.`odd;``sink` (a, b) SELECT 1", "odd;`sink"),
        ("INSERT INTO s PARTITION (d='x') (a) SELECT 1", "s"),
        ("INSERT INTO /* c */ db . s /*+ OPTIONS('a'='b') */ SELECT 1", "s"),
        ("INSERT INTO s(a) VALUES (1)", "s"),
        ("INSERT INTO TABLE s SELECT 1", "s"),
        ("INSERT INTO ${sink} SELECT 1", None),
        ("INSERT", None),
        ("CREATE TABLE IF NOT EXISTS db.c WITH ('a'='(') AS SELECT 1", "c"),
        ("CREATE OR REPLACE TABLE `c c` (k INT) AS SELECT 1", "c c"),
        ("REPLACE TABLE c AS SELECT 1", "c"),
        ("CREATE TABLE t (a AS 1 + 1, b INT)", None),
        ("CREATE VIEW v AS SELECT 1", None),
        ("CREATE", None),
    ],
)
def test_sink_names(text: str, name: str | None) -> None:
    statement = only(text)
    assert sink_name(statement) == name
    assert is_ctas(statement) == (name is not None and statement.kind is KIND.DDL)
    assert is_query(statement) == (statement.kind is KIND.INSERT or is_ctas(statement))


def test_placeholders_count_but_not_in_comments() -> None:
    statement = only("\n\nINSERT INTO s -- ${no}\nSELECT '${A}', `${B}` /* ${no} */\nFROM ${C.d}")
    assert [(p.text, p.line) for p in find_placeholders(statement)] == [("${A}", 4), ("${B}", 4), ("${C.d}", 5)]
    assert find_placeholders(only("INSERT INTO s SELECT '$.a', '{b}' FROM t")) == ()


def test_python_functions() -> None:
    found = python_function(only("CREATE TEMPORARY FUNCTION IF NOT EXISTS db.f AS 'a.b.f' -- c\n LANGUAGE python"))
    assert found is not None
    assert (found.name, found.module, found.attribute) == ("f", "a.b", "f")
    assert python_function(only("CREATE FUNCTION f AS 'com.acme.F' LANGUAGE JAVA")) is None
    assert python_function(only("INSERT INTO s SELECT f AS LANGUAGE")) is None


# The law: whatever stands inside literals, names and comments, a script falls apart into just its statements.
_inner = st.text(alphabet=";'`\"-/*+ \nab\\é$", max_size=8)
_literal = _inner.map(lambda s: "'" + s.replace("'", "''") + "'")
_name = _inner.map(lambda s: "`" + s.replace("`", "``").replace("\n", " ") + "`")
_comment = st.one_of(
    _inner.map(lambda s: "--" + s.replace("\n", " ") + "\n"),
    _inner.map(lambda s: "/* " + s.replace("*/", "") + " */"),
)
_hint = _literal.map(lambda s: f"/*+ OPTIONS('k'={s}) */")
_word = st.sampled_from(["SELECT", "end", "a1", "=", "(", ")", ",", "U&''", "X'00'", "<>", "é", "1.5"])
_body = st.lists(st.one_of(_literal, _name, _comment, _hint, _word), max_size=8)
_statement = _body.map(lambda parts: " ".join(["INSERT INTO s SELECT", *parts, "1"]))
_gap = st.lists(st.one_of(_comment, st.sampled_from([" ", "\n", "\r\n", ";"])), max_size=3).map("".join)


@given(st.lists(st.tuples(_gap, _statement, _gap), max_size=5))
def test_split_gives_back_the_statements(parts: list[tuple[str, str, str]]) -> None:
    script = ";".join(before + statement + after for before, statement, after in parts)
    found = split_script(script, "any.sql").statements
    assert [s.text for s in found] == [statement for _, statement, _ in parts]
    assert [s.location.statement for s in found] == list(range(1, len(parts) + 1))


@given(st.text(alphabet=";'`\"-/*+ \nENDBGI:=$>(){}", max_size=40))
def test_any_text_is_split_or_refused(text: str) -> None:
    try:
        found = split_script(text, "any.sql").statements
    except BadInputError:
        return
    for statement in found:
        assert statement.text in text
        find_placeholders(statement), sink_name(statement), is_query(statement), python_function(statement)
