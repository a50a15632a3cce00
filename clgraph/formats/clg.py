"""The binary form, .clg: the arrays of a Graph as they are in memory.

A header of 4096 bytes (`Header`) and sections that begin at multiples of 4096
bytes, all numbers little-endian; ``docs/formats.md`` specifies it. Files of version 2 end with a CRC-32 for
each 64 MiB.

Files are read, not mapped. A file may be cut off or overwritten in place (``cp``, ``>``, ``rsync
--inplace``) by anybody who may write to it, at any time; then a page of a mapping is gone and its reader
dies of SIGBUS, or a kernel reads other heads than were checked. Nothing that a reader can hold prevents
that: leases only delay it, locks are advisory, a private mapping keeps only the pages that were written to.
A copy is checked once and stays as it is. It costs about 0.15 s a GiB from the page cache with two cores,
and CPU devices had to copy large mapped arrays anyway, to get larger pages (see `clgraph.device.memory`).
`clgraph.files.clg` reads them to a device.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import astuple, dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write
from clgraph.formats.common import Loaded, Options, check_vertex_count, counted, fill
from clgraph.formats.packed import unpacker
from clgraph.graph.arrays import FEW, Arrays, aligned_empty, in_parallel
from clgraph.graph.building import checked_counts, checked_weights
from clgraph.graph.checks import check_ascending, check_mirrored, check_offsets, check_range, checked_ids
from clgraph.graph.graph import Graph, build_csr
from clgraph.progress import expect, tell
from clgraph.system import cores, thread_pool

# --- the header: packed, and taken apart with every field checked against the file ---


MAGIC = b"\x93CLG\r\n\x1a\n"
VERSION = 2
PAGE = 4096
BLOCK = 1 << 26  # bytes of data that one checksum covers
SECTIONS = {  # and the item types that each section may have
    "row_ptr": ("<i4", "<i8"),
    "col_idx": ("<i4",),
    "weights": ("<f8",),
    "multiplicity": ("<i4",),
    "ids": ("<i8",),
    "text": ("|u1",),
}
SECTIONS_OF_2 = {"way": ("|u1",), "crc": ("<u4",)}  # from version 2 on
PLACE = np.dtype([("offset", "<u8"), ("nbytes", "<u8"), ("kind", "S8")])  # of a section
LAYOUT = np.dtype(
    [
        *(("magic", "S8"), ("version", "<u4"), ("flags", "<u4")),
        *((name, "<u8") for name in ("vertices", "arcs", "loops", "length")),
        ("sections", PLACE, len(SECTIONS)),
        # of a shard its first row, its rows and the vertices of the whole graph
        *((name, "<u8") for name in ("first_row", "rows", "whole")),
        ("further", PLACE, len(SECTIONS_OF_2)),
    ]
)
DIRECTED = 1
CHECKED = PAGE - 4  # bytes of the header that its own checksum, which follows them, covers


@dataclass(frozen=True)
class Section:
    """Position of a section, and the type of its items."""

    offset: int
    nbytes: int
    kind: str

    @property
    def end(self) -> int:
        return self.offset + self.nbytes


@dataclass(frozen=True)
class Header:
    """Header of a .clg file, checked against the file's length."""

    directed: bool
    n: int  # vertices; of a shard its rows
    arcs: int
    loops: int
    sections: dict[str, Section]  # those that are there
    first_row: int = 0  # of a shard: the vertex of its first row
    whole: int | None = None  # of a shard: vertices of the whole graph

    @property
    def crc(self) -> Section | None:
        """The section of checksums; files of version 1 have none."""
        return self.sections.get("crc")


def pack_header(header: Header, length: int) -> bytes:
    """Return the header of a file of version 2 that is `length` bytes long."""
    n = header.n
    places = [astuple(header.sections.get(name, Section(0, 0, ""))) for name in (*SECTIONS, *SECTIONS_OF_2)]
    counts = n, header.arcs, header.loops, length, places[: len(SECTIONS)]
    rows = header.first_row, n, n if header.whole is None else header.whole, places[len(SECTIONS) :]
    fields = np.array((MAGIC, VERSION, DIRECTED * header.directed, *counts, *rows), LAYOUT)
    head = fields.tobytes().ljust(CHECKED, b"\0")
    return head + zlib.crc32(head).to_bytes(4, "little")


def unpack_header(path: Path, head: bytes, size: int, *, shard: bool = False) -> Header:
    """Return the header of a file of `size` bytes; InputError unless every field is within its bounds.

    With `shard` the file holds some rows of a graph, otherwise a whole one.
    """
    if len(head) < PAGE or head[: len(MAGIC)] != MAGIC:
        raise InputError(
            f"{path}: not a .clg file (its first bytes differ, or it is cut off); make it with clgraph "
            "convert"
        )
    fields = np.frombuffer(head, LAYOUT, 1)[0]
    _, version, flags, n, arcs, loops, length, _, *rows, _ = fields.tolist()
    places, further = fields["sections"].tolist(), fields["further"].tolist()
    if version not in (1, VERSION):
        raise InputError(
            f"{path}: version {version} of the .clg form, but this clgraph reads versions 1 and {VERSION}; "
            "convert the graph again"
        )
    if version > 1 and zlib.crc32(head[:CHECKED]) != int.from_bytes(head[CHECKED:PAGE], "little"):
        raise damaged(path, "its header does not match its checksum")
    if length != size:
        raise damaged(path, f"it is {size} bytes long, but its header says {length}: it is cut off, or more")
    if flags & ~DIRECTED:
        raise InputError(f"{path}: its flags are {flags}, of which this clgraph knows only {DIRECTED}")
    check_vertex_count(path, n)
    first, count, whole = rows if version > 1 else (0, n, n)
    if version > 1:
        if (rows != [0, n, n] or any(further[0][:2])) and not shard:
            raise InputError(
                f"{path}: a shard, rows {first} to {first + count - 1} of a graph of {whole} vertices; read "
                "a file that holds a whole graph"
            )
        check_vertex_count(path, whole)
        if count != n or first + count > whole:
            raise damaged(
                path, f"rows {first} to {first + count - 1} of {whole} cannot be the {n} that it has"
            )
    elif shard:
        raise InputError(f"{path}: version 1 of the .clg form holds no shards; convert the graph again")
    sections = {}
    # a header of version 1 ends before the sections of version 2
    named = zip(SECTIONS.items(), places, strict=True), zip(SECTIONS_OF_2.items(), further, strict=True)
    for (name, kinds), (offset, nbytes, code) in chain(*named[:version]):
        if not offset:
            if nbytes or code:
                raise damaged(path, f"its section {name} is damaged: it begins nowhere")
            continue
        kind = code.decode("ascii", "replace")
        if kind not in kinds or offset % PAGE or offset + nbytes > size:
            raise damaged(
                path, f"its section {name} is damaged: {nbytes} bytes of type {kind!r} from {offset}"
            )
        blocks = -(-(offset - PAGE) // BLOCK)
        counts = {"row_ptr": (n + 1,), "ids": (n, n + 1), "text": (nbytes,), "crc": (blocks,)}
        if nbytes not in [count * np.dtype(kind).itemsize for count in counts.get(name, (arcs,))]:
            raise damaged(
                path, f"its section {name} is damaged: {nbytes} bytes do not fit {n} vertices and {arcs} arcs"
            )
        sections[name] = Section(offset, nbytes, kind)
    if "row_ptr" not in sections or (arcs and "col_idx" not in sections):
        raise damaged(path, "its section row_ptr or col_idx is missing")
    if loops > arcs or (not shard and not flags & DIRECTED and (arcs + loops) % 2):
        raise damaged(path, f"{loops} self-loops among {arcs} arcs cannot be")
    if version > 1:
        crc = sections.pop("crc", None)
        last = max(each.end for each in sections.values())
        if crc is None or crc.end != size or crc.offset < last:
            raise damaged(path, "its section crc is missing, or not the last one")
        sections["crc"] = crc
    return Header(bool(flags & DIRECTED), n, arcs, loops, sections, first, whole if shard else None)


def damaged(path: Path, what: str) -> InputError:
    """The error for a file that contradicts itself."""
    return InputError(f"{path}: {what}; the file is damaged: convert the graph again, or copy the file again")


FULL_BELOW = 64 << 20  # bytes: checking so much in full takes about 0.4 s, reading it 0.05 s


def read_clg(path: Path, options: Options) -> Loaded:
    """Read a .clg file (see `clgraph.read`)."""
    header, found, full = read_sections(path, options.verify)
    try:
        graph = Graph._from_arrays(_checked(header, found, full))
    except InputError as error:
        raise damaged(path, str(error)) from error
    if options.ids == "str" and graph.ids.dtype != object:
        raise InputError(f"{path}: its vertex ids are numbers; leave ids='str' out")
    notes = []
    entries = counted(graph.num_arcs, "arc")
    if options.weights and graph.weights is None:
        raise InputError(f"{path}: holds no weights; leave weights=True out")
    if not options.weights and graph.weights is not None:
        notes.append("weights (read them with --weights)")
        graph = Graph._from_arrays(replace(graph._arrays, weights=None))
    # an undirected graph has both arcs of each edge, so as a directed one it keeps its arrays
    if options.directed is not None and options.directed != graph.directed:
        graph = (
            graph.undirected if graph.directed else Graph._from_arrays(replace(graph._arrays, directed=True))
        )
    if graph.is_multigraph:
        if options.duplicates == "merge":
            edges, n, ids = graph.edge_indices()._asdict(), graph.num_vertices, graph._arrays.ids
            graph = build_csr(**edges, n=n, ids=ids, directed=graph.directed)
        elif graph.multiplicity is not None:
            raise InputError(
                f"{path}: has parallel edges and counts of parallel edges, which contradict each other: "
                "read it with duplicates='merge', which adds them up"
            )
    return Loaded(graph, entries, notes)


def read_sections(
    path: Path, verify: bool | None, *, shard: bool = False
) -> tuple[Header, dict[str, npt.NDArray[Any]], bool]:
    """Return a file's header and arrays, and whether its checksums were compared, by default of small files.

    Only lengths and these have been checked. With `shard` the file holds some rows of a graph. The arrays may
    not be written to.
    """
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        header = unpack_header(path, file.read(PAGE), size, shard=shard)
        # a large file is checked on request only: that takes longer than reading it
        full = size <= FULL_BELOW if verify is None else verify
        try:
            data = aligned_empty(size, np.uint8, PAGE)  # untouched pages take no memory
        except MemoryError as error:
            raise InputError(f"{path}: its {size} bytes do not fit in this machine's memory") from error
        crc = header.crc
        expected: list[int] = []
        if full and crc is not None:
            # the sums stand at the end, and are needed before the blocks
            fill(path, file.fileno(), data[crc.offset : crc.end].data, crc.offset, size)
            ranges, expected = [*_blocks(PAGE, crc.offset, BLOCK)], _array(data, crc).tolist()
        else:
            sections = header.sections.values()
            ranges = [each for section in sections for each in _blocks(section.offset, section.end, CHUNK)]

        def read_one(number: int, _: int) -> int:
            each = ranges[number]
            view = data[each.offset : each.end].data
            fill(path, file.fileno(), view, each.offset, size)
            if expected and zlib.crc32(view) != expected[number]:
                raise damaged(path, f"bytes {each.offset} to {each.end - 1} do not match their checksum")
            return each.end

        # two blocks are worth a thread each, two chunks are not
        for end in in_parallel(read_one, len(ranges), 1, few=2 if full else FEW):
            tell(end, size)
    data.flags.writeable = False
    return header, {name: _array(data, section) for name, section in header.sections.items()}, full


def _array(data: npt.NDArray[np.uint8], section: Section) -> npt.NDArray[Any]:
    array = data[section.offset : section.end].view(section.kind)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def check_sums(path: Path, header: Header) -> npt.NDArray[Any]:
    """Return the checksums of a file, which has them; InputError where its bytes do not match them."""
    crc = header.crc
    assert crc is not None
    sums = np.fromfile(path, "<u4", crc.nbytes // 4, offset=crc.offset)
    with open(path, "rb", buffering=0) as file:
        for block, expected in zip(_blocks(PAGE, crc.offset, BLOCK), sums.tolist(), strict=True):
            file.seek(block.offset)
            found, left = 0, block.nbytes
            while left and (data := file.read(min(left, 1 << 20))):
                found, left = zlib.crc32(data, found), left - len(data)
            if left or found != expected:
                raise damaged(path, f"bytes from {block.offset} on do not match their checksum")
    return sums


def _blocks(begin: int, end: int, size: int) -> Iterator[Section]:
    """Yield the bytes between two positions in blocks, such as those that each checksum covers."""
    for offset in range(begin, end, size):
        yield Section(offset, min(size, end - offset), "|u1")


def _checked(header: Header, found: dict[str, npt.NDArray[Any]], full: bool) -> Arrays:
    """The arrays of a file: what keeps kernels within bounds is always checked, the rest if `full`."""
    n, arcs = header.n, header.arcs
    weights, multiplicity, ids = (found.get(name) for name in ("weights", "multiplicity", "ids"))
    if ids is not None and len(ids) == n + 1:
        ids = _names(ids, found.get("text", np.empty(0, np.uint8)))
    arrays = Arrays(
        found["row_ptr"],
        found.get("col_idx", np.empty(0, np.int32)),
        weights=weights,
        multiplicity=multiplicity,
        ids=ids,
        directed=header.directed,
    )
    check_offsets(arrays.row_ptr, arcs)
    check_range(arrays.col_idx, n, "col_idx")
    if not full:
        return arrays  # self-loops are counted when they are asked for
    check_ascending(arrays)
    if weights is not None:
        checked_weights(weights, arcs)
    if multiplicity is not None:
        checked_counts(multiplicity, arcs)
    if ids is not None:
        checked_ids(ids, n)
    if header.directed:
        loops = int(np.count_nonzero(arrays.tails() == arrays.col_idx))
    else:
        loops = check_mirrored(arrays)
    if loops != header.loops:
        raise InputError(f"it has {loops} self-loops, but its header says {header.loops}")
    return replace(arrays, num_self_loops=loops)


def _names(offsets: npt.NDArray[np.int64], text: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    """Ids that are text, from the offsets of each in all of them."""
    check_offsets(offsets, len(text), "ids")
    whole, ends = text.tobytes(), offsets.tolist()
    names = np.empty(len(ends) - 1, object)
    try:
        names[:] = [whole[start:end].decode() for start, end in pairwise(ends)]
    except UnicodeDecodeError as error:
        raise InputError(f"its section text is not UTF-8 ({error})") from error
    return names


def write_clg(graph: Graph, path: Path) -> None:
    """Write a .clg file of version 2."""
    arrays: dict[str, npt.NDArray[Any] | None] = {
        "row_ptr": graph.row_ptr,
        "col_idx": graph.col_idx,
        "weights": graph.weights,
        "multiplicity": graph.multiplicity,
    }
    if not graph._has_identity_ids:
        arrays |= id_arrays(graph.ids, path)
    header = Header(graph.directed, graph.num_vertices, graph.num_arcs, graph.num_self_loops, {})
    with atomic_write(path) as file:
        write_sections(file, header, arrays)


def id_arrays(ids: npt.NDArray[Any], path: Path) -> dict[str, npt.NDArray[Any]]:
    """The sections of vertex ids."""
    if ids.dtype != object:
        return {"ids": ids.astype(np.int64, copy=False)}
    try:
        text = [name.encode() for name in ids.tolist()]
    except UnicodeEncodeError as error:
        raise InputError(
            f"cannot write {path}: vertex id {error.object!r} is not valid Unicode text"
        ) from error
    ends = np.concatenate(([0], np.cumsum([len(name) for name in text], dtype=np.int64)))
    return {"text": np.frombuffer(b"".join(text), np.uint8), "ids": ends.astype(np.int64, copy=False)}


# --- sections written from arrays in memory, or a few bytes at a time ---


# bytes that are read or written at a time: enough for a thread, and progress is reported between
CHUNK = 1 << 22


@dataclass(frozen=True)
class Streamed:
    """An array to be written of `count` values of a little-endian type, whose bytes come a few at a time."""

    count: int
    dtype: np.dtype[Any]
    chunks: Callable[[], Iterator[memoryview]]
    hole: bool = False  # whether they are zeros for which the file, a regular one, keeps a hole

    @property
    def nbytes(self) -> int:
        """Bytes of the array."""
        return self.count * self.dtype.itemsize


def given(count: int, dtype: np.dtype[Any], parts: Callable[[], Iterator[npt.NDArray[Any]]]) -> Streamed:
    """Return an array of `count` values that `parts` yields, some at a time."""
    kind = dtype.newbyteorder("<")
    return Streamed(
        count, kind, lambda: (np.ascontiguousarray(each, kind).view(np.uint8).data for each in parts())
    )


def zeros(count: int, dtype: np.dtype[Any]) -> Streamed:
    """Return an array of zeros, for which the file keeps a hole."""
    nbytes = count * dtype.itemsize
    some = memoryview(bytes(min(CHUNK, nbytes)))
    return Streamed(count, dtype, lambda: (some[: nbytes - at] for at in range(0, nbytes, CHUNK)), hole=True)


def widened(array: npt.NDArray[Any], dtype: np.dtype[Any]) -> Streamed:
    """Return an array as values of a longer type, converted by threads while it is written."""

    def parts() -> Iterator[npt.NDArray[Any]]:
        # a few chunks at a time, or all of the array would be in memory as it is written
        for begin in range(0, len(array), some := 8 * CHUNK // dtype.itemsize):
            part = array[begin : begin + some]
            yield from in_parallel(lambda at, end: part[at:end].astype(dtype), len(part), some // 8)  # noqa: B023

    return given(len(array), dtype, parts)


def _in_memory(array: npt.NDArray[Any]) -> Streamed:
    step = CHUNK // array.dtype.itemsize
    places = range(0, len(array), step)
    return given(len(array), array.dtype, lambda: (array[at : at + step] for at in places))


def write_sections(
    file: Any, header: Header, arrays: Mapping[str, npt.NDArray[Any] | Streamed | None]
) -> npt.NDArray[Any]:
    """Write a header, which knows no sections yet, and its arrays; returns the checksums behind them."""
    sections: dict[str, Section] = {}
    parts: list[tuple[int, Streamed]] = []  # each with the bytes between it and the one before
    end = PAGE
    for name in (*SECTIONS, "way"):
        if (found := arrays.get(name)) is not None:
            array = _in_memory(found) if isinstance(found, np.ndarray) else found
            section = Section(-(-end // PAGE) * PAGE, array.nbytes, array.dtype.str)
            parts.append((section.offset - end, array))
            sections[name], end = section, section.end
    # the checksums come last, as they are known only when all else is written
    offset = -(-end // PAGE) * PAGE
    parts.append((offset - end, _in_memory(np.empty(0, np.uint8))))
    sections["crc"] = crc = Section(offset, 4 * -(-(offset - PAGE) // BLOCK), "<u4")
    checksums = _Checksums()
    expect(crc.end)
    file.write(pack_header(replace(header, sections=sections), crc.end))
    for gap, array in parts:
        for chunk in chain([memoryview(bytes(gap))], array.chunks()):
            checksums.add(chunk)
            if array.hole:
                file.seek(len(chunk), os.SEEK_CUR)
            else:
                file.write(chunk)
    last = np.array(checksums.finished(), "<u4")
    file.write(last.tobytes())
    return last


class _Checksums:
    """A CRC-32 for each block of the bytes that go through, computed by threads."""

    def __init__(self) -> None:
        self._pool = thread_pool(cores(), "clgraph-crc")
        self._sums: list[Future[int]] = []
        self._block: list[memoryview] = []
        self._room = BLOCK

    def add(self, data: memoryview) -> None:
        """Take the next bytes, which stay as they are until `finished`."""
        while len(data):
            chunk, data = data[: self._room], data[self._room :]
            self._block.append(chunk)
            self._room -= len(chunk)
            if not self._room:
                self._end_block()

    def _end_block(self) -> None:
        if len(self._sums) > cores():  # blocks that come from a file are in memory meanwhile
            self._sums[-cores() - 1].result()
        self._sums.append(self._pool.submit(_sum, self._block))
        self._block, self._room = [], BLOCK

    def finished(self) -> list[int]:
        """Return all of them."""
        if self._block:
            self._end_block()
        with self._pool:
            return [each.result() for each in self._sums]


def _sum(chunks: list[memoryview]) -> int:
    crc32, found = unpacker()[1].crc32, 0
    for chunk in chunks:
        found = crc32(chunk, found)
    return found
