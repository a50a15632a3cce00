"""Cut graphs: every arc is in one tile of its block, and blocks end where the layout says."""

import numpy as np
import pytest
from graphs import random_graph

from clgraph.csr.partitions import Cut, make_layout, upload_layout


@pytest.mark.parametrize(
    ("n", "m", "size", "room", "burst"), [(90, 400, 20, 64, 4), (90, 0, 20, 64, 4), (300, 50, 64, 256, 8)]
)
def test_layout(n, m, size, room, burst):
    graph = random_graph(n, n, m)
    cut = Cut.of(graph, size=size, room=room, burst=burst)
    assert cut.partitions == -(-n // size) and cut.each == room - burst * cut.partitions
    assert cut.blocks == max(1, -(-graph.num_arcs // cut.each))
    layout = make_layout(cut, graph.row_ptr, graph.col_idx)
    assert layout.place.size == graph.num_arcs and layout.ended[0] == 0
    tile = layout.tile.reshape(cut.blocks, cut.partitions, 2)
    assert np.all(tile % burst == 0) and np.all(tile[..., 1] >= tile[..., 0])
    assert layout.begin[0] == 0 and layout.begin[-1] == tile[..., 1].max(initial=0)
    for partition in range(cut.partitions):  # its tiles are contiguous
        bounds = [layout.begin[partition], *tile[:, partition].ravel().tolist(), layout.begin[partition + 1]]
        assert bounds[0::2] == bounds[1::2]
    for block in range(cut.blocks):
        # what a kernel does: it brings the tiles on chip one after the other, and reads arcs by their place
        tiles = enumerate(tile[block].tolist())
        chip = np.concatenate([layout.source[begin:end] + size * at for at, (begin, end) in tiles])
        assert len(chip) <= room
        arcs = slice(block * cut.each, (block + 1) * cut.each)
        np.testing.assert_array_equal(chip[layout.place[arcs]], graph.col_idx[arcs])
        # rows that end within the blocks up to this one
        ended = np.searchsorted(graph.row_ptr[1:], (block + 1) * cut.each, side="right")
        assert layout.ended[block + 1] == (n if block == cut.blocks - 1 else ended)


def test_what_is_not_cut():
    for n in (20, 400):  # all vertices fit on chip; tiles would mostly be padding
        assert Cut.of(random_graph(1, n, 40), size=20, room=64, burst=4) is None


def test_upload(device):
    graph = random_graph(5, 90, 400)
    cut = Cut.of(graph, size=20, room=64, burst=4)
    layout, there = make_layout(cut, graph.row_ptr, graph.col_idx), upload_layout(device, graph, cut)
    assert there.moved == len(layout.source)
    arrays = {name: array for name, array in vars(layout).items() if name != "moved"}
    for name, array in arrays.items():
        np.testing.assert_array_equal(device.download(getattr(there, name), array.dtype, array.size), array)
    assert upload_layout(device, graph, cut) is there
    assert upload_layout(device, graph, Cut.of(graph, size=20, room=128, burst=4)) is not there
