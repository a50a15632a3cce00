"""The cache folder: its place, its size, several processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import clgraph
from clgraph.device import cache
from clgraph.errors import InputError


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "here"))
    assert cache.cache_folder() == tmp_path / "here"
    assert cache.contents() == {}
    cache.store("programs", "key", b"value")
    assert cache.load("programs", "key") == b"value"
    assert cache.load("programs", "other") is None
    (tmp_path / "here/mine.txt").write_text("not clgraph's")
    cache.clear()
    assert cache.load("programs", "key") is None
    assert (tmp_path / "here/mine.txt").exists()
    monkeypatch.delenv("CLGRAPH_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.cache_folder() == tmp_path / "xdg/clgraph"


@pytest.mark.parametrize(
    ("text", "size"),
    [("", 512 << 20), ("0", 0), ("1000", 1000), ("64k", 64 << 10), ("200M", 200 << 20), ("2GiB", 2 << 30)],
)
def test_cache_size(monkeypatch: pytest.MonkeyPatch, text: str, size: int) -> None:
    monkeypatch.setenv("CLGRAPH_CACHE_SIZE", text)
    assert cache.limit() == size


@pytest.mark.parametrize("text", ["much", "-1", "1.5G", "M", "10 cats"])
def test_what_is_no_cache_size(monkeypatch: pytest.MonkeyPatch, own_cache: Path, text: str) -> None:
    monkeypatch.setenv("CLGRAPH_CACHE_SIZE", text)
    with pytest.raises(InputError, match=f"CLGRAPH_CACHE_SIZE is '{text}'"):
        cache.store("programs", "key", b"value")


def test_what_was_used_longest_ago_goes(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    monkeypatch.setenv("CLGRAPH_CACHE_SIZE", "10K")
    for key in range(8):
        cache.store("programs", str(key), bytes(1000))
        os.utime(own_cache / "programs" / str(key), (1e9 + key, 1e9 + key))
    cache.store("probes", "works", b"yes")
    assert cache.load("programs", "0") is not None  # used now
    for key in range(8, 11):
        cache.store("programs", str(key), bytes(1000))
    assert [key for key in range(11) if cache.load("programs", str(key)) is None] == [1, 2]
    assert sum(size for _, size in cache.contents().values()) <= 10 << 10
    assert cache.load("probes", "works") == b"yes"
    cache.store("programs", "large", bytes(11 << 10))  # for which all else would have to go
    assert cache.load("programs", "large") is None
    assert cache.load("programs", "10") is not None
    monkeypatch.setenv("CLGRAPH_CACHE_SIZE", "0")
    cache.store("programs", "11", b"value")
    assert cache.load("programs", "11") is None


def test_the_folder_is_looked_at_seldom(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    looks, scandir = [], os.scandir

    def watched(folder: Any) -> Any:
        looks.append(folder)
        return scandir(folder)

    monkeypatch.setattr(cache, "_written", None)
    monkeypatch.setattr(os, "scandir", watched)
    for key in range(100):
        cache.store("programs", str(key), bytes(1000))
        cache.load("programs", str(key))
    assert len(looks) == 3  # programs, probes, failed: once


def test_several_processes_write_and_prune(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    monkeypatch.setenv("CLGRAPH_CACHE_SIZE", "64K")
    code = """if True:
        import sys
        from clgraph.device import cache
        for i in range(400):
            key = str(i * 7 % 100)
            cache.store("programs", key, key.encode() * 500)
            kept = cache.load("programs", str(i % 100))
            assert kept in (None, str(i % 100).encode() * 500), (i, kept[:20])
        """
    path = os.pathsep.join(
        filter(None, [str(Path(clgraph.__file__).parent.parent), os.environ.get("PYTHONPATH")])
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, stderr=-1)
        for _ in range(3)
    ]
    said = [process.communicate(timeout=120)[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    # each looks after it has added a sixteenth
    assert sum(size for _, size in cache.contents().values()) <= (64 << 10) * (1 + 3 / 16)
    assert not list((own_cache / "programs").glob(".new-*"))
