"""Functions that the user declares: kept for the jobs, and asked whether they are deterministic."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from funshare_flink.model.errors import BadInputError
from funshare_flink.plan.lexer import outside_comments

_PART = r"(?:`(?:[^`]|``)+`|\w+)"
_DECLARED = re.compile(
    r"\s*(?P<verb>CREATE|ALTER)\s+(?P<temporary>TEMPORARY\s+)?(?P<system>SYSTEM\s+)?FUNCTION\s+"
    r"(?P<if>IF\s+(?:NOT\s+)?EXISTS\s+)?"
    rf"(?P<name>{_PART}(?:\s*\.\s*{_PART})*)\s+AS\s+'(?P<target>(?:[^']|'')+)'"
    r"(?:\s+LANGUAGE\s+(?P<language>\w+))?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class _Function:
    """A declared function: the statement that makes it in any session, its class or Python object, its last name."""

    ddl: str
    target: str
    last_name: str
    deterministic: bool


class UserFunctions:
    """The functions declared so far in one table environment."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self._known: dict[str, _Function] = {}

    def note(self, ddl: str) -> None:
        """Remember a CREATE or ALTER FUNCTION that Flink has just accepted; anything else is passed over.

        Raises BadInputError when the name stood for other code before: a plan names a function only, so the queries
        before and after would run with one and the same.
        """
        match = _DECLARED.match(" ".join(part for _, part in outside_comments(ddl)))
        if match is None:
            return
        parts = self._identifier(match)
        key = ".".join(parts).lower()
        before = self._known.get(key)
        if before is not None and match["if"] and match["verb"].upper() == "CREATE":
            return  # IF NOT EXISTS: the first one stays
        if before is not None and before.target != match["target"]:
            raise BadInputError(
                f"the function {parts[-1]} is declared twice with different code; give one another name"
            )
        if match["system"] and key in _built_in_names():
            raise BadInputError(f"the function {parts[-1]} is named like one of Flink's own; give it another name")
        self._known[key] = _Function(
            _temporary(match, parts), match["target"], parts[-1].lower(), _is_deterministic(match)
        )

    def ddl(self) -> tuple[str, ...]:
        """The statements that a job's session must run before it can load a plan with these functions."""
        return tuple(f.ddl for f in self._known.values())

    def deterministic(self) -> frozenset[str]:
        """Lower-case last names of the functions that Flink may evaluate anywhere, any number of times; of several
        that differ in catalog or database only, all must be so."""
        doubtful = {f.last_name for f in self._known.values() if not f.deterministic}
        return frozenset(f.last_name for f in self._known.values()) - doubtful

    def _identifier(self, match: re.Match[str]) -> tuple[str, ...]:
        """Catalog, database and name; of a system function the name alone."""
        written = tuple(_unquoted(p) for p in re.findall(_PART, match["name"]))
        if match["system"]:
            return written
        current = (str(self._env.get_current_catalog()), str(self._env.get_current_database()))
        return (*current[: 3 - len(written)], *written)


def _temporary(match: re.Match[str], parts: tuple[str, ...]) -> str:
    """The declaration for a session that has neither the user's databases nor his USE: by full name, temporary."""
    name = ".".join("`" + p.replace("`", "``") + "`" for p in parts)
    system = "SYSTEM " if match["system"] else ""
    language = f" LANGUAGE {match['language']}" if match["language"] else ""
    return f"CREATE TEMPORARY {system}FUNCTION {name} AS '{match['target']}'{language}{match['rest'].rstrip()}"


def _built_in_names() -> frozenset[str]:
    """Lower-case names of Flink's own functions; no job could load a plan with a system function named like one."""
    from pyflink.java_gateway import get_gateway

    definitions = get_gateway().jvm.org.apache.flink.table.functions.BuiltInFunctionDefinitions.getDefinitions()
    return frozenset(str(d.getName()).lower() for d in definitions)


def _unquoted(part: str) -> str:
    return part[1:-1].replace("``", "`") if part.startswith("`") else part


def _is_deterministic(match: re.Match[str]) -> bool:
    language = (match["language"] or "JAVA").upper()
    return language != "PYTHON" and _java_is_deterministic(match["target"])


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
