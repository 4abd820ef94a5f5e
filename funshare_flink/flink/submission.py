"""Submits group plans as detached PyFlink jobs to a session cluster."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit

from funshare_flink.flink.flink_errors import first_sentence
from funshare_flink.flink.rest import FlinkRest
from funshare_flink.flink.session import register_kernel, table_environment
from funshare_flink.model.errors import FatalError, FunShareError, SourceLocation
from funshare_flink.model.ids import JobId
from funshare_flink.ports import JobSpec
from funshare_flink.settings import JobSettings
from jobs.group_job import start


class FlinkJobs(FlinkRest):
    """A JobRuntime: starts jobs through PyFlink in this process, stops them over REST."""

    def __init__(self, url: str, settings: JobSettings | None = None) -> None:
        super().__init__(url)
        self._jobs = settings or JobSettings()

    def submit(self, spec: JobSpec) -> JobId:
        """The job's id is derived from its name, so a submission whose answer was lost cannot run twice."""
        env = table_environment(self._options(spec))
        register_kernel(env)
        for ddl in spec.functions:
            env.execute_sql(ddl)
        try:
            return JobId(start(env, spec.plan))
        except FunShareError:
            raise
        except Exception as e:
            message, _ = first_sentence(e, SourceLocation(spec.name))
            raise FatalError(f"Flink did not take job {spec.name}: {message}") from e

    def _options(self, spec: JobSpec) -> dict[str, str]:
        address = urlsplit(self.url)
        options = {
            "execution.checkpointing.interval": f"{self._jobs.checkpoint_interval_ms} ms",
            "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
            "pipeline.object-reuse": "true",
            **spec.options,
            "execution.target": "remote",
            "execution.attached": "false",
            "rest.address": str(address.hostname),
            "rest.port": str(address.port or 80),
            "parallelism.default": str(spec.slots),
            "pipeline.max-parallelism": str(self._jobs.max_parallelism),
            "pipeline.name": spec.name,
            "$internal.pipeline.job-id": job_id_of(spec.name),
            "table.plan.restore.catalog-objects": "ALL_ENFORCED",
        }
        if spec.python_files:
            options["python.files"] = ",".join(spec.python_files)
        if spec.savepoint is not None:
            options["execution.state-recovery.path"] = spec.savepoint
        return options


def job_id_of(name: str) -> JobId:
    """The fixed Flink job id of a job name (`pipeline.jobid` semantics: one running job of an id at most)."""
    return JobId(hashlib.sha256(name.encode()).hexdigest()[:32])
