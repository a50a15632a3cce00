"""pandas data frames, a row for each edge."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes
from clgraph.graph.building import Duplicates
from clgraph.graph.exchange.arrow import names_of
from clgraph.graph.exchange.carried import (
    Ids,
    Names,
    into_pandas,
    missing,
    names_or_numbers,
    of_pandas,
    rows_of_columns,
)
from clgraph.graph.exchange.common import library, listed


def from_pandas(
    frame: Any,
    source: Any,
    target: Any,
    weight: Any,
    *,
    multiplicity: Any,
    directed: bool,
    duplicates: Duplicates,
    vertices: Any,
) -> tuple[Arrays, Attributes | None]:
    """See `clgraph.Graph.from_pandas`."""
    pd = library("pandas", "pandas")
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"a pandas DataFrame is needed, not {type(frame).__name__}")
    ends = _column(pd, frame, source, "source"), _column(pd, frame, target, "target")
    where = f"column {source!r}", f"column {target!r}"
    tail, head = _ends(pd, ends[0], where[0], ends[1], where[1])
    try:
        more = None if vertices is None else _ids(pd, pd.Series(vertices), "vertices")
    except (ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"vertices: {error}; ids are integers or strings") from error
    rows = rows_of_columns(
        tail,
        head,
        weights=None if weight is None else _weights(pd, frame, weight),
        multiplicity=None if multiplicity is None else _counts(pd, frame, multiplicity),
        directed=directed,
        duplicates=duplicates,
        vertices=more,
    )
    return rows, of_pandas(frame, (source, target, weight, multiplicity), partial(_ends_again, *ends, *where))


def _ends_again(source: Any, target: Any, *where: str) -> tuple[Ids, Ids]:
    return _ends(library("pandas", "pandas"), source, where[0], target, where[1])


def _column(pd: Any, frame: Any, name: Any, argument: str) -> Any:
    try:
        known = name in frame.columns
    except TypeError:  # of what cannot be hashed
        known = False
    if not known:
        raise InputError(
            f"the data frame has no column {shown(name)}: its columns are {listed(frame.columns)}; "
            f"name one with {argument}="
        )
    column = frame[name]
    if not isinstance(column, pd.Series):
        raise InputError(f"the data frame has several columns {name!r}: rename all but one of them")
    return column


def _check_whole(column: Any, where: str) -> None:
    absent = column.isna()
    if absent.any():
        raise missing(where, int(np.argmax(absent.to_numpy())))


def _ends(pd: Any, source: Any, source_where: str, target: Any, target_where: str) -> tuple[Ids, Ids]:
    """Both columns of ids; two columns of text share one list of names."""
    if not (isinstance(source.dtype, pd.StringDtype) and source.dtype == target.dtype):
        return _ids(pd, source, source_where), _ids(pd, target, target_where)
    _check_whole(source, source_where)
    _check_whole(target, target_where)
    if source.dtype.storage == "pyarrow" and len(source):
        pa = library("pyarrow", "arrow")
        ends = [pa.array(column) for column in (source, target)]
        ends = [end if isinstance(end, pa.ChunkedArray) else pa.chunked_array([end]) for end in ends]
        return names_of(pa, *ends)
    codes, distinct = pd.factorize(pd.concat((source, target), ignore_index=True))
    names = np.asarray(distinct, dtype=object).tolist()
    return Names(codes[: len(source)], names), Names(codes[len(source) :], names)


def _ids(pd: Any, column: Any, where: str) -> Ids:
    types = pd.api.types
    _check_whole(column, where)
    if isinstance(column.dtype, pd.CategoricalDtype):
        distinct = column.cat.categories
        codes = column.cat.codes.to_numpy()
        if types.is_integer_dtype(distinct.dtype):
            return distinct.to_numpy()[codes]
        return names_or_numbers(codes, distinct.to_numpy(dtype=object), where)
    if types.is_integer_dtype(column.dtype):
        unsigned = types.is_unsigned_integer_dtype(column.dtype)
        return column.to_numpy(dtype=np.uint64 if unsigned else np.int64)
    if types.is_string_dtype(column.dtype) or column.dtype == object:
        try:
            codes, distinct = pd.factorize(column)
        except (TypeError, OverflowError) as error:  # what cannot be hashed; in pandas 2 integers above 1e308
            raise InputError(f"{where}: {error}; ids are integers or strings") from error
        return names_or_numbers(codes, np.asarray(distinct, dtype=object), where)
    hint = "; .astype('int64') makes whole numbers of it" if types.is_float_dtype(column.dtype) else ""
    raise InputError(f"{where} holds {column.dtype} values: ids are integers or strings{hint}")


def _weights(pd: Any, frame: Any, name: Any) -> npt.NDArray[np.float64]:
    column, types = _column(pd, frame, name, "weight"), pd.api.types
    kind = column.dtype
    if not types.is_numeric_dtype(kind) or types.is_bool_dtype(kind) or types.is_complex_dtype(kind):
        raise InputError(f"column {name!r} holds {kind} values: weights are real numbers")
    _check_whole(column, f"column {name!r}")
    numbers: npt.NDArray[np.float64] = column.to_numpy(dtype=np.float64)
    finite = np.isfinite(numbers)
    if not finite.all():
        row = int(np.argmin(finite))
        raise InputError(f"column {name!r}: row {row} (counted from 0) is {numbers[row]}, not finite")
    return numbers


def _counts(pd: Any, frame: Any, name: Any) -> npt.NDArray[np.int64]:
    column = _column(pd, frame, name, "multiplicity")
    _check_whole(column, f"column {name!r}")
    if not pd.api.types.is_integer_dtype(column.dtype):
        raise InputError(f"column {name!r} holds {column.dtype} values: multiplicities are whole numbers")
    return column.to_numpy(dtype=np.int64)


def to_pandas(graph: Arrays, source: Any, target: Any, attributes: Attributes | None) -> Any:
    """See `clgraph.Graph.to_pandas`."""
    pd = library("pandas", "pandas")
    tail, head, weights, multiplicity = graph.edges()
    ends: list[Any]
    if graph.ids is None:
        ends = [end.astype(np.int64) for end in (tail, head)]
    elif graph.ids.dtype == object:  # from the distinct names: otherwise pandas looks at each string
        try:
            names = pd.Series(graph.ids, dtype="str")
        except UnicodeEncodeError as error:
            raise InputError(
                f"vertex id {error.object[:80]!r} holds a lone surrogate, which UTF-8 has not; rename it"
            ) from error
        ends = [names.take(end).reset_index(drop=True) for end in (tail, head)]
    else:
        ends = [graph.ids[end] for end in (tail, head)]
    columns = {source: ends[0], target: ends[1]}
    if weights is not None:
        columns["weight"] = weights
    if multiplicity is not None:
        columns["multiplicity"] = multiplicity
    if attributes is not None:
        known = graph.all_ids()
        columns |= into_pandas(attributes, columns, known[tail], known[head], graph.directed)
    return pd.DataFrame(columns)
