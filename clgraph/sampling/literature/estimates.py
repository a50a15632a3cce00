"""Estimates from samples with known weights: means, distributions and totals, with standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph import Graph

Reals = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """An estimate and its standard error (nan where one sample does not tell it)."""

    value: float
    standard_error: float


@dataclass(frozen=True)
class Distribution:
    """Estimated shares.

    Attributes
    ----------
    values : array
        The values that occur, ascending.
    share, standard_error : float64 array
        Of each value.
    """

    values: npt.NDArray[Any]
    share: Reals
    standard_error: Reals


def by_vertex(graph: Graph, f: Any, *, numbers: bool = True) -> npt.NDArray[Any]:
    """f as an array in the original's index order, shape (n,).

    Parameters
    ----------
    graph : Graph
        The original.
    f : array of shape (n,), pandas Series (its index: ids), mapping of id to value, two Arrow or pandas
        columns (id, value), "degree", or the name of a vertex attribute of the graph
    numbers : bool
        Whether the values have to be numbers.

    Raises
    ------
    InputError
        If it is none of these, or says nothing of a vertex.
    """
    values = _column(graph, f)
    if values.shape != (graph.num_vertices,):
        raise InputError(
            f"f has shape {values.shape}: one value for each vertex of the original is needed, "
            f"in index order, shape ({graph.num_vertices},)"
        )
    if not numbers:
        return values
    try:
        made = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"f holds {shown(values.flat[0])}: numbers are needed ({error})") from None
    if not np.all(np.isfinite(made)):
        at = int(np.argmin(np.isfinite(made)))
        raise InputError(f"f is {made[at]} at vertex {graph.ids[at]}: finite numbers are needed")
    return made


def _column(graph: Graph, f: Any) -> npt.NDArray[Any]:
    if isinstance(f, str):
        if f == "degree":
            return graph.undirected.without_self_loops.degrees
        return _attribute(graph, f)
    if isinstance(f, dict):
        return _keyed(graph, list(f), list(f.values()))
    if hasattr(f, "column_names"):  # an Arrow table: ids, then values
        return _two(graph, [f.column(i).to_pylist() for i in range(f.num_columns)])
    if hasattr(f, "columns") and hasattr(f, "iloc"):  # a data frame
        if f.shape[1] == 1:
            return _keyed(graph, f.index.tolist(), f.iloc[:, 0].tolist())
        return _two(graph, [f.iloc[:, i].tolist() for i in range(f.shape[1])])
    if hasattr(f, "index") and hasattr(f, "to_numpy"):  # a Series
        return _keyed(graph, f.index.tolist(), f.tolist())
    try:
        return np.asarray(f)
    except ValueError as error:
        raise InputError(f"f: {error}; one value for each vertex is needed") from None


def _attribute(graph: Graph, name: str) -> npt.NDArray[Any]:
    """The values of a vertex attribute that came with the graph."""
    known = {} if graph.attributes is None else graph.attributes.vertices
    if name not in known:
        there = ", ".join(["degree", *known])
        raise InputError(f"the graph has no vertex attribute {shown(name)}; there are: {there}")
    values = [known[name].value(each) for each in graph.ids.tolist()]
    if None in values:
        raise InputError(
            f"attribute {shown(name)}: vertex {graph.ids[values.index(None)]} has none; give a mapping or a "
            "column with a value for each vertex"
        )
    return np.array(values)


def _two(graph: Graph, columns: list[list[Any]]) -> npt.NDArray[Any]:
    if len(columns) != 2:
        raise InputError(f"f has {len(columns)} columns: two are needed, ids and values")
    return _keyed(graph, *columns)


def _keyed(graph: Graph, ids: list[Any], values: list[Any]) -> npt.NDArray[Any]:
    place = graph.indices_of(ids) if ids else np.zeros(0, np.int64)
    column = np.asarray(values)
    made = np.empty(graph.num_vertices, column.dtype)
    there = np.zeros(graph.num_vertices, bool)
    made[place] = column
    there[place] = True
    if not np.all(there):
        missing = graph.ids[int(np.argmin(there))]
        raise InputError(f"f says nothing of vertex {missing}: give a value for each vertex of the original")
    return made


def horvitz_thompson(values: Reals, p: Reals) -> Estimate:
    """The total of f over all vertices from f and the probability of each vertex drawn."""
    variance = float(np.sum(values**2 * (1 - p) / p**2))
    return Estimate(float(np.sum(values / p)), variance**0.5)


def ratio(values: Reals, weight: Reals, p: Reals | None) -> Estimate:
    """The mean of f: sum f w / sum w; its error by linearization where the p of each vertex are known."""
    whole = float(weight.sum())
    if whole == 0:
        return Estimate(float("nan"), float("nan"))
    mean = float(np.sum(values * weight)) / whole
    if p is None:
        return Estimate(mean, float("nan"))
    variance = float(np.sum(((values - mean) / p) ** 2 * (1 - p)))
    return Estimate(mean, variance**0.5 / whole)


def of_batches(tops: Reals, bottoms: Reals) -> Estimate:
    """sum of tops / sum of bottoms, with the error that the spread of the batches' own ratios tells.

    By linearization: the batches' residuals top - mean bottom vary as the sum does.
    """
    whole = float(bottoms.sum())
    if whole == 0:
        return Estimate(float("nan"), float("nan"))
    mean = float(tops.sum()) / whole
    some = bottoms > 0
    b = int(np.count_nonzero(some))
    if b < 2:
        return Estimate(mean, float("nan"))
    residual = (tops - mean * bottoms)[some]
    variance = b / (b - 1) * float(np.sum((residual - residual.mean()) ** 2))
    return Estimate(mean, variance**0.5 / whole)


def recruitment_shares(
    groups: npt.NDArray[Any], degrees: Reals, recruiter: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[Any], Reals]:
    """RDS-I (Salganik, Heckathorn 2004): the shares of two groups from who recruited whom.

    Parameters
    ----------
    groups : array, shape (k,)
        Of each vertex of the sample.
    degrees : float64 array, shape (k,)
    recruiter : int64 array, shape (k,)
        Place of each vertex's recruiter in the sample; its own for starts.

    Raises
    ------
    InputError
        If there are not two groups, or nobody was recruited across them.
    """
    names = np.unique(groups)
    if len(names) != 2:
        raise InputError(f"RDS-I compares two groups, and f has {len(names)} values in the sample")
    second = groups == names[1]
    recruited = recruiter != np.arange(len(groups))
    by, of = second[recruiter[recruited]], second[recruited]
    ab = float(of[~by].mean()) if np.any(~by) else 0.0
    ba = float((~of[by]).mean()) if np.any(by) else 0.0
    d_a = np.count_nonzero(~second) / np.sum(1 / degrees[~second])
    d_b = np.count_nonzero(second) / np.sum(1 / degrees[second])
    whole = ab * d_a + ba * d_b
    if whole == 0:
        raise InputError("nobody was recruited across the two groups: RDS-I does not tell their shares")
    share = float(ba * d_b / whole)
    return names, np.array([share, 1 - share])
