"""Slow and obviously right: for every algorithm a reference, and a verifier that checks a result from its definition."""

from __future__ import annotations

from clgraph.reference.sampling import ReferenceSample, reference_sample, verify_sample

__all__ = ["ReferenceSample", "reference_sample", "verify_sample"]
