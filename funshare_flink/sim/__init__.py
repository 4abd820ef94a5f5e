"""A simulated cluster with a virtual clock behind the daemon's own ports.

Duty: stand in for Flink and Kafka where hours must pass in seconds. Ban: decides nothing; the daemon's loop does.
"""
