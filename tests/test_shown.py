"""What results show of themselves, in a terminal and in a notebook."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clgraph
from clgraph.results import LENGTH, Shown, sparkline
from clgraph.sampling.figures import at_least


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    graph = clgraph.powerlaw_graph(500, seed=1)
    sample = clgraph.sample(graph, "drv", size="50%", seed=1)
    quality = clgraph.quality(graph, sample, eigenvalues=False)
    folder = tmp_path_factory.mktemp("shards")
    clgraph.write_shards(graph, folder / "a.clgs")
    shards = clgraph.open_shards(folder / "a.clgs")
    clgraph.save_forest(shards, folder / "a.forest", "dre", seed=1)
    with clgraph.profile() as profile:
        clgraph.pagerank(graph)
    return {
        "SavedForest": clgraph.open_forest(folder / "a.forest"),
        "Sample of a dataset": clgraph.sample(shards, "dre", size="50%", seed=1),
        "Profile": profile,
        "Graph": graph,
        "Sample": sample,
        "Samples": clgraph.sample(graph, "drv", sizes=["50%", "20%"], seed=1),
        "Sample of a walk": clgraph.sample(graph, "rw", size="10%", seed=1),
        "PageRankResult": clgraph.pagerank(graph),
        "PersonalizedResult": clgraph.personalized_pagerank(graph, [0, 1], top=3),
        "PersonalizedResult of walks": clgraph.personalized_pagerank(
            graph, [0], method="monte-carlo", walks=50, seed=1
        ),
        "BFSResult": clgraph.bfs(graph, 0),
        "ManyBFSResult": clgraph.bfs_many(graph, [0, 1]),
        "ShortestPathsResult": clgraph.shortest_paths(graph, [0, 1]),
        "Components": clgraph.connected_components(graph),
        "Quality": quality,
        "Measures": clgraph.quality(
            clgraph.Graph.from_edges([], [], vertices=[0]), eigenvalues=False
        ).original,
        "ReductionCurve": clgraph.reduction_curve(graph, "dre", 1),
    }


class Balanced(HTMLParser):
    """Collects the text, and fails where a tag is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data + " "


def test_a_line_without_internals(results: dict[str, Any]) -> None:
    for name, result in results.items():
        line = repr(result)
        assert line[0] == "<" and line[-1] == ">" and len(line) <= LENGTH and "\n" not in line, name
        assert "array(" not in line and ".cl" not in line and "np." not in line, line
    assert repr(results["BFSResult"]).startswith("<BFSResult: vertices 500, reached ")
    assert "effective diameter not defined" in repr(results["Measures"])
    assert "vertices 500 -> 250" in repr(results["Quality"])


def test_parts_of_a_graph_are_a_line(results: dict[str, Any]) -> None:
    pandas = pytest.importorskip("pandas")
    wide = pandas.DataFrame({"source": [1], "target": [2]} | {f"column {i}": [i] for i in range(99)})
    known = clgraph.Graph.from_pandas(wide).attributes
    assert known is not None
    for part in (known, known.edges["column 7"], results["Graph"].device_arrays(clgraph.get_device())):
        line = repr(part)
        assert line[0] == "<" and line[-1] == ">" and len(line) <= LENGTH and "\n" not in line
    assert repr(known).startswith("<Attributes: edge column 0, edge column 1, ")


def test_data_frames(results: dict[str, Any]) -> None:
    pandas = pytest.importorskip("pandas")
    graph = results["Graph"].with_ids(np.arange(500) * 2 + 1)
    for arrays in ("host", "device"):
        found = clgraph.bfs(graph, [1, 3], depth_limit=2, arrays=arrays)
        far, near = found.to_pandas(), found.to_pandas(graph)
        distance = np.asarray(far["distance"])
        assert (
            far.columns.tolist() == near.columns.tolist() == ["vertex", "distance", "predecessor", "source"]
        )
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
    with pytest.raises(clgraph.InputError, match="graph has 2 vertices, but the result has one of index 499"):
        found.to_pandas(clgraph.Graph.from_edges([0], [1]))


def test_a_long_line_is_cut() -> None:
    class Long(Shown):
        def _facts(self) -> dict[str, Any]:
            return {f"fact {i}": "x" * 9 for i in range(40)}

    assert len(repr(Long())) == LENGTH and repr(Long()).endswith("...>")


def test_a_table_in_notebooks(results: dict[str, Any]) -> None:
    for name, result in results.items():
        page = Balanced()
        page.feed(result._repr_html_())
        assert not page.open and page.words, name
    graph = results["Graph"]
    assert "<svg" in graph._repr_html_() and f"<td>{graph.num_edges}</td>" in graph._repr_html_()
    assert "no vertices" in clgraph.Graph.from_edges([], [])._repr_html_()


def test_sparkline_is_scaled_and_escaped() -> None:
    drawn = sparkline("a < b", [0, 1, 4])
    assert "<title>a &lt; b</title>" in drawn and drawn.count("<rect") == 3
    assert "height='36.0'" in drawn and "height='9.0'" in drawn and "height='0.0'" in drawn
    assert clgraph.Graph.from_edges([0, 0, 0, 0], [1, 2, 3, 4])._bars()[1] == [0, 4, 0, 1]


def test_plots(results: dict[str, Any], tmp_path: Path) -> None:
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
    with pytest.raises(clgraph.InputError, match="drawn on two"):
        curve.plot([axes])
    pyplot.close("all")
    results["Quality"].report(tmp_path / "q.html", names=("web", "half"), facts=[("method", "drv")])
    assert "half" in (tmp_path / "q.html").read_text(encoding="utf-8")
    with pytest.raises(clgraph.InputError, match="no folder"):
        results["Quality"].report(tmp_path / "none" / "q.html")
