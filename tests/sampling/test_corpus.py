"""Corpora of walks: the same walks as one call makes, in all forms, and continued after an interruption."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from graphs import random_graph

from clgraph import Graph, InputError, sample, system, write
from clgraph.csr.generate import powerlaw_graph
from clgraph.sampling import corpus
from clgraph.sampling.corpus import write_walks

BIASED = {"p": 2, "q": "0.5"}


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 7 walks of 6 vertices."""
    monkeypatch.setattr(corpus, "room", lambda device: 12 * 6 * 7)


def lines_of(rows):
    return "".join(" ".join(str(v) for v in row if v not in (-1, "")) + "\n" for row in rows.tolist())


def wanted(graph, device, method="node2vec", *, length=6, per_vertex=3, seed=5, **options):
    options = {"steps": length - 1, "walks_per_vertex": per_vertex, "seed": seed, "walks": "ids", **options}
    return sample(graph, method, device=device, **options).walks


GRAPHS = {
    "numbers": powerlaw_graph(60, seed=3),
    "wide ids": random_graph(6, 70, 100).with_ids(np.arange(70) * 98765432101 + 7),
    "dead ends": random_graph(6, 70, 60, directed=True),
}


@pytest.mark.smoke(".txt-numbers", ".npy-dead ends")
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("ending", [".txt", ".txt.gz", ".npy"])
def test_blocks_are_one_call(device, tmp_path, small_blocks, name, ending):
    graph, path = GRAPHS[name], tmp_path / f"c{ending}"
    options = {"direction": "out", **BIASED} if name == "dead ends" else BIASED
    made = write_walks(graph, path, length=6, per_vertex=3, seed=5, device=device, **options)
    rows = wanted(graph, device, **options)
    assert made.walks == len(rows) and made.seed == 5 and made.resumed == 0
    if ending == ".npy":
        found = np.load(path)
        assert np.array_equal(found, rows) and found.dtype == (np.int64 if name == "wide ids" else np.int32)
    else:
        data = path.read_bytes()
        assert (gzip.decompress(data) if ending == ".txt.gz" else data).decode() == lines_of(rows)


@pytest.mark.parametrize("method", ["rw", "rwj", "mhrw", "nbrw", "cnarw", "cnrw"])
def test_other_walks(device, tmp_path, small_blocks, method):
    graph = GRAPHS["numbers"]
    write_walks(graph, tmp_path / "c.txt", method, length=6, per_vertex=2, seed=1, device=device)
    rows = wanted(graph, device, method, per_vertex=2, seed=1)
    assert (tmp_path / "c.txt").read_text() == lines_of(rows)


def test_weighted(device, tmp_path, small_blocks):
    weights = np.random.default_rng(1).random(200)
    graph, options = random_graph(5, 40, 200, weights=weights), {"weighted": True, **BIASED}
    write_walks(graph, tmp_path / "c.txt", length=6, per_vertex=2, seed=1, device=device, **options)
    rows = wanted(graph, device, per_vertex=2, seed=1, **options)
    assert (tmp_path / "c.txt").read_text() == lines_of(rows)


@pytest.mark.parametrize("ending", [".txt", ".parquet"])
def test_names(device, tmp_path, small_blocks, ending):
    graph = random_graph(6, 30, 40, directed=True).with_ids([f"né{v}" for v in range(30)])
    path, options = tmp_path / f"c{ending}", {"direction": "out"}
    write_walks(graph, path, length=6, per_vertex=3, seed=5, device=device, **options)
    rows = wanted(graph, device, **options)
    assert (rows == "").any()
    if ending == ".txt":
        assert path.read_text(encoding="utf-8") == lines_of(rows)
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        found = parquet.read_table(path)["walk"].to_pylist()
        assert found == [[v for v in row if v] for row in rows.tolist()]


@pytest.mark.parametrize("name", GRAPHS)
def test_parquet(device, tmp_path, small_blocks, name):
    parquet, graph = pytest.importorskip("pyarrow.parquet"), GRAPHS[name]
    options = {"direction": "out"} if name == "dead ends" else {}
    write_walks(graph, tmp_path / "c.parquet", length=6, per_vertex=3, seed=5, device=device, **options)
    found = parquet.read_table(tmp_path / "c.parquet")["walk"].to_pylist()
    assert found == [[v for v in row if v >= 0] for row in wanted(graph, device, **options).tolist()]


@pytest.mark.parametrize("ending", [".txt", ".txt.gz", ".npy"])
def test_goes_on_where_it_stopped(device, tmp_path, small_blocks, ending):
    graph, path = GRAPHS["wide ids"], tmp_path / f"c{ending}"
    options = {"length": 6, "per_vertex": 3, "seed": 5, "device": device, "resume": True}

    def stop(done, total):
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_walks(graph, path, progress=stop, **options)
    folder = tmp_path / f"c{ending}.work"
    assert not path.exists() and json.loads((folder / "state.json").read_text())["walks"] == 21
    with open(folder / "data", "ab") as data:  # what was written after the last note does not count
        data.write(b"half a wa")
    for changed in ({"seed": 6}, {"length": 7}, {"p": 2}):
        with pytest.raises(InputError, match="beginning of another corpus"):
            write_walks(graph, path, **{**options, **changed})
    with pytest.raises(InputError, match=r"another corpus \(graph differ"):
        write_walks(GRAPHS["numbers"], path, **options)
    made = write_walks(graph, path, **options)
    assert made.resumed == 21 and not folder.exists()
    rows = wanted(graph, device)
    if ending == ".npy":
        assert np.array_equal(np.load(path), rows)
    else:
        data = path.read_bytes()
        assert (gzip.decompress(data) if ending == ".txt.gz" else data).decode() == lines_of(rows)


@pytest.fixture
def begun(device, tmp_path, small_blocks):
    """A corpus of 21 walks of 204, its folder of work, and the call that goes on."""
    path, options = tmp_path / "c.txt", {"length": 6, "per_vertex": 3, "seed": 5, "device": device}

    def stop(done, total):
        if done > 20:
            raise KeyboardInterrupt

    def call(**more):
        return write_walks(GRAPHS["wide ids"], path, resume=True, **options, **more)

    with pytest.raises(KeyboardInterrupt):
        call(progress=stop)
    return path, tmp_path / "c.txt.work", call


@pytest.mark.parametrize(
    "changes",
    [
        {"walks": True},
        {"walks": -7},
        {"walks": 0},
        {"walks": "21"},
        {"walks": 21.0},
        {"bytes": -1},
        {"bytes": 1e3},
        {"about": []},
        {"sha256": None},
    ],
)
def test_damaged_states(begun, changes):
    path, folder, call = begun
    found = json.loads((folder / "state.json").read_text())
    assert found["walks"] == 21
    (folder / "state.json").write_text(json.dumps({**found, **changes}))
    with pytest.raises(InputError, match=r"state.json is damaged: remove .* and begin anew"):
        call()
    assert folder.exists() and not path.exists()


@pytest.mark.parametrize("text", ["", "{", '{"walks": 1}', "[]", "[" * 10**5, "\0\xff"])
def test_states_that_are_none(begun, text):
    _, folder, call = begun
    (folder / "state.json").write_text(text)
    with pytest.raises(InputError, match="is damaged"):
        call()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"walks": 211}, "counts 211 walks of 204"),
        ({"bytes": 10**12}, "not what state.json describes"),
        ({"sha256": "0" * 64}, "not what state.json describes"),
        ({"bytes": 17}, "not what state.json describes"),
        ({"about": {}}, "another corpus"),
    ],
)
def test_states_of_other_data(begun, changes, words):
    _, folder, call = begun
    found = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps({**found, **changes}))
    with pytest.raises(InputError, match=words):
        call()


def test_goes_on_only_with_its_own_data_and_version(begun, monkeypatch):
    path, folder, call = begun
    monkeypatch.setattr(corpus, "__version__", "0.0")
    with pytest.raises(InputError, match=r"another corpus \(clgraph differ"):
        call()
    monkeypatch.undo()
    data = folder / "data"
    whole = data.read_bytes()
    data.write_bytes(b"8" + whole[1:])
    with pytest.raises(InputError, match=r"not what state\.json describes"):
        call()
    data.write_bytes(whole)
    monkeypatch.setattr(corpus, "room", lambda device: 12 * 6 * 7)
    # what a killed process leaves
    (folder / ".clgraph-1-0123456789ab.tmp").write_text("{")
    assert call().resumed == 21 and path.exists() and not folder.exists()


def test_a_process_killed_as_it_put_the_corpus_in_its_place(begun):
    path, folder, call = begun

    def keep(done, total):
        if done == total:
            shutil.copytree(folder, f"{folder}.kept")

    call(progress=keep)
    whole = path.read_bytes()
    for content, ends in (
        (whole, True),
        (whole[:-1], False),
        (whole + b"x", False),
        (b"y" + whole[1:], False),
    ):
        shutil.copytree(f"{folder}.kept", folder)
        (folder / "data").unlink()
        path.write_bytes(content)
        if ends:
            made = call()
            assert made.resumed == made.walks
        else:
            with pytest.raises(InputError, match=r"remove .* and begin anew"):
                call()
            shutil.rmtree(folder)
        assert path.read_bytes() == content and not folder.exists()
    # killed as it began: what was there before stays until the end
    folder.mkdir()
    state = json.loads(Path(f"{folder}.kept", "state.json").read_text())
    state |= {"walks": 0, "bytes": 0, "sha256": hashlib.sha256().hexdigest()}
    (folder / "state.json").write_text(json.dumps(state))
    path.write_bytes(b"of last year")
    assert (
        call(progress=lambda done, total: path.read_bytes() == b"of last year" or pytest.fail()).resumed == 0
    )
    assert path.read_bytes() == whole


def test_two_processes_write_no_corpus_together(begun):
    _, folder, call = begun
    with open(folder / "lock", "wb") as lock:
        assert system.lock_file(lock.fileno())
        with pytest.raises(InputError, match="in use: another process"):
            call()
    assert call().resumed == 21


@pytest.mark.parametrize("names", [["notes.txt"], ["data"], ["state.json", "thesis.tex"], ["sub/x"]])
def test_folders_of_others_stay(device, tmp_path, names):
    folder, path = tmp_path / "c.txt.work", tmp_path / "c.txt"
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("years of work")
    with pytest.raises(InputError, match="which no corpus has put there: give the output another name"):
        write_walks(GRAPHS["numbers"], path, seed=1, resume=True, device=device)
    assert [(folder / name).read_text() for name in names] == ["years of work"] * len(names)
    assert not path.exists()


def test_links_are_not_followed(begun, tmp_path):
    _, folder, call = begun
    other = tmp_path / "other"
    (folder / "data").rename(other)
    (folder / "data").symlink_to(other)
    whole = other.read_bytes()
    with pytest.raises(InputError, match="'data', which no corpus has put there"):
        call()
    assert other.read_bytes() == whole
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is no folder of work"):
        call()


def test_a_folder_cannot_be_made(device, tmp_path):
    with pytest.raises(InputError, match=r"cannot write .*No such file"):
        write_walks(GRAPHS["numbers"], tmp_path / "no" / "c.txt", seed=1, resume=True, device=device)


def test_interrupted_without_resume(device, tmp_path, small_blocks):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_walks(GRAPHS["numbers"], tmp_path / "c.txt", length=6, device=device, progress=stop)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("path", "options", "words"),
    [
        ("c.csv", {}, "must end in .txt"),
        ("c.txt", {"length": 1}, "length is 1"),
        ("c.txt", {"per_vertex": 0}, "per_vertex is 0"),
        ("c.txt", {"method": "fs"}, "walks are made by rw, "),
        ("c.txt", {"method": "drv"}, "walks are made by"),
        ("c.txt", {"p": 0}, "p 0"),
        ("c.parquet", {"resume": True}, "cannot be continued"),
        ("-", {"resume": True}, "cannot be continued"),
        ("c.txt", {"resume": True}, "only with the seed"),
    ],
)
def test_bad_input(tmp_path, path, options, words):
    with pytest.raises(InputError, match=words):
        write_walks(GRAPHS["numbers"], path if path == "-" else tmp_path / path, **options)


def test_names_that_do_not_fit():
    named = Graph.from_edges(["a b", "c"], ["c", "d"])
    with pytest.raises(InputError, match="has a blank"):
        write_walks(named, "c.txt")
    with pytest.raises(InputError, match="an array has numbers"):
        write_walks(named, "c.npy")


# --- clgraph walks ---


def test_command(run, device, tmp_path):
    graph, path = GRAPHS["numbers"], tmp_path / "c.txt"
    write(graph, tmp_path / "g.clg")
    options = ["--p", "2", "--q", "0.5", "--length", "6", "--per-vertex", "3", "--seed", "5"]
    done = run("walks", tmp_path / "g.clg", *options, "-o", path, "--device", device.spec)
    assert done.status == 0, done.err
    rows = wanted(graph, device, **BIASED)
    assert path.read_text() == lines_of(rows) and f"{len(rows)} walks of 6 vertices by node2vec" in done.out
    done = run(
        "walks", tmp_path / "g.clg", *options, "-o", tmp_path / "c.npy", "--resume", "--json", "-q",
        "--device", device.spec,
    )  # fmt: skip
    assert done.status == 0, done.err
    assert json.loads(done.out)["walks"] == len(rows) and np.array_equal(np.load(tmp_path / "c.npy"), rows)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["-o", "c.csv"], "must end in"),
        ([], "-o is missing"),
        (["-o", "c.txt", "--method", "drv"], "walks are made by"),
        (["-o", "c.txt", "--method", "rw", "--q", "2"], "q is not an option of rw"),
        (["-o", "c.txt", "--length", "1"], "length is 1"),
    ],
)
def test_bad_commands(run, tmp_path, monkeypatch, args, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.txt").write_text("0 1\n1 2\n")
    done = run("walks", "g.txt", *args)
    assert done.status == 1 + ("missing" in words) and words in done.err
    assert [each.name for each in tmp_path.iterdir()] == ["g.txt"]
