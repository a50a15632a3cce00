"""Self-test of one device, in seconds: every kernel family against its reference or known results.

`clgraph.device.driver_selftest` runs it in a child process, ``python -m clgraph.selftest``.
"""
