"""Which queries run together, and with how many task slots.

Duty: verdicts in, a grouping with reasons out. Ban: no I/O, no clock, no randomness.
"""
