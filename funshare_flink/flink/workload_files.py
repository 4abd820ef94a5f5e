"""Reads workloads: a script of Flink SQL (.sql), or a YAML file that names scripts and queries.

All errors are BadInputErrors that name the file, the line where it is known, and what to do.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from funshare_flink.flink.python_modules import with_python_modules
from funshare_flink.flink.yaml_nodes import Entry, Mapping, parse_yaml
from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.model.workload import Directives, Setting, Statement, StatementKind, WorkloadSpec, name_problem
from funshare_flink.plan.directives import checked_name, checked_pinned, checked_rate, checked_slots
from funshare_flink.plan.query_names import NamedAt, name_queries, require_query, script_workload
from funshare_flink.plan.script import is_query, split_script

WORKLOAD_KEYS = ("name", "sql", "queries", "python_files", "jars", "options")
QUERY_KEYS = ("name", "sql", "file", "slots", "min_rate_rps", "pinned")


def load_workload(path: Path) -> WorkloadSpec:
    """The workload in `path`, its Python modules found, nothing asked of Flink yet."""
    match path.suffix.lower():
        case ".sql":
            spec = _load_script(path)
        case ".yaml" | ".yml":
            spec = _load_yaml(path)
        case _:
            message = "a workload is a .sql script or a .yaml file; rename it if it is one of them"
            raise BadInputError(message, SourceLocation(str(path)))
    return with_python_modules(spec)


def read_text(path: Path, named_in: SourceLocation | None = None) -> str:
    """The text of a user's file (UTF-8, a byte order mark is dropped); BadInputError if it cannot be read."""
    where = named_in or SourceLocation(str(path))
    shown = f"the file {path} " if named_in else "the file "
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as err:
        raise BadInputError(f"{shown}does not exist; check the path", where) from err
    except OSError as err:
        raise BadInputError(f"{shown}cannot be read: {err.strerror}", where) from err
    except UnicodeDecodeError as err:
        place = SourceLocation(str(path), err.object.count(b"\n", 0, err.start) + 1)
        raise BadInputError("the file is not UTF-8; save it as UTF-8", place) from err
    except ValueError as err:
        raise BadInputError(f"{shown}cannot be read: {err}", where) from err


def _load_script(path: Path) -> WorkloadSpec:
    name = _workload_name(path.stem, SourceLocation(str(path)))
    return script_workload(read_text(path), str(path), name, str(path.resolve().parent))


def _load_yaml(path: Path) -> WorkloadSpec:
    root = parse_yaml(read_text(path), str(path), WORKLOAD_KEYS)
    named = root.get("name")
    name = _workload_name(checked_name(named.scalar(), named.where) if named else path.stem, root.where)
    options = root.get("options")
    statements = [_option(entry) for entry in options.mapping().entries] if options else []
    statements += _ddl(root.get("sql"), path.parent)
    candidates = [NamedAt(s, s.location) for s in statements]
    candidates += _queries(root, path, has_query=any(is_query(s) for s in statements))
    workload = name_queries(candidates)
    require_query(workload, str(path))
    return WorkloadSpec(
        name=name,
        file=str(path),
        base_dir=str(path.resolve().parent),
        statements=workload,
        python_files=_existing(root.get("python_files"), path.parent),
        jars=_existing(root.get("jars"), path.parent),
    )


def _workload_name(name: str, where: SourceLocation) -> str:
    problem = name_problem(name) or ("a workload's name cannot hold a slash" if "/" in name else None)
    if problem:
        raise BadInputError(problem, where)
    return name


def _option(entry: Entry) -> Statement:
    """An option as the SET statement that it stands for."""
    value = entry.raw()
    quoted = [text.replace("'", "''") for text in (entry.key, value)]
    text = f"SET '{quoted[0]}' = '{quoted[1]}'"
    return Statement(text, entry.where, StatementKind.SET, setting=Setting(entry.key, value))


def _ddl(entry: Entry | None, folder: Path) -> list[Statement]:
    """The statements of the files under `sql`, in order; INSERTs in them are queries in their own right."""
    found: list[Statement] = []
    for name in entry.texts() if entry else ():
        file = folder / name
        found += split_script(read_text(file, entry.where if entry else None), str(file)).statements
    return found


def _queries(root: Mapping, path: Path, has_query: bool) -> list[NamedAt]:
    entry = root.get("queries")
    if entry is not None:
        return [_query(item, path) for item in entry.mappings(QUERY_KEYS)]
    if has_query:
        return []
    message = "the key `queries` is missing: list each query with a name and its sql or file"
    raise BadInputError(message, root.where)


def _query(item: Mapping, path: Path) -> NamedAt:
    statement = _query_statement(item, path)
    asked = replace(statement, directives=_overridden(statement.directives, item))
    named = item.get("name")
    return NamedAt(asked, named.where if named else item.where)


def _query_statement(item: Mapping, path: Path) -> Statement:
    """The one query of an item; whatever else stands beside it would be run for all: refuse it."""
    sql, file = item.get("sql"), item.get("file")
    if sql and file:
        raise BadInputError(f"a query has sql or file, not both; file stands in {file.where}", sql.where)
    if sql:
        where = sql.where
        statements = split_script(sql.text(), str(path), sql.value_line).statements
    elif file:
        where = file.where
        source = path.parent / file.text()
        statements = split_script(read_text(source, where), str(source)).statements
    else:
        raise BadInputError("a query needs sql (its INSERT) or file (a path to it)", item.where)
    if len(statements) == 1 and is_query(statements[0]):
        return statements[0]
    kinds = ", ".join(s.kind.name for s in statements) or "nothing"
    reasons = [s.problem for s in statements if s.problem]
    message = f"a query is exactly one INSERT, this is {kinds}; put all else in the files under `sql`"
    raise BadInputError("; ".join([message, *reasons]), where)


def _overridden(said: Directives, item: Mapping) -> Directives:
    """The keys of the item over the directives in its SQL."""
    slots, rate, pinned, name = (item.get(k) for k in ("slots", "min_rate_rps", "pinned", "name"))
    return Directives(
        slots=checked_slots(slots.scalar(), slots.where) if slots else said.slots,
        min_rate_rps=checked_rate(rate.scalar(), rate.where) if rate else said.min_rate_rps,
        pinned=checked_pinned(pinned.scalar(), pinned.where) if pinned else said.pinned,
        name=checked_name(name.scalar(), name.where) if name else said.name,
    )


def _existing(entry: Entry | None, folder: Path) -> tuple[str, ...]:
    """The paths of an entry as absolute ones; each must exist."""
    paths: list[str] = []
    for name in entry.texts() if entry else ():
        path = folder / name
        if not path.exists():
            raise BadInputError(f"{path} does not exist; check the path", entry.where if entry else None)
        paths.append(str(path.resolve()))
    return tuple(paths)
