"""What is asked: forms of sources, lists of items, what is left out of the top; and all that is refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from personalized import random_graph

from clgraph import Graph, personalized_pagerank
from clgraph.errors import ClgraphError, InputError
from clgraph.reference.pagerank import reference_ppr, verify_ppr

WALKS = {"method": "monte-carlo"}
# sources, options, and a word of the message
REFUSED = [
    ([0], {"method": "mc"}, "method is"),
    ([0], {"top": 0}, "top is 0"),
    ([0], {"top": 61}, "from 1 to 60"),
    ([0], {"walks": 5}, "monte-carlo"),
    ([0], {"seed": 5}, "monte-carlo"),
    ([0], {"epsilon": 0.1}, "monte-carlo"),
    ([0], {**WALKS, "walks": 0}, "walks is 0"),
    ([0], {**WALKS, "walks": 2**31}, "at most"),
    ([0], {**WALKS, "walks": 5, "epsilon": 0.1}, "both"),
    ([0], {**WALKS, "epsilon": 0.0}, "above 0 and below 1"),
    ([0], {**WALKS, "epsilon": 1.0}, "above 0 and below 1"),
    ([0], {**WALKS, "epsilon": 1e-6}, "32-bit"),
    ([0], {**WALKS, "epsilon": 0.1, "confidence": 1.0}, "confidence"),
    ([0], {**WALKS, "stored": True}, "iterating"),
    ([0], {"check_every": 0}, "check_every"),
    ([0], {"squared": True, "norm": "l1"}, "squared"),
    ([0], {"stable_top": 2}, "requires top"),
    ([0], {"stable_top": 2, "top": 3, "tol": 0}, "max_iter"),
    ([0], {"tol": 1e-12}, "round-off"),
    ([0], {"damping": 1}, "damping"),
    ([0], {"dangling": "nowhere"}, "dangling"),
    ([0], {"dtype": "int8"}, "dtype"),
    ([0], {"on_nonconvergence": "hope"}, "on_nonconvergence"),
    ([0], {"exclude": "others", "top": 3}, "'self', 'neighbours', a list of ids"),
    ([0], {"exclude": 5, "top": 3}, "exclude is 5"),
    ([0], {"exclude": [99], "top": 3}, "exclude: vertex 99"),
    ([0], {"exclude": "self"}, "exclude requires top"),
    (
        [0],
        {"exclude": "self", "top": 60},
        "source 0: 59 of 60 vertices are not excluded, and top asks for 60",
    ),
    ([0], {"exclude": ["x"], "top": 3}, "exclude"),
    ([1], {"exclude": ("self", "neighbours", [2]), "top": 1}, "a pair of a word and such a list"),
    # sources
    ([], {}, "no source"),
    ([0, 99], {}, "99 is not in the graph"),
    ("x", {}, "integers"),
    ([0.5], {}, "ids of vertices"),
    ({}, {}, "empty dict"),
    ({0: -1.0}, {}, "not negative"),
    ({0: float("nan")}, {}, "not negative"),
    ({0: 0.0}, {}, "zero everywhere"),
    (np.zeros((2, 60)), {}, "source 0 is zero everywhere"),
    (np.ones((2, 9)), {}, "60 vertices"),
    (sp.csr_array(np.ones((2, 9))), {}, "(k, 60)"),
    (np.zeros((0, 60)), {}, "no source"),
    # lists of items
    ({"Ann": []}, {}, "user 'Ann' has no items"),
    ({"Ann": [0], "Bob": [1, 99]}, {}, "user 'Bob' has the item 99, which is not an id"),
    ([[0, 1], ["x"]], {}, "user 1 has the item 'x'"),
    ([[0], 3], {}, "one of them is 3"),
    ({"Ann": {0: -1}}, {}, "user 'Ann'"),
]


@pytest.mark.parametrize(("sources", "options", "word"), REFUSED)
def test_what_is_refused(sources, options, word):
    with pytest.raises(InputError) as caught:
        personalized_pagerank(random_graph(1), sources, **options)
    assert word in str(caught.value)


# --- sources ----------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_forms_of_sources(device):
    graph = random_graph(1).with_ids(np.arange(60) * 10)
    several = personalized_pagerank(graph, [30, 0, 30], device=device)
    assert several.sources == [30, 0, 30]
    assert several.scores[0].tobytes() == several.scores[2].tobytes()
    alone = personalized_pagerank(graph, 30, device=device)
    assert alone.scores.shape == (1, 60)
    rows = np.zeros((2, 60))
    rows[0, 3], rows[1, 0] = 5, 1
    for given in (rows, sp.csr_array(rows), [{30: 2}, {0: 1}], rows.tolist()):
        found = personalized_pagerank(graph, given, device=device)
        np.testing.assert_allclose(found.scores, several.scores[:2], atol=2e-7)
        assert found.sources == ["distribution 0", "distribution 1"]
    words = Graph.from_edges(["a", "b"], ["b", "c"], directed=True)
    found = personalized_pagerank(words, "a", top=3, device=device)
    assert found.sources == ["a"]
    assert found.ids[0].tolist() == ["c", "b", "a"]
    verify_ppr(words, found, "a")


NAMES = [f"item {v}" for v in range(60)]
LISTS = {"Ann": ["item 3", "item 7", "item 7"], "Bob": ("item 0",), "Eve": {"item 7", "item 3"}}


@pytest.fixture
def shop():
    return random_graph(1).with_ids(np.array(NAMES, dtype=object))


def test_lists_are_even_distributions(device, shop):
    weights = [{"item 3": 1, "item 7": 2}, {"item 0": 1}, {"item 3": 1, "item 7": 1}]
    expected = personalized_pagerank(shop, weights, device=device)
    by_user = dict(zip(LISTS, weights, strict=True))
    for given, names in (
        (LISTS, ["Ann", "Bob", "Eve"]),
        (list(LISTS.values()), [0, 1, 2]),
        (by_user, ["Ann", "Bob", "Eve"]),
        ([np.array(list(one), dtype=object) for one in LISTS.values()], [0, 1, 2]),
    ):
        found = personalized_pagerank(shop, given, device=device)
        assert found.sources == names
        np.testing.assert_allclose(found.scores, expected.scores, atol=1e-7)
        if not isinstance(given, list) or not isinstance(given[0], np.ndarray):
            verify_ppr(shop, found, given)
    walks = personalized_pagerank(shop, LISTS, **WALKS, seed=1, walks=4000, device=device)
    verify_ppr(shop, walks, LISTS)


def test_to_pandas(device, shop):
    pytest.importorskip("pandas")
    found = personalized_pagerank(shop, LISTS, top=3, device=device)
    frame = found.to_pandas()
    assert list(frame.columns) == ["source", "vertex", "score"]
    assert frame["source"].tolist() == ["Ann"] * 3 + ["Bob"] * 3 + ["Eve"] * 3
    assert frame["vertex"].tolist() == found.ids.ravel().tolist()
    assert frame["score"].tolist() == found.scores.ravel().tolist()
    whole = personalized_pagerank(shop, "item 5", device=device)
    frame = whole.to_pandas()
    assert frame["vertex"].tolist() == NAMES and frame["score"].tolist() == whole.scores[0].tolist()
    plain = personalized_pagerank(random_graph(1), [4], **WALKS, seed=1, device=device)
    frame = plain.to_pandas()
    assert frame["vertex"].tolist() == list(range(60)) and "standard_error" in frame


# --- what is left out of the top --------------------------------------------------------------------------


def best(graph, sources, gone, top):
    """The highest ranks of the reference, by index, without some."""
    ranks = reference_ppr(graph, sources)
    orders = [np.argsort(-row, kind="stable").tolist() for row in ranks]
    return [[v for v in order if v not in out][:top] for order, out in zip(orders, gone, strict=True)]


@pytest.mark.parametrize("method", ["power", "coo", "monte-carlo"])
def test_words_and_ids(device, method):
    graph = random_graph(1).with_ids(np.arange(60) * 10)
    sources, index = [30, 0, 30, 590], [3, 0, 3, 59]
    near = [{v, *graph.col_idx[graph.row_ptr[v] : graph.row_ptr[v + 1]].tolist()} for v in index]
    options = {"seed": 1, "walks": 30_000} if method == "monte-carlo" else {"tol": 1e-7}
    options |= {"method": method, "device": device}
    for exclude, gone in (
        ("self", [{v} for v in index]),
        ("neighbours", near),
        ("neighbors", near),
        ([30, 20], [{3, 2}] * 4),
        (np.array([20]), [{2}] * 4),
        (("self", [20]), [{v, 2} for v in index]),
        ([], [set()] * 4),
    ):
        found = personalized_pagerank(graph, sources, top=4, exclude=exclude, **options)
        assert found.ids.shape == (4, 4)
        if method == "monte-carlo":
            assert found.visits.shape == (4, 4)
            assert not any(set(row // 10) & out for row, out in zip(found.ids, gone, strict=True))
        else:
            assert (found.ids // 10).tolist() == best(graph, sources, gone, 4)
            verify_ppr(graph, found, sources)


def test_what_users_have_is_left_out(device):
    graph = random_graph(2).with_ids(np.array([f"v{v}" for v in range(60)], dtype=object))
    users = {"Ann": ["v1", "v2"], "Bob": ["v7"]}
    found = personalized_pagerank(graph, users, top=5, exclude="self", tol=1e-7, device=device)
    expected = best(graph, users, [{1, 2}, {7}], 5)
    assert found.ids.tolist() == [[f"v{v}" for v in row] for row in expected]
    assert [each.tolist() for each in found.excluded] == [[1, 2], [7]]
    found.excluded[0][:] = graph.indices_of(found.ids[0, :2])
    with pytest.raises(ClgraphError, match="left out is in the top"):
        verify_ppr(graph, found, users)
