"""The queries that can share their join: one shape of join, several tails."""

from __future__ import annotations

from dataclasses import dataclass

from funshare_flink.workloads.joins import SHAPES, JoinShape, join_text
from funshare_flink.workloads.params import WorkloadParams
from funshare_flink.workloads.sql import Columns, interval, literal

EXACT = "DECIMAL(18, 2)"
"""Averages are taken of decimals, so that they do not depend on the order of addition."""

AVERAGE_TYPE = "DECIMAL(38, 6)"
"""What Flink's AVG of DECIMAL(18, 2) gives."""


@dataclass(frozen=True)
class QueryText:
    """One query: its INSERT without semicolon (with `{sink}` for the sink's name), and its sink's columns."""

    insert: str
    columns: Columns
    primary_key: str | None = None


@dataclass(frozen=True)
class WindowedTail:
    """A tumbling window's aggregate over joined rows.

    `select`: (expression, name) over the join, `ts` is added; `keys`: (name, type) to group by;
    `aggregates`: (expression, name, type).
    """

    select: tuple[tuple[str, str], ...]
    keys: Columns
    aggregates: tuple[tuple[str, str, str], ...]


def category_average(shape: JoinShape) -> WindowedTail:
    """Average price and number of rows per category."""
    return WindowedTail(
        select=((shape.category, "category"), (shape.price, "price")),
        keys=(("category", "INT"),),
        aggregates=((f"AVG(CAST(price AS {EXACT}))", "avg_price", AVERAGE_TYPE), ("COUNT(*)", "row_count", "BIGINT")),
    )


def seller_average(shape: JoinShape) -> WindowedTail:
    """Average price per seller (dense: per key)."""
    return WindowedTail(
        select=((shape.seller, "seller"), (shape.price, "price")),
        keys=(("seller", "INT" if shape.seller == "a.k" else "BIGINT"),),
        aggregates=((f"AVG(CAST(price AS {EXACT}))", "avg_price", AVERAGE_TYPE),),
    )


def price_anomaly(params: WorkloadParams) -> WindowedTail:
    """The most unusual gain per category, by a function whose cost per row is a setting.

    The argument uses both sides of the join: Flink would compute it before the join otherwise.
    """
    shape = SHAPES[params.variant]
    call = f"PRICE_ANOMALY({shape.gain}, CAST({params.anomaly_cost_ns} AS BIGINT), {literal(params.anomaly_mode)})"
    return WindowedTail(
        select=((shape.category, "category"), (call, "score")),
        keys=(("category", "INT"),),
        aggregates=(("MAX(score)", "max_score", "DOUBLE"), ("COUNT(*)", "row_count", "BIGINT")),
    )


def fingerprint(shape: JoinShape) -> WindowedTail:
    """W3: a wide row, hashed; the hash is what makes the tail heavy."""
    return WindowedTail(
        select=((shape.category, "category"), (shape.gain, "gain"), (_hash(shape), "fingerprint")),
        keys=(("category", "INT"),),
        aggregates=(
            ("SUM(gain)", "total_gain", "BIGINT"),
            ("MAX(fingerprint)", "last_fingerprint", "STRING"),
            ("COUNT(*)", "row_count", "BIGINT"),
        ),
    )


def windowed(params: WorkloadParams, tail: WindowedTail, conditions: tuple[str, ...]) -> QueryText:
    """join -> filter -> tumbling window -> aggregate."""
    keys = ", ".join(name for name, _ in tail.keys)
    aggregates = ", ".join(f"{expression} AS {name}" for expression, name, _ in tail.aggregates)
    insert = (
        "INSERT INTO {sink}\n"
        f"WITH joined AS (\n{_indented(_joined_rows(params, tail.select, conditions))}\n)\n"
        f"SELECT window_start, {keys}, {aggregates}\n"
        f"FROM TABLE(TUMBLE(TABLE joined, DESCRIPTOR(ts), {interval(params.window_s * 1000)}))\n"
        f"GROUP BY window_start, window_end, {keys}"
    )
    results = tuple((name, sql_type) for _, name, sql_type in tail.aggregates)
    return QueryText(insert, (("window_start", "TIMESTAMP(3)"), *tail.keys, *results))


def projection(params: WorkloadParams, conditions: tuple[str, ...]) -> QueryText:
    """join -> filter -> every row to the sink; W3 and W2 add their costly column."""
    shape = SHAPES[params.variant]
    select = [(shape.seller, "seller"), (shape.category, "category"), (shape.price, "price"), (shape.gain, "gain")]
    types = ["INT" if params.variant == "dense" else "BIGINT", "INT", "BIGINT", "BIGINT"]
    if params.name == "W3":
        select.append((_hash(shape), "fingerprint"))
        types.append("STRING")
    columns = tuple((name, sql_type) for (_, name), sql_type in zip(select, types, strict=True))
    insert = "INSERT INTO {sink}\n" + _joined_rows(params, tuple(select), conditions)
    return QueryText(insert, (*columns, ("ts", "TIMESTAMP(3)")))


def shareable(params: WorkloadParams, number: int, conditions: tuple[str, ...]) -> tuple[str, QueryText]:
    """(kind, text) of the workload's query `number`; W2 takes its three tails in turn."""
    if params.tail == "projection":
        return "projection", projection(params, conditions)
    shape = SHAPES[params.variant]
    if params.name == "W3":
        return "fingerprint", windowed(params, fingerprint(shape), conditions)
    if params.name == "W2" and number % 3 == 1:
        return "seller_avg", windowed(params, seller_average(shape), conditions)
    if params.name == "W2" and number % 3 == 2:
        return "price_anomaly", windowed(params, price_anomaly(params), conditions)
    return "category_avg", windowed(params, category_average(shape), conditions)


def _hash(shape: JoinShape) -> str:
    return f"SHA256(CONCAT_WS('|', {', '.join(shape.texts)}, CAST({shape.gain} AS STRING)))"


def _joined_rows(params: WorkloadParams, select: tuple[tuple[str, str], ...], conditions: tuple[str, ...]) -> str:
    columns = ", ".join(f"{expression} AS {name}" for expression, name in select)
    return f"SELECT {columns}, b.ts\n{join_text(params)}\nWHERE " + " AND ".join(conditions)


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())
