"""What the figures of a study show."""

from types import SimpleNamespace

import pytest

import clgraph
from clgraph.drawing import COLUMNS
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
        count = write_figures(found, found.best(), tmp_path / folder)
    assert len(list((tmp_path / "one").iterdir())) == 3 * count
    for one in (tmp_path / "one").iterdir():
        assert one.read_bytes() == (tmp_path / "other" / one.name).read_bytes(), one.name


@pytest.mark.parametrize(("methods", "columns"), [("drv,ff", 1), ("drv,dre,drve,dhyb,ebfs,edfs,rn,rw,ff", 2)])
def test_figures_are_fit_for_print(methods, columns, tmp_path, device):
    """Fonts are embedded as TrueType, SVG has text, PNG is as wide as the columns."""
    from matplotlib.image import imread

    graph = clgraph.powerlaw_graph(300, seed=1)
    found = clgraph.study(graph, methods, "60%,30%", seeds=2, device=device)
    write_figures(found, found.best(), tmp_path, columns)
    for name in ("answer-60", "clustering", "heat-map", "degrees-30", "hops-60", "spectra-30"):
        pdf = (tmp_path / f"{name}.pdf").read_bytes()
        assert b"/FontFile2" in pdf and b"/Type3" not in pdf
        assert "<text" in (tmp_path / f"{name}.svg").read_text()
        wide = imread(tmp_path / f"{name}.png").shape[1]
        assert wide == pytest.approx(300 * COLUMNS[columns], abs=1)


def test_a_plot_on_axes_of_the_user(device):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    found = clgraph.study(clgraph.powerlaw_graph(300, seed=1), "drv", "50%", seeds=2, device=device)
    axes = figure.add_subplot()
    assert found.plot("clustering", axes) is axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["50"]
