"""The `funshare` command: arguments in, exit code out (0 good, 2 bad input, 1 anything else)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

from funshare_flink import __version__
from funshare_flink.cli import cluster, demo, plan, run, simulate, status
from funshare_flink.cli.check import check
from funshare_flink.grouping.strategies import STRATEGIES
from funshare_flink.model.errors import BadInputError, FunShareError

Command = Callable[[argparse.Namespace], int]
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Errors on purpose are one message on standard error."""
    args = parser().parse_args(argv)
    command: Command = args.command
    try:
        return command(args)
    except BadInputError as e:
        print(f"funshare: {e}", file=sys.stderr)
        return 2
    except FunShareError as e:
        print(f"funshare: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("funshare: interrupted", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output has gone, as in `funshare check ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(prog="funshare", description="Sharing groups for streaming SQL on Flink.")
    top.add_argument("--version", action="version", version=f"funshare {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _check(commands)
    _plan(commands)
    _explain(commands)
    _run(commands)
    _status(commands)
    _stop(commands)
    _cluster(commands)
    _demo(commands)
    _simulate(commands)
    return top


def _add(commands: Commands, name: str, help_text: str, command: Command) -> argparse.ArgumentParser:
    sub = commands.add_parser(name, help=help_text, description=help_text)
    sub.set_defaults(command=command)
    sub.add_argument("--state-dir", help="where state, jars and the embedded cluster live (FUNSHARE_STATE_DIR)")
    sub.add_argument("--flink-url", help="REST address of another Flink than the embedded one (FUNSHARE_FLINK_URL)")
    return sub


def _table(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--json", action="store_true", help="one JSON object a line instead of a table")


def threshold(text: str) -> float:
    """A merge threshold."""
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"must be above 0 and at most 1, not {text}")
    return value


def _grouping(sub: argparse.ArgumentParser) -> None:
    how = sub.add_mutually_exclusive_group()
    how.add_argument(
        "--strategy", choices=tuple(STRATEGIES), help="who shares (default: full; funshare where --rates are given)"
    )
    how.add_argument("--grouping", metavar="FILE", help="a YAML file with the groups")
    sub.add_argument("--rates", metavar="FILE", help="a YAML file with rates and selectivities, for the load model")
    sub.add_argument(
        "--threshold", type=threshold, default=0.9, help="merge only below this cost, above 0 up to 1 (default: 0.9)"
    )


def _check(commands: Commands) -> None:
    sub = _add(commands, "check", "say of each query whether it can share, with whom, and why not", check)
    sub.add_argument("workload")
    _table(sub)


def _plan(commands: Commands) -> None:
    sub = _add(commands, "plan", "print the groups, their slots and the reasons", plan.plan)
    sub.add_argument("workload")
    _grouping(sub)
    sub.add_argument("--why", metavar="QUERY", help="tell how this query came to its group, with all figures")
    _table(sub)


def _explain(commands: Commands) -> None:
    sub = _add(commands, "explain", "print the picture of a group's plan", plan.explain)
    sub.add_argument("group", help="a group of `funshare plan`, or a query")
    sub.add_argument("--workload", help="the workload's file (default: the one planned or run last)")
    sub.add_argument("--mermaid", action="store_true", help="as a Mermaid flowchart")
    _grouping(sub)


def _run(commands: Commands) -> None:
    sub = _add(commands, "run", "submit the groups and follow them until Ctrl-C", run.run)
    sub.add_argument("workload")
    _grouping(sub)
    sub.add_argument("--once", action="store_true", help="submit and leave; the jobs go on")
    sub.add_argument("--strict", action="store_true", help="start nothing if Flink refuses a query")
    sub.add_argument("--create-topics", type=int, metavar="PARTITIONS", help="make the sinks' missing topics")


def _status(commands: Commands) -> None:
    sub = _add(commands, "status", "list queries, groups, jobs, slots, rates and lag", status.status)
    sub.add_argument("workload", nargs="?", help="a workload's name (default: all)")
    sub.add_argument("--seconds", type=float, default=2.0, help="how long rates are measured (default: 2)")
    _table(sub)


def _stop(commands: Commands) -> None:
    sub = _add(commands, "stop", "stop a workload's jobs with a savepoint", run.stop)
    sub.add_argument("workload", help="the workload's name or file")
    sub.add_argument("--group", help="only this group")


def _cluster(commands: Commands) -> None:
    up = _add(commands, "up", "start the embedded Flink cluster and Kafka broker; mend them if half dead", cluster.up)
    up.add_argument("--task-managers", type=int, default=2)
    up.add_argument("--slots", type=int, default=16, help="task slots of each task manager (default: 16)")
    up.add_argument("--memory-mb", type=int, default=4096, help="process memory of a task manager (default: 4096)")
    up.add_argument("--rest-port", type=int, help="Flink's REST port (default: a free one)")
    up.add_argument("--kafka-port", type=int, help="the broker's port (default: a free one)")
    _table(up)
    down = _add(commands, "down", "stop the embedded cluster and remove its state", cluster.down)
    down.add_argument("--keep-logs", action="store_true")


def _demo(commands: Commands) -> None:
    sub = _add(commands, "demo", "sixteen queries alone, then in one group, on the same live input", demo.demo)
    sub.add_argument("--queries", type=int, default=16)
    sub.add_argument("--events", type=int, default=500_000, help="Nexmark events (default: 500,000)")
    sub.add_argument("--keep", action="store_true", help="leave the cluster running")
    _table(sub)


def _simulate(commands: Commands) -> None:
    about = "make a figure of the paper anew on a simulated cluster, with a verdict on each claim"
    sub = _add(commands, "simulate", about, simulate.simulate)
    sub.add_argument("figure", choices=simulate.NAMES, help="a figure's name, or all")
    sub.add_argument("--out", metavar="DIR", help="write a CSV and a PNG a figure into this folder")
    sub.add_argument("--seed", type=int, default=simulate.DEFAULT_SEED, help="of filters and samples (default: 1)")
    _table(sub)


if __name__ == "__main__":
    sys.exit(main())
