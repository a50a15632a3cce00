"""``clgraph sample`` from end to end, one or several at once, and ``clgraph curve``."""

import csv
import hashlib
import json
import os
import re
import shutil
import signal
import time
from unittest.mock import Mock

import numpy as np
import pytest
from cli_runs import process, started
from graph_files import arcs_of
from graphs import tangle

import clgraph
import clgraph.device.program
from clgraph.csr.generate import powerlaw_graph
from clgraph.errors import BuildError
from clgraph.files import read, write
from clgraph.graph import Graph
from clgraph.methods import REDUCTIONS
from clgraph.reference import reference_sample

KEYS = {"method", "mode", "seed", "size", "target", "vertices", "edges", "iterations", "device", "seconds"}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A connected enough graph of 600 vertices whose ids have gaps."""
    path = tmp_path_factory.mktemp("graphs") / "small.txt"
    write(powerlaw_graph(600, average_degree=6, seed=2).with_ids(np.arange(600) * 7 + 5), path)
    return path


@pytest.fixture
def draw(run, small, device):
    """``draw("--size 50%")``: a sample of the small graph, on the device."""
    return lambda options: run(f"sample {small} --device {device.spec} {options}")


@pytest.fixture
def kept(tmp_path):
    """A file that was there before, and alone; it still is at the end, whatever became of its command."""
    out = tmp_path / "out.txt"
    out.write_text("what was there before\n")
    yield out
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt"]
    assert out.read_text() == "what was there before\n"


# --- what it writes and says ------------------------------------------------------------------------------


@pytest.mark.smoke
def test_a_process_from_end_to_end(small, device, tmp_path):
    out = tmp_path / "half.txt"
    done = process(
        f"sample {small} --method drve --size 50% --seed 3 --device {device.spec} --verify -o {out}"
    ).fine()
    told, on = done.err.splitlines(), f"device {device.spec}: {device.name} ({device.kind}, "
    begins = ("read small.txt: undirected, ", on, "verified: ", "wrote half.txt: undirected, ")
    assert len(told) == 4 and all(map(str.startswith, told, begins)), told
    assert done.out.startswith("drve sample: ")
    assert done.out.endswith(f"-> {out}\n")
    rows = np.loadtxt(out, dtype=np.int64)
    assert out.read_bytes() == "".join(f"{u}\t{v}\n" for u, v in rows).encode()
    assert np.all(rows[:, 0] < rows[:, 1])
    assert rows.tolist() == sorted(rows.tolist())
    original = set(map(tuple, np.loadtxt(small, dtype=np.int64).tolist()))
    assert set(map(tuple, rows.tolist())) <= original


# The bytes of each sample, from the reference where a graph is small; a device that writes others is wrong,
# whichever devices this machine has.
@pytest.mark.parametrize("method", REDUCTIONS)
@pytest.mark.cross("fpga")
def test_the_same_bytes_on_every_device(small, draw, tmp_path, method):
    out, expected = tmp_path / "out.txt", tmp_path / "expected.txt"
    draw(f"--method {method} --size 40% --seed 5 --mode batched -o {out}").fine()
    graph = read(small)
    made = reference_sample(graph, method, size="40%", seed=5, mode="batched")
    edges = np.column_stack((graph.tails, graph.col_idx))[graph.tails <= graph.col_idx][made.edges]
    if made.contracted_to is not None:  # an edge of a contraction joins what its ends have become
        edges = np.unique(np.sort(made.contracted_to[edges], axis=1), axis=0)
    np.savetxt(expected, graph.ids[edges], fmt="%d", delimiter="\t")
    assert out.read_bytes() == expected.read_bytes()


DIGESTS = {}


@pytest.mark.parametrize("method", REDUCTIONS)
@pytest.mark.parametrize("name", ["internet.txt", "facebook_combined.txt"])
@pytest.mark.cross("fpga")
def test_real_graphs_give_the_same_bytes_on_every_device(data_path, device, run, tmp_path, name, method):
    out, options = tmp_path / "out.txt", f"--size 50% --seed 3 --device {device.spec} --verify --json"
    told = run(f"sample {data_path(name)} --method {method} {options} -o {out}").json()
    assert 0.99 * told["target"] <= told["vertices"] <= told["target"]
    found = DIGESTS.setdefault((name, method), {})
    found[device.spec] = hashlib.sha256(out.read_bytes()).hexdigest()
    assert len(set(found.values())) == 1, found


def test_json_has_the_results_names(small, device, draw):
    told = draw("--size 30% --seed 7 --json").json()
    assert set(told) >= KEYS
    result = clgraph.sample(read(small), "drv", size="30%", seed=7, device=device)
    for key, value in result.to_dict(hashes=False).items():
        if key not in ("seconds", "options"):  # a command gives some options as they are by default
            assert told[key] == value, key
    assert told["options"].items() >= result.to_dict(hashes=False)["options"].items()
    assert told["vertices"] == len(result.vertices)
    assert set(told["seconds"]) >= {"read", "build", "upload", "compile", "sample"}
    assert all(value >= 0 for value in told["seconds"].values())


@pytest.mark.smoke
def test_record_is_enough_to_do_it_again(small, device, tmp_path):
    out, record = tmp_path / "out.txt", tmp_path / "out.json"
    said = process(
        f"sample {small} --method dre --size 100 --device {device.spec} -o {out} --record {record} --json"
    ).json()
    told = json.loads(record.read_text())
    assert told["command"][:2] == ["clgraph", "sample"]
    assert told["clgraph"] == clgraph.__version__
    assert set(told["versions"]) == {"python", "numpy", "scipy", "pyopencl"}
    assert told["device"]["name"] == device.name
    assert told["input"][0]["sha256"] == hashlib.sha256(small.read_bytes()).hexdigest()
    assert set(told["result"]) >= KEYS and "write" in said["seconds"]
    seed = told["result"]["seed"]  # it was drawn: the record has it
    assert (said["target"], said["seed"], said["method"]) == (100, seed, "dre")
    again = tmp_path / "again.txt"
    command = [str(again) if arg == str(out) else arg for arg in told["command"][1:]]
    process(*command, "--seed", seed).fine()
    assert again.read_bytes() == out.read_bytes()


def test_record_hashes_both_files_of_an_ldbc_graph(run, tmp_path):
    write(powerlaw_graph(100, seed=1), tmp_path / "g.v")
    run(f"sample {tmp_path}/g --size 50% --record {tmp_path}/r.json").fine()
    told = json.loads((tmp_path / "r.json").read_text())["input"]
    assert [entry["path"] for entry in told] == [f"{tmp_path}/g.v", f"{tmp_path}/g.e"]


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".mtx", ".graph", ".npz", ".clg", ".txt.gz"])
def test_output_formats(draw, tmp_path, suffix):
    told = draw(f"--size 50% --seed 1 -o {tmp_path}/out{suffix} --json").json()
    made = read(tmp_path / f"out{suffix}")
    assert (made.num_vertices, made.num_edges) == (told["vertices"], told["edges"])


def test_a_device_word_and_the_environment(small, device, draw, run, monkeypatch):
    monkeypatch.setenv("CLGRAPH_DEVICE", device.spec)
    assert run(f"sample {small} --size 50% --seed 1 --json").json()["device"] == device.name
    monkeypatch.setenv("CLGRAPH_DEVICE", "abacus")
    run(f"sample {small} --size 50% --seed 1").refused("CLGRAPH_DEVICE")
    draw("--size 50% --seed 1").fine()


def test_start_is_a_name_where_ids_are_names(run, tmp_path, device):
    graph = tmp_path / "g.graphml"
    nodes = "".join(f'<node id="n{i}"><data key="d">v {i}</data></node>' for i in range(3))
    edges = "".join(f'<edge source="n{i}" target="n{i + 1}"/>' for i in range(2))
    key = '<key id="d" for="node" attr.name="name" attr.type="string"/>'
    graph.write_text(f'<graphml>{key}<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>')
    line = f"sample {graph} --method ebfs --size 2 --seed 1 --device {device.spec} --start 'v 2'"
    run(f"{line} --ids name").fine()
    run(line).refused("--start v 2: the graph's ids are integers")


# --- sizes ------------------------------------------------------------------------------------------------


def test_a_count_larger_than_the_graph(small, draw, tmp_path):
    out, strict = tmp_path / "out.txt", tmp_path / "strict.txt"
    done = draw(f"--size 5000 -o {out}").fine()
    assert "note: the largest component has" in done.err
    assert "untouched" in done.err
    assert read(out).num_edges == read(small).largest_component().num_edges
    draw(f"--size 5000 --strict -o {strict}").refused("larger than the graph")
    assert not strict.exists()


SQUARE_AND_PATH = "1 2\n2 3\n3 4\n4 1\n10 11\n11 12\n"
SQUARE = "1\t2\n1\t4\n2\t3\n3\t4\n"


@pytest.mark.parametrize(
    ("name", "text", "sizes", "counts", "said", "written"),
    [
        # an edge list cannot hold a vertex without edges: that is said
        ("loop.txt", "7 7\n", "1 100% 0.9", (1, 0), "without edges left out", "# no edges\n"),
        ("isolated.graph", "3 0\n\n\n\n", "1", (1, 0), "without edges left out", "# no edges\n"),
        ("two.txt", SQUARE_AND_PATH, "100%", (4, 4), "the largest component has 4 of 7 vertices", SQUARE),
    ],
)
def test_what_is_left_of_odd_graphs(device, run, tmp_path, name, text, sizes, counts, said, written):
    path, out = tmp_path / name, tmp_path / "out.txt"
    path.write_text(text)
    for size in sizes.split():
        done = run(f"sample {path} --size {size} --device {device.spec} --verify -o {out} --json")
        assert (done.json()["vertices"], done.json()["edges"]) == counts
        assert said in done.err
    assert out.read_text() == written


def test_edges_are_counted_as_the_files_are(device, run, tmp_path):
    graph, out, whole = tmp_path / "g.clg", tmp_path / "part.txt", tangle(3, directed=True)
    write(whole, graph)
    on = f"{graph} --seed 1 --device {device.spec}"
    done = run(f"sample {on} --size 50% --verify -o {out}")
    assert done.err.startswith("read g.clg: directed, ")
    edges = re.search(r"wrote part.txt: directed, \d+ vertices, (\d+) edges", done.err)[1]
    assert f" vertices, {edges} edges (directed, " in done.out and " pairs, target 75, " in done.out
    part = read(out, directed=True)
    assert part.num_edges == int(edges) > read(out).num_edges and set(arcs_of(part)) <= set(arcs_of(whole))
    assert " pairs, average degree " in run(f"sample {on} --sizes 50% --seeds 2").out
    curve = run(f"curve {on}")
    assert "pairs" in curve.out and "edges" not in curve.out


def test_a_method_without_modes_names_none(small, device, draw):
    done = draw("--method rw --steps 40 --seed 1")
    assert re.search(r"edges \(undirected, seed 1, [0-9.]+ s\)", done.out), done.out
    made = clgraph.sample(read(small), "rw", steps=40, seed=1, device=device)
    assert re.fullmatch(r"<Sample: rw, \d+ vertices, \d+ edges, seed 1>", repr(made))
    assert "auto" not in made._repr_html_() and "target" not in made._repr_html_()


# --- several sizes and seeds, curves ----------------------------------------------------------------------


@pytest.mark.smoke
def test_files_by_size_and_seed(run, small, device, tmp_path):
    done = run(
        f"sample {small} --method dre --sizes '70%,50%, 30%' --seeds 2 --seed 5 --verify --device "
        f"{device.spec} -o {tmp_path}/out-{{size}}-{{seed}}.clg --record {tmp_path}/record.json"
    ).fine()
    sizes = ("70%", "50%", "30%")
    asked = [(seed, size) for seed in (5, 6) for size in sizes]
    for seed, size in asked:
        made = read(tmp_path / f"out-{size}-{seed}.clg")
        expected = clgraph.sample(read(small), "dre", size=size, seed=seed, device=device)
        np.testing.assert_array_equal(made.ids, expected.vertices)
        np.testing.assert_array_equal(made.col_idx, expected.graph.col_idx)
    assert len(list(tmp_path.iterdir())) == 7
    lines = done.out.splitlines()
    assert sum(line.startswith("dre sample: ") for line in lines) == 6
    assert [line.split(",")[0] for line in lines[-3:]] == [f"size {size}" for size in sizes]
    assert "±" in lines[-1]
    told = json.loads((tmp_path / "record.json").read_text())["result"]
    assert [(each["seed"], each["size"]) for each in told["samples"]] == asked


def test_json_holds_all_samples_and_their_spread(run, small, device):
    value = run(f"sample {small} --size 40% --seeds 3 --seed 1 --json -q --device {device.spec}").json()
    assert [each["seed"] for each in value["samples"]] == [1, 2, 3]
    (row,) = value["spread"]
    edges, vertices = (np.array([each[name] for each in value["samples"]]) for name in ("edges", "vertices"))
    for name, values in (("edges", edges), ("average_degree", 2 * edges / vertices)):
        assert row[name]["mean"] == pytest.approx(values.mean())
        assert row[name]["spread"] == pytest.approx(values.std(ddof=1))


@pytest.mark.smoke
def test_curve_table_csv_and_json(run, small, device, tmp_path):
    out = tmp_path / "curve.csv"
    value = run(
        f"curve {small} --method dre --seeds 2 --seed 4 --points 4 -o {out} --json --device {device.spec}"
    ).json()
    assert (value["seeds"], value["mode"]) == ([4, 5], "exact")
    table = value["table"]
    curves = [clgraph.reduction_curve(read(small), "dre", seed, device=device) for seed in (4, 5)]
    assert (table["share"][0], table["edges"][0]) == (1.0, curves[0].edges[0])
    wanted = round(table["share"][2] * int(curves[0].vertices[0]))
    degree = [2 * c.at(wanted)[2] / c.at(wanted)[1] for c in curves]
    assert table["average_degree"][2] == pytest.approx(np.mean(degree))
    assert table["average_degree_spread"][2] == pytest.approx(np.std(degree, ddof=1))
    with open(out, newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["seed", "deletions", "vertices", "edges"]
    assert len(rows) == 1 + sum(len(c.vertices) for c in curves)
    last = curves[1]
    assert rows[-1] == [str(each) for each in (5, last.deletions[-1], last.vertices[-1], last.edges[-1])]


def test_curve_on_a_terminal(run, small, device):
    done = run(f"curve {small} --method drve --seed 4 --points 3 --size 20% --device {device.spec}").fine()
    assert "drve (batched), seed 4" in done.out
    assert "100.0%" in done.out


@pytest.mark.parametrize(("suffix", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_curve_picture(run, small, device, tmp_path, suffix, begins):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    picture = tmp_path / f"curve.{suffix}"
    run(f"curve {small} --seed 1 --plot {picture} --device {device.spec}").fine()
    assert picture.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [picture]


def test_a_curve_for_print(run, small, device, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    picture = tmp_path / "curve.pdf"
    line = f"curve {small} --method drve --seed 1 --seeds 3 --points 3 --device {device.spec}"
    done = run(f"{line} --plot {picture} --columns 1 --table latex").fine()
    assert b"/FontFile2" in picture.read_bytes() and b"/Type3" not in picture.read_bytes()
    assert "\\toprule" in done.out and "a row for every batch" in done.out
    assert "- a batched curve has a row for every batch" in run(line).out


# --- output that cannot be written, devices that are broken -----------------------------------------------


def test_a_full_disk_leaves_nothing(draw, kept, monkeypatch):
    full = Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr("clgraph.formats.atomic.os.replace", full)  # the last moment at which it can go wrong
    draw(f"--size 50% -o {kept}").refused("cannot write", "No space left")


def test_a_wrong_sample_is_not_written(draw, tmp_path, monkeypatch):
    wrong = Mock(side_effect=AssertionError("vertex 5 is not connected"))
    monkeypatch.setattr("clgraph.reference.verify_sample", wrong)
    draw(f"--size 50% --verify -o {tmp_path}/out.txt").refused(
        "the sample is wrong: vertex 5 is not connected"
    )
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def strip(tmp_path_factory):
    """A long strip of squares: a search by levels takes 20 000 launches, seconds on the fastest device."""
    path = tmp_path_factory.mktemp("graphs") / "strip.clg"
    number = np.arange(20 * 20_000).reshape(20_000, 20)
    right, down = (number[:, :-1], number[:, 1:]), (number[:-1], number[1:])
    ends = [np.concatenate((a.ravel(), b.ravel())) for a, b in zip(right, down, strict=True)]
    write(Graph.from_edges(*ends), path)
    return path


def test_interrupted_in_a_long_run(strip, device, kept):
    child = started(
        f"sample {strip} --size 50% --method drve --components bfs --device {device.spec} -o {kept}"
    )
    told = child.stderr.readline() + child.stderr.readline()
    assert "device" in told  # the graph is read, the device is chosen: the work begins
    time.sleep(1.5)
    assert child.poll() is None, "the run was too short to be interrupted"
    child.send_signal(signal.SIGINT)
    sent = time.monotonic()
    out, err = child.communicate(timeout=120)
    assert time.monotonic() - sent < 30
    assert (child.returncode, out, err.strip()) == (130, "", "clgraph: interrupted")


def test_a_device_that_fails_to_build(small, device, draw, tmp_path, monkeypatch):
    """A kernel file that its compiler refuses: the error names device, options, source and log."""
    broken, out = tmp_path / "cl", tmp_path / "out.txt"
    shutil.copytree(clgraph.device.program.kernel_folder(), broken)
    for file in broken.rglob("copra.cl"):
        file.write_text(file.read_text() + "\n#error spoilt\n")
    monkeypatch.setattr("clgraph.device.program.kernel_folder", lambda: broken)
    monkeypatch.setattr(device, "_programs", {})
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    draw(f"--method drve --size 50% -o {out}").refused(
        device.name, "failed to build sampling/copra.cl", "options:", "source:", "hint:", "spoilt"
    )
    assert not out.exists()
    with pytest.raises(BuildError):
        clgraph.sample(read(small), "drve", size="50%", device=device)


def test_a_broken_device_is_named(device, draw, monkeypatch):
    monkeypatch.setitem(device.__dict__, "fault", "builds fail: unknown target CPU")
    draw("--size 50%").refused("BROKEN: builds fail: unknown target CPU", "clgraph doctor")


def test_no_driver_at_all(small, tmp_path):
    done = process("sample", small, "--size", "50%", OCL_ICD_VENDORS=str(tmp_path), CLGRAPH_DEVICE="")
    done.refused("no OpenCL driver was found", "pip install")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(small, run, tmp_path):
    tmp_path.chmod(0o500)
    run(f"sample {small} --size 50% -o {tmp_path}/out.txt").refused("no permission")
