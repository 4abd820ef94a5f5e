"""What a query says before Flink optimises it: kinds of joins, and equalities between the two inputs.

The optimiser may turn an outer join into an inner one, and fold a key into constants (see
`funshare_flink.plan.folded_keys`); both are read here from Flink's logical plan.
"""

from __future__ import annotations

from typing import Any

from funshare_flink.plan.folded_keys import EquiColumns

_TRANSPARENT = ("LogicalProject", "LogicalFilter", "LogicalWatermarkAssigner")


_OUTER = ("LEFT", "RIGHT", "FULL")


def has_outer_join(tree: Any) -> bool:
    """Whether a logical tree (Calcite's RelNode) holds an outer join anywhere."""
    if tree.getRelTypeName() == "LogicalJoin" and tree.getJoinType().name() in _OUTER:
        return True
    return any(has_outer_join(child) for child in tree.getInputs())


def written_keys(tree: Any) -> tuple[EquiColumns, ...]:
    """Column pairs, by scan column name, that an inner join's condition or a filter above it holds equal."""
    found: list[EquiColumns] = []
    _visit(tree, [], found)
    return tuple(found)


def _visit(rel: Any, conditions: list[Any], found: list[EquiColumns]) -> None:
    """Walk down; `conditions` are filters above `rel`, over its own columns."""
    name = rel.getRelTypeName()
    if name == "LogicalJoin":
        if rel.getJoinType().name() == "INNER":
            found.extend(_pairs(rel, [*conditions, rel.getCondition()]))
        conditions = []
    elif name == "LogicalFilter":
        conditions = [*conditions, rel.getCondition()]
    elif name != "LogicalWatermarkAssigner":
        conditions = []
    for child in rel.getInputs():
        _visit(child, conditions, found)


def _pairs(join: Any, conditions: list[Any]) -> list[EquiColumns]:
    left, right = join.getLeft(), join.getRight()
    width = left.getRowType().getFieldCount()
    result = []
    for a, b in (p for c in conditions for p in _equalities(c)):
        low, high = min(a, b), max(a, b)
        if low < width <= high:
            names = _scan_column(left, low), _scan_column(right, high - width)
            if names[0] is not None and names[1] is not None:
                result.append(EquiColumns(names[0], names[1]))
    return result


def _equalities(condition: Any) -> list[tuple[int, int]]:
    """Column index pairs of `=` between plain columns, through AND."""
    kind = condition.getKind().name()
    if kind == "AND":
        return [p for o in condition.getOperands() for p in _equalities(o)]
    if kind != "EQUALS":
        return []
    a, b = condition.getOperands()
    if a.getKind().name() == b.getKind().name() == "INPUT_REF":
        return [(a.getIndex(), b.getIndex())]
    return []


def _scan_column(rel: Any, index: int) -> str | None:
    """The scan's column behind a column of `rel`, when it is passed up unchanged."""
    name = rel.getRelTypeName()
    if name == "LogicalTableScan":
        return str(rel.getRowType().getFieldNames()[index])
    if name == "LogicalTableFunctionScan":  # a window function hands its input's columns on, its own stand behind
        inputs = rel.getInputs()
        within = inputs.size() == 1 and index < inputs.get(0).getRowType().getFieldCount()
        return _scan_column(inputs.get(0), index) if within else None
    if name not in _TRANSPARENT:
        return None
    if name == "LogicalProject":
        expression = rel.getProjects()[index]
        if expression.getKind().name() != "INPUT_REF":
            return None
        index = expression.getIndex()
    return _scan_column(rel.getInputs()[0], index)
