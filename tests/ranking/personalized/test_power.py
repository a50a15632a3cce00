"""The power method by runs of rows and by teams of work-items, on any device."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from personalized import close, everywhere, random_graph, skewed_graph

from clgraph import personalized_pagerank
from clgraph.csr.upload import upload_csr
from clgraph.ranking.personalized import batched_power, engines
from clgraph.reference.pagerank import reference_ppr, verify_ppr

if TYPE_CHECKING:
    from clgraph.device import Device


# widths of the lanes, and who takes rows: five runs of them, or teams, those of more than 16 arcs in pieces
RUNS = [{"runs": 5, "teams": False, "widths": widths} for widths in ((1, 8), (8, 16))]
TEAMS = [{"teams": True, "group": 64, "piece": 16, "widths": widths} for widths in ((4, 8), (16,))]


@pytest.fixture(params=[*RUNS, *(pytest.param(each, marks=pytest.mark.slow) for each in TEAMS)], ids=str)
def lanes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "takes", lambda *_: False)  # lanes, also where PageRank has pipelines
    options = {**request.param}
    config = batched_power.LaunchConfig(options.pop("widths"), local=16, **options)
    monkeypatch.setattr(batched_power, "LAUNCH", everywhere(config))


@pytest.mark.usefixtures("lanes")
def test_lanes(device: Device) -> None:
    """Lanes that are given new sources; empty lanes; long rows."""
    graph = skewed_graph(400, 4000)
    sources = list(range(0, 400, 23))
    found = personalized_pagerank(graph, sources, tol=0, max_iter=8, device=device)
    close(found, reference_ppr(graph, sources, iterations=8))
    top = personalized_pagerank(graph, sources, tol=0, max_iter=8, top=30, device=device)
    assert top.ids is not None
    assert np.array_equal(top.ids, np.argsort(-found.scores, axis=1, kind="stable")[:, :30])


@pytest.mark.usefixtures("lanes")
def test_distributions(device: Device) -> None:
    """A vector for each lane, arc weights, every policy."""
    graph = random_graph(3, weighted=True)
    sources: list[Any] = [{0: 1.0, 4: 3.0}, {59: 1.0}, {7: 1.0, 8: 1.0}]
    for dangling in ("uniform", "personalization", "drop", {3: 1.0, 5: 2.0}):
        options: dict[str, Any] = {"dangling": dangling, "dtype": "float64", "norm": "linf", "tol": 1e-9}
        found = personalized_pagerank(graph, sources, **options, device=device)
        verify_ppr(graph, found, sources)


@pytest.mark.parametrize("lanes", RUNS, indirect=True, ids=str)
@pytest.mark.usefixtures("lanes")
def test_more_runs_than_rows(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(batched_power.LAUNCH["cpu"], runs=1000)
    monkeypatch.setattr(batched_power, "LAUNCH", everywhere(config))
    graph = random_graph(1)
    found = personalized_pagerank(graph, [0, 5], tol=0, max_iter=9, device=device)
    close(found, reference_ppr(graph, [0, 5], iterations=9))


@pytest.mark.slow
def test_places(device: Device) -> None:
    """Every row has a place, by decreasing length; the pieces of a long one cover its arcs."""
    graph = skewed_graph(400, 4000)
    lengths = np.diff(graph.row_ptr)
    places = SimpleNamespace(**batched_power.make_places(device, upload_csr(device, graph), piece=16))
    order = device.download(places.order, np.int32, 400)
    assert order.tolist() == np.argsort(-lengths, kind="stable").tolist()
    assert places.long_rows == np.count_nonzero(lengths > 16)
    assert places.filled == np.count_nonzero(lengths)
    first = device.download(places.first_piece, np.int32, places.long_rows + 1)
    begin, end = (
        device.download(buffer, graph.row_ptr.dtype, places.pieces)
        for buffer in (places.piece_begin, places.piece_end)
    )
    assert (end - begin).max() <= 16 and (end > begin).all()
    assert places.longest_join == np.diff(first).max()
    for place, row in enumerate(order[: places.long_rows].tolist()):
        own = slice(first[place], first[place + 1])
        assert begin[own][0] == graph.row_ptr[row] and end[own][-1] == graph.row_ptr[row + 1]
        assert np.array_equal(begin[own][1:], end[own][:-1])
