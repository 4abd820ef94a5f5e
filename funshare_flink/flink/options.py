"""SET and RESET: the options in force at each statement, and which of them change what operators compute."""

from __future__ import annotations

from typing import Any

from funshare_flink.model.workload import Setting, StatementKind

_TIME_ZONE = "table.local-time-zone"
_PLAN_TIME_ONLY = (
    "table.optimizer.", "table.plan.", "table.display.", "table.dml-sync", "table.exec.state.ttl",
    "table.exec.source.idle-timeout", "table.exec.sink.not-null-enforcer", "table.exec.sink.type-length-enforcer",
    "table.exec.sink.upsert-materialize", "table.exec.sink.keyed-shuffle", "table.exec.sink.rowtime-inserter",
    "table.exec.uid.", "table.exec.resource.",
    "table.builtin-catalog-name", "table.builtin-database-name", "table.sql-dialect",
)  # fmt: skip
"""Options that are spent when a plan is compiled: what they decide stands in the plan's nodes."""

_OURS = "table.plan."
"""How plans are written and loaded is the product's to say: a plan without its tables could not be loaded by a job."""


class SessionOptions:
    """The explicitly set options of one table environment."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self._explicit: dict[str, str] = {}
        self._defaults = _table_defaults()
        self._root_at_start = dict(self._root().toMap())

    def apply(self, kind: StatementKind, setting: Setting) -> None:
        if kind is StatementKind.SET:
            assert setting.key is not None
            if not setting.key.startswith(_OURS):
                self._env.get_config().set(setting.key, setting.value or "")
            self._explicit[setting.key] = setting.value or ""
            return
        for key in [setting.key] if setting.key is not None else list(self._explicit):
            self._reset(key)

    def _reset(self, key: str) -> None:
        """Back to what held before any SET. Compiling a query copies the session's options into the executor's, which
        stand behind the session's own, so a key must leave both."""
        self._explicit.pop(key, None)
        self._env.get_config()._j_table_config.getConfiguration().removeKey(key)
        self._root().removeKey(key)
        if key in self._root_at_start:
            self._root().setString(key, self._root_at_start[key])

    def _root(self) -> Any:
        return self._env.get_config()._j_table_config.getRootConfiguration()

    def explicit(self) -> dict[str, str]:
        """What the user has set, as written."""
        return dict(self._explicit)

    def semantic(self) -> dict[str, str]:
        """The options that change what operators compute while they run: two queries of one job must agree."""
        result = {
            k: v
            for k, v in self._explicit.items()
            if k.startswith("table.") and not k.startswith(_PLAN_TIME_ONLY) and self._defaults.get(k) != v.lower()
        }
        result[_TIME_ZONE] = _normal_zone(str(self._env.get_config().get_local_timezone()))
        return result


def _normal_zone(name: str) -> str:
    """One name for zones with one fixed offset: UTC, Etc/UTC and GMT are equal."""
    from pyflink.java_gateway import get_gateway

    return str(get_gateway().jvm.java.time.ZoneId.of(name).normalized().getId())


def _table_defaults() -> dict[str, str]:
    """Flink's own defaults of the options under `table.exec`, lower case."""
    from pyflink.java_gateway import get_gateway

    jvm = get_gateway().jvm
    holder = jvm.java.lang.Class.forName("org.apache.flink.table.api.config.ExecutionConfigOptions")
    result = {}
    for f in holder.getFields():
        option = f.get(None)
        if option is not None and hasattr(option, "key") and option.hasDefaultValue():
            result[str(option.key())] = str(option.defaultValue()).lower()
    return result
