"""Everything that speaks to Flink: planner session, REST, submission.

Duty: translate between Flink and the frozen values of the model. Ban: takes no decision.
"""
