"""The samplers of the literature: races, walks, searches that spread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from graphs import random_graph

from clgraph import Graph
from clgraph.csr.upload import upload_csr
from clgraph.reference.samples import reference_draw, verify_draw
from clgraph.sampling import corpus, sample
from clgraph.sampling.literature import starts
from clgraph.sampling.literature.smallest import Smallest

# of 40 vertices and 60 pairs: what the graphs of some draws have besides
COPIES = {"duplicates": "keep"}
DIRECTED = {"directed": True}
WEIGHTED = {"weights": np.arange(60.0)}
POSITIVE = {"weights": np.arange(1.0, 61)}


def _draw(method: str, device: Any, *, seeds: int = 2, graph: Any = (), **options: Any) -> None:
    """Two runs side by side, each checked against the reference."""
    graph = random_graph(6, 40, 60, **dict(graph))
    for made in sample(graph, method, seed=5, seeds=seeds, device=device, **options):
        wanted = reference_draw(graph, method, seed=made.seed, **options)
        assert np.array_equal(made.vertices, wanted.vertices)
        assert np.array_equal(made.edges, wanted.edges)
        verify_draw(graph, made)


def case_race_vertices(device: Any) -> None:
    """Vertices by degree, by integer PageRank, and by strata."""
    _draw("rdn", device, size=9)
    _draw("rpn", device, size=9, seeds=1, strata=np.arange(40) % 3)


def case_race_edges(device: Any) -> None:
    """Edges by their ends and by themselves, parallel ones and weighted ones among them."""
    _draw("hyb", device, edges=9, graph=COPIES)
    _draw("re", device, size=9, seeds=1, weighted=True, graph=WEIGHTED)
    _draw("ties", device, size=9, seeds=1)
    _draw("rne", device, edges=9, seeds=1)


def case_race_neighbours(device: Any) -> None:
    """Vertices with their neighbours, also where these are too many."""
    _draw("rnn", device, size=3)
    _draw("rnn", device, starts=3, seeds=1)


def case_walks(device: Any) -> None:
    """Every method; several walkers, legs, walked edges and trees."""
    for method in ("rwr", "rj", "rwj", "gmd", "nbrw"):
        _draw(method, device, seeds=1, size=6)
    _draw("rw", device, size=30, walkers=3, patience=2, keep="tree")
    _draw("mhrw", device, size=6, keep="visited", alpha="0.5")
    _draw("rw", device, seeds=1, size=9, keep="tree")
    _draw("rw", device, seeds=1, steps=9, walkers=2, weighted=True, graph=POSITIVE)
    _draw("mhrw", device, seeds=1, steps=30, burn_in=2)
    _draw("mhda", device, seeds=1, steps=20, walkers=5)
    _draw("cnarw", device, seeds=1, steps=9)
    _draw("cnrw", device, size=9, walkers=2)
    _draw("node2vec", device, seeds=1, steps=9, walks_per_vertex=1, p=2, q="0.5", walks=True)
    _draw("node2vec", device, seeds=1, steps=4, walkers=3, p=9000, q=9000)
    _draw("node2vec", device, size=9, p=500, q=9, weighted=True, graph=POSITIVE)


def case_walk_lines(device: Any) -> None:
    """Blocks of walks, numbered on, and their text; some end early."""
    options = {"direction": "out", "seed": 3, "device": device}
    corpus.HOST_SHARE = 12 * 4 * 25
    graph = random_graph(6, 40, 60, directed=True)
    corpus.write_walks(graph, "walks.txt", "rw", length=4, per_vertex=1, **options)
    rows = sample(graph, "rw", steps=3, walks_per_vertex=1, walks=True, **options).walks
    lines = [" ".join(str(v) for v in row if v >= 0) for row in rows.tolist()]
    assert Path("walks.txt").read_text().splitlines() == lines


def case_starts(device: Any) -> None:
    """A short queue, whose candidates are listed, then compared with each other or sorted."""
    csr = upload_csr(device, Graph.from_edges(np.arange(199), np.arange(1, 200)))
    status, wants = device.upload(np.array([1, 1], np.int32), writable=True), np.array([True, True])
    for ranked in (starts.RANKED, 0):
        starts.RANKED = ranked
        about = {"seed": 3, "mark": None, "row_ptr": csr.row_ptr, "status": status, "wanting": 1}
        assert starts.Queue(device, csr, 2, 9).few(wants, **about)


def case_frontier(device: Any) -> None:
    """Moves in order of time, legs, walked edges and trees."""
    _draw("fs", device, size=30, walkers=3, patience=1, keep="tree")
    _draw("fs", device, seeds=1, steps=20, walkers=3, burn_in=1, thin=2, keep="visited")
    _draw("fs", device, seeds=1, size=9, direction="out", graph=DIRECTED)


def case_stages(device: Any) -> None:
    """Every method in stages; starts that die out; a fire along arcs."""
    _draw("snowball", device, size=30, k=3, keep="tree")
    _draw("rds", device, seeds=1, size=30, coupons=2, keep="visited")
    _draw("ff", device, seeds=1, size=20, direction="out", r="0.5", graph=DIRECTED)


def case_spikyball(device: Any) -> None:
    """Shares of a stage's arcs, by powers of degrees and weights."""
    _draw("spikyball", device, size=30, share="0.4", powers=(1, 0, "-0.5"), keep="tree")
    _draw("spikyball", device, size=8, share="0.40000000000001")  # its shares have no room in the chain
    _draw("spikyball", device, seeds=1, size=20, powers=(0, 1, 1), weighted=True, graph=WEIGHTED)


def case_stages_exact(device: Any) -> None:
    """The same from a queue."""
    _draw("snowball", device, seeds=1, size=20, k=3, mode="exact")
    _draw("rds", device, size=30, coupons=2, mode="exact", keep="visited")
    _draw("ff", device, seeds=1, size=20, mode="exact", direction="out", r="0.5", graph=DIRECTED)


def case_chordal(device: Any) -> None:
    """By order, also of parallel edges; one vertex after the other; by parts."""
    _draw("chordal", device, graph=COPIES)
    _draw("chordal", device, seeds=1, mode="exact")
    _draw("quasi-chordal", device, parts=3)


def case_streams(device: Any) -> None:
    """Vertices that are replaced, edges that are held, priorities; areas that grow."""
    _draw("pies", device, size=9)
    _draw("gsh", device, graph=COPIES)
    _draw("gsh", device, seeds=1, closing=True, q=1)
    _draw("gps", device, edges=20, triangles=3)
    _draw("gps", device, edges=9, block=7)
    _draw("gps", device, edges=9, block=20)
    _draw("gps", device, seeds=1, edges=9, weighted=True, graph=WEIGHTED)


def case_smallest(device: Any) -> None:
    """Selections with equal keys, and of more than there is."""
    keys = np.random.default_rng(1).integers(0, 20, (3, 90), dtype=np.uint64)
    smallest = Smallest(device, 3, 90)
    buffer = device.upload(keys, writable=True)
    wanted = np.array([7, 90, -1])
    listed, _ = smallest.take(buffer, smallest.cut(buffer, wanted), equal=True)
    assert np.diff(listed.offset).tolist() == [7, 90, 0]
    assert listed.of(0).tolist() == sorted(np.lexsort((np.arange(90), keys[0]))[:7].tolist())


def case_growing(device: Any) -> None:
    """First passage and expansion, with further starts."""
    for method in ("diffusion", "xsn"):
        _draw(method, device, size=30, keep="tree")
        _draw(method, device, seeds=1, size=20, start=[3, 5], graph=COPIES)


def case_paths(device: Any) -> None:
    """Pairs, more pairs, and edges by how many paths use them."""
    _draw("sp", device, size=12)
    _draw("sp", device, seeds=1, size=5, keep="visited", graph=COPIES)


def case_trees(device: Any) -> None:
    """Cycles popped at once and one by one; branches."""
    _draw("ust", device, size=20)
    _draw("ust", device, seeds=1, start=3, keep="induced", graph=COPIES)
