"""Acts on a cluster: launches groups, follows them, stops them. The loop comes with the daemon.

Duty: carry out what the core decided, through ports. Ban: does not know which adapter stands behind a port.
"""
