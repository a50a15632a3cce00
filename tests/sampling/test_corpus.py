"""Corpora of walks: the same walks as one call makes, in all forms, and continued after an interruption."""

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


def wanted(graph, device, method="node2vec", *, length=6, per_vertex=3, seed=5, **options):
    options = {"steps": length - 1, "walks_per_vertex": per_vertex, "seed": seed, "walks": "ids", **options}
    return sample(graph, method, device=device, **options).walks


def holds(path, rows):
    """Whether a corpus is these walks; where one ends early only arrays have more."""
    if path.suffix == ".npy":
        found = np.load(path)
        assert found.dtype == (np.int64 if rows.max() >= 2**31 else np.int32)
        return np.array_equal(found, rows)
    lists = [[v for v in row if v not in (-1, "")] for row in rows.tolist()]
    if path.suffix == ".parquet":
        return pytest.importorskip("pyarrow.parquet").read_table(path)["walk"].to_pylist() == lists
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return text == "".join(" ".join(map(str, row)) + "\n" for row in lists)


GRAPHS = {
    "numbers": powerlaw_graph(60, seed=3),
    "wide ids": random_graph(6, 70, 100).with_ids(np.arange(70) * 98765432101 + 7),
    "dead ends": random_graph(6, 70, 60, directed=True),
    "names": random_graph(6, 30, 40, directed=True).with_ids([f"né{v}" for v in range(30)]),
    "weights": random_graph(5, 40, 200, weights=np.random.default_rng(1).random(200)),
}
OPTIONS = {"dead ends": {"direction": "out"}, "names": {"direction": "out"}, "weights": {"weighted": True}}
ENDINGS = (".txt", ".txt.gz", ".npy", ".parquet")
CASES = [(ending, name) for ending in ENDINGS for name in GRAPHS if (ending, name) != (".npy", "names")]


@pytest.mark.smoke(".txt-numbers", ".npy-dead ends")
@pytest.mark.parametrize(("ending", "name"), CASES)
def test_blocks_are_one_call(device, tmp_path, small_blocks, name, ending):
    graph, path, options = GRAPHS[name], tmp_path / f"c{ending}", BIASED | OPTIONS.get(name, {})
    made = write_walks(graph, path, length=6, per_vertex=3, seed=5, device=device, **options)
    rows = wanted(graph, device, **options)
    assert made.walks == len(rows) and made.seed == 5 and made.resumed == 0
    assert ((rows == "") | (rows == -1)).any() == ("direction" in options)
    assert holds(path, rows)


@pytest.mark.parametrize("method", ["rw", "rwj", "mhrw", "nbrw", "cnarw", "cnrw"])
def test_other_walks(device, tmp_path, small_blocks, method):
    graph = GRAPHS["numbers"]
    write_walks(graph, tmp_path / "c.txt", method, length=6, per_vertex=2, seed=1, device=device)
    assert holds(tmp_path / "c.txt", wanted(graph, device, method, per_vertex=2, seed=1))


def begin(device, path):
    """A corpus that is interrupted after 21 walks of 204; its folder of work, and the call that goes on."""

    def stop(done, total):
        if done > 20:
            raise KeyboardInterrupt

    def call(graph=GRAPHS["wide ids"], **more):
        options = {"length": 6, "per_vertex": 3, "seed": 5, "device": device, "resume": True, **more}
        return write_walks(graph, path, **options)

    with pytest.raises(KeyboardInterrupt):
        call(progress=stop)
    return Path(f"{path}.work"), call


@pytest.mark.parametrize("ending", [".txt", ".txt.gz", ".npy"])
def test_goes_on_where_it_stopped(device, tmp_path, small_blocks, ending):
    path = tmp_path / f"c{ending}"
    folder, call = begin(device, path)
    assert not path.exists() and json.loads((folder / "state.json").read_text())["walks"] == 21
    with open(folder / "data", "ab") as data:  # what was written after the last note does not count
        data.write(b"half a wa")
    for changed in ({"seed": 6}, {"length": 7}, {"p": 2}):
        with pytest.raises(InputError, match="beginning of another corpus"):
            call(**changed)
    with pytest.raises(InputError, match=r"another corpus \(graph differ"):
        call(GRAPHS["numbers"])
    assert call().resumed == 21 and not folder.exists()
    assert holds(path, wanted(GRAPHS["wide ids"], device))


@pytest.fixture
def begun(device, tmp_path, small_blocks):
    return tmp_path / "c.txt", *begin(device, tmp_path / "c.txt")


DAMAGED = r"state.json is damaged: remove .* and begin anew"
OTHER = "not what state.json describes"


@pytest.mark.parametrize(
    ("state", "words"),
    [
        *(({"walks": walks}, DAMAGED) for walks in (True, -7, 0, "21", 21.0)),
        *(({"bytes": count}, DAMAGED) for count in (-1, 1e3)),
        ({"about": []}, DAMAGED),
        ({"sha256": None}, DAMAGED),
        *((text, DAMAGED) for text in ("", "{", '{"walks": 1}', "[]", "[" * 10**5, "\0\xff")),
        ({"walks": 211}, "counts 211 walks of 204"),
        *((changes, OTHER) for changes in ({"bytes": 10**12}, {"sha256": "0" * 64}, {"bytes": 17})),
        ({"about": {}}, "another corpus"),
    ],
)
def test_states_that_are_damaged_or_of_other_data(begun, state, words):
    path, folder, call = begun
    found = json.loads((folder / "state.json").read_text())
    assert found["walks"] == 21
    text = state if isinstance(state, str) else json.dumps({**found, **state})
    (folder / "state.json").write_text(text)
    with pytest.raises(InputError, match=words):
        call()
    assert folder.exists() and not path.exists()


def test_goes_on_only_with_its_own_data_and_version(begun, monkeypatch):
    path, folder, call = begun
    monkeypatch.setattr(corpus, "__version__", "0.0")
    with pytest.raises(InputError, match=r"another corpus \(clgraph differ"):
        call()
    monkeypatch.undo()
    data = folder / "data"
    whole = data.read_bytes()
    data.write_bytes(b"8" + whole[1:])
    with pytest.raises(InputError, match=OTHER):
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
    for content in (whole, whole[:-1], whole + b"x", b"y" + whole[1:]):
        shutil.copytree(f"{folder}.kept", folder)
        (folder / "data").unlink()
        path.write_bytes(content)
        if content == whole:
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
    seen = []
    assert call(progress=lambda done, total: seen.append(path.read_bytes())).resumed == 0
    assert set(seen) == {b"of last year"} and path.read_bytes() == whole


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
        ("no/c.txt", {"seed": 1, "resume": True}, "cannot write .*No such file"),
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


@pytest.mark.parametrize(("path", "words"), [("c.txt", "has a blank"), ("c.npy", "an array has numbers")])
def test_names_that_do_not_fit(path, words):
    with pytest.raises(InputError, match=words):
        write_walks(Graph.from_edges(["a b", "c"], ["c", "d"]), path)


# --- clgraph walks ---


def test_command(run, device, tmp_path):
    graph = GRAPHS["numbers"]
    write(graph, tmp_path / "g.clg")
    rows = wanted(graph, device, **BIASED)
    line = ["walks", tmp_path / "g.clg", "--p", "2", "--q", "0.5", "--length", "6", "--per-vertex", "3"]
    line += ["--seed", "5", "--device", device.spec, "-o"]
    done = run(*line, tmp_path / "c.txt")
    assert done.status == 0, done.err
    assert holds(tmp_path / "c.txt", rows) and f"{len(rows)} walks of 6 vertices by node2vec" in done.out
    done = run(*line, tmp_path / "c.npy", "--resume", "--json", "-q")
    assert done.status == 0, done.err
    assert json.loads(done.out)["walks"] == len(rows) and holds(tmp_path / "c.npy", rows)


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
