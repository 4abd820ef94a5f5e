"""Queries that cannot share the workload's join, each for another reason; the mixed workload has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from funshare_flink.workloads.joins import SHAPES, AttrRange, join_text
from funshare_flink.workloads.params import WorkloadParams
from funshare_flink.workloads.queries import QueryText
from funshare_flink.workloads.sql import interval


@dataclass(frozen=True)
class Unshareable:
    """One kind: how to write it, why it cannot share, whether two runs give the same rows."""

    write: Callable[[WorkloadParams, AttrRange], QueryText]
    reason: str
    repeatable: bool = True


def outer_join(params: WorkloadParams, chosen: AttrRange) -> QueryText:
    """The same join, but rows without a partner are kept."""
    select = f"SELECT {_key(params)} AS join_key, {SHAPES[params.variant].price} AS price"
    insert = (
        f"INSERT INTO {{sink}}\n{select}\n{join_text(params, 'LEFT JOIN')} AND {chosen.on('b')}\nWHERE {_thin(params)}"
    )
    return QueryText(insert, (("join_key", _key_type(params)), ("price", "BIGINT")))


def other_key(params: WorkloadParams, chosen: AttrRange) -> QueryText:
    """An interval join on other columns."""
    right_key = "b.bidder" if params.variant == "sparse" else "b.attr"
    select = f"SELECT {_key(params)} AS join_key, {SHAPES[params.variant].price} AS price, b.ts"
    insert = f"INSERT INTO {{sink}}\n{select}\n{join_text(params, right_key=right_key)}\nWHERE {chosen.on('b')}"
    return QueryText(insert, (("join_key", _key_type(params)), ("price", "BIGINT"), ("ts", "TIMESTAMP(3)")))


def temporal_join(params: WorkloadParams, chosen: AttrRange) -> QueryText:
    """Each row of b with the version of a that was valid at its time."""
    shape = SHAPES[params.variant]
    insert = (
        f"INSERT INTO {{sink}}\nSELECT {shape.left_key} AS join_key, {shape.price} AS price, b.ts\n"
        f"FROM {shape.right} AS b\n"
        f"JOIN {shape.left}_versions FOR SYSTEM_TIME AS OF b.ts AS a ON {shape.right_key} = {shape.left_key}\n"
        f"WHERE {chosen.on('b')}"
    )
    return QueryText(insert, (("join_key", _key_type(params)), ("price", "BIGINT"), ("ts", "TIMESTAMP(3)")))


def random_filter(params: WorkloadParams, chosen: AttrRange) -> QueryText:
    """The same join, sampled by chance: another sample each time it is evaluated."""
    select = f"SELECT {_key(params)} AS join_key, {SHAPES[params.variant].price} AS price, b.ts"
    insert = f"INSERT INTO {{sink}}\n{select}\n{join_text(params)}\nWHERE {chosen.on('b')} AND RAND() < 0.5"
    return QueryText(insert, (("join_key", _key_type(params)), ("price", "BIGINT"), ("ts", "TIMESTAMP(3)")))


def single_table(params: WorkloadParams, chosen: AttrRange) -> QueryText:
    """A windowed count without a join."""
    right = SHAPES[params.variant].right
    insert = (
        "INSERT INTO {sink}\nSELECT window_start, COUNT(*) AS row_count\n"
        f"FROM TABLE(TUMBLE(TABLE {right}, DESCRIPTOR(ts), {interval(params.window_s * 1000)}))\n"
        f"WHERE attr BETWEEN {chosen.low} AND {chosen.high}\nGROUP BY window_start, window_end"
    )
    return QueryText(insert, (("window_start", "TIMESTAMP(3)"), ("row_count", "BIGINT")))


def running_total(params: WorkloadParams, chosen: AttrRange) -> QueryText:
    """An aggregate that changes with every row: an upsert sink."""
    key, value = ("channel", "price") if params.variant == "sparse" else ("k", "val")
    insert = (
        f"INSERT INTO {{sink}}\nSELECT {key}, COUNT(*) AS row_count, SUM({value}) AS total\n"
        f"FROM {SHAPES[params.variant].right}\n"
        f"WHERE attr BETWEEN {chosen.low} AND {chosen.high}\nGROUP BY {key}"
    )
    key_type = "STRING" if params.variant == "sparse" else "INT"
    return QueryText(insert, ((key, key_type), ("row_count", "BIGINT"), ("total", "BIGINT")), primary_key=key)


def versions_view(params: WorkloadParams) -> str:
    """The versioned table that the temporal join looks into: the latest row of each key."""
    left = SHAPES[params.variant].left
    key = SHAPES[params.variant].left_key.removeprefix("a.")
    return (
        f"CREATE TEMPORARY VIEW {left}_versions AS\n"
        f"SELECT {key}, attr, ts FROM (\n"
        f"  SELECT *, ROW_NUMBER() OVER (PARTITION BY {key} ORDER BY ts DESC) AS age FROM {left}\n"
        ") WHERE age = 1;\n"
    )


KINDS: dict[str, Unshareable] = {
    "outer_join": Unshareable(outer_join, "the join is LEFT, not INNER"),
    "single_table": Unshareable(single_table, "there is no join"),
    "other_key": Unshareable(other_key, "the join's keys differ from the others'"),
    "random_filter": Unshareable(random_filter, "its filter is not deterministic", repeatable=False),
    "temporal_join": Unshareable(temporal_join, "the join is temporal"),
    "running_total": Unshareable(running_total, "there is no join"),
}


def _key(params: WorkloadParams) -> str:
    return SHAPES[params.variant].left_key


def _key_type(params: WorkloadParams) -> str:
    return "BIGINT" if params.variant == "sparse" else "INT"


def _thin(params: WorkloadParams) -> str:
    """Keeps a tenth of the left rows, or the outer join's unmatched rows would flood the sink."""
    return f"a.attr < {SHAPES[params.variant].attr_domain // 10}"
