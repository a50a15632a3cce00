"""The samplers of the literature: races, walks, searches that spread; and weights that undo their bias."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clgraph.sampling.literature.result import DrawnSample

__all__ = ["DrawnSample"]


def __getattr__(name: str) -> Any:
    """Look up `DrawnSample` at its first use: the names of the methods are needed far more often."""
    if name == "DrawnSample":
        from clgraph.sampling.literature.result import DrawnSample

        return DrawnSample
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
