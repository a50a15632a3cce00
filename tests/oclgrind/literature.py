"""The samplers of the literature: races, walks, searches that spread."""

from pathlib import Path

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


def draw(method, *, seeds=2, graph=(), **options):
    """Two runs side by side, each checked against the reference, as a function of the device."""

    def check(device):
        drawn_from = random_graph(6, 40, 60, **dict(graph))
        for made in sample(drawn_from, method, seed=5, seeds=seeds, device=device, **options):
            wanted = reference_draw(drawn_from, method, seed=made.seed, **options)
            assert np.array_equal(made.vertices, wanted.vertices)
            assert np.array_equal(made.edges, wanted.edges)
            verify_draw(drawn_from, made)

    return check


def cases(*draws):
    """Several draws, one after the other."""

    def case(device):
        for each in draws:
            each(device)

    return case


# vertices by degree, by integer PageRank, and by strata
case_race_vertices = cases(draw("rdn", size=9), draw("rpn", size=9, seeds=1, strata=np.arange(40) % 3))
# edges by their ends and by themselves, parallel ones and weighted ones among them
case_race_edges = cases(
    draw("hyb", edges=9, graph=COPIES),
    draw("re", size=9, seeds=1, weighted=True, graph=WEIGHTED),
    draw("ties", size=9, seeds=1),
    draw("rne", edges=9, seeds=1),
)
# vertices with their neighbours, also where these are too many
case_race_neighbours = cases(draw("rnn", size=3), draw("rnn", starts=3, seeds=1))
# every method; several walkers, legs, walked edges and trees
case_walks = cases(
    *(draw(method, seeds=1, size=6) for method in ("rwr", "rj", "rwj", "gmd", "nbrw")),
    draw("rw", size=30, walkers=3, patience=2, keep="tree"),
    draw("mhrw", size=6, keep="visited", alpha="0.5"),
    draw("rw", seeds=1, size=9, keep="tree"),
    draw("rw", seeds=1, steps=9, walkers=2, weighted=True, graph=POSITIVE),
    draw("mhrw", seeds=1, steps=30, burn_in=2),
    draw("mhda", seeds=1, steps=20, walkers=5),
    draw("cnarw", seeds=1, steps=9),
    draw("cnrw", size=9, walkers=2),
    draw("node2vec", seeds=1, steps=9, walks_per_vertex=1, p=2, q="0.5", walks=True),
    draw("node2vec", seeds=1, steps=4, walkers=3, p=9000, q=9000),
    draw("node2vec", size=9, p=500, q=9, weighted=True, graph=POSITIVE),
)
# moves in order of time, legs, walked edges and trees
case_frontier = cases(
    draw("fs", size=30, walkers=3, patience=1, keep="tree"),
    draw("fs", seeds=1, steps=20, walkers=3, burn_in=1, thin=2, keep="visited"),
    draw("fs", seeds=1, size=9, direction="out", graph=DIRECTED),
)
# every method in stages; starts that die out; a fire along arcs
case_stages = cases(
    draw("snowball", size=30, k=3, keep="tree"),
    draw("rds", seeds=1, size=30, coupons=2, keep="visited"),
    draw("ff", seeds=1, size=20, direction="out", r="0.5", graph=DIRECTED),
)
# shares of a stage's arcs, by powers of degrees and weights
case_spikyball = cases(
    draw("spikyball", size=30, share="0.4", powers=(1, 0, "-0.5"), keep="tree"),
    draw("spikyball", size=8, share="0.40000000000001"),  # its shares have no room in the chain
    draw("spikyball", seeds=1, size=20, powers=(0, 1, 1), weighted=True, graph=WEIGHTED),
)
# the same from a queue
case_stages_exact = cases(
    draw("snowball", seeds=1, size=20, k=3, mode="exact"),
    draw("rds", size=30, coupons=2, mode="exact", keep="visited"),
    draw("ff", seeds=1, size=20, mode="exact", direction="out", r="0.5", graph=DIRECTED),
)
# by order, also of parallel edges; one vertex after the other; by parts
case_chordal = cases(
    draw("chordal", graph=COPIES), draw("chordal", seeds=1, mode="exact"), draw("quasi-chordal", parts=3)
)
# vertices that are replaced, edges that are held, priorities; areas that grow
case_streams = cases(
    draw("pies", size=9),
    draw("gsh", graph=COPIES),
    draw("gsh", seeds=1, closing=True, q=1),
    draw("gps", edges=20, triangles=3),
    draw("gps", edges=9, block=7),
    draw("gps", edges=9, block=20),
    draw("gps", seeds=1, edges=9, weighted=True, graph=WEIGHTED),
)
# pairs, more pairs, and edges by how many paths use them
case_paths = cases(draw("sp", size=12), draw("sp", seeds=1, size=5, keep="visited", graph=COPIES))
# cycles popped at once and one by one; branches
case_trees = cases(draw("ust", size=20), draw("ust", seeds=1, start=3, keep="induced", graph=COPIES))
# first passage and expansion, with further starts
case_growing = cases(
    *(draw(method, size=30, keep="tree") for method in ("diffusion", "xsn")),
    *(draw(method, seeds=1, size=20, start=[3, 5], graph=COPIES) for method in ("diffusion", "xsn")),
)


def case_walk_lines(device):
    """Blocks of walks, numbered on, and their text; some end early."""
    options = {"direction": "out", "seed": 3, "device": device}
    corpus.HOST_SHARE = 12 * 4 * 25
    graph = random_graph(6, 40, 60, directed=True)
    corpus.write_walks(graph, "walks.txt", "rw", length=4, per_vertex=1, **options)
    rows = sample(graph, "rw", steps=3, walks_per_vertex=1, walks=True, **options).walks
    lines = [" ".join(str(v) for v in row if v >= 0) for row in rows.tolist()]
    assert Path("walks.txt").read_text().splitlines() == lines


def case_starts(device):
    """A short queue, whose candidates are listed, then compared with each other or sorted."""
    csr = upload_csr(device, Graph.from_edges(np.arange(199), np.arange(1, 200)))
    status, wants = device.upload(np.array([1, 1], np.int32), writable=True), np.array([True, True])
    for ranked in (starts.RANKED, 0):
        starts.RANKED = ranked
        about = {"seed": 3, "mark": None, "row_ptr": csr.row_ptr, "status": status, "wanting": 1}
        assert starts.Queue(device, csr, 2, 9).few(wants, **about)


def case_smallest(device):
    """Selections with equal keys, and of more than there is."""
    keys = np.random.default_rng(1).integers(0, 20, (3, 90), dtype=np.uint64)
    smallest = Smallest(device, 3, 90)
    buffer = device.upload(keys, writable=True)
    wanted = np.array([7, 90, -1])
    listed, _ = smallest.take(buffer, smallest.cut(buffer, wanted), equal=True)
    assert np.diff(listed.offset).tolist() == [7, 90, 0]
    assert listed.of(0).tolist() == sorted(np.lexsort((np.arange(90), keys[0]))[:7].tolist())
