"""Samples and curves of shards against those of the same graph in memory, by any cut, room and ranks."""

from pathlib import Path

import numpy as np
import pytest
from graphs import same

import clgraph
from clgraph.sampling.shards import passes
from clgraph.sampling.shards.samples import curve_of_shards, sample_of_shards
from clgraph.scale.comm import Ranks
from clgraph.scale.writing import join_shards, write_shards


def sample_shards(shards, method="drv", *, sizes, room=None, **options):
    """`clgraph.sample` with a room."""
    return sample_of_shards(shards, method, None, sizes, None, options, room=room)


def random_graph(rng, n, m, directed=False, weights=False):
    source, target = rng.integers(0, n, (2, m)) * 3 + 1
    w = rng.random(m) if weights else None
    return clgraph.Graph.from_edges(source, target, weights=w, directed=directed)


@pytest.mark.parametrize("kind", ["plain", "weighted", "directed", "directed and weighted"])
@pytest.mark.parametrize("shard_edges", [1, 40, 10**6])
def test_a_graph_comes_back(tmp_path, kind, shard_edges):
    rng = np.random.default_rng(1)
    graph = random_graph(rng, 50, 200, "directed" in kind, "weighted" in kind)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=shard_edges)
    assert (shards.num_vertices, shards.num_edges) == (graph.num_vertices, graph.num_edges)
    same(join_shards(shards), graph)
    again = write_shards(graph, tmp_path / "g.clgs", shard_edges=shard_edges)
    assert again.fingerprint == shards.fingerprint
    assert [p.name for p in tmp_path.iterdir()] == ["g.clgs"]


@pytest.mark.parametrize("method", ["drv", "dre"])
@pytest.mark.parametrize("directed", [False, True])
def test_samples_equal_those_in_memory(device, tmp_path, method, directed):
    rng = np.random.default_rng(7)
    for case in range(3):
        n = int(rng.integers(20, 90 if case < 2 else 30))
        graph = random_graph(rng, n, int(rng.integers(n, 3 * n)), directed, weights=case == 1)
        shards = write_shards(graph, tmp_path / f"{case}.clgs", shard_edges=(10**6, 30, 1)[case])
        options = {"sizes": ["80%", "50%", 3], "seed": case, "device": device}
        outputs = [tmp_path / f"{case}-{k}.clgs" for k in range(3)]
        made = sample_shards(shards, method, outputs=outputs, room=(10**6, 25, 1)[case], **options)
        expected = clgraph.sample(graph, method, mode="exact", **options)
        for one, other in zip(made, expected, strict=True):
            assert np.array_equal(shards.ids[one.index], other.vertices)
            assert one.num_edges == other.num_edges and one.notes == other.notes
            same(join_shards(one.shards), other.graph)


def test_a_sample_is_a_dataset_like_any_other(tmp_path):
    """Its shards begin anywhere; it is sampled, searched and ranked again."""
    graph = clgraph.powerlaw_graph(9000, seed=4)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=3000)
    assert len(shards.section("rows").shards) > 2
    (first,) = sample_shards(shards, "drv", sizes=["70%"], seed=1, outputs=[tmp_path / "s.clgs"])
    one = clgraph.sample(graph, "drv", size="70%", seed=1).graph
    same(join_shards(first.shards), one)
    (second,) = sample_shards(first.shards, "dre", sizes=["50%"], seed=2, outputs=[tmp_path / "t.clgs"])
    same(join_shards(second.shards), clgraph.sample(one, "dre", size="50%", seed=2).graph)
    source = one.ids[5]
    expected = clgraph.bfs(one, source)
    for size in (1, 2):
        found = clgraph.bfs(first.shards, source, device=[None] * size)
        assert np.array_equal(found.distance, expected.distance)
        assert np.array_equal(found.predecessor, expected.predecessor)
        ranked = clgraph.pagerank(first.shards, dtype="float64", device=[None] * size)
        assert np.abs(ranked.scores - clgraph.reference_pagerank(one)).sum() <= ranked.error_bound


@pytest.mark.parametrize("method", ["drv", "dre"])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_threads_make_the_same_dataset(tmp_path, monkeypatch, method, size):
    """Any number of ranks, here threads on one device, more than shards too; forests merged, or all alike."""
    rng = np.random.default_rng(size)
    graph = random_graph(rng, 80, 300, directed=size == 3, weights=True)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=100)
    options = {"method": method, "sizes": ["60%", 10], "seed": 5}
    alone = sample_shards(shards, outputs=[tmp_path / "a.clgs", None], **options)
    merged, messages = [], Ranks.merge
    monkeypatch.setattr(Ranks, "merge", lambda *args: merged.append(1) or messages(*args))
    monkeypatch.setattr(passes, "all_alike", lambda ranks, *_: ranks.size > 1)
    for room in (40, None):
        merged.clear()
        outputs = [tmp_path / "b.clgs", None]
        many = sample_shards(shards, outputs=outputs, device=[None] * size, room=room, **options)
        assert bool(merged) == (room is not None)
        assert [each.num_edges for each in many] == [each.num_edges for each in alone]
        assert many[0].shards.fingerprint == alone[0].shards.fingerprint
        for file in (tmp_path / "a.clgs").iterdir():
            assert file.read_bytes() == (tmp_path / "b.clgs" / file.name).read_bytes()


def test_a_rank_that_fails_ends_all(tmp_path):
    rng = np.random.default_rng(1)
    shards = write_shards(random_graph(rng, 80, 300), tmp_path / "g.clgs", shard_edges=60)
    (tmp_path / "g.clgs" / "pairs-000002.clg").unlink()
    for device in (None, [None] * 2, [None] * 4):
        with pytest.raises(clgraph.InputError, match=r"pairs-000002\.clg"):
            sample_shards(shards, sizes=[5], device=device, outputs=[tmp_path / "b.clgs"])
        assert [file.name for file in tmp_path.iterdir()] == ["g.clgs"]


def graph_of(rng, case):
    """Random graphs, stars, loops, isolated vertices, equal parts, no edge, one vertex."""
    n = int(rng.integers(1, 60)) if case else 1
    source, target = rng.integers(0, n, (2, int(rng.integers(0, 3 * n))))
    if case == 3:
        source[:] = source[0]
    if case == 4:  # two equal parts
        source, target = np.concatenate((source, source + n)), np.concatenate((target, target + n))
        n *= 2
    return clgraph.Graph.from_edges(source, target, directed=case % 2 == 1, vertices=np.arange(n))


@pytest.mark.parametrize("method", ["drv", "dre"])
def test_curves_equal_those_in_memory(device, tmp_path, monkeypatch, method):
    rng = np.random.default_rng(11)
    for case in range(8):
        if case == 5:  # each of three ranks makes the whole forest
            monkeypatch.setattr(passes, "all_alike", lambda ranks, *_: ranks.size > 1)
        graph = graph_of(rng, case)
        shards = write_shards(graph, tmp_path / f"{case}.clgs", shard_edges=(1, 13, 1000)[case % 3])
        for size in (1, "50%", graph.num_vertices):
            expected = clgraph.reduction_curve(graph, method, case, size=size, device=device)
            room = None if case == 5 else (None, 1, 30)[case % 3]
            ways = {"device": [device] * (1 + case % 3), "room": room}
            found = clgraph.ReductionCurve(*curve_of_shards(shards, method, case, size=size, **ways))
            for name in ("deletions", "vertices", "edges"):
                one, other = getattr(found, name), getattr(expected, name)
                assert one.dtype == np.int64 and np.array_equal(one, other), (case, size, name)


TRIANGLE = clgraph.Graph.from_edges([0, 1, 2], [1, 2, 0])


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("drve", {"sizes": [2]}, r"'drve' is not offered for shards.*drv and dre"),
        ("drv", {"sizes": [2, 1], "outputs": [None]}, "1 outputs for 2 sizes"),
        ("drv", {"sizes": [2], "outputs": ["x.txt"]}, r"x\.txt: the name of a dataset ends in \.clgs"),
        ("drv", {"sizes": [2], "outputs": ["there.clgs"]}, "exists, and is no dataset"),
        ("drv", {"sizes": [5], "strict": True}, r"larger than the graph \(3 vertices\)"),
    ],
)
def test_what_shards_do_not_offer(tmp_path, monkeypatch, method, options, words):
    monkeypatch.chdir(tmp_path)
    shards = write_shards(TRIANGLE, "g.clgs")
    Path("there.clgs").mkdir()
    Path("there.clgs", "mine").write_text("")
    with pytest.raises(clgraph.InputError, match=words):
        sample_shards(shards, method, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "cre"}, "'cre' is not offered for shards"),
        ({"mode": "batched"}, "mode 'batched' is not offered for a graph in shards"),
        ({"mix": 0.5}, "mix 0.5 is not offered"),
        ({"size": "x"}, "size"),
    ],
)
def test_bad_input_of_curves(tmp_path, options, words):
    shards = write_shards(TRIANGLE, tmp_path / "g.clgs")
    found = clgraph.reduction_curve(shards, "DRE", 3)
    assert (found.method, found.mode, found.seed, found.at(2)[1]) == ("dre", "exact", 3, 2)
    with pytest.raises(clgraph.InputError, match=words):
        clgraph.reduction_curve(shards, **options)


def test_shards_hold_each_edge_once(tmp_path):
    copies = clgraph.Graph.from_edges([0, 0], [1, 1], duplicates="keep")
    with pytest.raises(clgraph.InputError, match="shards hold each edge once"):
        write_shards(copies, tmp_path / "c.clgs")
