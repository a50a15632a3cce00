"""Tables of studies: blocks that fit a terminal, LaTeX, Markdown and CSV."""

import csv
import io

import pytest

from clgraph import InputError, powerlaw_graph, study
from clgraph.drawing import plus_minus, written
from clgraph.methods import METHODS
from clgraph.studies.answer import answer_lines
from clgraph.studies.tables import blocks


@pytest.fixture
def found(device):
    return study(powerlaw_graph(300, seed=1), "drv,dre,ff", "60%,30%", seeds=3, device=device)


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
        (("40%",), "size is '40%': the study has 60%, 30%"),
        ((None, "clusterin"), "'clusterin' is not a measure"),
        ((None, []), "give some"),
    ):
        with pytest.raises(InputError, match=why):
            found.table(*given)
    with pytest.raises(InputError, match="format is 'html'"):
        found.table(format="html")


def test_cells():
    assert plus_minus(0.123456, 0.1, 0.146912) == "0.123 \u00b1 0.023"
    assert plus_minus(-1234.5, -1334.5, -1134.5) == "\u22121234 \u00b1 100"
    assert plus_minus(None, None, None) == "\u2013"
    assert plus_minus(4.0, 4.0, 4.0) == "4 \u00b1 0"
    assert written(["a_b", "c|d"], [["x", "\u22121 %"]], "latex").count("a\\_b & c|d") == 1
    assert written(["a", "c|d"], [["x", "1"]], "markdown").startswith("| a | c\\|d |")
