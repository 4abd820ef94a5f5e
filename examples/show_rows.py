"""Prints the first rows of a topic and how many there are: `python examples/show_rows.py TOPIC [--rows N]`."""

from __future__ import annotations

import argparse
import sys

from funshare_flink.kafka.outputs import read_rows
from funshare_flink.model.errors import FunShareError


def main() -> int:
    """Exit code 1 with one message when the topic cannot be read."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("topic")
    options.add_argument("--bootstrap", default="localhost:9092", help="default: localhost:9092")
    options.add_argument("--rows", type=int, default=5, help="default: 5")
    args = options.parse_args()
    try:
        rows = read_rows(args.bootstrap, args.topic)
    except FunShareError as e:
        print(f"show_rows: {e}", file=sys.stderr)
        return 1
    for row in sorted(rows)[: args.rows]:
        print(row.decode())
    print(f"{rows.total():,} rows in {args.topic}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
