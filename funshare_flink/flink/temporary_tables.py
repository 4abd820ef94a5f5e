"""Temporary tables as ordinary ones: a compiled plan only names a temporary table, so no job could load the plan."""

from __future__ import annotations

from typing import Any

from funshare_flink.model.errors import BadInputError

_IN_MEMORY = "GenericInMemoryCatalog"


class TemporaryTables:
    """Runs the DDL of one table environment; CREATE and DROP TEMPORARY TABLE act on an ordinary table of that name.

    Only in a catalog that lives in this session's memory: in any other the table would outlive the session, so there
    it stays temporary.
    """

    def __init__(self, env: Any) -> None:
        self._env = env
        self._made: set[str] = set()

    def execute_ddl(self, text: str) -> None:
        """Run a DDL statement. Raises BadInputError for a temporary table that would hide an ordinary one (without
        IF NOT EXISTS Flink itself refuses it as existing already)."""
        twin = self._permanent_twin(text) if "TEMPORARY" in text.upper() else None
        if twin is None:
            self._env.execute_sql(text)
        else:
            self._env._j_tenv.executeInternal(twin)

    def _permanent_twin(self, text: str) -> Any:
        """The statement's operation on an ordinary table, or None when it is none on a temporary table."""
        from pyflink.java_gateway import get_gateway

        ddl = get_gateway().jvm.org.apache.flink.table.operations.ddl
        operation = self._env._j_tenv.getParser().parse(text).get(0)
        kind = operation.getClass().getSimpleName()
        if kind not in ("CreateTableOperation", "DropTableOperation") or not operation.isTemporary():
            return None
        name = operation.getTableIdentifier()
        catalog = self._env._j_tenv.getCatalog(name.getCatalogName())
        if not catalog.isPresent() or catalog.get().getClass().getSimpleName() != _IN_MEMORY:
            return None
        if kind == "DropTableOperation":
            self._made.discard(str(name.asSummaryString()))
            return ddl.DropTableOperation(name, operation.isIfExists(), False)
        self._note(operation, name, catalog.get())
        return ddl.CreateTableOperation(name, operation.getCatalogTable(), operation.isIgnoreIfExists(), False)

    def _note(self, operation: Any, name: Any, catalog: Any) -> None:
        """Remember a temporary table; refuse one that IF NOT EXISTS would silently turn into the table it hides."""
        known = str(name.asSummaryString())
        if operation.isIgnoreIfExists() and known not in self._made and catalog.tableExists(name.toObjectPath()):
            raise BadInputError(
                f"the temporary table {name.getObjectName()} would hide the table of that name; give it another name"
            )
        self._made.add(known)
