"""Datasets that were damaged: each is refused, and the file is named."""

import json
import re
import shutil
import zlib
from dataclasses import replace

import numpy as np
import pytest

import clgraph
from clgraph.errors import InputError
from clgraph.formats.clg import Header, write_sections
from clgraph.scale.manifest import NAME, _parsed
from clgraph.scale.shards import open_shards
from clgraph.scale.writing import join_shards, write_shards


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
        changes = [data[:length] for length in (0, len(data) // 2, len(data) - 2)]  # it ends with a line feed
        for at in [0, len(data) - 1, *rng.integers(0, len(data), 4).tolist()]:
            changes.append(bytearray(data))
            changes[-1][at] ^= 1 << int(rng.integers(0, 8))
        for changed in (*changes, None):
            file.unlink() if changed is None else file.write_bytes(changed)
            with pytest.raises(InputError, match=re.escape(str(copy))):
                everything(copy)
        file.write_bytes(data)
    everything(copy)
    (copy / "pairs-000000.clg").rename(copy / "pairs")  # two change places
    (copy / "pairs-000001.clg").rename(copy / "pairs-000000.clg")
    (copy / "pairs").rename(copy / "pairs-000001.clg")
    with pytest.raises(InputError, match="pairs-00000"):
        everything(copy)


PAIRS = ("sections", "pairs", "shards")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("vertices",), 2**40, "vertices of the manifest"),
        (("vertices",), 3, "has .* rows, but there are 3 vertices"),
        (("version",), 2, "version is 2"),
        ((*PAIRS, 0, "file"), "../../etc/passwd", "file of shard 0 of section pairs is .*: text like"),
        ((*PAIRS, 1, "first_edge"), 7, "where the one before ends"),
        (PAIRS, None, "lists no shards"),
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


def test_shards_are_opened_by_open_shards():
    with pytest.raises(TypeError, match=r"clgraph.open_shards\(path\) opens"):
        clgraph.Shards("x")


def test_no_dataset(tmp_path):
    path = tmp_path / "x.clgs"
    for make, said in (
        (bool, "no such dataset"),
        (path.mkdir, "has no manifest"),
        (lambda: (path / NAME).write_text("[" * 100000), "damaged"),
    ):
        make()
        with pytest.raises(InputError, match=said):
            open_shards(path)


def test_vertices_that_no_file_has(copy):
    """A manifest is believed for nothing that is allocated."""
    manifest = json.loads((copy / NAME).read_text())
    manifest["vertices"] = n = 10**9
    for section in manifest["sections"].values():
        section["shards"][-1]["rows"] += n - sum(shard["rows"] for shard in section["shards"])
    (copy / NAME).write_text(_parsed(manifest).to_json())
    with pytest.raises(InputError, match="has 1000000000 vertices, but the shards of its section pairs only"):
        open_shards(copy)


# --- checksums that are right, and content that is not: found on the device, told by the host ---------------

# the array, where in it, and what is put there
FORGED = {
    "a head out of range": ("heads", 7, 10**6),
    "a negative head": ("heads", -1, -1),
    "a row that falls": ("heads", slice(0, 2), None),
    "offsets that fall": ("row_ptr", 3, 10**6),
    "offsets that begin late": ("row_ptr", 0, 1),
    "offsets that end early": ("row_ptr", -1, 0),
    "a pair in the row of its larger end": ("heads", "last", 0),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_shard_that_cannot_be(device, tmp_path, name):
    shards = write_shards(clgraph.powerlaw_graph(300, seed=1), tmp_path / "g.clgs", shard_edges=400)
    rows, pairs = shards.read("pairs", 1), shards.section("pairs")
    shard = pairs.shards[1]
    row_ptr, heads = rows.row_ptr.copy(), rows.col_idx.copy()
    array, place, value = FORGED[name]
    if place == "last":  # the first head of the last row
        place = row_ptr[-2] if row_ptr[-1] > row_ptr[-2] else -1
    {"heads": heads, "row_ptr": row_ptr}[array][place] = heads[1::-1].copy() if value is None else value
    header = Header(False, shard.rows, shard.edges, shard.loops, {}, shard.first_row, 300)
    file = shards.folder / shard.file
    with open(file, "wb") as out:
        crc = zlib.crc32(write_sections(out, header, {"row_ptr": row_ptr, "col_idx": heads}).tobytes())
    listed = tuple(replace(each, crc=crc) if each is shard else each for each in pairs.shards)
    sections = {**shards.manifest.sections, "pairs": replace(pairs, shards=listed)}
    (shards.folder / NAME).write_text(replace(shards.manifest, sections=sections).to_json())
    # what is wrong within a row is harmless: looked for only where checksums are compared
    for verify in (True,) if "row" in name else (True, False):
        with pytest.raises(InputError, match=re.escape(f"{file}: damaged")):
            clgraph.connected_components(open_shards(shards.folder, verify=verify), device=device)
