"""Writes ../resources/vectors.json: specs, rows and the bits that a plain evaluator finds.

Run it by hand after a change of the spec's format; the result is committed, and both the JUnit tests
and the Python tests read it. It shares no code with the kernel: it evaluates query by query.
Deterministic: seeded, and sorted where a set is written.
"""

from __future__ import annotations

import json
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

SEED = 20240607
INT_EDGES = [-(2**63), -(2**63) + 1, -1, 0, 1, 2**63 - 2, 2**63 - 1]
STRINGS = ["", "a", "aa", "ab", "b", "z", "\u00e4", "\u4e2d", "\ue000", "\uffff", "\U00010000", "\U0001f600"]


def key(kind: str, value: Any) -> Any:
    """What a value is ordered by; strings by UTF-16 units, as Flink orders Java strings."""
    match kind:
        case "STRING":
            return value.encode("utf-16-be")
        case "DECIMAL":
            return Decimal(value)
        case _:
            return value


def accepts(kind: str, chosen: dict[str, Any], value: Any) -> bool:
    if value is None:
        return bool(chosen["nulls"])
    return any(in_range(kind, bounds, key(kind, value)) for bounds in chosen["ranges"])


def in_range(kind: str, bounds: list[Any], value: Any) -> bool:
    low, low_inclusive, high, high_inclusive = bounds
    if low is not None and not (value > key(kind, low) or (low_inclusive and value == key(kind, low))):
        return False
    return high is None or value < key(kind, high) or (high_inclusive and value == key(kind, high))


def tagged(spec: dict[str, Any], columns: list[Any], opaque: list[bool | None]) -> list[int]:
    bits = set(range(spec["queries"]))
    for column, value in zip(spec["columns"], columns, strict=True):
        for chosen in column["sets"]:
            if not accepts(column["type"], chosen, value):
                bits -= set(chosen["bits"])
    for needing, outcome in zip(spec["opaque"], opaque, strict=True):
        if outcome is not True:
            bits -= set(needing)
    return sorted(bits)


def vector(name: str, spec: dict[str, Any], rows: list[tuple[list[Any], list[bool | None]]]) -> dict[str, Any]:
    return {
        "name": name,
        "spec": spec,
        "rows": [{"columns": c, "opaque": o, "bits": tagged(spec, c, o)} for c, o in rows],
    }


def spec_of(queries: int, columns: list[dict[str, Any]], opaque: list[list[int]] | None = None) -> dict[str, Any]:
    return {"v": 1, "queries": queries, "columns": columns, "opaque": opaque or []}


def column(kind: str, *sets: tuple[list[int], list[list[Any]], bool]) -> dict[str, Any]:
    return {"type": kind, "sets": [{"bits": b, "ranges": r, "nulls": n} for b, r, n in sets]}


def hand_made() -> list[dict[str, Any]]:
    point = lambda v: [v, True, v, True]  # noqa: E731
    ints = column(
        "INT64",
        ([0], [[3, True, 7, True]], False),
        ([1], [[3, False, 7, False]], False),
        ([2], [[None, False, 5, False], [8, True, None, False]], True),
        ([3], [point(1), point(5), point(9)], False),
        ([4], [], False),
        ([5], [[None, False, None, False]], False),
        ([6], [[None, False, None, False]], True),
        ([7], [], True),
        ([8], [[7, True, 3, True], [5, False, 5, True]], False),
    )
    edges = column(
        "INT64",
        ([0], [[2**63 - 1, False, None, False]], False),
        ([1], [[2**63 - 1, True, 2**63 - 1, True]], False),
        ([2], [[None, False, -(2**63), True]], False),
        ([3], [[None, False, -(2**63), False]], False),
        ([4], [[-(2**63), False, 2**63 - 1, False]], False),
    )
    texts = column(
        "STRING",
        ([0], [point("")], False),
        ([1], [["a", False, "b", False]], False),
        ([2], [["\u00e4", True, None, False]], False),
        ([3], [["\U00010000", True, None, False]], False),
        ([4], [[None, False, "\ue000", False]], True),
    )
    decimals = column(
        "DECIMAL",
        ([0], [point("1.0")], False),
        ([1], [["1.00", False, "2.5", True]], False),
        ([2], [[None, False, "-0.001", True]], True),
        ([3], [["99999999999999999999999999999999999999", True, None, False]], False),
    )
    flags = column(
        "BOOLEAN", ([0], [point(True)], False), ([1], [point(False)], False), ([2], [point(False)], True)
    )
    several = spec_of(
        4,
        [
            column("INT64", ([0, 1], [[0, True, 10, False]], False), ([1], [[5, True, None, False]], False)),
            column("INT64", ([1, 2], [[0, True, 10, False]], False)),
        ],
        [[0, 2], [2]],
    )
    outcomes: list[list[bool | None]] = [[a, b] for a in (True, False, None) for b in (True, False, None)]
    return [
        vector("one query that nothing names", spec_of(1, []), [([], [])]),
        vector("integers", spec_of(10, [ints]), [([v], []) for v in [None, *range(11)]]),
        vector("integer edges", spec_of(5, [edges]), [([v], []) for v in INT_EDGES]),
        vector("strings", spec_of(5, [texts]), [([v], []) for v in [None, *STRINGS]]),
        vector(
            "decimals",
            spec_of(4, [decimals]),
            [([v], []) for v in [None, "1", "1.000", "1.01", "2.50", "2.51", "-0.001", "0", "9" * 38]],
        ),
        vector("booleans", spec_of(3, [flags]), [([v], []) for v in (None, True, False)]),
        vector(
            "several sets and opaque predicates",
            several,
            [([a, b], o) for a in (None, 3, 7) for b in (None, 3, 12) for o in outcomes],
        ),
    ]


def random_value(chance: random.Random, kind: str) -> Any:
    match kind:
        case "INT64":
            return chance.choice([chance.randrange(100), chance.randrange(100), chance.choice(INT_EDGES)])
        case "STRING":
            return chance.choice(STRINGS)
        case "DECIMAL":
            return f"{chance.randrange(-500, 500) / 100:.{chance.randrange(2, 5)}f}"
        case _:
            return chance.random() < 0.5


def random_spec(chance: random.Random, queries: int, named: float) -> dict[str, Any]:
    columns = []
    for kind in ("INT64", "STRING", "DECIMAL", "BOOLEAN"):
        sets = []
        for bit in range(queries):
            if chance.random() < named:
                sets.append(([bit], random_ranges(chance, kind), chance.random() < 0.3))
        columns.append(column(kind, *sets))
    opaque = [sorted(chance.sample(range(queries), queries // 3)) for _ in range(2)]
    return spec_of(queries, columns, opaque)


def random_ranges(chance: random.Random, kind: str) -> list[list[Any]]:
    ranges = []
    for _ in range(chance.randrange(3)):
        low, high = sorted((random_value(chance, kind), random_value(chance, kind)), key=lambda v: key(kind, v))
        ranges.append(
            [
                None if chance.random() < 0.2 else low,
                chance.random() < 0.5,
                None if chance.random() < 0.2 else high,
                chance.random() < 0.5,
            ]
        )
    return ranges


def random_vectors(chance: random.Random) -> list[dict[str, Any]]:
    found = []
    for queries in (1, 2, 63, 64, 65, 128, 1000):
        spec = random_spec(chance, queries, named=0.4 if queries < 1000 else 0.05)
        rows = []
        for _ in range(12):
            values = [
                None if chance.random() < 0.15 else random_value(chance, c["type"]) for c in spec["columns"]
            ]
            rows.append((values, [chance.choice([True, False, None]) for _ in spec["opaque"]]))
        found.append(vector(f"random, {queries} queries", spec, rows))
    return found


def main() -> None:
    vectors = hand_made() + random_vectors(random.Random(SEED))
    lines = [json.dumps(v, separators=(",", ":")) for v in vectors]
    target = Path(__file__).parent.parent / "resources" / "vectors.json"
    target.write_text('{"vectors":[\n' + ",\n".join(lines) + "\n]}\n", encoding="ascii")


if __name__ == "__main__":
    main()
