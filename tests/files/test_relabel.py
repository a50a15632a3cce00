"""Vertices numbered on a device: the numbers that the host gives them."""

import numpy as np
import pytest

import clgraph.files.edge_list
from clgraph.csr.device_csr import SelectedIds
from clgraph.files.edge_list import number_vertices
from clgraph.files.parse import Columns
from clgraph.graph import building


@pytest.mark.parametrize("way", ["bitmap", "sorted", "either"])
@pytest.mark.parametrize(("rows", "top"), [(1, 1), (5, 3), (400, 300), (3000, 10**6), (70_000, 50_000)])
def test_numbers(device, monkeypatch, way, rows, top):
    if way != "either":
        most = 0 if way == "sorted" else 10**6
        monkeypatch.setattr(clgraph.files.edge_list, "BITS_PER_ROW", most)
        monkeypatch.setattr(clgraph.files.edge_list, "BITS_FLOOR", most)
    check(device, np.random.default_rng(rows).integers(0, top, (2, rows)).astype(np.int32))


def test_identity_and_one_gap(device):
    for ids in (range(64), range(1, 65), [*range(31), 95], [0, 32, 64, 2**31 - 1]):
        check(device, np.array([ids, ids], np.int32))


@pytest.mark.parametrize("top", [2**31 + 1, 2**40, 2**63 - 1])
def test_ids_of_64_bits(device, top):
    ends = np.random.default_rng(1).integers(0, top, (2, 5000))
    ends[:, 1000:3000] = ends[::-1, :2000]
    ends[0, 7] = top
    check(device, ends)


def check(device, ends):
    n, ids, tail, head = building.number_vertices(ends[0], ends[1])
    uploaded = [device.upload(end.copy(), writable=True) for end in ends]
    highest = int(ends.max())
    kind = ends.dtype.type
    columns = Columns(uploaded[0], uploaded[1], None, ends.shape[1], kind, highest, 0)
    found = number_vertices(device, columns)
    assert found.n == n
    assert device.download(found.source, np.int32, len(tail)).tolist() == tail.tolist()
    assert device.download(found.target, np.int32, len(head)).tolist() == head.tolist()
    assert found.ids is not None or ids is None
    if found.ids is not None:
        wanted = list(range(n)) if ids is None else ids.tolist()
        assert (found.ids.ids(device) if isinstance(found.ids, SelectedIds) else found.ids).tolist() == wanted
