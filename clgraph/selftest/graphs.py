"""The graphs of a selftest, each made when it is first asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from clgraph.csr.generate import powerlaw_graph
from clgraph.graph import Graph

LEAVES, FEWER = 100_000, 9000  # rows that every kernel cuts into pieces
CHAIN = 5000  # more steps than one launch takes on GPUs


class Graphs:
    """Small graphs for comparisons with references, larger ones that fill many work-groups."""

    @cached_property
    def powerlaw(self) -> Graph:
        """400 vertices."""
        return powerlaw_graph(400, average_degree=4, seed=5)

    @cached_property
    def path(self) -> Graph:
        """300 levels."""
        return Graph.from_edges(np.arange(299), np.arange(1, 300))

    @cached_property
    def arcs(self) -> Graph:
        """Directed, with vertices that nothing leaves."""
        rng = np.random.default_rng(11)
        return Graph.from_edges(rng.integers(0, 200, 500), rng.integers(0, 200, 500), directed=True)

    @cached_property
    def star(self) -> Graph:
        """A centre and `LEAVES` leaves, a thousand of them in a ring; joined to one with `FEWER` leaves."""
        leaves, ring, other = np.arange(1, LEAVES + 1), np.arange(1, 1001), LEAVES + 1
        tails = np.zeros(LEAVES, np.int64), ring, np.full(FEWER + 1, other)
        heads = leaves, ring % 1000 + 1, np.append(np.arange(other + 1, other + 1 + FEWER), 0)
        return Graph.from_edges(np.concatenate(tails), np.concatenate(heads))

    @cached_property
    def ties(self) -> Graph:
        """300 rings of 16 vertices, scattered: everything is as large as everything else."""
        v = np.arange(4800)
        number = np.random.default_rng(3).permutation(4800)
        return Graph.from_edges(number[v], number[v // 16 * 16 + (v + 1) % 16])

    @cached_property
    def medium(self) -> Graph:
        """20 000 vertices of a power law: many work-groups, too large for kernels of one."""
        return powerlaw_graph(20_000, average_degree=14, seed=7)

    @cached_property
    def medium_arcs(self) -> Graph:
        """20 000 vertices and 90 000 arcs."""
        rng = np.random.default_rng(12)
        return Graph.from_edges(
            rng.zipf(1.6, 90_000) % 20_000, rng.integers(0, 20_000, 90_000), directed=True
        )

    @cached_property
    def chain(self) -> Graph:
        """A directed ring of `CHAIN` vertices, and as many again that lead out of it in a line."""
        v = np.arange(2 * CHAIN - 1)
        return Graph.from_edges(np.append(v, CHAIN - 1), np.append(v + 1, 0), directed=True)
