"""Functions that the user declares: kept for the jobs, and asked whether they are deterministic."""

from __future__ import annotations

import re
from typing import Any

from funshare_flink.model.errors import BadInputError

_CREATE = re.compile(
    r"CREATE\s+(?:TEMPORARY\s+)?(?P<system>SYSTEM\s+)?FUNCTION\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    r"(?P<name>`(?:[^`]|``)+`|[\w.]+)\s+AS\s+'(?P<target>(?:[^']|'')+)'(?:\s+LANGUAGE\s+(?P<language>\w+))?",
    re.IGNORECASE,
)


class UserFunctions:
    """The functions declared so far in one table environment."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self._ddl: dict[str, str] = {}
        self._deterministic: dict[str, bool] = {}

    def note(self, ddl: str) -> None:
        """Remember a CREATE FUNCTION that Flink has just accepted; anything else is passed over.

        Raises BadInputError when the name stood for other code before: a plan names a function only, so the queries
        before and after would run with one and the same.
        """
        match = _CREATE.match(ddl)
        if match is None:
            return
        name = match.group("name").strip("`").lower()
        if _target(self._ddl.get(name, ddl)) != _target(ddl):
            raise BadInputError(f"the function {name} is declared twice with different code; give the two other names")
        self._ddl[name] = ddl
        language = (match.group("language") or "JAVA").upper()
        self._deterministic[name] = language != "PYTHON" and _java_is_deterministic(match.group("target"))

    def ddl(self) -> tuple[str, ...]:
        """The statements that a job's session must run before it can load a plan with these functions."""
        return tuple(self._ddl.values())

    def deterministic(self) -> frozenset[str]:
        """Lower-case names of the functions that Flink may evaluate anywhere, any number of times."""
        return frozenset(name for name, good in self._deterministic.items() if good)


def _target(ddl: str) -> str:
    """The class or Python object that a CREATE FUNCTION names."""
    match = _CREATE.match(ddl)
    return match.group("target") if match else ""


def _java_is_deterministic(class_name: str) -> bool:
    """What the class itself says; a class that cannot be made here counts as non-deterministic."""
    from pyflink.java_gateway import get_gateway

    jvm = get_gateway().jvm
    try:
        loader = jvm.Thread.currentThread().getContextClassLoader()
        made = jvm.java.lang.Class.forName(class_name, True, loader).newInstance()
        return bool(made.isDeterministic())
    except Exception:  # noqa: BLE001 - no answer is an answer: it stays alone
        return False
