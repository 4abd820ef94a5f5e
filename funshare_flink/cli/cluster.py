"""`funshare up` and `funshare down`: the embedded cluster."""

from __future__ import annotations

import argparse

from funshare_flink import wiring
from funshare_flink.cli.printing import note, print_rows
from funshare_flink.embedded import cluster
from funshare_flink.embedded.config import EmbeddedConfig

COLUMNS = ("rest_url", "bootstrap_servers", "slots", "flink", "kafka", "state_dir")


def up(args: argparse.Namespace) -> int:
    place = wiring.Place.of(args.state_dir, None)
    note("starting Flink and Kafka (the first time, jars are fetched)")
    state = cluster.up(
        EmbeddedConfig(
            state_dir=place.state_dir,
            task_managers=args.task_managers,
            slots_per_task_manager=args.slots,
            taskmanager_memory_mb=args.memory_mb,
            rest_port=args.rest_port,
            kafka_port=args.kafka_port,
            kernel_jar=wiring.jar("FUNSHARE_KERNEL_JAR"),
            extra_jars=wiring.user_jars(),
        )
    )
    row = {
        "rest_url": state.rest_url,
        "bootstrap_servers": state.bootstrap_servers,
        "slots": state.slots,
        "flink": state.versions.flink,
        "kafka": state.versions.kafka,
        "state_dir": str(state.state_dir),
    }
    print_rows([row], COLUMNS, args.json)
    return 0


def down(args: argparse.Namespace) -> int:
    place = wiring.Place.of(args.state_dir, None)
    report = cluster.down(place.state_dir, keep_logs=args.keep_logs)
    note(f"ended {len(report.ended)} processes" if report.ended else "nothing was running")
    return 0
