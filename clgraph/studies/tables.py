"""Tables of a study as text: for a terminal in blocks that fit its width, and as LaTeX, Markdown or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.measures.report import figure
from clgraph.studies.aspects import OVERALL, named
from clgraph.studies.columns import COMPARED, MEASURES, Row

if TYPE_CHECKING:
    from clgraph.studies.plan import Tolerance
    from clgraph.studies.summary import Answer, Result

WIDTH = 80
NONE = "\u2013"
GAP = "  "


def answer_lines(found: Answer, tolerance: Tolerance | None = None, width: int = WIDTH) -> Iterator[str]:
    """Yield the answer for a terminal: the sentence, each size's choices, the smallest sizes.

    Parameters
    ----------
    found : Answer
    tolerance : Tolerance, optional
        Shown beside the measures.
    width : int
        Columns of the terminal; methods that do not fit go into another block.
    """
    yield from folded(found.headline, width)
    for lines in found.warnings.values():
        for line in lines:
            yield from folded(f"Warning: {line}.", width)
    yield ""
    yield from choice_lines(found, width)
    yield ""
    yield from smallest_lines(found, tolerance, width)


def choice_lines(found: Answer, width: int = WIDTH) -> Iterator[str]:
    """Yield what to take at each size, a line for each aspect."""
    yield from folded(
        "What to take (distance from the original in %, its 95 % interval over the seeds; + is within the "
        f"tolerance). {weighting(found)}",
        width,
    )
    for choice in found.choices:
        if choice.aspect == OVERALL:
            yield f"at {choice.size}, {figure(choice.target)} vertices"
        begin = f"{choice.aspect:<10}{GAP}"
        mark = "+" if choice.accepts(choice.places[0]) else " "
        warned = " (see the warning)" if choice.method in found.warnings else ""
        yield from folded(f"{GAP}{begin}{mark} {choice.text()}{warned}", width, " " * (len(begin) + 4))


def weighting(found: Answer) -> str:
    """Return a sentence that says how aspects are weighted."""
    there = {choice.aspect for choice in found.choices} - {OVERALL}
    weights = {aspect: weight for aspect, weight in found.weights.items() if aspect in there}
    if len(set(weights.values())) < 2:
        return "Over all, each aspect counts the same."
    return f"Over all, aspects count {', '.join(f'{name} {value:g}' for name, value in weights.items())}."


def smallest_lines(found: Answer, tolerance: Tolerance | None, width: int = WIDTH) -> Iterator[str]:
    """Yield the smallest sizes within the tolerance: measures in rows, blocks of as many methods as fit."""
    methods = [place.method for place in found.ranking]
    yield "The smallest size within the tolerance"
    about: list[tuple[str, list[str]]] = [("measure", [COMPARED[v.measure] for v in found.verdicts])]
    originals = ["" if v.measure.startswith("ks_") else figure(v.original) for v in found.verdicts]
    about.append(("original", originals))
    if tolerance is not None:
        about.append(("tolerance", [tolerance.words(v.measure) for v in found.verdicts]))
    columns = [(m, [v.smallest.get(m) or NONE for v in found.verdicts]) for m in methods]
    yield from blocks(about, columns, width)
    yield from folded(f"Methods: {', '.join(map(named, methods))}.", width)


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


# --- For print: ``--table`` and `Study.table` ---

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


def study_table(study: Result, size: Any, measures: Any, form: str) -> str:
    """See `Study.table`."""
    if form not in FORMATS:
        raise InputError(f"format is {shown(form)}: use {', '.join(FORMATS)}")
    sizes = list(study.plan.sizes)
    if size is not None:
        sizes = [each for each in sizes if each == str(size).strip()]
        if not sizes:
            raise InputError(f"size is {shown(size)}: the study has {', '.join(study.plan.sizes)}")
    names = _names(study, measures)
    by = {(row["size"], row["method"], row["measure"]): row for row in study.summary}
    methods = study.plan.methods
    if form == "csv":
        heads = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
        rows = []
        for each in sizes:
            for method in methods:
                found = [by[each, method, name] for name in names]
                values = (row[key] for row in found for key in ("mean", "low", "high"))
                rows.append([method, each, *("" if value is None else value for value in values)])
        return written(["method", "size", *heads], rows, form)
    heads = ["method", *(COMPARED.get(name, name.replace("_", " ")) for name in names)]
    parts = []
    for each in sizes:
        rows = [[m, *(plus_minus(by[each, m, name]) for name in names)] for m in methods]
        originals = [study.original.get(name) for name in names]
        rows.insert(0, ["original", *(NONE if value is None else figure(value) for value in originals)])
        words = f"Means over {study.plan.seeds} seeds at {each}, with 95 % intervals."
        parts.append(written(heads, rows, form, words))
    return "\n".join(parts)


def _names(study: Result, measures: Any) -> list[str]:
    if measures is None:
        return [m for m in COMPARED if m.startswith("ks_") or study.original.get(m) is not None]
    given = [part.strip() for part in measures.split(",")] if isinstance(measures, str) else measures
    if not isinstance(given, Sequence) or not given:
        raise InputError(f"measures is {shown(measures)}: give some, such as 'clustering,ks_degree'")
    for name in given:
        if not isinstance(name, str) or name not in MEASURES:
            raise InputError(f"{shown(name)} is not a measure of a study: use {', '.join(MEASURES)}")
    return list(given)


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
