"""Edges as they come: chunks of ends (and weights) of a stream that is read once, in bounded memory.

A source is the name of an edge list, Parquet or Arrow file, ``-`` (standard input), an open file, an Arrow
table or reader, a data frame, or an iterable of chunks: pairs (or triples, with weights) of arrays, arrays of
shape (k, 2) or (k, 3), or Arrow batches. Ids are whole numbers, or text, which `Names` numbers.
"""

from __future__ import annotations

import io
import itertools
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name, shown, word
from clgraph.errors import InputError
from clgraph.formats.arrow import columns_of
from clgraph.formats.common import ID_MAX, MAX_RATIO, Ids, Options, open_binary, reading
from clgraph.formats.edges import layout_of
from clgraph.formats.table import find_format
from clgraph.formats.text_table import (
    MARK,
    SMALL,
    Layout,
    encoding_of,
    integer_rows,
    load_rows,
    parse_names,
    scan_rows,
)
from clgraph.graph.building import Names as TableNames
from clgraph.graph.exchange.arrow import plain_columns
from clgraph.graph.exchange.common import library

# --- lines whose ids are text: names by numbers, parsed block by block ---


KEPT = 1 << 16  # names that are kept in any case: forgetting takes a pass over all


class Names:
    """Numbers of names, in the order in which these first come; those that nobody needs can be forgotten."""

    def __init__(self) -> None:
        self.text: bool | None = None  # whether the ids of a stream are text; None: nothing has come
        self.bound = KEPT
        self._number: dict[str, int] = defaultdict(itertools.count().__next__)

    def __len__(self) -> int:
        return len(self._number)

    def numbers(self, names: Iterable[str], count: int) -> npt.NDArray[np.uint64]:
        """The number of each of `count` names; new ones get the next."""
        return np.fromiter(map(self._number.__getitem__, names), np.uint64, count)

    def of_ends(self, source: Any, target: Any) -> list[npt.NDArray[np.uint64]]:
        """Return the numbers of the ends of edges; new names get them edge by edge."""
        both = self.numbers(np.stack((source, target), axis=1).ravel().tolist(), 2 * len(source))
        return [both[::2].copy(), both[1::2].copy()]

    def of(self, numbers: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
        """Return the names of numbers."""
        known = np.fromiter(self._number.values(), np.uint64, len(self))
        names = np.empty(len(self), object)
        names[:] = list(self._number)
        order = np.argsort(known)
        found: npt.NDArray[Any] = names[order[np.searchsorted(known[order], numbers)]]
        return found

    @property
    def full(self) -> bool:
        """True if it is time to forget."""
        return len(self) > self.bound

    def keep(self, numbers: npt.NDArray[np.uint64]) -> None:
        """Forget all names but these; one that comes again is a new one, which nobody holds."""
        wanted = set(numbers.tolist())
        for name in [name for name, number in self._number.items() if number not in wanted]:
            del self._number[name]
        self.bound = 2 * len(self) + KEPT


class Lines:
    """Rows of two ids (and a weight), laid out as `clgraph.read` reads them, parsed block by block."""

    def __init__(self, name: str, how: How) -> None:
        self.name, self.names = name, how.names
        ids: Ids = "str" if how.ids == "str" else "int"
        self.options = Options(ids=ids, weights=how.weighted, header=how.header)
        self.line = 0  # lines before the block
        self.before = b""  # blocks in which there are not two rows yet
        self.layout: Layout | None = None

    def columns(self, block: bytes) -> list[Any] | None:
        """Return the columns of a block of whole lines, names as numbers; None if there are none.

        An empty block is the stream's end.
        """
        # universal newlines, so that lines have the numbers that `clgraph.read` gives them
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if self.layout is not None and block:
            return self._parsed(block, self.layout)
        self.before += block
        # a header is known by the row that follows it
        if block and sum(1 for _ in itertools.islice(_rows(self.before), 2)) < 2:
            return None
        block, self.before = self.before, b""
        first = next(_rows(block), None)
        if first is None:
            return None
        options = self.options
        if options.ids == "int" and options.header is None and first[:1].isalpha():
            options = replace(options, header=True)  # a word where ids are numbers
        layout = layout_of(self._numbered(block.removeprefix(MARK)), self.name, options)
        self.layout = layout = replace(layout, lightest=0.0)
        self.line = layout.skip
        return self._parsed(block.removeprefix(MARK).split(b"\n", self.line)[-1], layout)

    def _numbered(self, block: bytes) -> Iterator[tuple[int, str]]:
        """The lines of a block and their numbers, one by one: a layout takes the first few."""
        encoding = encoding_of(self.options)
        for number, line in enumerate(io.BytesIO(block), self.line + 1):
            try:
                yield number, line.decode(encoding)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{self.name}, line {number}: bytes that are not UTF-8 ({error.reason}); convert it "
                    "with iconv"
                ) from error

    def _parsed(self, block: bytes, layout: Layout) -> list[Any] | None:
        """The columns of lines behind the header."""
        rows: Any = None
        if self.options.ids == "str":
            # Arrow is faster, but its import takes longer than a small block
            found = parse_names(block, layout) if len(block) >= SMALL else None
            if found is not None:
                tail, head, weights, ids = found
                number = self.names.numbers(ids.tolist(), len(ids))
                rows = number[tail], number[head], weights
        elif len(layout.columns) == 2:
            plain = integer_rows(block, layout)
            rows = None if plain is None else (*plain, None)
        else:
            # NumPy's parser takes a tenth of the scanner's time
            rows = load_rows(io.BytesIO(block), replace(layout, skip=0))
        # the scanner reads the rare row that the others leave, and names the first that is wrong
        if rows is None:
            rows = scan_rows(self._numbered(block), self.name, layout, self.options)
            if self.options.ids == "str":
                rows = *self.names.of_ends(*rows[:2]), rows[2]
        source, target, weights = rows
        self.line += block.count(b"\n")
        return [source, target, weights][: len(layout.columns)] if len(source) else None


def _rows(block: bytes) -> Iterator[bytes]:
    """The lines that are neither blank nor comments."""
    lines = (line.strip() for line in io.BytesIO(block.removeprefix(MARK)))
    return (line for line in lines if line and line[:1] not in b"#%")


BLOCK = 1 << 22  # bytes of text at a time: their arrays stay in the cache
ROWS = 1 << 18  # rows of a table at a time
LONG_LINE = 1 << 20  # bytes of a line, at most: a stream without line ends must not fill memory
STREAMED = ("edges", "parquet", "arrow")  # formats that are read piece by piece
STDIN = "standard input"


@dataclass(frozen=True)
class Chunk:
    """Edges that came together, without loops; ends are ids, or the numbers of names."""

    source: npt.NDArray[np.uint64]
    target: npt.NDArray[np.uint64]
    weight: npt.NDArray[np.float64] | None
    loops: int  # that were left out


@dataclass(frozen=True)
class How:
    """Options of a stream (see `arrivals`), and the numbers of its names."""

    names: Names
    weighted: bool
    ids: str | None = None
    header: bool | None = None


def is_stream(source: Any) -> bool:
    """True if something is a source of arrivals, and not a graph."""
    names = ("read", "to_batches", "read_next_batch", "iloc", "__arrow_c_stream__")
    kinds = str, PathLike, list, tuple, np.ndarray, Iterator
    return isinstance(source, kinds) or any(hasattr(source, name) for name in names)


def is_streamed(path: str, format: str | None = None) -> bool:
    """True if a file's edges come piece by piece; other files are read as a graph first."""
    return path == "-" or find_format(file_name(path), format).name in STREAMED


def arrivals(
    source: Any,
    names: Names,
    *,
    weighted: bool = False,
    ids: str | None = None,
    format: str | None = None,
    header: bool | None = None,
    max_ratio: float = MAX_RATIO,
) -> Iterator[Chunk]:
    """The chunks of a stream, each checked.

    Parameters
    ----------
    source
        See the module.
    names : Names
        It numbers ids that are text.
    weighted : bool
        Whether edges have weights (third column), which count.
    ids : {"int", "str"}, optional
        What ids are. Default: what the type of a column says; of text whole numbers.
    format : str, optional
        Of a file: "edges", "parquet" or "arrow"; default: by its suffix.
    header : bool, optional
        Of an edge list: whether its first row names columns. Default: if it holds words.
    max_ratio : float
        How many times its own size a compressed file may unpack to.

    Raises
    ------
    InputError
        A file of another format, or a row or chunk that is none; where it is, is said.
    """
    word(ids, "ids", (None, "int", "str"))
    how = How(names, weighted, ids, header)
    if isinstance(source, (str, PathLike)):
        yield from _of_file(source, how, format, max_ratio)
    elif hasattr(source, "read") and not hasattr(source, "read_next_batch"):
        name = getattr(source, "name", None)
        where = name if isinstance(name, str) else "the stream"
        if isinstance(source, io.TextIOBase):
            source = source.buffer if hasattr(source, "buffer") else io.BytesIO(source.read().encode())
        yield from _lines(source, where, how)
    else:
        if hasattr(source, "iloc"):
            source = library("pyarrow", "arrow").Table.from_pandas(source, preserve_index=False)
        elif hasattr(source, "__arrow_c_stream__") and not hasattr(source, "to_batches"):
            source = library("pyarrow", "arrow").RecordBatchReader.from_stream(source)
        if hasattr(source, "to_batches"):
            source = source.to_batches(max_chunksize=ROWS)
        elif isinstance(source, (np.ndarray, tuple)) and not _is_nested(source):
            source = [source]
        try:
            chunks = iter(source)
        except TypeError:
            raise InputError(
                f"a stream is {shown(source)}: give a file's name, an iterator of chunks of edges, or a Graph"
            ) from None
        for number, chunk in enumerate(chunks, 1):
            yield checked(chunk, f"chunk {number}", how)


def _is_nested(source: Any) -> bool:
    """True if a tuple holds chunks, and not the columns of one."""
    if isinstance(source, np.ndarray):
        return source.ndim == 3
    return not source or np.ndim(source[0]) != 1 or len(source) not in (2, 3)


# --- chunks -----------------------------------------------------------------------------------------------


def checked(chunk: Any, where: str, how: How) -> Chunk:
    """Return a chunk of edges that somebody gave; InputError if it, an id or a weight is not valid."""
    columns, weighted = _columns(chunk, where, how.weighted), how.weighted
    if weighted and len(columns) < 3:
        raise InputError(f"{where}: weighted=True, and it has no third column, the weights")
    source, target = (
        _ids(column, where, name, how) for column, name in zip(columns, ("source", "target"), strict=False)
    )
    weight = _numbers(columns[2], where) if weighted else None
    if len(source) != len(target) or (weight is not None and len(weight) != len(source)):
        raise InputError(f"{where}: its columns have {', '.join(str(len(each)) for each in columns)} rows")
    # samplers of streams take no loops, and say how many there were
    stays = source != target
    loops = len(source) - int(np.count_nonzero(stays))
    if loops:
        source, target = source[stays], target[stays]
        weight = None if weight is None else weight[stays]
    if source.dtype == object:
        source, target = how.names.of_ends(source, target)
    return Chunk(source, target, weight, loops)


def _columns(chunk: Any, where: str, weighted: bool) -> list[Any]:
    if hasattr(chunk, "schema"):
        wanted = columns_of(where, list(chunk.schema.names), weighted)
        try:
            columns = plain_columns(chunk, *wanted, None)[: 2 + weighted]
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
        return [np.array(c.names, object)[c.codes] if isinstance(c, TableNames) else c for c in columns]
    if isinstance(chunk, np.ndarray) and chunk.ndim == 2 and chunk.shape[1] in (2, 3):
        return [chunk[:, i] for i in range(chunk.shape[1])]
    if isinstance(chunk, (tuple, list)) and len(chunk) in (2, 3) and all(np.ndim(c) == 1 for c in chunk):
        return list(chunk)
    raise InputError(
        f"{where} is {shown(chunk)}: a chunk is a pair of arrays (sources, targets), a triple with weights, "
        "an array of shape (k, 2) or (k, 3), or an Arrow batch"
    )


def _ids(column: Any, where: str, name: str, how: How) -> npt.NDArray[Any]:
    """A column of ids: uint64, or str objects."""
    values, names = np.asarray(column), how.names
    if values.size == 0:
        return np.zeros(0, object if names.text else np.uint64)
    if how.ids == "str" and values.dtype.kind in "iu":
        values = values.astype(str)
    text = values.dtype.kind in "OU"
    strange = [value for value in values.tolist() if not isinstance(value, str)] if text else []
    if strange or values.dtype.kind not in "OUiu":
        raise InputError(
            f"{where}: {name} holds {shown((strange or values.tolist())[0])} (type {values.dtype}): ids are "
            "all whole numbers, in an array of integers, or all strings"
        )
    if text and how.ids == "int":
        raise InputError(f"{where}: the ids in {name} are text; read with ids='str'")
    if names.text is None:
        names.text = text
    if text != names.text:
        kinds = ("text", "whole numbers") if text else ("whole numbers", "text")
        raise InputError(
            f"{where}: {name} holds {kinds[0]}, and ids before it were {kinds[1]}: give one kind"
        )
    if text:
        return values.astype(object)
    if (values.dtype.kind == "i" and values.min() < 0) or int(values.max()) > ID_MAX:
        wrong = values[(values < 0) if values.min() < 0 else (values > ID_MAX)][0]
        raise InputError(f"{where}: {name} holds {wrong}: ids are whole numbers from 0 to {ID_MAX}")
    return values.astype(np.uint64)


def _numbers(column: Any, where: str) -> npt.NDArray[np.float64]:
    try:
        values = np.asarray(column).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: weights are not numbers ({error})") from None
    wrong = ~(np.isfinite(values) & (values >= 0))
    if np.any(wrong):
        raise InputError(f"{where}: the weight {values[wrong][0]}: give finite numbers, 0 or more")
    return values


# --- files --------------------------------------------------------------------------------------------


def _of_file(name: str | PathLike[str], how: How, format: str | None, max_ratio: float) -> Iterator[Chunk]:
    if str(name) == "-":
        yield from _lines(sys.stdin.buffer, STDIN, how)
        return
    path = file_name(name)
    kind = find_format(path, format).name
    if kind not in STREAMED:
        raise InputError(
            f"{path}: a {kind} file does not come edge by edge; read it first: clgraph.read({str(path)!r})"
        )
    with reading(path):
        if kind == "edges":
            with open_binary(path, max_ratio) as file:
                yield from _lines(file, str(path), how)
            return
        arrow = library("pyarrow", "arrow")
        try:
            for number, batch in enumerate(_batches(path, kind), 1):
                yield checked(batch, f"{path}, batch {number}", how)
        except arrow.ArrowException as error:
            raise InputError(f"{path}: not a {kind} file, or damaged: {error}") from error


def _batches(path: Path, kind: str) -> Iterator[Any]:
    if kind == "parquet":
        with library("pyarrow.parquet", "arrow").ParquetFile(path, page_checksum_verification=True) as file:
            yield from file.iter_batches(ROWS)
        return
    arrow = library("pyarrow", "arrow")
    with arrow.OSFile(str(path)) as file:  # never mapped: one that becomes shorter would end the process
        reader = arrow.ipc.open_file(file)
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)


def _lines(file: IO[bytes], name: str, how: How) -> Iterator[Chunk]:
    lines = Lines(name, how)
    if how.ids == "str":
        how.names.text = True
    for block in _blocks(file, name, lines):
        if (found := lines.columns(block)) is not None:
            yield checked(tuple(found), f"{name}, to line {lines.line}", How(Names(), how.weighted))


def _blocks(file: IO[bytes], name: str, lines: Lines) -> Iterator[bytes]:
    """Yield blocks of whole lines, and an empty one at the end; errors name the line that `lines` are at."""
    rest = b""
    while True:
        try:
            data = file.read(BLOCK)
        except (EOFError, zlib.error, OSError) as error:
            raise InputError(
                f"{name}, line {lines.line + 1}: the stream broke off: {error}; no result was produced"
            ) from error
        if isinstance(data, str):
            raise InputError(f"{name}: it gives text; open it in binary mode ('rb')")
        if not data:
            break
        # a line that two reads share is put together in front of the second
        cut = data.rfind(b"\n") + 1
        block, rest = (rest + data[:cut], data[cut:]) if cut else (b"", rest + data)
        if len(rest) > LONG_LINE:
            raise InputError(f"{name}, line {lines.line + 1}: a line of more than {LONG_LINE} bytes")
        if block:
            yield block
    yield from (rest + b"\n", b"") if rest else (b"",)
