"""What must outlive a process: which workload runs as which groups.

Duty: write atomically, read back frozen values. Ban: decides nothing; Flink is the truth about what runs.
"""
