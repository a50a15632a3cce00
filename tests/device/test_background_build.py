"""Binaries made after a process has ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from clgraph.device import Device, background_build, cache, children, subprocesses
from clgraph.errors import BuildError

CODE = """
import os
import sys
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


def entry(spec: str = "0:0") -> bytes:
    return json.dumps({"spec": spec, "identity": ["a"], "source": "s", "options": ["-DX"]}).encode()


def test_the_next_process_finds_them(device: Device, tmp_path: Path) -> None:
    if device.quirks.binaries != "later":
        pytest.skip("the driver makes binaries as it builds")
    folders = {"CLGRAPH_CACHE_DIR": str(tmp_path / "cache"), "POCL_CACHE_DIR": str(tmp_path / "pocl")}
    env = {**subprocesses.environment(), **folders, background_build.VARIABLE: "1"}

    def wanted() -> list[str]:
        command = [sys.executable, "-c", CODE, device.spec]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    asked, end = wanted(), time.monotonic() + 300  # other processes go first
    assert asked
    while any(not (tmp_path / "cache" / "programs" / key).exists() for key in asked):
        assert time.monotonic() < end
        time.sleep(0.2)
    assert wanted() == []  # nothing is built from source


def test_make(own_cache: Path) -> None:
    seen: list[dict[str, Any]] = []

    def build(**given: Any) -> bytes | None:
        seen.append(given)
        if given["spec"] == "bad":
            raise BuildError("no")
        return b"binary" if given["spec"] == "0:0" else None

    assert children.make(build) == 0  # there is no folder yet
    for key, spec in (("a", "bad"), ("b", "0:0"), ("c", "another")):
        cache.store(background_build.ROOM, key, entry(spec))
    (own_cache / background_build.ROOM / "d").write_bytes(b"damaged")
    assert children.make(build) == 1
    assert seen[1] == {"spec": "0:0", "identity": ["a"], "source": "s", "options": ["-DX"]}
    assert [cache.load("programs", key) for key in "abcd"] == [None, b"binary", None, None]
    assert not os.listdir(own_cache / background_build.ROOM)


def test_another_device_has_that_number_now(device: Device) -> None:
    assert children.build(device.spec, ["another"], "", []) is None


@pytest.mark.parametrize("name", [*background_build.RANKS, background_build.VARIABLE])
def test_nothing_is_asked(
    own_cache: Path, device: Device, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(background_build.VARIABLE, "1")
    monkeypatch.setenv(name, "0")
    background_build.ask(device, "key", "source", ())
    assert not (own_cache / background_build.ROOM).exists()


def test_a_folder_that_goes_with_the_process(
    own_cache: Path, device: Device, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(background_build.VARIABLE, "1")
    own_cache.mkdir(mode=0o777)
    own_cache.chmod(0o777)
    background_build.ask(device, "key", "source", ())
    assert "is not used as the cache" in capsys.readouterr().err
    assert not os.listdir(own_cache) and not os.listdir(cache.cache_folder())


def test_a_forked_process_starts_nothing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: Any, **__: Any) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", started)
    monkeypatch.setattr(background_build, "_asked_in", os.getpid() + 1)
    background_build._start()
