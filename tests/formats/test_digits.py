"""The fast parser of plain integers."""

import numpy as np
import pytest
from graph_files import put

from clgraph.formats.text_table import Layout, read_integers


@pytest.mark.parametrize("size", [1, 5, 7, 30, 1000])
def test_blocks_of_any_size_are_parsed_alike(tmp_path, size, monkeypatch):
    rng = np.random.default_rng(1)
    values = 10 ** rng.integers(0, 16, (200, 3)) + rng.integers(0, 10, (200, 3)) - 1
    path = put(tmp_path / "x.txt", "\n".join(f"{a}\t{b} {c}" for a, b, c in values.tolist()))
    monkeypatch.setattr("clgraph.formats.text_table.BLOCK", max(size, 48))
    found = read_integers(path, Layout((2, 0), 3, 0))
    assert found is not None
    assert np.array_equal(found[0], values[:, 2]) and np.array_equal(found[1], values[:, 0])


@pytest.mark.parametrize(
    "text",
    [
        "1 2\n-3 4\n",
        "1 2\n3\n4\n5 6\n",
        "1 2\n#\n",
        "1 2\n\n3 4\n",
        "1  2\n",
        "1 2 \n",
        "1 x\n",
        "1 2 3\n4\n",
        "1 12345678901234567\n",
        "1,2\n",
        "1 \u00e9\n",
        "1 2\r3 4\r",
    ],
)
def test_what_is_not_plain_is_left_to_others(tmp_path, text):
    assert read_integers(put(tmp_path / "x.txt", text), Layout((0, 1), 2, 0)) is None
