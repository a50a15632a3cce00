"""What is taken out of shards, against masks in NumPy; cuts at every kind of place."""

import numpy as np
import pytest

import clgraph
from clgraph import keyed
from clgraph.sampling.shards.extract import Extraction
from clgraph.sampling.shards.forest import Choice
from clgraph.scale.loading import upload_rows
from clgraph.scale.writing import write_shards


@pytest.mark.parametrize("directed", [False, True])
def test_extraction(device, tmp_path, directed):
    rng = np.random.default_rng(2)
    source, target = rng.integers(0, 70, (2, 300))
    graph = clgraph.Graph.from_edges(source, target, directed=directed, vertices=np.arange(70))
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=60)
    view = graph.undirected
    once = view.tails < view.col_idx
    low, high = view.tails[once], view.col_idx[once]
    times = keyed.edge_priority(5, low, high)
    words = low.astype(np.uint64) << np.uint64(32) | high.astype(np.uint64)
    order = np.lexsort((words, times))
    member = rng.random(70) < 0.6
    number = np.cumsum(member) - 1
    for place in (None, -1, 0, len(order) // 2, len(order) - 1):
        cut = (
            None
            if place is None
            else (0, 0)
            if place < 0
            else (int(times[order[place]]), int(words[order[place]]))
        )
        later = np.ones(len(order), bool)
        if place is not None:
            later[order[: place + 1]] = False
        kept = member[low] & member[high] & later
        bits = np.packbits(np.pad(member, (0, -len(member) % 32)), bitorder="little").view("<u4")
        extraction = Extraction(device, 5, 70, Choice(bits, cut))
        assert np.array_equal(extraction.members(), np.flatnonzero(member))
        pairs = []
        with device.alone():
            for rows in shards.rows("pairs"):
                loaded = upload_rows(device, rows, ("way",))
                part = extraction.of(loaded)
                assert part.first_row == np.count_nonzero(member[: rows.first_row])
                assert extraction.count(loaded) == len(part.col_idx) == part.row_ptr[-1]
                tails = part.first_row + np.repeat(np.arange(len(part.row_ptr) - 1), np.diff(part.row_ptr))
                ways = part.values["way"] if directed else np.zeros(len(tails))
                pairs += list(zip(tails.tolist(), part.col_idx.tolist(), ways.tolist(), strict=True))
        ways = np.zeros(len(low))
        if directed:
            arcs = set(zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True))
            ends = list(zip(low.tolist(), high.tolist(), strict=True))
            ways = np.array([((u, v) in arcs) + 2 * ((v, u) in arcs) for u, v in ends])
        assert pairs == list(
            zip(number[low[kept]].tolist(), number[high[kept]].tolist(), ways[kept].tolist(), strict=True)
        )
