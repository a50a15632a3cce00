"""Datasets that were damaged: each is refused, and the file is named."""

import json
import os
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest

import clgraph
from clgraph.errors import InputError
from clgraph.graph.io.binary import write_sections
from clgraph.graph.io.binary_header import Header
from clgraph.scale.cut import join_shards, write_shards
from clgraph.scale.manifest import NAME
from clgraph.scale.shards import open_shards


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    rng = np.random.default_rng(3)
    ids = rng.integers(0, 500, (2, 400)) * 7
    graph = clgraph.Graph.from_edges(*ids, weights=rng.random(400))
    path = tmp_path_factory.mktemp("shards") / "g.clgs"
    write_shards(graph, path, shard_edges=150)
    return path


@pytest.fixture
def copy(dataset, tmp_path):
    return shutil.copytree(dataset, tmp_path / "g.clgs")


def everything(path):
    shards = open_shards(path)
    join_shards(shards)
    for name in shards.manifest.sections:
        for _ in shards.rows(name):
            pass
    return shards.leaving, shards.ids


def test_every_byte_counts(copy):
    """A changed byte anywhere is found, and its file named."""
    rng = np.random.default_rng(4)
    for file in sorted(copy.iterdir()):
        data = file.read_bytes()
        for at in [0, len(data) - 1, *rng.integers(0, len(data), 4).tolist()]:
            changed = bytearray(data)
            changed[at] ^= 1 << int(rng.integers(0, 8))
            file.write_bytes(changed)
            with pytest.raises(InputError, match=re.escape(str(copy))):
                everything(copy)
        for length in (0, len(data) // 2, len(data) - 2):  # the manifest ends with a line feed
            file.write_bytes(data[:length])
            with pytest.raises(InputError, match=re.escape(str(copy))):
                everything(copy)
        file.unlink()
        with pytest.raises(InputError, match=re.escape(str(copy))):
            everything(copy)
        file.write_bytes(data)
    everything(copy)


def test_shards_changed_places(copy):
    one, other = (copy / f"pairs-00000{k}.clg" for k in (0, 1))
    os.rename(one, copy / "x")
    os.rename(other, one)
    os.rename(copy / "x", other)
    with pytest.raises(InputError, match="pairs-00000"):
        everything(copy)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("vertices",), 2**40, "vertices of the manifest"),
        (("vertices",), 3, "has .* rows, but there are 3 vertices"),
        (("version",), 2, "version is 2"),
        (("sections", "pairs", "shards", 0, "file"), "../../etc/passwd", "no name of a file"),
        (("sections", "pairs", "shards", 1, "first_edge"), 7, "where the one before ends"),
        (("sections", "pairs", "shards"), None, "lists no shards"),
        (("sections", "in"), {}, "does not belong"),
        (("weights",), "yes", "true or false"),
        (("directed",), True, "does not belong"),
    ],
)
def test_a_manifest_that_cannot_be(copy, path, value, message):
    found = json.loads((copy / NAME).read_text())
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    (copy / NAME).write_text(json.dumps(found))
    with pytest.raises(InputError, match=message):
        open_shards(copy)


def test_no_dataset(tmp_path):
    with pytest.raises(InputError, match="no such dataset"):
        open_shards(tmp_path / "x.clgs")
    (tmp_path / "x.clgs").mkdir()
    with pytest.raises(InputError, match="has no manifest"):
        open_shards(tmp_path / "x.clgs")
    (tmp_path / "x.clgs" / NAME).write_text("[" * 100000)
    with pytest.raises(InputError, match="damaged"):
        open_shards(tmp_path / "x.clgs")


FORGED = {
    "a head out of range": lambda row_ptr, heads: heads.__setitem__(7, 10**6),
    "a negative head": lambda row_ptr, heads: heads.__setitem__(-1, -1),
    "a row that falls": lambda row_ptr, heads: heads.__setitem__(slice(0, 2), heads[1::-1].copy()),
    "offsets that fall": lambda row_ptr, heads: row_ptr.__setitem__(3, 10**6),
    "offsets that begin late": lambda row_ptr, heads: row_ptr.__setitem__(0, 1),
    "offsets that end early": lambda row_ptr, heads: row_ptr.__setitem__(-1, 0),
    "a pair in the row of its larger end": lambda row_ptr, heads: heads.__setitem__(
        row_ptr[-2] if row_ptr[-1] > row_ptr[-2] else -1, 0
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_shard_that_cannot_be(device, tmp_path, name):
    """Its checksums are right, what it holds is not; found on the device, told by the host."""
    graph = clgraph.powerlaw_graph(300, seed=1)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=400)
    rows = shards.read("pairs", 1)
    shard, file = rows.shard, tmp_path / "g.clgs" / rows.shard.file
    row_ptr, heads = rows.row_ptr.copy(), rows.col_idx.copy()
    FORGED[name](row_ptr, heads)
    header = Header(False, shard.rows, shard.edges, shard.loops, {}, shard.first_row, 300)
    with open(file, "wb") as out:
        crc = write_sections(out, header, {"row_ptr": row_ptr, "col_idx": heads})
    sections = dict(shards.manifest.sections)
    forged = [
        replace(each, crc=crc) if each.file == shard.file else each for each in sections["pairs"].shards
    ]
    sections["pairs"] = replace(sections["pairs"], shards=tuple(forged))
    (tmp_path / "g.clgs" / NAME).write_text(replace(shards.manifest, sections=sections).to_json())
    for verify in (True, False):
        if not verify and "row" in name:
            continue  # harmless: looked for only where checksums are compared
        with pytest.raises(InputError, match=re.escape(f"{file}: damaged")):
            clgraph.components_of_shards(open_shards(tmp_path / "g.clgs", verify=verify), device=device)
