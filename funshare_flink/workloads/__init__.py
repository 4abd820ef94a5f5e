"""The workloads that demo, tests and benchmarks run, at any number of queries, as SQL text.

Duty: parameters and a seed in, SQL text and generator settings out. Ban: no I/O, no global randomness.
"""

from funshare_flink.workloads.build import Workload, WorkloadQuery, build_workload
from funshare_flink.workloads.params import Selectivity, WorkloadParams

__all__ = ["Selectivity", "Workload", "WorkloadParams", "WorkloadQuery", "build_workload"]
