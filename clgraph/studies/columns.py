"""The columns of a study's table: what is measured of each sample, and which of it is compared."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from math import isfinite
from operator import attrgetter
from pathlib import Path
from typing import Any

from clgraph.errors import InputError
from clgraph.measures.report import why
from clgraph.measures.scalars import OPTIONAL, Measures

FIRST = ("method", "mode", "size", "target", "seed")
LAST = ("version", "device")
# columns that are attributes of Measures by the same name, and those that have another path there
PLAIN = (
    *("vertices", "edges", "average_degree", "density", "largest_degree", "components", "largest_component"),
    *("triangles", "clustering", "transitivity", "assortativity", "largest_core"),
    *("effective_diameter", "mean_distance", "diameter"),
)
SCALARS = dict(zip(PLAIN, PLAIN, strict=True)) | {
    "degree_exponent": "degree_exponent.slope",
    "degree_exponent_mle": "degree_exponent.mle.exponent",
    "rank_exponent": "rank_exponent.slope",
    "hop_plot_exponent": "hop_plot_exponent.slope",
    "eigen_exponent": "eigen_exponent.slope",
    "largest_eigenvalue": "largest_eigenvalue",
}
DISTANCES = ("degree", "clustering", "hop_plot", "component_size", "component_share", "core_number")
APART = tuple(f"ks_{name}" for name in DISTANCES)
MEASURES = (*SCALARS, *APART, *OPTIONAL)
# what a good sample has in common with its original, whatever its size, and how it is called
COMPARED = {
    "average_degree": "average degree",
    **{name: name for name in ("clustering", "transitivity", "assortativity")},
    "effective_diameter": "effective diameter",
    "mean_distance": "mean distance",
    "degree_exponent": "degree exponent",
    "degree_exponent_mle": "degree exponent by maximum likelihood",
    "rank_exponent": "rank exponent",
    "hop_plot_exponent": "hop-plot exponent",
    "eigen_exponent": "eigen exponent",
    "ks_degree": "KS distance of degrees",
    "ks_clustering": "KS distance of local clustering",
    "ks_hop_plot": "KS distance of hop plots",
    "ks_core_number": "KS distance of core numbers",
    "ks_in_degree": "KS distance of in-degrees",
    "ks_out_degree": "KS distance of out-degrees",
    "modularity": "modularity",
    "weighted_distance": "mean distance by weight",
}

Row = dict[str, Any]


def measures_of(also: Collection[str] = ()) -> list[str]:
    """Return the measures of a study, of the optional ones those that it has."""
    return [name for name in MEASURES if name not in OPTIONAL or name in also]


def original_value(original: Row, name: str) -> float | None:
    """Return the original's value of a measure: 0 of distances, which are from itself; None: not defined."""
    value: float | None = original.get(name, 0.0 if name in APART else None)
    return value


def columns_of(also: Collection[str] = ()) -> tuple[str, ...]:
    """Return the columns of a study with these optional measures."""
    return (*FIRST, *measures_of(also), *LAST)


COLUMNS = columns_of()


def scalars(measures: Measures) -> Row:
    """Return the figures of one graph, by column; None where one is not defined."""
    found = {
        column: attrgetter(path)(measures)
        for column, path in SCALARS.items()
        if column != "largest_eigenvalue"
    }
    values = measures.eigenvalues
    return {**found, "largest_eigenvalue": float(values[0]) if len(values) else None}


def why_not(measures: Measures, column: str) -> str:
    """Return the reason why a figure of a graph is not defined."""
    if column == "largest_eigenvalue":
        return measures.eigen_exponent.reason or "there are no eigenvalues"
    return why(measures, SCALARS.get(column, column))


def value_of(column: str, text: str) -> Any:
    """Return the value in a cell of the CSV."""
    if column in ("method", "mode", "size", *LAST):
        return text
    if text == "":
        return None
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if not isfinite(number):
        raise ValueError(f"{column} is {text[:40]}: a finite number is needed")
    return number


# --- Rows as text: the CSV of a study ---


def header_of(also: Collection[str] = ()) -> str:
    """Return the first line of the CSV."""
    return ",".join(columns_of(also)) + "\n"


def lines_of(rows: list[Row]) -> str:
    """Return rows as lines of the CSV: undefined values are empty, numbers exact."""
    out = io.StringIO()
    columns = columns_of(rows[0] if rows else ())
    csv.writer(out, lineterminator="\n").writerows([row[column] for column in columns] for row in rows)
    return out.getvalue()


def read_rows(path: Path) -> list[Row]:
    """Read the complete rows of a CSV; what an interrupted run left after the last whole line is ignored.

    Raises
    ------
    InputError
        If it is not a study's table; the line is named.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    # a line without its end was cut off while it was written
    whole = text[: text.rfind("\n") + 1]
    lines = list(csv.reader(io.StringIO(whole)))
    if not lines:
        return []
    # columns of another version cannot be continued
    columns = columns_of(lines[0])
    if tuple(lines[0]) != columns:
        raise InputError(f"{path}, line 1: not the columns of a study of this version of clgraph")
    rows = []
    for number, cells in enumerate(lines[1:], 2):
        if len(cells) != len(columns):
            raise InputError(f"{path}, line {number}: {len(cells)} columns, {len(columns)} are needed")
        try:
            rows.append({name: value_of(name, cell) for name, cell in zip(columns, cells, strict=True)})
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}") from error
    return rows
