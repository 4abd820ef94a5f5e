"""Starts the event generator (jobs/nexmark, a Java program) and keeps its topics.

The program decides the bytes of every record from `NexmarkSettings` alone; the same settings give the same
records in every partition. Event time is the record's Kafka timestamp as well as its column `ts`.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Literal, Self

from funshare_flink.kafka.topics import KafkaTopics
from funshare_flink.model.errors import BadInputError, FatalError, RetryableError
from funshare_flink.workloads.hint import AttrPhase, GeneratorHint, KeyPhase

ADMIN_TIMEOUT_S = 15.0
STOP_TIMEOUT_S = 60.0
DEFAULT_BASE_TS_MS = 1_704_067_200_000
"""2024-01-01 00:00:00 UTC: the same data on every day."""


@dataclass(frozen=True)
class DeliverySettings:
    """Where the records go and how fast; no effect on their bytes. `rate_eps` 0 is as fast as possible.

    Shapes: `partitions` holds for every topic. `acks` is 'all' (idempotent producer) or '1'.
    """

    bootstrap_servers: str
    topic_prefix: str = ""
    partitions: int = 2
    rate_eps: int = 0
    acks: Literal["all", "1"] = "all"
    compression: Literal["none", "lz4"] = "lz4"
    linger_ms: int = 50
    batch_bytes: int = 512 * 1024
    heap_mb: int = 256


@dataclass(frozen=True)
class DirtSettings:
    """What makes test data awkward; every share is a probability per event, 0 to 1.

    NULLs are in `attr` and `price`/`val`; a duplicate is the same record twice in a row; a tie is a time
    rounded down to the whole second; a late record is up to `max_out_of_order_ms` behind its place.
    """

    null_share: float = 0.0
    duplicate_share: float = 0.0
    tie_share: float = 0.0
    max_out_of_order_ms: int = 0
    out_of_order_share: float = 1.0

    @property
    def max_lateness_ms(self) -> int:
        """How far a record's time may lie behind an earlier record's: what watermarks must allow."""
        return self.max_out_of_order_ms + (999 if self.tie_share > 0 else 0)


@dataclass(frozen=True)
class NexmarkSettings:
    """What to generate. `events` None runs until stopped; `event_rate_eps` is events per second of event time.

    A hot ratio of n sends all but every n-th reference to the hot id. `auction_id_cycle` n lets auction ids
    start again after n auctions (0: never), so that a bid meets several auctions. `attr_phases` holds for
    every topic that `attr_phases_by_topic` does not name ('person', 'auction', 'bid', 'stream_a', 'stream_b').
    """

    delivery: DeliverySettings
    shape: Literal["nexmark", "dense"] = "nexmark"
    seed: int = 42
    events: int | None = None
    first_event: int = 0
    event_rate_eps: int = 10_000
    base_ts_ms: int = DEFAULT_BASE_TS_MS
    proportions: tuple[int, int, int] = (1, 3, 46)
    hot_auctions_ratio: int = 2
    hot_bidders_ratio: int = 4
    hot_sellers_ratio: int = 4
    in_flight_auctions: int = 100
    active_people: int = 1000
    auction_id_cycle: int = 0
    categories: int = 5
    attr_phases: tuple[AttrPhase, ...] = (AttrPhase(),)
    attr_phases_by_topic: tuple[tuple[str, tuple[AttrPhase, ...]], ...] = ()
    key_phases: tuple[KeyPhase, ...] = (KeyPhase(),)
    dirt: DirtSettings = field(default_factory=DirtSettings)

    @classmethod
    def from_hint(
        cls, hint: GeneratorHint, delivery: DeliverySettings, events: int | None, dirt: DirtSettings | None = None
    ) -> NexmarkSettings:
        """The settings that suit a built-in workload. BadInputError if rows could be too late for its watermarks."""
        if dirt is not None and dirt.max_lateness_ms >= hint.watermark_ms:
            raise BadInputError(
                f"rows may come {dirt.max_lateness_ms} ms late, the workload's watermarks allow less than "
                f"{hint.watermark_ms} ms; raise the workload's watermark_ms"
            )
        return cls(
            delivery=delivery,
            shape=hint.shape,
            seed=hint.seed,
            events=events,
            event_rate_eps=hint.event_rate_eps,
            in_flight_auctions=hint.in_flight_auctions,
            auction_id_cycle=hint.auction_id_cycle,
            categories=hint.categories,
            attr_phases=hint.attr_phases,
            key_phases=hint.key_phases,
            dirt=dirt or DirtSettings(),
        )

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics' full names."""
        names = ("person", "auction", "bid") if self.shape == "nexmark" else ("stream_a", "stream_b")
        return tuple(self.delivery.topic_prefix + name for name in names)

    def arguments(self) -> list[str]:
        """The program's command line after its main class."""
        pairs = {**self._data_arguments(), **self._dirt_arguments(), **self._delivery_arguments()}
        return [word for name, value in pairs.items() for word in (f"--{name}", str(value))]

    def _data_arguments(self) -> dict[str, object]:
        return {
            "shape": self.shape,
            "seed": self.seed,
            "events": 0 if self.events is None else self.events,
            "first-event": self.first_event,
            "event-rate": self.event_rate_eps,
            "base-ts-ms": self.base_ts_ms,
            "proportions": ":".join(map(str, self.proportions)),
            "hot-auctions": self.hot_auctions_ratio,
            "hot-bidders": self.hot_bidders_ratio,
            "hot-sellers": self.hot_sellers_ratio,
            "in-flight-auctions": self.in_flight_auctions,
            "active-people": self.active_people,
            "auction-id-cycle": self.auction_id_cycle,
            "categories": self.categories,
            "attr-phases": ";".join(map(str, self.attr_phases)),
            "key-phases": ";".join(map(str, self.key_phases)),
            **{f"attr-phases-{topic}": ";".join(map(str, own)) for topic, own in self.attr_phases_by_topic},
        }

    def _dirt_arguments(self) -> dict[str, object]:
        return {
            "null-share": self.dirt.null_share,
            "duplicate-share": self.dirt.duplicate_share,
            "tie-share": self.dirt.tie_share,
            "max-out-of-order-ms": self.dirt.max_out_of_order_ms,
            "out-of-order-share": self.dirt.out_of_order_share,
        }

    def _delivery_arguments(self) -> dict[str, object]:
        return {
            "bootstrap-servers": self.delivery.bootstrap_servers,
            **({"topic-prefix": self.delivery.topic_prefix} if self.delivery.topic_prefix else {}),
            "partitions": self.delivery.partitions,
            "rate": self.delivery.rate_eps,
            "acks": self.delivery.acks,
            "compression": self.delivery.compression,
            "linger-ms": self.delivery.linger_ms,
            "batch-bytes": self.delivery.batch_bytes,
        }


@dataclass(frozen=True)
class GeneratorReport:
    """How far the generator is. Times are event time in epoch milliseconds, None before the first event."""

    events: int
    records: tuple[tuple[str, int], ...]
    first_ts_ms: int | None
    last_ts_ms: int | None
    seconds: float
    final: bool

    @property
    def total_records(self) -> int:
        return sum(count for _, count in self.records)

    @classmethod
    def from_line(cls, line: str) -> GeneratorReport:
        """Reads one line of the program's output; ValueError or KeyError if it is something else."""
        raw = json.loads(line)
        return cls(
            events=int(raw["events"]),
            records=tuple((str(topic), int(count)) for topic, count in raw["records"].items()),
            first_ts_ms=raw["first_ts"],
            last_ts_ms=raw["last_ts"],
            seconds=float(raw["seconds"]),
            final="progress" not in raw,
        )


@dataclass(frozen=True)
class GeneratorProgram:
    """Where the program is: its jar, the folder with the Kafka client's jars, and the java command."""

    jar: Path
    kafka_libs: Path
    java: str = "java"

    def command(self, settings: NexmarkSettings, *, progress: bool) -> list[str]:
        """The full command line. BadInputError if a part is missing."""
        if not self.jar.is_file():
            raise BadInputError(f"the event generator {self.jar} is not built; run: mvn -q package in jobs/nexmark")
        if not any(self.kafka_libs.glob("kafka-clients-*.jar")):
            raise BadInputError(f"no kafka-clients jar in {self.kafka_libs}; start the embedded cluster once")
        class_path = os.pathsep.join([str(self.jar), str(self.kafka_libs / "*")])
        # One busy thread makes the garbage; collecting with more takes cores from the broker (seen: 1.6 times slower).
        flags = [f"-Xmx{settings.delivery.heap_mb}m", "-XX:+UseSerialGC"]
        head = [self.java, *flags, "-cp", class_path, "org.funshare.nexmark.Main"]
        return head + settings.arguments() + (["--progress"] if progress else [])


class RunningGenerator:
    """A started generator; a context manager that stops it at the end. Its output is read by one thread."""

    def __init__(self, command: list[str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _finish
        self._reports: queue.SimpleQueue[GeneratorReport | None] = queue.SimpleQueue()
        self._last: GeneratorReport | None = None
        try:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._errors, text=True)
        except OSError as err:
            raise BadInputError(f"cannot start {command[0]!r} ({err}); install Java 17 or later") from err
        self._reader = threading.Thread(target=self._read, name="nexmark-output", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def last_report(self) -> GeneratorReport | None:
        """The newest report so far."""
        return self._last

    def progress(self) -> Iterator[GeneratorReport]:
        """Reports as they come, the final one last; ends when the program has ended. One consumer only."""
        while (report := self._reports.get()) is not None:
            yield report

    def wait(self, timeout_s: float | None = None) -> GeneratorReport:
        """Waits for the end. RetryableError when the time is over, FatalError when the program failed."""
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired as err:
            raise RetryableError(f"the event generator still runs after {timeout_s} s; wait on or stop it") from err
        return self._finish(code)

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> GeneratorReport:
        """Ends it by SIGTERM: it stores what it has sent and reports. FatalError if it had to be killed."""
        self._process.terminate()
        try:
            return self.wait(timeout_s)
        except RetryableError as err:
            self._process.kill()
            self._process.wait()
            raise FatalError(f"the event generator did not stop in {timeout_s} s and was killed; is Kafka up?") from err

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self.stop()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._last = GeneratorReport.from_line(line)
                self._reports.put(self._last)
        self._reports.put(None)

    def _finish(self, code: int) -> GeneratorReport:
        self._reader.join()
        message = self._error_text()
        if code == 2:
            raise BadInputError(f"the event generator refused its settings: {message}")
        if code != 0 or self._last is None:
            raise FatalError(f"the event generator failed with exit code {code}: {message}")
        return self._last

    def _error_text(self) -> str:
        if self._errors.closed:
            return "(reported before)"
        with self._errors as errors:
            errors.seek(0)
            text = errors.read().decode(errors="replace")
        own = [line for line in text.splitlines() if line and not line.startswith("SLF4J")]
        return "\n".join(own[-5:]) or "(no message)"


class NexmarkGenerator:
    """Creates the topics and runs the program over them."""

    def __init__(self, program: GeneratorProgram, settings: NexmarkSettings) -> None:
        self._program = program
        self._settings = settings

    def create_topics(self) -> None:
        """Creates the missing source topics, without expiry, for event times lie in the past. BadInputError for a
        topic with another number of partitions, or a broker that cannot be reached."""
        delivery = self._settings.delivery
        config = {"retention.ms": "-1", "message.timestamp.type": "CreateTime"}
        KafkaTopics(delivery.bootstrap_servers).ensure(self._settings.topics, delivery.partitions, config)

    def delete_topics(self) -> None:
        """Deletes the source topics that exist and waits until they are gone."""
        KafkaTopics(self._settings.delivery.bootstrap_servers).delete(self._settings.topics)

    def start(self, *, progress: bool = True) -> RunningGenerator:
        """Creates missing topics and starts the program; it runs until its last event or `stop`."""
        command = self._program.command(self._settings, progress=progress)
        self.create_topics()
        return RunningGenerator(command)

    def run(self, on_progress: Callable[[GeneratorReport], None] | None = None) -> GeneratorReport:
        """Runs to the last event. BadInputError if there is none (an endless generator never returns)."""
        if self._settings.events is None:
            raise BadInputError("an endless generator cannot be waited for; set `events` or use start() and stop()")
        with self.start(progress=on_progress is not None) as running:
            for report in running.progress():
                if on_progress is not None:
                    on_progress(report)
            return running.wait()
