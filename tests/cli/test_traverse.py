"""``clgraph bfs``, ``clgraph paths`` and ``clgraph communities``: output and files."""

import numpy as np
import pytest

import clgraph


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
