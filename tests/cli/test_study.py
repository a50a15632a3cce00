"""``clgraph study`` from end to end: its files, its answer, and the report in a real browser."""

import csv
import json

import pytest
from browser import browser, plotting  # noqa: F401
from cli_runs import InProcess

from clgraph import powerlaw_graph, write


@pytest.fixture
def run(capsys):
    return InProcess(capsys)


@pytest.fixture
def graph(tmp_path):
    write(powerlaw_graph(400, average_degree=6, seed=2), tmp_path / "whole.txt")
    return tmp_path / "whole.txt"


@pytest.mark.first_device
def test_files_and_report(graph, tmp_path, device, run, browser, plotting):  # noqa: F811
    folder = tmp_path / "out"
    command = ("study", graph, "--methods", "drv,drve", "--sizes", "60%,30%", "--seeds", "3", "-o", folder)
    done = run(*command, "--device", device.spec, "--tolerance", "ks=0.5,all=40%")
    assert done.status == 0, done.err
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
    again = run(*command, "--device", device.spec, "--no-figures", "--json", "-q")
    told = json.loads(again.out)
    assert told["output"] == record["output"]
    assert {place["method"] for place in told["answer"]["ranking"]} == {"drv", "drve"}
    assert told["answer"]["headline"].startswith(("Take ", "No size "))
    assert {each["size"] for each in told["answer"]["choices"]} == {"60%", "30%"}
    for form, begin in (("latex", "% "), ("markdown", "Means over 3 seeds"), ("csv", "method,size,")):
        done = run(*command, "--device", device.spec, "--no-figures", "-q", "--table", form)
        assert done.status == 0 and done.out.startswith(begin)


def test_mistakes(graph, tmp_path, run):
    folder = tmp_path / "out"
    for options, why in (
        (("--methods", "drw"), "unknown method 'drw'"),
        (("--tolerance", "clusterin=1"), "clusterin is no measure"),
        (("--aspects", "degree=1"), "'degree' is no aspect"),
        (("--sizes", "70%,500"), "size 500 is larger than the graph"),
        (("--seeds", "0"), "seeds is 0"),
    ):
        done = run("study", graph, "-o", folder, "--no-figures", *options)
        assert done.status == 1 and why in done.err
    assert run("study", graph).status == 2  # no -o
    (tmp_path / "file").write_text("")
    done = run("study", graph, "-o", tmp_path / "file", "--no-figures", "-q")
    assert done.status == 1 and "cannot make the folder" in done.err
