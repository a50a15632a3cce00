"""``clgraph sample`` with several sizes and seeds, and ``clgraph curve``."""

import csv
import json

import numpy as np
import pytest

from clgraph import powerlaw_graph, reduction_curve, sample
from clgraph.files import read, write


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("graphs") / "g.clg"
    write(powerlaw_graph(500, seed=3), path)
    return path


@pytest.mark.smoke
def test_files_by_size_and_seed(run, graph, device, tmp_path):
    template = tmp_path / "out-{size}-{seed}.clg"
    record = tmp_path / "record.json"
    done = run(
        f"sample {graph} --method dre --sizes '70%,50%, 30%' --seeds 2 --seed 5 -o {template} "
        f"--record {record} --verify --device {device.spec}"
    )
    assert done.status == 0, done.err
    data = read(graph)
    for seed in (5, 6):
        for size in ("70%", "50%", "30%"):
            made = read(tmp_path / f"out-{size}-{seed}.clg")
            expected = sample(data, "dre", size=size, seed=seed, device=device)
            np.testing.assert_array_equal(made.ids, expected.vertices)
            np.testing.assert_array_equal(made.col_idx, expected.graph.col_idx)
    assert len(list(tmp_path.iterdir())) == 7
    lines = done.out.splitlines()
    assert sum(line.startswith("dre sample: ") for line in lines) == 6
    assert [line.split(",")[0] for line in lines[-3:]] == ["size 70%", "size 50%", "size 30%"]
    assert "±" in lines[-1]
    told = json.loads(record.read_text())["result"]
    assert [(each["seed"], each["size"]) for each in told["samples"]] == [
        (seed, size) for seed in (5, 6) for size in ("70%", "50%", "30%")
    ]


def test_json_holds_all_samples_and_their_spread(run, graph, device):
    done = run(f"sample {graph} --size 40% --seeds 3 --seed 1 --json -q --device {device.spec}")
    value = json.loads(done.out)
    assert [each["seed"] for each in value["samples"]] == [1, 2, 3]
    (row,) = value["spread"]
    edges = [each["edges"] for each in value["samples"]]
    assert row["edges"]["mean"] == pytest.approx(np.mean(edges))
    assert row["edges"]["spread"] == pytest.approx(np.std(edges, ddof=1))


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--sizes", "70%,50%", "-o", "out.txt"], "put {size}"),
        (["--size", "70%", "--seeds", "2", "-o", "out.txt"], "put {seed}"),
        (["--size", "70%", "-o", "out-{sed}.txt"], "{sed} is unknown"),
        (["--sizes", "70%,70%", "-o", "out-{size}.txt"], "named twice"),
        (["--sizes", "70%,"], "size"),
        (["--size", "70%", "--seeds", "0"], "--seeds 0"),
        (["--size", "70%", "--seeds", "3", "--seed", str(2**64 - 2)], "seed"),
        (["--size", "70%", "--method", "ebfs", "--start", "x"], "--start x"),
        (["--size", "70%", "--method", "ebfs", "--start", "99999"], "99999"),
        (["--size", "70%", "--method", "dhyb", "--mix", "two"], "mix"),
    ],
)
def test_bad_options(run, graph, args, word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("sample", graph, *args)
    assert done.status == 1
    assert word in done.err
    assert list(tmp_path.iterdir()) == []


def test_size_or_sizes(run, graph):
    assert run("sample", graph).status == 2
    done = run("sample", graph, "--size", "5", "--sizes", "4,3")
    assert done.status == 2
    assert "--sizes" in done.err


@pytest.mark.smoke
def test_curve_table_csv_and_json(run, graph, device, tmp_path):
    out = tmp_path / "curve.csv"
    done = run(
        f"curve {graph} --method dre --seeds 2 --seed 4 --points 4 -o {out} --json --device {device.spec}"
    )
    assert done.status == 0, done.err
    value = json.loads(done.out)
    assert value["seeds"] == [4, 5]
    assert value["mode"] == "exact"
    table = value["table"]
    curves = [reduction_curve(read(graph), "dre", seed, device=device) for seed in (4, 5)]
    assert table["share"][0] == 1.0
    assert table["edges"][0] == curves[0].edges[0]
    wanted = round(table["share"][2] * int(curves[0].vertices[0]))
    degree = [2 * c.at(wanted)[2] / c.at(wanted)[1] for c in curves]
    assert table["average_degree"][2] == pytest.approx(np.mean(degree))
    assert table["average_degree_spread"][2] == pytest.approx(np.std(degree, ddof=1))
    with open(out, newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["seed", "deletions", "vertices", "edges"]
    assert len(rows) == 1 + sum(len(c.vertices) for c in curves)
    assert rows[-1] == [
        "5",
        str(curves[1].deletions[-1]),
        str(curves[1].vertices[-1]),
        str(curves[1].edges[-1]),
    ]


def test_curve_on_a_terminal(run, graph, device):
    done = run(f"curve {graph} --method drve --seed 4 --points 3 --size 20% --device {device.spec}")
    assert done.status == 0, done.err
    assert "drve (batched), seed 4" in done.out
    assert "100.0%" in done.out


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_curve_picture(run, graph, device, tmp_path, suffix):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    picture = tmp_path / f"curve.{suffix}"
    done = run("curve", graph, "--seed", "1", "--plot", picture, "--device", device.spec)
    assert done.status == 0, done.err
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert picture.read_bytes().startswith(begins)
    assert list(tmp_path.iterdir()) == [picture]


def test_a_curve_for_print(run, graph, device, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    picture = tmp_path / "curve.pdf"
    args = ("--method", "drve", "--seed", "1", "--seeds", "3", "--points", "3", "--device", device.spec)
    done = run("curve", graph, *args, "--plot", picture, "--columns", "1", "--table", "latex")
    assert done.status == 0, done.err
    assert b"/FontFile2" in picture.read_bytes() and b"/Type3" not in picture.read_bytes()
    assert "\\toprule" in done.out and "a row for every batch" in done.out
    assert "- a batched curve has a row for every batch" in run("curve", graph, *args).out


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--plot", "curve.gif"], ".png"),
        (["--method", "edfs"], "edfs deletes nothing"),
        (["--points", "0"], "--points 0"),
        (["--columns", "2"], "--columns is for --plot PICTURE"),
        (["--points", "999999999"], "1 to 10000"),
        (["--seeds", "0"], "--seeds 0"),
        (["--size", "0"], "size"),
        (["-o", "nowhere/curve.csv"], "nowhere"),
    ],
)
def test_bad_curves(run, graph, args, word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("curve", graph, *args)
    assert done.status == 1
    assert word in done.err
    assert list(tmp_path.iterdir()) == []
