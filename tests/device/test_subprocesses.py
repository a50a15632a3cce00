"""Children that try a driver: what they say, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from clgraph.device import subprocesses
from clgraph.device.subprocesses import Child, go_through

CHILD = """
import os, signal, sys, time
from clgraph.device.subprocesses import say
how = sys.argv[-1]
if how == "early":
    raise SystemExit("no luck")
say()
print("chatter of a driver")
print("and a line that it never ends", end="", flush=True)
say(found=7)
if how == "kill": os.kill(os.getpid(), signal.SIGSEGV)
if how == "hang": time.sleep(60)
if how == "python": raise OSError("not the driver")
if how == "status": os._exit(8)
if how == "silently": os._exit(0)
say(end=True)
if how == "late": os.kill(os.getpid(), signal.SIGABRT)
"""
ITEMS = """
import json, os, sys
from clgraph.device.subprocesses import say
known, deadly = json.loads(sys.argv[1]), sys.argv[2:]
for item in "abcd":
    if item not in known:
        say(at=(item, "x"))
        if item in deadly: os._exit(8)
        say(found=item + "!")
say(end=True)
"""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "leaving.py").write_text(CHILD)
    (tmp_path / "items.py").write_text(ITEMS)


@pytest.mark.parametrize(
    ("how", "word", "died"),
    [
        ("well", "", False),
        ("early", "exit status 1: no luck", False),
        ("kill", "ended the process that used it (SIGSEGV)", True),
        ("hang", "did not answer within 2 s", True),
        ("python", "exit status 1: OSError: not the driver", False),
        # as rusticl's translator does, with status 8
        ("status", "ended the process that used it (exit status 8: no output)", True),
        ("silently", "ended the process that used it (exit status 0: no output)", True),
        ("late", "ended the process that used it (SIGABRT)", True),
    ],
)
def test_ends(module: None, monkeypatch: pytest.MonkeyPatch, how: str, word: str, died: bool) -> None:
    """Python's own failures say nothing about a driver."""
    monkeypatch.setattr(subprocesses, "SECONDS", 2.0)
    child = Child("leaving", how)
    said = [*child]
    assert child.died is died and word in str(child.problem or "")
    assert (child.problem is None) is (how == "well")
    assert ({"found": 7} in said) is (how != "early")


def test_a_child_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child("no_such_module")
    assert [*child] == [] and not child.died and "no_such_module" in str(child.problem)
    monkeypatch.setattr(subprocesses.sys, "executable", "/no/such/python")
    child = Child("no_such_module")
    assert [*child] == [] and not child.died and "could not be started" in str(child.problem)


def test_another_child_goes_on_behind_an_item_that_ends_one(module: None) -> None:
    found = [(each.item, each.value, each.died) for each in go_through("items", "b", "d")]
    assert found == [("a", "a!", False), ("b", None, True), ("c", "c!", False), ("d", None, True)]
    found = [(each.item, each.value, each.died) for each in go_through("items", known={"a": 1, "c": 1})]
    assert found == [("b", "b!", False), ("d", "d!", False)]
    (one,) = go_through("leaving", "early")
    assert (one.item, one.value, one.died, one.problem) == ("", None, False, "exit status 1: no luck")
