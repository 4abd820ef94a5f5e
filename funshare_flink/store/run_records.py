"""One JSON file per running workload: its file, its grouping, its jobs."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from funshare_flink.model.errors import FatalError
from funshare_flink.model.ids import JobId, QueryName


@dataclass(frozen=True)
class GroupRecord:
    id: str
    job: JobId
    job_name: str
    slots: int
    queries: tuple[QueryName, ...]


@dataclass(frozen=True)
class RunRecord:
    """A workload as it was last started. `flink_url`: where its jobs run; `generation` counts starts from 1."""

    workload: str
    file: str
    flink_url: str
    strategy: str
    generation: int
    groups: tuple[GroupRecord, ...]


class RunRecords:
    """The records under one folder; a record is replaced whole, so a crash leaves the old one or the new one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, record: RunRecord) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(record.workload)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        draft.write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")
        draft.replace(path)

    def load(self, workload: str) -> RunRecord | None:
        path = self._path(workload)
        if not path.is_file():
            return None
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            groups = tuple(
                GroupRecord(g["id"], JobId(g["job"]), g["job_name"], g["slots"], tuple(map(QueryName, g["queries"])))
                for g in raw.pop("groups")
            )
            return RunRecord(groups=groups, **raw)
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            raise FatalError(
                f"the run record {path} cannot be read ({e}); remove it, then see `funshare status`"
            ) from e

    def names(self) -> tuple[str, ...]:
        """Workloads with a record, sorted."""
        return tuple(sorted(_name_of(p) for p in self._folder.glob("*.json")))

    def remove(self, workload: str) -> None:
        self._path(workload).unlink(missing_ok=True)

    def _path(self, workload: str) -> Path:
        return self._folder / f"{workload.replace('%', '%25').replace('/', '%2F')}.json"


def _name_of(path: Path) -> str:
    """The workload of a record's file; a slash in a name must not lead into another folder."""
    return path.stem.replace("%2F", "/").replace("%25", "%")
