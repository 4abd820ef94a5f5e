"""Flink's REST API (Flink docs, REST API): what runs, and stopping it."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from funshare_flink.estimate.counters import SubtaskCounters
from funshare_flink.flink import wire
from funshare_flink.model.errors import FatalError, NotReadyError, RetryableError
from funshare_flink.model.ids import JobId
from funshare_flink.ports import ClusterOverview, JobOverview, Vertex
from funshare_flink.settings import RestSettings

T = TypeVar("T")


class FlinkRest:
    """A JobReader, and the stopping half of a JobRuntime, over one cluster's REST endpoint."""

    def __init__(self, url: str, settings: RestSettings | None = None) -> None:
        self.url = url.rstrip("/")
        self._settings = settings or RestSettings()

    def cluster(self) -> ClusterOverview:
        return self._read("/overview", wire.cluster_overview)

    def jobs(self) -> tuple[JobOverview, ...]:
        return self._read("/jobs/overview", lambda raw: tuple(wire.job_overview(j) for j in raw["jobs"]))

    def vertices(self, job: JobId) -> tuple[Vertex, ...]:
        return self._read(f"/jobs/{job}", lambda raw: tuple(wire.vertex(v) for v in raw["vertices"]))

    def subtasks(self, job: JobId, vertex: str) -> tuple[SubtaskCounters, ...]:
        """What each subtask of a vertex has counted since it started."""
        return self._read(f"/jobs/{job}/vertices/{vertex}", wire.subtasks)

    def managed_memory_per_slot(self) -> int | None:
        return self._read("/taskmanagers", wire.managed_memory_per_slot)

    def class_path(self) -> tuple[str, ...]:
        """File names on the job manager's class path; empty when this Flink does not tell."""
        try:
            entries = self._get("/jobmanager/environment").get("classpath", [])
        except FatalError:
            return ()
        return tuple(str(e).rpartition("/")[2] for e in entries)

    def plan(self, job: JobId) -> tuple[str, ...]:
        """Descriptions of the running job graph's vertices (operators of a chain in one text)."""
        return tuple(str(n.get("description", "")) for n in self._get(f"/jobs/{job}/plan")["plan"]["nodes"])

    def metrics(self, job: JobId, vertex: str, names: tuple[str, ...]) -> Mapping[str, float | None]:
        query = urllib.parse.urlencode({"get": ",".join(names), "agg": "sum"})
        raw = self._get(f"/jobs/{job}/vertices/{vertex}/subtasks/metrics?{query}")
        found = {str(m["id"]): wire.number(m.get("sum")) for m in raw}
        return {n: found.get(n) for n in names}

    def metric_names(self, job: JobId, vertex: str) -> tuple[str, ...]:
        return tuple(str(m["id"]) for m in self._get(f"/jobs/{job}/vertices/{vertex}/subtasks/metrics"))

    def failure(self, job: JobId) -> str | None:
        history = self._get(f"/jobs/{job}/exceptions").get("exceptionHistory", {}).get("entries", [])
        if not history:
            return None
        lines = [line.strip() for line in str(history[0].get("stacktrace", "")).splitlines() if line.strip()]
        causes = [line for line in lines if line.startswith("Caused by:")]
        return (causes[-1] if causes else lines[0]) if lines else None

    def cancel(self, job: JobId) -> None:
        self._call("PATCH", f"/jobs/{job}?mode=cancel", None)

    def stop_with_savepoint(self, job: JobId) -> str:
        """One stop request; its trigger is polled until it is done (FLINK docs: /jobs/:jobid/stop)."""
        trigger = self._call("POST", f"/jobs/{job}/stop", {"drain": False})["request-id"]
        end = time.monotonic() + self._settings.savepoint_timeout_s
        while time.monotonic() < end:
            raw = self._get(f"/jobs/{job}/savepoints/{trigger}")
            if raw["status"]["id"] == "COMPLETED":
                return _savepoint_path(job, raw.get("operation", {}))
            time.sleep(0.2)
        raise NotReadyError(f"job {job}: the savepoint {trigger} is not done yet; ask again, do not stop it again")

    def _read(self, path: str, read: Callable[[Any], T]) -> T:
        try:
            return read(self._get(path))
        except (KeyError, TypeError, ValueError, AttributeError) as e:
            raise self._foreign(path, e) from e

    def _foreign(self, path: str, reason: Exception) -> FatalError:
        what = f"{type(reason).__name__}: {reason}"
        return FatalError(f"what answers at {self.url}{path} is not Flink's REST API ({what}); is the address right?")

    def _get(self, path: str) -> Any:
        return self._call("GET", path, None)

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self._settings.timeout_s) as answer:
                text = answer.read()
        except urllib.error.HTTPError as e:
            raise FatalError(f"Flink at {self.url} refused {method} {path}: {_reason(e)}") from e
        except (urllib.error.URLError, http.client.HTTPException, OSError) as e:
            raise RetryableError(
                f"Flink's REST API at {self.url} does not answer ({e}); is the cluster up? (funshare up)"
            ) from e
        try:
            return json.loads(text) if text else {}
        except ValueError as e:
            raise self._foreign(path, e) from e


def _savepoint_path(job: JobId, operation: Mapping[str, Any]) -> str:
    if "location" in operation:
        return str(operation["location"])
    trace = str(operation.get("failure-cause", {}).get("stack-trace", "")).splitlines()
    raise FatalError(f"job {job} did not stop with a savepoint: {trace[0] if trace else 'no cause given'}")


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        errors = json.loads(error.read()).get("errors", [])
    except ValueError:
        errors = []
    return str(errors[0]).splitlines()[0] if errors else f"HTTP {error.code}"
