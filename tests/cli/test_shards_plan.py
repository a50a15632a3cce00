"""What a plan says of a command, against what is known of the dataset and what the command then does."""

import json
import os

import numpy as np
import pytest
from cli_runs import InProcess

import clgraph
from clgraph.cli import shards_plan as module
from clgraph.cli.shards_plan import plan
from clgraph.scale.writing import write_shards

COMMANDS = {
    "sample": {"sizes": 3, "written": True, "method": "dre"},
    "curve": {"method": "drv"},
    "forest": {"method": "drv"},
    "components": {},
    "bfs": {},
    "pagerank": {"iterations": 7, "dtype": "float32"},
    "ppr": {},
}


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    rng = np.random.default_rng(4)
    graph = clgraph.Graph.from_edges(*rng.integers(0, 900, (2, 4000)))
    return write_shards(graph, tmp_path_factory.mktemp("plan") / "g.clgs", shard_edges=500)


@pytest.fixture(autouse=True)
def small_probes(monkeypatch):
    for name, value in (("PROBE", 1 << 16), ("VERTICES", 1 << 10), ("EDGES", 1 << 12)):
        monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("command", COMMANDS)
def test_numbers(device, shards, command):
    if command == "pagerank" and "HAVE_FP64" not in device.features:
        pytest.skip("needs float64")
    n, pairs = shards.num_vertices, shards.section("pairs").shards
    alone = plan(shards, command, device=device, **COMMANDS[command])
    three = plan(shards, command, device=[device] * 3, **COMMANDS[command])
    first, shared = alone.parts[0], three.parts[0]
    assert (alone.ranks, three.ranks) == (1, 3) and len(three.devices) == 3
    if command in ("sample", "curve", "forest", "components"):
        files = [os.stat(shards.path_of(shard)).st_size for shard in pairs]
        assert first.disk == sum(files) and first.passes == 1
        assert shared.disk == max(sum(files[rank::3]) for rank in range(3))
        assert shared.network == 2 * 8 * n
    if command == "sample":
        assert alone.parts[1].passes == 3 and three.parts[1].network == 3 * (n // 8) * 2
    if command == "pagerank":
        assert first.passes == 7 and shared.network == 7 * 4 * n * 2
    assert first.network == 0 and ("network" in alone.speeds) == (first.network > 0)
    assert 0 < alone.seconds < 60 and min(three.speeds.values()) > 0
    assert alone.memory and sum(alone.memory.values()) <= alone.available
    assert json.loads(json.dumps(alone.to_dict()))["fits"] and command in alone.lines()[0]


def test_commands(shards, capsys, monkeypatch):
    run = InProcess(capsys)
    found = json.loads(run("sample", shards.folder, "--sizes", "50%,9%", "--plan", "--json").out)
    assert found["parts"][1]["passes"] == 2 and found["seconds"] > 0
    for command in (
        ("curve",),
        ("components",),
        ("bfs", "-s", "1"),
        ("forest",),
        ("pagerank",),
        ("ppr", "-s", "1"),
    ):
        more = {"ppr": ("--method", "monte-carlo"), "forest": ("-o", "none")}.get(command[0], ())
        done = run(command[0], shards.folder, *command[1:], *more, "--plan")
        assert done.status == 0 and f"plan of {command[0]}: 1 rank" in done.out, done.err
    monkeypatch.setattr(module, "LONG", 0)  # before a long run it is said by itself
    done = run("components", shards.folder)
    assert "plan of components" in done.err and "connected component" in done.out
    assert "plan" not in run("components", shards.folder, "-q").err
