"""Finds the modules of Python functions that a workload declares but does not list."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from importlib.machinery import PathFinder
from pathlib import Path

from funshare_flink.model.errors import BadInputError, SourceLocation
from funshare_flink.model.workload import WorkloadSpec
from funshare_flink.plan.script import PythonFunction, python_function


def with_python_modules(workload: WorkloadSpec) -> WorkloadSpec:
    """The workload with `python_files` that hold every Python function which it declares.

    Raises BadInputError for a function whose module is neither in a file that was found nor importable.
    """
    files = dict.fromkeys(workload.python_files)
    for item in workload.statements:
        function = python_function(item.statement)
        if function is not None:
            found = _needed_file(workload, function, item.statement.location)
            files.update(dict.fromkeys([found] if found else []))
    return replace(workload, python_files=tuple(files))


def find_python_module(workload: WorkloadSpec, module: str) -> Path | None:
    """The file of `module` (`a.b` is a/b.py or a/b/__init__.py), or None.

    Looked for beside the workload's files, in the folders above them, and in the current folder.
    """
    parts = Path(*module.split("."))
    for folder in _folders(workload):
        for candidate in (folder / parts.with_suffix(".py"), folder / parts / "__init__.py"):
            if candidate.is_file():
                return candidate.resolve()
    return None


def _needed_file(workload: WorkloadSpec, function: PythonFunction, where: SourceLocation) -> str | None:
    """What must be added to the Python files for `function`; None if it is there already."""
    module = function.module
    if not module:
        target = f"'module.{function.attribute}'"
        raise BadInputError(f"the Python function {function.name} names no module: write AS {target}", where)
    top = module.partition(".")[0]
    if _is_listed(top, workload.python_files):
        return None
    found = find_python_module(workload, module)
    if found is not None:
        return str(_importable_entry(found, module))
    if _importable(top, sys.path):
        return None
    looked = ", ".join(dict.fromkeys(str(folder) for folder in _folders(workload)))
    raise BadInputError(
        f"the Python function {function.name} needs the module {module!r}, which is not in {looked}; "
        "put the file there, or list it (of a package: the folder above it) under python_files",
        where,
    )


def _importable_entry(file: Path, module: str) -> Path:
    """What Flink must have on its Python path: the file of a plain module, the folder above a package."""
    is_package = file.name == "__init__.py"
    if "." not in module and not is_package:
        return file
    return file.parents[module.count(".") + is_package]


def _is_listed(top: str, python_files: Iterable[str]) -> bool:
    paths = [Path(f) for f in python_files]
    by_name = any(p.name == f"{top}.py" for p in paths)
    return by_name or _importable(top, [str(p) for p in paths if p.suffix != ".py"])


def _importable(top: str, path: list[str]) -> bool:
    """Whether a module of this name can be found on `path` (folders and zip files); nothing is imported."""
    if top in sys.builtin_module_names:
        return True
    PathFinder.invalidate_caches()
    spec = PathFinder.find_spec(top, path)
    return spec is not None and spec.origin is not None  # else just some folder of that name


def _folders(workload: WorkloadSpec) -> list[Path]:
    files = dict.fromkeys(Path(s.statement.location.file).resolve().parent for s in workload.statements)
    beside = list(dict.fromkeys([Path(workload.base_dir), *files]))
    return list(dict.fromkeys([*beside, *(folder.parent for folder in beside), Path.cwd()]))
