"""Tables of a study as text: for a terminal in blocks that fit its width, and as LaTeX, Markdown or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import Any

from clgraph.measures.report import figure
from clgraph.studies.columns import Row

WIDTH = 80
NONE = "\u2013"
GAP = "  "


def blocks(
    about: Sequence[tuple[str, list[str]]], columns: Sequence[tuple[str, list[str]]], width: int
) -> Iterator[str]:
    """Yield a table in blocks: the first of `about` names the rows of each; no cell is cut or broken.

    The other columns of `about` are in the first block alone.
    """
    names = about[0]
    waiting = [*about[1:], *columns]
    first = True
    while waiting or first:
        block, used = [names], _wide(names)
        while waiting and (len(block) == 1 or used + len(GAP) + _wide(waiting[0]) <= width):
            used += len(GAP) + _wide(waiting[0])
            block.append(waiting.pop(0))
        if not first:
            yield ""
        first = False
        wide = [_wide(column) for column in block]
        head = [column[0] for column in block]
        rule = [NONE * each for each in wide]
        for cells in (head, rule, *zip(*(column[1] for column in block), strict=True)):
            yield GAP.join([cells[0].ljust(wide[0]), *map(str.rjust, cells[1:], wide[1:])]).rstrip()


def _wide(column: tuple[str, list[str]]) -> int:
    return max(map(len, (column[0], *column[1])))


def folded(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield a text in lines of a width, those after the first indented."""
    import textwrap

    yield from textwrap.wrap(
        text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    ) or [""]


# --- For print ---

FORMATS = ("latex", "markdown", "csv")
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def written(heads: Sequence[str], rows: Sequence[Sequence[Any]], form: str, caption: str = "") -> str:
    """Return a table as LaTeX (booktabs), Markdown or CSV; the first column is left-aligned.

    Parameters
    ----------
    heads : sequence of str
    rows : sequence of sequences of str
    form : {"latex", "markdown", "csv"}
    caption : str
        Of a LaTeX table, and above a Markdown table.
    """
    if form == "csv":
        import csv
        import io

        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([heads, *rows])
        return out.getvalue()
    if form == "markdown":
        cells = [[str(cell).replace("|", "\\|") for cell in row] for row in (heads, *rows)]
        rule = [":--", *["--:"] * (len(heads) - 1)]
        lines = [f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:])]
        return "\n".join([*([caption, ""] if caption else []), *lines, ""])
    body = [" & ".join(map(_latex, row)) + r" \\" for row in rows]
    lines = [r"\begin{tabular}{l" + "r" * (len(heads) - 1) + "}", r"\toprule"]
    lines += [" & ".join(map(_latex, heads)) + r" \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    if caption:
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{_latex(caption)}}}", *lines, r"\end{table}"]
    return "% \\usepackage{booktabs}\n" + "\n".join(lines) + "\n"


def _latex(text: Any) -> str:
    done = "".join(SPECIAL.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in str(text))
    for sign, spelt in (("\u2212", "$-$"), ("\u00b1", r"$\pm$"), ("\u202f", r"\,"), (NONE, "--")):
        done = done.replace(sign, spelt)
    return done


def plus_minus(row: Row) -> str:
    """Return a mean and half of its interval, with as many decimals as the half has in two digits."""
    if row["mean"] is None:
        return NONE
    if row["low"] is None:
        return figure(row["mean"])
    half = (row["high"] - row["low"]) / 2
    if half == 0:
        return f"{figure(row['mean'])} \u00b1 0"
    decimals = max(0, 1 - floor(log10(half)))
    return f"{row['mean']:.{decimals}f} \u00b1 {half:.{decimals}f}".replace("-", "\u2212")
