"""Graphs in shards: larger than a device's memory, over several devices and hosts, the same bytes."""

from __future__ import annotations

from clgraph.scale.shards import Shards, open_shards
from clgraph.scale.writing import join_shards, write_shards

__all__ = ["Shards", "join_shards", "open_shards", "write_shards"]
