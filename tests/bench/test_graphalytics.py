"""`clgraph bench graphalytics`: LDBC's example datasets, and outputs that are wrong."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import clgraph
from clgraph.bench.graphalytics import ALGORITHMS, RULES, datasets, validate
from clgraph.bench.harness import Absent
from clgraph.errors import ClgraphError, InputError

EXAMPLES = Path(os.environ.get("CLGRAPH_TEST_DATA", "none"), "ldbc")


def make_dataset(folder, name="path", directed=False):
    """A path of four vertices and a lone one, with the outputs of a search and of components."""
    lines = {"directed": str(directed).lower(), "algorithms": "bfs, wcc, apsp", "bfs.source-vertex": "7"}
    lines |= {"vertex-file": f"{name}.v", "edge-file": f"{name}.e"}
    text = "# a comment\n" + "".join(f"graph.{name}.{key} = {value}\n" for key, value in lines.items())
    for suffix, content in {
        ".properties": text,
        ".v": "7\n8\n9\n10\n20\n",
        ".e": "7 8\n8 9\n9 10\n",
        "-BFS": "20 9223372036854775807\n10 3\n9 2\n8 1\n7 0\n",
        "-WCC": "7 7\n8 7\n9 7\n10 7\n20 20\n",
    }.items():
        Path(folder, name + suffix).write_text(content)
    return folder


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="needs LDBC's examples in CLGRAPH_TEST_DATA/ldbc")
def test_the_examples_of_ldbc_on_every_device(device, run, tmp_path):
    out = tmp_path / "out.json"
    done = run(f"bench graphalytics {EXAMPLES} --device {device.spec} --repeat 1 -o {out} -q").fine()
    records = json.loads(out.read_text())["records"]
    assert len(records) == 12
    # each result was compared with LDBC's reference output
    assert [(r["what"], r["reason"]) for r in records if r["status"] != "done"] == []
    assert "| example-undirected | LCC | 9 | 12 |" in done.out


@pytest.mark.first_device
@pytest.mark.parametrize("directed", [False, True])
def test_a_dataset_is_validated_and_measured(device, run, tmp_path, directed):
    make_dataset(tmp_path, directed=directed)
    facts = run("bench", "graphalytics", tmp_path, "--device", device.spec, "--json").json()
    search, components, labels = facts["records"]
    assert (facts["benchmark"], facts["schema"]) == ("graphalytics", 1)
    assert search["values"]["processing"]["runs"] == 3
    evps = 8 / search["values"]["processing"]["value"]
    assert search["values"]["evps"]["value"] == pytest.approx(evps)
    assert search["details"]["validated"] == "exact"
    assert components["details"]["validated"] == "equivalence"
    assert labels["reason"] == "clgraph has no APSP"


@pytest.mark.first_device
def test_a_wrong_output_is_an_error_that_names_the_vertex(device, run, tmp_path):
    path = make_dataset(tmp_path) / "path-BFS"
    path.write_text(path.read_text().replace("9 2", "9 4"))
    line = f"bench graphalytics {tmp_path} --device {device.spec} -q"
    done = run(line).fine(1)
    assert "graphalytics/path/bfs/clgraph" in done.err
    assert "vertex 9 has 2, the reference output has 4 (rule: exact); 1 of 5 vertices differ" in done.err
    assert "| path | WCC | 5 | 3 |" in done.out  # the others still run
    run(f"{line} --algorithm wcc").fine()
    for text, says in (
        ("7 0\n8 1\n", "the reference output has 2 vertices in 2 rows, the graph has 5"),
        ("7 zero\n", "rows of an id and a value are needed"),
    ):
        path.write_text(text)
        assert says in run(f"{line} --algorithm bfs").err
    path.unlink()
    assert "path-BFS is not there" in run(f"{line} --algorithm bfs").out


def test_rules_of_validation():
    def differ(rule, found, want):
        return np.flatnonzero(RULES[rule](np.array(found), np.array(want))).tolist()

    assert differ("exact", [1, 2, 3], [1, 2, 4]) == [2]
    assert differ("equivalence", [0, 0, 1, 2], [7, 7, 3, 9]) == []
    assert differ("equivalence", [0, 0, 1, 2], [7, 7, 3, 3]) == [3]  # two labels for one of theirs
    assert differ("equivalence", [0, 0, 0, 1], [7, 7, 3, 9]) == [2]  # one label for two of theirs
    inf = float("inf")
    assert differ("epsilon", [1.00009, 0.0, inf, 1.0], [1.0, 0.0, inf, 1.0]) == []
    assert differ("epsilon", [1.0002, 1e-9, inf, 1.0], [1.0, 0.0, 1.0, inf]) == [0, 1, 2, 3]
    assert differ("epsilon", [float("nan")], [1.0]) == [0]
    assert {algorithm.rule for algorithm in ALGORITHMS.values()} == set(RULES)
    # outputs may be in any order
    graph = clgraph.Graph.from_edges([5, 6], [6, 9])
    validate(graph, np.array([0, 1, 2]), (np.array([9, 5, 6]), np.array([2, 0, 1])), "exact")
    with pytest.raises(ClgraphError, match="vertex 6 has 1, the reference output has 3"):
        validate(graph, np.array([0, 1, 2]), (np.array([9, 5, 6]), np.array([2, 0, 3])), "exact")


def test_what_is_wrong_with_a_folder_is_told(run, tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        datasets(tmp_path / "none")
    with pytest.raises(InputError, match=r"no NAME\.properties"):
        datasets(tmp_path)
    make_dataset(tmp_path)
    make_dataset(tmp_path, "datagen-7.5-fb")
    dotted, _ = both = datasets(tmp_path)
    assert [each.name for each in both] == ["datagen-7.5-fb", "path"]
    graph, seconds = dotted.load()
    assert (graph.num_vertices, graph.num_edges, seconds > 0) == (5, 3, True)
    (only,) = datasets(tmp_path, ["path"])
    assert (only.directed, only.algorithms) == (False, ["bfs", "wcc", "apsp"])
    with pytest.raises(InputError, match=r"no x\.properties; there are datagen-7.5-fb, path"):
        datasets(tmp_path, ["x"])
    with pytest.raises(Absent, match="path-LCC is not there"):
        only.reference("lcc")
    run(f"bench graphalytics {tmp_path} --algorithm sort").refused("--algorithm sort: no dataset")


@pytest.mark.first_device
@pytest.mark.parametrize(
    ("line", "instead", "says"),
    [
        ("directed = false", "directed = maybe", "graph.path.directed = maybe: use true or false"),
        ("bfs.source-vertex = 7", "bfs.source-vertex = 70", "graph.path.bfs: vertex 70 is not in the graph"),
        ("bfs.source-vertex = 7", "bfs.source-vertex = x", "bfs.source-vertex = x: a number is needed"),
        ("bfs.source-vertex = 7", "", "graph.path.bfs.source-vertex is missing; add it"),
        ("algorithms = bfs, wcc, apsp", "algorithms = ", "graph.path.algorithms names none"),
        ("directed = false", "directed = false\ngraph.path.meta.edges = 4", "meta.edges = 4, but path has 3"),
        ("algorithms = ", "meta.vertices = 4\ngraph.path.algorithms = ", "vertices = 4, but path has 5"),
        ("algorithms = bfs, wcc, apsp", "algorithms = sssp\ngraph.path.sssp.source-vertex = 7", "SSSP needs"),
        ("edge-file = path.e", "edge-file = gone.e", "do not have one name"),
    ],
)
def test_damaged_properties_are_told(device, run, tmp_path, line, instead, says):
    path = make_dataset(tmp_path) / "path.properties"
    (tmp_path / "path-SSSP").write_text("7 0\n")
    text = path.read_text()
    assert line in text
    path.write_text(text.replace(f"graph.path.{line}", f"graph.path.{instead}" if instead else ""))
    err = run(f"bench graphalytics {tmp_path} --device {device.spec} -q").fine(1).err
    assert says in err and "unexpected" not in err
