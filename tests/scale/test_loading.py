"""Shards whose checksums are right and whose content is not: found on the device, told by the host."""

import re
import zlib
from dataclasses import replace

import pytest

import clgraph
from clgraph.errors import InputError
from clgraph.formats.clg import Header, write_sections
from clgraph.scale.manifest import NAME
from clgraph.scale.shards import open_shards
from clgraph.scale.writing import write_shards

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
    graph = clgraph.powerlaw_graph(300, seed=1)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=400)
    rows = shards.read("pairs", 1)
    shard = shards.section("pairs").shards[1]
    file = tmp_path / "g.clgs" / shard.file
    row_ptr, heads = rows.row_ptr.copy(), rows.col_idx.copy()
    FORGED[name](row_ptr, heads)
    header = Header(False, shard.rows, shard.edges, shard.loops, {}, shard.first_row, 300)
    with open(file, "wb") as out:
        crc = zlib.crc32(write_sections(out, header, {"row_ptr": row_ptr, "col_idx": heads}).tobytes())
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
            clgraph.connected_components(open_shards(tmp_path / "g.clgs", verify=verify), device=device)
