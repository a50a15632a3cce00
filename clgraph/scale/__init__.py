"""Graphs in shards: larger than a device's memory, over several devices and hosts, the same bytes."""

from __future__ import annotations

from clgraph.scale.cut import join_shards, write_shards
from clgraph.scale.making import merge_forests, save_forest
from clgraph.scale.samples import ShardedSample
from clgraph.scale.saved import SavedForest, open_forest
from clgraph.scale.shards import Shards, open_shards

__all__ = [
    "SavedForest",
    "ShardedSample",
    "Shards",
    "join_shards",
    "merge_forests",
    "open_forest",
    "open_shards",
    "save_forest",
    "write_shards",
]
