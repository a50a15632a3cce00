"""The cache folder: its place, its size, several processes; binaries made after a process has ended."""

import grp
import json
import os
import pwd
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock, call

import pytest
from cli_runs import python

from clgraph.device import background_build, cache, children, doctor, subprocesses
from clgraph.errors import BuildError, InputError


@pytest.mark.smoke
def test_cache_folder(monkeypatch, tmp_path):
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
def test_cache_size(monkeypatch, text, size):
    monkeypatch.setenv("CLGRAPH_CACHE_SIZE", text)
    assert cache.limit() == size


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("CLGRAPH_CACHE_SIZE", text) for text in ("much", "-1", "1.5G", "M", "10 cats")),
        ("CLGRAPH_CACHE_DIR", "~nobody-of-this-name/x"),
    ],
)
def test_what_is_no_size_and_no_folder_is_refused(monkeypatch, own_cache, name, text):
    monkeypatch.setenv(name, text)
    with pytest.raises(InputError, match=f"{name} is '{text}'"):
        cache.store("programs", "key", b"value")


def test_what_was_used_longest_ago_goes(monkeypatch, own_cache):
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


def test_the_folder_is_looked_at_seldom(monkeypatch, own_cache):
    looks, scandir = [], os.scandir
    monkeypatch.setattr(cache, "_written", None)
    monkeypatch.setattr(os, "scandir", lambda folder: looks.append(folder) or scandir(folder))
    for key in range(100):
        cache.store("programs", str(key), bytes(1000))
        cache.load("programs", str(key))
    assert len(looks) == 4  # programs, wanted, probes, failed: once


def test_several_processes_write_and_prune(monkeypatch, own_cache):
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
    with ThreadPoolExecutor(3) as threads:
        for done in threads.map(lambda _: python("-c", code, timeout=120), range(3)):
            done.fine()
    # each looks after it has added a sixteenth
    assert sum(room["bytes"] for room in cache.contents().values()) <= (64 << 10) * (1 + 3 / 16)
    assert not list((own_cache / "programs").glob(".clgraph-*"))


# --- whose folder it is -----------------------------------------------------------------------------------


@pytest.fixture
def forgotten(monkeypatch):
    monkeypatch.setattr(cache, "_used", {})
    monkeypatch.setattr(cache, "_of_drivers", {})


def folder_of(path, mode=0o700):
    """A folder with these rights, whatever the umask is."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("writable", "everybody may write to HERE/parent/cache"),
        ("room", "everybody may write to HERE/parent/cache/programs"),
        ("parent", "everybody may rename what is in HERE/parent"),
        ("foreign", "HERE/parent/cache belongs to"),
        ("foreign parent", "HERE/parent belongs to"),
        ("link", "everybody may rename what is in HERE/open"),
    ],
)
def test_a_folder_that_others_may_write_to_is_not_used(monkeypatch, tmp_path, forgotten, capsys, case, words):
    parent = folder_of(tmp_path / "parent")
    folder = folder_of(parent / "cache")
    room = folder_of(folder / "programs")
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(folder))
    cache.store("programs", "key", b"planted")
    assert cache.cache_folder() == folder and capsys.readouterr().err == ""
    cache._used.clear()
    cache._of_drivers.clear()
    if case == "link":
        (folder_of(tmp_path / "open", 0o777) / "cache").symlink_to(folder)
        monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "open/cache"))
    elif case.startswith("foreign"):
        if os.getuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(folder if case == "foreign" else parent, 12345, -1)
    else:
        {"writable": folder, "room": room, "parent": parent}[case].chmod(0o777)
    words, used = words.replace("HERE", str(tmp_path)), cache.cache_folder()
    assert used != folder and used.stat().st_mode & 0o777 == 0o700 and used.stat().st_uid == os.getuid()
    assert cache.load("programs", "key") is None
    cache.store("programs", "key", b"mine")
    assert cache.load("programs", "key") == b"mine" and cache.cache_folder() == used
    said = capsys.readouterr().err
    assert said.count("is not used as the cache") == 1 and words in said
    assert subprocesses.environment()["CLGRAPH_CACHE_DIR"] == str(used)
    found, faults = doctor._cache()
    assert found["folder"] == str(used) and words in faults[0]["fault"]


def test_a_sticky_parent_and_a_group_of_ones_own(monkeypatch, tmp_path, forgotten):
    folder = folder_of(folder_of(tmp_path / "sticky", 0o1777) / "cache")
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(folder))
    assert cache.cache_folder() == folder
    folder.chmod(0o770)
    user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(folder.stat().st_gid)
    alone = group.gr_name == user.pw_name and group.gr_gid == user.pw_gid
    assert (cache.distrust(folder) is None) == (alone and set(group.gr_mem) <= {user.pw_name})
    strange = grp.struct_group(("others", "x", folder.stat().st_gid, []))
    monkeypatch.setattr(grp, "getgrgid", lambda number: strange)
    assert cache.distrust(folder) == f"group others may write to {folder}"


def test_somebody_else_is_first_to_make_it(monkeypatch, tmp_path, forgotten, capsys):
    folder = tmp_path / "cache"
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(folder))
    assert cache.cache_folder() == folder  # so far
    folder_of(folder, 0o777)
    assert cache.make_room("programs").parent != folder
    assert not list(folder.iterdir())


def test_folders_are_made_for_oneself(monkeypatch, tmp_path, forgotten):
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "a/b/cache"))
    old = os.umask(0)
    try:
        cache.store("programs", "key", b"value")
    finally:
        os.umask(old)
    made = [tmp_path / "a", tmp_path / "a/b", tmp_path / "a/b/cache", tmp_path / "a/b/cache/programs"]
    assert [place.stat().st_mode & 0o777 for place in made] == [0o700] * 4
    assert cache.load("programs", "key") == b"value"


def test_the_temporary_folder_goes_with_the_process(tmp_path):
    folder = folder_of(tmp_path / "open", 0o777)
    code = """if True:
        import os
        from clgraph.device import cache
        cache.store("programs", "key", b"value")
        print(cache.cache_folder())
        if os.fork():
            os.wait()
            assert cache.load("programs", "key") == b"value"
        """
    done = python("-c", code, CLGRAPH_CACHE_DIR=str(folder), TMPDIR=str(tmp_path))
    assert done.fine().err.count("\n") == 1
    assert Path(done.out.split("\n")[0]).parent == tmp_path
    assert [file.name for file in tmp_path.iterdir()] == ["open"]


def test_what_dead_processes_left_is_removed(monkeypatch, own_cache):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    stale, young = (cache.make_room("programs") / f".clgraph-{gone.pid}-{i:012x}.tmp" for i in range(2))
    for file in (stale, young):
        file.write_bytes(b"half")
    os.utime(stale, (1e9, 1e9))
    monkeypatch.setattr(cache, "_written", None)
    cache.store("programs", "key", b"value")
    assert not stale.exists() and young.exists()


SEARCH = """
import sys, clgraph
graph = clgraph.Graph.from_edges([0, 1], [1, 2])
found = [clgraph.bfs(graph, 0, device=sys.argv[1], arrays=arrays).distance for arrays in ("host", "device")]
print(found[0], (found[1] + 1).get())
"""


def searched(device, tmp_path, **changes):
    """What a search in a process of its own writes to stderr."""
    temporary = folder_of(tmp_path / "tmp")
    with pytest.MonkeyPatch.context() as patched:
        for name in ("CLGRAPH_CACHE_DIR", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "CUDA_CACHE_PATH"):
            patched.delenv(name, raising=False)
        done = python("-W", "ignore", "-c", SEARCH, device.spec, TMPDIR=str(temporary), **changes)
    assert done.out == "[0 1 2] [1 2 3]\n", done.err
    assert list(temporary.iterdir()) == []
    return done.err


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(each, marks=pytest.mark.slow) for each in ("HOME", "XDG_CACHE_HOME")),
        "CLGRAPH_CACHE_DIR",
    ],
)
def test_a_folder_that_cannot_be_made(device, tmp_path, name):
    said = searched(device, tmp_path, **{name: "/proc/x"})
    assert said.startswith("clgraph: nothing can be cached in /proc/x") and said.count("\n") == 1


def test_a_home_that_is_read_only(device, tmp_path):
    home = folder_of(tmp_path / "home")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", home], capture_output=True).returncode:
        pytest.skip("only root may mount")
    try:
        said = searched(device, tmp_path, HOME=str(home))
    finally:
        subprocess.run(["umount", home], check=True)
    assert said.startswith(f"clgraph: nothing can be cached in {home}/.cache (Read-only file system): ")
    assert said.count("\n") == 1


def test_all_is_kept_in_the_folder_named(device, tmp_path):
    home, folder = folder_of(tmp_path / "home"), tmp_path / "cache"
    assert searched(device, tmp_path, HOME=str(home), CLGRAPH_CACHE_DIR=str(folder)) == ""
    assert list(home.iterdir()) == []
    if "pocl" in device.platform_version.lower():
        assert list((folder / "pocl").iterdir())


# --- binaries made after a process has ended --------------------------------------------------------------

CODE = """
import os, sys
import numpy as np
from clgraph.device import get_device
from clgraph.device.cache import make_room
device = get_device(sys.argv[1])
out = device.empty(4, np.int32)
device.fill(out, np.int32(7), 4)
device.program("sampling/members", BLOCK=32)
assert device.download(out, np.int32, 4).tolist() == [7, 7, 7, 7]
print(*sorted(os.listdir(make_room("wanted"))))
"""


def test_the_next_process_finds_them(device, tmp_path):
    if device.quirks.binaries != "later":
        pytest.skip("the driver makes binaries as it builds")
    folders = {"CLGRAPH_CACHE_DIR": str(tmp_path / "cache"), "POCL_CACHE_DIR": str(tmp_path / "pocl")}

    def wanted():
        done = python("-c", CODE, device.spec, **folders, **{background_build.VARIABLE: "1"})
        return done.fine().out.split()

    asked, end = wanted(), time.monotonic() + 300  # other processes go first
    assert asked
    while any(not (tmp_path / "cache" / "programs" / key).exists() for key in asked):
        assert time.monotonic() < end
        time.sleep(0.2)
    assert wanted() == []  # nothing is built from source


def test_make(own_cache):
    build = Mock(side_effect=[BuildError("no"), b"binary", None])
    assert children.make(build) == 0  # there is no folder yet
    entry = {"identity": ["a"], "source": "s", "options": ["-DX"]}
    for key, spec in (("a", "bad"), ("b", "0:0"), ("c", "another")):
        cache.store(background_build.ROOM, key, json.dumps({**entry, "spec": spec}).encode())
    (own_cache / background_build.ROOM / "d").write_bytes(b"damaged")
    assert children.make(build) == 1
    assert build.call_args_list[1] == call(spec="0:0", **entry)
    assert [cache.load("programs", key) for key in "abcd"] == [None, b"binary", None, None]
    assert not os.listdir(own_cache / background_build.ROOM)


def test_another_device_has_that_number_now(device):
    assert children.build(device.spec, ["another"], "", []) is None


@pytest.mark.parametrize("name", [*background_build.RANKS, background_build.VARIABLE])
def test_nothing_is_asked(own_cache, device, monkeypatch, name):
    monkeypatch.setenv(background_build.VARIABLE, "1")
    monkeypatch.setenv(name, "0")
    background_build.ask(device, "key", "source", ())
    assert not (own_cache / background_build.ROOM).exists()


def test_a_folder_that_goes_with_the_process(own_cache, device, monkeypatch, capsys):
    monkeypatch.setenv(background_build.VARIABLE, "1")
    folder_of(own_cache, 0o777)
    background_build.ask(device, "key", "source", ())
    assert "is not used as the cache" in capsys.readouterr().err
    assert not os.listdir(own_cache) and not os.listdir(cache.cache_folder())


def test_a_forked_process_starts_nothing(own_cache, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    monkeypatch.setattr(background_build, "_asked_in", os.getpid() + 1)
    background_build._start()
