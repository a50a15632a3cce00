"""The cache folder: its place, its size, several processes."""

from __future__ import annotations

import grp
import os
import pwd
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_runs import environment

import clgraph
from clgraph.device import cache, doctor, subprocesses
from clgraph.device.device import Device
from clgraph.errors import InputError


@pytest.mark.smoke
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
    assert sum(room["bytes"] for room in cache.contents().values()) <= 10 << 10
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
    assert len(looks) == 4  # programs, wanted, probes, failed: once


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
    assert sum(room["bytes"] for room in cache.contents().values()) <= (64 << 10) * (1 + 3 / 16)
    assert not list((own_cache / "programs").glob(".clgraph-*"))


# --- whose folder it is -----------------------------------------------------------------------------------


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_used", {})
    monkeypatch.setattr(cache, "_of_drivers", {})


def closed(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)
    return path


@pytest.mark.parametrize("case", ["writable", "room", "parent", "foreign", "foreign parent", "link"])
def test_a_folder_that_others_may_write_to_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    forgotten: None,
    capsys: pytest.CaptureFixture[str],
    case: str,
) -> None:
    parent = closed(tmp_path / "parent")
    folder = closed(parent / "cache")
    closed(folder / "programs")
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(folder))
    cache.store("programs", "key", b"planted")
    assert cache.cache_folder() == folder and capsys.readouterr().err == ""
    monkeypatch.setattr(cache, "_used", {})
    monkeypatch.setattr(cache, "_of_drivers", {})
    words = {
        "writable": f"everybody may write to {folder}",
        "room": f"everybody may write to {folder / 'programs'}",
        "parent": f"everybody may rename what is in {parent}",
        "foreign": f"{folder} belongs to",
        "foreign parent": f"{parent} belongs to",
        "link": f"everybody may rename what is in {tmp_path / 'open'}",
    }[case]
    {"writable": folder, "room": folder / "programs", "parent": parent}.get(case, tmp_path).chmod(0o777)
    if case == "link":
        tmp_path.chmod(0o700)
        (tmp_path / "open").mkdir()
        (tmp_path / "open").chmod(0o777)
        (tmp_path / "open/cache").symlink_to(folder)
        monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "open/cache"))
    elif case.startswith("foreign"):
        tmp_path.chmod(0o700)
        if os.getuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(folder if case == "foreign" else parent, 12345, -1)
    else:
        tmp_path.chmod(0o700) if case != "writable" else None
    used = cache.cache_folder()
    assert used != folder and used.stat().st_mode & 0o777 == 0o700 and used.stat().st_uid == os.getuid()
    assert cache.load("programs", "key") is None
    cache.store("programs", "key", b"mine")
    assert cache.load("programs", "key") == b"mine" and cache.cache_folder() == used
    said = capsys.readouterr().err
    assert said.count("is not used as the cache") == 1 and words in said
    assert subprocesses.environment()["CLGRAPH_CACHE_DIR"] == str(used)
    found, faults = doctor._cache()
    assert found["folder"] == str(used) and words in faults[0]["fault"]


def test_a_sticky_parent_and_a_group_of_ones_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, forgotten: None
) -> None:
    sticky = closed(tmp_path / "sticky")
    sticky.chmod(0o1777)
    folder = closed(sticky / "cache")
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(folder))
    assert cache.cache_folder() == folder
    folder.chmod(0o770)
    user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(folder.stat().st_gid)
    alone = group.gr_name == user.pw_name and group.gr_gid == user.pw_gid
    assert (cache.distrust(folder) is None) == (alone and set(group.gr_mem) <= {user.pw_name})
    strange = grp.struct_group(("others", "x", folder.stat().st_gid, []))
    monkeypatch.setattr(grp, "getgrgid", lambda number: strange)
    assert cache.distrust(folder) == f"group others may write to {folder}"


def test_somebody_else_is_first_to_make_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, forgotten: None, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(folder))
    assert cache.cache_folder() == folder  # so far
    folder.mkdir()
    folder.chmod(0o777)
    assert cache.make_room("programs").parent != folder
    assert not list(folder.iterdir())


def test_folders_are_made_for_oneself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, forgotten: None
) -> None:
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "a/b/cache"))
    old = os.umask(0)
    try:
        cache.store("programs", "key", b"value")
    finally:
        os.umask(old)
    made = [tmp_path / "a", tmp_path / "a/b", tmp_path / "a/b/cache", tmp_path / "a/b/cache/programs"]
    assert [place.stat().st_mode & 0o777 for place in made] == [0o700] * 4
    assert cache.load("programs", "key") == b"value"


def test_the_temporary_folder_goes_with_the_process(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    code = """if True:
        import os
        from clgraph.device import cache
        cache.store("programs", "key", b"value")
        print(cache.cache_folder())
        if os.fork():
            os.wait()
            assert cache.load("programs", "key") == b"value"
        """
    env = environment(CLGRAPH_CACHE_DIR=str(tmp_path / "open"), TMPDIR=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1
    assert Path(done.stdout.split("\n")[0]).parent == tmp_path
    assert [file.name for file in tmp_path.iterdir()] == ["open"]


def test_a_home_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", "~nobody-of-this-name/x")
    with pytest.raises(InputError, match="CLGRAPH_CACHE_DIR is '~nobody-of-this-name/x'"):
        cache.cache_folder()


def test_what_dead_processes_left_is_removed(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    stale = cache.make_room("programs") / f".clgraph-{gone.pid}-0123456789ab.tmp"
    young = cache.make_room("programs") / f".clgraph-{gone.pid}-0123456789ac.tmp"
    for file in (stale, young):
        file.write_bytes(b"half")
    os.utime(stale, (1e9, 1e9))
    monkeypatch.setattr(cache, "_written", None)
    cache.store("programs", "key", b"value")
    assert not stale.exists() and young.exists()


SEARCH = """
import sys
import clgraph
graph = clgraph.Graph.from_edges([0, 1], [1, 2])
found = [clgraph.bfs(graph, 0, device=sys.argv[1], arrays=arrays).distance for arrays in ("host", "device")]
print(found[0], (found[1] + 1).get())
"""


KEPT = ("CLGRAPH_CACHE_DIR", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "CUDA_CACHE_PATH")


def searched(device: Device, tmp_path: Path, **changes: str) -> str:
    """What a search in a process of its own writes to stderr."""
    (tmp_path / "tmp").mkdir(mode=0o700)
    known = {name: value for name, value in environment().items() if name not in KEPT}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SEARCH, device.spec],
        capture_output=True,
        text=True,
        env={**known, "TMPDIR": str(tmp_path / "tmp"), **changes},
        timeout=300,
    )
    assert done.stdout == "[0 1 2] [1 2 3]\n", done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []
    return done.stderr


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("HOME", "XDG_CACHE_HOME")),
        "CLGRAPH_CACHE_DIR",
    ],
)
def test_a_folder_that_cannot_be_made(device: Device, tmp_path: Path, name: str) -> None:
    said = searched(device, tmp_path, **{name: "/proc/x"})
    assert said.startswith("clgraph: nothing can be cached in /proc/x") and said.count("\n") == 1


def test_a_home_that_is_read_only(device: Device, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", home], capture_output=True).returncode:
        pytest.skip("only root may mount")
    try:
        said = searched(device, tmp_path, HOME=str(home))
    finally:
        subprocess.run(["umount", home], check=True)
    assert said.startswith(f"clgraph: nothing can be cached in {home}/.cache (Read-only file system): ")
    assert said.count("\n") == 1


def test_all_is_kept_in_the_folder_named(device: Device, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    assert searched(device, tmp_path, HOME=str(home), CLGRAPH_CACHE_DIR=str(folder)) == ""
    assert list(home.iterdir()) == []
    if "pocl" in device.platform_version.lower():
        assert list((folder / "pocl").iterdir())
