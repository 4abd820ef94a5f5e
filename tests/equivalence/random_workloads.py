"""Hypothesis strategies for whole workloads: one join, random filters, residuals, tails and groupings."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.equivalence.awkward_data import TABLES

_INTERVALS = [
    "r.ts BETWEEN l.ts AND l.ts + INTERVAL '15' SECOND",
    "r.ts >= l.ts - INTERVAL '10' SECOND AND r.ts < l.ts",
]
_WINDOWS = [
    "TUMBLE(TABLE {t}, DESCRIPTOR(ts), INTERVAL '10' SECOND)",
    "HOP(TABLE {t}, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
    "CUMULATE(TABLE {t}, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '20' SECOND)",
]
_KEYS = ["l.id = r.fk", "l.id = r.fk AND l.grp = r.grp"]
_RESIDUALS = ["l.num > r.num", "l.num + r.num >= 8", "l.name = 'ab' OR r.kind = 'num'", "l.amount <> r.price"]


@dataclass(frozen=True)
class RandomWorkload:
    """A script (with {prefix} and {bootstrap} left to fill in) and how its queries are grouped."""

    script: str
    partition: tuple[tuple[str, ...], ...]
    seed: int


def _number_test(column: str) -> st.SearchStrategy[str]:
    value = st.integers(-6, 20)
    return st.one_of(
        st.builds(lambda op, v: f"{column} {op} {v}", st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), value),
        st.builds(lambda a, b: f"{column} BETWEEN {min(a, b)} AND {max(a, b)}", value, value),
        st.builds(lambda vs: f"{column} IN ({', '.join(map(str, vs))})", st.lists(value, min_size=1, max_size=5)),
        st.builds(lambda vs: f"{column} NOT IN ({', '.join(map(str, vs))})", st.lists(value, min_size=2, max_size=4)),
        st.builds(lambda m: f"MOD({column}, 3) = {m}", st.integers(0, 2)),
        st.builds(lambda v: f"COALESCE({column}, 7) > {v}", value),
        st.sampled_from([f"{column} IS NULL", f"{column} IS NOT NULL"]),
    )


def _text_test(column: str) -> st.SearchStrategy[str]:
    value = st.sampled_from(["'ab'", "'abc'", "''", "'é;ß'", "'x''y'", "'num'", "'text'"])
    return st.one_of(
        st.builds(lambda op, v: f"{column} {op} {v}", st.sampled_from(["=", "<>", "<", ">="]), value),
        st.builds(lambda vs: f"{column} IN ({', '.join(vs)})", st.lists(value, min_size=1, max_size=3)),
        st.sampled_from([f"{column} LIKE 'a%'", f"{column} LIKE '%b'", f"UPPER({column}) = 'AB'"]),
        st.sampled_from([f"CHAR_LENGTH({column}) > 2", f"{column} IS NULL", f"{column} IS DISTINCT FROM 'ab'"]),
    )


def _amount_test(column: str) -> st.SearchStrategy[str]:
    return st.builds(
        lambda op, v: f"{column} {op} {v}",
        st.sampled_from(["=", "<>", "<", ">="]),
        st.sampled_from(["0.3", "10.00", "25", "2.25"]),
    )


_LEFT = st.one_of(
    _number_test("l.num"), _text_test("l.name"), _amount_test("l.amount"), _amount_test("l.ratio"),
    st.sampled_from(["l.flag", "NOT l.flag", "l.flag IS NOT TRUE"]), _number_test("l.grp"),
)  # fmt: skip
_RIGHT = st.one_of(
    _number_test("r.num"), _text_test("r.kind"), _text_test("r.note"), _amount_test("r.price"), _amount_test("r.weight")
)


def _condition(leaf: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A leaf, or two of them under AND, OR or NOT."""
    return st.one_of(
        leaf,
        st.builds(lambda a, op, b: f"({a} {op} {b})", leaf, st.sampled_from(["AND", "OR"]), leaf),
        st.builds(lambda a: f"NOT ({a})", leaf),
        st.builds(lambda a, b: f"CASE WHEN {a} THEN {b} ELSE FALSE END", leaf, leaf),
    )


@st.composite
def filters(draw: st.DrawFn) -> str:
    """What one query asks of both sides, and sometimes of both together."""
    terms = draw(st.lists(_condition(_LEFT), max_size=2)) + draw(st.lists(_condition(_RIGHT), max_size=2))
    if draw(st.integers(0, 4)) == 0:
        terms.append(f"({draw(st.sampled_from(_RESIDUALS))})")
    return " AND ".join(terms) or "TRUE"


def _kafka(name: str, columns: str) -> str:
    return (
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'kafka', 'topic' = '{{prefix}}{name}', "
        "'properties.bootstrap.servers' = '{bootstrap}', 'format' = 'json');\n"
    )


def _upsert(name: str, columns: str, key: str) -> str:
    return (
        f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', "
        f"'topic' = '{{prefix}}{name}', 'properties.bootstrap.servers' = '{{bootstrap}}', 'key.format' = 'json', "
        "'value.format' = 'json');\n"
    )


@dataclass(frozen=True)
class _Joined:
    """The FROM clause of a query with its filter, and whether its rows have a time attribute `r.ts` or a window."""

    source: str
    kind: str


def _projection(name: str, j: _Joined) -> str:
    return _kafka(name, "id BIGINT, n INT, kind STRING, w DOUBLE, t TIMESTAMP(3)") + (
        f"INSERT INTO {name} SELECT l.id, l.num, r.kind, r.weight, CAST(r.ts AS TIMESTAMP(3)) FROM {j.source};\n"
    )


def _group_by(name: str, j: _Joined) -> str:
    return _upsert(name, "g INT, n BIGINT, s DECIMAL(38, 2), m INT, w DOUBLE", "g") + (
        f"INSERT INTO {name} SELECT g, COUNT(*), SUM(price), MAX(num), AVG(weight) FROM "
        f"(SELECT COALESCE(l.grp, -1) AS g, r.price, r.num, r.weight FROM {j.source}) GROUP BY g;\n"
    )


def _top_n(name: str, j: _Joined) -> str:
    return _upsert(name, "g INT, rk BIGINT, num INT, id BIGINT, price DECIMAL(8, 2)", "g, rk") + (
        f"INSERT INTO {name} SELECT g, rk, num, id, price FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY "
        "num DESC, id ASC, price ASC) AS rk FROM "
        f"(SELECT COALESCE(r.grp, -1) AS g, r.num, l.id, r.price FROM {j.source})) WHERE rk <= 3;\n"
    )


def _tumble(name: str, j: _Joined) -> str:
    return _windowed(name, j, "TUMBLE(TABLE {v}, DESCRIPTOR(ts), INTERVAL '10' SECOND)")


def _hop(name: str, j: _Joined) -> str:
    return _windowed(name, j, "HOP(TABLE {v}, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '20' SECOND)")


def _windowed(name: str, j: _Joined, window: str) -> str:
    view = f"v_{name}"
    return _kafka(name, "s TIMESTAMP(3), g INT, n BIGINT, d BIGINT, p DECIMAL(38, 2)") + (
        f"CREATE TEMPORARY VIEW {view} AS SELECT l.grp, l.name, r.price, r.ts FROM {j.source};\n"
        f"INSERT INTO {name} SELECT window_start, grp, COUNT(*), COUNT(DISTINCT name), SUM(price) FROM "
        f"TABLE({window.format(v=view)}) GROUP BY window_start, window_end, grp;\n"
    )


def _over(name: str, j: _Joined) -> str:
    return _kafka(name, "id BIGINT, n BIGINT, m INT") + (
        f"CREATE TEMPORARY VIEW v_{name} AS SELECT l.id, r.num, r.ts FROM {j.source};\n"
        f"INSERT INTO {name} SELECT id, COUNT(*) OVER w, MAX(num) OVER w FROM v_{name} WINDOW w AS "
        "(PARTITION BY id ORDER BY ts RANGE BETWEEN INTERVAL '20' SECOND PRECEDING AND CURRENT ROW);\n"
    )


def _window_rows(name: str, j: _Joined) -> str:
    return _kafka(name, "s TIMESTAMP(3), id BIGINT, num INT, note STRING") + (
        f"INSERT INTO {name} SELECT l.window_start, l.id, l.num, r.note FROM {j.source};\n"
    )


def _window_counts(name: str, j: _Joined) -> str:
    return _kafka(name, "s TIMESTAMP(3), e TIMESTAMP(3), kind STRING, n BIGINT") + (
        f"INSERT INTO {name} SELECT window_start, window_end, kind, COUNT(*) FROM "
        f"(SELECT l.window_start, l.window_end, r.kind FROM {j.source}) GROUP BY window_start, window_end, kind;\n"
    )


_TAILS = {
    "regular": [_projection, _group_by, _top_n],
    "interval": [_projection, _group_by, _top_n, _tumble, _hop, _over],
    "window": [_window_rows, _window_counts],
}


@st.composite
def workloads(draw: st.DrawFn, queries: int = 12) -> RandomWorkload:
    """A workload of one share class and a partition of its queries into groups."""
    kind = draw(st.sampled_from(list(_TAILS)))
    key = draw(st.sampled_from(_KEYS))
    bound = draw(st.sampled_from(_INTERVALS)) if kind == "interval" else ""
    window = draw(st.sampled_from(_WINDOWS)) if kind == "window" else ""
    script = TABLES
    for i in range(queries):
        joined = _Joined(_source(draw, key, bound, window), kind)
        script += draw(st.sampled_from(_TAILS[kind]))(f"q{i}", joined)
    return RandomWorkload(script, draw(_partitions(queries)), draw(st.integers(0, 10_000)))


def _source(draw: st.DrawFn, key: str, bound: str, window: str) -> str:
    """The join as one of several ways to write it, with a filter of its own."""
    where = draw(filters())
    left, right = "l", "r"
    if window:
        left = f"(SELECT * FROM TABLE({window.format(t='l')})) l"
        right = f"(SELECT * FROM TABLE({window.format(t='r')})) r"
        key += " AND l.window_start = r.window_start AND l.window_end = r.window_end"
    first, second = draw(st.permutations([left, right]))
    on = f"{key} AND {bound}" if bound else key
    if draw(st.booleans()):
        return f"{first} JOIN {second} ON {on} WHERE {where}"
    return f"{first}, {second} WHERE {on} AND {where}"


@st.composite
def _partitions(draw: st.DrawFn, queries: int) -> tuple[tuple[str, ...], ...]:
    """Everything in one group, or each query in one of up to three groups."""
    groups = draw(st.integers(1, 3))
    place = [draw(st.integers(0, groups - 1)) for _ in range(queries)]
    parts = [tuple(f"q{i}" for i in range(queries) if place[i] == g) for g in range(groups)]
    return tuple(p for p in parts if p)
