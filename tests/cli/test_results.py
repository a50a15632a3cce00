"""``clgraph pagerank``, ``ppr``, ``centrality``, ``bfs``, ``paths`` and ``communities`` from end to end."""

import numpy as np
import pytest
from cli_runs import process
from graph_files import put

import clgraph
from clgraph import pagerank, read
from clgraph.reference.pagerank import reference_ppr

KEYS = {"vertices", "edges", "directed", "damping", "iterations", "converged", "residual", "norm", "tol"}
KEYS |= {"error_bound", "dangling", "variant", "plan", "dtype", "device", "kernels", "built", "top"}
KEYS |= {"seconds", "verified"}


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """A graph of ids with gaps; as a directed one it has dangling vertices."""
    ends = np.random.default_rng(1).integers(0, 50, (2, 160)) * 3
    path = tmp_path_factory.mktemp("graphs") / "web.txt"
    np.savetxt(path, ends.T, fmt="%d")
    return path


def fields(lines):
    return [line.split("\t") for line in lines]


# --- pagerank ---------------------------------------------------------------------------------------------


def test_a_process_from_end_to_end(web, device, tmp_path):
    out = tmp_path / "ranks.tsv"
    line = f"pagerank {web} --directed --device {device.spec} --verify --explain --top 3 -o {out}"
    done = process(line).fine()
    assert "verified: " in done.err
    # FPGAs with kernels of their own take one flat loop over the arcs
    plans = ("small", "contribution") if device.kind in ("fpga", "emulator") else ("small",)
    assert any(f"plan: variant {plan}" in done.err for plan in plans)
    first, *best = done.out.splitlines()
    assert first.startswith("directed, ") and "iterations (converged), residual " in first
    assert "dangling: personalization" in first
    assert len(best) == 3
    graph = read(web, directed=True)
    assert (graph.degrees == 0).any()
    want = pagerank(graph, device=device)
    vertices, ranks = zip(*fields(out.read_text().splitlines()), strict=True)
    assert list(map(int, vertices)) == graph.ids.tolist()
    np.testing.assert_array_equal(np.array(ranks, np.float32), want.scores)
    assert int(fields(best)[0][0]) == want.top(1)[0][0]
    assert [path.name for path in tmp_path.iterdir()] == ["ranks.tsv"]


@pytest.mark.smoke
def test_json(web, device, run):
    line = f"pagerank {web} --directed --device {device.spec} --json --top 5 --dtype float64 --tol 1e-9"
    told = run(line).json()
    assert set(told) == KEYS
    assert len(told["top"]) == 5
    assert told["residual"] < 1e-9 <= told["error_bound"]
    assert {"read", "build", "upload", "compile", "iterate", "download", "total"} <= set(told["seconds"])
    assert told["converged"] is True


@pytest.mark.parametrize("variant", ["serial", "pull", "contribution", "subgroup", "runs", "bins"])
def test_variants(web, run, variant):
    done = run(f"pagerank {web} --directed --variant {variant} --tol 0 --max-iter 4 --top 2 --verify").fine()
    assert "4 iterations (as many as asked for), residual " in done.out
    assert done.out.splitlines()[0].endswith(f"variant {variant}")


def test_distributions(web, run, tmp_path):
    graph, file, start = read(web, directed=True), tmp_path / "p.txt", tmp_path / "q.txt"
    some = graph.ids[:2].tolist()
    file.write_text(f"# who\n{some[0]} 2\n\n{some[1]}\n")
    start.write_text(f"{some[1]}\n")
    want = pagerank(graph, personalization={some[0]: 2, some[1]: 1}, dangling={some[1]: 1}, max_iter=300)
    line = f"pagerank {web} --directed --json --personalize"
    told = run(f"{line} {file} --dangling {start} --nstart {file} --top 1 --max-iter 300").json()
    assert told["dangling"] == "given"
    assert told["top"][0]["vertex"] == want.top(1)[0][0]
    assert told["top"][0]["rank"] == pytest.approx(want.top(1)[0][1], rel=1e-4)
    assert run(f"{line} '{some[0]}, {some[1]}' --dangling uniform").json()["dangling"] == "uniform"


def test_not_converged(web, run, tmp_path):
    out, line = tmp_path / "ranks.tsv", f"pagerank {web} --directed --max-iter 2"
    done = run(f"{line} --on-nonconvergence warn -o {out}").fine()
    assert "clgraph: warning: PageRank did not converge" in done.err
    assert "not converged" in done.out
    assert out.exists()
    assert "warning" not in run(f"{line} --on-nonconvergence return").err


@pytest.mark.parametrize("command", ["pagerank", "ppr -s 0 --norm l1"])
def test_cycle_of_roundings(run, tmp_path, command):
    star = put(tmp_path / "star.txt", "".join(f"0 {leaf}\n" for leaf in range(1, 39)))
    line = f"{command} {star} --damping 0.97 --tol 1e-6 --max-iter 5000"
    why = "roundings of float32 scores keep it there, so give --dtype float64 or a larger --tol"
    run(line).refused(why)
    run(f"{line} --dtype float64").fine()


# --- ppr --------------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_top(run, web):
    lines = run(f"ppr {web} --directed --source 3 -s 0 --top 4 --verify -q").fine().out.splitlines()
    assert lines[0].startswith(
        "directed, 50 vertices: method power, to 1e-06 (l2); damping 0.85; dangling: uniform"
    )
    assert lines[1].startswith("source 3: ") and lines[6].startswith("source 0: ")
    data = read(web, directed=True)
    best = data.ids[np.argsort(-reference_ppr(data, [3])[0], kind="stable")[:4]].tolist()
    assert [int(vertex) for vertex, *_ in fields(lines[2:6])] == best


@pytest.mark.parametrize(
    ("method", "walks"),
    [("power", ""), ("coo", ""), ("coo-flat", ""), ("monte-carlo", "--walks 500 --seed 4")],
)
def test_json_and_output(run, web, tmp_path, method, walks):
    sources, out = put(tmp_path / "ids.txt", "# two\n3\n\n0\n"), tmp_path / "out.tsv"
    line = f"ppr {web} --directed --sources {sources} --method {method} --top 5 -o {out} --json --verify"
    told = run(f"{line} {walks}").json()
    assert [one["source"] for one in told["results"]] == [3, 0]
    assert told["dangling"] == "uniform" and told["verified"]
    rows = fields(out.read_text().splitlines())
    assert len(rows) == 10
    top = [(one["source"], entry["vertex"]) for one in told["results"] for entry in one["top"]]
    assert [(int(source), int(vertex)) for source, vertex, *_ in rows] == top
    assert {len(row) for row in rows} == {4 if walks else 3}
    if walks:
        assert (told["walks"], told["seed"]) == (500, 4)
        assert told["results"][0]["top"][0]["visits"] > 0


def test_all_ranks(run, web, tmp_path):
    out = tmp_path / "out.tsv"
    done = run(f"ppr {web} --directed -s 3 --top 0 -o {out} --stored --check-every 2 --explain").fine()
    assert "plan: method power" in done.err
    ranks = np.loadtxt(out)[:, 2]
    assert len(ranks) == read(web, directed=True).num_vertices
    assert ranks.sum() == pytest.approx(1, abs=1e-5)


def test_users_and_what_is_left_out(run, tmp_path):
    rows = "".join(f"{user} {item}\n" for user in "abcdef" for item in ("tea", "jam", user * 2))
    bought, gone = put(tmp_path / "bought.txt", rows), put(tmp_path / "gone.txt", "tea\n")
    users = put(tmp_path / "users.txt", "# who has what\nAnn aa bb\nBob jam\nAnn bb\n")
    found = []
    for options in ("", "--exclude self", f"--exclude neighbours --exclude-ids {gone}"):
        line = f"ppr {bought} --ids str --users {users} --top 6 --json --verify -q"
        told = run(f"{line} {options}").json()["results"]
        assert [one["source"] for one in told] == ["Ann", "Bob"]
        found.append([{entry["vertex"] for entry in one["top"]} for one in told])
    assert "bb" in found[0][0] and "jam" in found[0][1] and "tea" in found[0][1]
    assert not found[1][0] & {"aa", "bb"} and not found[1][1] & {"jam"}
    assert not found[2][0] & {"aa", "bb", "a", "b", "tea"} and not found[2][1] & {*"abcdef", "jam", "tea"}


# --- centrality -------------------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize("measure", ["betweenness", "closeness", "harmonic", "eigenvector", "katz", "hits"])
def test_measures(run, web, tmp_path, measure):
    more = {"eigenvector": {"max_iter": 1000}, "katz": {"alpha": 0.02}}.get(measure, {})
    options = [word for name, value in more.items() for word in (f"--{name.replace('_', '-')}", value)]
    line, out = f"centrality {web} --measure {measure} --directed", tmp_path / "out.tsv"
    done = run(f"{line} --top 3 -o {out} --verify", *options).fine()
    assert "verified" in done.err
    data = read(web, directed=True)
    compute = clgraph.hits if measure == "hits" else getattr(clgraph, f"{measure}_centrality")
    values = np.atleast_2d(compute(data, **more))
    rows = np.loadtxt(out)
    np.testing.assert_array_equal(rows[:, 0], data.ids)
    np.testing.assert_array_equal(rows[:, 1:].T, values)
    first, *lines = done.out.splitlines()
    assert first.startswith(f"directed, 50 vertices: {measure}")
    best = data.ids[np.argsort(-values[0], kind="stable")[:3]].tolist()
    assert [int(row[0]) for row in fields(lines) if len(row) > 1][:3] == best
    told = run(f"{line} --json", *options).json()
    assert told["measure"] == measure and told["directed"]
    assert [entry["vertex"] for entry in next(iter(told["top"].values()))[:3]] == best


def test_some_sources_and_string_ids(run, tmp_path):
    (tmp_path / "names.txt").write_text("a hub\nb hub\nc hub\na b\n")
    line = f"centrality {tmp_path}/names.txt --ids str --top 1 -q"
    done = run(f"{line} --k 3 --seed 1")
    assert done.out.splitlines()[0].endswith("betweenness; k 3; seed 1") and "hub\t" in done.out
    done = run(f"{line} --measure hits")
    assert [first for first, *_ in fields(done.out.splitlines()[1:])] == ["hub:", "hub", "authority:", "hub"]


# --- searches and communities -----------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    """Where each test writes its graph."""
    return tmp_path / "g.txt"


@pytest.mark.smoke
def test_bfs(run, file, tmp_path):
    out = tmp_path / "d.tsv"
    file.write_text("10 20\n20 30\n40 50\n")
    said = run(f"bfs {file} --source 10 -o {out} --json --verify").json()
    assert (said["reached"], said["levels"], said["sources"], said["verified"]) == (3, 3, [10], True)
    assert out.read_text() == "10\t0\t-1\n20\t1\t10\n30\t2\t20\n40\t-1\t-1\n50\t-1\t-1\n"
    done = run(f"bfs {file} --source 10 --source 50 --depth 1 --method frontier").fine()
    assert done.out.splitlines()[0] == "4 of 5 vertices reached, 2 levels (undirected)"


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_paths(run, file, tmp_path, dtype):
    out = tmp_path / "d.tsv"
    file.write_text("10 20 0.5\n20 30 0.5\n10 30 4\n40 50 0.1\n30 60 1000\n")
    line = f"paths {file} --weights -s 10 --dtype {dtype} -o {out} --verify"
    done = run(f"{line} --target 30").fine()
    assert "verified" in done.err
    rows = "10\t0.0\t-1\n20\t0.5\t10\n30\t1.0\t20\n40\tinf\t-1\n50\tinf\t-1\n60\t1001.0\t30\n"
    assert out.read_text() == rows
    assert done.out.splitlines() == [
        "6 vertices (undirected; lengths are weights)",
        "from 10: 4 reached, the farthest at 1001; 30 at 1: 10 20 30",
    ]
    said = run(f"{line} --sources 40,60 --cutoff 1 --delta 0.1 --json -t 50").json()
    tenth = float(np.dtype(dtype).type(0.1))
    assert said["paths"] == [
        {"source": 10, "reached": 3, "farthest": 1, "distance": None, "path": None},
        {"source": 40, "reached": 2, "farthest": tenth, "distance": tenth, "path": [40, 50]},
        {"source": 60, "reached": 1, "farthest": 0, "distance": None, "path": None},
    ]
    assert (said["reached"], said["cutoff"], said["dtype"], said["verified"]) == (6, 1, dtype, True)
    found = clgraph.shortest_paths(clgraph.read(file, weights=True), [10, 40, 60], cutoff=1, dtype=dtype)
    sources, _, distances, _ = zip(*map(str.split, out.read_text().splitlines()), strict=True)
    assert list(sources) == ["10"] * 6 + ["40"] * 6 + ["60"] * 6
    np.testing.assert_array_equal(np.array(distances, dtype), found.distance.ravel())


def test_paths_of_other_graphs(run, file, tmp_path):
    out = tmp_path / "d.tsv"
    file.write_text("a b 5\nb c 5\na c 20\n")
    line = f"paths {file} --ids str --directed"
    lines = run(f"{line} -s a -t c -o {out}").out.splitlines()
    assert lines[0] == "3 vertices (directed; each arc has length 1; --weights reads weights)"
    assert lines[1].endswith("c at 1: a c")
    assert out.read_text() == "a\t0.0\t-1\nb\t1.0\ta\nc\t1.0\ta\n"
    lines = run(f"{line} --weights -s c -t b").out.splitlines()
    assert lines[1] == "from c: 1 reached, the farthest at 0; no path to b"
    assert run(line, "-s", "a", "-s", "b", *("-s", "c") * 9).out.splitlines()[-1] == (
        "... 1 more sources: -o writes all"
    )


@pytest.mark.smoke
@pytest.mark.parametrize("method", ["louvain", "leiden", "labels"])
def test_communities(run, file, tmp_path, method):
    out = tmp_path / "c.tsv"
    ends = np.random.default_rng(2).integers(0, 60, (2, 150)) * 3
    np.savetxt(file, ends.T, fmt="%d")
    given = {"iterations": 4} if method == "labels" else {"resolution": 1.5, "seed": 3}
    options = " ".join(f"--{name} {value}" for name, value in given.items())
    line = f"communities {file} --method {method} {options}"
    done = run(f"{line} -o {out} --verify").fine()
    assert "verified" in done.err
    data = clgraph.read(file)
    call = clgraph.label_propagation if method == "labels" else getattr(clgraph, method)
    found = call(data, **given)
    labels = data.ids[found.labels] if method == "labels" else found.labels
    np.testing.assert_array_equal(np.loadtxt(out), np.stack([data.ids, labels], axis=1))
    lines = done.out.splitlines()
    assert lines[1] == f"{found.count} communities, {data.num_vertices} vertices (undirected)"
    said = run(f"{line} --json").json()
    quality = clgraph.modularity(data, found, resolution=1 if method == "labels" else 1.5)
    assert said["modularity"] == pytest.approx(quality) and f"{quality:.6f}" in lines[0]
    assert said["sizes"] == found.sizes[:10].tolist() and said["communities"] == found.count
    assert lines[3].split()[:2] == [str(said["names"][0]), str(found.sizes[0])]
    assert (labels == said["names"][0]).sum() == found.sizes[0]
    assert {name: said[name] for name in given} == given and said["method"] == method


def test_communities_of_other_graphs(run, file):
    file.write_text("a b 1\nb c 1\na c 1\nc d 0.01\nd e 1\ne f 1\nf d 1\n")
    said = run(f"communities {file} --ids str --directed --weights --json").json()
    assert said["sizes"] == [3, 3] and said["directed"] and said["modularity"] > 0.49
    said = run(f"communities {file} --ids str --method labels --json").json()
    assert said["names"] == ["a", "c"] and said["stable"]
    file.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 0\n")
    for method in ("leiden", "labels"):
        said = run(f"communities {file} --format mtx --method {method} --json --verify").json()
        assert said["sizes"] == [1, 1, 1] and said["modularity"] is None
