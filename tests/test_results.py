"""What every result says (`clgraph.results`), in a terminal and in a notebook, and where its arrays are."""

import re
from functools import partial
from html.parser import HTMLParser

import numpy as np
import pytest
from exchanges import rich
from graphs import tangle
from public_calls import EXAMPLES, example

import clgraph
from clgraph import Graph, InputError
from clgraph.public import PUBLIC
from clgraph.results import LENGTH, Shown, sparkline
from clgraph.sampling.figures import at_least


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of all examples, and some of a graph of 500 vertices."""
    graph = clgraph.powerlaw_graph(500, seed=1)
    sample = clgraph.sample(graph, "drv", size="50%", seed=1)
    folder = tmp_path_factory.mktemp("shards")
    clgraph.write_shards(graph, folder / "a.clgs")
    shards = clgraph.open_shards(folder / "a.clgs")
    clgraph.save_forest(shards, folder / "a.forest", "dre", seed=1)
    with clgraph.profile() as profile:
        clgraph.pagerank(graph)
    found = {each.name: example(each) for each in EXAMPLES}
    return {name: each for name, each in found.items() if isinstance(each, Shown)} | {
        "EdgePart": found["split_edges"].test,
        "SavedForest": clgraph.open_forest(folder / "a.forest"),
        "Sample of a dataset": clgraph.sample(shards, "dre", size="50%", seed=1),
        "Profile": profile,
        "Graph": graph,
        "Sample": sample,
        "Samples": clgraph.sample(graph, "drv", sizes=["50%", "20%"], seed=1),
        "Sample of a walk": clgraph.sample(graph, "rw", size="10%", seed=1),
        "walks": clgraph.personalized_pagerank(graph, [0], method="monte-carlo", walks=50, seed=1),
        "top": clgraph.personalized_pagerank(graph, [0, 1], top=3),
        "BFSResult": clgraph.bfs(graph, 0),
        "Quality": clgraph.quality(graph, sample, eigenvalues=False),
        "Measures": clgraph.quality(Graph.from_edges([], [], vertices=[0]), eigenvalues=False).original,
        "ReductionCurve": clgraph.reduction_curve(graph, "dre", 1),
        "ReductionCurves": clgraph.reduction_curve(graph, "dre", 1, seeds=2),
    }


def test_each_kind_of_result_is_here(results):
    classes = [getattr(clgraph, each.name) for each in PUBLIC if not each.is_function]
    shown = {each for each in classes if isinstance(each, type) and issubclass(each, Shown)}
    assert shown <= set(map(type, results.values()))


class Balanced(HTMLParser):
    """Collects the text, and fails where a tag is not closed."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.words = ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data + " "


def is_a_line(shown):
    line = repr(shown)
    return line[0] == "<" and line[-1] == ">" and len(line) <= LENGTH and "\n" not in line


def test_a_line_without_internals(results):
    for name, result in results.items():
        assert is_a_line(result), name
        assert not re.search(r"array\(|\.cl|np\.", repr(result)), name
    assert repr(results["BFSResult"]).startswith("<BFSResult: vertices 500, reached ")
    assert "effective diameter not defined" in repr(results["Measures"])
    assert "vertices 500 -> 250" in repr(results["Quality"])


def test_parts_of_a_graph_are_a_line(results):
    pandas = pytest.importorskip("pandas")
    wide = pandas.DataFrame({"source": [1], "target": [2]} | {f"column {i}": [i] for i in range(99)})
    known = Graph.from_pandas(wide).attributes
    assert known is not None
    for part in (known, known.edges["column 7"], results["Graph"].device_arrays(clgraph.get_device())):
        assert is_a_line(part)
    assert repr(known).startswith("<Attributes: edge column 0, edge column 1, ")


def test_data_frames(results):
    pandas = pytest.importorskip("pandas")
    graph = results["Graph"].with_ids(np.arange(500) * 2 + 1)
    for arrays in ("host", "device"):
        found = clgraph.bfs(graph, [1, 3], depth_limit=2, arrays=arrays)
        far, near = found.to_pandas(), found.to_pandas(graph)
        distance = np.asarray(far["distance"])
        columns = ["vertex", "distance", "predecessor", "source"]
        assert far.columns.tolist() == near.columns.tolist() == columns
        assert far["vertex"].tolist() == list(range(500)) and near["vertex"].tolist() == graph.ids.tolist()
        assert near["source"].isna().tolist() == (distance < 0).tolist() and (distance < 0).any()
        there = distance >= 0
        assert near["source"][there].tolist() == graph.ids[far["source"][there]].tolist()
        parts = clgraph.connected_components(graph, arrays=arrays)
        labels = parts.labels.get() if arrays == "device" else parts.labels
        assert parts.to_pandas(graph)["vertex"].equals(near["vertex"])
        assert parts.to_pandas()["component"].tolist() == labels.tolist()
        ranked = clgraph.pagerank(graph, arrays=arrays)
        table = ranked.to_pandas().sort_values("score", ascending=False, kind="stable")
        assert [tuple(row) for row in table.head(3).itertuples(index=False)] == ranked.top(3)
    many = clgraph.bfs_many(graph, [3, 1]).to_pandas(graph)
    assert many["source"].tolist() == [3] * 500 + [1] * 500
    assert many["distance"][500:].tolist() == clgraph.bfs(graph, 1).distance.tolist()
    assert clgraph.bfs(graph, 1, predecessors=False).to_pandas().columns.tolist() == ["vertex", "distance"]
    curve, samples = results["ReductionCurve"], results["Samples"]
    assert curve.to_pandas()["average_degree"].tolist() == curve.average_degree.tolist()
    table = samples.to_pandas()
    assert table["size"].tolist() == ["50%", "20%"] and table["edges"].tolist() == samples.num_edges.tolist()
    assert samples[:0].to_pandas().empty
    table = results["Quality"].to_pandas()
    assert table.loc["vertices"].tolist() == [500, 250]
    assert table.loc["ks.degree", "sample"] == results["Quality"].ks["degree"]
    assert pandas.isna(table.loc["ks.degree", "original"]) and "seconds.total" not in table.index
    with pytest.raises(InputError, match="graph has 2 vertices, but the result has one of index 499"):
        found.to_pandas(Graph.from_edges([0], [1]))


def test_a_long_line_is_cut():
    class Long(Shown):
        def _facts(self):
            return {f"fact {i}": "x" * 9 for i in range(40)}

    assert len(repr(Long())) == LENGTH and repr(Long()).endswith("...>")


def test_a_table_in_notebooks(results):
    for name, result in results.items():
        page = Balanced()
        page.feed(result._repr_html_())
        assert not page.open and page.words, name
    graph = results["Graph"]
    assert "<svg" in graph._repr_html_() and f"<td>{graph.num_edges}</td>" in graph._repr_html_()
    assert "no vertices" in Graph.from_edges([], [])._repr_html_()


def test_sparkline_is_scaled_and_escaped():
    drawn = sparkline("a < b", [0, 1, 4])
    assert "<title>a &lt; b</title>" in drawn and drawn.count("<rect") == 3
    assert "height='36.0'" in drawn and "height='9.0'" in drawn and "height='0.0'" in drawn
    assert Graph.from_edges([0, 0, 0, 0], [1, 2, 3, 4])._bars()[1] == [0, 4, 0, 1]


def test_plots(results, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    curve, sample = results["ReductionCurve"], results["Sample"]
    counts, degree = curve.plot()
    assert counts.get_xlabel() == "deletions"
    assert np.array_equal(counts.lines[1].get_ydata(), curve.edges) and len(degree.lines) == 1
    axes = sample.plot()
    assert [line.get_label() for line in axes.lines] == ["original, 500 vertices", "sample, 250 vertices"]
    x, y = at_least(sample.graph.degrees)
    assert np.array_equal(axes.lines[1].get_ydata(), y) and y[0] == np.mean(sample.graph.degrees >= x[0])
    assert sample.plot(axes) is axes and len(axes.lines) == 4
    assert len(results["Quality"].plot(curve)) > len(results["Quality"].plot()) >= 4
    with pytest.raises(InputError, match="drawn on two"):
        curve.plot([axes])
    pyplot.close("all")
    results["Quality"].report(tmp_path / "q.html", names=("web", "half"), facts=[("method", "drv")])
    assert "half" in (tmp_path / "q.html").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="no folder"):
        results["Quality"].report(tmp_path / "none" / "q.html")


# --- where arrays are -------------------------------------------------------------------------------------


GAPS = rich("gaps", True, False, False)
TANGLE = tangle(5, n=400, edges=1500)
PATH = Graph.from_edges(range(299), range(1, 300))  # too deep to be searched in batches
DRAWN = {"size": "50%", "seed": 3}
# call, graph and arguments, options, the attributes that are arrays (if the result is none itself)
STAYING = [
    *((clgraph.bfs, (GAPS, GAPS.ids[k]), {}, "distance predecessor source_of") for k in (3, [3, 5], [3])),
    (clgraph.connected_components, (GAPS,), {"connection": "strong"}, "labels"),
    (clgraph.connected_components, (Graph.from_edges([], []),), {}, "labels"),
    # some of them put vertices into an order of their own
    *((clgraph.pagerank, (GAPS,), {"variant": each}, "scores") for each in ("auto", "runs", "bins", "pull")),
    *((clgraph.sample, (TANGLE, each), DRAWN, "vertices") for each in ("drv", "cre", "rn", "rw")),
    (clgraph.triangles, (TANGLE,), {}, ""),
    (clgraph.core_numbers, (TANGLE,), {}, ""),
    *((clgraph.bfs_many, (graph, range(70)), {}, "distance") for graph in (TANGLE, PATH)),
    *(
        (clgraph.personalized_pagerank, (TANGLE, sources), options, "scores")
        for sources in ([1], [3, 5, 3], range(9))
        for options in ({}, {"method": "coo"}, {"method": "monte-carlo", "walks": 500, "seed": 1})
    ),
]


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")  # of pyopencl's own kernels
@pytest.mark.parametrize(("call", "args", "options", "names"), STAYING)
def test_what_stays_on_the_device(device, call, args, options, names):
    """The same values as on the host, of every call that takes ``arrays``."""
    from pyopencl.array import Array

    here, there = (call(*args, **options, device=device, arrays=where) for where in ("host", "device"))
    pairs = [(getattr(here, name), getattr(there, name)) for name in names.split()]
    for want, got in pairs or [(here, there)]:
        assert (want is None) == (got is None)
        if want is not None:
            assert isinstance(got, Array) and got.queue == device.queue
            assert got.shape == want.shape and got.get().astype(want.dtype).tobytes() == want.tobytes()
            assert got.dtype == want.dtype or call is clgraph.sample  # there vertices have 32 bits
    if call is clgraph.pagerank:
        assert there.top(3) == here.top(3)


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")  # of pyopencl's own kernels
def test_a_kernel_goes_on_with_it(device):
    strong = partial(clgraph.connected_components, GAPS, connection="strong", device=device)
    host, found = strong(), strong(arrays="device")
    np.testing.assert_array_equal((found.labels * 2).get(), 2 * host.labels)
    np.testing.assert_array_equal(found.sizes, host.sizes)
    for graph, kind in ((TANGLE, "int8"), (PATH, "int16")):
        assert clgraph.bfs_many(graph, range(70), arrays="device", device=device).distance.dtype == kind


def test_arrays_that_cannot_stay():
    with pytest.raises(InputError, match="arrays='device' is of all scores"):
        clgraph.personalized_pagerank(TANGLE, [1], top=3, arrays="device")
    with pytest.raises(InputError, match="arrays='device' is of one sample"):
        clgraph.sample(TANGLE, "drv", size="50%", seeds=2, arrays="device")
