"""Children that try a driver: what they say, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from clgraph.device import subprocesses
from clgraph.device.subprocesses import Found, go_through

CHILD = """
import json, os, signal, sys, time
from clgraph.device.subprocesses import say
how = json.loads(sys.argv[-1])
if how == "early":
    raise SystemExit("no luck")
say()
if how == "at once": os._exit(8)
print("chatter of a driver")
print("and a line that it never ends", end="", flush=True)
say(at=("a", ""))
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
import os
from clgraph.device.subprocesses import serve
def steps(known, *deadly):
    for item in "abcd":
        yield item, "x", lambda: os._exit(8) if item in deadly else item + "!"
serve(steps)
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
        ("at once", "ended the process that used it (exit status 8: no output)", True),
        # as rusticl's translator does, with status 8
        ("status", "ended the process that used it (exit status 8: no output)", True),
        ("silently", "ended the process that used it (exit status 0: no output)", True),
        ("late", "ended the process that used it (SIGABRT)", True),
    ],
)
def test_ends(module: None, monkeypatch: pytest.MonkeyPatch, how: str, word: str, died: bool) -> None:
    """Python's own failures say nothing about a driver."""
    monkeypatch.setattr(subprocesses, "SECONDS", 2.0)
    said = of_one_child("leaving", how)
    last = said[-1]
    assert last.died is died and word in str(last.problem or "")
    assert (last.problem is None) is (how == "well")
    assert (said[0].value == 7) is (how not in ("early", "at once"))


def of_one_child(module: str, *arguments: str) -> list[Found]:
    """What the first child of a module has found."""
    found = []
    for each in go_through(module, *arguments):
        found.append(each)
        if each.problem is not None:
            break
    return found


def test_a_child_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    (child,) = go_through("no_such_module")
    assert not child.died and child.item == "" and "no_such_module" in str(child.problem)
    monkeypatch.setattr(subprocesses.sys, "executable", "/no/such/python")
    (child,) = go_through("no_such_module")
    assert not child.died and "could not be started" in str(child.problem)


def test_another_child_goes_on_behind_an_item_that_ends_one(module: None) -> None:
    found = [(each.item, each.value, each.died) for each in go_through("items", "b", "d")]
    assert found == [("a", "a!", False), ("b", None, True), ("c", "c!", False), ("d", None, True)]
    found = [(each.item, each.value, each.died) for each in go_through("items", known={"a": 1, "c": 1})]
    assert found == [("b", "b!", False), ("d", "d!", False)]
    (one,) = go_through("leaving", "early")
    assert (one.item, one.value, one.died, one.problem) == ("", None, False, "exit status 1: no luck")
