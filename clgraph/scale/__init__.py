"""Graphs in shards: larger than a device's memory, over several devices and hosts, the same bytes."""

from __future__ import annotations

from clgraph.scale.bfs import bfs_of_shards
from clgraph.scale.components import components_of_shards
from clgraph.scale.cut import join_shards, write_shards
from clgraph.scale.pagerank import pagerank_of_shards
from clgraph.scale.samples import ShardedSample, sample_shards
from clgraph.scale.shards import Shards, open_shards

__all__ = [
    "ShardedSample",
    "Shards",
    "bfs_of_shards",
    "components_of_shards",
    "join_shards",
    "open_shards",
    "pagerank_of_shards",
    "sample_shards",
    "write_shards",
]
