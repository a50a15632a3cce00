"""The priority forest against Kruskal's algorithm and its definition, and what is chosen by it and taken out.

Ties are forced, and shards cut at every kind of place.
"""

import numpy as np
import pytest

from clgraph import Graph, keyed, sample
from clgraph.reference.common import EdgeList
from clgraph.reference.reduction import reference_forest, verify_forest
from clgraph.sampling.selection import unpacked
from clgraph.sampling.shards.extract import Extraction
from clgraph.sampling.shards.forest import Choice, Forest, LaunchConfig, choose
from clgraph.scale.loading import upload_rows
from clgraph.scale.writing import write_shards

SMALL = {
    "cpu": LaunchConfig(chunk=7, lanes=1, keep_times=True),
    "gpu": LaunchConfig(chunk=16, lanes=8, keep_times=False),
}


def rows_of(n, edges):
    """Rows that hold each pair once, in the row of the smaller end, loops included."""
    pairs = sorted({(min(u, v), max(u, v)) for u, v in edges})
    tail = np.array([u for u, _ in pairs], np.int64)
    row_ptr = np.searchsorted(tail, np.arange(n + 1)).astype(np.int32)
    return row_ptr, np.array([v for _, v in pairs], np.int32)


GRAPHS = {
    "one vertex": (1, []),
    "one vertex and a loop": (1, [(0, 0)]),
    "no edge": (5, []),
    "pair": (2, [(0, 1)]),
    "path": (9, [(v, v + 1) for v in range(8)]),
    "star": (40, [(17, v) for v in range(40)]),
    "clique": (12, [(u, v) for u in range(12) for v in range(u)]),
    "two parts and a bridge": (10, [(u, v) for u in range(10) for v in range(u // 5 * 5, u)] + [(2, 7)]),
}


@pytest.mark.parametrize("method", ["drv", "dre"])
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.cross
def test_small_graphs(device, name, method):
    n, edges = GRAPHS[name]
    forest = Forest(device, n, 3, edges=method == "dre", room=1000)
    forest.add_rows(*rows_of(n, edges))
    words = forest.words()
    assert words.tolist() == reference_forest(n, edges, 3, method).tolist()
    verify_forest(n, edges, 3, method, words)


@pytest.mark.parametrize("shape", [None, *SMALL])
@pytest.mark.parametrize("method", ["drv", "dre"])
def test_random_graphs(device, method, shape):
    rng = np.random.default_rng(5)
    for n, m in [(20, 15), (60, 200), (200, 1500), (300, 290)]:
        edges = rng.integers(0, n, (m, 2)).tolist()
        seed = int(rng.integers(0, 2**63))
        expected = reference_forest(n, edges, seed, method)
        chosen = SMALL[shape] if shape else None
        for room in (1, 30, 10**4):  # edges come in batches: of 1 they would be as many as edges
            room += 200 * (m > 1000)
            forest = Forest(device, n, seed, edges=method == "dre", room=room, shape=chosen)
            forest.add_rows(*rows_of(n, edges))
            assert forest.words().tolist() == expected.tolist()
        verify_forest(n, edges, seed, method, expected)


def pairs_of(graph):
    """Lower and higher ends of pairs, their times with seed 5, and the words that decide between ties."""
    edges = EdgeList.of(graph)
    words = edges.low.astype(np.uint64) << np.uint64(32) | edges.high.astype(np.uint64)
    return edges.low, edges.high, keyed.edge_priority(5, edges.low, edges.high), words


@pytest.mark.parametrize("method", ["drv", "dre"])
def test_choices(device, method):
    """What is chosen from the forest alone is what exact mode takes of the whole graph."""
    rng = np.random.default_rng(3)
    for n, m in [(1, 0), (7, 3), (60, 50), (90, 300)]:
        graph = Graph.from_edges(*rng.integers(0, n, (2, m)), vertices=np.arange(n)).without_self_loops
        low, high, times, pairs = pairs_of(graph)
        words = np.zeros(n, np.uint64)
        forest = reference_forest(n, list(zip(low.tolist(), high.tolist(), strict=True)), 5, method)
        words[n - len(forest) :] = rng.permutation(forest)
        targets = sorted({n, n // 2 + 1, 1})
        with device.alone():
            found = choose(device, device.upload(words), n, method, 5, targets)
        for target, chosen in found.items():
            expected = sample(graph, method, size=target, seed=5, mode="exact", device=device)
            member = unpacked(chosen.bits, n)
            assert np.flatnonzero(member).tolist() == expected.vertices.tolist()
            inside = member[low] & member[high]
            if method == "dre":
                time, word = (np.uint64(each) for each in chosen.cut)
                inside &= (times > time) | ((times == time) & (pairs > word))
            assert np.count_nonzero(inside) == expected.num_edges


@pytest.mark.parametrize("directed", [False, True])
def test_extraction(device, tmp_path, directed):
    """What is taken out of shards, against masks in NumPy."""
    rng = np.random.default_rng(2)
    source, target = rng.integers(0, 70, (2, 300))
    graph = Graph.from_edges(source, target, directed=directed, vertices=np.arange(70))
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=60)
    low, high, times, words = pairs_of(graph)
    order = np.lexsort((words, times))
    member = rng.random(70) < 0.6
    number = np.cumsum(member) - 1
    for place in (None, -1, 0, len(order) // 2, len(order) - 1):
        later, cut = np.ones(len(order), bool), None
        if place is not None:
            later[order[: place + 1]] = False
            cut = (0, 0) if place < 0 else (int(times[order[place]]), int(words[order[place]]))
        kept = member[low] & member[high] & later
        bits = np.packbits(np.pad(member, (0, -len(member) % 32)), bitorder="little").view("<u4")
        extraction = Extraction(device, 5, 70, Choice(bits, cut))
        assert np.array_equal(extraction.members(), np.flatnonzero(member))
        pairs = []
        with device.alone():
            for rows in shards.rows("pairs"):
                loaded = upload_rows(device, rows, ("way",))
                part = extraction.of(loaded)
                assert part.first_row == np.count_nonzero(member[: rows.first_row])
                assert extraction.count(loaded) == len(part.col_idx) == part.row_ptr[-1]
                tails = part.first_row + np.repeat(np.arange(len(part.row_ptr) - 1), np.diff(part.row_ptr))
                ways = part.values["way"] if directed else np.zeros(len(tails))
                pairs += list(zip(tails.tolist(), part.col_idx.tolist(), ways.tolist(), strict=True))
        ways = np.zeros(len(low))
        if directed:
            up, down = EdgeList.of(graph).directions(graph)
            ways = up + 2 * down
        expected = number[low[kept]].tolist(), number[high[kept]].tolist(), ways[kept].tolist()
        assert pairs == list(zip(*expected, strict=True))
