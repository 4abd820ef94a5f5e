"""Temporary tables as ordinary ones: a compiled plan only names a temporary table, so no job could load the plan."""

from __future__ import annotations

from typing import Any

_IN_MEMORY = "GenericInMemoryCatalog"


def execute_ddl(env: Any, text: str) -> None:
    """Run a DDL statement; CREATE and DROP TEMPORARY TABLE act on an ordinary table of that name.

    Only in a catalog that lives in this session's memory: in any other the table would outlive the session, so there
    it stays temporary. A temporary table that hides an ordinary one is refused by Flink as existing already.
    """
    twin = _permanent_twin(env._j_tenv, text) if "TEMPORARY" in text.upper() else None
    if twin is None:
        env.execute_sql(text)
    else:
        env._j_tenv.executeInternal(twin)


def _permanent_twin(java_env: Any, text: str) -> Any:
    """The statement's operation on an ordinary table, or None when it is none on a temporary table."""
    from pyflink.java_gateway import get_gateway

    ddl = get_gateway().jvm.org.apache.flink.table.operations.ddl
    operation = java_env.getParser().parse(text).get(0)
    kind = operation.getClass().getSimpleName()
    if kind not in ("CreateTableOperation", "DropTableOperation") or not operation.isTemporary():
        return None
    name = operation.getTableIdentifier()
    catalog = java_env.getCatalog(name.getCatalogName())
    if not catalog.isPresent() or catalog.get().getClass().getSimpleName() != _IN_MEMORY:
        return None
    if kind == "DropTableOperation":
        return ddl.DropTableOperation(name, operation.isIfExists(), False)
    return ddl.CreateTableOperation(name, operation.getCatalogTable(), operation.isIgnoreIfExists(), False)
