"""Estimates: what f may be, by hand, and over runs."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from graphs import random_graph

from clgraph import Graph, InputError, powerlaw_graph, read, write
from clgraph.datasets import karate
from clgraph.methods import LITERATURE
from clgraph.reference import verify_sample
from clgraph.sampling import sample
from clgraph.sampling.literature.estimates import by_vertex, horvitz_thompson, of_batches, ratio

NAMED = Graph.from_edges(["a", "b", "c"], ["b", "c", "d"])
VALUES = [3.0, 1.0, 4.0, 1.5]


@pytest.mark.parametrize(
    "f",
    [
        np.array(VALUES),
        VALUES,
        dict(zip("abcd", VALUES, strict=True)),
        pd.Series(VALUES[::-1], index=list("dcba")),
        pd.DataFrame({"id": list("abcd"), "x": VALUES}),
        pd.DataFrame({"x": VALUES}, index=list("abcd")),
        pa.table({"id": list("dabc"), "x": [1.5, 3.0, 1.0, 4.0]}),
    ],
    ids=lambda f: type(f).__name__,
)
def test_what_f_may_be(f):
    assert by_vertex(NAMED, f).tolist() == VALUES


@pytest.mark.smoke
def test_degrees():
    assert by_vertex(NAMED, "degree").tolist() == [1, 2, 2, 1]


def test_attributes_that_came_with_the_graph(device, tmp_path):
    """From GraphML, and from a table beside an edge list; an array, columns and the name tell the same."""
    graph = powerlaw_graph(500, seed=1).largest_component()
    place = np.arange(graph.num_vertices)
    age = (place * 7 % 50).astype(float)
    club = np.array(["red", "blue"])[place % 3 % 2]
    write(graph, tmp_path / "graph.clg")
    rows = [f"{v},{a},{c}" for v, a, c in zip(graph.ids.tolist(), age.tolist(), club.tolist(), strict=True)]
    (tmp_path / "people.csv").write_text("\n".join(["id,age,club", *rows]))
    known = read(tmp_path / "graph.clg", attributes=tmp_path / "people.csv")
    frame = pd.DataFrame({"age": age, "club": club}, index=graph.ids)
    for method, options in (("rdn", {"size": 120}), ("rw", {"steps": 3000}), ("rds", {"size": 90})):
        made = sample(known, method, seed=1, device=device, **options)
        told = [getattr(made, what)("age") for what in ("mean", "total")]
        table = pa.table({"id": graph.ids, "age": age})
        for f in (age, frame["age"], frame[["age"]], table):
            np.testing.assert_allclose([made.mean(f), made.total(f)], told)
        assert abs(told[0].value - age.mean()) < 5 * told[0].standard_error
        shares, by_column = made.distribution("club"), made.distribution(frame["club"])
        assert shares.values.tolist() == ["blue", "red"] == by_column.values.tolist()
        assert np.array_equal(shares.share, by_column.share) and np.all(shares.standard_error > 0)
        with pytest.raises(InputError, match="numbers are needed"):
            made.mean("club")
    (tmp_path / "some.csv").write_text("id,age\n0,5\n")
    partly = read(tmp_path / "graph.clg", attributes=tmp_path / "some.csv")
    with pytest.raises(InputError, match="'age': vertex 1 has none"):
        sample(partly, "rn", size=5, seed=1, device=device).mean("age")
    with pytest.raises(InputError, match="use one of: degree, age, club"):
        sample(known, "rn", size=5, seed=1, device=device).mean("height")


@pytest.mark.parametrize(
    ("f", "words"),
    [
        ([1, 2], "one value for each vertex"),
        ({"a": 1}, "has no value for vertex b"),
        ({"z": 1}, "z is not in the graph"),
        ("height", "no vertex attribute"),
        (["x"] * 4, "numbers are needed"),
        ([1, 2, 3, np.nan], "finite numbers"),
        (pa.table({"id": list("abcd")}), "two are needed"),
    ],
)
def test_what_f_may_not_be(f, words):
    with pytest.raises(InputError, match=words):
        by_vertex(NAMED, f)


@pytest.mark.smoke
def test_by_hand():
    p, f = np.array([0.5, 0.25]), np.array([2.0, 3.0])
    total = horvitz_thompson(f, p)
    assert total.value == 16 and total.standard_error**2 == pytest.approx(4 * 0.5 / 0.25 + 9 * 0.75 / 0.0625)
    assert ratio(f, 1 / p, p).value == pytest.approx(16 / 6)
    assert of_batches(np.array([1.0, 3.0]), np.array([1.0, 1.0])).value == 2
    assert of_batches(np.array([1.0, 1.0]), np.array([1.0, 1.0])).standard_error == 0


def test_spread_of_walks_on_karate(device):
    """Mean degrees (4.588) that 4000 walks of 300 steps tell, and their spread."""
    graph, runs = karate(), 4000
    for method, mean, spread in (
        ("rw", 4.596, 0.161),
        ("nbrw", 4.601, 0.134),
        ("mhrw", 4.586, 0.352),
        ("mhda", 4.588, 0.341),
    ):
        many = sample(graph, method, steps=300, seed=1, seeds=runs, device=device)
        found, error = many.mean("degree")
        assert found == pytest.approx(mean, abs=6e-4), method
        assert error * runs**0.5 == pytest.approx(spread, abs=6e-4), method
        if method == "rw":  # without weights hubs count too often
            plain = [float(one.visits @ graph.degrees[one.index]) / 300 for one in many]
            assert np.mean(plain) == pytest.approx(7.776, abs=1e-3)


# --- alone and side by side -----------------------------------------------------------------------

WALKS = ({"size": "30%"}, {"size": 8, "walkers": 3}, {"steps": 50}, {"steps": 90, "burn_in": 7, "thin": 3})
SHORT = ({"steps": 9, "walkers": 4}, {"size": 1})  # too few visits for an error
KEPT = ({"steps": 9, "walks": True}, {"steps": 9, "walks": True, "walkers": 3})
ASKED = (
    {method: ({"size": "30%"}, {"size": 5}) for method in LITERATURE}
    | {method: ({"edges": "30%"}, {"edges": 9}, {"size": "30%"}) for method in ("re", "rne", "hyb")}
    | {method: WALKS + SHORT for method, plan in LITERATURE.items() if plan.kind == "frontier"}
    | {method: WALKS + SHORT + KEPT for method, plan in LITERATURE.items() if plan.kind == "walk"}
    | {
        "rn": ({"size": "30%"}, {"size": "20%", "strata": "group"}),
        "rw": (*WALKS, *SHORT, *KEPT, {"steps": 60, "keep": "tree"}, {"steps": 60, "keep": "visited"}),
        "rwr": (*WALKS, {"steps": 70, "start": 1, "p": "0.3", "walks": True}),
        "rnn": ({"starts": 6}, {"size": 20}, {"size": 4}),
        **dict.fromkeys(
            ("snowball", "ff", "rds"), ({"size": "30%"}, {"size": 5}, {"size": "70%", "mode": "exact"})
        ),
        "gps": ({"edges": "30%"}, {"edges": 9}),
        "gsh": ({}, {"p": 0.2, "q": 0.9, "closing": True}),
        "chordal": ({}, {"mode": "exact"}),
        "quasi-chordal": ({}, {"parts": 3}),
    }
)
# many steps, legs or stages, after which some runs end long before others
LARGE = {
    method: ({"size": "70%"}, {"size": "70%", "walkers": 3})
    for method in LITERATURE
    if ASKED[method][:4] == WALKS
}
LARGE |= {
    method: ({"size": "70%"},)
    for method in ("snowball", "ff", "rds", "spikyball", "diffusion", "xsn", "sp", "ust")
}


def awkward():
    """Hubs; hardly an edge; parallel edges and loops; several components, vertices without edges."""
    ends = np.random.default_rng(3).integers(0, 30, (2, 70))
    return [
        powerlaw_graph(90, seed=2),
        random_graph(6, 70, 100),
        Graph.from_edges(*ends, duplicates="keep"),
        Graph.from_edges(*(ends // 2 * 2 + [[0], [1]]), vertices=np.arange(33)),
        Graph.from_edges(*ends, weights=1.0 + np.arange(70) % 5),
    ]


def told(one, graph):
    """All that a sample is and says of the original, as bytes: nan is equal to nan."""
    f, group = np.arange(graph.num_vertices) ** 1.5 / 7, np.arange(graph.num_vertices) % 3
    made = [one.mean("degree"), one.mean(f), one.total(f), one.weight, one.visits, one.probability]
    names = ("seed", "vertices", "edges", "order", "parent", "parts", "walks")
    made += [getattr(one, name) for name in names]
    shares = [one.distribution(group)]
    if one.method == "rds":
        shares += [one.distribution(group, "SS"), one.distribution(group, "II")]
    if one.method in ("gsh", "gps"):
        made.append(one.stream.probability)
        made += [one.stream.estimate(what) for what in ("edges", "wedges", "triangles")]
    made += [each for share in shares for each in (share.values, share.share, share.standard_error)]
    return [None if each is None else np.asarray(each).tobytes() for each in made], one.weighting, one.notes


@pytest.mark.parametrize("method", LITERATURE)
def test_alone_and_side_by_side(device, method):
    """Run r of seeds= is, and says of the original, to the last bit, what the call with seed + r does."""
    for graph in awkward():
        for asked in ASKED[method] + LARGE.get(method, ()):
            options = dict(asked)
            if "strata" in options:
                options["strata"] = np.arange(graph.num_vertices) % 3
            if "weighted" in LITERATURE[method].options and graph.weights is not None:
                options["weighted"] = True
            many = sample(graph, method, seed=4, seeds=3, device=device, **options)
            for run, one in enumerate(many):
                alone = sample(graph, method, seed=4 + run, device=device, **options)
                assert told(one, graph) == told(alone, graph), (asked, run)
                walks = LITERATURE[method].kind in ("walk", "frontier")
                if walks and not (method == "fs" and "size" in asked):
                    unknown = np.isnan(one.mean("degree").standard_error)
                    assert unknown == any("no standard error" in note for note in one.notes)
            values = [one.mean("degree").value for one in many]
            np.testing.assert_equal(many.mean("degree").value, np.mean(values))  # also where it is nan


def test_runs_of_parts_differ(device):
    graph = random_graph(6, 70, 100)
    many = sample(graph, "quasi-chordal", seed=4, seeds=4, parts=3, device=device)
    for one in many:
        verify_sample(graph, one)
    assert len({one.edges.tobytes() for one in many}) > 1


def test_errors_of_walks_among_many(device):
    """Short ones have none, and a note; one that was pickled knows it without a device."""
    graph = powerlaw_graph(90, seed=2)
    for options, words in (
        ({"steps": 19, "walkers": 4}, "19 steps count, and it takes 20"),
        ({"steps": 29, "burn_in": 9, "thin": 2}, "10 steps count, and it takes 20"),
        ({"size": 1}, "the walk made 0 visits, and it takes 2"),
    ):
        for one in sample(graph, "rw", seed=1, seeds=2, device=device, **options):
            assert one.notes == (f"estimates have no standard error: {words}",)
    (one, _) = sample(graph, "rw", steps=20, seed=1, seeds=2, device=device)
    again = pickle.loads(pickle.dumps(one))
    assert again.selection.vertices.device_column is None and again.mean("degree") == one.mean("degree")
    assert one.notes == () and one.mean("degree").standard_error > 0
    (told,) = sample(graph, "fs", steps=19, seed=1, seeds=1, device=device)
    assert told.notes == ("estimates have no standard error: 19 moves count, and it takes 20",)
