"""How long `funshare check` takes: one new process per size, as a user would wait for it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.machine import print_figures
from funshare_flink.workloads import WorkloadParams, build_workload


def main(sizes: list[int]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        for queries in sizes:
            script = Path(folder) / f"w1_{queries}.sql"
            script.write_text(build_workload(WorkloadParams("W1", queries=queries)).script, encoding="utf-8")
            began = time.monotonic()
            command = [sys.executable, "-m", "funshare_flink.cli.main", "check", str(script), "--json"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            shareable = done.stdout.count('"verdict": "shareable"')
            seconds = round(time.monotonic() - began, 1)
            print_figures(benchmark="check", queries=queries, shareable=shareable, seconds=seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main([int(n) for n in sys.argv[1:]] or [128]))
