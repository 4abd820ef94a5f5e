"""Flink's REST API as seen through a server that answers what we want: odd numbers, errors, silence."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from funshare_flink.flink import wire
from funshare_flink.flink.rest import FlinkRest
from funshare_flink.flink.submission import job_id_of
from funshare_flink.model.errors import FatalError, NotReadyError, RetryableError
from funshare_flink.model.ids import JobId
from funshare_flink.ports import JobOverview, Vertex
from funshare_flink.settings import RestSettings

JOB = JobId("a" * 32)
Answer = tuple[int, Any]


class FakeFlink:
    """Answers by method and path: a status and JSON, or raw bytes. A list is given out one answer a call."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer | list[Answer]] = {}
        self.calls: list[tuple[str, Any]] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def answer(self, call: str, body: Any) -> Answer:
        self.calls.append((call, body))
        found = self.answers.get(call, (404, {"errors": ["Not found."]}))
        if isinstance(found, list):
            return found.pop(0) if len(found) > 1 else found[0]
        return found

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def reply(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                status, answer = fake.answer(f"{self.command} {self.path}", body)
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data) + (9 if status == 299 else 0)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = reply  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


@pytest.fixture
def flink() -> Iterator[FakeFlink]:
    fake = FakeFlink()
    yield fake
    fake.close()


def rest(fake: FakeFlink, **settings: float) -> FlinkRest:
    return FlinkRest(fake.url + "/", RestSettings(**settings))


def test_the_cluster(flink: FakeFlink) -> None:
    flink.answers["GET /overview"] = (
        200, {"slots-total": 8, "slots-available": 3, "taskmanagers": 2, "flink-version": "2.2.1"})  # fmt: skip
    found = rest(flink).cluster()
    assert (found.slots_total, found.slots_available, found.task_managers) == (8, 3, 2)


def test_jobs(flink: FakeFlink) -> None:
    tasks = {"total": 2, "running": 1, "created": 1}
    job = {"jid": JOB, "name": "n", "state": "RUNNING", "start-time": 5, "tasks": tasks}
    over = {"jid": "b" * 32, "name": "m", "state": "CANCELED", "start-time": 1}
    flink.answers["GET /jobs/overview"] = (200, {"jobs": [job, over]})
    first, second = rest(flink).jobs()
    assert first == JobOverview(JOB, "n", "RUNNING", 5, tasks)
    assert not first.all_running
    assert not first.is_over
    assert second.is_over
    assert not second.all_running


@pytest.mark.parametrize(
    ("tasks", "all_running"),
    [
        ({"total": 2, "running": 2}, True), ({"total": 2, "running": 1, "finished": 1}, True), ({}, False),
        ({"total": 0}, False), ({"total": 2, "running": 1, "initializing": 1}, False),
    ],
)  # fmt: skip
def test_running_means_all_tasks(tasks: dict[str, int], all_running: bool) -> None:
    assert JobOverview(JOB, "n", "RUNNING", 0, tasks).all_running == all_running
    assert not JobOverview(JOB, "n", "FAILING", 0, tasks).all_running


def vertex(**metrics: Any) -> Vertex:
    return wire.vertex({"id": "v", "name": "n", "parallelism": 2, "status": "RUNNING", "metrics": metrics})


@pytest.mark.parametrize(
    ("metrics", "count"),
    [
        ({"read-records": 7, "read-records-complete": True}, 7),
        ({"read-records": 0, "read-records-complete": True}, 0),
        ({"read-records": 7, "read-records-complete": False}, None),
        ({"read-records": 7}, None),
        ({"read-records-complete": True}, None),
        ({"read-records": "NaN", "read-records-complete": True}, None),
        ({"read-records": "Infinity", "read-records-complete": True}, None),
        ({"read-records": None, "read-records-complete": True}, None),
        ({"read-records": 7, "read-records-complete": "true"}, None),
        ({}, None),
    ],
)
def test_a_counter_is_known_or_none(metrics: dict[str, Any], count: int | None) -> None:
    assert vertex(**metrics).records_in == count
    other = {k.replace("read", "write"): v for k, v in metrics.items()}
    assert vertex(**other).records_out == count


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("12.5", 12.5), (3, 3.0), ("NaN", None), ("Infinity", None), ("-Infinity", None), (float("nan"), None),
        ("", None), (None, None), ("soon", None), ([], None), ({}, None), ("1e400", None),
    ],
)  # fmt: skip
def test_numbers(raw: object, value: float | None) -> None:
    assert wire.number(raw) == value


def test_metrics_are_sums_and_none_where_there_is_no_number(flink: FakeFlink) -> None:
    path = f"GET /jobs/{JOB}/vertices/v/subtasks/metrics?get=a%2Cb.c%2Cd&agg=sum"
    flink.answers[path] = (200, [{"id": "a", "sum": 4.0}, {"id": "b.c", "sum": "NaN"}])
    assert rest(flink).metrics(JOB, "v", ("a", "b.c", "d")) == {"a": 4.0, "b.c": None, "d": None}


def test_vertices_plan_and_names(flink: FakeFlink) -> None:
    raw = {"id": "v", "name": "Source: s", "parallelism": 3, "status": "RUNNING", "metrics": {}}
    flink.answers[f"GET /jobs/{JOB}"] = (200, {"vertices": [raw]})
    flink.answers[f"GET /jobs/{JOB}/plan"] = (200, {"plan": {"nodes": [{"description": "Join"}, {}]}})
    flink.answers[f"GET /jobs/{JOB}/vertices/v/subtasks/metrics"] = (200, [{"id": "x"}])
    assert rest(flink).vertices(JOB) == (Vertex("v", "Source: s", 3, "RUNNING", None, None),)
    assert rest(flink).plan(JOB) == ("Join", "")
    assert rest(flink).metric_names(JOB, "v") == ("x",)


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ({}, None),
        ({"exceptionHistory": {"entries": []}}, None),
        ({"exceptionHistory": {"entries": [{"stacktrace": ""}]}}, None),
        ({"exceptionHistory": {"entries": [{"stacktrace": "\njava.lang.Oops: no\n\tat x.y\n"}]}}, "java.lang.Oops: no"),
        (
            {"exceptionHistory": {"entries": [{"stacktrace": "a.B: x\n\tat y\nCaused by: c.D: root\n\tat z"}]}},
            "Caused by: c.D: root",
        ),
    ],
)
def test_a_failure_is_its_root_in_one_line(flink: FakeFlink, answer: Any, failure: str | None) -> None:
    flink.answers[f"GET /jobs/{JOB}/exceptions"] = (200, answer)
    assert rest(flink).failure(JOB) == failure


def test_what_flink_refuses_is_said_in_its_own_words(flink: FakeFlink) -> None:
    flink.answers[f"GET /jobs/{JOB}"] = (404, {"errors": ["Job not found\n\tat some.Java"]})
    with pytest.raises(FatalError, match=rf"refused GET /jobs/{JOB}: Job not found$"):
        rest(flink).vertices(JOB)
    flink.answers["GET /overview"] = (500, b"<html>oops</html>")
    with pytest.raises(FatalError, match="refused GET /overview: HTTP 500"):
        rest(flink).cluster()


@pytest.mark.parametrize("answer", [b"<html>a proxy</html>", b"", b"{", [], {"other": 1}])
def test_an_answer_that_is_not_flinks_is_one_message(flink: FakeFlink, answer: Any) -> None:
    flink.answers["GET /overview"] = flink.answers["GET /jobs/overview"] = (200, answer)
    for ask in (rest(flink).cluster, rest(flink).jobs):
        with pytest.raises(FatalError, match=rf"{flink.url}/\S+ is not Flink's REST API"):
            ask()


def test_an_answer_that_is_cut_off_may_be_asked_for_again(flink: FakeFlink) -> None:
    flink.answers["GET /overview"] = (299, {"slots-total": 8})  # the fake announces more bytes than it sends
    with pytest.raises(RetryableError, match="does not answer"):
        rest(flink, timeout_s=1.0).cluster()


def test_nobody_there() -> None:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with pytest.raises(RetryableError, match=rf"http://127.0.0.1:{port} does not answer .*funshare up"):
        FlinkRest(f"http://127.0.0.1:{port}").cluster()


def test_a_server_that_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(RetryableError, match="does not answer"):
            FlinkRest(url, RestSettings(timeout_s=0.2)).jobs()


def test_cancel(flink: FakeFlink) -> None:
    flink.answers[f"PATCH /jobs/{JOB}?mode=cancel"] = (202, b"")
    rest(flink).cancel(JOB)
    assert flink.calls == [(f"PATCH /jobs/{JOB}?mode=cancel", None)]


IN_PROGRESS: Answer = (200, {"status": {"id": "IN_PROGRESS"}})


def savepoint(flink: FakeFlink, *answers: Answer) -> None:
    flink.answers[f"POST /jobs/{JOB}/stop"] = (202, {"request-id": "t1"})
    flink.answers[f"GET /jobs/{JOB}/savepoints/t1"] = list(answers)


def test_a_slow_savepoint_is_waited_for(flink: FakeFlink) -> None:
    done = {"status": {"id": "COMPLETED"}, "operation": {"location": "file:///sp"}}
    savepoint(flink, IN_PROGRESS, IN_PROGRESS, (200, done))
    assert rest(flink).stop_with_savepoint(JOB) == "file:///sp"
    stops = [c for c in flink.calls if c[0].startswith("POST")]
    assert stops == [(f"POST /jobs/{JOB}/stop", {"drain": False})]


def test_a_savepoint_that_takes_too_long_is_not_asked_for_twice(flink: FakeFlink) -> None:
    savepoint(flink, IN_PROGRESS)
    with pytest.raises(NotReadyError, match="savepoint t1 is not done yet; ask again, do not stop it again"):
        rest(flink, savepoint_timeout_s=0.3).stop_with_savepoint(JOB)
    assert sum(c[0].startswith("POST") for c in flink.calls) == 1


@pytest.mark.parametrize(
    ("operation", "cause"),
    [
        (
            {"failure-cause": {"stack-trace": "java.io.IOException: full\n\tat x"}},
            "java.io.IOException: full",
        ),
        ({"failure-cause": {"stack-trace": ""}}, "no cause given"),
        ({}, "no cause given"),
    ],
)
def test_a_savepoint_that_failed(flink: FakeFlink, operation: Any, cause: str) -> None:
    savepoint(flink, (200, {"status": {"id": "COMPLETED"}, "operation": operation}))
    with pytest.raises(FatalError, match=f"did not stop with a savepoint: {cause}"):
        rest(flink).stop_with_savepoint(JOB)


def test_a_jobs_id_is_made_of_its_name() -> None:
    assert job_id_of("funshare/w/g/g1") == job_id_of("funshare/w/g/g1")
    assert len({job_id_of(f"funshare/w/g/g{i}") for i in range(50)}) == 50
    assert all(len(job_id_of(n)) == 32 and int(job_id_of(n), 16) >= 0 for n in ("", "a", "\u00e4"))
