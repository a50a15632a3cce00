"""PyTorch Geometric's edge_index in .npz files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_files import GRAPHS, arcs_of
from graphs import same

from clgraph import InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary

INDEX = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64])
def test_unsigned_integers(tmp_path: Path, dtype: type) -> None:
    for name, index in (("some", INDEX), ("none", INDEX[:, :0])):
        np.savez(tmp_path / "signed.npz", edge_index=index)
        np.savez(tmp_path / f"{name}.npz", edge_index=index.astype(dtype))
        same(read(tmp_path / f"{name}.npz"), read(tmp_path / "signed.npz"))


def test_edge_index(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, edge_index=INDEX, num_nodes=5, edge_weight=np.float32([1, 1, 3, 3]), x=np.ones((5, 2)))
    graph, said = read_with_summary(path)
    assert not graph.directed and graph.num_vertices == 5 and graph.num_edges == 2
    assert graph.multiplicity is None and "(4 arcs; skipped: edge_weight, x)" in said
    weights = read(path, weights=True).weights
    assert weights is not None and weights.tolist() == [1, 1, 3, 3]
    np.savez_compressed(path, edge_index=INDEX.astype(np.int32)[:, :3])
    assert arcs_of(read(path, directed=True)) == [(0, 1), (1, 0), (1, 2)]


@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str) -> None:
    graph, path = GRAPHS[which], tmp_path / "x.npz"
    write(graph, path, format="edge_index")
    with np.load(path) as arrays:
        assert arrays["edge_index"].shape == (2, graph.num_arcs) and arrays["edge_index"].dtype == np.int64
    before = path.read_bytes()
    write(graph, path, format="edge_index")
    assert path.read_bytes() == before
    again = read(path, weights=graph.weights is not None)
    same(graph.with_ids(np.arange(graph.num_vertices)), again)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"edge_index": INDEX[0]}, r"edge_index has the shape \(4,\)"),
        ({"edge_index": INDEX.T}, r"edge_index has the shape \(4, 2\)"),
        ({"edge_index": INDEX * 0.5}, "type float64"),
        ({"edge_index": INDEX - 1}, "edge_index holds -1"),
        ({"edge_index": INDEX + 2**31}, "at most"),
        ({"edge_index": INDEX, "num_nodes": np.array(10**9)}, "max_vertices="),
        ({"edge_index": INDEX, "num_nodes": np.array(2)}, "num_nodes should be one whole number, 3 or more"),
        ({"edge_index": INDEX, "num_nodes": np.array(9.5)}, "num_nodes should"),
        ({"edge_index": INDEX, "num_nodes": INDEX}, "num_nodes should"),
        ({"edge_index": INDEX}, "has no edge_weight"),
        ({"edge_index": INDEX, "edge_weight": np.ones(3)}, "edge_weight, of the shape"),
        ({"edge_index": INDEX, "edge_weight": np.full(4, np.nan)}, "finite"),
        ({"edge_index": INDEX, "edge_weight": np.array(list("abcd"))}, "edge_weight, of the shape"),
    ],
)
def test_damaged(tmp_path: Path, arrays: dict[str, Any], said: str) -> None:
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(InputError, match=said):
        read(tmp_path / "x.npz", weights=True)
