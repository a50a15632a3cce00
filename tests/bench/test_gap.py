"""`clgraph bench gap`: the suite's kernels and trials, each verifier against a wrong result, the command."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

import clgraph
from clgraph import Graph
from clgraph.bench import gap
from clgraph.bench.gap import KERNELS, cases, peer_folders, pick_roots, table
from clgraph.bench.harness import Context
from clgraph.errors import ClgraphError, InputError
from clgraph.reference.centrality import reference_betweenness


def small(directed=False):
    random = np.random.default_rng(3)
    ends = random.integers(0, 40, (2, 150))
    ends = ends[:, ends[0] != ends[1]]
    made = Graph.from_edges(*ends, directed=directed, vertices=np.arange(45))
    return Graph._from_arrays(replace(made._arrays, multiplicity=None))


# --- every kernel ---


def test_the_suite_on_every_device(device, run, tmp_path):
    out = tmp_path / "out.json"
    done = run(f"bench gap --scale 5 --trials 2 --device {device.spec} -o {out} -q").fine()
    facts = json.loads(out.read_text())
    assert [(r["graph"], r["what"]) for r in facts["records"]] == [
        (graph, kernel) for graph in ("kron5", "urand5") for kernel in KERNELS
    ]
    assert {len(r["details"]["trials"]) for r in facts["records"]} == {2}
    assert {r["details"]["verified"] for r in facts["records"]} == {2}
    (shown,) = facts["tables"]
    assert [row["kernel"] for row in shown["rows"]] == ["BFS", "SSSP", "PR", "CC", "BC", "TC"]
    assert "| kernel | kron5: clgraph, s | urand5: clgraph, s |" in done.out


@pytest.mark.first_device
def test_scale_10_with_all_trials(device, run, tmp_path):
    told = run(f"bench gap --scale 10 --device {device.spec} --json -q").json()
    trials = {r["what"]: r["details"]["verified"] for r in told["records"]}
    assert trials == {"bfs": 64, "sssp": 64, "pr": 16, "cc": 16, "bc": 16, "tc": 3}


@pytest.mark.first_device
@pytest.mark.parametrize("name", ["g.sg", "g.mtx", "g.wsg", "g.el"])
@pytest.mark.parametrize("directed", [False, True])
def test_files_with_copies_loops_and_weights(device, run, tmp_path, name, directed):
    random = np.random.default_rng(5)
    source, target = random.integers(0, 30, (2, 120))
    weights = np.arange(1.0, 121) if name == "g.wsg" else None
    graph = Graph.from_edges(source, target, directed=directed, weights=weights)
    path = tmp_path / name
    clgraph.write(graph, path, format="edges" if name == "g.el" else None)
    records = run(f"bench gap {path} --trials 2 --device {device.spec} --json").json()["records"]
    if name == "g.el":  # which does not say whether it is directed
        return
    arcs = {(u, v) for u, v in zip(source.tolist(), target.tolist(), strict=True) if u != v}
    arcs |= set() if directed else {(v, u) for u, v in arcs}
    assert records[0]["details"]["of_arcs"] == len(arcs)
    assert records[0]["details"]["directed"] == directed


def test_trials_are_the_suites():
    made = {case.what: case.options["trials"] for case in cases(["kron5"])}
    assert made == {"bfs": 64, "sssp": 64, "pr": 16, "cc": 16, "bc": 16, "tc": 3}
    assert [case.what for case in cases(["kron5"], ["tc", "bfs"])] == ["bfs", "tc"]
    with pytest.raises(InputError, match="--kernel sort: the kernels are bfs, sssp, pr"):
        cases(["kron5"], ["sort"])


@pytest.mark.first_device
def test_generated_graphs_have_the_suites_laws(device):
    """Weights are drawn for every copy, and the lightest stays."""
    for kind in ("urand", "kron"):
        plain, graph = (load(f"{kind}10", device) for load in (gap._load, gap._load_weighted))
        assert (plain.num_vertices, plain.directed, plain.num_self_loops) == (1024, False, 0)
        np.testing.assert_array_equal(graph.row_ptr, plain.row_ptr)
        np.testing.assert_array_equal(graph.col_idx, plain.col_idx)
        matrix = graph.to_scipy()
        assert abs(matrix - matrix.T).nnz == 0
        if kind == "urand":
            # 16384 uniform pairs: each vertex has about 32 neighbours, as a Poisson number
            degrees = np.asarray(plain.degrees)
            assert degrees.mean() == pytest.approx(31.5, rel=0.02)
            assert degrees.var() == pytest.approx(31.5, rel=0.2)
            # few of the edges are copies: weights are uniform from 1 to 255
            weights = np.asarray(graph.weights)[graph.tails < graph.col_idx]
            assert (weights.min(), weights.max()) == (1, 255)
            assert weights.mean() == pytest.approx(127.2, abs=3)
            assert np.bincount(weights.astype(int)).max() < 2 * len(weights) / 255
    assert np.asarray(plain.degrees).max() > 5 * degrees.max()


def test_of_copies_the_lightest_is_kept():
    source, target = np.array([0, 0, 0, 1, 3]), np.array([1, 1, 1, 2, 2])
    for directed in (False, True):
        how = {"weights": [5, 3, 4, 9, 2], "directed": directed, "duplicates": "keep"}
        found = gap.lightest(Graph.from_edges(source, target, **how)._arrays)
        want = {(0, 1): 3, (1, 2): 9, (3, 2): 2}
        if not directed:
            want |= {(v, u): weight for (u, v), weight in want.items()}
        arcs = zip(found.tails().tolist(), found.col_idx.tolist(), strict=True)
        assert dict(zip(arcs, found.weights.tolist(), strict=True)) == want
    # the law of the least of many
    tails = np.repeat(np.arange(3000), 5)
    found = gap.lightest(Graph.from_edges(tails, tails + 1, duplicates="keep")._arrays)
    assert len(found.col_idx) == 6000
    assert found.weights.mean() == pytest.approx(1 + 254 / 6, rel=0.05)


@pytest.mark.first_device
@pytest.mark.parametrize("name", ["g.wsg", "g.mtx", "g.wel", "g.gr", "g.graph", "g.clg"])
def test_weights_of_files_count(device, tmp_path, name):
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], weights=[300, 400, 500, 2000])
    clgraph.write(graph, tmp_path / name, format="edges" if name == "g.wel" else None)
    loaded = gap._load_weighted(str(tmp_path / name), device)
    assert gap._sssp(loaded, np.array([0]), device).distance.tolist() == [0, 300, 700, 1200]
    plain = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3])
    if name in ("g.mtx", "g.graph", "g.clg"):
        clgraph.write(plain, tmp_path / name)
        drawn = gap._load_weighted(str(tmp_path / name), device)
        assert drawn.weights.min() >= 1 and drawn.weights.max() <= 255


@pytest.mark.first_device
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", ["whole", "fractions", "zeros"])
def test_distances_are_verified_whatever_the_weights(device, directed, kind):
    made, context = small(directed), Context(device)
    weights = {"whole": 1.0, "fractions": 0.37, "zeros": 0.0}[kind] + gap.lightest(made._arrays).weights // 64
    graph = Graph._from_arrays(replace(made._arrays, weights=weights))
    assert gap.is_whole(graph) == (kind == "whole")
    for root in pick_roots(graph, 3):
        roots = np.array([root])
        found = gap._sssp(graph, roots, device)
        gap._check_sssp(context, graph, roots, found)
        # SciPy takes zeros for no arcs
        if kind != "zeros":
            want = dijkstra(graph.to_scipy(), indices=int(root))
            np.testing.assert_allclose(found.distance, want, rtol=1e-12)
        for v in range(45):
            for step in (-0.25, 0.25, np.inf):
                wrong = found.distance.copy()
                wrong[v] += step
                if np.array_equal(wrong, found.distance):
                    wrong[v] = 7
                with pytest.raises(ClgraphError):
                    gap._check_sssp(context, graph, roots, replace(found, distance=wrong))


def test_roots_have_arcs():
    graph = Graph.from_edges([3, 5], [5, 9], directed=True, vertices=np.arange(12))
    roots = pick_roots(graph, 50)
    assert set(roots.tolist()) == {3, 5}
    with pytest.raises(ClgraphError, match="no edges"):
        pick_roots(Graph.from_edges([], [], vertices=[1]), 1)


# --- verification ---


@pytest.mark.parametrize("directed", [False, True])
def test_references_agree_with_the_definitions(directed):
    graph = small(directed)
    matrix = gap.peers.scipy_matrix(graph, np.float64)
    for roots in ([0], [1, 7, 30]):
        found = sum(gap._brandes(matrix, root) for root in roots)
        np.testing.assert_allclose(found, reference_betweenness(graph, roots), atol=1e-9)
    dense = np.minimum(matrix.toarray() + matrix.toarray().T, 1)
    assert gap._count_triangles(graph) == np.trace(dense @ dense @ dense) // 6


@pytest.mark.first_device
@pytest.mark.parametrize("directed", [False, True])
def test_each_verifier_finds_a_wrong_result(device, directed):
    plain, context = small(directed), Context(device)
    weighted = Graph._from_arrays(gap.lightest(plain._arrays))
    wrong = {
        "bfs": lambda found: replace(found, predecessor=np.where(found.predecessor > 0, 0, -1)),
        "sssp": lambda found: replace(found, distance=found.distance + np.eye(1, 45, 3)[0]),
        "pr": lambda found: found + np.eye(1, 45, 3)[0] * 1e-3,
        "cc": lambda found: replace(found, labels=np.zeros(45, np.int32)),
        "bc": lambda found: found + np.eye(1, 45, 3)[0] * 1e-4,
        "tc": lambda found: found + 1,
    }
    for name, kernel in KERNELS.items():
        graph = weighted if kernel.weighted else plain
        roots = pick_roots(graph, kernel.roots) if kernel.roots else np.empty(0, np.int64)
        found = kernel.run(graph, roots, device)
        kernel.verify(context, graph, roots, found)
        with pytest.raises((AssertionError, ClgraphError)):
            kernel.verify(context, graph, roots, wrong[name](found))
    other = (roots := pick_roots(weighted, 1)) + 1
    for name in ("bfs", "sssp"):
        found = KERNELS[name].run(weighted, roots, device)
        with pytest.raises(ClgraphError, match="the search began at"):
            KERNELS[name].verify(context, weighted, other, found)


@pytest.mark.first_device
def test_what_fails_is_an_error(device, run, monkeypatch):
    monkeypatch.setitem(KERNELS, "tc", KERNELS["tc"]._replace(run=lambda *_: -1))
    line = f"bench gap --trials 1 --device {device.spec} -q"
    said = run(f"{line} --scale 4").fine(1).err
    assert "2 of 12 cases failed" in said and "gap/kron4/tc/clgraph" in said
    assert "trial 0 is wrong: -1 triangles, SciPy finds" in said
    assert "none.sg" in run(f"{line} none.sg").fine(1).err


# --- peers ---


@pytest.mark.first_device
def test_gapbs_runs_beside_it(device, run, tmp_path):
    for name in ("bc", "tc"):
        program = tmp_path / name
        words = f'echo "$@" > {tmp_path}/{name}.words'
        program.write_text(f'#!/bin/sh\n{words}\nfor s in 5 1 3; do echo "Trial Time: $s.5"; done\n')
        program.chmod(0o755)
    assert peer_folders([f"gapbs={tmp_path}"]) == {"gapbs": str(tmp_path)}
    line = f"bench gap --scale 4 --device {device.spec} --peer gapbs={tmp_path} --json --trials 3"
    told = run(f"{line} --kernel bc --kernel tc --kernel cc").json()
    records = {(r["graph"], r["what"], r["who"]): r for r in told["records"]}
    assert len(records) == 12
    theirs = records["kron4", "tc", "gapbs"]
    assert theirs["details"]["trials"] == [5.5, 1.5, 3.5]
    assert theirs["values"]["mean"]["value"] == 3.5
    assert theirs["device"] is None
    assert records["kron4", "cc", "gapbs"]["status"] == "absent"
    file, *options = (tmp_path / "bc.words").read_text().split()[1:]
    assert (file[-8:], options) == ("graph.sg", ["-n", "3", "-i", "4"])
    shown = table(list(records.values())).markdown()
    assert "kron4: gapbs, s" in shown and "| absent |" in shown
