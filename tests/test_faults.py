"""Faults on purpose (`tests/faults`): a few of each, and that the harness would see a fault."""

import numpy as np
import pytest
from cli_runs import ROOT, python
from conftest import chosen_devices
from faults.memory import memory
from faults.trials import TASKS, Prepared
from fuzz.commands import COMMANDS

import clgraph
from clgraph import cli
from clgraph.device.memory import Memory
from clgraph.errors import CapacityError


def faults(config, *args):
    """``python tests/faults ARGS``: a process of its own, since this one has opened drivers."""
    words = chosen_devices(config)
    where = {"CLGRAPH_DEVICE": words[0]} if words else {}
    return python(ROOT / "tests" / "faults", *args, timeout=1800, **where).fine().out


@pytest.mark.parametrize(
    ("what", "count", "only"), [("kills", 4, "to ldbc"), ("disks", 6, "convert to c"), ("lines", 25, "")]
)
def test_a_few_of_each(pytestconfig, what, count, only):
    if pytestconfig.getoption("--require"):
        pytest.skip("among the many of each are more of these")
    told = faults(pytestconfig, what, "--count", count, "--only", only, "--seed", 2)
    assert f"{count} trials" in told


@pytest.mark.parametrize(
    ("what", "count"), [(("kills", "disks"), 40), (("lines",), 80), (("memory",), 120)], ids=str
)
def test_many_of_each(pytestconfig, thorough, what, count):
    told = faults(pytestconfig, *what, "--count", count).splitlines()
    assert [line.partition(",")[0] for line in told if f"{count} trials" in line] == list(what)


def test_every_command_is_tried():
    tried = {name.split()[0] for name in COMMANDS}
    assert set(cli.COMMANDS) - tried == {"demo", "bench", "doctor", "selftest"}  # these take long


@pytest.mark.parametrize("call", ["bfs, sources", pytest.param("shards, components", marks=pytest.mark.slow)])
def test_a_device_without_memory(device, call):
    tally = memory(0, 1, call, device)
    assert tally.failures == [] and sum(tally.counts.values()) > 5


@pytest.mark.slow
def test_a_leak_would_be_seen(device, monkeypatch):
    kept = []
    plain = Memory.empty

    def leaking(self, count, dtype):
        kept.append(plain(self, count, dtype))
        return kept[-1]

    monkeypatch.setattr(Memory, "empty", leaking)
    assert any("buffers are left" in each for each in memory(0, 1, "bfs, sources", device).failures)


def test_an_error_in_no_words_would_be_seen(device, monkeypatch):
    monkeypatch.setattr(Memory, "_no_room", lambda *_: CapacityError("no"))
    assert memory(2, 1, "bfs, sources", device).failures


def test_a_part_of_a_file_would_be_seen(tmp_path):
    task = next(task for task in TASKS if task.suffixes == (".txt",))
    old, new = b"old\n", b"0 1\n1 2\n"
    prepared = Prepared(task, {"out.txt": old}, {"out.txt": new}, [], tmp_path)
    for data, right in ((old, True), (new, True), (b"0 1\n", False), (b"", False)):
        (tmp_path / "out.txt").write_bytes(data)
        assert (prepared.fault() is None) == right
    (tmp_path / "out.txt").unlink()
    assert prepared.fault() == "out.txt is gone"


def test_a_mixture_of_ldbc_files_would_be_seen(tmp_path):
    task = next(task for task in TASKS if task.name == "convert to ldbc")
    made = []
    for seed in (1, 2):
        ends = np.random.default_rng(seed).integers(0, 9, (2, 20))
        clgraph.write(clgraph.Graph.from_edges(*ends, directed=seed == 1), tmp_path / "out.v")
        made.append({file.name: file.read_bytes() for file in task.files(tmp_path)})
    prepared = Prepared(task, *made, [], tmp_path)
    assert prepared.fault() is None
    (tmp_path / "out.properties").write_bytes(made[0]["out.properties"])
    assert "mixture" in str(prepared.fault())
