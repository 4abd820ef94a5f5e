"""How fast the Nexmark generator fills topics of an embedded broker that has nothing else to do."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.machine import print_figures
from funshare_flink import wiring
from funshare_flink.embedded import cluster
from funshare_flink.kafka.nexmark import DeliverySettings, NexmarkSettings


def main(events: int) -> int:
    place = wiring.Place.of(None, None)
    with tempfile.TemporaryDirectory() as folder:
        config = replace(wiring.embedded_config(place, slots=2), state_dir=Path(folder), artifacts_dir=place.state_dir)
        state = cluster.up(config)
        try:
            for run in range(3):
                delivery = DeliverySettings(state.bootstrap_servers, topic_prefix=f"speed{run}-")
                report = wiring.nexmark(place, NexmarkSettings(delivery, events=events)).run()
                rate = round(report.events / report.seconds)
                print_figures(benchmark="generator", run=run, events=report.events, events_per_second=rate)
        finally:
            cluster.down(Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000_000))
