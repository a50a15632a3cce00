"""What the figures and tables of a study show: on paper, in a terminal, as LaTeX, Markdown and CSV."""

import csv
import io
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import clgraph
from clgraph.drawing import COLUMNS, plus_minus, written
from clgraph.methods import METHODS
from clgraph.studies import figures
from clgraph.studies.answer import answer_lines
from clgraph.studies.figures import DARK, SERIES, span_of, write_figures
from clgraph.studies.tables import blocks

GRAPH = clgraph.powerlaw_graph(300, seed=1)
# how colours look to readers without red, green or blue cones: G. M. Machado, M. M. Oliveira,
# L. A. F. Fernandes, IEEE Trans. Visualization and Computer Graphics 15(6), 2009, table 1, of linear RGB
COLOUR_BLIND = {
    "none": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour, seen):
    """CIELAB coordinates of a colour as a reader sees it."""
    rgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = TO_XYZ @ np.clip(np.array(seen) @ linear, 0, 1) / TO_XYZ.sum(1)
    x, y, z = (np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("reader", COLOUR_BLIND)
@pytest.mark.parametrize("colours", [SERIES, DARK], ids=["light", "dark"])
def test_colours_of_neighbours_stay_apart_for_colour_blind_readers(colours, reader):
    seen = [lab(colour, COLOUR_BLIND[reader]) for colour in colours]
    # 20 is seen at a glance, 2 side by side; those further apart have other markers and dashes, too
    assert min(np.linalg.norm(one - other) for one, other in pairwise(seen)) > 20
    rest = [np.linalg.norm(seen[i] - seen[j]) for i in range(8) for j in range(i)]
    assert min(rest) > 2


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


def choose(monkeypatch, wanted):
    """Draw some figures alone, since each takes a second on a slow machine."""
    real = figures.drawings
    monkeypatch.setattr(figures, "drawings", lambda *of: [each for each in real(*of) if wanted(each.name)])


@pytest.mark.parametrize("part", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_the_same_study_gives_the_same_files(tmp_path, device, monkeypatch, part):
    choose(monkeypatch, lambda name: len(name) % part == 0)
    found = clgraph.study(GRAPH, "drv", "50%", seeds=2, device=device)
    for folder in ("one", "other"):
        count = write_figures(found, found.best(), tmp_path / folder)
    assert len(list((tmp_path / "one").iterdir())) == 3 * count > 9
    for one in (tmp_path / "one").iterdir():
        assert one.read_bytes() == (tmp_path / "other" / one.name).read_bytes(), one.name


SEVERAL = pytest.param("drv,dre,drve,dhyb,ebfs,edfs,rn,rw,ff", 2, marks=pytest.mark.slow)


@pytest.mark.parametrize(("methods", "columns"), [("drv,ff", 1), SEVERAL])
def test_figures_are_fit_for_print(methods, columns, tmp_path, device, monkeypatch):
    """Fonts are embedded as TrueType, SVG has text, PNG is as wide as the columns."""
    names = ("clustering", "heat-map", "degrees-30", "hops-60", "spectra-30")
    choose(monkeypatch, names.__contains__)
    from matplotlib.image import imread

    found = clgraph.study(GRAPH, methods, "60%,30%", seeds=2, device=device)
    write_figures(found, found.best(), tmp_path, columns)
    for name in ("answer-60", *names):
        pdf = (tmp_path / f"{name}.pdf").read_bytes()
        assert b"/FontFile2" in pdf and b"/Type3" not in pdf
        assert "<text" in (tmp_path / f"{name}.svg").read_text()
        wide = imread(tmp_path / f"{name}.png").shape[1]
        assert wide == pytest.approx(300 * COLUMNS[columns], abs=1)


def test_a_plot_on_axes_of_the_user(device):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    found = clgraph.study(GRAPH, "drv", "50%", seeds=2, device=device)
    axes = figure.add_subplot()
    assert found.plot("clustering", axes) is axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["50"]


# --- tables -----------------------------------------------------------------------------------------------


@pytest.fixture
def found(device):
    return clgraph.study(GRAPH, "drv,dre,ff", "60%,30%", seeds=3, device=device)


@pytest.mark.parametrize("width", [80, 100])
def test_blocks_fit_and_cut_nothing(width):
    columns = [(name, [f"{i}%", "100%", "\u2013"]) for i, name in enumerate(METHODS)]
    about = [("measure", ["a measure of many words", "b", "c"]), ("original", ["\u22120.1984", "1", "2"])]
    lines = list(blocks(about, columns, width))
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    for name, cells in columns:
        assert f" {name}" in text and f" {cells[0]}" in text
    assert text.count("a measure of many words") == sum(line.startswith("measure") for line in lines) > 1


def test_the_answer_fits_a_terminal(found):
    lines = list(answer_lines(found.best()))
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(("Take ", "No size "))
    text = " ".join(" ".join(lines).split())
    assert "ff (forest fire)" in text and "Over all, each aspect counts the same." in text
    assert "aspects count degrees 2" in " ".join(answer_lines(found.best(weights="degrees=2")))


def test_tables_for_print(found):
    rows = list(csv.DictReader(io.StringIO(found.table(format="csv"))))
    assert [(row["method"], row["size"]) for row in rows[:2]] == [("drv", "60%"), ("dre", "60%")]
    by = {(row["method"], row["size"], row["measure"]): row for row in found.summary}
    for row in rows:
        want = by[row["method"], row["size"], "clustering"]
        ends = [float(row[f"clustering{end}"]) for end in ("", "_low", "_high")]
        assert ends == [want["mean"], want["low"], want["high"]]
    latex = found.table("30%", "clustering,vertices", format="latex")
    assert latex.count("\\toprule") == latex.count("\\bottomrule") == 1 and "at 30\\%" in latex
    assert "ff & " in latex and "$\\pm$" in latex
    assert found.table().count("| drv |") == 2
    for given, why in (
        ({"size": "40%"}, "size is '40%': the study has 60%, 30%"),
        ({"measures": "clusterin"}, "'clusterin' is not a measure"),
        ({"measures": []}, "give some"),
        ({"format": "html"}, "format is 'html'"),
    ):
        with pytest.raises(clgraph.InputError, match=why):
            found.table(**given)


def test_cells():
    assert plus_minus(0.123456, 0.1, 0.146912) == "0.123 \u00b1 0.023"
    assert plus_minus(-1234.5, -1334.5, -1134.5) == "\u22121234 \u00b1 100"
    assert plus_minus(None, None, None) == "\u2013"
    assert plus_minus(4.0, 4.0, 4.0) == "4 \u00b1 0"
    assert written(["a_b", "c|d"], [["x", "\u22121 %"]], "latex").count("a\\_b & c|d") == 1
    assert written(["a", "c|d"], [["x", "1"]], "markdown").startswith("| a | c\\|d |")
