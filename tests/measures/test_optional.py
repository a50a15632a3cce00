"""Measures that `clgraph.quality` makes only where they are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_runs import InProcess
from scipy.stats import ks_2samp

import clgraph
from clgraph import Graph
from clgraph.device import Device
from clgraph.measures.hops import draw_sources
from clgraph.reference.weighted import reference_shortest_paths

ALSO = "modularity, weighted_distance"
DIRECTIONS = "ks_in_degree,ks_out_degree"


def weighted(seed: int, n: int = 90, directed: bool = False) -> Graph:
    rng = np.random.default_rng(seed)
    tail, head = rng.integers(0, n, (2, 4 * n))
    return Graph.from_edges(tail, head, directed=directed, weights=rng.integers(1, 9, 4 * n) / 4)


def once(graph: Graph) -> Graph:
    """Without weights and self-loops, each pair of neighbours once."""
    ends = np.sort(graph.ids[np.stack([graph.tails, graph.col_idx])], axis=0)
    return Graph.from_edges(*np.unique(ends[:, ends[0] != ends[1]], axis=1))


def mean_by_weight(graph: Graph, sources: Any) -> float:
    view = graph.undirected
    distance, _ = reference_shortest_paths(view, view.ids[sources].tolist())
    return float(distance[(distance > 0) & np.isfinite(distance)].mean())


@pytest.mark.parametrize("directed", [False, True])
def test_both(device: Device, directed: bool) -> None:
    graph = weighted(1, directed=directed)
    sample = clgraph.sample(graph, "drv", size=0.5, seed=2, device=device)
    found = clgraph.quality(graph, sample, seed=3, eigenvalues=False, also=ALSO, device=device)
    plain = clgraph.quality(graph, sample, seed=3, eigenvalues=False, device=device)
    assert found.sample is not None and plain.sample is not None
    assert plain.original.modularity is None and plain.sample.weighted_distance is None
    view = once(graph)
    assert len(view.ids) == 90  # so that indices are ids
    labels = clgraph.louvain(view, seed=3, weight=False, device=device).labels
    assert found.original.modularity == clgraph.modularity(view, labels, weight=False)
    part = once(sample.graph)
    assert found.sample.modularity == clgraph.modularity(part, labels[part.ids], weight=False)
    if "HAVE_FP64" not in device.features:
        assert found.sample.weighted_distance is None
        assert "need float64" in found.sample.reasons["weighted_distance"]
        return
    for measures, each in ((found.original, graph), (found.sample, sample.graph)):
        mean = mean_by_weight(each, np.arange(each.num_vertices))
        assert measures.weighted_distance == pytest.approx(mean, rel=1e-12)
    few = clgraph.quality(graph, seed=3, eigenvalues=False, hop_sources=9, also=["weighted_distance"])
    mean = mean_by_weight(graph, draw_sources(90, 9, 3))
    assert few.original.weighted_distance == pytest.approx(mean, rel=1e-12)
    assert few.original.modularity is None and "modularity" not in few.to_dict()["original"]
    # what is shown: everything that was asked for, and nothing else
    assert {"modularity", "weighted_distance"} <= set(found.to_dict()["sample"])
    assert not {"modularity", "weighted_distance"} & set(plain.to_dict()["original"])
    assert "| weighted distance |" in found.table() and "modularity" not in plain.table()


@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_directions(device: Device, duplicates: Any) -> None:
    """With loops and parallel arcs, which do not count; beside SciPy's distance of plain lists."""
    rng = np.random.default_rng(5)
    ends = (rng.random((2, 900)) ** 2 * 60).astype(int)
    graph = Graph.from_edges(*ends, directed=True, duplicates=duplicates)
    sample = clgraph.sample(graph, "drv", size=0.5, seed=2, device=device)
    also = DIRECTIONS.split(",")
    found = clgraph.quality(graph, sample, eigenvalues=False, also=also, device=device)
    assert found.sample is not None
    lists = []
    for each in (graph, sample.graph):
        arcs = {(u, v) for u, v in zip(each.tails.tolist(), each.col_idx.tolist(), strict=True) if u != v}
        lists.append([np.bincount([arc[end] for arc in arcs], minlength=each.num_vertices) for end in (1, 0)])
    for i, name in enumerate(also):
        assert getattr(found.original, name) == 0
        want = ks_2samp(lists[0][i], lists[1][i]).statistic
        assert getattr(found.sample, name) == pytest.approx(want, abs=1e-12) and want > 0


def test_what_is_not_defined() -> None:
    plain = Graph.from_edges([0, 1], [1, 2])
    for graph, reasons in (
        (plain, {"weighted_distance": "the graph has no weights"}),
        (plain.subgraph([0, 2]), {"modularity": "there are no edges"}),
    ):
        found = clgraph.quality(graph, eigenvalues=False, also=ALSO).original
        assert {name: found.reasons[name] for name in reasons} == reasons
        assert all(getattr(found, name) is None and name in found.to_dict() for name in reasons)
    found = clgraph.quality(plain, plain, eigenvalues=False, also=DIRECTIONS).original
    assert found.reasons["ks_in_degree"] == found.reasons["ks_out_degree"] == "the graph is undirected"
    other = Graph.from_edges([7, 8], [8, 9])
    found = clgraph.quality(plain, other, relation="none", eigenvalues=False, also="modularity")
    assert found.sample is not None and "not all of its vertices" in found.sample.reasons["modularity"]
    assert found.original.modularity is not None
    with pytest.raises(clgraph.InputError, match="'x' is no measure to ask for; use modularity"):
        clgraph.quality(plain, also="x")
    with pytest.raises(clgraph.InputError, match="also is 3"):
        clgraph.quality(plain, also=3)  # type: ignore[arg-type]
    negative = Graph.from_edges([0, 1], [1, 2], weights=[1, -2])
    with pytest.raises(clgraph.InputError, match="edge 1 -> 2 has weight -2"):
        clgraph.quality(negative, eigenvalues=False, also="weighted_distance")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, file = InProcess(capsys), tmp_path / "g.txt"
    clgraph.write(weighted(4), file)
    given = ("quality", file, "--weights", "--no-eigenvalues", "--also", "modularity,weighted_distance")
    said = json.loads(run(*given, "--json").out)["original"]
    assert said["modularity"] > 0.1 and said["weighted_distance"] > 0.5
    assert "modularity" in run(*given).out
    done = run("quality", file, "--also", "x")
    assert done.status == 1 and "is no measure to ask for" in done.err
