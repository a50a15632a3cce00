"""Slow and obviously right: a reference for every algorithm, and a verifier that checks a result."""

from __future__ import annotations

from clgraph.reference.bfs import reference_bfs, verify_bfs
from clgraph.reference.components import reference_components, verify_components
from clgraph.reference.sampling import ReferenceSample, reference_sample, verify_sample

__all__ = [
    "ReferenceSample",
    "reference_bfs",
    "reference_components",
    "reference_sample",
    "verify_bfs",
    "verify_components",
    "verify_sample",
]
