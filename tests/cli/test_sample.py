"""``clgraph sample`` from end to end, and what it says to bad input."""

import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from cli_runs import environment, process
from graphs import tangle

import clgraph
import clgraph.device.program
from clgraph.csr.generate import powerlaw_graph
from clgraph.errors import BuildError
from clgraph.files import read, write
from clgraph.graph import Graph
from clgraph.methods import REDUCTIONS

KEYS = {"method", "mode", "seed", "size", "target", "vertices", "edges", "iterations", "device", "seconds"}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A connected enough graph of 600 vertices whose ids have gaps."""
    path = tmp_path_factory.mktemp("graphs") / "small.txt"
    graph = powerlaw_graph(600, average_degree=6, seed=2)
    tail, head = graph.tails, graph.col_idx
    rows = np.column_stack((tail, head))[tail < head] * 7 + 5
    np.savetxt(path, rows, fmt="%d", delimiter="\t")
    return path


# --- what it writes and says ------------------------------------------------------------------------------


@pytest.mark.smoke
def test_a_process_from_end_to_end(small, device, tmp_path):
    out = tmp_path / "half.txt"
    done = process(
        f"sample {small} --method drve --size 50% --seed 3 --device {device.spec} --verify -o {out}"
    )
    assert done.status == 0, done.err
    told = done.err.splitlines()
    assert told[0].startswith("read small.txt: undirected, ")
    assert told[1].startswith(f"device {device.spec}: {device.name} ({device.kind}, ")
    assert told[2].startswith("verified: ")
    assert told[3].startswith("wrote half.txt: undirected, ")
    assert len(told) == 4
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
def test_the_same_bytes_on_every_device(small, device, run, tmp_path, method):
    from clgraph.reference import reference_sample

    out = tmp_path / "out.txt"
    done = run(
        f"sample {small} --method {method} --size 40% --seed 5 --mode batched --device {device.spec} -o {out}"
    )
    assert done.status == 0, done.err
    expected = tmp_path / "expected.txt"
    graph = read(small)
    made = reference_sample(graph, method, size="40%", seed=5, mode="batched")
    edges = np.column_stack((graph.tails, graph.col_idx))[graph.tails <= graph.col_idx][made.edges]
    if made.contracted_to is not None:  # an edge of a contraction joins what its ends have become
        edges = np.unique(np.sort(made.contracted_to[edges], axis=1), axis=0)
    np.savetxt(expected, graph.ids[edges], fmt="%d", delimiter="\t")
    assert out.read_bytes() == expected.read_bytes()


DIGESTS: dict[tuple[str, str], dict[str, str]] = {}


@pytest.mark.parametrize("method", REDUCTIONS)
@pytest.mark.parametrize("name", ["internet.txt", "facebook_combined.txt"])
@pytest.mark.cross("fpga")
def test_real_graphs_give_the_same_bytes_on_every_device(data_path, device, run, tmp_path, name, method):
    out = tmp_path / "out.txt"
    done = run(
        "sample",
        data_path(name),
        "--method",
        method,
        "--size",
        "50%",
        "--seed",
        3,
        "--device",
        device.spec,
        "--verify",
        "--json",
        "-o",
        out,
    )
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert told["vertices"] <= told["target"]
    assert told["vertices"] >= 0.99 * told["target"]
    found = DIGESTS.setdefault((name, method), {})
    found[device.spec] = hashlib.sha256(out.read_bytes()).hexdigest()
    assert len(set(found.values())) == 1, found


def test_json_is_one_object_with_the_results_names(small, device, run):
    done = run("sample", small, "--size", "30%", "--seed", 7, "--device", device.spec, "--json")
    assert done.status == 0, done.err
    told = json.loads(done.out)  # one object and nothing else, or this fails
    assert set(told) >= KEYS
    result = clgraph.sample(read(small), "drv", size="30%", seed=7, device=device)
    for key, value in result.to_dict(hashes=False).items():
        if key not in ("seconds", "options"):  # a command gives some options as they are by default
            assert told[key] == value, key
    assert told["options"].items() >= result.to_dict(hashes=False)["options"].items()
    assert told["vertices"] == len(result.vertices)
    assert set(told["seconds"]) >= {"read", "build", "upload", "compile", "sample"}
    assert all(value >= 0 for value in told["seconds"].values())


def test_json_of_a_process_has_stdout_for_itself(small, tmp_path):
    done = process("sample", small, "--size", "100", "--seed", "1", "--json", "-o", tmp_path / "x.txt")
    told = json.loads(done.out)
    assert (told["target"], told["seed"], told["method"]) == (100, 1, "drv")
    assert "write" in told["seconds"]


def test_quiet(small, device, run, tmp_path):
    out = tmp_path / "x.txt"
    done = run("sample", small, "--size", "0.3", "--device", device.spec, "-q", "--verify", "-o", out)
    assert done.status == 0
    assert done.err == ""
    assert done.out.startswith("drv sample: ")


@pytest.mark.smoke
def test_record_is_enough_to_do_it_again(small, device, tmp_path):
    out, record = tmp_path / "out.txt", tmp_path / "out.json"
    done = process(
        f"sample {small} --method dre --size 50% --device {device.spec} -o {out} --record {record}"
    )
    assert done.status == 0, done.err
    told = json.loads(record.read_text())
    assert told["command"][:2] == ["clgraph", "sample"]
    assert told["clgraph"] == clgraph.__version__
    assert set(told["versions"]) == {"python", "numpy", "scipy", "pyopencl"}
    assert told["device"]["name"] == device.name
    assert told["input"][0]["sha256"] == hashlib.sha256(small.read_bytes()).hexdigest()
    assert set(told["result"]) >= KEYS
    again = tmp_path / "again.txt"  # the seed was drawn: the record has it
    command = [str(again) if arg == str(out) else arg for arg in told["command"][1:]]
    done = process(*command, "--seed", str(told["result"]["seed"]))
    assert done.status == 0, done.err
    assert again.read_bytes() == out.read_bytes()


def test_record_hashes_both_files_of_an_ldbc_graph(run, tmp_path):
    write(powerlaw_graph(100, seed=1), tmp_path / "g.v")
    record = tmp_path / "r.json"
    done = run("sample", tmp_path / "g", "--size", "50%", "--record", record)
    assert done.status == 0, done.err
    told = json.loads(record.read_text())["input"]
    assert [entry["path"] for entry in told] == [str(tmp_path / "g.v"), str(tmp_path / "g.e")]


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".mtx", ".graph", ".npz", ".clg", ".txt.gz"])
def test_output_formats(small, device, run, tmp_path, suffix):
    out = tmp_path / f"out{suffix}"
    done = run("sample", small, "--size", "50%", "--seed", 1, "--device", device.spec, "-o", out, "--json")
    assert done.status == 0, done.err
    made, told = read(out), json.loads(done.out)
    assert (made.num_vertices, made.num_edges) == (told["vertices"], told["edges"])


def test_directed_files_keep_their_arcs(device, run, tmp_path):
    path, out = tmp_path / "arcs.txt", tmp_path / "out.txt"
    rng = np.random.default_rng(3)
    rows = np.unique(rng.integers(0, 60, (240, 2)), axis=0)
    np.savetxt(path, rows[rows[:, 0] != rows[:, 1]], fmt="%d")
    done = run(f"sample {path} --directed --size 50% --seed 1 --device {device.spec} --verify -o {out}")
    assert done.status == 0, done.err
    assert "directed" in done.err.splitlines()[0]
    assert set(map(tuple, np.loadtxt(out, dtype=int).tolist())) <= set(map(tuple, rows.tolist()))


def test_a_device_word_and_the_environment(small, device, run, monkeypatch):
    monkeypatch.setenv("CLGRAPH_DEVICE", device.spec)
    done = run("sample", small, "--size", "50%", "--seed", 1, "--json")
    assert json.loads(done.out)["device"] == device.name
    monkeypatch.setenv("CLGRAPH_DEVICE", "abacus")
    done = run("sample", small, "--size", "50%", "--seed", 1)
    assert done.status == 1
    assert "CLGRAPH_DEVICE" in done.err
    done = run("sample", small, "--size", "50%", "--seed", 1, "--device", device.spec)
    assert done.status == 0, done.err


# --- sizes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "word"),
    [
        ("0", "at least one vertex"),
        ("-5", "at least one vertex"),
        ("0%", "at least one vertex"),
        ("-10%", "at least one vertex"),
        ("150%", "more than the whole graph"),
        ("1.5", "more than the whole graph"),
        ("nan", "such as 0.3 or 30%"),
        ("half", "such as 0.3 or 30%"),
        ("", "such as 0.3 or 30%"),
        ("0.00001", "less than one vertex"),
    ],
)
def test_bad_sizes(small, run, size, word):
    done = run("sample", small, "--size", size)
    assert done.status == 1
    assert not done.out
    assert word in done.err


def test_a_count_larger_than_the_graph(small, device, run, tmp_path):
    out = tmp_path / "out.txt"
    done = run("sample", small, "--size", 5000, "--device", device.spec, "-o", out)
    assert done.status == 0, done.err
    assert "note: the largest component has" in done.err
    assert "untouched" in done.err
    largest = read(small).largest_component()
    assert read(out).num_edges == largest.num_edges
    strict = tmp_path / "strict.txt"
    done = run("sample", small, "--size", 5000, "--strict", "--device", device.spec, "-o", strict)
    assert done.status == 1
    assert "larger than the graph" in done.err
    assert not strict.exists()


def test_a_disconnected_graph_gives_its_largest_component(device, run, tmp_path):
    path, out = tmp_path / "two.txt", tmp_path / "out.txt"
    path.write_text("1 2\n2 3\n3 4\n4 1\n10 11\n11 12\n")
    done = run("sample", path, "--size", "100%", "--device", device.spec, "--verify", "-o", out)
    assert done.status == 0, done.err
    assert "the largest component has 4 of 7 vertices" in done.err
    assert out.read_text() == "1\t2\n1\t4\n2\t3\n3\t4\n"


def test_one_vertex(device, run, tmp_path):
    path, out = tmp_path / "loop.txt", tmp_path / "out.txt"
    path.write_text("7 7\n")
    for size in ("1", "100%", "0.9"):
        done = run("sample", path, "--size", size, "--device", device.spec, "--verify", "-o", out, "--json")
        assert done.status == 0, done.err
        told = json.loads(done.out)
        assert (told["vertices"], told["edges"]) == (1, 0)
        assert "without edges left out" in done.err  # an edge list cannot hold it: that is said
    assert out.read_bytes() == b"# no edges\n"


def test_edges_are_counted_as_the_files_are(device, run, tmp_path):
    graph, out = tangle(3, directed=True), tmp_path / "part.txt"
    write(graph, tmp_path / "g.clg")
    on = ("--seed", "1", "--device", device.spec)
    done = run("sample", tmp_path / "g.clg", "--size", "50%", *on, "-o", out)
    edges = re.search(r"wrote part.txt: directed, \d+ vertices, (\d+) edges", done.err)[1]
    assert f" vertices, {edges} edges (directed, " in done.out and " pairs, target 75, " in done.out
    assert read(out, directed=True).num_edges == int(edges) > read(out).num_edges
    done = run("sample", tmp_path / "g.clg", "--sizes", "50%", "--seeds", "2", *on)
    assert " pairs, average degree " in done.out
    curve = run("curve", tmp_path / "g.clg", *on)
    assert "pairs" in curve.out and "edges" not in curve.out


def test_a_method_without_modes_names_none(device, run, small, tmp_path):
    done = run("sample", small, "--method", "rw", "--steps", "40", "--seed", "1", "--device", device.spec)
    assert re.search(r"edges \(undirected, seed 1, [0-9.]+ s\)", done.out), done.out
    made = clgraph.sample(read(small), "rw", steps=40, seed=1, device=device)
    assert re.fullmatch(r"<Sample: rw, \d+ vertices, \d+ edges, seed 1>", repr(made))
    assert "auto" not in made._repr_html_() and "target" not in made._repr_html_()


def test_a_graph_without_edges(device, run, tmp_path):
    path = tmp_path / "isolated.graph"
    path.write_text("3 0\n\n\n\n")
    done = run("sample", path, "--size", "1", "--device", device.spec, "--verify", "--json")
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert (told["vertices"], told["edges"]) == (1, 0)


# --- bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "options", "words"),
    [
        ("missing.txt", None, [], ["no such file"]),
        ("empty.txt", "", [], ["the file is empty"]),
        ("one.txt", "1 2\n3\n", [], ["line 2", "1 field"]),
        ("word.txt", "1 2\n2 x7\n", [], ["line 2", "'x7'", "--ids str"]),
        ("negative.txt", "1 2\n2 -3\n", [], ["line 2", "-3", "negative"]),
        ("huge.txt", "1 2\n3 4\n5 99999999999999999999\n", [], ["line 3", "99999999999999999999", "64 bits"]),
        ("nan.txt", "1 2 0.5\n2 3 nan\n", ["--weights"], ["line 2", "'nan'", "finite"]),
        ("header.csv", "one,two\n", [], ["holds no edges", "header"]),
        ("comments.txt", "# FromNodeId ToNodeId\n", [], ["holds no edges"]),
        ("plain.txt.gz", "1 2\n", [], ["not compressed by gzip"]),
        ("what.xyz", "1 2\n", [], ["--format", "edges"]),
        ("none.txt", "1 2\n", ["--format", "dot"], ["unknown format 'dot'", "edges"]),
    ],
)
def test_bad_files(run, tmp_path, name, content, options, words):
    path, out = tmp_path / name, tmp_path / "out.txt"
    if content is not None:
        path.write_text(content)
    done = run("sample", path, "--size", "50%", *options, "-o", out)
    assert done.status == 1
    assert not done.out
    assert done.err.startswith("clgraph: error: ")
    assert str(path) in done.err
    for word in words:
        assert word in done.err, done.err
    assert not out.exists()


def test_truncated_gz(run, tmp_path):
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(gzip.compress(b"".join(b"%d %d\n" % (i, i + 1) for i in range(20_000)))[:-2000])
    done = run("sample", path, "--size", "50%")
    assert done.status == 1
    assert str(path) in done.err
    assert "end too early" in done.err


def test_a_folder_is_no_graph(run, tmp_path):
    done = run("sample", tmp_path, "--format", "edges", "--size", "50%")
    assert done.status == 1
    assert "a folder, not a file" in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "dvr"], ["unknown method 'dvr'", "'drv' (delete_vertices)", "clgraph methods"]),
        (["--method", "drve", "--mode", "exact"], ["exact", "batched"]),
        (["--mode", "fast"], ["mode is 'fast'", "batched"]),
        (["--tolerance", "-1"], ["tolerance", "0 or more"]),
        (["--tolerance", "nan"], ["tolerance", "0 or more"]),
        (["--seed", "-1"], ["seed -1", "2**64 - 1"]),
        (["--seed", str(2**64)], ["seed", "2**64 - 1"]),
        (["--device", "abacus"], ["no device is 'abacus'", "there are:"]),
        (["--device", ""], ["empty"]),
        (["--device", "99:0"], ["99:0"]),
    ],
)
def test_bad_options(small, run, tmp_path, options, words):
    done = run("sample", small, "--size", "50%", "-o", tmp_path / "out.txt", *options)
    assert done.status == 1
    for word in words:
        assert word in done.err, done.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--method", "dvr"], "unknown method 'dvr'"),
        (["--mode", "fast"], "mode is 'fast'"),
        (["--method", "drve", "--mode", "exact"], "mode 'exact' exists for"),
        (["--tolerance", "-1"], "tolerance -1.0"),
        (["--method", "dhyb", "--mix", "1.5"], "mix '1.5'"),
        (["--method", "ebfs", "--start", "x"], "--start x"),
    ],
)
def test_what_needs_no_graph_is_refused_before_it_is_read(run, options, word):
    done = run("sample", "/nonexistent/x.txt", "--size", "50%", *options)
    assert done.status == 1
    assert word in done.err
    if options[0] != "--tolerance" and options[-2] != "--start":
        assert word in run("curve", "/nonexistent/x.txt", *options).err


# --- output that cannot be written ------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["-o", "--record"])
def test_unwritable_places_are_refused_at_once(run, tmp_path, option):
    (tmp_path / "folder.txt").mkdir()
    for name, word in (("no/x.txt", "no folder"), ("folder.txt", "is a folder")):
        # the input does not even exist: it was not looked at
        done = run("sample", "/nonexistent/x.txt", "--size", "50%", option, tmp_path / name)
        assert done.status == 1
        assert f"cannot write {tmp_path / name}" in done.err
        assert word in done.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder.txt"]


def test_a_full_disk_leaves_nothing(small, device, run, tmp_path, monkeypatch):
    out = tmp_path / "out.txt"
    out.write_text("what was there before\n")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("clgraph.formats.atomic.os.replace", full)  # the last moment at which it can go wrong
    done = run("sample", small, "--size", "50%", "--device", device.spec, "-o", out)
    assert done.status == 1
    assert "cannot write" in done.err
    assert "No space left" in done.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt"]
    assert out.read_text() == "what was there before\n"


def test_the_record_does_not_overwrite_the_sample(small, run, tmp_path):
    out = tmp_path / "out.txt"
    done = run("sample", small, "--size", "50%", "-o", out, "--record", out)
    assert done.status == 1
    assert "both name" in done.err
    assert not out.exists()


def test_a_wrong_sample_is_not_written(small, device, run, tmp_path, monkeypatch):
    def wrong(graph, result, connection):
        raise AssertionError("vertex 5 is not connected")

    monkeypatch.setattr("clgraph.reference.verify_sample", wrong)
    out = tmp_path / "out.txt"
    done = run("sample", small, "--size", "50%", "--device", device.spec, "--verify", "-o", out)
    assert done.status == 1
    assert "the sample is wrong: vertex 5 is not connected" in done.err
    assert not list(tmp_path.iterdir())


# --- interrupted, broken ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def strip(tmp_path_factory):
    """A long strip of squares: a search by levels takes 20 000 launches, seconds on the fastest device."""
    path = tmp_path_factory.mktemp("graphs") / "strip.clg"
    number = np.arange(20 * 20_000).reshape(20_000, 20)
    right, down = (number[:, :-1], number[:, 1:]), (number[:-1], number[1:])
    ends = [np.concatenate((a.ravel(), b.ravel())) for a, b in zip(right, down, strict=True)]
    write(Graph.from_edges(*ends), path)
    return path


def test_interrupted_in_a_long_run(strip, device, tmp_path):
    out = tmp_path / "out.txt"
    out.write_text("what was there before\n")
    child = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "clgraph",
            "sample",
            str(strip),
            "--size",
            "50%",
            "--method",
            "drve",
            "--components",
            "bfs",
            "--device",
            device.spec,
            "-o",
            str(out),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    told = child.stderr.readline() + child.stderr.readline()
    assert "device" in told  # the graph is read, the device is chosen: the work begins
    time.sleep(1.5)
    assert child.poll() is None, "the run was too short to be interrupted"
    child.send_signal(signal.SIGINT)
    started = time.monotonic()
    stdout, stderr = child.communicate(timeout=120)
    assert time.monotonic() - started < 30
    assert child.returncode == 130, stderr
    assert stdout == ""
    assert stderr.strip() == "clgraph: interrupted"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt"]
    assert out.read_text() == "what was there before\n"


def test_a_device_that_fails_to_build(small, device, run, tmp_path, monkeypatch):
    """A kernel file that its compiler refuses: the error names device, options, source and log."""
    broken = tmp_path / "cl"
    shutil.copytree(clgraph.device.program.kernel_folder(), broken)
    for file in broken.rglob("copra.cl"):
        file.write_text(file.read_text() + "\n#error spoilt\n")
    monkeypatch.setattr("clgraph.device.program.kernel_folder", lambda: broken)
    monkeypatch.setattr(device, "_programs", {})
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    out = tmp_path / "out.txt"
    done = run("sample", small, "--method", "drve", "--size", "50%", "--device", device.spec, "-o", out)
    assert done.status == 1
    for word in (device.name, "failed to build sampling/copra.cl", "options:", "source:", "hint:", "spoilt"):
        assert word in done.err, done.err
    assert not out.exists()
    with pytest.raises(BuildError):
        clgraph.sample(read(small), "drve", size="50%", device=device)


def test_a_broken_device_is_named(small, device, run, monkeypatch):
    monkeypatch.setitem(device.__dict__, "fault", "builds fail: unknown target CPU")
    done = run("sample", small, "--size", "50%", "--device", device.spec)
    assert done.status == 1
    assert "BROKEN: builds fail: unknown target CPU" in done.err
    assert "clgraph doctor" in done.err


def test_no_driver_at_all(small, tmp_path):
    done = process("sample", small, "--size", "50%", OCL_ICD_VENDORS=str(tmp_path), CLGRAPH_DEVICE="")
    assert done.status == 1
    assert "no OpenCL driver was found" in done.err
    assert "pip install" in done.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(small, run, tmp_path):
    tmp_path.chmod(0o500)
    done = run("sample", small, "--size", "50%", "-o", tmp_path / "out.txt")
    assert done.status == 1
    assert "no permission" in done.err


def test_start_is_a_name_where_ids_are_names(run, tmp_path, device):
    graph = tmp_path / "g.graphml"
    nodes = "".join(f'<node id="n{i}"><data key="d">v {i}</data></node>' for i in range(3))
    edges = "".join(f'<edge source="n{i}" target="n{i + 1}"/>' for i in range(2))
    key = '<key id="d" for="node" attr.name="name" attr.type="string"/>'
    graph.write_text(f'<graphml>{key}<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>')
    line = ("sample", graph, "--method", "ebfs", "--size", 2, "--seed", 1, "--device", device.spec)
    done = run(*line, "--ids", "name", "--start", "v 2")
    assert done.status == 0, done.err
    done = run(*line, "--start", "v 2")
    assert done.status == 1 and "--start v 2: the graph's ids are integers" in done.err
