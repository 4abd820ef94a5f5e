"""Everything that speaks to Kafka: topics, offsets, readers, the event generator's launcher.

Duty: translate between Kafka and the frozen values of the model. Ban: takes no decision.
"""
