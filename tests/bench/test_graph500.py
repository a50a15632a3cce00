"""`clgraph bench graph500`: the generator's law, the five rules, the statistics, the command."""

import json

import numpy as np
import pytest

import clgraph
from clgraph import system
from clgraph.bench import graph500
from clgraph.bench.graph500 import Edges, Listed, construct, harmonic, make_edges, pick_roots, validate
from clgraph.errors import ClgraphError

# --- the generator ---


def test_edges_have_the_law_of_the_initiator():
    """Of scale 1 the two labels are 0 and 1, or changed places; the quadrants show which."""
    edges = make_edges(1, 100_000)
    assert (edges.num_vertices, len(edges.source)) == (2, 200_000)
    shares = np.bincount(2 * edges.source + edges.target, minlength=4) / 200_000
    if shares[3] > shares[0]:
        shares = shares[::-1]
    # five standard deviations
    np.testing.assert_allclose(shares, [0.57, 0.19, 0.19, 0.05], atol=0.0056)


def test_each_bit_is_drawn_alike_and_labels_are_shuffled():
    scale = 3
    edges = make_edges(scale, 50_000, seed=4)
    # label by share of sources: the vertex of bits 000 has (A + B)^3 of them, 111 has (C + D)^3
    shares = np.sort(np.bincount(edges.source, minlength=8))[::-1] / len(edges.source)
    want = [0.76 ** (3 - ones) * 0.24**ones for ones in (0, 1, 1, 1, 2, 2, 2, 3)]
    np.testing.assert_allclose(shares, want, atol=0.005)
    first = [int(np.bincount(make_edges(scale, 1000, seed).source).argmax()) for seed in range(20)]
    assert len(set(first)) > 4  # the vertex of most edges has another label each time


def test_edges_depend_on_the_seed_alone(monkeypatch):
    monkeypatch.setattr(graph500, "CHUNK", 1000)
    one = make_edges(9, seed=3)
    monkeypatch.setattr(system, "cores", lambda: 1)
    again, other = make_edges(9, seed=3), make_edges(9, seed=5)
    np.testing.assert_array_equal(one.source, again.source)
    np.testing.assert_array_equal(one.target, again.target)
    assert (one.source != other.source).any()
    # the order is random: heavy vertices are no more in front than behind
    busy = np.bincount(one.source, minlength=512)[one.source]
    half = len(busy) // 2
    assert busy[:half].mean() == pytest.approx(busy[half:].mean(), rel=0.1)


# --- kernels ---


def test_the_graph_made_on_a_device_is_that_of_the_list(device):
    edges = make_edges(7, 8)
    made = construct(edges, device)
    loop = edges.source == edges.target
    want = clgraph.Graph.from_edges(edges.source[~loop], edges.target[~loop], vertices=np.arange(128))
    np.testing.assert_array_equal(made.row_ptr, want.row_ptr)
    np.testing.assert_array_equal(made.col_idx, want.col_idx)
    least = np.full((128, 128), np.inf)
    np.minimum.at(least, (edges.source, edges.target), edges.weight)
    least = np.minimum(least, least.T)
    assert edges.weight.min() >= 0 and edges.weight.max() < 1
    np.testing.assert_array_equal(made.weights, least[made.tails, made.col_idx])
    assert not construct(edges, device, weighted=False).is_weighted
    assert not made.directed
    roots = pick_roots(made, 64, 1)
    assert len(set(roots.tolist())) == min(64, np.count_nonzero(made.degrees))
    assert made.degrees[roots].min() > 0


def test_a_list_of_loops_has_no_roots():
    graph = clgraph.Graph.from_edges([], [], vertices=[0, 1])
    with pytest.raises(ClgraphError, match="no vertex has an edge to another one"):
        pick_roots(graph, 64, 1)


# --- validation ---

#    0 - 1 - 2 - 3 - 4, with 0 - 2 as well, and 5 - 6 apart; 7 alone with a loop
LIST = Edges(
    8,
    np.array([0, 2, 2, 3, 2, 5, 7, 1], np.int32),
    np.array([1, 1, 3, 4, 0, 6, 7, 0], np.int32),
    np.array([0.5, 0.125, 0.25, 0.5, 0.75, 0, 0.5, 0.875], np.float32),
)
FAR = float("inf")
# by kind: the type of distances, and a right answer from 0: parents and distances
KINDS = {
    "tree": (np.int32, [0, 0, 0, 2, 3, -1, -1, -1], [0, 1, 1, 2, 3, -1, -1, -1]),
    "paths": (np.float32, [0, 0, 1, 2, 3, -1, -1, -1], [0, 0.5, 0.625, 0.875, 1.375, FAR, FAR, FAR]),
}


def check(device, kind, root=0, parent=None, distance=None, **changes):
    """Validate the right answer with changes: p3=4 makes 4 the parent of 3, d4=1 puts 4 at distance 1."""
    dtype, up, at = KINDS[kind]
    up, at = np.array(parent or up, np.int32), np.array(distance or at, dtype)
    for name, value in changes.items():
        (up if name[0] == "p" else at)[int(name[1:])] = value
    validate(Listed(device, LIST), root, up, at)


@pytest.mark.parametrize(("kind", "far", "step"), [("tree", -1, 1), ("paths", FAR, 0)])
def test_right_answers_are_accepted(device, kind, far, step):
    check(device, kind)
    check(device, kind, root=7, parent=[-1] * 7 + [7], distance=[far] * 7 + [0])
    check(device, kind, root=5, parent=[-1] * 5 + [5, 5, -1], distance=[far] * 5 + [0, step, far])


@pytest.mark.parametrize(
    ("kind", "changes", "says"),
    [
        ("tree", {"p0": 1}, "rule 1 .*: the root's parent is 1"),
        ("tree", {"p0": -1}, "rule 1 .*: the root's parent is -1"),
        ("tree", {"p4": 8}, "rule 1 .*: the parent of vertex 4 is not below 8"),
        ("tree", {"p3": 4}, "rule 1 .*: vertex 3 is on a cycle"),
        ("tree", {"p3": 3}, "rule 1 .*: vertex 3 is on a cycle"),
        ("tree", {"p3": 5}, "rule 1 .*: vertex 3 is on a cycle, or its way up"),
        ("tree", {"d4": 4}, "rule 2 .*: the level of vertex 4"),
        ("tree", {"d5": 1}, "rule 2 .*: the level of vertex 5"),
        # 1 in place of 0 is 2's parent: right in levels, but 0 - 2 then spans two of them
        ("tree", {"p2": 1, "d2": 2, "d3": 3, "d4": 4}, r"rule 3 .*: edge 4 \(2, 0\) joins levels"),
        ("tree", {"p4": -1, "d4": -1}, r"rule 4 .*: edge 3 \(3, 4\) has one end outside"),
        ("tree", {"p5": 0, "d5": 1, "p6": 0, "d6": 1}, "rule 5 .*: vertex 5 and its parent"),
        ("tree", {"p7": 0, "d7": 1}, "rule 5 .*: vertex 7 and its parent"),
        ("paths", {"p0": 1}, "rule 1 .*: the root's parent is 1"),
        ("paths", {"p4": 8}, "rule 1 .*: the parent of vertex 4 is not below 8"),
        ("paths", {"p3": 4}, "rule 1 .*: vertex 3 is on a cycle"),
        ("paths", {"d2": float("nan")}, "rule 2 .*: vertex 2 has no distance"),
        ("paths", {"d2": -1}, "rule 2 .*: vertex 2 has no distance"),
        ("paths", {"d0": float("nan")}, "rule 2 .*: vertex 0 has no distance"),
        ("paths", {"d5": 1}, "rule 2 .*: vertex 5 has a parent and no distance"),
        ("paths", {"d4": FAR}, "rule 2 .*: vertex 4 has a parent and no distance"),
        ("paths", {"d0": 0.25}, "rule 2 .*: the root is at 0.25"),
        ("paths", {"d4": 1.25}, "rule 2 .*: no edge between vertex 4 and its parent"),
        # by the edge of 0.75, which is a path, but not the shortest
        (
            "paths",
            {"p2": 0, "d2": 0.75, "d3": 1, "d4": 1.5},
            r"rule 3 .*: edge 1 \(2, 1\) joins distances 0.75 and 0.5",
        ),
        # the heavier copy of 0 - 1
        ("paths", {"d1": 0.875, "d2": 0.75}, "rule 3 .*: edge 0"),
        ("paths", {"p4": -1, "d4": FAR}, r"rule 4 .*: edge 3 \(3, 4\) has one end outside"),
        ("paths", {"p5": 0, "d5": 1, "p6": 5, "d6": 1}, "rule 5 .*: vertex 5 and its parent"),
    ],
)
def test_each_rule_finds_what_breaks_it(device, kind, changes, says):
    with pytest.raises(ClgraphError, match=says):
        check(device, kind, **changes)


def holds(edges, root, parent, distance, weights):
    """The five rules as the specification says them, one vertex and one edge after the other."""
    n, pairs = edges.num_vertices, list(zip(edges.source, edges.target, weights, strict=True))
    inside = [v for v in range(n) if parent[v] >= 0]
    for v in inside:
        up = v
        for _ in range(n):
            up = parent[up] if 0 <= up < n else -1
        if up != root:
            return False
    spans = {pair for u, v, w in pairs for pair in ((u, v, w), (v, u, w))}
    for v in inside:
        if v != root and not any(
            (parent[v], v, w) in spans and distance[parent[v]] + w == distance[v] for w in weights
        ):
            return False
    reach = [(v, distance[v]) for v in range(n) if np.isfinite(distance[v]) and distance[v] >= 0]
    return (
        parent[root] == root
        and distance[root] == 0
        and [v for v, _ in reach] == inside
        and all((parent[u] >= 0) == (parent[v] >= 0) for u, v, _ in pairs)
        and all(parent[u] < 0 or abs(distance[u] - distance[v]) <= w for u, v, w in pairs)
    )


@pytest.mark.parametrize("kernel", ["bfs", "sssp"])
def test_rules_as_they_are_written(device, kernel):
    """Trees of random lists, most of them with one wrong parent or distance."""
    rng, held = np.random.default_rng(4), []
    for number in range(150):
        n, count = int(rng.integers(3, 9)), int(rng.integers(2, 12))
        weight = (rng.integers(1, 5, count) / 4).astype(np.float32)
        edges = Edges(n, *rng.integers(0, n, (2, count), np.int32), weight)
        graph = construct(edges, device)
        root = int(rng.integers(n))
        parent, distance = (array.copy() for array in graph500.KERNELS[kernel](graph, root, device)())
        parent[root] = root
        if number % 8:
            at = int(rng.integers(n))
            if number % 2:
                parent[at] = rng.integers(-1, n)
            else:
                distance[at] += rng.integers(1, 4) / (4 if kernel == "sssp" else 1)
        weights = weight.tolist() if kernel == "sssp" else [1] * count
        held.append(holds(edges, root, parent.tolist(), distance.tolist(), weights))
        try:
            validate(Listed(device, edges), root, parent, distance)
        except ClgraphError:
            assert not held[-1], (number, edges, root, parent, distance)
        else:
            assert held[-1], (number, edges, root, parent, distance)
    assert 30 < sum(held) < 120


def test_long_trees_have_their_levels(device):
    n = 1000
    path = Edges(n, *np.array([np.arange(n - 1), np.arange(1, n)], np.int32), np.ones(n - 1, np.float32))
    listed = Listed(device, path)
    parent, distance = np.arange(-1, n - 1, dtype=np.int32), np.arange(n, dtype=np.int32)
    parent[0] = 0
    validate(listed, 0, parent, distance)
    parent[1] = n - 1  # a cycle of all but the root
    with pytest.raises(ClgraphError, match="rule 1"):
        validate(listed, 0, parent, distance)


# --- the run ---


def test_harmonic_mean_and_its_deviation():
    mean, spread = harmonic([1.0, 2.0, 4.0])
    assert mean == pytest.approx(3 / (1 + 1 / 2 + 1 / 4))
    # Norris: the deviation of the inverses' mean, times the squared harmonic mean
    inverse = np.array([1, 0.5, 0.25])
    want = np.sqrt(((inverse - inverse.mean()) ** 2).sum()) / 2 * mean**2
    assert spread == pytest.approx(want)
    assert harmonic([5.0]) == (5.0, 0.0)


def lines_of(done):
    """What a run prints: a name and a value on each line."""
    return {name: value.strip() for name, value in (line.split(": ") for line in done.out.splitlines())}


def test_a_run_on_every_device(device, run, tmp_path):
    out = tmp_path / "out.json"
    lines = lines_of(run(f"bench graph500 --scale 8 --roots 5 --device {device.spec} -o {out} -q").fine())
    assert lines["SCALE"] == "8"
    records = json.loads(out.read_text())["records"]
    assert [record["what"] for record in records] == ["bfs", "sssp"]
    for record in records:
        details = record["details"]
        assert lines[f"{record['what']} validation"] == "passed, 5 of 5 trees"
        assert len(details["times"]) == len(details["edges"]) == len(details["validation_times"]) == 5
    assert records[0]["details"]["edges"] == records[1]["details"]["edges"]  # from the same roots
    details = records[0]["details"]
    edges = make_edges(8)
    assert details["of_tuples"] == len(edges.source) == 16 * 256
    # in the largest component are all edges but loops elsewhere
    assert max(details["edges"]) <= 16 * 256
    teps = np.array(details["edges"]) / details["times"]
    for name, want in (
        ("harmonic_mean_TEPS", harmonic(teps)[0]),
        ("median_TEPS", np.median(teps)),
        ("max_time", max(details["times"])),
    ):
        assert float(lines[f"bfs {name}"]) == pytest.approx(want, rel=1e-6)


@pytest.mark.first_device
def test_scale_10_with_all_roots(device, run):
    lines = lines_of(run(f"bench graph500 --scale 10 --device {device.spec} -q").fine())
    assert lines["NBFS"] == "64"
    for kernel in ("bfs", "sssp"):
        assert lines[f"{kernel} validation"] == "passed, 64 of 64 trees"
        kinds = ("min", "firstquartile", "median", "thirdquartile", "max", "harmonic_mean")
        *quartiles, mean = (float(lines[f"{kernel} {kind}_TEPS"]) for kind in kinds)
        assert quartiles == sorted(quartiles)
        assert quartiles[0] <= mean <= quartiles[-1]


@pytest.mark.first_device
def test_one_kernel_may_be_left_out(device, run):
    line = f"bench graph500 --scale 6 --roots 2 --device {device.spec} -q --kernel"
    for kernel, other in (("bfs", "sssp"), ("sssp", "bfs")):
        done = run(line, kernel).fine()
        assert f"{kernel} validation" in done.out and f"{other} " not in done.out
    run(line, "dfs").refused("--kernel dfs: the kernels are bfs, sssp")


def half_the_way(root, parent, distance):
    distance[root - 1] /= 2


def no_parent(root, parent, distance):
    parent[int(np.flatnonzero(parent >= 0)[-1])] = -1


@pytest.mark.first_device
@pytest.mark.parametrize(
    ("kind", "spoil", "kernel", "other"),
    [(np.float32, half_the_way, "sssp", "bfs"), (np.int32, no_parent, "bfs", "sssp")],
)
def test_a_wrong_answer_is_an_error(device, run, monkeypatch, kind, spoil, kernel, other):
    def wrong(listed, root, parent, distance):
        if distance.dtype == kind:
            spoil(root, parent, distance)
        validate(listed, root, parent, distance)

    monkeypatch.setattr(graph500, "validate", wrong)
    done = run(f"bench graph500 --scale 6 --device {device.spec} -q").fine(1)
    assert "1 of 2 cases failed" in done.err and f"graph500/scale6/{kernel}/clgraph" in done.err
    assert "search from " in done.err and " of the validation does not hold" in done.err
    assert f"{other} validation" in done.out
