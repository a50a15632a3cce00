"""Files of scipy.sparse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from graph_files import put

from clgraph import InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary


def test_scipy_files(tmp_path: Path) -> None:
    matrix = sp.csr_array(np.array([[0, 2.0, 0], [0, 0, 3.0], [0, 0, 0]]))
    sp.save_npz(tmp_path / "x.npz", matrix)
    assert not read(tmp_path / "x.npz").directed
    assert read_with_summary(tmp_path / "x.npz", bare_is_directed=True)[0].directed
    graph = read(tmp_path / "x.npz", directed=True, weights=True)
    assert graph.weights is not None and graph.weights.tolist() == [2, 3] and graph.has_identity_ids
    write(graph, tmp_path / "y.npz")
    assert np.array_equal(sp.load_npz(tmp_path / "y.npz").toarray(), matrix.toarray())
    sp.save_npz(tmp_path / "z.npz", sp.csr_array(np.ones((2, 3))))
    with pytest.raises(InputError, match="2 x 3"):
        read(tmp_path / "z.npz")
    put(tmp_path / "bad.npz", "nonsense")
    np.savez(tmp_path / "other.npz", a=np.arange(3))
    for name in ("bad.npz", "other.npz"):
        with pytest.raises(InputError, match=r"scipy.sparse.save_npz"):
            read(tmp_path / name)
    sp.save_npz(tmp_path / "nan.npz", sp.csr_array([[np.nan]]))
    with pytest.raises(InputError, match="not finite"):
        read(tmp_path / "nan.npz", weights=True)
    with pytest.raises(InputError, match="keep"):
        read(tmp_path / "x.npz", duplicates="keep")
