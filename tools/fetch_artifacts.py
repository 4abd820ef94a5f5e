"""Brings the connectors and the broker's jars into the checkout's state folder; a no-op when they are there."""

from __future__ import annotations

import sys
from pathlib import Path

from funshare_flink.embedded.artifacts import fetch, fetch_for_planner
from funshare_flink.model.errors import FunShareError

STATE_DIR = Path(__file__).resolve().parent.parent / ".funshare"


def main() -> int:
    """Exit code 1 with one message when something cannot be fetched."""
    try:
        fetch(STATE_DIR)
        fetch_for_planner(STATE_DIR)
    except FunShareError as e:
        print(f"fetch_artifacts: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
