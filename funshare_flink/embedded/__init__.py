"""The embedded cluster: Flink from the pip wheel and a Kafka broker as child processes of this machine.

Duty: artifacts, start, health, repair and stop, by the pids that it started itself. Ban: knows nothing of
queries, plans or groups.

`cluster` holds the three calls (`up`, `status`, `down`); `config` what can be asked for; `state` what is
known of a running cluster.
"""
