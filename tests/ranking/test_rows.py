"""The variants serial, pull and contribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import assert_close, every_check

from clgraph import Graph
from clgraph.ranking import pagerank
from clgraph.ranking.rows import SHAPES
from clgraph.reference.pagerank import reference_pagerank

if TYPE_CHECKING:
    from clgraph.device import Device


@every_check
@pytest.mark.parametrize("variant", ["serial", "pull", "contribution"])
def test_variants(device: Device, variant: Any, check: Any) -> None:
    check(device, variant)


@pytest.mark.parametrize("variant", ["pull", "contribution"])
def test_vertices_of_a_group(device: Device, variant: Any) -> None:
    """One vertex more, or fewer, than full groups take."""
    shape = SHAPES.of(device)
    for n in (2 * shape.local * shape.items + more for more in (-1, 0, 1)):
        tails = np.arange(n)
        graph = Graph.from_edges(np.append(tails, 0), np.append((tails + 1) % n, n - 1), directed=True)
        found = pagerank(graph, variant=variant, tol=0, max_iter=3, device=device)
        assert_close(found, reference_pagerank(graph, iterations=3), "float32")
