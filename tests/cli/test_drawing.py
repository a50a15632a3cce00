"""The literature's samplers on the command line, and samplers of streams: files, pipes, ids that are text."""

import subprocess

import numpy as np
import pytest
from cli_runs import command, environment
from graphs import random_graph

from clgraph import read, write
from clgraph.methods import LITERATURE
from clgraph.sampling import sample


@pytest.fixture
def file(tmp_path):
    write(random_graph(1, 60, 150), tmp_path / "graph.txt")
    return f"{tmp_path}/graph.txt"


@pytest.fixture
def draw(run, file, device):
    """``draw("rw", "--steps 9")``: a sample of the file by a method, on the device."""
    return lambda method, options: run(
        f"sample {file} --method {method} --seed 1 --device {device.spec} {options}"
    )


@pytest.mark.smoke
def test_methods(run):
    told = run("methods --json").json()["methods"]
    assert set(LITERATURE) < set(told) and "drv" in told
    assert told["hyb"]["options"] == ["edges", "mix", "keep"]
    text = run("methods").out
    assert "RandomNodeNeighbor" in text and "Ahmed, Neville, Kompella" in text


def test_a_race(draw, file, tmp_path, device):
    out = tmp_path / "out.txt"
    done = draw("RandomEdge", f"--edges 20 --verify -o {out}").fine()
    assert "verified: what re draws" in done.err and done.out.startswith("re sample:")
    expected = sample(read(file), "re", edges=20, seed=1, device=device)
    assert read(out).num_edges == 20
    assert np.array_equal(read(out).ids, expected.vertices)


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("method", "options", "wanted"),
    [
        ("RandomEdge", "--edges 20", {"weighting": "approximate", "keep": "visited", "size": "20"}),
        ("rw", "--steps 40 --burn-in 4 --walkers 3", {"weighting": "stationary"}),
        ("mhrw", "--size 9 --keep tree --walkers 3", {"vertices": 9}),
        ("ust", "", {"vertices": 60, "keep": "tree"}),
        ("SpikyBall", "--share 0.3 --powers 1,0,-0.5 --size 9", {"vertices": 9, "weighting": "none"}),
        *((method, "--size 9", {}) for method in ("diffusion", "xsn", "sp", "cnarw")),
    ],
)
def test_what_is_told(draw, method, options, wanted):
    told = draw(method, f"{options} --json -q --verify").json()
    assert told["verified"] and wanted.items() <= told.items()


def test_sizes_and_seeds(draw):
    told = draw("rdn", "--sizes 50%,5 --seeds 2 --json -q").json()["samples"]
    assert [(one["vertices"], one["seed"]) for one in told] == [(30, 1), (5, 1), (30, 2), (5, 2)]


def test_a_chordal_subgraph(draw, tmp_path):
    done = draw("chordal", f"--verify -o {tmp_path}/out.txt").fine()
    assert "verified: what chordal draws" in done.err and "not always maximal" in done.err
    told = draw("quasi-chordal", "--parts 3 --verify --json").json()
    assert (told["vertices"], told["size"]) == (60, None)
    several = draw("chordal", "--mode exact --seeds 2 --verify").fine()
    assert several.out.count("chordal sample: 60 of 60") == 2


# --- streams ----------------------------------------------------------------------------------------------


@pytest.fixture
def stream(tmp_path):
    """A file of many edges, and the same with names in place of numbers."""
    rows = np.random.default_rng(1).integers(0, 90, (600, 2)).tolist()
    (tmp_path / "edges.txt").write_text("".join(f"{u} {v}\n" for u, v in rows))
    (tmp_path / "names.tsv").write_text("".join(f"n{u}\tn{v}\n" for u, v in rows))
    return f"{tmp_path}/edges.txt", f"{tmp_path}/names.tsv"


def test_names(run, stream, tmp_path, device):
    """Text as ids: the same sample, verified, written, recorded and made again."""
    numbers, names = stream
    on = f"--device {device.spec} -q"
    out, plain, record = (tmp_path / name for name in ("out.csv", "plain.csv", "record.json"))
    for method in ("gps --edges 50 --block 9", "pies --size 20", "gsh"):
        options = f"--method {method} --seed 3 --verify {on}"
        run(f"sample {names} --ids str {options} -o {out} --record {record}").fine()
        run(f"sample {numbers} {options} -o {plain}").fine()
        named, numbered = (
            [frozenset(pair) for pair in zip(*graph.to_edges()[:2], strict=True)]
            for graph in (read(out, ids="str"), read(plain))
        )
        assert set(named) == {frozenset(f"n{x}" for x in pair) for pair in numbered}
        assert run(f"replay {record} {on}").fine().out.startswith(f"equal: {options.split()[1]}, size")


def test_a_pipe(stream, device):
    line = f"sample - --method pies --size 20 --seed 3 --device {device.spec} -q -o - --to edges"
    with open(stream[0], "rb") as text:
        done = subprocess.run(command(line), stdin=text, capture_output=True, env=environment())
    assert done.returncode == 0, done.stderr
    expected = sample(stream[0], "pies", size=20, seed=3, device=device)
    rows = sorted(tuple(map(int, row.split())) for row in done.stdout.decode().splitlines())
    assert rows == sorted(zip(*(end.tolist() for end in expected.graph.to_edges()[:2]), strict=True))


def test_files_are_verified(run, stream, tmp_path, device):
    line, out = f"sample {stream[0]} --seed 3 --device {device.spec} --verify", tmp_path / "out.csv"
    done = run(f"{line} --method gsh --p 0.1 --q 0.2 -o {out}").fine()
    assert "verified: what gsh holds" in done.err and "triangles:" in done.out
    assert read(out).num_edges > 0
    told = run(f"{line} --method gps --edges 50 --json").json()
    assert set(told["estimates"]) == {"edges", "wedges", "triangles", "triangles in stream"}
    assert told["size"] == "50" and told["verified"]
    several = run(f"{line} --method pies --sizes 20,5 --seeds 2").fine()
    assert several.out.count("pies sample: 19 vertices") == 2
    assert "19 vertices: the next edge would have brought two" in several.err
