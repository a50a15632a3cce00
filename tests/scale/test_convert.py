"""Conversion with little memory: the dataset of `write_shards`, byte for byte, from every kind of input."""

import os
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from graph_files import put

import clgraph
from clgraph.errors import InputError
from clgraph.formats.clg import PAGE, pack_header, unpack_header
from clgraph.formats.common import Options
from clgraph.graph.arrays import Arrays
from clgraph.scale import convert as module
from clgraph.scale import inputs, tables
from clgraph.scale.convert import convert_to_shards
from clgraph.scale.writing import write_shards

SMALL = {"shard_edges": 700, "bucket": 60}
KINDS = ["plain", "weighted", "directed", "directed and weighted"]


def edges(rng, kind):
    """Ids with gaps ("far": large ones), parallel edges and loops; weights whose sums are rounded."""
    source, target = rng.integers(0, 300, 2000) ** 2 % 5000, rng.integers(0, 300, 2000) * 7
    target[:40] = source[:40]
    if kind == "far":
        source, target = source + 2**40, target * 2**33
    return source, target, rng.normal(size=2000)


def written(path, *columns):
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return put(path, "".join(" ".join(map(repr, row)) + "\n" for row in rows))


def same(one, other):
    assert one.fingerprint == other.fingerprint
    for file in sorted(other.folder.iterdir()):
        assert file.read_bytes() == (one.folder / file.name).read_bytes(), file.name


@pytest.mark.smoke
@pytest.mark.parametrize("kind", [*KINDS, "far"])
def test_text(tmp_path, kind):
    columns = edges(np.random.default_rng(1), kind)[: 3 if "weighted" in kind else 2]
    options = Options(directed="directed" in kind or None, weights="weighted" in kind)
    path = written(tmp_path / "g.txt", *columns)
    graph = clgraph.read(path, **vars(options))
    for sections in (["pairs"], None):
        how = {"shard_edges": 700, "sections": sections}
        expected = write_shards(graph, tmp_path / "a.clgs", **how)
        same(convert_to_shards([path], tmp_path / "b.clgs", options=options, bucket=60, **how), expected)
    assert len(expected.section("pairs").shards) > 2
    halves = [written(tmp_path / f"h{k}.txt.gz", *(each[k::2] for each in columns)) for k in (0, 1)]
    many = convert_to_shards(halves, tmp_path / "c.clgs", options=options, **SMALL)
    if "weighted" not in kind:  # else parallel edges come in another order
        same(many, expected)
    assert sorted(p.name for p in tmp_path.iterdir() if "clgraph" in p.name or "work" in p.name) == []


@pytest.mark.parametrize("kind", ["plain", "directed and weighted"])
def test_other_formats(tmp_path, kind):
    source, target, weights = edges(np.random.default_rng(2), kind)
    weighted = kind != "plain"
    more = {"weights": weights, "directed": True} if weighted else {"vertices": np.arange(9000, 9100)}
    graph = clgraph.Graph.from_edges(source, target, **more)
    expected = write_shards(graph, tmp_path / "a.clgs", shard_edges=700)
    for name in ("g.clg", "g.parquet") if weighted else ("g.clg",):  # tables hold no isolated vertices
        if name == "g.parquet":
            pytest.importorskip("pyarrow")
        clgraph.write(graph, tmp_path / name)
        how = {"options": Options(weights=weighted), **SMALL}
        same(convert_to_shards([tmp_path / name], tmp_path / "b.clgs", **how), expected)


@pytest.mark.parametrize("step", [1, 50, 1 << 19])
@pytest.mark.parametrize("kind", [*KINDS, "counted", "unused"])
def test_rows_in_order(tmp_path, monkeypatch, kind, step):
    """A .clg file's rows are cut as they are, wherever the pieces end that are looked at."""
    monkeypatch.setattr("clgraph.scale.sections.STEP", step)
    source, target, weights = (part[:300] for part in edges(np.random.default_rng(4), kind))
    carries = "weighted" in kind or kind == "unused"
    how = {"weights": weights if carries else None, "directed": "directed" in kind}
    graph = clgraph.Graph.from_edges(source, target, **how)
    if not carries and kind != "counted":
        graph = clgraph.Graph._from_arrays(replace(graph._arrays, multiplicity=None))
    clgraph.write(graph, tmp_path / "g.clg")
    options = Options(weights="weighted" in kind)
    read = clgraph.read(tmp_path / "g.clg", weights=options.weights)
    expected = write_shards(read, tmp_path / "a.clgs", shard_edges=70)
    monkeypatch.setattr(module._Conversion, "read", lambda *_: 1 / 0)
    made = convert_to_shards([tmp_path / "g.clg"], tmp_path / "b.clgs", options=options, shard_edges=70)
    same(made, expected)


def test_rows_that_are_not_in_order(tmp_path):
    def converted(graph, **options):
        clgraph.write(graph, tmp_path / "g.clg")
        return convert_to_shards([tmp_path / "g.clg"], tmp_path / "g.clgs", options=Options(**options))

    copies = clgraph.Graph.from_edges([3, 3, 4, 4, 5], [4, 4, 9, 9, 6], duplicates="keep")
    once = clgraph.Graph.from_edges([3, 3, 4, 4, 5], [4, 4, 9, 9, 6])
    same(converted(copies), write_shards(once, tmp_path / "once.clgs"))  # they are merged
    backward = clgraph.Graph.from_edges([0, 1], [1, 2]).with_ids(np.array([7, 5, 3]))
    same(converted(backward), write_shards(backward, tmp_path / "backward.clgs"))
    loop = clgraph.Graph.from_edges([0], [0])
    assert converted(loop).section("pairs").loops == 1
    falling = "row 1 is not in ascending order: 0 comes after 2; the file is damaged"
    lacking = "undirected, but some arcs lack their reverse, or carry other"
    for row_ptr, heads, weights, said in (
        ([0, 1, 3, 4], [1, 2, 0, 1], None, falling),
        ([0, 1, 2, 3, 4], [1, 2, 3, 0], None, lacking),
        ([0, 1, 2, 2], [1, 0], np.array([0.5, 0.25]), lacking),
    ):
        arrays = Arrays(np.array(row_ptr), np.array(heads, np.int32), weights)
        with pytest.raises(InputError, match=said):
            converted(clgraph.Graph._from_arrays(arrays), weights=weights is not None)


@pytest.mark.parametrize("directed", [False, True])
def test_a_file_that_changes_meanwhile(tmp_path, monkeypatch, directed):
    monkeypatch.setattr("clgraph.scale.sections.STEP", 1000)
    path = tmp_path / "g.clg"
    ends = np.random.default_rng(1).integers(0, 500, (2, 30_000))
    graph = clgraph.Graph.from_edges(*ends, directed=directed)
    for change, told in (
        (lambda: os.truncate(path, path.stat().st_size // 2), "became shorter while it was read"),
        (lambda: os.utime(path, (1, 1)), "was written to while it was read"),
    ):
        clgraph.write(graph, path)
        with pytest.raises(InputError, match=told):
            convert_to_shards([path], tmp_path / "g.clgs", progress=lambda *_, change=change: change())
        assert [each.name for each in tmp_path.iterdir()] == ["g.clg"]


def test_what_is_read_in_one(tmp_path):
    (tmp_path / "g.txt").write_text("a b\nb c\n")
    found = convert_to_shards([tmp_path / "g.txt"], tmp_path / "g.clgs", options=Options(ids="str"))
    assert found.ids.tolist() == ["a", "b", "c"]
    with pytest.raises(InputError, match="several inputs are read in parts"):
        convert_to_shards([tmp_path / "g.txt"] * 2, tmp_path / "h.clgs", options=Options(ids="str"))


@pytest.fixture
def left_behind(tmp_path, monkeypatch):
    """Two inputs, what a conversion left in its work folder, and the dataset that they make."""
    columns = edges(np.random.default_rng(3), "plain")
    paths = [written(tmp_path / f"{k}.txt", *(part[k:200:2] for part in columns)) for k in (0, 1)]
    how = {"options": Options(weights=True), **SMALL}
    expected = convert_to_shards(paths, tmp_path / "expected.clgs", **how)
    with monkeypatch.context() as patch:
        patch.setattr(module._Conversion, "write", lambda *_: 1 / 0)
        for resume, more in ((False, []), (True, ["g.clgs.work"])):
            with pytest.raises(ZeroDivisionError):
                convert_to_shards(paths, tmp_path / "g.clgs", resume=resume, **how)
            assert sorted(os.listdir(tmp_path)) == ["0.txt", "1.txt", "expected.clgs", *more]
    files = {each.name: each.read_bytes() for each in (tmp_path / "g.clgs.work").iterdir()}

    def again(change, **more):
        """The dataset after a change of the files, and what was said."""
        folder, said = tmp_path / "g.clgs.work", []
        shutil.rmtree(tmp_path / "g.clgs", ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        change(folder)
        found = convert_to_shards(paths, tmp_path / "g.clgs", resume=True, say=said.append, **{**how, **more})
        same(found, expected)
        assert not folder.exists()
        return said

    return paths, files, again


def test_nothing_damaged_is_taken_from_the_work_folder(left_behind):
    """Bytes changed, cut off, added and gone, in each file that is kept."""
    paths, files, again = left_behind
    assert again(lambda folder: None) == []
    kept = [name for name in files if name.startswith("input-")]
    assert len(kept) == 2 * (1 + 3)
    for name in kept:
        data = files[name]
        places = {0, 1, len(data) // 3, len(data) // 2, len(data) - 9, len(data) - 1}
        flipped = [data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :] for at in places]
        for changed in (*flipped, data[:-8], b"", data + bytes(8), data + data, None):

            def change(folder, name=name, changed=changed):
                file = folder / name
                file.unlink() if changed is None else file.write_bytes(changed)

            said = again(change)
            if not (changed is None and name.endswith(".json")):  # then that input was not read to the end
                assert len(said) == 1 and "g.clgs.work" in said[0] and "is damaged" in said[0]
                assert str(paths[int(name[6])]) in said[0]


def test_leftovers_of_other_parts_are_not_added_to(left_behind):
    def change(folder):
        for name in ("deal.row", "deal.head", "deal.weights", "deal-rows-3.row", "leaving.sum"):
            put(folder / name, bytes(24))
        for name in ("section-base.head", "section-base.weights", "input-0.7.source"):
            put(folder / name, bytes(12))

    assert left_behind[2](change) == []


def test_a_work_folder_that_is_not_ours(left_behind, tmp_path):
    """It is neither used nor removed, nor is what is in it."""
    _, files, again = left_behind
    work = tmp_path / "g.clgs.work"

    def link(folder):
        (tmp_path / "mine").write_text("mine")
        (folder / "deal.row").symlink_to(tmp_path / "mine")

    def linked(folder):
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")

    def file(folder):
        shutil.rmtree(folder)
        folder.write_text("mine")

    def everything():
        return sorted((str(each), each.lstat().st_mtime_ns) for each in tmp_path.rglob("*"))

    text = files["work.json"]
    missing = r"its work\.json is missing or damaged"
    foreign = r"\.work: holds what --resume has not put there"
    for change, told in (
        (lambda folder: put(folder / "thesis.txt", "mine"), rf"{foreign} \(thesis\.txt\)"),
        (lambda folder: (folder / "deal.row").mkdir(), rf"{foreign} \(deal\.row\)"),
        (link, rf"{foreign} \(deal\.row\)"),
        (lambda folder: put(folder / "work.json", text[:5] + b"?" + text[6:]), missing),
        (lambda folder: put(folder / "work.json", b""), missing),
        (lambda folder: (folder / "work.json").unlink(), missing),
        (file, "a folder of this name"),
        (linked, r"\.work: is a symbolic link"),
    ):
        before = []

        def and_look(folder, change=change, before=before):
            change(folder)
            before += everything()

        with pytest.raises(InputError, match=told):
            again(and_look)
        assert before == everything()
        if work.is_file():
            work.unlink()


def test_only_a_changed_input_is_read_again(left_behind, tmp_path, monkeypatch):
    """Which its bytes show, whatever its time and size."""
    paths, _, again = left_behind
    data, times = paths[1].read_bytes(), paths[1].stat()
    changed = bytearray(data)
    at = data.index(b".") + 1  # of a weight
    changed[at] ^= 1
    paths[1].write_bytes(changed)
    os.utime(paths[1], ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(AssertionError):  # another dataset
        again(lambda folder: None)
    expected = convert_to_shards(paths, tmp_path / "x.clgs", options=Options(weights=True), **SMALL)
    same(clgraph.open_shards(tmp_path / "g.clgs"), expected)
    paths[1].write_bytes(data)
    os.utime(paths[1], (1, 1))
    read, parts = [], module.Input.parts
    monkeypatch.setattr(
        module.Input, "parts", lambda self, *a: read.append(self.path.name) or parts(self, *a)
    )
    (line,) = again(lambda folder: None)
    assert read == ["1.txt"]
    assert line.startswith(f"note: {paths[1]} is read again: it has changed since") and "(time)" in line
    assert "(format)" in again(lambda folder: None, format="edges")[0]


def test_samples_of_a_large_input(tmp_path, monkeypatch):
    """Its head, its tail and places between."""
    monkeypatch.setattr(inputs, "SAMPLE", 16)
    path = tmp_path / "g.txt"
    for size in (0, 1, 16, 1000, 1024, 1025, 5000, 100_003):
        data = bytes(size)
        path.write_bytes(data)
        found = inputs.about(path, None, Options())["sha256"]
        for at in sorted({0, 15, size - 16, size - 1, size // 2} & set(range(size))):
            path.write_bytes(data[:at] + b"x" + data[at + 1 :])
            other = inputs.about(path, None, Options())["sha256"] != found
            assert other or (size > 1024 and at == size // 2), (size, at)


def test_what_is_kept_is_on_the_disk(left_behind, tmp_path, monkeypatch):
    """The tables of an input before the file that names them."""
    paths, done = left_behind[0], []
    fsync, replace = os.fsync, os.replace

    def noted(descriptor):
        done.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(
        os, "replace", lambda one, other: done.append(f"to {other.name}") or replace(one, other)
    )
    monkeypatch.setattr(module._Conversion, "write", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        convert_to_shards(paths[:1], tmp_path / "h.clgs", resume=True)
    names = [name for name in done if not name.startswith(".")]
    at = names.index("to input-0.json")
    assert names[:3] == ["to work.json", "h.clgs.work", "input-0.0.source"]
    assert names[3:at] == ["input-0.0.target"] and names[at + 1] == "h.clgs.work"


@pytest.mark.parametrize(
    "form", ["txt", "csv", "txt.gz", "clg", "parquet", "graphml", "gexf", "net", "npz", "wsg"]
)
def test_what_is_left_out_is_said(tmp_path, form):
    """Weights that are not asked for, and attributes, as every other output says it."""
    if form == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"g.{form}"

    def said(**options):
        lines = []
        convert_to_shards([path], tmp_path / "g.clgs", say=lines.append, options=Options(**options))
        return "\n".join(lines)

    clgraph.write(clgraph.Graph.from_edges([0, 1], [1, 2], weights=[2.0, 3.0]), path)
    assert re.search(r"note: g\.\S+: weights not read|skipped: .*(weights|values)", said())
    assert not re.search("not read|skipped: weights", said(weights=True))
    if form in ("graphml", "gexf"):
        names = put(tmp_path / "names.csv", "id,colour\n0,red\n")
        clgraph.write(clgraph.read(path, attributes=names), path)
        note = "note: left out: node colour; GraphML, GEXF and Pajek's .net hold them"
        assert note in said().splitlines()


def test_damaged_inputs(tmp_path):
    clgraph.write(clgraph.powerlaw_graph(2000, seed=1), tmp_path / "g.clg")
    data = bytearray((tmp_path / "g.clg").read_bytes())
    data[30000] ^= 1
    put(tmp_path / "g.clg", bytes(data))
    put(tmp_path / "h.txt", "1 2\n3 x\n")
    for name in ("g.clg", "h.txt", "none.txt"):
        with pytest.raises(InputError, match=name):
            convert_to_shards([tmp_path / name], tmp_path / "g.clgs")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["g.clg", "h.txt"]


def test_a_file_without_the_section_of_no_arcs(tmp_path):
    """Other writers leave ``col_idx`` out where there are no arcs."""
    path = tmp_path / "a.clg"
    clgraph.write(clgraph.Graph.from_edges([], [], vertices=np.arange(5)), path)
    data = path.read_bytes()
    header = unpack_header(path, data[:PAGE], len(data))
    sections = {name: each for name, each in header.sections.items() if name != "col_idx"}
    path.write_bytes(pack_header(replace(header, sections=sections), len(data)) + data[PAGE:])
    made = convert_to_shards([path], tmp_path / "a.clgs")
    assert (made.num_vertices, made.num_edges) == (5, 0)


@pytest.mark.parametrize("dense", [1 << 27, 16])
@pytest.mark.parametrize("highest", [300, 10**12])
def test_numbers(monkeypatch, dense, highest):
    """Ids collected a part at a time: by marks, by sorted runs, and from one to the other."""
    monkeypatch.setattr(tables, "DENSE", dense)
    monkeypatch.setattr(tables, "DIRECT", min(dense, 1 << 24))
    monkeypatch.setattr(tables, "PER_ROW", 1)
    rng = np.random.default_rng(1)
    parts = [rng.integers(0, limit, 50) for limit in (20, highest, highest)]
    given = [part.copy() for part in parts]
    found = tables.Numbering()
    for part in parts:
        found.add(part[:20], part[20:])
    found.finish()
    expected = np.unique(np.concatenate(given))
    assert found.n == len(expected) and np.array_equal(found.ids, expected)
    for part, before in zip(parts, given, strict=True):
        assert np.array_equal(part, before)
        assert np.array_equal(expected[found.numbers(part)], part)
