"""Every sampler of the literature on every device against its reference, and what each of them refuses."""

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, awkward_graphs, equals_reference, rows

from clgraph import Graph, InputError, powerlaw_graph
from clgraph.methods import LITERATURE
from clgraph.reference.races import METHODS as RACES
from clgraph.sampling import sample
from clgraph.sampling.literature.walks import NUMBER as WALKS

STAGES, MODES, WAYS = ("snowball", "ff", "rds"), ["batched", "exact"], ["out", "in"]
STREAMS = [
    ("pies", {"size": "40%"}),
    ("gsh", {}),
    ("gsh", {"closing": True, "q": 1}),
    ("gps", {"edges": "30%"}),
    ("gps", {"edges": 9, "triangles": 0}),
    ("gps", {"edges": "30%", "block": 7}),
]
CHORDAL = [("chordal", {"mode": "ordered"}), ("chordal", {"mode": "exact"}), ("quasi-chordal", {"parts": 3})]
UNWEIGHTED = ("spikyball", "passage", "expansion", "paths", "chordal", "stream")  # kinds

KEPT = [{"keep": keep} for keep in ("induced", "visited", "tree")]
SIZES = [{"size": size} for size in (2, "30%", "100%")]
POWERS = [(0, 0, 0), (1, 0, -1), ("0.5", 2, 1)]
# methods and options; random graphs (how many; vertices of the first, and how many more each has; edges for a
# vertex); options that are tried in turn
CASES = [
    (method, options, drawn, each)
    for found, drawn, each in (
        (rows(WALKS, walkers=[1, 5], size="40%"), (3, 20, 15, 3), KEPT),
        (rows(STAGES, mode=MODES, size="60%"), (3, 15, 10, 2), KEPT),
        (rows(["fs"], walkers=[1, 4], size="60%"), (3, 25, 0, 2), KEPT),
        (rows(["spikyball"], powers=POWERS, size="60%", share="0.3"), (3, 25, 10, 2), KEPT),
        (rows(["diffusion", "xsn"], size="60%"), (3, 30, 20, 1.5), [{}, {"keep": "tree"}]),
        (rows(["sp"], size="50%"), (3, 30, 20, 1.5), KEPT[:2]),
        (rows(RACES), (10, 6, 4, 2), SIZES),
        (STREAMS, (4, 10, 8, 3), [{}]),
        (CHORDAL, (6, 6, 8, 3), [{}]),
    )
    for method, options in found
]
NAMES = [" ".join(map(str, (name, *options.values()))) for name, options, *_ in CASES]
SMOKED = ("rw 1 40%", "cnrw 1 40%", "mhrw 5 40%", "mhda 5 40%", "ff batched 60%", "snowball exact 60%")
SMOKED += ("rn", "hyb", "ties", *(name for name in NAMES if name.split()[0] not in (*WALKS, *STAGES, *RACES)))


@pytest.mark.smoke(*SMOKED)
@pytest.mark.parametrize(("method", "options", "drawn", "each"), CASES, ids=NAMES)
def test_equals_reference(device, method, options, drawn, each):
    """Random graphs; one is directed, some have parallel edges."""
    count, n, more, ratio = drawn
    kind = LITERATURE[method].kind
    for seed in range(count):
        duplicates = "keep" if seed % 3 == 0 else "merge"
        m = int(ratio * (n + seed * more))
        graph = random_graph(seed, n + seed * more, m, directed=seed % 4 == 1, duplicates=duplicates)
        for more_options in each:
            made = equals_reference(graph, method, device, seed=seed, **options, **more_options)
            assert kind not in UNWEIGHTED or made.weighting == "none"
            assert kind != "chordal" or len(made.vertices) == graph.num_vertices


@pytest.mark.parametrize(
    ("method", "options"),
    [
        *rows(WALKS, size="100%", walkers=[1, 4], patience=20),
        *rows(["node2vec"], size="100%", walkers=3, patience=20, p=2, q="0.5"),
        *rows(["fs"], size="100%", walkers=3, patience=4),
        *rows(["snowball", "ff"], size=["100%", 3], mode=MODES),
        *rows(["rds"], size=["100%", 3], mode=MODES, starts=2),
        *rows(["spikyball", "diffusion", "xsn", "sp", "ust"], size=["100%", 3]),
        *rows(RACES, size=[2, "60%"]),
        ("pies", {"size": 3}),
        ("gsh", {}),
        ("gps", {"edges": 2}),
        *CHORDAL,
    ],
)
def test_awkward_graphs(device, method, options):
    for graph in awkward_graphs():
        made = equals_reference(graph, method, device, seed=5, **options)
        if method == "fs":
            assert len(made.vertices) == np.count_nonzero(graph.undirected.without_self_loops.degrees)


GRAPHS = {
    "hubs": powerlaw_graph(90, seed=2).largest_component().with_ids(None),
    "copies": random_graph(3, 60, 150, duplicates="keep"),
    "directed": random_graph(4, 40, 120, directed=True),
    "dead ends": random_graph(4, 30, 60, directed=True),
    "weights": random_graph(5, 30, 90, weights=np.random.default_rng(1).random(90) ** 8),
    "zeros": random_graph(5, 30, 90, weights=np.random.default_rng(1).integers(0, 5, 90).astype(float)),
    "fractions": random_graph(
        5, 30, 90, weights=np.random.default_rng(2).random(90) * (np.arange(90) % 3 > 0)
    ),
}
OPTIONS = {
    "hubs": [
        ("rwr", {"size": "60%", "p": "0.4", "start": 3}),
        ("rj", {"size": "60%", "p": 0}),
        ("rwj", {"size": "60%", "alpha": "2.5"}),
        *rows(["mhrw"], size="60%", alpha=["0.3", 0]),
        ("gmd", {"size": "60%", "c": 9}),
        ("rw", {"size": "60%", "start": [3, 4], "walkers": 5}),
        *rows(["snowball"], size="50%", mode=MODES, k=2),
        *rows(["snowball"], size="50%", mode=MODES, start=[[3, 9]]),
        *rows(["snowball"], stages=[1, 2, 4], k=3),
        *rows(["ff"], size="50%", mode=MODES, p=["0.35", 0]),
        *rows(["ff"], size="50%", mode=MODES, p="0.95", start=7),
        *rows(["rds"], size="50%", mode=MODES, coupons=1),
        *rows(["rds"], size="50%", mode=MODES, coupons=2, starts=40),
    ],
    "copies": [
        *rows(["hyb"], size="40%", mix=[0, "0.3", 1]),
        *rows(["re", "rne", "hyb"], edges=[1, "20%", "100%"]),
        *rows(["re", "rne", "hyb"], edges=[1, "20%", "100%"], keep="induced"),
    ],
    "dead ends": rows([*WALKS, "fs"], size="50%", direction=WAYS, walkers=2),
    "directed": [
        *rows(STAGES, size="50%", direction="out", mode=MODES),
        *rows(["ff"], size="50%", direction=WAYS, p="0.5", r="0.8", mode=MODES),
        *rows(["spikyball"], size="50%", direction=WAYS, powers=(1, 0, 1)),
    ],
    "weights": rows(["rw", "rwr", "rj", "node2vec"], size="50%", weighted=True, walkers=2),
    "zeros": [
        ("spikyball", {"size": "70%", "weighted": True, "powers": (0, 1, 0)}),
        ("gps", {"edges": 20, "weighted": True}),
    ],
    "fractions": [("gps", {"edges": 20, "weighted": True})],
}


@pytest.mark.parametrize(
    ("name", "method", "options"), [(name, *row) for name, found in OPTIONS.items() for row in found]
)
def test_options(device, name, method, options):
    made = equals_reference(GRAPHS[name], method, device, seed=3, **options)
    if name == "dead ends":
        assert made.weighting == ("stationary" if method == "rj" else "none")


REACHING = ("diffusion", "xsn", "ust")
STARTING = ("rw", "rds", "spikyball", "diffusion", "xsn")
IMPROBABLE = (("rwr", "p", -0.1), ("mhrw", "alpha", 2), ("ff", "p", 2))


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        *((name, {}, f"{name} takes one of size") for name in ("diffusion", "xsn", "sp", "pies")),
        *((name, {"size": 1}, "an edge has two ends") for name in ("re", "ties", "sp", "pies")),
        *((name, {"size": 9, "strict": True}, "can reach 8 of 8") for name in (*REACHING, "rn", "rds")),
        *((name, {"size": 8, "strict": True}, "can reach 7 of 8") for name in ("fs", "sp")),
        *((name, {"size": 3, "start": 99}, "99 is not in the graph") for name in (*REACHING, "rw")),
        *((name, {"size": 3, "start": 7}, "start 7 has no edges") for name in STARTING),
        *((name, {"size": 3, "steps": 4}, f"steps is not an option of {name}") for name in REACHING),
        *((name, {"size": 3, "keep": "tree"}, "have no tree") for name in ("sp", "re")),
        *((name, {"size": 3, "weighted": True}, "graph has no weights") for name in ("spikyball", "rdn")),
        *((name, {"size": 3, p: x}, "probability") for name, p, x in IMPROBABLE),
        *(("spikyball", {"size": 3, "powers": powers}, "three numbers") for powers in ((1, 2), 3)),
        ("rw", {}, "takes one of size or steps"),
        ("rw", {"size": 3, "steps": 3}, "steps and size are given"),
        ("rw", {"size": 3, "walkers": 9}, "walkers is 9, and the graph has 8 vertices"),
        ("rwr", {"size": 3, "p": 1}, "probability, 0 to 1, below 1"),
        ("rwj", {"size": 3, "alpha": 0}, "above 0"),
        ("gmd", {"size": 3, "c": 0}, "c is 0"),
        ("rw", {"steps": 3, "burn_in": 3}, "do not make one visit"),
        ("rw", {"size": 3, "thin": 2}, "go with steps"),
        ("rw", {"size": 3, "p": "0.1"}, "p is not an option of rw"),
        ("rw", {"size": 3, "direction": "up"}, "direction is 'up'"),
        ("rw", {"size": 3, "patience": 0}, "patience"),
        ("rw", {"steps": 3, "walks": "host"}, "walks is 'host': use True, False, 'ids' or 'device'"),
        ("rw", {"steps": 3, "walks": 2}, "walks is 2"),
        ("node2vec", {"p": 0, "steps": 3}, "p 0: give a number, 0.0001 to 10000"),
        ("node2vec", {"q": -1, "steps": 3}, "q -1: give a number"),
        ("node2vec", {"q": 1e5, "steps": 3}, "0.0001 to 10000"),
        ("node2vec", {"p": "x", "steps": 3}, "give a number"),
        ("node2vec", {"walks_per_vertex": 0, "steps": 3}, "walks_per_vertex is 0"),
        ("node2vec", {"walks_per_vertex": 2, "size": 3}, "goes with steps"),
        *(
            ("node2vec", {"walks_per_vertex": 2, "steps": 3, other: 2}, "leave walkers and start out")
            for other in ("walkers", "start")
        ),
        ("node2vec", {"walks_per_vertex": 2**30, "steps": 3}, "at most 306783378 walks of each fit a call"),
        ("fs", {"steps": 3, "walks": True}, "walks is not an option of fs"),
        ("snowball", {}, "takes one of size or stages"),
        ("snowball", {"size": 3, "k": 0}, "k is 0"),
        ("snowball", {"stages": 2, "mode": "exact"}, "has none"),
        ("ff", {"size": 3, "p": "0.995"}, "probability, 0 to 0.99"),
        ("ff", {"size": 3, "r": "0.5"}, "r is of directed fires"),
        ("ff", {"size": 3, "mode": "fast"}, "mode is 'fast'"),
        ("rds", {"size": 3, "starts": 9}, "the graph has 8 vertices"),
        ("spikyball", {"size": 3, "share": 0}, "share 0: give a share above 0"),
        ("spikyball", {"size": 3, "share": 2}, "share 2: give a share above 0, at most 1"),
        ("spikyball", {"size": 3, "powers": (1, 2, 9)}, "three numbers from -4 to 4"),
        ("sp", {"size": 3, "start": 2}, "start is not an option of sp"),
        ("ust", {"size": 0}, "size"),
        ("rn", {}, "none is given"),
        ("rn", {"size": 3, "mix": "0.5"}, "mix is not an option of rn, but of dhyb, hyb"),
        ("rn", {"size": 3, "connection": "strong"}, "connection is not an option of rn, but of drv"),
        ("rn", {"size": 3, "strata": [1, 2]}, "shape"),
        ("rn", {"size": {0: 5}, "strata": [0, 0, 1, 1, 1, 1, 1, 1]}, "it has 2"),
        ("rn", {"size": {9: 5}, "strata": [0, 0, 1, 1, 1, 1, 1, 1]}, "stratum 9"),
        ("rn", {"size": {}, "strata": [0, 0, 1, 1, 1, 1, 1, 1]}, "no vertex of any stratum"),
        ("rn", {"size": {0: 1}}, "goes with strata"),
        ("rn", {"sizes": 5}, "give a list"),
        (
            "rdn",
            {"size": {"b": 2}, "strata": list("aaaaaabb")},
            "'b' are asked for, it has 1 that have edges",
        ),
        ("re", {"size": 3, "edges": 3}, "edges and size are given"),
        ("re", {"edges": 0}, "at least one"),
        ("re", {"size": 3, "keep": "all"}, "keep is 'all'"),
        ("hyb", {"size": 3, "mix": "1.5"}, "probability, 0 to 1"),
        ("rnn", {"starts": 9}, "from 1 to 8"),
        ("drv", {"size": 3, "edges": 3}, "edges is not an option of drv"),
        ("pies", {"size": 3, "q": "0.3"}, "q is not an option of pies, but of node2vec, gsh"),
        ("gsh", {"size": 3}, "leave size out"),
        ("gsh", {"p": "0.8"}, "larger than q"),
        ("gsh", {"p": 0, "q": 0}, "nothing would be held"),
        ("gsh", {"block": 2}, "block is not an option of gsh, but of gps"),
        ("gps", {"size": 3}, "gps takes edges"),
        ("gps", {"edges": 3, "triangles": -1}, "triangles is -1"),
        ("gps", {"edges": 3, "triangles": 1, "weighted": True}, "the graph has no weights"),
        ("gps", {"edges": 3, "block": 0}, "block is 0"),
        ("chordal", {"size": 3}, "leave size out"),
        ("chordal", {"edges": 3}, "edges is not an option of chordal"),
        ("chordal", {"mode": "batched"}, "mode is 'batched'"),
        ("chordal", {"parts": 3}, "parts is not an option of chordal, but of quasi-chordal"),
        ("quasi-chordal", {"parts": 0}, "parts is 0"),
        ("quasi-chordal", {"parts": [1, 2]}, "whole number or a word for each vertex"),
        ("quasi-chordal", {"parts": np.ones(8)}, "type float64"),
        ("quasi-chordal", {"mode": "exact"}, "mode is not an option of quasi-chordal"),
        ("quasi-chordal", {"sizes": [3]}, "leave size out"),
    ],
)
def test_bad_input(method, options, words):
    graph = Graph.from_edges(SEVEN.tails, SEVEN.col_idx, vertices=np.arange(8))
    with pytest.raises(InputError, match=words):
        sample(graph, method, seed=1, **options)


@pytest.mark.parametrize("method", ["fs", "re", "ties", "rdn", "node2vec"])
def test_no_edges(method):
    options = {"steps": 3, "walks_per_vertex": 1} if method == "node2vec" else {"size": 2}
    with pytest.raises(InputError, match="no walk can begin" if method == "node2vec" else "no edges"):
        sample(Graph.from_edges([0], [0], vertices=[0, 1, 2]), method, **options)


@pytest.mark.parametrize(
    ("method", "weights", "words"),
    [
        ("rw", [1.0, 0.0], "all edges of vertex 2 have the weight 0"),
        ("rw", [1.0, -1.0], "weight"),
        ("re", [1.0, -2.0], "from 1 to 2 has the weight -2"),
    ],
)
def test_bad_weights(method, weights, words):
    with pytest.raises(InputError, match=words):
        sample(Graph.from_edges([0, 1], [1, 2], weights=weights), method, size=2, weighted=True)
