"""The paper's figures on the simulated cluster: what to run, what to draw, which claims to judge.

Duty: build worlds, ask strategies and the daemon's own loop (handed in), judge claims. Ban: no constant of one figure
alone (all are in `paper_cluster`), no drawing or writing but in `output` and `plot`.
"""
