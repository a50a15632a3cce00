"""Edges of Graph500's generator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_files import GRAPHS, arcs_of, put
from graphs import same

from clgraph import InputError
from clgraph.files import read
from clgraph.files.summary import write_with_summary


@pytest.mark.smoke
def test_pairs(tmp_path: Path) -> None:
    pairs = np.array([[5, 7], [2**62, 5], [7, 5], [7, 7]], "<i8")
    graph = read(put(tmp_path / "x.g500", pairs.tobytes()))
    assert not graph.directed and graph.num_edges == 3 and graph.num_duplicates == 1
    assert graph.ids.tolist() == [5, 7, 2**62]
    put(tmp_path / "edges.bin", pairs.tobytes())
    same(graph, read(tmp_path / "edges.bin", format="graph500"))
    assert arcs_of(read(tmp_path / "x.g500", directed=True))[0] == (5, 7)


@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str) -> None:
    graph, path = GRAPHS[which], tmp_path / "x.g500"
    if graph.weights is not None or graph.ids.dtype == object:
        with pytest.raises(InputError, match=r"hold no weights|ids are text"):
            write_with_summary(graph, path)
        return
    said = write_with_summary(graph, path)
    touched = graph.subgraph((graph.degrees > 0) | (graph.reverse.degrees > 0))
    assert ("without edges left out" in said) == (touched.num_vertices < graph.num_vertices)
    if graph.num_edges:
        same(touched, read(path, directed=graph.directed))


def test_damaged(tmp_path: Path) -> None:
    pairs = np.array([[5, 7], [3, -1]], "<i8").tobytes()
    with pytest.raises(InputError, match=r"edge 1 \(counted from 0, at byte 16\): -1 is negative"):
        read(put(tmp_path / "x.g500", pairs))
    with pytest.raises(InputError, match="31 bytes are not whole edges of 16"):
        read(put(tmp_path / "x.g500", pairs[:31]))
    with pytest.raises(InputError, match="hold no weights"):
        read(tmp_path / "x.g500", weights=True)
    with pytest.raises(InputError, match="vertices of Graph500 files are numbers"):
        read(tmp_path / "x.g500", ids="str")
