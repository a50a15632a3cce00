"""Columns written as the rows of a text: the bytes of Python, by kernels and without them."""

import io

import numpy as np
import pytest
from cli_runs import InProcess

import clgraph.files.columns
from clgraph import powerlaw_graph, write
from clgraph.files.columns import LAUNCH, LaunchConfig, Spelling, write_columns


def floats(rng, count):
    """Floats below 1000, of all exponents, and those around the least that has none."""
    bits = rng.integers(0, 0x447A0000, count).astype(np.uint32)
    bits[:200] = np.arange(0x38D1B717 - 100, 0x38D1B717 + 100)
    bits[200:400] = rng.integers(0, 1000, 200).astype(np.float32).view(np.uint32)
    bits[400:660] = (2.0 ** np.arange(-150, 110, 1)).clip(0, 999).astype(np.float32).view(np.uint32)
    made = bits.view(np.float32)
    made[::3] *= -1
    return made


@pytest.mark.parametrize("which", range(4))
def test_kernels_spell_as_python_does(device, tmp_path, which):
    rng = np.random.default_rng(which)
    count = 3000
    whole = rng.integers(-(2**63), 2**63 - 1, count) >> rng.integers(0, 64, count)
    whole[:6] = 0, -1, -(2**63), 2**63 - 1, 9, 10
    small = rng.integers(-3, 2**31 - 1, count).astype(np.int32)
    small[:2] = -(2**31), 2**31 - 1
    doubles = 10.0 ** rng.uniform(-320, 3, count) * rng.choice([-1, 1], count)
    doubles[:5] = 0.0, -0.0, 1.0, 1e-4, 9.999e-5
    columns = [(whole, small), (small, floats(rng, count)), (whole, whole, doubles), (doubles, small, whole)]
    wanted = io.BytesIO()
    write_columns(wanted, *columns[which])
    assert (
        wanted.getvalue().splitlines()[2] == "\t".join(str(column[2]) for column in columns[which]).encode()
    )
    small = LaunchConfig(run=7, chunk=900, rooms=2)
    for shape in (small, LAUNCH.of(device)) if which == 2 else (small,):
        spelling = Spelling(device, columns[which], shape)
        with open(tmp_path / "a.tsv", "wb") as file, device.alone():
            spelling.write(file)
        assert (tmp_path / "a.tsv").read_bytes() == wanted.getvalue()


def test_what_is_written_where(device, tmp_path, monkeypatch):
    made = []

    class Noted(Spelling):
        def __init__(self, device, columns):
            made.append(len(columns[0]))
            super().__init__(device, columns)

    monkeypatch.setattr(clgraph.files.columns, "Spelling", Noted)
    monkeypatch.setattr(clgraph.files.columns, "SMALL_ROWS", 50)
    for count, reals, there in (
        (49, np.full(49, 0.5), False),
        (50, np.full(50, 0.5), True),
        (50, np.full(50, 1000.0), False),
        (50, np.full(50, np.nan, np.float32), False),
        (50, np.array(["a", "é"] * 25, object), False),
    ):
        with open(tmp_path / "a.tsv", "wb") as file:
            write_columns(file, np.arange(count), reals, device=device)
        rows = (tmp_path / "a.tsv").read_text(encoding="utf-8").splitlines()
        assert rows == [f"{k}\t{value!s}" for k, value in enumerate(reals)] and bool(made) == there
        made.clear()


def test_results_of_commands(device, tmp_path, monkeypatch, capsys):
    run = InProcess(capsys)
    graph = powerlaw_graph(300, seed=1)
    write(graph, tmp_path / "a.txt")
    commands = [("bfs", "-s", "1"), ("components",), ("pagerank",), ("pagerank", "--dtype", "float64")]
    commands += [("ppr", "--source", "1", "--top", "0"), ("ppr", "--source", "1", "--source", "3")]
    for command in commands:
        texts = []
        for least in (10**9, 1):
            monkeypatch.setattr(clgraph.files.columns, "SMALL_ROWS", least)
            words = command[0], tmp_path / "a.txt", *command[1:], "-o", tmp_path / "out.tsv"
            assert run(*words, "--device", device.spec).status == 0
            texts.append((tmp_path / "out.tsv").read_bytes())
        assert texts[0] == texts[1] and texts[0].count(b"\n") >= 20
