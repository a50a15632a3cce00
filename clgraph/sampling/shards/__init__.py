"""Samples and curves of datasets of shards: the priority forest, saved, merged and chosen from."""

from __future__ import annotations

from clgraph.sampling.shards.passes import merge_forests, save_forest
from clgraph.sampling.shards.saved import SavedForest, open_forest

__all__ = ["SavedForest", "merge_forests", "open_forest", "save_forest"]
