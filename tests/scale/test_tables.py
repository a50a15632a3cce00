"""Ids collected a part at a time: by marks, by sorted runs, and from one to the other."""

import numpy as np
import pytest

from clgraph.scale import tables


@pytest.mark.parametrize("dense", [1 << 27, 16])
@pytest.mark.parametrize("highest", [300, 10**12])
def test_numbers(monkeypatch, dense, highest):
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
