"""Datasets that take the place of others, and what dead processes have left of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clgraph
from clgraph import InputError, system
from clgraph.graph.io import atomic
from clgraph.scale import writing


def path_graph(n: int) -> clgraph.Graph:
    return clgraph.Graph.from_edges(np.arange(n - 1), np.arange(1, n))


@pytest.mark.parametrize("at_once", [True, False])
def test_one_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    if not at_once:
        monkeypatch.setattr(system, "exchange", lambda *_: False)
    for n in (5, 9):
        clgraph.write_shards(path_graph(n), tmp_path / "g.clgs")
        assert clgraph.open_shards(tmp_path / "g.clgs").num_vertices == n
        assert os.listdir(tmp_path) == ["g.clgs"]


def test_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"of {name}").touch()
    if system.exchange(tmp_path / "a", tmp_path / "b"):  # not on every file system
        assert os.listdir(tmp_path / "a") == ["of b"] and os.listdir(tmp_path / "b") == ["of a"]
    assert not system.exchange(tmp_path / "a", tmp_path / "c")

    def no_library(*_: Any, **__: Any) -> None:
        raise OSError

    monkeypatch.setattr("ctypes.CDLL", no_library)
    assert not system.exchange(tmp_path / "a", tmp_path / "b")


def test_what_a_dead_process_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead = int(
        subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True).stdout
    )
    old, new = (tmp_path / f".clgraph-{dead}-{k:012x}.tmp" for k in (1, 2))
    for folder in (old, new):
        folder.mkdir()
        (folder / "pairs-000000.clg").touch()
        os.utime(folder, (time.time() - 2e5,) * 2)  # what is written to a file does not show here
    os.utime(old / "pairs-000000.clg", (time.time() - 2e5,) * 2)
    os.utime(old, (time.time() - 2e5,) * 2)
    monkeypatch.setattr(atomic, "_swept", set())
    clgraph.write_shards(path_graph(5), tmp_path / "g.clgs")
    assert sorted(os.listdir(tmp_path)) == [new.name, "g.clgs"]


def test_a_fault_names_the_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "sync", full)
    with pytest.raises(
        InputError, match=r"cannot write \S*/g\.clgs/pairs-000000\.clg: No space left"
    ) as error:
        clgraph.write_shards(path_graph(5), tmp_path / "g.clgs")
    assert ".clgraph-" not in str(error.value)
    assert os.listdir(tmp_path) == []
