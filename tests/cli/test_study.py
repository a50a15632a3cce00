"""``clgraph study`` from end to end: its files, its answer, and the report in a real browser."""

import csv
import json
from pathlib import Path

import pytest
from browser import browser, plotting  # noqa: F401

from clgraph import Graph, powerlaw_graph, study, write


@pytest.fixture
def graph(tmp_path):
    write(powerlaw_graph(400, average_degree=6, seed=2), tmp_path / "whole.txt")
    return tmp_path / "whole.txt"


@pytest.mark.first_device
def test_files_and_report(graph, tmp_path, device, run, browser, plotting):  # noqa: F811
    folder = tmp_path / "out"
    line = f"study {graph} --methods drv,drve --sizes 60%,30% --seeds 3 -o {folder} --device {device.spec}"
    done = run(f"{line} --tolerance ks=0.5,all=40%").fine()
    assert "The smallest size within the tolerance" in done.out
    rows = list(csv.DictReader((folder / "study.csv").open()))
    assert [row["seed"] for row in rows] == ["0", "0", "1", "1", "2", "2"] * 2
    summary = list(csv.DictReader((folder / "summary.csv").open()))
    assert {row["method"] for row in summary} == {"drv", "drve"}
    pyarrow = pytest.importorskip("pyarrow.parquet")
    assert pyarrow.read_table(folder / "study.parquet").num_rows == 12
    assert {"clustering.svg", "heat-map.pdf", "degrees-30.png", "answer-60.pdf", "hops-30.svg"} <= {
        f.name for f in (folder / "figures").iterdir()
    }
    for width, dark in ((1200, False), (390, True)):
        page = browser.open(folder / "report.html", tmp_path / "page.png", width, 900, dark=dark)
        assert page.index("How small can a sample of whole.txt be?") < page.index("from the original")
        assert "<svg" in page and "NaN" not in page
    record = json.loads((folder / "study.json").read_text())
    assert record["samples"] == 12 and record["output"]
    told = run(f"{line} --no-figures --json -q").json()
    assert told["output"] == record["output"]
    assert {place["method"] for place in told["answer"]["ranking"]} == {"drv", "drve"}
    assert told["answer"]["headline"].startswith(("Take ", "No size "))
    assert {each["size"] for each in told["answer"]["choices"]} == {"60%", "30%"}
    for form, begin in (("latex", "% "), ("markdown", "Means over 3 seeds"), ("csv", "method,size,")):
        assert run(f"{line} --no-figures -q --table {form}").fine().out.startswith(begin)


def friends(directed):
    """A graph with names, weights and attributes, as a researcher has one."""
    nx = pytest.importorskip("networkx")
    made = nx.DiGraph() if directed else nx.Graph()
    for u, v, _ in powerlaw_graph(120, seed=2).to_networkx().edges(data=True):
        made.add_edge(f"p{u}", f"p{v}", weight=(u + v) % 7 + 0.5, since=1990 + v % 30)
    for number, name in enumerate(made):
        made.nodes[name].update(age=20 + number % 50, town=f"t{number % 5}")
    return made


@pytest.mark.parametrize("directed", [False, True])
def test_the_winners_samples_are_written(directed, tmp_path, device, run):
    nx = pytest.importorskip("networkx")
    whole, folder = friends(directed), tmp_path / "out {0} {x}"
    nx.write_graphml(whole, tmp_path / "friends.graphml")
    on = f"--device {device.spec} -q --no-figures --ids str --weights"
    line = f"study {tmp_path}/friends.graphml --methods drv,rn --sizes 60%,30% --seeds 3 -o '{folder}'"
    told = run(f"{line} --write best --json {on}").json()
    rows = {(r["method"], r["size"], r["seed"]): r for r in csv.DictReader((folder / "study.csv").open())}
    assert len(told["written"]) == 3
    for name in told["written"]:
        made, record = nx.read_graphml(name), json.loads(Path(f"{name}.json").read_text())
        entry = record["result"]
        row = rows[entry["method"], entry["size"], str(entry["seed"])]
        assert int(row["vertices"]) == len(made) == entry["vertices"]
        headline = told["answer"]["headline"]
        assert any(f"{words} {entry['method']} " in headline for words in ("Take", "Nearest is"))
        assert f" at {entry['size']}" in headline
        assert made.is_directed() is directed
        for vertex, known in made.nodes(data=True):
            assert known == whole.nodes[vertex]
        for *ends, known in made.edges(data=True):
            assert {key: known[key] for key in ("weight", "since")} == whole.edges[tuple(ends)]
        run("replay", f"{name}.json", "--device", device.spec, "-q").fine()
    run(f"{line} --write best --write-as .clg {on}").fine()
    assert len(list((folder / "best").glob("*.clg"))) == 3


@pytest.mark.parametrize("directed", [False, True])
def test_studies_of_other_libraries_graphs(directed, device):
    """The same graph by NetworkX, igraph and pandas gives the same study."""
    igraph, pandas = pytest.importorskip("igraph"), pytest.importorskip("pandas")
    whole = friends(directed)
    rows = [(u, v, known["weight"]) for u, v, known in whole.edges(data=True)]
    graphs = [
        Graph.from_networkx(whole),
        igraph.Graph.TupleList(rows, directed=directed, weights=True),
        Graph.from_pandas(pandas.DataFrame(rows, columns=["source", "target", "weight"]), directed=directed),
    ]
    options = {"seeds": 2, "eigenvalues": False, "device": device}
    found = [study(each, "drv,drve", "50%", **options) for each in graphs]
    for other in found[1:]:
        assert {**other.original, "seed": 0} == {**found[0].original, "seed": 0}
    assert all(row["vertices"] > 10 for each in found for row in each.rows)
