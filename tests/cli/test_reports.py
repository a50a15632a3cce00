"""``clgraph quality`` and ``clgraph study`` from end to end; their reports in a real browser."""

import csv
import json
import re
import sys
from html import escape
from pathlib import Path
from unittest.mock import Mock

import pytest
from browser import browser, plotting  # noqa: F401
from cli_runs import process
from graphs import tangle

from clgraph import Graph, powerlaw_graph, read, study, write
from clgraph.errors import InputError
from clgraph.measures import report
from clgraph.methods import LITERATURE
from clgraph.studies.origin import Origin, curve_of, facts_of


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A graph, a sample of it by drve, and the sample's record."""
    folder = tmp_path_factory.mktemp("quality")
    write(powerlaw_graph(1500, average_degree=6, seed=2), folder / "whole.txt")
    process(
        f"sample {folder}/whole.txt --method drve --size 50% --seed 7 -o {folder}/half.txt --record "
        f"{folder}/half.json -q"
    ).fine()
    return folder


@pytest.fixture
def both(files):
    """What comes first where the sample is compared with its graph."""
    return f"quality {files}/whole.txt {files}/half.txt"


def test_json_names_what_the_issue_names(files, both, device, run):
    done = run(f"{both} --json --device {device.spec}")
    told = done.json()
    for graph in ("original", "sample"):
        assert {"average_degree", "density", "clustering", "components", "triangles"} <= set(told[graph])
        for name in ("degree", "rank", "hop_plot", "eigen"):
            fit = told[graph][f"{name}_exponent"]
            assert {"slope", "correlation", "ccdf", "mle"} <= set(fit)
            assert -1 <= fit["correlation"] <= 1
    assert told["sample"]["vertices"] == read(files / "half.txt").num_vertices
    assert set(told["ks"]) >= {"degree", "clustering", "hop_plot", "component_size"}
    assert told["device"] == device.name
    assert done.err.count("read ") == 2
    alone = run(f"quality {files}/whole.txt --json -q --device {device.spec}").json()
    assert (alone["sample"], alone["ks"]) == (None, None)
    seconds = [each["original"].pop("seconds") for each in (alone, told)]
    assert alone["original"] == told["original"]
    assert seconds[0].keys() == seconds[1].keys()


@pytest.mark.smoke
def test_table(files, both, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    done = run(both).fine()
    for words in ("half.txt, a sample of whole.txt", "average degree", "rank exponent", "KS distance, degr"):
        assert words in done.out
    assert "nan" not in done.out.lower()
    done = run(f"quality {files}/whole.txt -q").fine()
    assert "difference" not in done.out
    assert done.err == ""


SHOWN = """
How good a sample is half.txt?; drve (batched); clgraph sample; --seed 7; SHA-256; average degree;
degree exponent; rank exponent; eigen exponent; hop-plot exponent; by maximum likelihood; component sizes;
Degree distribution; Rank plot; Hop plot; Clustering by degree; Reduction curve; pyopencl; effective diameter
"""


def test_report_in_a_browser(files, both, browser, run, tmp_path):  # noqa: F811
    page, picture = tmp_path / "report.html", tmp_path / "figures.svg"
    done = run(f"{both} --record {files}/half.json --report {page} --plot {picture}").fine()
    assert f"{page}: " in done.err
    text = page.read_text()
    # nothing is fetched: links and sources lead to places on the page only
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"|url\((?!#)|@import|<script|<link', text)
    assert text.count("<svg ") == 6
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL).lower()
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))

    seen = browser.open(page, tmp_path / "report-wide.png", 1280, 5200)
    shown = re.sub(r"<[^>]*>", " ", re.sub(r"<style.*?</style>", "", seen, flags=re.DOTALL))
    for words in SHOWN.strip().split(";"):
        assert words.strip() in shown, words
    assert len(re.findall(r'<svg[^>]*role="img"[^>]*aria-label="[^"]{40,}"', seen)) == 6
    half = read(files / "half.txt")
    for number in (half.num_vertices, half.num_edges):
        assert f"{number:,}".replace(",", "\u202f") in shown

    browser.open(page, tmp_path / "report-dark.png", 1280, 5200, dark=True)
    light, dark = (_corner(tmp_path / f"report-{name}.png") for name in ("wide", "dark"))
    assert min(light) > 240
    assert max(dark) < 60
    # as wide as a phone: nothing is wider than the page, no figure leaves it
    phone = browser.open(browser.framed(page, 390, 9600), tmp_path / "report-phone.png", 500, 9600)
    title = re.search(r"<title>([^<]*)", phone)
    assert title
    window, content, too_wide = map(int, title[1].split())
    assert content <= window == 390
    assert too_wide == 0
    assert picture.read_text().startswith("<?xml")


def _corner(path):
    """Red, green and blue of a picture's first point."""
    from matplotlib.image import imread

    return [round(255 * float(channel)) for channel in imread(path)[0, 0, :3]]


def test_panels_and_tables_for_print(files, both, plotting, run, tmp_path):  # noqa: F811
    done = run(f"quality {files}/whole.txt --no-eigenvalues --plot {tmp_path}/a.png").fine()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "a.png: 4 figures" in done.err
    folder, one = tmp_path / "panels", f"{both} --no-eigenvalues --plot {tmp_path}/one.svg"
    folder.mkdir()
    panels = f"--plot {folder}/{{panel}}.pdf --panel degrees,hops --table markdown"
    done = run(f"{both} --no-eigenvalues {panels}").fine()
    assert done.out.startswith("| measure | original | sample | difference |")
    assert sorted(each.name for each in folder.iterdir()) == ["degrees.pdf", "hops.pdf"]
    assert f"{folder}/degrees.pdf: degrees\n" in done.err and "{panel}" not in done.err
    for each in folder.iterdir():
        assert b"/FontFile2" in each.read_bytes() and b"/Type3" not in each.read_bytes()
    run(f"{one} --panel ranks --columns 2").fine()
    assert "<text" in (tmp_path / "one.svg").read_text()
    for line, why in (
        (f"{one} --panel ranks,hops", "2 panels would go to one file; put {panel}"),
        (f"{one} --panel rank", "'rank' is no panel"),
        (f"{one} --panel eigenvalues", "there is no panel eigenvalues here"),
        (f"quality {files}/whole.txt --panel ranks", "--panel is for --plot"),
        (f"{one} --columns 2", "--columns is for --panel"),
    ):
        run(line).refused(why)


def test_what_a_report_does_not_know_it_says(files, plotting, run, tmp_path):  # noqa: F811
    page, sample = tmp_path / "report.html", tmp_path / "<b>&half.txt"
    sample.write_bytes((files / "half.txt").read_bytes())
    line = f"quality {files}/whole.txt '{sample}' --report {page} --command 'by <hand>' --no-eigenvalues"
    run(line).fine()
    text = page.read_text()
    assert "method and seed of the sample are unknown" in text
    assert "by &lt;hand&gt;" in text
    assert "eigenvalues were not asked for" in text
    assert "&lt;b&gt;&amp;half.txt" in text
    assert "<b>&half" not in text


def test_what_is_known_of_a_sample(files):
    assert "unknown" in dict(facts_of("a.txt", "b.txt", Origin()))["how it was sampled"]
    whole, half = read(files / "whole.txt"), read(files / "half.txt")
    for method in ("ebfs", *LITERATURE):
        curve, why = curve_of(whole, half, Origin(method=method, seed=1), None)
        assert curve is None
        assert f"{method} deletes nothing" in why
    for method, each in LITERATURE.items():
        facts = dict(facts_of("a.txt", "b.txt", Origin(method=method, mode="auto")))
        assert facts["method"] == f"{method}, {each.words}: {each.does}"


def test_odd_graphs_have_reports(plotting, run, tmp_path):  # noqa: F811
    write(Graph.from_edges(range(30), [*range(1, 30), 0]), tmp_path / "ring.txt")
    (tmp_path / "edge.txt").write_text("0 1\n")
    page = tmp_path / "report.html"
    done = run(f"quality {tmp_path}/ring.txt {tmp_path}/edge.txt --report {page}").fine()
    reason = "degree exponent, original: 1 degree that occurs: a line takes two different ones"
    assert reason in page.read_text()
    assert reason in done.out


# --- records ----------------------------------------------------------------------------------------------


def test_a_record_of_several_samples(files, both, plotting, run, tmp_path):  # noqa: F811
    record = f"--record {tmp_path}/r.json"
    line = f"sample {files}/whole.txt --method dre --sizes 60%,30% --seed 3 -q {record}"
    run(f"{line} -o {tmp_path}/s{{size}}.txt").fine()
    line = f"quality {files}/whole.txt {tmp_path}/s30%.txt {record} --json -q --plot {tmp_path}/r.pdf"
    told = run(line).json()
    assert (told["method"], told["sample_seed"]) == ("dre", 3)
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")
    run(f"{both} {record}").refused("it is about samples of")


DRAWN = {"gps": "--edges 900", "pies": "--size 300", "gsh": "", "chordal": "", "quasi-chordal": ""}


@pytest.mark.slow
@pytest.mark.parametrize("method", LITERATURE)
def test_records_of_the_samplers_of_the_literature(method, files, plotting, run, tmp_path):  # noqa: F811
    made, record = f"{tmp_path}/s.txt", f"{tmp_path}/s.json"
    options = f"--method {method} {DRAWN.get(method, '--size 20%')} --seed 5 -q"
    run(f"sample {files}/whole.txt {options} -o {made} --record {record}").fine()
    run(f"replay {record} -q").fine()
    line = f"quality {files}/whole.txt {made} --record {record} --json --report {tmp_path}/r.html"
    done = run(f"{line} --no-eigenvalues --hop-sources 5")
    told, drawn = done.json(), json.loads((tmp_path / "s.json").read_text())["result"]
    page = (tmp_path / "r.html").read_text()
    assert told["method"] == method and escape(LITERATURE[method].does) in page
    assert "(auto)" not in page
    lacks = drawn["vertices"] - told["sample"]["vertices"]
    assert told.get("left_out", 0) == lacks >= 0
    words = f"{lacks} {'vertex' if lacks == 1 else 'vertices'} without edges"
    assert (f"lacks {words} of the sample" in done.err) == (lacks > 0)
    assert (f"{words}, which an edge list" in page) == (lacks > 0)


@pytest.mark.parametrize("kind", ["--directed", "--undirected"])
def test_what_an_edge_list_lacks(kind, run, tmp_path):
    graph, record = tmp_path / "g.clg", tmp_path / "s.json"
    write(tangle(4, directed=kind == "--directed"), graph)
    draw = f"sample {graph} --method rn --size 40% -q"
    for name, how in (("s.txt", kind), ("s.clg", "")):
        run(f"{draw} --seed 5 -o {tmp_path}/{name} --record {record}").fine()
        done = run(f"quality {graph} {tmp_path}/{name} --record {record} {how}").fine()
        assert ("without edges of the sample" in done.err) == (name == "s.txt")
    run(f"{draw} --seed 6 -o {tmp_path}/other.txt").fine()
    line = f"quality {graph} {tmp_path}/other.txt {kind} --record {record}"
    run(line).refused("it is about samples of")


def test_a_method_is_known_by_its_record_or_its_name(files, both, run, tmp_path):
    assert run(f"{both} -q --json --method ForestFireSampler").json()["method"] == "ff"
    made, record = tmp_path / "c.txt", tmp_path / "c.json"
    draw = f"sample {files}/whole.txt --method cre --size 30% --seed 1 -q"
    run(f"{draw} -o {made} --record {record}").fine()
    run(f"quality {files}/whole.txt {made} -q").refused("relation 'contraction'")
    for option in (f"--record {record}", "--method cre", "--relation contraction"):
        run(f"quality {files}/whole.txt {made} -q {option}").fine()


@pytest.mark.parametrize("option", ["--report r.html", "--plot r.png"])
def test_without_matplotlib_the_extra_is_named(files, run, monkeypatch, tmp_path, option):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = run(f"quality {files}/whole.txt {option}").refused("pip install 'pyclgraph[plot]'")
    assert said.startswith(f"clgraph: error: {option.split()[0]} needs matplotlib")
    run(f"quality {files}/whole.txt -q").fine()


def test_an_unwritable_folder(files, plotting, run, monkeypatch, tmp_path):  # noqa: F811
    refuse = Mock(side_effect=InputError("cannot write: no room left"))
    monkeypatch.setattr("clgraph.measures.report.atomic_write", refuse)
    monkeypatch.setattr(report, "report_html", lambda *args, **kwargs: "")
    line = f"quality {files}/whole.txt --no-eigenvalues --report {tmp_path}/r.html"
    run(line).refused("no room left")
    assert not list(tmp_path.iterdir())


# --- studies ----------------------------------------------------------------------------------------------


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
