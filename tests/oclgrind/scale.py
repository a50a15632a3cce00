"""Shards: the priority forest, and what a sample takes out of a shard."""

from functools import partial
from pathlib import Path

import numpy as np

import clgraph
from clgraph import Graph, write_shards
from clgraph.components.shards import Labels
from clgraph.graph.models import PowerLaw, RMat
from clgraph.ranking.exchange import Exchange
from clgraph.ranking.personalized.shards import join_on
from clgraph.ranking.problem import Problem
from clgraph.ranking.reproducible import BLOCK, LAUNCH, Leaving, ReproduciblePower
from clgraph.reference.reduction import reference_forest
from clgraph.reference.samples import reference_sample
from clgraph.reference.traversal import reference_bfs
from clgraph.sampling.deletion_times import count_pairs, follow
from clgraph.sampling.shards.extract import Extraction
from clgraph.sampling.shards.forest import Choice, Forest, LaunchConfig, choose
from clgraph.scale.comm import Ranks
from clgraph.scale.generate import Draws
from clgraph.scale.loading import Loading, upload_rows
from clgraph.scale.manifest import Shard
from clgraph.scale.shards import ShardRows
from clgraph.traversal import blocks

PLACE = Path("g.clgs")  # in the folder that a case runs in


def _rows():
    tails, heads = np.sort(np.random.default_rng(1).integers(0, 50, (2, 240)), axis=0)
    pairs = np.unique(tails * 50 + heads)
    row_ptr = np.searchsorted(pairs // 50, np.arange(51)).astype(np.int32)
    return row_ptr, (pairs % 50).astype(np.int32), list(zip(pairs // 50, pairs % 50, strict=True))


def _forest(device, method, room=400, keep_times=False, lanes=8):
    row_ptr, heads, pairs = _rows()
    shape = LaunchConfig(chunk=16, lanes=lanes, keep_times=keep_times)
    forest = Forest(device, 50, 3, edges=method == "dre", room=room, shape=shape)
    forest.add_rows(row_ptr, heads)
    expected = reference_forest(50, pairs, 3, method)
    assert forest.words().tolist() == expected.tolist()
    forest.add_words(expected[:5])
    assert forest.words().tolist() == expected.tolist()


# work-groups of 8: in batches; a list long enough to be split by time; one work-item a chunk, times kept
case_forest_of_vertices = partial(_forest, method="drv", room=64)
case_forest_of_edges = partial(_forest, method="dre")
case_forest_of_edges_with_times = partial(_forest, method="dre", keep_times=True, lanes=1)


def _loaded(device, row_ptr, heads, begin, end):
    some = heads[row_ptr[begin] : row_ptr[end]]
    ways = {"way": some.astype(np.uint8)}
    rows = ShardRows(begin, row_ptr[begin : end + 1] - row_ptr[begin], some, ways)
    return upload_rows(device, rows, ("way",))


def case_extract(device):
    """Vertices and edges of a sample, and what comes along."""
    row_ptr, heads, pairs = _rows()
    member = np.arange(50) % 3 > 0
    loaded = _loaded(device, row_ptr, heads, 0, 50)
    for cut in (None, (1 << 63, 0)):
        bits = np.packbits(np.pad(member, (0, -len(member) % 32)), bitorder="little").view("<u4")
        extraction = Extraction(device, 3, 50, Choice(bits, cut))
        assert extraction.members().tolist() == np.flatnonzero(member).tolist()
        found = extraction.of(loaded).values["way"].tolist()
        expected = [v for u, v in pairs if u != v and member[u] and member[v]]
        assert found == expected if cut is None else set(found) <= set(expected)


def case_join_on_a_device(device):
    """Both ends of each shard's entries."""
    ends = np.unique(np.sort(np.random.default_rng(1).integers(0, 50, (2, 90)), axis=0), axis=1)
    graph = Graph.from_edges(*ends[:, ends[0] < ends[1]], vertices=np.arange(50))
    found = join_on(device, write_shards(graph, PLACE, shard_edges=30))
    assert found.row_ptr.tolist() == graph.row_ptr.tolist()
    assert found.col_idx.tolist() == graph.col_idx.tolist()


def case_choose(device):
    """Samples of the priority forest."""
    _, _, pairs = _rows()
    for method in ("drv", "dre"):
        words = np.zeros(50, np.uint64)
        forest = reference_forest(50, pairs, 3, method)
        words[1 : len(forest) + 1] = forest
        found = choose(device, device.upload(words), 50, method, 3, [20])[20]
        assert sum(int(word).bit_count() for word in found.bits) <= 20


def case_components_of_shards(device):
    """Shards joined one after the other, labels merged."""
    row_ptr, heads, pairs = _rows()
    first, other = Labels(device, 50), Labels(device, 50)
    for labels, begin, end in ((first, 0, 20), (first, 20, 30), (other, 30, 50)):
        labels.add(_loaded(device, row_ptr, heads, begin, end))
    first.merge(other.download())
    least = list(range(50))
    for _ in range(50):
        for u, v in pairs:
            least[u] = least[v] = min(least[u], least[v])
    assert first.download().tolist() == least


def case_bfs_of_shards(device):
    """A search that pushes, then pulls, then looks for predecessors and sources."""
    ends = np.random.default_rng(1).integers(0, 50, (2, 60))
    graph = Graph.from_edges(*ends, vertices=np.arange(50))
    expected = [each.tolist() for each in reference_bfs(graph, [7, 30])]
    shards = write_shards(graph, PLACE)
    for blocks.FEW in (0, 1000):
        found = clgraph.bfs(shards, [7, 30], device=device)
        assert found.source_of is not None and found.predecessor is not None
        parts = (found.distance, found.predecessor, found.source_of)
        assert [each.tolist() for each in parts] == expected


def case_bfs_many_of_shards(device):
    """Many searches of three shards that push, then pull; two ranks bring together what they find."""
    tails, heads = np.random.default_rng(1).integers(0, 9000, (2, 300))
    graph = Graph.from_edges(tails, np.r_[heads[:-40], tails[:40] * 0 + 5], vertices=np.arange(9000))
    sources = [5, int(tails[0]), 5]
    expected = [reference_bfs(graph, source)[0].tolist() for source in sources]
    shards = write_shards(graph, PLACE, shard_edges=200)
    found = clgraph.bfs_many(shards, sources, device=device, lanes=32)
    assert found.distance.tolist() == expected
    found = clgraph.bfs_many(shards, [*sources, *[5] * 30], device=device)
    assert found.distance.tolist() == expected + [expected[0]] * 30

    loading = Loading(device, shards, room=1 << 20)
    for push in ("rows", None):
        searches = blocks.Searches(blocks.Blocks(Ranks(), loading, push, "rows"), device, 32)
        part = searches.run(np.array(sources, np.int32), blocks.DEEP, None)
        assert part is not None and part[0].tolist() == expected


def case_pagerank_exchange(device):
    """What two ranks tell each other; here the other one says 0 of every vertex."""

    class Told(Ranks):
        size, shares_memory = 2, False

        def everywhere(self, array, into=None):
            into[1][:] = 0
            return [array, into[1]]

    n = BLOCK + 9
    out = (np.arange(n) % 3).astype(np.float64)
    problem = Problem(0.85, None, None, None, False, "uniform", n, weighing=None)
    leaving = Leaving(device, n, device.upload(out), "arcs", LAUNCH["float32"].of(device))
    power = ReproduciblePower(device, leaving, problem, dtype="float32", kind="arcs")
    shards = (Shard("a", 0, BLOCK, 0, 0, 0, 0, 0), Shard("b", BLOCK, 9, 0, 0, 0, 0, 0))
    sums = Exchange(Told(), device, power, shards)()()
    found = device.download(power.y, np.float32, n)
    assert np.all((found == 0) == ((np.arange(n) >= BLOCK) & (out > 0))) and np.all(sums[1] == 0)


def case_curve_of_shards(device):
    """When vertices leave, and the pairs by their last rows."""
    row_ptr, heads, pairs = _rows()
    graph = Graph.from_edges(*np.transpose(pairs), vertices=np.arange(50))
    for method in ("drv", "dre"):
        words = np.zeros(50, np.uint64)
        forest = reference_forest(50, pairs, 3, method)
        words[: len(forest)] = forest
        with device.alone():
            path = follow(device, device.upload(words), 50, 3, 10, edges=method == "dre")
        last = device.download(path.last, np.int32, 50)
        vertices = device.download(path.vertices, np.int64, path.rows)
        expected = reference_sample(graph, method, size=10, seed=3)
        for both_ways in (False, True):
            rows = (graph.row_ptr, graph.col_idx) if both_ways else (row_ptr, heads)
            loaded = [_loaded(device, *rows, 0, 50)]
            ends, _ = count_pairs(device, path, 3, loaded, edges=method == "dre", both_ways=both_ways)
            assert device.download(ends, np.int64, path.rows)[-1] == len(expected.edges)
        assert np.array_equal(np.flatnonzero(last == path.rows - 1), expected.vertices)
        assert vertices[-1] == len(expected.vertices)


def case_generate_shards(device):
    """Draws taken and merged, shard by shard, made anew or read."""
    for model in (PowerLaw(60, 4.0, 2.71, 3), RMat(6, 2, (0.57, 0.19, 0.19), 5, True, True)):
        tails, heads = model.draw(0, model.count)
        for kept in (False, True):
            draws = Draws(device, model, kept)
            assert [cut[:2] for cut in draws.cuts("pairs", 10**6)] == [(0, model.num_vertices)]
            rows = draws.rows(0, 10, 40, model.count)
            pairs = {(min(t, h), max(t, h)) for t, h in zip(tails.tolist(), heads.tolist(), strict=True)}
            expected = sorted(pair for pair in pairs if 10 <= pair[0] < 40 and pair[0] != pair[1])
            found = device.download(rows.col_idx, np.int32, rows.arcs).tolist()
            assert found == [head for _, head in expected]
            if model.directed:
                arcs = set(zip(tails.tolist(), heads.tolist(), strict=True))
                ways = draws.ways(rows, 10, 40, model.count).tolist()
                assert ways == [((u, v) in arcs) + 2 * ((v, u) in arcs) for u, v in expected]
