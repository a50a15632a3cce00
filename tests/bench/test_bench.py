"""`clgraph bench`: one harness, results kept as they finish, tables and figures made of them."""

import csv
import json
import sys
import xml.etree.ElementTree as xml
from importlib import import_module
from unittest.mock import Mock

import numpy as np
import pytest
from cli_runs import ROOT, python

import clgraph
from clgraph.bench import SUITES, peers
from clgraph.bench import run as running
from clgraph.bench import store as storing
from clgraph.bench.cases import cases_of, sampling
from clgraph.bench.graphs import SIZES, graphs_of, make_graph, size_of
from clgraph.bench.harness import Absent, Case, Context, Figures, matching, median, quantity, timed
from clgraph.bench.report import write_report
from clgraph.bench.store import SCHEMA, Store, load
from clgraph.bench.tables import Column, Labels, Table, tables
from clgraph.errors import InputError

# --- the harness ---------------------------------------------------------------------------------------


def test_a_timing_has_median_and_spread_and_ends_at_its_limit(monkeypatch):
    assert median([3.0, 1.0, 2.0]) == {"value": 2.0, "unit": "s", "low": 1.0, "high": 3.0, "runs": 3}
    calls = []
    timing = timed(lambda: calls.append(1) or len(calls), 4, keep=lambda n: {"a": n, "b": 2 * n})
    assert [kept["a"] for kept in timing.results] == [1, 2, 3, 4]
    assert timing.phase("b")["value"] == 5
    assert set(timing.phases()) == {"a", "b"}
    assert timing.quantity["runs"] == 4
    now = [0.0]  # a clock of its own: under load a real one would run on
    monkeypatch.setattr("clgraph.bench.harness.perf_counter", lambda: now[0])

    def work():
        now[0] += 0.02

    assert timed(work, 5, limit=0.03).seconds == pytest.approx([0.02, 0.02])


def test_figures_are_shown_with_few_digits_before_the_point():
    assert running.show(quantity(0.00123, "s")) == "1.23 ms"
    assert running.show({**quantity(2e-5, "s"), "low": 1e-5, "high": 3e-5, "runs": 3}) == "20 (10 to 30) us"
    assert running.show(quantity(3.2e9, "1/s")) == "3.2 G/s"
    assert running.show(quantity(0.5, "")) == "0.5"


def test_sizes_are_words_or_graphs_for_all_suites_or_one():
    assert set(SIZES["tiny"]) == set(SUITES)
    assert graphs_of([], "sampling") == SIZES["medium"]["sampling"]
    assert graphs_of(["small", "ppr=100,rmat5"], "ppr") == ["powerlaw100", "rmat5"]
    assert graphs_of(["small", "ppr=100,rmat5"], "sampling") == SIZES["small"]["sampling"]
    assert [size_of(name) for name in ("rmat5", "grid3", "powerlaw7", "x.txt")] == [32, 9, 7, 0]
    with pytest.raises(InputError, match=r"'huge' is no graph.*medium"):
        graphs_of(["huge"], "sampling")
    with pytest.raises(InputError, match="'smapling' is no suite"):
        graphs_of(["smapling=10"], "sampling")
    # graphs by name
    assert make_graph("grid3").num_edges == 12
    assert make_graph("powerlaw50").num_vertices == 50
    assert make_graph("rmat4", directed=True).directed
    assert make_graph("wiki4").directed


def test_names_of_cases_are_unlike_each_other():
    cases = cases_of("all", ["tiny"], "all")
    assert len({case.name for case in cases}) == len(cases)
    some = matching(cases, ["sampling/*/drv exact/*", "traversal/*"], ["*scipy*", "*/grid*"])
    assert {case.suite for case in some} == {"sampling", "traversal"}
    assert not [case for case in some if "scipy" in case.who or "grid" in case.graph]
    assert not [case for case in cases_of("all", ["tiny"], "") if not case.on_device]


# --- running and keeping -------------------------------------------------------------------------------


by_nought, absent = ZeroDivisionError("by nought"), Absent("not installed")


def fine(context):
    return Figures({"kernels": quantity(1.0, "s")}, {"of_vertices": 9})


def three_cases(first=fine, second=fine):
    """Cases of these works, and one that goes well; an exception is what a work ends in."""
    works = {"drv exact": first, "dre exact": second, "drve batched": fine}
    works = {name: Mock(side_effect=work) for name, work in works.items()}
    return [Case("sampling", "powerlaw9", name, "clgraph", work, True) for name, work in works.items()]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "out")


@pytest.fixture
def said():
    """What was said while cases ran."""
    return []


@pytest.fixture
def measure(device, store, said):
    """``measure(cases, repeat=5)``: runs them, with these options of measuring."""
    return lambda cases, fresh=False, **how: running.run_cases(
        cases, Context(device, **how), said.append, store=store, fresh=fresh
    )


def test_what_fails_or_is_absent_is_told_and_does_not_end_the_rest(device, store, measure, said):
    cases = three_cases(by_nought, absent)
    outcome = measure(cases)
    assert (outcome.ran, len(outcome.absent), len(outcome.failed)) == (1, 1, 1)
    assert outcome.failed[0][1] == "ZeroDivisionError: by nought"
    assert outcome.failed[0][0].endswith(f" on {device.name}")
    assert "failed: ZeroDivisionError: by nought" in said[0]
    assert [r["status"] for r in store.records()].count("done") == 1

    # again: only what was finished is left out
    again = measure(cases)
    assert (again.ran, again.skipped, len(again.failed)) == (0, 1, 1)
    assert measure(cases[2:], fresh=True).ran == 1
    assert measure(cases[2:], repeat=5).ran == 1  # other options of measuring, other figures
    assert len(list(store.cases.glob("*.json"))) == 3  # in place of the earlier ones


def test_an_interruption_loses_nothing_that_was_finished(store, measure):
    with pytest.raises(KeyboardInterrupt):
        measure(three_cases(second=KeyboardInterrupt))
    assert [record["what"] for record in store.records()] == ["drv exact"]
    outcome = measure(three_cases())
    assert (outcome.ran, outcome.skipped) == (2, 1)


def test_another_source_is_measured_anew_and_no_more_than_that(device, store, measure, monkeypatch):
    cases = three_cases()[:1]
    measure(cases)
    # memory that happens to be free tells no results apart
    monkeypatch.setitem(vars(device), "global_memory", device.global_memory - 4096)
    assert measure(cases).skipped == 1
    here = storing.environment()
    monkeypatch.setattr(storing, "environment", lambda: {**here, "source": {"digest": "another"}})
    assert measure(cases).ran == 1
    assert len(store.records()) == 1


def test_a_record_holds_what_the_documentation_says(device, store, measure):
    measure(three_cases()[:1])
    (record,) = store.records()
    assert record["schema"] == SCHEMA == 1
    assert record["values"] == {"kernels": {"value": 1.0, "unit": "s"}}
    assert record["device"]["name"] == device.name
    assert record["environment"]["versions"]["numpy"]
    assert record["environment"]["machine"]["cores"] >= 1
    page = (ROOT / "docs" / "bench-json.md").read_text()
    for key in (*record, *record["device"], *record["environment"], *record["environment"]["source"]):
        assert f"`{key}`" in page, key


def test_folders_and_files_that_will_not_do(tmp_path, store):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"--out .*file/out: cannot write there"):
        Store(tmp_path / "file" / "out")
    (tmp_path / "project").mkdir()
    (tmp_path / "project/README.md").write_text("mine")
    with pytest.raises(InputError, match=r"has a README\.md, but no results of clgraph bench"):
        Store(tmp_path / "project")
    assert [each.name for each in (tmp_path / "project").iterdir()] == ["README.md"]
    with pytest.raises(InputError, match="holds no results"):
        write_report(store, figures=False)
    (store.cases / "old.json").write_text('{"schema": 99}')
    with pytest.raises(InputError, match=r"old.json: a result of schema 99.*reads 1"):
        store.records()
    (store.cases / "old.json").write_text("{")
    with pytest.raises(InputError, match="remove it"):
        load(store.cases / "old.json")


# --- tables --------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_a_table_as_markdown_csv_and_json():
    columns = [Column("a", "A"), Column("b", "B", "ms", ".1f"), Column("c", "C")]
    table = Table("t", "Title", columns, [{"a": "x", "b": 1.25}, {"a": "y", "b": (1.0, 2.0)}], ["Note."])
    assert table.markdown() == (
        "### Title\n\nNote.\n\n| A | B, ms |\n|---|---:|\n| x | 1.2 |\n| y | 1.0 / 2.0 |\n"
    )
    assert next(csv.reader(table.csv().splitlines())) == ["a", "b [ms]", "c"]
    assert table.json()["rows"][0] == {"a": "x", "b": 1.25, "c": None}


def test_slopes_are_those_of_the_definition():
    graph = make_graph("powerlaw2000")
    found = sampling.characteristics(graph)
    degrees = np.sort(graph.degrees[graph.degrees > 0])[::-1]
    rank = np.log(np.arange(1, len(degrees) + 1))
    assert found["rank_exponent"] == pytest.approx(np.polyfit(rank, np.log(degrees), 1)[0])
    values, counts = np.unique(degrees, return_counts=True)
    expected = np.polyfit(np.log(values), np.log(counts), 1)[0]
    assert found["degree_exponent"] == pytest.approx(expected)


# --- the command ---------------------------------------------------------------------------------------

PATTERNS = (
    *("sampling/*/drv exact/*", "sampling/*/drve batched/*", "*/characteristics dr* batched/*"),
    *("pagerank/rmat8/*/* auto", "pagerank/rmat8/solve/*", "ppr/rmat8/power*once/*"),
    *("ppr/rmat8/slides: flat COO/*", "traversal/rmat8/*"),
)
TABLES = {"characteristics_powerlaw1000", "sampling", "pagerank_iterations", "pagerank_solve", "ppr"}
TABLES |= {"traversal", "energy", "ppr_printed"}
FIGURES = {"sampling_time", "sampling_energy", "sampling_efficiency", "pagerank_iteration"}
FIGURES |= {"pagerank_solve", "ppr_rmat8", "ppr_slides_rmat8", "traversal_time"}


@pytest.mark.first_device
def test_all_of_it_on_a_device(device, run, tmp_path):
    """Every suite, with every table and figure; the second time nothing is left to do."""
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    line = f"bench all --out {out} --device {device.spec} --watts 70 --sizes tiny --repeat 1 --peers none -q"
    only = [word for pattern in PATTERNS for word in ("--only", pattern)]
    told = run(line, *only, "--json").json()
    assert told["failed"] == []
    assert told["ran"] + len(told["absent"]) == told["cases"]
    results = json.loads((out / "results.json").read_text())
    assert results["schema"] == 1
    assert {record["suite"] for record in results["records"]} == set(SUITES)
    assert {path.stem for path in (out / "tables").glob("*.csv")} >= TABLES
    drawn = {path.stem for path in (out / "figures").glob("*.svg")}
    assert FIGURES <= drawn == {path.stem for path in (out / "figures").glob("*.png")}
    for path in (out / "figures").glob("*.svg"):
        xml.parse(path)
    page = (out / "README.md").read_text()
    assert device.name in page
    assert "| drv | 8.58 | 4.826 |" in page  # the thesis's first row
    assert "given by hand: 70 W" in page
    for word in drawn:
        assert f"(figures/{word}.svg)" in page

    again = run(line, *only, "--no-figures").fine()
    assert again.out.startswith("0 cases measured, ")
    # what lies there is drawn without a device
    run(f"bench report --out {out} --no-figures -q").fine()


@pytest.mark.first_device
def test_one_core_and_other_libraries(device, run, tmp_path):
    line = f"bench sampling --sizes 300 --repeat 1 --out {tmp_path} --device {device.spec} --no-figures -q"
    run(f"{line} --only '*/drv batched/*' --only '*/drv exact/*'").fine()
    found = {(r["what"], r["who"]): r for r in Store(tmp_path).records()}
    assert found["drv batched", "scipy loop"]["values"]["call"]["value"] > 0
    assert found["drv exact", "clgraph, one core"]["status"] in ("done", "absent")
    rows = next(t for t in tables(Store(tmp_path).records(), Labels(found.values())) if t.name == "sampling")
    assert {row["device"] for row in rows.rows} >= {"scipy loop"}


def test_gapbs_measures_itself(tmp_path, monkeypatch):
    program = tmp_path / "cc"
    program.write_text(
        '#!/bin/sh\ncp "$2" "$GAPBS_DIR/seen.sg"\nfor s in 5 1 2; do echo "Trial Time: $s.5"; done\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("GAPBS_DIR", str(tmp_path))
    graph = clgraph.Graph.from_edges([0, 1, 3], [1, 2, 4])
    find = peers.COMPONENTS["gapbs"](graph)
    assert timed(find, 3, limit=6).seconds == [2.5, 2.5, 2.5]
    np.testing.assert_array_equal(clgraph.read(tmp_path / "seen.sg").col_idx, graph.col_idx)
    with pytest.raises(ImportError, match="GAPBS_DIR"):
        peers.BFS["gapbs"](graph)


@pytest.mark.first_device
def test_a_failed_case_sets_the_status_and_is_named(device, run, tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "measure", Mock(side_effect=RuntimeError("kernel lost")))
    line = f"bench sampling --sizes 100 --only '*/drv*/clgraph' --out {tmp_path} --device {device.spec}"
    done = run(f"{line} --no-figures -q").fine(1)
    assert "sampling/powerlaw100/drv exact/clgraph on" in done.err
    assert "RuntimeError: kernel lost" in done.err
    assert "## Failed" in (tmp_path / "README.md").read_text()


@pytest.mark.parametrize(
    ("line", "says", "status"),
    [
        ("smapling --out out", "'sampling'", 2),
        ("traversal", "--out", 2),
        ("sampling --out out --sizes huge", "'huge' is no graph", 1),
        ("sampling --out out --only nothing", "no case matches", 1),
        ("sampling --out out --data nowhere", "there is no such folder", 1),
        ("sampling --out out --watts -1 --no-figures", "above 0", 1),
        ("sampling --out out --device 'warp drive' --no-figures", "no device is 'warp drive'", 1),
        ("sampling --out out", "pip install 'pyclgraph[plot]'", 1),
        ("gap", "no graph is given", 1),
        ("gap --scale 4 --peer ligra=.", "only gapbs=FOLDER", 1),
        ("gap --scale 4 --peer gapbs=none", "there is no such folder", 1),
        ("gap --scale 99", "--scale", 2),
        ("graph500", "--scale", 2),
        ("graph500 --scale 0", "--scale", 2),
        ("graph500 --scale 31", "--scale", 2),
        ("graph500 --scale 5 --roots 0", "--roots", 2),
        ("graph500 --scale 27 --edge-factor 17", "scale 27 and edge factor 17 are 2281701376 edges: give", 1),
        ("graphalytics", "FOLDER", 2),
    ],
)
def test_bad_input_is_told(run, tmp_path, monkeypatch, line, says, status):
    monkeypatch.chdir(tmp_path)
    if "pyclgraph[plot]" in says:
        monkeypatch.setitem(sys.modules, "matplotlib", None)
    run(f"bench {line}").refused(says, status=status)


def test_suites_and_benchmarks_of_the_field_are_one_command(run, tmp_path):
    done = run("bench --help")
    assert "Usage: clgraph bench [OPTIONS] SUITE\n" in done.out
    for name in ("gap", "graph500", "graphalytics"):
        assert f"\n  {name} " in done.out
        assert f"Usage: clgraph bench {name} [OPTIONS]" in run(f"bench {name} --help").out
    # options may stand before the suite, or behind it
    for line, case in (
        ("--sizes tiny --out OUT traversal", "traversal/grid20/bfs/clgraph hybrid\n"),
        ("all --out OUT --sizes tiny", "sampling/powerlaw500/drv exact/clgraph\n"),
    ):
        assert case in run(f"bench {line.replace('OUT', f'{tmp_path}/out')} --list").fine().out


def test_machines_are_told_apart_only_where_there_are_several():
    machine = {"cpu": "Intel(R) Xeon(R) CPU @ 2.00GHz", "cores": 4}
    other = {"cpu": "AMD EPYC", "cores": 1}
    device = {"kind": "cpu", "platform": "Portable Computing Language", "name": "pthread"}
    records = [
        {"device": device, "who": "clgraph", "environment": {"machine": machine}},
        {"device": None, "who": "scipy", "environment": {"machine": other}},
    ]
    assert Labels(records[:1]).of(records[0]) == "PoCL"
    labels = Labels(records)
    assert labels.of(records[0]) == "PoCL, Xeon 2.00GHz, 4 cores"
    assert labels.series(records[1]) == "scipy, EPYC, 1 core"


# --- benchmarks/ ---------------------------------------------------------------------------------------

by_hand = pytest.mark.skipif(not (ROOT / "benchmarks").is_dir(), reason="needs the source tree")


@pytest.mark.first_device
@by_hand
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("generating", "--graphs powerlaw200 --check --repeat 1 --watts 50"),
        ("files", "--vertices 500 --repeat 1 --peers none"),
    ],
)
def test_benchmarks_run_by_hand(device, tmp_path, name, words):
    script, out = ROOT / "benchmarks" / f"{name}.py", tmp_path / "out.json"
    done = python(script, *words.split(), "--json", out, "--device", device.spec, cwd=tmp_path).fine()
    value = json.loads(out.read_text())
    assert value["schema"] == 1
    assert {record["status"] for record in value["records"]} == {"done"}, done.out


@pytest.fixture
def kept(monkeypatch):
    """The module of benchmarks/kept.py."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return import_module("kept")


@by_hand
def test_the_history_of_kept_rows(tmp_path, kept, monkeypatch):
    """`benchmarks/kept.py --range`: commits take turns, and only what is missing is measured."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(kept, "ROOT", tmp_path / "tree")
    kept.ROOT.mkdir()
    kept.git("init", "-q")
    for k in range(6):
        (kept.ROOT / "seconds").write_text(str(k))
        kept.git("add", "seconds")
        kept.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", f"{k}")
    commits = kept.commits_of("HEAD~5..", 9)
    assert len(commits) == 6 and kept.commits_of(commits[2], 9) == [commits[2]]
    assert kept.commits_of(f"{commits[0]}..{commits[5]}", 3) == [commits[0], commits[2], commits[5]]
    turns = []

    def timed(tree, name, device, folder, repeats):
        seconds = float((tree / "seconds").read_text())
        turns.append(seconds)
        if (name, seconds) == ("bfs", 0):
            raise kept.Failed("bfs:\nTraceback\nAttributeError: no bfs")
        return seconds + len(turns) / 100

    monkeypatch.setattr(kept, "timed", timed)
    file, how = tmp_path / "series.json", {"device": "pocl", "repeats": 1}
    found = kept.measure(commits[:3], ["bfs", "--version"], file, tmp_path, **how)
    # there and back; a command has a round more, and what fails once is not asked again
    assert turns == [0, 1, 2, 2, 1, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2]
    assert found[0]["rows"]["bfs"] == {"missing": "AttributeError: no bfs"}
    assert found[1]["rows"]["bfs"] == {"value": 1.05, "unit": "s", "low": 1.02, "high": 1.06, "runs": 3}
    turns.clear()
    found = kept.measure(commits[1:4], ["bfs"], file, tmp_path, **how)
    assert turns == [3, 3, 3] and json.loads(file.read_text())["commits"][1:] == found
    assert kept.git("worktree", "list").count("\n") == 0
    kept.plot(found, tmp_path / "series.svg")
    shown = (tmp_path / "series.svg").read_text()
    assert all(text in shown for text in ("bfs", "--version", *(commit[:7] for commit in commits[1:4])))


@pytest.mark.first_device
@by_hand
def test_a_kept_row_is_timed(tmp_path, kept, monkeypatch, device):
    clgraph.write(clgraph.powerlaw_graph(200, seed=1), tmp_path / "powerlaw.clg")
    kept.make_graphs(tmp_path, ["drv"], False, tmp_path)  # it is there
    monkeypatch.chdir(tmp_path)
    assert 0 < kept.one_row("drv", device.spec, 2) < 60
