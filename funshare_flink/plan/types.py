"""Row types as Flink writes them: a ROW string when every field is simple, an object when one is not."""

from __future__ import annotations

import json
from dataclasses import dataclass

from funshare_flink.plan.graph import Json

FieldType = str | Json
"""`"BIGINT NOT NULL"`, or an object for time attributes, rows and the like."""


@dataclass(frozen=True)
class Field:
    """A named column of a row type."""

    name: str
    type: FieldType

    @property
    def type_key(self) -> str:
        """One text per type, for comparing types."""
        return self.type if isinstance(self.type, str) else json.dumps(self.type, sort_keys=True)


def row_fields(row_type: FieldType) -> tuple[Field, ...]:
    """The fields of a node's `outputType`.

    >>> [(f.name, f.type) for f in row_fields("ROW<`a``b` BIGINT, `c` ROW<`d` INT, `e` INT> NOT NULL>")]
    [('a`b', 'BIGINT'), ('c', 'ROW<`d` INT, `e` INT> NOT NULL')]
    """
    if not isinstance(row_type, str):
        return tuple(Field(f["name"], f["fieldType"]) for f in row_type["fields"])
    inner = row_type[row_type.index("<") + 1 : row_type.rindex(">")]
    return tuple(_field(part) for part in _split_top_level(inner))


def row_type(fields: tuple[Field, ...]) -> Json:
    """An `outputType` with these fields, in the object form that holds any field."""
    return {"type": "ROW", "fields": [{"name": f.name, "fieldType": f.type} for f in fields]}


def root_of(field_type: FieldType) -> str:
    """The type's root without length, precision and nullability.

    >>> root_of("DECIMAL(10, 2) NOT NULL"), root_of("TIMESTAMP(3) WITH LOCAL TIME ZONE")
    ('DECIMAL', 'TIMESTAMP WITH LOCAL TIME ZONE')
    """
    if not isinstance(field_type, str):
        return str(field_type["type"])
    text = field_type.removesuffix(" NOT NULL")
    if "(" in text and ")" in text and "<" not in text:
        text = text[: text.index("(")] + text[text.rindex(")") + 1 :]
    return text


def is_time_attribute(field_type: FieldType) -> bool:
    return not isinstance(field_type, str) and field_type.get("kind") in ("ROWTIME", "PROCTIME")


def is_proctime(field_type: FieldType) -> bool:
    return not isinstance(field_type, str) and field_type.get("kind") == "PROCTIME"


def _field(text: str) -> Field:
    end = 1
    while True:
        end = text.index("`", end)
        if text[end : end + 2] != "``":
            break
        end += 2
    return Field(text[1:end].replace("``", "`"), _without_comment(text[end + 1 :].strip()))


def _without_comment(text: str) -> str:
    """A field's type without its comment (`... 'text'`), which Flink appends."""
    if text.endswith("'") and " '" in text:
        return text[: text.index(" '")]
    return text


def _split_top_level(text: str) -> list[str]:
    parts: list[str] = []
    depth, start, quote = 0, 0, ""
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote else quote
        elif c in "`'":
            quote = c
        elif c in "<(":
            depth += 1
        elif c in ">)":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts
