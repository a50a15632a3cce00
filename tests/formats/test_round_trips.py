"""Graphs with nasty ids, weights and shapes, written and read again: equal, or refused at the write."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import write_with_summary
from clgraph.formats.table import FORMATS

NAMES = [
    *ast.literal_eval(
        r"""[
        "a", "b", "zo\u00eb", "New York", "x,y", 'say "hi"', '"', '""', "'", "a#b", "#a", "%a", "# ", "a%",
        "", " ", " a", "a ", "\u00a0", "a\u00a0b", "\u3000x", "a\tb", "\t", "a\nb", "\r", "a\r", "a\0", "\0",
        "a\0b", "\x0b", "a\x0cb", "a\x1cb", "a\x85b", "a\u2028b", "\ufeff", "\ufeffa", "a\ufeff", "\\",
        "\xef\xbb\xbfa", "0", "007", "7", "1e5", "+1", "-1", "1_2", "\u0661", "\u00b2", "1.5", "nan", "inf",
        "None", "null", "True", "source", "target", "Source", "u", "v", "start", "end", "from", "to", "src",
        "dst", "weight", "id1", "id2", "\U0001f600", "e\u0301", "\u00e9", "\u05d0", "\ud800", ",", ";", "|",
        ]"""
    ),
    "x" * 300,
    "y" * 70_000,
]
WEIGHTS = (0.0, -0.0, 1.0, -2.5, 5e-324, -1e-310, 1e308, -1e308, 0.1, 1 / 3, 1e16, 123456789.123, 2.0**53)
TEXT = (".txt", ".tsv", ".csv", ".edges.gz", ".csv.gz", ".v", ".v.gz", ".parquet", ".arrow", ".clg")
PLAIN = (*TEXT, ".mtx", ".mtx.gz", ".graph", ".graph.gz", ".npz")


def random_graph(random: np.random.Generator, text: bool) -> Graph:
    rows = int(random.integers(1, 9))
    names: Any
    if text:
        chosen = random.choice(len(NAMES), size=int(random.integers(1, 6)), replace=False)
        names = np.array([NAMES[i] for i in chosen], dtype=object)
    else:
        most = int(random.choice([9, 10**6, 2**31, 2**63 - 1]))
        names = np.unique(random.integers(0, most, 6, endpoint=True))
    source, target = (names[random.integers(0, len(names), rows)] for _ in range(2))
    weights = random.choice(WEIGHTS, rows) if random.random() < 0.5 else None
    try:
        return Graph.from_edges(
            source,
            target,
            weights=weights,
            directed=bool(random.random() < 0.5),
            duplicates="keep" if random.random() < 0.2 else "merge",
            vertices=names if random.random() < 0.3 else None,
        )
    except InputError:
        return random_graph(random, text)  # two weights of 1e308 are merged


def held(graph: Graph, suffix: str) -> Graph:
    """What a format holds of a graph: its isolated vertices, multiplicities and ids, or not."""
    suffix = suffix.removesuffix(".gz")
    tail, head, weights, counts = graph.edge_indices()
    ids: Any = graph.ids
    if suffix in (".mtx", ".graph"):
        ids = np.arange(1, graph.num_vertices + 1)
    isolated = suffix not in (".txt", ".tsv", ".csv", ".edges", ".parquet", ".arrow")
    kept = graph.multiplicity is None and graph.num_duplicates > 0
    return Graph.from_edges(
        ids[tail],
        ids[head],
        weights=weights,
        multiplicity=counts if suffix in (".clg", ".parquet", ".arrow") and not kept else None,
        directed=graph.directed,
        duplicates="keep" if kept else "merge",
        vertices=ids if isolated else None,
    )


def check_round_trip(graph: Graph, path: Path, text: bool) -> bool:
    """Write and read; whether the format took the graph. The file must not appear where it did not."""
    try:
        write(graph, path)
    except InputError as error:
        assert str(path) in str(error) and not path.exists(), error
        return False
    if graph.num_edges == 0:
        return True
    numbered = path.name.removesuffix(".gz").endswith((".mtx", ".graph", ".npz", ".clg"))
    kept = graph.multiplicity is None and graph.num_duplicates > 0
    again = read(
        path,
        ids="str" if text and not numbered else "int",
        weights=graph.weights is not None,
        directed=None if path.suffix in (".parquet", ".arrow", ".clg") else graph.directed,
        duplicates="keep" if kept else "merge",
    )
    same(again, held(graph, "".join(path.suffixes)))
    return True


@pytest.mark.parametrize("text", [True, False], ids=["text", "integers"])
def test_random_graphs(tmp_path: Path, text: bool) -> None:
    random = np.random.default_rng(16 + text)
    taken = dict.fromkeys(TEXT if text else PLAIN, 0)
    for number in range(40):
        graph = random_graph(random, text)
        for suffix in taken:
            path = tmp_path / f"graph{number}{'z' * suffix.endswith('.gz')}{suffix}"
            taken[suffix] += check_round_trip(graph, path, text)
    assert all(taken.values()), taken


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name[:10]))
def test_each_name(tmp_path: Path, name: str) -> None:
    """Alone, first and last in its row and file, and in place of a header."""
    taken = set()
    for other in {"\U0001f601", "target"} - {name}:
        graph = Graph.from_edges([name, other], [other, other], directed=True)
        for suffix in (".txt", ".csv", ".v", ".parquet", ".arrow", ".clg"):
            path = tmp_path / f"{len(taken)}{suffix}"
            path.unlink(missing_ok=True)
            if check_round_trip(graph, path, True):
                taken.add(suffix)
    if name != "\ud800":
        assert {".parquet", ".arrow"} <= taken
    if name and not set(name) & set("\n\r\0\ud800"):
        assert ".csv" in taken


@pytest.mark.parametrize("suffix", [*PLAIN, ".pq", ".feather"])
@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan])
def test_weights_that_are_not_finite_are_refused(tmp_path: Path, suffix: str, weight: float) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], weights=[1.0, 2.0])
    assert graph.weights is not None
    vars(graph)["weights"] = np.where(np.arange(len(graph.weights)) % 3 == 0, graph.weights, weight)
    path = tmp_path / f"graph{suffix}"
    with pytest.raises(InputError, match=r"the weight of arc 1 is .*finite"):
        write(graph, path)
    assert not path.exists()


def test_long_names_beside_many_short_ones(tmp_path: Path) -> None:
    """Rows of one width would take 20 GB here."""
    names = np.array([f"n{i}" for i in range(2000)] + ["long" * 2_500_000], dtype=object)
    graph = Graph.from_edges(names[:-1], names[1:], weights=np.arange(2000.0))
    for suffix in (".txt", ".csv", ".v"):
        assert check_round_trip(graph, tmp_path / f"graph{suffix}", True)


UNWEIGHTED = ("sg", "jlg", "graph500", "webgraph")


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize("name", FORMATS)
def test_without_edges(tmp_path: Path, name: str, suffix: str, weighted: bool, count: int) -> None:
    """Every format gives back a graph without edges; of vertices those that it can hold."""
    if (suffix and not FORMATS[name].text) or name in (UNWEIGHTED if weighted else ("wsg",)):
        pytest.skip("no such files")
    graph = Graph.from_edges([], [], vertices=range(count), weights=[] if weighted else None)
    for end in [".txt", ".csv", ".tsv"] if name == "edges" else ["out.x" if name == "konect" else ".x"]:
        path = tmp_path / f"x{end}{suffix}"
        said = write_with_summary(graph, path, format=name)
        again = read(path, format=name, weights=weighted, directed=False)
        kept = 0 if name in ("edges", "graph500", "parquet", "arrow") else count
        assert (again.num_vertices, again.num_edges, again.is_weighted) == (kept, 0, weighted), said
        assert ("without edges left out" in said) == (kept < count)
