"""One source at a time, on the rows of PageRank's plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from personalized import close, everywhere, skewed_graph

from clgraph import personalized_pagerank
from clgraph.ranking.personalized import engines
from clgraph.reference.pagerank import reference_ppr, verify_ppr

if TYPE_CHECKING:
    from clgraph.device import Device


@pytest.mark.smoke
@pytest.mark.parametrize("plan", ["bins", "runs", None])
def test_single_source(device: Device, plan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One source on PageRank's own rows, and in a lane."""
    monkeypatch.setattr(engines, "LAUNCH", everywhere(plan))
    graph = skewed_graph()
    for dangling in ("uniform", "personalization", "drop", {3: 1.0, 5: 2.0}):
        for source in (3, {7: 1.0, 2: 0.5}):
            options: dict[str, Any] = {"dangling": dangling, "device": device}
            found = personalized_pagerank(graph, source, tol=0, max_iter=9, **options)
            close(found, reference_ppr(graph, source, dangling=dangling, iterations=9))
            assert found.iterations.tolist() == [9]
            # words of str's own type: the command's JSON has them
            assert found.ended == ["max_iter"] and type(found.ended[0]) is str
            top = personalized_pagerank(graph, source, top=7, tol=0, max_iter=9, **options)
            assert top.ids is not None
            assert top.ids[0].tolist() == np.argsort(-found.scores[0], kind="stable")[:7].tolist()
            verify_ppr(graph, top, source)
