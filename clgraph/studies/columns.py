"""The columns of a study's table: what is measured of each sample, and which of it is compared."""

from __future__ import annotations

from math import isfinite
from typing import Any

from clgraph.measures.scalars import Measures
from clgraph.measures.words import look_up

FIRST = ("method", "mode", "size", "target", "seed")
LAST = ("version", "device")
# column -> attribute of Measures
SCALARS = {
    **{
        name: name
        for name in (
            "vertices",
            "edges",
            "average_degree",
            "density",
            "largest_degree",
            "components",
            "largest_component",
            "triangles",
            "clustering",
            "transitivity",
            "assortativity",
            "largest_core",
            "effective_diameter",
            "mean_distance",
            "diameter",
        )
    },
    "degree_exponent": "degree_exponent.slope",
    "degree_exponent_mle": "degree_exponent.mle.exponent",
    "rank_exponent": "rank_exponent.slope",
    "hop_plot_exponent": "hop_plot_exponent.slope",
    "eigen_exponent": "eigen_exponent.slope",
    "largest_eigenvalue": "largest_eigenvalue",
}
DISTANCES = ("degree", "clustering", "hop_plot", "component_size", "component_share", "core_number")
MEASURES = (*SCALARS, *(f"ks_{name}" for name in DISTANCES))
COLUMNS = (*FIRST, *MEASURES, *LAST)
# what a good sample has in common with its original, whatever its size, and how it is called
COMPARED = {
    "average_degree": "average degree",
    "clustering": "clustering",
    "transitivity": "transitivity",
    "assortativity": "assortativity",
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
}

Row = dict[str, Any]


def scalars(measures: Measures) -> Row:
    """The figures of one graph, by column; None where one is not defined."""
    found = {
        column: look_up(measures, path) for column, path in SCALARS.items() if column != "largest_eigenvalue"
    }
    values = measures.eigenvalues
    return {**found, "largest_eigenvalue": float(values[0]) if len(values) else None}


def why_not(measures: Measures, column: str) -> str:
    """Why a figure of a graph is not defined."""
    from clgraph.measures.words import why

    if column == "largest_eigenvalue":
        return measures.eigen_exponent.reason or "there are no eigenvalues"
    return why(measures, SCALARS[column])


def text_of(value: Any) -> str:
    """A value as the CSV has it: what is not defined is empty, numbers are exact."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def value_of(column: str, text: str) -> Any:
    """The value that a cell of the CSV holds."""
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
