"""``clgraph quality`` from end to end: table, JSON, picture, and the report in a real browser."""

import json
import re
import sys
from html import escape

import numpy as np
import pytest
from browser import browser, plotting  # noqa: F401
from cli_runs import process
from graphs import tangle

from clgraph import Graph, powerlaw_graph, read, write
from clgraph.measures import report
from clgraph.methods import LITERATURE
from clgraph.studies.origin import Origin, curve_of, facts_of


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A graph, a sample of it by drve, and the sample's record."""
    folder = tmp_path_factory.mktemp("quality")
    write(powerlaw_graph(1500, average_degree=6, seed=2), folder / "whole.txt")
    done = process(
        f"sample {folder}/whole.txt --method drve --size 50% --seed 7 -o {folder}/half.txt --record "
        f"{folder}/half.json -q"
    )
    assert done.status == 0, done.err
    return folder


def test_json_names_what_the_issue_names(files, device, run):
    done = run("quality", files / "whole.txt", files / "half.txt", "--json", "--device", device.spec)
    assert done.status == 0, done.err
    told = json.loads(done.out)
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
    alone = json.loads(run("quality", files / "whole.txt", "--json", "-q", "--device", device.spec).out)
    assert (alone["sample"], alone["ks"]) == (None, None)
    seconds = [each["original"].pop("seconds") for each in (alone, told)]
    assert alone["original"] == told["original"]
    assert seconds[0].keys() == seconds[1].keys()


@pytest.mark.smoke
def test_table(files, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    done = run("quality", files / "whole.txt", files / "half.txt")
    assert done.status == 0, done.err
    for words in ("half.txt, a sample of whole.txt", "average degree", "rank exponent", "KS distance, degr"):
        assert words in done.out
    assert "nan" not in done.out.lower()
    done = run("quality", files / "whole.txt", "-q")
    assert done.status == 0
    assert "difference" not in done.out
    assert done.err == ""


def test_report_in_a_browser(files, browser, run, tmp_path):  # noqa: F811
    page, picture = tmp_path / "report.html", tmp_path / "figures.svg"
    done = run(
        f"quality {files}/whole.txt {files}/half.txt --record {files}/half.json --report {page} "
        f"--plot {picture}"
    )
    assert done.status == 0, done.err
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
    for words in (
        "How good a sample is half.txt?",
        "drve (batched)",
        "clgraph sample",
        "--seed 7",
        "SHA-256",
        "average degree",
        "degree exponent",
        "rank exponent",
        "eigen exponent",
        "hop-plot exponent",
        "by maximum likelihood",
        "Degree distribution",
        "Rank plot",
        "Hop plot",
        "Clustering by degree",
        "Reduction curve",
        "pyopencl",
        "component sizes",
        "effective diameter",
    ):
        assert words in shown, words
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
    assert window == 390
    assert content <= window
    assert too_wide == 0
    assert picture.read_text().startswith("<?xml")


def _corner(path):
    """Red, green and blue of a picture's first point."""
    from matplotlib.image import imread

    return [round(255 * float(channel)) for channel in imread(path)[0, 0, :3]]


def test_a_picture(files, plotting, run, tmp_path):  # noqa: F811
    done = run("quality", files / "whole.txt", "--no-eigenvalues", "--plot", tmp_path / "a.png")
    assert done.status == 0, done.err
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "a.png: 4 figures" in done.err


def test_panels_and_tables_for_print(files, plotting, run, tmp_path):  # noqa: F811
    whole, half = files / "whole.txt", files / "half.txt"
    args = (whole, half, "--no-eigenvalues", "--plot")
    done = run("quality", *args, tmp_path / "{panel}.pdf", "--panel", "degrees,hops", "--table", "markdown")
    assert done.status == 0, done.err
    assert done.out.startswith("| measure | original | sample | difference |")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["degrees.pdf", "hops.pdf"]
    assert f"{tmp_path}/degrees.pdf: degrees\n" in done.err and "{panel}" not in done.err
    for each in tmp_path.iterdir():
        assert b"/FontFile2" in each.read_bytes() and b"/Type3" not in each.read_bytes()
    one = tmp_path / "one.svg"
    assert run("quality", *args, one, "--panel", "ranks", "--columns", "2").status == 0
    assert "<text" in one.read_text()
    for given, why in (
        ((one, "--panel", "ranks,hops"), "2 panels would go to one file; put {panel}"),
        ((one, "--panel", "rank"), "'rank' is no panel"),
        ((one, "--panel", "eigenvalues"), "there is no panel eigenvalues here"),
    ):
        done = run("quality", *args, *given)
        assert done.status == 1 and why in done.err
    assert "--panel is for --plot" in run("quality", whole, "--panel", "ranks").err
    assert "--columns is for --panel" in run("quality", *args, one, "--columns", "2").err


def test_what_a_report_does_not_know_it_says(files, plotting, run, tmp_path):  # noqa: F811
    page = tmp_path / "report.html"
    name = "<b>&half.txt"
    (tmp_path / name).write_bytes((files / "half.txt").read_bytes())
    done = run(
        "quality",
        files / "whole.txt",
        tmp_path / name,
        "--report",
        page,
        "--command",
        "by <hand>",
        "--no-eigenvalues",
    )
    assert done.status == 0, done.err
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
    rows = np.column_stack((np.arange(30), (np.arange(30) + 1) % 30))
    np.savetxt(tmp_path / "ring.txt", rows, fmt="%d")
    np.savetxt(tmp_path / "edge.txt", rows[:1], fmt="%d")
    page = tmp_path / "report.html"
    done = run("quality", tmp_path / "ring.txt", tmp_path / "edge.txt", "--report", page)
    assert done.status == 0, done.err
    reason = "degree exponent, original: 1 degree that occurs: a line takes two different ones"
    assert reason in page.read_text()
    assert reason in done.out


def test_a_record_of_several_samples(files, plotting, run, tmp_path):  # noqa: F811
    done = run(
        f"sample {files}/whole.txt --method dre --sizes 60%,30% --seed 3 -q -o "
        f"{tmp_path}/s{{size}}.txt --record {tmp_path}/r.json"
    )
    assert done.status == 0, done.err
    done = run(
        f"quality {files}/whole.txt {tmp_path}/s30%.txt --record {tmp_path}/r.json --json -q --plot "
        f"{tmp_path}/r.pdf"
    )
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert (told["method"], told["sample_seed"]) == ("dre", 3)
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")
    done = run("quality", files / "whole.txt", files / "half.txt", "--record", tmp_path / "r.json")
    assert done.status == 1
    assert "it is about samples of" in done.err


DRAWN = {"gps": ("--edges", "900"), "pies": ("--size", "300"), "gsh": (), "chordal": (), "quasi-chordal": ()}


@pytest.mark.slow
@pytest.mark.parametrize("method", LITERATURE)
def test_records_of_the_samplers_of_the_literature(method, files, plotting, run, tmp_path):  # noqa: F811
    size = DRAWN.get(method, ("--size", "20%"))
    args = ("sample", files / "whole.txt", "--method", method, *size, "--seed", "5", "-q")
    assert run(*args, "-o", tmp_path / "s.txt", "--record", tmp_path / "s.json").status == 0
    assert run("replay", tmp_path / "s.json", "-q").status == 0
    args = ("quality", files / "whole.txt", tmp_path / "s.txt", "--record", tmp_path / "s.json", "--json")
    done = run(*args, "--report", tmp_path / "r.html", "--no-eigenvalues", "--hop-sources", "5")
    assert done.status == 0, done.err
    told, made = json.loads(done.out), json.loads((tmp_path / "s.json").read_text())["result"]
    page = (tmp_path / "r.html").read_text()
    assert told["method"] == method and escape(LITERATURE[method].does) in page
    assert "(auto)" not in page
    lacks = made["vertices"] - told["sample"]["vertices"]
    assert told.get("left_out", 0) == lacks >= 0
    words = f"{lacks} {'vertex' if lacks == 1 else 'vertices'} without edges"
    assert (
        (f"lacks {words} of the sample" in done.err)
        == (f"{words}, which an edge list" in page)
        == (lacks > 0)
    )


@pytest.mark.parametrize("kind", ["--directed", "--undirected"])
def test_what_an_edge_list_lacks(kind, run, tmp_path):
    graph = tangle(4, directed=kind == "--directed")
    write(graph, tmp_path / "g.clg")
    for name in ("s.txt", "s.clg"):
        args = ("sample", tmp_path / "g.clg", "--method", "rn", "--size", "40%", "--seed", "5", "-q")
        assert run(*args, "-o", tmp_path / name, "--record", tmp_path / "s.json").status == 0
        args = ("quality", tmp_path / "g.clg", tmp_path / name, "--record", tmp_path / "s.json")
        done = run(*args, *([kind] if name == "s.txt" else []))
        assert done.status == 0, done.err
        assert ("without edges of the sample" in done.err) == (name == "s.txt")
    args = ("sample", tmp_path / "g.clg", "--method", "rn", "--size", "40%", "--seed", "6", "-q")
    assert run(*args, "-o", tmp_path / "other.txt").status == 0
    done = run("quality", tmp_path / "g.clg", tmp_path / "other.txt", kind, "--record", tmp_path / "s.json")
    assert done.status == 1 and "it is about samples of" in done.err


def test_a_method_without_a_record(files, run):
    whole, half = files / "whole.txt", files / "half.txt"
    done = run("quality", whole, half, "-q", "--json", "--method", "ForestFireSampler")
    assert done.status == 0 and json.loads(done.out)["method"] == "ff"


def test_a_contraction_is_known_by_its_record(files, run, tmp_path):
    args = ("sample", files / "whole.txt", "--method", "cre", "--size", "30%", "--seed", 1, "-q")
    assert run(*args, "-o", tmp_path / "c.txt", "--record", tmp_path / "c.json").status == 0
    done = run("quality", files / "whole.txt", tmp_path / "c.txt", "-q")
    assert done.status == 1
    assert "relation 'contraction'" in done.err
    for option in (("--record", tmp_path / "c.json"), ("--method", "cre"), ("--relation", "contraction")):
        assert run("quality", files / "whole.txt", tmp_path / "c.txt", "-q", *option).status == 0


# --- bad input ----------------------------------------------------------------------------------------


def test_bad_input(files, plotting, run, tmp_path):  # noqa: F811
    whole, half = files / "whole.txt", files / "half.txt"
    graph = read(whole)
    strange = tmp_path / "strange.txt"
    write(Graph.from_edges([3, 5], [5, 999999]), strange)
    not_json, other = tmp_path / "no.json", tmp_path / "other.json"
    not_json.write_text("{")
    other.write_text('{"result": {"vertices": 3}}')
    u = int(graph.ids[0])
    far = int(np.setdiff1d(graph.ids, np.append(graph.neighbors(u), u))[0])
    wrong = tmp_path / "wrong.txt"
    write(Graph.from_edges([u], [far]), wrong)
    locked = tmp_path / "none" / "report.html"
    for args, words in (
        ((whole, strange), "vertex 999999 of strange.txt is not in whole.txt"),
        ((whole, wrong), f"edge {u} - {far} of wrong.txt is not in whole.txt"),
        ((whole, half, "--report", tmp_path / "r.txt"), "the name must end in .html"),
        ((whole, half, "--plot", tmp_path / "r.gif"), "the name must end in .png, .svg, .pdf"),
        ((whole, half, "--report", locked), "report.html"),
        ((whole, half, "--record", not_json), "not JSON"),
        ((whole, half, "--record", other), "result has no method"),
        ((whole, half, "--record", "/dev/full"), "/dev/full: it is a device"),
        ((whole, half, "--record", tmp_path / "gone.json"), "cannot read"),
        ((whole, half, "--record", other, "--method", "drv"), "leave --method"),
        ((whole, half, "--method", "magic"), "unknown method 'magic'"),
        ((whole, "--record", other), "--record is about a SAMPLE"),
        ((whole, half, "--hop-sources", "0"), "hop_sources is 0"),
        ((whole, half, "--seed", "-2"), "seed -2"),
        ((tmp_path / "gone.txt",), "gone.txt"),
    ):
        done = run("quality", *args)
        assert done.status == 1, (args, done.err)
        assert words in done.err, (args, done.err)
        assert done.out == ""
    assert not locked.parent.exists()
    assert not list(tmp_path.glob("r.*"))


def test_without_matplotlib_the_extra_is_named(files, run, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for option, name in (("--report", "r.html"), ("--plot", "r.png")):
        done = run("quality", files / "whole.txt", option, tmp_path / name)
        assert done.status == 1
        assert "pip install 'pyclgraph[plot]'" in done.err
        assert done.err.startswith(f"clgraph: error: {option} needs matplotlib")
    assert run("quality", files / "whole.txt", "-q").status == 0


def test_an_unwritable_folder(files, plotting, run, monkeypatch, tmp_path):  # noqa: F811
    from clgraph.errors import InputError

    def refuse(path, *args):
        raise InputError(f"cannot write {path}: no room left")

    monkeypatch.setattr("clgraph.measures.report.atomic_write", refuse)
    monkeypatch.setattr(report, "report_html", lambda *args, **kwargs: "")
    done = run("quality", files / "whole.txt", "--no-eigenvalues", "--report", tmp_path / "r.html")
    assert done.status == 1
    assert "no room left" in done.err
    assert not list(tmp_path.iterdir())
