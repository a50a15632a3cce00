"""The samplers of the literature: races, walks, searches that spread; and weights that undo their bias."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clgraph.sampling.literature.result import DrawnSample
    from clgraph.sampling.literature.streamed import StreamSample

__all__ = ["DrawnSample", "StreamSample"]


def __getattr__(name: str) -> Any:
    """Look up a result class at its first use: the names of the methods are needed far more often."""
    if name == "DrawnSample":
        from clgraph.sampling.literature.result import DrawnSample

        return DrawnSample
    if name == "StreamSample":
        from clgraph.sampling.literature.streamed import StreamSample

        return StreamSample
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
