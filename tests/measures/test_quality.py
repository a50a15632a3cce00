"""Quality of samples: every figure against a slow and plain computation of it, and what small graphs say;
the measures that `clgraph.quality` makes only where they are named; distances, and what is no sample.
"""

import csv
import dataclasses
import json

import networkx as nx
import numpy as np
import pytest
from devices import working_devices
from graphs import tangle, to_networkx
from scipy.stats import ks_2samp

import clgraph
from clgraph import Graph, InputError, powerlaw_graph, quality, sample
from clgraph.drawing import figure
from clgraph.measures.compare import check_part, ks_distance, ks_of_hops
from clgraph.measures.hops import draw_sources, hop_plots
from clgraph.measures.pack import Pack
from clgraph.measures.report import TABLES, rows
from clgraph.measures.scalars import OPTIONAL
from clgraph.reference.weighted import reference_shortest_paths


def slope(x, y):
    """Slope and correlation by NumPy."""
    return np.polyfit(np.log(x), np.log(y), 1)[0], np.corrcoef(np.log(x), np.log(y))[0, 1]


def reference(graph):
    """All figures of methods.md 6 in NetworkX and NumPy, as they are defined: numbers, slopes, arrays."""
    g = to_networkx(graph)
    n, m = g.number_of_nodes(), g.number_of_edges()
    degrees = np.array([d for _, d in g.degree()])
    lengths = [d for _, each in nx.all_pairs_shortest_path_length(g) for d in each.values()]
    pairs = np.cumsum(np.bincount(lengths)).astype(float)
    frequency = np.bincount(degrees)
    occurs = np.flatnonzero(frequency[1:]) + 1
    ranked = np.sort(degrees[degrees > 0])[::-1]
    last = min(4, next(h for h in range(1, len(pairs)) if pairs[h] >= 0.9 * pairs[-1]))
    hops = np.arange(1, last + 1)
    spectrum = np.sort(np.linalg.eigvalsh(nx.to_numpy_array(g)))[::-1][:20]
    above = np.array([np.mean(degrees[degrees > 0] >= d) for d in occurs])
    return {
        "components": nx.number_connected_components(g),
        "largest_component": max(map(len, nx.connected_components(g))),
        "triangles": sum(nx.triangles(g).values()) // 3,
        "diameter": len(pairs) - 1,
        "average_degree": 2 * m / n,
        "density": nx.density(g),
        "clustering": nx.average_clustering(g),
        "transitivity": nx.transitivity(g),
        "degree_exponent": slope(occurs, frequency[occurs]),
        "rank_exponent": slope(np.arange(1, len(ranked) + 1), ranked),
        "hop_plot_exponent": slope(hops, pairs[hops]) if last > 1 else None,
        "eigen_exponent": slope(np.arange(1, len(spectrum) + 1), spectrum),
    }, (slope(occurs, above), pairs, spectrum)


@pytest.mark.parametrize("directed", [False, True])
def test_every_figure_by_definition(device, directed):
    for seed in (1, 2):
        graph = tangle(seed, n=300, edges=700, directed=directed)
        found, (wanted, (above, pairs, spectrum)) = quality(graph, device=device).original, reference(graph)
        for name, value in wanted.items():
            told = getattr(found, name)
            if name.endswith("exponent"):
                assert (told.slope, told.correlation) == pytest.approx(value, rel=1e-9), name
            else:
                assert told == (value if isinstance(value, int) else pytest.approx(value, rel=1e-12)), name
        assert found.hop_plot.tolist() == pairs.tolist()
        assert found.hop_plot_exact
        assert found.eigenvalues == pytest.approx(spectrum, rel=1e-9)
        ccdf = found.degree_exponent.ccdf
        assert (ccdf.slope, ccdf.correlation) == pytest.approx(above, rel=1e-9)
        assert ccdf.exponent == pytest.approx(above[0] - 1, rel=1e-9)
        lengths = np.repeat(np.arange(1, len(pairs)), np.diff(pairs).astype(int))
        assert found.mean_distance == pytest.approx(lengths.mean())
        assert np.mean(lengths <= np.ceil(found.effective_diameter)) >= 0.9
        assert np.mean(lengths <= np.ceil(found.effective_diameter) - 1) < 0.9
        assert found.effective_diameter_interval == (found.effective_diameter,) * 2


def device_figures(measures):
    """Everything but eigenvalues, which the host computes, as text: to the last bit."""
    told = measures.to_dict()
    for name in ("eigenvalues", "eigen_exponent", "seconds"):
        del told[name]
    return json.dumps(told, allow_nan=False)


def test_the_same_on_every_device(request):
    """Though threads and work-groups add up in a different order on each."""
    asked = (request.config.getoption("--devices") or "").split(",")
    every_device = [each for word, each in working_devices().items() if asked == [""] or word in asked]
    if len(every_device) < 2:
        pytest.skip("needs two devices; the figures themselves are tested on each")
    graph = powerlaw_graph(3000, average_degree=6, seed=4)
    directed = tangle(1, n=300, edges=700, directed=True, duplicates="keep")
    for whole, sources in ((graph, 200), (directed, 1000)):
        found = [quality(whole, device=each, hop_sources=sources).original for each in every_device]
        assert len(set(map(device_figures, found))) == 1


@pytest.mark.smoke
def test_two_graphs_and_their_distances(device):
    graph = powerlaw_graph(3000, average_degree=6, seed=4)
    made = sample(graph, "drve", size="40%", seed=5, device=device)
    found = quality(graph, made, device=device, seed=9, hop_sources=200)
    assert (found.sample.vertices, found.sample.edges) == (len(made.vertices), made.num_edges)
    assert found.sample.components == 1
    degrees = graph.degrees, made.graph.degrees
    both = [to_networkx(each) for each in (graph, made.graph)]
    local = [list(nx.clustering(each).values()) for each in both]
    sizes = [list(map(len, nx.connected_components(each))) for each in both]
    for name, values in (("degree", degrees), ("clustering", local), ("component_size", sizes)):
        assert found.ks[name] == pytest.approx(ks_2samp(*values).statistic)
    assert 0 < found.ks["hop_plot"] < 1
    # some of the vertices only: the first two points are exact, the others near
    assert (found.original.hop_plot_sources, found.original.hop_plot_exact) == (200, False)
    (exact,) = hop_plots(Pack.of(device, [graph.without_self_loops]), sources=3000)
    assert found.original.hop_plot[:2].tolist() == exact.pairs[:2].tolist()
    assert found.original.hop_plot[3] == pytest.approx(exact.pairs[3], rel=0.1)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["original"]["rank_exponent"]["slope"] == found.original.rank_exponent.slope
    assert told["sample"]["average_degree"] == found.sample.average_degree
    assert set(told["ks"]) == set(found.ks)
    itself = quality(graph, graph, device=device, hop_sources=64, eigenvalues=False)
    assert itself.ks == dict.fromkeys(found.ks, 0)


@pytest.mark.first_device
def test_the_effective_diameter_is_within_its_interval(device):
    graph, missed, halves = powerlaw_graph(3000, average_degree=6, seed=4), 0, []
    exact = quality(graph, device=device, hop_sources=3000, eigenvalues=False).original.effective_diameter
    for seed in range(40):
        found = quality(graph, device=device, hop_sources=300, eigenvalues=False, seed=seed)
        low, high = found.original.effective_diameter_interval
        assert low < found.original.effective_diameter < high
        missed += not low <= exact <= high
        halves.append((high - low) / 2)
    assert missed <= 5 and max(halves) < 0.5
    cells = {row.path: row.cells for _, entries in TABLES for row in rows(found, entries)}
    assert cells["effective_diameter"][0].endswith(f" ({figure(low)} to {figure(high)})")
    few = quality(graph, device=device, hop_sources=64, eigenvalues=False).original
    assert few.effective_diameter_interval is None


def test_real_graph(device, data_path):
    graph = clgraph.read(data_path("internet.txt"))
    found = quality(graph, device=device, hop_sources=128, eigenvalues=False).original
    assert (found.vertices, found.edges, found.components) == (22963, 48436, 1)
    assert found.average_degree == pytest.approx(4.2186, abs=1e-4)
    assert found.triangles == 46873
    np.testing.assert_array_equal(found.degree_histogram, np.unique(graph.degrees, return_counts=True))
    assert found.largest_degree == graph.degrees.max()
    whole = to_networkx(graph)
    assert found.clustering == pytest.approx(nx.average_clustering(whole), rel=1e-12)
    assert found.transitivity == pytest.approx(nx.transitivity(whole), rel=1e-12)
    # the first two points are exact; the third is the mean over the sources that hop_plot drew
    sources = draw_sources(graph.num_vertices, 128, 0).tolist()
    within_two = [len(nx.single_source_shortest_path_length(whole, v, cutoff=2)) for v in sources]
    assert found.hop_plot[:2].tolist() == [22963, 22963 + 2 * 48436]
    assert found.hop_plot[2] == pytest.approx(np.mean(within_two) * 22963, rel=1e-12)


# --- small and odd graphs, bad input ------------------------------------------------------------------


ODD = {
    "empty": Graph.from_edges([], []),
    "one": Graph.from_edges([], [], vertices=[7]),
    "apart": Graph.from_edges([], [], vertices=[1, 2, 3]),
    "loop": Graph.from_edges([4], [4]),
    "edge": Graph.from_edges([0], [1]),
    "ring": Graph.from_edges(np.arange(30), (np.arange(30) + 1) % 30),
    "complete": Graph.from_edges(*np.triu_indices(12, 1)),
    "two": Graph.from_edges([0, 1, 3], [1, 2, 4]),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_graphs_say_why(device, name):
    graph = ODD[name]
    found = quality(graph, graph, device=device)
    json.dumps(found.to_dict(), allow_nan=False)  # None, or a finite number
    for field in dataclasses.fields(found.original):
        value = getattr(found.original, field.name)
        if value is None and field.name not in OPTIONAL:
            assert found.original.reasons[field.name], field.name
        for fit in (value, *(getattr(value, other, None) for other in ("ccdf", "mle"))):
            if hasattr(fit, "reason") and (getattr(fit, "slope", 0) is None or fit.reason is not None):
                assert len(fit.reason) > 10
    if name == "ring":
        empty = quality(graph, ODD["empty"], device=device)
        assert empty.sample.average_degree is None and set(empty.ks.values()) == {None}
        fit = found.original.degree_exponent
        assert (fit.slope, fit.reason) == (None, "1 degree that occurs: a line takes two different ones")
        assert fit.mle.reason == "every vertex has degree 2"
        assert found.original.rank_exponent.slope == 0
        assert "every vertex has degree 2" in found.original.rank_exponent.reason
    if name == "empty":
        assert found.ks == dict.fromkeys(found.ks)
        assert found.original.reasons["average_degree"] == "the graph is empty: it has no vertices"
    if name == "complete":
        assert "no line through one point" in found.original.hop_plot_exponent.reason
        assert (found.original.diameter, found.original.transitivity) == (1, 1)


@pytest.mark.parametrize("ids", [int, str])
def test_what_is_no_sample(device, ids):
    def graph(source, target, **options):
        ends = (np.array([ids(10 * v) for v in end]) for end in (source, target))
        return Graph.from_edges(*ends, **options)

    whole = graph([1, 2, 3, 4], [2, 3, 4, 5])
    strange, wrong, other = graph([1, 2], [2, 6]), graph([1, 2, 2], [2, 3, 4]), graph([7], [8])
    for part, relation, said in (
        (strange, None, "vertex 60 of the sample is not in the original"),
        (wrong, None, "edge 20 - 40 of the sample is not in the original"),
        (other, "contraction", "vertex 70"),
        (whole, "some", "relation is 'some'"),
    ):
        with pytest.raises(InputError, match=said):
            quality(whole, part, relation=relation, device=device)
    assert quality(whole, wrong, relation="contraction", device=device).sample.edges == 3
    assert quality(whole, other, relation="none", device=device).sample.vertices == 2
    assert quality(whole, graph([3, 2], [4, 3], directed=True), device=device).sample.edges == 2


def test_contractions_need_no_word(device):
    graph = powerlaw_graph(300, seed=1)
    made = sample(graph, "cre", size="30%", seed=2, device=device)
    assert quality(graph, made, device=device).sample.vertices == 90
    with pytest.raises(InputError, match="use relation 'contraction'"):
        quality(graph, made.graph, device=device)


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, "9"])
def test_bad_sources(bad):
    with pytest.raises(InputError, match=f"hop_sources is {bad!r}"):
        quality(ODD["ring"], hop_sources=bad)


def test_tables_for_print(device):
    graph = powerlaw_graph(300, seed=1)
    found = quality(graph, sample(graph, "drve", size="50%", seed=1, device=device), device=device)
    lines = found.table().splitlines()
    assert lines[0] == "| measure | original | sample | difference |"
    assert any(line.startswith("| degree exponent, by maximum likelihood |") for line in lines)
    head, *rows = csv.reader(found.table(format="csv").splitlines())
    assert head == ["measure", "original", "sample"]
    by = {name: cells for name, *cells in rows}
    exponents = found.original.degree_exponent, found.sample.degree_exponent
    assert [float(cell) for cell in by["degree_exponent.slope"]] == [each.slope for each in exponents]
    assert float(by["ks.degree"][1]) == found.ks["degree"]
    latex = found.table(format="latex")
    assert latex.count("\\toprule") == 1 and "KS distance, degrees" in latex
    assert "difference" not in quality(graph, device=device).table()
    with pytest.raises(InputError, match="format is 'html'"):
        found.table(format="html")


def test_some_panels(device):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = quality(powerlaw_graph(300, seed=1), eigenvalues=False, device=device)
    names = [axes.get_title() for axes in found.plot(panels="hops, degrees")]
    assert names == ["Hop plot", "Degree distribution"]
    for given, why in (
        ("hop", "'hop' is no panel: use degrees"),
        ("hops,hops", "named twice"),
        ([], "panels is"),
        ("curve", "there is no panel curve here"),
        ("eigenvalues", "there is no panel eigenvalues here"),
    ):
        with pytest.raises(InputError, match=why):
            found.plot(panels=given)
    pyplot.close("all")


# --- distances, and parts of a graph ----------------------------------------------------------------------


def test_ks_distances():
    """By SciPy; and of hop plots."""
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 9, 200), rng.integers(2, 12, 77)
    counted = [np.unique(each, return_counts=True) for each in (one, other)]
    assert ks_distance(*counted) == pytest.approx(ks_2samp(one, other).statistic)
    assert ks_distance(counted[0], (np.zeros(0), np.zeros(0, np.int64))) is None
    assert ks_of_hops(np.array([1, 2, 4.0]), np.array([1, 4.0])) == 0.5
    assert ks_of_hops(np.array([2, 4.0]), np.array([3, 6.0])) == 0
    assert ks_of_hops(np.zeros(0), np.array([1.0])) is None


def test_parts_by_ids_in_another_order(device):
    whole = Graph.from_edges([30, 10, 20], [10, 20, 40], vertices=[40, 30, 20, 10])
    check_part(whole, Graph.from_edges([10], [30]), device=device)
    check_part(whole, Graph.from_edges([20], [30]), "contraction", device=device)
    with pytest.raises(InputError, match=r"edge 20 - 30 of half\.txt is not in whole\.txt"):
        check_part(whole, Graph.from_edges([20], [30]), names=("whole.txt", "half.txt"), device=device)
    with pytest.raises(InputError, match="vertex a of the sample"):
        check_part(whole, Graph.from_edges(["a"], ["b"]), device=device)


def test_samples_that_stay_on_the_device(device):
    whole, other = powerlaw_graph(3000, seed=1), powerlaw_graph(3000, seed=2)
    smaller = Graph.from_edges([0, 1], [1, 2])
    half = sample(whole, "drve", size="50%", seed=4, device=device)
    for made in (half.graph, whole.subgraph(np.arange(99))):
        check_part(whole, made, device=device)
        for wrong, what in ((other, "edge"), (smaller, "vertex")):
            with pytest.raises(InputError, match=f"{what} .* of the sample is not in the original"):
                check_part(wrong, made, device=device)
        again = sample(made, "drv", size="50%", seed=1, device=device).graph  # ids chosen twice
        check_part(made, again, device=device)
        check_part(whole, again, device=device)


def test_every_edge_is_looked_up(device):
    whole = tangle(1, n=400, edges=3000, duplicates="keep")
    tail, head = whole.without_self_loops.edge_indices()[:2]
    check_part(whole, Graph.from_edges(tail, head), device=device)
    known = set(zip(tail.tolist(), head.tolist(), strict=True))
    for u, v in ((0, 399), (398, 399), (200, 390)):
        assert (u, v) not in known
        with pytest.raises(InputError, match=f"edge {u} - {v} of"):
            check_part(whole, Graph.from_edges(np.append(tail, u), np.append(head, v)), device=device)


# --- measures that are made only where they are named -----------------------------------------------------

ALSO = "modularity, weighted_distance"
DIRECTIONS = "ks_in_degree,ks_out_degree"


def weighted_graph(seed, **options):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 90, (2, 360))
    return Graph.from_edges(*ends, weights=rng.integers(1, 9, 360) / 4, **options)


def once(graph):
    """Without weights and self-loops, each pair of neighbours once."""
    ends = np.sort(graph.ids[np.stack([graph.tails, graph.col_idx])], axis=0)
    return Graph.from_edges(*np.unique(ends[:, ends[0] != ends[1]], axis=1))


def mean_by_weight(graph, sources):
    distance, _ = reference_shortest_paths(graph.undirected, graph.ids[sources].tolist())
    return distance[(distance > 0) & np.isfinite(distance)].mean()


@pytest.mark.parametrize("directed", [False, True])
def test_both(device, directed):
    graph = weighted_graph(1, directed=directed)
    made = sample(graph, "drv", size=0.5, seed=2, device=device)
    found = quality(graph, made, seed=3, eigenvalues=False, also=ALSO, device=device)
    plain = quality(graph, made, seed=3, eigenvalues=False, device=device)
    assert plain.original.modularity is None and plain.sample.weighted_distance is None
    view = once(graph)
    assert len(view.ids) == 90  # so that indices are ids
    labels = clgraph.louvain(view, seed=3, weight=False, device=device).labels
    assert found.original.modularity == clgraph.modularity(view, labels, weight=False)
    part = once(made.graph)
    assert found.sample.modularity == clgraph.modularity(part, labels[part.ids], weight=False)
    if "HAVE_FP64" not in device.features:
        assert found.sample.weighted_distance is None
        assert "need float64" in found.sample.reasons["weighted_distance"]
        return
    for measures, each in ((found.original, graph), (found.sample, made.graph)):
        mean = mean_by_weight(each, np.arange(each.num_vertices))
        assert measures.weighted_distance == pytest.approx(mean, rel=1e-12)
    few = quality(graph, seed=3, eigenvalues=False, hop_sources=9, also=["weighted_distance"])
    mean = mean_by_weight(graph, draw_sources(90, 9, 3))
    assert few.original.weighted_distance == pytest.approx(mean, rel=1e-12)
    assert few.original.modularity is None and "modularity" not in few.to_dict()["original"]
    # what is shown: everything that was asked for, and nothing else
    assert {"modularity", "weighted_distance"} <= set(found.to_dict()["sample"])
    assert not {"modularity", "weighted_distance"} & set(plain.to_dict()["original"])
    assert "| weighted distance |" in found.table() and "modularity" not in plain.table()


@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_directions(device, duplicates):
    """With loops and parallel arcs, which do not count; beside SciPy's distance of plain lists."""
    rng = np.random.default_rng(5)
    ends = (rng.random((2, 900)) ** 2 * 60).astype(int)
    graph = Graph.from_edges(*ends, directed=True, duplicates=duplicates)
    made = sample(graph, "drv", size=0.5, seed=2, device=device)
    also = DIRECTIONS.split(",")
    found = quality(graph, made, eigenvalues=False, also=also, device=device)
    lists = []
    for each in (graph, made.graph):
        arcs = {(u, v) for u, v in zip(each.tails.tolist(), each.col_idx.tolist(), strict=True) if u != v}
        lists.append([np.bincount([arc[end] for arc in arcs], minlength=each.num_vertices) for end in (1, 0)])
    for i, name in enumerate(also):
        assert getattr(found.original, name) == 0
        want = ks_2samp(lists[0][i], lists[1][i]).statistic
        assert getattr(found.sample, name) == pytest.approx(want, abs=1e-12) and want > 0


def test_what_is_not_defined():
    plain = Graph.from_edges([0, 1], [1, 2])
    for graph, reasons in (
        (plain, {"weighted_distance": "the graph has no weights"}),
        (plain.subgraph([0, 2]), {"modularity": "there are no edges"}),
    ):
        found = quality(graph, eigenvalues=False, also=ALSO).original
        assert {name: found.reasons[name] for name in reasons} == reasons
        assert all(getattr(found, name) is None and name in found.to_dict() for name in reasons)
    found = quality(plain, plain, eigenvalues=False, also=DIRECTIONS).original
    assert found.reasons["ks_in_degree"] == found.reasons["ks_out_degree"] == "the graph is undirected"
    other = Graph.from_edges([7, 8], [8, 9])
    found = quality(plain, other, relation="none", eigenvalues=False, also="modularity")
    assert "not all of its vertices" in found.sample.reasons["modularity"]
    assert found.original.modularity is not None
    negative = Graph.from_edges([0, 1], [1, 2], weights=[1, -2])
    for graph, also, said in (
        (plain, "x", "'x' is no measure to ask for; use modularity"),
        (plain, 3, "also is 3"),
        (negative, "weighted_distance", "edge 1 -> 2 has weight -2"),
    ):
        with pytest.raises(InputError, match=said):
            quality(graph, eigenvalues=False, also=also)


def test_the_command(tmp_path, run):
    file = tmp_path / "g.txt"
    clgraph.write(weighted_graph(4), file)
    given = ("quality", file, "--weights", "--no-eigenvalues", "--also", "modularity,weighted_distance")
    said = json.loads(run(*given, "--json").out)["original"]
    assert said["modularity"] > 0.1 and said["weighted_distance"] > 0.5
    assert "modularity" in run(*given).out
    done = run("quality", file, "--also", "x")
    assert done.status == 1 and "is no measure to ask for" in done.err
