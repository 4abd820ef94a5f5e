"""The history of one workload in SQLite: every event with its reason and numbers.

One file per workload. Each event is its own transaction, so that whatever was told before a crash is still there after
it. The schema has a version (`PRAGMA user_version`); a newer file than this program knows is refused, an older one is
brought up to date step by step.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

from funshare_flink.model.errors import FatalError
from funshare_flink.ports import Event

_BUSY_TIMEOUT_S = 10.0


def _events_table(db: sqlite3.Connection) -> None:
    db.execute(
        "CREATE TABLE event (number INTEGER PRIMARY KEY AUTOINCREMENT, at_s REAL NOT NULL, kind TEXT NOT NULL,"
        " groups TEXT NOT NULL, queries TEXT NOT NULL, text TEXT NOT NULL, numbers TEXT NOT NULL)"
    )
    db.execute("CREATE INDEX event_at ON event (at_s)")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_events_table,)
"""Step k brings the schema from version k to k + 1. Steps are only ever added."""


class SqliteJournal:
    """An `Events` port that can be read again."""

    def __init__(self, path: Path) -> None:
        """Open or make the file. Raises FatalError when it is no journal, damaged, or of a newer program."""
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._migrate()
        except sqlite3.Error as e:
            raise FatalError(f"the journal {path} cannot be used ({e}); move it away to start a new one") from e

    def close(self) -> None:
        self._db.close()

    def record(self, event: Event) -> None:
        """Write one event; it is on disk when this returns. Raises FatalError when it cannot be written."""
        row = (
            event.at_s,
            event.kind,
            json.dumps(event.groups),
            json.dumps(event.queries),
            event.text,
            json.dumps(event.numbers),
        )
        try:
            self._db.execute("INSERT INTO event (at_s, kind, groups, queries, text, numbers) VALUES (?,?,?,?,?,?)", row)
        except sqlite3.Error as e:
            raise FatalError(f"the journal {self.path} cannot be written ({e}); is the disk full?") from e

    def events(self, since_s: float = 0.0, last: int | None = None) -> tuple[Event, ...]:
        """Events from `since_s` on in the order in which they were written; with `last`, only so many of the newest."""
        sql = "SELECT at_s, kind, groups, queries, text, numbers FROM event WHERE at_s >= ? ORDER BY number DESC"
        limit = "" if last is None else f" LIMIT {int(last)}"
        rows = self._db.execute(sql + limit, (since_s,)).fetchall()
        return tuple(_event(row) for row in reversed(rows))

    def _migrate(self) -> None:
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if version > len(MIGRATIONS):
            raise FatalError(
                f"the journal {self.path} was written by a newer FunShare (schema {version}, this one knows "
                f"{len(MIGRATIONS)}); update FunShare or move the file away"
            )
        for step in range(version, len(MIGRATIONS)):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                if int(self._db.execute("PRAGMA user_version").fetchone()[0]) == step:
                    MIGRATIONS[step](self._db)
                    self._db.execute(f"PRAGMA user_version = {step + 1}")
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise


def _event(row: tuple[float, str, str, str, str, str]) -> Event:
    at_s, kind, groups, queries, text, numbers = row
    pairs = tuple((str(name), float(value)) for name, value in json.loads(numbers))
    return Event(at_s, kind, tuple(json.loads(groups)), tuple(json.loads(queries)), text, pairs)
