"""Which sources can be shared, and when two scans read the same rows."""

from __future__ import annotations

import copy
import json
from typing import Any

from funshare_flink.plan.graph import Json

INSERT_ONLY_FORMATS = frozenset(
    {"json", "csv", "avro", "avro-confluent", "raw", "protobuf", "orc", "parquet", "json-registry"}
)
"""Kafka value formats that only ever insert (Flink docs, table formats). Anything else may carry updates."""

_GROUP_ID = "properties.group.id"
_SCAN_PARALLELISM = "scan.parallelism"
_IGNORED_OPTIONS = ("sink.", "properties.client.id", "properties.transaction.")
"""Options that never decide what a scan reads."""


def scan_table(scan: Json) -> Json:
    """The catalog table of a scan node's JSON: `{"identifier", "resolvedTable"}`."""
    table: Json = scan["scanTableSource"]["table"]
    return table


def table_options(table: Json) -> dict[str, str]:
    """The table's effective options (hints are merged in by Flink); empty when the plan does not carry them."""
    return dict(table.get("resolvedTable", {}).get("options", {}))


def table_name(table: Json) -> str:
    """The last part of the table's identifier, unquoted.

    >>> table_name({"identifier": "`c`.`d`.`a``b`"})
    'a`b'
    """
    text = str(table.get("identifier", "?"))
    last = text[1:-1].split("`.`")[-1] if text.startswith("`") else text.split(".")[-1]
    return last.replace("``", "`")


def not_shareable_source(scan: Json) -> str | None:
    """Why a scan can never be shared, or None."""
    table = scan_table(scan)
    options = table_options(table)
    connector = options.get("connector", "an unknown connector")
    name = table_name(table)
    if connector == "upsert-kafka":
        return f"changelog input: table {name} is upsert-kafka"
    if connector != "kafka":
        return f"only Kafka sources are shared: table {name} uses {connector}"
    value_format = options.get("value.format", options.get("format", "?"))
    if value_format not in INSERT_ONLY_FORMATS:
        return f"changelog input: table {name} has format {value_format}"
    return None


def scan_identity(scan: Json) -> dict[str, Any]:
    """What must be equal for two scans to read the same rows with the same watermarks: schema, options that
    decide what is read, abilities (watermark, idle time-out, metadata), node configuration. Not the table's
    name: a hint or a second table with equal definition reads the same."""
    table = scan_table(scan)
    return {
        "schema": _schema_identity(table.get("resolvedTable", {}).get("schema", {})),
        "options": reading_options(table_options(table)),
        "abilities": _without_text(scan["scanTableSource"].get("abilities", [])),
        "configuration": scan.get("configuration"),
    }


def reading_options(options: dict[str, str]) -> dict[str, str]:
    """The options that decide what is read. The consumer group decides only when reading starts from its
    committed offsets, which is also the default start."""
    by_group = options.get("scan.startup.mode", "group-offsets").lower() == "group-offsets"  # Flink takes any case
    return {k: v for k, v in options.items() if not k.startswith(_IGNORED_OPTIONS) and (k != _GROUP_ID or by_group)}


def _schema_identity(schema: Json) -> Any:
    return _without_text({k: v for k, v in schema.items() if k != "comment"})


def _without_text(value: Any) -> Any:
    """JSON without what only people read (SQL text of expressions, comments)."""
    if isinstance(value, dict):
        return {k: _without_text(v) for k, v in value.items() if k not in ("serializableString", "comment")}
    if isinstance(value, list):
        return [_without_text(v) for v in value]
    return json.loads(json.dumps(value))


def topics_of(table: Json) -> tuple[str, ...]:
    """The topics that a Kafka table reads; none for a pattern or another connector."""
    options = table_options(table)
    if options.get("connector") != "kafka" or "topic" not in options:
        return ()
    return tuple(t.strip() for t in options["topic"].split(";"))


def with_scan_parallelism(scan: Json, parallelism: int) -> Json:
    """The scan with fewer subtasks than its job has; unchanged where the user has said how many."""
    if _SCAN_PARALLELISM in table_options(scan_table(scan)):
        return scan
    changed = copy.deepcopy(scan)
    changed["scanTableSource"]["table"]["resolvedTable"]["options"][_SCAN_PARALLELISM] = str(parallelism)
    return changed
