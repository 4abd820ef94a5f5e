"""Where things lie in the state directory; the one place that knows its folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """Paths of one embedded cluster below `root`, an absolute path."""

    root: Path

    @classmethod
    def of(cls, state_dir: Path) -> Layout:
        """The layout of a state directory; symbolic links are followed, so that one cluster has one name."""
        return cls(state_dir.expanduser().resolve())

    @property
    def state_file(self) -> Path:
        """What is known of the running cluster, as JSON."""
        return self.root / "cluster.json"

    @property
    def lock_file(self) -> Path:
        """Held while `up` or `down` work."""
        return self.root / "cluster.lock"

    @property
    def cluster(self) -> Path:
        """The folder of everything that the cluster writes."""
        return self.root / "cluster"

    @property
    def flink_home(self) -> Path:
        """A working Flink distribution, made of links into the wheel and a conf/ of its own."""
        return self.cluster / "flink-home"

    @property
    def flink_data(self) -> Path:
        """Checkpoints, savepoints, uploads and temporary files of Flink."""
        return self.cluster / "flink-data"

    @property
    def kafka(self) -> Path:
        """The broker's configuration and data."""
        return self.cluster / "kafka"

    @property
    def logs(self) -> Path:
        """Log files of all processes."""
        return self.cluster / "logs"

    @property
    def owned(self) -> tuple[Path, ...]:
        """The folders that `down` removes besides the logs; others' files in `root` are not touched."""
        return (self.flink_home, self.flink_data, self.kafka)
