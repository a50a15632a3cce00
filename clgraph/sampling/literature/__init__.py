"""The samplers of the literature: races, walks, searches that spread; and weights that undo their bias."""

from __future__ import annotations

from clgraph.sampling.literature.result import DrawnSample

__all__ = ["DrawnSample"]
