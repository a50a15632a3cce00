"""pandas data frames, a row for each edge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes
from clgraph.graph.building import Duplicates, Names
from clgraph.graph.exchange.arrow import ArrowTable
from clgraph.graph.exchange.common import library
from clgraph.graph.exchange.tables import EdgeTable, Ends


class PandasTable(EdgeTable):
    """Read and build edge tables of pandas."""

    noun = "data frame"

    # looked up at each use, as modules cannot be pickled and attributes hold the adaptor
    @property
    def pd(self) -> Any:
        """The library; an InputError says how to install it."""
        return library("pandas", "pandas")

    @property
    def types(self) -> Any:
        """Its predicates on types of columns."""
        return self.pd.api.types

    def columns(self, table: Any) -> Iterable[tuple[Any, Any]]:
        """Labels and columns of a data frame."""
        return table.items()

    def type(self, column: Any) -> Any:
        """The type of a column's values."""
        return column.dtype

    def kind(self, column: Any) -> str:
        """Kind of the values: "boolean", "integer", "number" or "string"."""
        if self.types.is_bool_dtype(column.dtype):
            return "boolean"
        if self.types.is_integer_dtype(column.dtype):
            return "integer"
        return "number" if self.types.is_float_dtype(column.dtype) else "string"

    def is_real(self, column: Any) -> bool:
        """True if its values are real numbers."""
        numeric = self.types.is_numeric_dtype(column.dtype)
        return numeric and not self.types.is_complex_dtype(column.dtype) and self.kind(column) != "boolean"

    def missing(self, column: Any) -> Any:
        """Mask of the missing values."""
        return column.isna().to_numpy()

    def floats(self, column: Any) -> npt.NDArray[np.float64]:
        """Real numbers without gaps as an array."""
        return column.to_numpy(dtype=np.float64)

    def integers(self, column: Any) -> npt.NDArray[Any]:
        """Whole numbers without gaps as an array."""
        unsigned = self.types.is_unsigned_integer_dtype(column.dtype)
        return column.to_numpy(dtype=np.uint64 if unsigned else np.int64)

    def encoded(self, column: Any, where: str) -> tuple[Any, Any] | str:
        """Codes and distinct values of a column of objects without gaps; or a hint, if it holds no ids."""
        if isinstance(column.dtype, self.pd.CategoricalDtype):
            distinct = column.cat.categories
            whole = self.types.is_integer_dtype(distinct.dtype)
            return column.cat.codes.to_numpy(), distinct.to_numpy(dtype=None if whole else object)
        if self.types.is_string_dtype(column.dtype) or column.dtype == object:
            try:
                codes, distinct = self.pd.factorize(column)
            except (TypeError, OverflowError) as error:  # unhashable; in pandas 2 integers above 1e308
                raise InputError(f"{where}: {error}; ids are integers or strings") from error
            return codes, np.asarray(distinct, dtype=object)
        return "; .astype('int64') makes whole numbers of it" if self.kind(column) == "number" else ""

    def joint_names(self, source: Any, target: Any) -> Ends | None:
        """Two columns of text as codes into one list of names; None if they are something else."""
        if not (isinstance(source.dtype, self.pd.StringDtype) and source.dtype == target.dtype):
            return None
        if source.dtype.storage == "pyarrow" and len(source):
            arrow = ArrowTable()
            return arrow.joint_names(*(arrow.chunked(column) for column in (source, target)))
        codes, distinct = self.pd.factorize(self.pd.concat((source, target), ignore_index=True))
        names = np.asarray(distinct, dtype=object).tolist()
        return Names(codes[: len(source)], names), Names(codes[len(source) :], names)

    def take(self, values: Any, rows: npt.NDArray[Any]) -> Any:
        """The values of some rows; a missing value for each -1."""
        # by position: what the index says does not count
        values = values.reset_index(drop=True)
        # reindex looks each number up in the index, which takes twice as long
        found = values.reindex(rows) if len(rows) and rows.min() < 0 else values.take(rows)
        return found.reset_index(drop=True)

    def listed(self, values: Any) -> list[Any]:
        """A column's values as Python's; None for missing ones."""
        return values.astype(object).where(values.notna(), None).tolist()

    def of(self, array: npt.NDArray[Any]) -> Any:
        """A column of an array of numbers, or of str objects."""
        return self.pd.Series(array, dtype="str" if array.dtype == object else None)

    def of_values(self, values: list[Any]) -> Any:
        """A column of Python's values, None for missing ones."""
        return self.pd.Series(values)

    def adopted(self, table: EdgeTable, values: Any) -> Any:
        """A column of another library's values."""
        return values.to_pandas() if isinstance(table, ArrowTable) else super().adopted(table, values)


def from_pandas(
    frame: Any, used: tuple[Any, ...], directed: bool, duplicates: Duplicates, vertices: Any
) -> tuple[Arrays, Attributes | None]:
    """See `clgraph.Graph.from_pandas`."""
    tables = PandasTable()
    if not isinstance(frame, tables.pd.DataFrame):
        raise InputError(f"a pandas DataFrame is needed, not {type(frame).__name__}")
    try:
        more = None if vertices is None else tables.ids(tables.pd.Series(vertices), "vertices")
    except InputError:
        raise
    except (ValueError, TypeError) as error:
        raise InputError(f"vertices: {error}; ids are integers or strings") from error
    return tables.read(frame, used, directed, duplicates, more)


def to_pandas(graph: Arrays, source: Any, target: Any, attributes: Attributes | None) -> Any:
    """See `clgraph.Graph.to_pandas`."""
    tables = PandasTable()
    return tables.pd.DataFrame(tables.made(graph, source, target, attributes))
