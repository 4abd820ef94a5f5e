"""A Python function for the verdict scripts."""

from pyflink.table import DataTypes
from pyflink.table.udf import udf


@udf(result_type=DataTypes.STRING())  # type: ignore[untyped-decorator]
def shout(text: str | None) -> str | None:
    return None if text is None else text.upper()
