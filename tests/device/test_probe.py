"""Probes: whether a device works, and its features; the children that find out."""

import sys

import numpy as np
import pytest

from clgraph.device import probe as probing
from clgraph.device import subprocesses
from clgraph.device.probe import probe, probe_features, run_probe
from clgraph.device.subprocesses import Found, go_through


@pytest.mark.smoke
def test_features_follow_what_was_measured(device):
    measured = {
        "Portable Computing Language": {"HAVE_FP64", "HAVE_INT64_ATOMICS"},
        "Intel(R) OpenCL": {"HAVE_FP64", "HAVE_INT64_ATOMICS", "HAVE_SUBGROUPS", "HAVE_WORKGROUP_FUNCTIONS"},
        "Intel(R) FPGA Emulation Platform for OpenCL(TM)": {"HAVE_FP64"},
        "NVIDIA CUDA": {"HAVE_FP64", "HAVE_INT64_ATOMICS", "HAVE_PTX"},
    }
    assert device.features >= measured.get(device.platform_name, set())
    if device.kind == "emulator":
        assert "HAVE_INT64_ATOMICS" not in device.features
    assert ("HAVE_PREFETCH" in device.features) == (device.kind in ("cpu", "emulator"))
    assert {f"-D{name}" for name in device.features} <= set(device.build_options)


DIED = "ended the process that used it (SIGABRT): no output"


def dead(item):
    return Found(item, "", None, DIED, True, 0.1)


def alive(item, value):
    return Found(item, "", value, None, False, 0.1)


def test_first_probe_is_made_in_a_child(device, monkeypatch, own_cache):
    """A driver that was never seen to work may abort; one that was is probed in this process."""
    asked = []
    found = [dead("device")]
    monkeypatch.setattr(subprocesses, "go_through", lambda *words: asked.append(words) or iter(found))
    assert probe(device) == f"the probe {DIED}"
    assert asked == [("clgraph.device.children", device.spec, device.identity)]
    found = [dead("")]  # as the process ended
    assert probe(device) == f"the probe {DIED}"
    # a child that failed otherwise says nothing about the driver
    found = [Found("", "", None, "exit status 1: x", False, 0.1)]
    for _ in range(2):
        assert probe(device) is None
        assert len(asked) == 3


def test_a_feature_that_ends_its_process_is_lacking(device, monkeypatch, own_cache):
    """As on PoCL 5.0, whose compiler aborts where sub-groups stand beside barriers."""
    found = [alive("device", None), alive("standard", "-cl-std=CL3.0"), alive("FP64", True)]
    found += [dead("SUBGROUPS"), alive("PTX", False), alive("PREFETCH", True)]
    monkeypatch.setattr(subprocesses, "go_through", lambda *_: iter(found))
    wanted = ("-cl-std=CL3.0", {"HAVE_FP64", "HAVE_PREFETCH"})
    assert probe_features(device) == wanted
    found = []
    assert probe_features(device) == wanted  # from the disk cache

    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(own_cache / "other"))
    found = [dead("device")]
    assert probe_features(device) == ("", set())
    found = [alive("device", None), dead("standard"), dead("FP64")]
    assert probe_features(device) == ("", set())


@pytest.mark.slow
def test_children_find_the_features(device, monkeypatch, own_cache):
    """As this process does, which is asked where no child can be started."""
    standard, features = probe_features(device)
    assert features == device.features
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(own_cache / "other"))
    monkeypatch.setattr(sys, "executable", "")
    assert probe_features(device) == (standard, features)


def test_a_wrong_result_is_a_fault(device, monkeypatch):
    monkeypatch.setitem(vars(device), "download", lambda *_: np.zeros(65, np.int32))
    assert "its result is wrong (sum 0, expected 2016" in str(run_probe(device))


def test_a_device_that_gives_up_long_loops_is_broken(device, monkeypatch):
    """As llvmpipe of Mesa 22.3 does after 65535 steps; the results would be wrong and nobody would know."""
    x = 1
    for _ in range(1000):
        x = (5 * x + 1) % 2**32
    assert probing.loop_end(1000) == x
    monkeypatch.setattr(probing, "loop_end", lambda _: 7)
    assert "it gives up long loops: 1048576 steps ended too early" in str(run_probe(device))


# --- children that try a driver: what they say, and how they end ------------------------------------------

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
def module(monkeypatch, tmp_path):
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
def test_ends(module, monkeypatch, how, word, died):
    """Python's own failures say nothing about a driver."""
    monkeypatch.setattr(subprocesses, "SECONDS", 2.0)
    said = []
    for last in go_through("leaving", how):  # of the first child
        said.append(last)
        if last.problem is not None:
            break
    assert last.died is died and word in str(last.problem or "")
    assert (last.problem is None) is (how == "well")
    assert (said[0].value == 7) is (how not in ("early", "at once"))


def test_a_child_that_cannot_be_started(monkeypatch):
    (child,) = go_through("no_such_module")
    assert not child.died and child.item == "" and "no_such_module" in str(child.problem)
    monkeypatch.setattr(subprocesses.sys, "executable", "/no/such/python")
    (child,) = go_through("no_such_module")
    assert not child.died and "could not be started" in str(child.problem)


def test_another_child_goes_on_behind_an_item_that_ends_one(module):
    found = [(each.item, each.value, each.died) for each in go_through("items", "b", "d")]
    assert found == [("a", "a!", False), ("b", None, True), ("c", "c!", False), ("d", None, True)]
    found = [(each.item, each.value, each.died) for each in go_through("items", known={"a": 1, "c": 1})]
    assert found == [("b", "b!", False), ("d", "d!", False)]
    (one,) = go_through("leaving", "early")
    assert (one.item, one.value, one.died, one.problem) == ("", None, False, "exit status 1: no luck")
