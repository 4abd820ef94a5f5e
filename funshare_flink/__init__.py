"""FunShare: sharing groups for streaming SQL on stock Apache Flink, with functional isolation."""

__version__ = "0.1.0"
