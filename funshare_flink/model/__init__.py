"""What two or more packages exchange: ids, queries, groupings, verdicts and errors.

Duty: frozen values with named units. Ban: no I/O, no clock, no randomness, no logging; imports nothing
of this project.
"""
