"""What figures, tables and reports read of a Quality."""

from __future__ import annotations

from typing import Protocol

from clgraph.measures.scalars import Measures


class Pair(Protocol):
    """The measures of a graph and, if there is one, of its sample; see `clgraph.Quality`."""

    @property
    def original(self) -> Measures:
        """Of the graph."""

    @property
    def sample(self) -> Measures | None:
        """Of its sample."""

    @property
    def ks(self) -> dict[str, float | None] | None:
        """How far their distributions are apart."""

    @property
    def seed(self) -> int:
        """Chose the vertices that a large graph was searched from."""
