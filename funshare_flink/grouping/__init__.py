"""Which queries run together, and with how many task slots.

Duty: verdicts and loads in, a decision with reasons out. Ban: no I/O, no clock, no randomness.
"""
