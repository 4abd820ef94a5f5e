"""From counters and samples to loads, overlaps and capacities, each with its error.

Duty: numbers in, numbers with confidence out; unknown stays unknown (None). Ban: no I/O, no clock, no randomness.
"""
