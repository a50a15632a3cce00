"""Slow and obviously right: a reference for every algorithm, and a verifier that checks a result."""

from __future__ import annotations

from clgraph.reference.common import ReferenceSample
from clgraph.reference.measures import reference_core_numbers, verify_core_numbers
from clgraph.reference.pagerank import reference_pagerank, verify_pagerank
from clgraph.reference.reduction import (
    reference_contract,
    reference_explore,
    verify_contraction,
    verify_exploration,
)
from clgraph.reference.samples import reference_sample, verify_sample
from clgraph.reference.traversal import reference_bfs, reference_components, verify_bfs, verify_components

__all__ = [
    "ReferenceSample",
    "reference_bfs",
    "reference_components",
    "reference_contract",
    "reference_core_numbers",
    "reference_explore",
    "reference_pagerank",
    "reference_sample",
    "verify_bfs",
    "verify_components",
    "verify_contraction",
    "verify_core_numbers",
    "verify_exploration",
    "verify_pagerank",
    "verify_sample",
]
