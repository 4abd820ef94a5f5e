"""What runs inside Flink, and how a plan becomes a job: the PyFlink entry point and the Maven modules."""
