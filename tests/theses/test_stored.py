"""Sources without out-arcs, answered from stored ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from personalized import random_graph

from clgraph import personalized_pagerank
from clgraph.reference.pagerank import verify_ppr

if TYPE_CHECKING:
    from clgraph.device import Device


@pytest.mark.parametrize("dangling", ["uniform", "personalization", "drop", {3: 1.0, 5: 2.0}])
@pytest.mark.parametrize("top", [None, 5])
@pytest.mark.cross
def test_stored(device: Device, dangling: Any, top: int | None) -> None:
    graph = random_graph(1, n=100, arcs=120)
    ends = np.flatnonzero(graph.degrees == 0)
    both = [{int(ends[0]): 1.0, int(ends[1]): 2.0}]
    for sources in ([int(ends[0]), 0, int(ends[3])], both):
        found = personalized_pagerank(
            graph, sources, dangling=dangling, stored=True, top=top, dtype="float64", device=device
        )
        assert found.ended[0] == "store"
        assert found.ended[1:2] in ([], ["tol"])
        verify_ppr(graph, found, sources)
