"""The journal: what was told is there after a crash, newer and damaged files are refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funshare_flink.model.errors import FatalError
from funshare_flink.ports import Event
from funshare_flink.store.journal import MIGRATIONS, SqliteJournal

texts = st.text(max_size=20)
events = st.builds(
    Event,
    st.floats(0, 1e9),
    texts,
    st.lists(texts, max_size=3).map(tuple),
    st.lists(texts, max_size=3).map(tuple),
    texts,
    st.lists(st.tuples(texts, st.floats(-1e9, 1e9)), max_size=3).map(tuple),
)


@settings(max_examples=50)
@given(st.lists(events, max_size=5))
def test_what_is_recorded_is_read_again_in_order(told: list[Event]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        journal = SqliteJournal(Path(folder) / "w.sqlite")
        for event in told:
            journal.record(event)
        assert journal.events() == tuple(told)
        assert journal.events(last=2) == tuple(told[-2:])
        journal.close()


def test_it_is_still_there_without_a_close(tmp_path: Path) -> None:
    event = Event(1.0, "merge", ("g",), ("a", "b"), "because", (("cost", 0.5),))
    first = SqliteJournal(tmp_path / "w.sqlite")
    first.record(event)
    second = SqliteJournal(tmp_path / "w.sqlite")
    assert second.events() == (event,)
    first.close()
    second.close()


def test_only_what_is_asked_for(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "w.sqlite")
    for at_s in (1.0, 2.0, 3.0):
        journal.record(Event(at_s, "k", (), (), ""))
    assert [e.at_s for e in journal.events(since_s=2.0)] == [2.0, 3.0]
    journal.close()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.close()
    with pytest.raises(FatalError, match=r"w\.sqlite was written by a newer FunShare"):
        SqliteJournal(path)


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.sqlite"
    path.write_bytes(b"not a database, but long enough to be read as one" * 100)
    with pytest.raises(FatalError, match="cannot be used"):
        SqliteJournal(path)
