"""A Python function for the tail of a query; it lies beside the script, where FunShare looks for it."""

from pyflink.table import DataTypes
from pyflink.table.udf import udf


@udf(result_type=DataTypes.STRING())
def band(value):  # type: ignore[no-untyped-def]
    if value is None:
        return "none"
    return "high" if value > 8 else "low"
