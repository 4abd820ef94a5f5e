"""The workloads that demo, tests and benchmarks run, at any number of queries, as SQL text.

Duty: parameters and a seed in, SQL text and generator settings out. Ban: no I/O, no global randomness.
"""
