"""Flink's compiled plan as data: what a query joins, who may share it, and the group's plan.

Duty: JSON of `COMPILE PLAN` in, verdicts and JSON of group plans out. Ban: no I/O, no clock, no Flink in
this process; whatever must be asked of Flink comes in as data (see `funshare_flink.flink.planner`).
"""
