"""What the figures of a study show."""

from types import SimpleNamespace

import pytest

import clgraph
from clgraph.studies.figures import span_of, write_figures


def study(*rows, original=4.0):
    named = ({"mean": mean, "low": low, "high": high} for mean, low, high in rows)
    return SimpleNamespace(summary=[{"measure": "x", "original": original, **row} for row in named])


def test_wide_intervals_do_not_flatten_the_lines():
    limits, cut = span_of(study((1, -90, 92), (3, 2.5, 3.5), (None, None, None)), "x")
    assert limits == pytest.approx((0, 5))
    assert cut
    limits, cut = span_of(study((1, 0.8, 1.2), (3, None, None)), "x")
    assert limits[0] == pytest.approx(0.55)
    assert 4 < limits[1] < 5
    assert not cut
    assert span_of(study((4, 1, 9)), "x") == (None, False)


def test_the_same_study_gives_the_same_files(tmp_path, device):
    found = clgraph.study(clgraph.powerlaw_graph(300, seed=1), "drv", "50%", seeds=2, device=device)
    for folder in ("one", "other"):
        write_figures(found, found.best(), tmp_path / folder)
    for one in (tmp_path / "one").iterdir():
        assert one.read_bytes() == (tmp_path / "other" / one.name).read_bytes(), one.name
