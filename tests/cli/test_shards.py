"""Datasets of shards from the command line; what a plan says of a command, against what it then does."""

import json
import os

import numpy as np
import pytest

import clgraph
from clgraph.cli import shards_plan as module
from clgraph.cli.shards_plan import plan
from clgraph.scale.writing import write_shards


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with a graph as text and in shards."""
    monkeypatch.chdir(tmp_path)
    graph = clgraph.powerlaw_graph(500, seed=2)
    clgraph.write(graph, "g.txt")
    clgraph.write_shards(clgraph.read("g.txt"), "g.clgs", shard_edges=300)
    return tmp_path


def alike(folder, one, other):
    """Two files have the same bytes."""
    return (folder / one).read_bytes() == (folder / other).read_bytes()


@pytest.mark.smoke
def test_there_and_back(run, folder):
    assert "wrote k.clgs: <Shards: undirected" in run("convert g.txt k.clgs --shard-edges 300").fine().err
    facts = run("info k.clgs --json").json()
    assert facts["vertices"] == len(clgraph.read("g.txt").ids)
    assert facts["section_pairs"]["shards"] > 3
    run("convert k.clgs back.txt").fine()
    assert alike(folder, "back.txt", "g.txt")
    assert "section pairs, entries" in run("info k.clgs").out
    text = (folder / "g.txt").read_text().splitlines(keepends=True)
    for part in (0, 1):
        (folder / f"part-{part}.txt").write_text("".join(text[part::2]))
    run("convert part-0.txt part-1.txt h.clgs --shard-edges 300 --resume").fine()
    assert run("info h.clgs --json").json()["fingerprint"] == facts["fingerprint"]


def test_weights_that_are_left_out(run, folder):
    (folder / "w.txt").write_text("1 2 0.5\n2 3 1.5\n")
    run("convert w.txt w.clg --weights").fine()
    for name in ("w.txt", "w.clg"):
        assert f"note: {name}: weights not read (use --weights)" in run(f"convert {name} w.clgs").err
        assert "not read" not in run(f"convert {name} w.clgs --weights").err
    assert run("info w.clgs --json").json()["weights"]


def test_samples(run, folder):
    done = run("sample g.clgs --sizes 60%,20% --seed 3 -o s-{size}.clgs").fine()
    assert done.out.count("drv sample: ") == 2
    run("sample g.txt --sizes 60%,20% --seed 3 -o s-{size}.txt")
    for size in ("60%", "20%"):
        run(f"convert s-{size}.clgs back-{size}.txt")
        assert alike(folder, f"back-{size}.txt", f"s-{size}.txt")


def test_other_commands(run, folder):
    """The same files as from the graph in memory (PageRank: the same ranks to its bound)."""
    for command in ("components", "bfs --source 3", "bfs -s 3 --sources 9,40"):
        outputs = []
        for graph in ("g.txt", "g.clgs"):
            found = run(f"{command} {graph} -o {graph}.tsv --json").json()
            outputs.append((found["vertices"], found["edges"], found.get("sizes"), found.get("level_sizes")))
        assert outputs[0] == outputs[1]
        assert alike(folder, "g.txt.tsv", "g.clgs.tsv")
    one = run("pagerank g.clgs --top 5 --dtype float64 -o ranks.tsv")
    other = run("pagerank g.txt --undirected --top 5 --dtype float64")
    assert "variant fixed" in one.out and one.out.split("\n")[1:] == other.out.split("\n")[1:]
    assert len((folder / "ranks.tsv").read_text().splitlines()) == outputs[0][0]
    run("pagerank g.txt --undirected --variant fixed --dtype float64 -o one.tsv")
    assert alike(folder, "one.tsv", "ranks.tsv")
    walks = "-s 3 -s 9 --method monte-carlo --seed 4 --walks 500"
    for graph, devices in (("g.txt", "pocl"), ("g.clgs", "pocl,pocl,pocl")):
        run(f"ppr {graph} {walks} --device {devices} -o {graph}.walks").fine()
    assert alike(folder, "g.txt.walks", "g.clgs.walks")


# --- plans ------------------------------------------------------------------------------------------------

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


@pytest.fixture
def small_probes(monkeypatch):
    for name, value in (("PROBE", 1 << 16), ("VERTICES", 1 << 10), ("EDGES", 1 << 12)):
        monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("command", COMMANDS)
def test_numbers(device, shards, command, small_probes):
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


@pytest.mark.parametrize(("spare", "reads"), [(0, 0), (-1, 1)])
def test_shards_that_stay_on_the_device(device, shards, monkeypatch, small_probes, spare, reads):
    """Where they fit, to the byte, they are read once, all in memory; else in every pass, one at a time."""
    n, options = shards.num_vertices, {"dtype": "float64", "iterations": 7}

    def planned(command, **given):
        made = plan(shards, command, device=device, **given)
        name, other = ("a shard", "shards") if reads else ("shards", "a shard")
        return made.parts[-1].disk, made.memory, made.memory.pop(name), made.memory.pop(other, None)

    rows = [each.bytes for each in shards.section("rows").shards]
    kept = max(rows) if reads else sum(rows)
    monkeypatch.setattr(device, "global_memory", 2 * (sum(rows) + 5 * n + spare))
    found = planned("bfs")
    assert found == (sum(rows), {"distances": 4 * n, "bitmaps": 3 * (n // 8)}, kept, None)
    monkeypatch.setattr(device, "global_memory", 1 << 40)
    work = sum(plan(shards, "pagerank", device=device, **options).memory.values()) - sum(rows)
    eighths = 4 if device.shares_memory else 7
    monkeypatch.setattr(device, "global_memory", -(-8 * (work + sum(rows)) // eighths) + 2 * spare)
    disk, memory, shard, none = planned("pagerank", **options)
    assert (disk, sum(memory.values()), shard, none) == (sum(rows) * (7 if reads else 1), work, kept, None)
    monkeypatch.setattr(device, "global_memory", 1 << 40)
    pairs = sum(each.bytes for each in shards.section("pairs").shards)
    monkeypatch.setattr(module, "room_to_keep", lambda *_: pairs + spare)
    for command, passes, more in (("sample", 3, 40), ("curve", 1, 88)):
        for forest in ({"much": 1 << 30}, {"few": 1}):  # the pass that takes most counts
            monkeypatch.setattr(module.Forest, "memory", lambda *_, forest=forest: dict(forest))
            made = plan(shards, command, device=device, sizes=3, written=False, method="drv")
            assert made.parts[1].disk == pairs * passes * reads
            del made.memory["a shard"]
            assert made.memory == (forest if "much" in forest else {"forest": 8 * n, command: more * n})


def test_commands(shards, run, monkeypatch, small_probes):
    found = run(f"sample {shards.folder} --sizes 50%,9% --plan --json").json()
    assert found["parts"][1]["passes"] == 2 and found["seconds"] > 0
    options = {"bfs": "-s 1", "forest": "-o none", "ppr": "-s 1 --method monte-carlo"}
    for command in ("curve", "components", "bfs", "forest", "pagerank", "ppr"):
        done = run(f"{command} {shards.folder} {options.get(command, '')} --plan").fine()
        assert f"plan of {command}: 1 rank" in done.out
    monkeypatch.setattr(module, "LONG", 0)  # before a long run it is said by itself
    done = run(f"components {shards.folder}")
    assert "plan of components" in done.err and "connected component" in done.out
    assert "plan" not in run(f"components {shards.folder} -q").err
