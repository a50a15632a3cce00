"""Datasets that take the place of others, and what dead processes have left of them."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from graph_files import raising

import clgraph
from clgraph import InputError, system
from clgraph.cli import main
from clgraph.formats import atomic
from clgraph.scale import writing
from clgraph.scale.convert import convert_to_shards


def path_graph(n):
    return clgraph.Graph.from_edges(np.arange(n - 1), np.arange(1, n))


def dead_process():
    """The number of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


@pytest.mark.parametrize("at_once", [True, False])
def test_one_takes_the_place_of_another(tmp_path, monkeypatch, at_once):
    if not at_once:
        monkeypatch.setattr(system, "exchange", lambda *_: False)
    for n in (5, 9):
        clgraph.write_shards(path_graph(n), tmp_path / "g.clgs")
        assert clgraph.open_shards(tmp_path / "g.clgs").num_vertices == n
        assert os.listdir(tmp_path) == ["g.clgs"]


def test_exchange(tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"of {name}").touch()
    if system.exchange(tmp_path / "a", tmp_path / "b"):  # not on every file system
        assert os.listdir(tmp_path / "a") == ["of b"] and os.listdir(tmp_path / "b") == ["of a"]
    assert not system.exchange(tmp_path / "a", tmp_path / "c")

    monkeypatch.setattr("ctypes.CDLL", raising(OSError()))
    assert not system.exchange(tmp_path / "a", tmp_path / "b")


def test_what_a_dead_process_left(tmp_path, monkeypatch):
    dead = dead_process()
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


def test_a_fault_names_the_dataset(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "sync", raising(OSError(28, "No space left on device")))
    said = r"cannot write \S*/g\.clgs/pairs-000000\.clg: No space left"
    with pytest.raises(InputError, match=said) as error:
        clgraph.write_shards(path_graph(5), tmp_path / "g.clgs")
    assert ".clgraph-" not in str(error.value)
    assert os.listdir(tmp_path) == []


def tree(folder):
    """All files below a folder, by name."""
    files = (each for each in sorted(folder.rglob("*")) if each.is_file())
    return {os.path.relpath(each, folder): each.read_bytes() for each in files}


def put(folder, name, text="mine"):
    """A file that is not ours, in a folder."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)


# what is put into a dataset's folder, and what is said of it
FOREIGN = {
    "thesis.txt": "thesis.txt",
    "notes/a.txt": "notes",
    "pairs-000099.clg": "pairs-000099.clg",
    "manifest.json": "manifest.json is not what clgraph has written",
    "a link": "pairs-000000.clg",
    "no manifest": "exists, and is no dataset",
}


@pytest.mark.parametrize("change", FOREIGN)
def test_only_a_dataset_is_replaced(tmp_path, change):
    """Whatever else is in the folder: an error that names it, by every call that writes a dataset."""
    graph, out = path_graph(9), tmp_path / "out.clgs"
    clgraph.write(graph, tmp_path / "g.clg")
    shards = clgraph.write_shards(graph, tmp_path / "g.clgs")
    clgraph.write_shards(graph, out)
    if change == "a link":
        (out / "pairs-000000.clg").rename(tmp_path / "mine.clg")
        (out / "pairs-000000.clg").symlink_to(tmp_path / "mine.clg")
    elif change == "no manifest":
        (out / "manifest.json").unlink()
    else:
        put(out, change, '{"name": "an app"}')
    before = tree(tmp_path)
    for call in (
        lambda: clgraph.write_shards(graph, out),
        lambda: convert_to_shards([tmp_path / "g.clg"], out),
        lambda: convert_to_shards([tmp_path / "g.clg"], out, resume=True),
        lambda: clgraph.sample(shards, size=4, seed=1, output=out),
        lambda: main(["generate", "rmat", "--scale", "5", "-o", str(out)]),
    ):
        with pytest.raises((InputError, SystemExit)) as error:
            call()
        assert isinstance(error.value, SystemExit) or FOREIGN[change] in str(error.value)
        assert tree(tmp_path) == before


def test_links_are_not_followed(tmp_path):
    clgraph.write_shards(path_graph(5), tmp_path / "g.clgs")
    for name in ("link.clgs", "broken.clgs"):
        (tmp_path / name).symlink_to(tmp_path / ("g.clgs" if name[0] == "l" else "none"))
        with pytest.raises(InputError, match="is a symbolic link"):
            clgraph.write_shards(path_graph(9), tmp_path / name)
    assert clgraph.open_shards(tmp_path / "link.clgs").num_vertices == 5


@pytest.mark.parametrize("at_once", [True, False])
def test_what_comes_meanwhile_is_kept(tmp_path, monkeypatch, at_once):
    clgraph.write_shards(path_graph(5), tmp_path / "g.clgs")
    if not at_once:
        monkeypatch.setattr(system, "exchange", lambda *_: False)
    path = tmp_path / "g.clgs"
    with pytest.raises(InputError, match=r"thesis\.txt"):
        clgraph.write_shards(path_graph(9), path, progress=lambda *_: put(path, "thesis.txt"))
    assert (tmp_path / "g.clgs/thesis.txt").read_text() == "mine" and os.listdir(tmp_path) == ["g.clgs"]


def test_the_sweep_takes_only_what_is_ours(tmp_path, monkeypatch):
    dead = dead_process()
    kept = [tmp_path / f".clgraph-{dead}-{k:012x}.tmp" for k in range(4)]
    for folder in kept[:3]:
        folder.mkdir()
        (folder / "pairs-000000.clg").touch()
    put(kept[0], "thesis.txt")
    put(kept[1], "notes/a.txt")
    (kept[2] / "ids.clg").symlink_to(tmp_path)
    kept[3].symlink_to(tmp_path)
    for each in (*kept, *(inner for folder in kept[:3] for inner in folder.rglob("*"))):
        os.utime(each, (time.time() - 2e5,) * 2, follow_symlinks=False)
    monkeypatch.setattr(atomic, "_swept", set())
    clgraph.write_shards(path_graph(5), tmp_path / "g.clgs")
    assert sorted(os.listdir(tmp_path)) == [*(each.name for each in kept), "g.clgs"]
    assert (kept[0] / "thesis.txt").exists() and (kept[1] / "notes/a.txt").exists()
    assert all((folder / "pairs-000000.clg").exists() for folder in kept[:3])
