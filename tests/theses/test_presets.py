"""Studies beside what is printed of them."""

import csv
from statistics import mean

import numpy as np
import pytest

from clgraph import InputError, connected_components, copra_graph
from clgraph.studies.report import Comparison
from clgraph.theses.copra import CHARACTERISTICS


def number(text):
    return float(text.replace("\N{MINUS SIGN}", "-").removesuffix("%"))


def rows_of(folder):
    return list(csv.DictReader((folder / "study.csv").open()))


def test_copra_graph(device):
    graph = copra_graph(30_000, device=device)
    assert abs(graph.num_vertices - 30_000) < 300
    assert connected_components(graph, device=device).count == 1
    assert abs(graph.degrees.mean() - 5.15) < 0.1
    assert np.array_equal(graph.col_idx, copra_graph(30_000, device=device).col_idx)
    with pytest.raises(InputError, match="number of vertices is 3"):
        copra_graph(3)


def test_copra(tmp_path, device, run):
    line = "study --preset copra --vertices 2500 --no-eigenvalues --no-figures --seeds 2"
    line += f" --device {device.spec} -o {tmp_path}/out"
    beside = run(f"{line} --json").json()["beside"]
    rows = rows_of(tmp_path / "out")
    assert len(beside["rows"]) == sum(map(len, CHARACTERISTICS.values())) == 20
    for method, lines in CHARACTERISTICS.items():
        for percent, *printed in lines:
            found = next(r for r in beside["rows"] if r[0] == f"{method} {percent:.2f}\xa0%")
            assert number(found[1].split(" / ")[0]) == printed[0][0]
            same = [r for r in rows if r["method"] == method and r["size"] == f"{100 - percent:.2f}%"]
            assert len(same) == 2
            for place, name in ((2, "average_degree"), (5, "degree_exponent"), (7, "rank_exponent")):
                assert abs(number(found[place]) - mean(float(r[name]) for r in same)) < 6e-4
            off = 100 * (number(found[2]) / printed[0][0] - 1)
            assert abs(number(found[3].replace("\xa0", "")) - off) < 0.1
    again = run(f"{line} -q").out  # goes on from there, and prints the table
    assert again.count("drve ") >= 6
    assert "Beside the thesis's Table 4.2" in again
    assert again.count("\nat ") == 6  # not all of 20 sizes


def test_internet(tmp_path, device, run):
    graph, on = tmp_path / "g.txt", f"--device {device.spec}"
    run(f"generate ba --vertices 300 --edges-each 2 --seed 1 -q -o {graph} {on}").fine()
    line = f"study {graph} --preset internet2007 --methods drv,ebfs --seeds 2 {on}"
    beside = run(f"{line} --no-figures --json -o {tmp_path}/out").json()["beside"]
    assert [row[0] for row in beside["rows"]] == ["original", "drv", "ebfs"]
    assert beside["heads"][1] == "average degree"
    rows = rows_of(tmp_path / "out")
    assert {row["size"] for row in rows} == {"90%", "70%", "50%", "30%"}
    ours = mean(float(r["average_degree"]) for r in rows if (r["method"], r["size"]) == ("drv", "30%"))
    assert abs(number(beside["rows"][1][1].split(" (")[0]) - ours) < 1e-3


def test_a_comparison_in_a_report():
    html = Comparison("a < b", "words & more", ("x", "y"), [("first", "1 %"), ("<second>", "2")]).html()
    assert "<h2>a &lt; b</h2>" in html and "words &amp; more" in html
    assert '<th scope="row">&lt;second&gt;</th><td>2</td>' in html


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("study --preset internet2007 -o x", "name a file with a graph of the Internet"),
        ("study -o x", "Missing argument 'GRAPH'"),
        ("study g.txt --vertices 40 -o x", "--vertices is for the graph that --preset copra makes"),
        ("study --preset thesis -o x", "'thesis' is not one of"),
    ],
)
def test_mistakes(run, line, words):
    run(line).refused(words, status=2)
