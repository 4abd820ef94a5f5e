"""Ends embedded clusters whose state lies below a folder: what a killed test run may have left behind.

Processes are known by the owner's mark in their environment, never by name.
"""

from __future__ import annotations

import sys
from pathlib import Path

from funshare_flink.embedded import processes

GRACE_S = 10.0


def main(folder: str) -> int:
    """Prints how many processes were ended, if any. `folder` is the common parent of the clusters' state."""
    prefix = f"{Path(folder).resolve()}/"
    ended: list[processes.ProcessId] = []
    for owner in _owners(prefix):
        ended += processes.end_owned(owner, None, GRACE_S)
    if ended:
        print(f"ended {len(ended)} processes that tests left behind", file=sys.stderr)
    return 0


def _owners(prefix: str) -> set[str]:
    """State folders below `prefix` that living processes are marked with."""
    wanted = f"{processes.OWNER_VARIABLE}="
    found = set()
    for entry in processes.PROC.glob("[0-9]*/environ"):
        try:
            environment = entry.read_bytes().decode(errors="replace")
        except OSError:
            continue  # gone, or another user's
        marks = (v.removeprefix(wanted) for v in environment.split("\0") if v.startswith(wanted))
        found |= {mark.rpartition("|")[0] for mark in marks if mark.startswith(prefix)}
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
