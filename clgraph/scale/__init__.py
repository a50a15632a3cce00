"""Graphs in shards: larger than a device's memory, over several devices and hosts, the same bytes."""
