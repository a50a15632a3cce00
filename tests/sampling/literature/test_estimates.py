"""Estimates: what f may be, by hand, and over runs."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from samplers import SEVEN

from clgraph import Graph, InputError, powerlaw_graph, read, write
from clgraph.datasets import karate
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
    with pytest.raises(InputError, match="there are: degree, age, club"):
        sample(known, "rn", size=5, seed=1, device=device).mean("height")


@pytest.mark.parametrize(
    ("f", "words"),
    [
        ([1, 2], "one value for each vertex"),
        ({"a": 1}, "says nothing of vertex b"),
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
    assert total.value == 16 and total.standard_error == pytest.approx(
        (4 * 0.5 / 0.25 + 9 * 0.75 / 0.0625) ** 0.5
    )
    mean = ratio(f, 1 / p, p)
    assert mean.value == pytest.approx(16 / 6)
    assert of_batches(np.array([1.0, 3.0]), np.array([1.0, 1.0])).value == 2
    assert of_batches(np.array([1.0, 1.0]), np.array([1.0, 1.0])).standard_error == 0


def test_over_runs(device):
    many = sample(SEVEN, "rdn", size=4, seed=1, seeds=300, device=device)
    mean = many.mean("degree")
    each = np.array([one.mean("degree").value for one in many])
    assert mean.value == pytest.approx(each.mean())
    assert mean.standard_error == pytest.approx(each.std(ddof=1) / 300**0.5)
    shares = many.distribution("degree")
    assert shares.values.tolist() == [1, 2, 3, 4] and shares.share.sum() == pytest.approx(1)


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
