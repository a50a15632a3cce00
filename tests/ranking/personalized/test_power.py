"""Engines: one source on the rows of PageRank's plans; lanes by runs of rows and by teams of work-items.

And every method on the contest's graph and sources, where it finds the top 20.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from personalized import CONTEST, EXACT, as_reference, everywhere, random_graph, skewed_graph

from clgraph import Graph, PersonalizedResult, personalized_pagerank, read
from clgraph.csr.upload import upload_csr
from clgraph.device import Device
from clgraph.ranking.personalized import batched_power, engines
from clgraph.reference.pagerank import reference_ppr, top_accuracy, verify_ppr

POLICIES: tuple[Any, ...] = ("uniform", "personalization", "drop", {3: 1.0, 5: 2.0})


@pytest.mark.smoke
@pytest.mark.parametrize("plan", ["bins", "runs", None])
def test_single_source(device: Device, plan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One source on PageRank's own rows, and in a lane."""
    monkeypatch.setattr(engines, "LAUNCH", everywhere(plan))
    graph = skewed_graph()
    for dangling in POLICIES:
        for source in (3, {7: 1.0, 2: 0.5}):
            options: dict[str, Any] = {"dangling": dangling, "device": device}
            found = as_reference(graph=graph, sources=source, count=9, **options)
            assert found.iterations.tolist() == [9]
            # words of str's own type: the command's JSON has them
            assert found.ended == ["max_iter"] and type(found.ended[0]) is str
            top = personalized_pagerank(graph, source, top=7, tol=0, max_iter=9, **options)
            assert top.ids[0].tolist() == np.argsort(-found.scores[0], kind="stable")[:7].tolist()
            verify_ppr(graph, top, source)


# --- lanes ------------------------------------------------------------------------------------------------

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
    found = as_reference(device, graph, sources, 8)
    top = personalized_pagerank(graph, sources, tol=0, max_iter=8, top=30, device=device)
    assert np.array_equal(top.ids, np.argsort(-found.scores, axis=1, kind="stable")[:, :30])


@pytest.mark.usefixtures("lanes")
def test_distributions(device: Device) -> None:
    """A vector for each lane, arc weights, every policy."""
    graph = random_graph(3, weighted=True)
    sources: list[Any] = [{0: 1.0, 4: 3.0}, {59: 1.0}, {7: 1.0, 8: 1.0}]
    for dangling in POLICIES:
        options: dict[str, Any] = {"dangling": dangling, "dtype": "float64", "norm": "linf", "tol": 1e-9}
        found = personalized_pagerank(graph, sources, **options, device=device)
        verify_ppr(graph, found, sources)


@pytest.mark.parametrize("lanes", RUNS, indirect=True, ids=str)
@pytest.mark.usefixtures("lanes")
def test_more_runs_than_rows(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(batched_power.LAUNCH["cpu"], runs=1000)
    monkeypatch.setattr(batched_power, "LAUNCH", everywhere(config))
    as_reference(device, random_graph(1), [0, 5], 9)


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


# --- the contest ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def california() -> tuple[Graph, Any, Any]:
    folder = os.environ.get("CLGRAPH_TEST_DATA")
    if not folder:
        pytest.skip("CLGRAPH_TEST_DATA is not set")
    graph = read(Path(folder, "California.mtx"))
    sources = graph.ids[CONTEST]
    return graph, sources, reference_ppr(graph, sources)


def mean_accuracy(found: PersonalizedResult, graph: Graph, want: Any) -> float:
    pairs = zip(found.ids, want, strict=True)
    return float(np.mean([top_accuracy(graph.indices_of(ids), ranks) for ids, ranks in pairs]))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(
    "options", [{}, {"check_every": 3, "squared": True, "stored": True}], ids=["plain", "heuristics"]
)
def test_california(device: Device, california: Any, method: Any, options: dict[str, Any]) -> None:
    graph, sources, want = california
    found = personalized_pagerank(graph, sources, method=method, top=20, device=device, **options)
    assert mean_accuracy(found, graph, want) == 1
    assert found.ended.count("store") == (14 if options else 0)
    for ids, scores, ranks in zip(found.ids, found.scores, want, strict=True):
        assert np.abs(ranks[graph.indices_of(ids)] - scores).sum() <= found.error_bounds.max()


def test_california_by_walks(device: Device, california: Any) -> None:
    graph, sources, want = california

    def accuracy(**options: Any) -> float:
        call: dict[str, Any] = {"method": "monte-carlo", "seed": 1, "top": 20, "device": device}
        return mean_accuracy(personalized_pagerank(graph, sources, **call, **options), graph, want)

    by_default = accuracy()
    assert by_default >= 0.95
    assert accuracy(walks=20_000) < by_default
    assert accuracy(walks=200) < accuracy(walks=20_000)
