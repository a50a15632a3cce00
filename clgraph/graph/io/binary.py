"""The binary form, .clg: the arrays of a Graph as they are in memory.

A header of 4096 bytes (see `clgraph.graph.io.binary_header`) and sections that begin at multiples of 4096
bytes, all numbers little-endian; ``docs/formats.md`` specifies it. Files of version 2 end with a CRC-32 for
each 64 MiB.

Files are read, not mapped. A file may be cut off or overwritten in place (``cp``, ``>``, ``rsync
--inplace``) by anybody who may write to it, at any time; then a page of a mapping is gone and its reader
dies of SIGBUS, or a kernel reads other heads than were checked. Nothing that a reader can hold prevents
that: leases only delay it, locks are advisory, a private mapping keeps only the pages that were written to.
A copy is checked once and stays as it is. It costs about 0.15 s a GiB from the page cache with two cores,
and CPU devices had to copy large mapped arrays anyway, to get larger pages (see `clgraph.device.memory`).
`clgraph.files.binary` reads them to a device.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.aligned import aligned_empty
from clgraph.graph.arrays import Arrays
from clgraph.graph.building import checked_counts, checked_weights
from clgraph.graph.checks import check_ascending, check_mirrored, check_offsets, check_range, checked_ids
from clgraph.graph.graph import Graph, build_csr
from clgraph.graph.io.atomic import atomic_write
from clgraph.graph.io.binary_header import BLOCK, PAGE, Header, Section, damaged, unpack_header
from clgraph.graph.io.binary_writing import PIECE, write_sections
from clgraph.graph.io.common import Loaded, Options, counted, reading
from clgraph.graph.io.progress import tell
from clgraph.graph.pieces import over_pieces
from clgraph.system import read_at

FULL_BELOW = 64 << 20  # bytes: checking so much in full takes about 0.4 s, reading it 0.05 s


def read_binary(path: Path, options: Options) -> Loaded:
    """Read a .clg file (see `clgraph.read`)."""
    with reading(path):
        graph = _read(path, options)
    if options.ids == "str" and graph.ids.dtype != object:
        raise InputError(f"{path}: its vertex ids are numbers; leave ids='str' out")
    notes = []
    entries = counted(graph.num_arcs, "arc")
    if options.weights and graph.weights is None:
        raise InputError(f"{path}: holds no weights; leave weights=True out")
    if not options.weights and graph.weights is not None:
        notes.append("weights (read them with --weights)")
        graph = Graph.of(replace(graph.arrays, weights=None))
    if options.directed is not None and options.directed != graph.directed:
        graph = graph.undirected if graph.directed else Graph.of(replace(graph.arrays, directed=True))
    if graph.has_copies:
        if options.duplicates == "merge":
            graph = merged(graph)
        elif graph.multiplicity is not None:
            raise InputError(
                f"{path}: has parallel edges and counts of parallel edges, which contradict each other: "
                "read it with duplicates='merge', which adds them up"
            )
    return Loaded(graph, entries, notes)


def merged(graph: Graph) -> Graph:
    """The graph with its parallel copies merged."""
    tail, head, weights, multiplicity = graph.edge_indices()
    return build_csr(
        tail,
        head,
        graph.num_vertices,
        weights=weights,
        multiplicity=multiplicity,
        ids=graph.arrays.ids,
        directed=graph.directed,
    )


def _read(path: Path, options: Options) -> Graph:
    header, found, full = read_sections(path, options.verify)
    try:
        return Graph.of(_checked(header, found, full))
    except InputError as error:
        raise damaged(path, str(error)) from error


def read_sections(
    path: Path, verify: bool | None, *, shard: bool = False
) -> tuple[Header, dict[str, npt.NDArray[Any]], bool]:
    """The header and the arrays of a file, of which only lengths and checksums have been checked.

    Parameters
    ----------
    path : path
    verify : bool, optional
        Whether to compare the checksums; default: of small files.
    shard : bool
        Whether the file holds some rows of a graph.

    Returns
    -------
    header : Header
    arrays : dict of str to array
        They may not be written to.
    full : bool
        Whether the checksums were compared.
    """
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        header = unpack_header(path, file.read(PAGE), size, shard=shard)
        full = size <= FULL_BELOW if verify is None else verify
        try:
            data = aligned_empty(size, np.uint8, PAGE)  # untouched pages take no memory
        except MemoryError as error:
            raise InputError(f"{path}: its {size} bytes do not fit in this machine's memory") from error
        crc = header.crc
        if full and crc is not None:
            _fill(path, file, data, crc.offset, crc.end)
            sums, blocks = _array(data, crc), list(_blocks(crc))

            def fill_block(number: int, _: int) -> int:
                block = blocks[number]
                _fill(path, file, data, block.offset, block.end)
                if zlib.crc32(data[block.offset : block.end].data) != sums[number]:
                    raise damaged(
                        path, f"bytes {block.offset} to {block.end - 1} do not match their checksum"
                    )
                return block.end

            for end in over_pieces(fill_block, len(blocks), 1, few=2):
                tell(end, size)
        else:
            for section in header.sections.values():
                first = section.offset

                def fill_piece(begin: int, end: int, first: int = first) -> int:
                    _fill(path, file, data, first + begin, first + end)
                    return first + end

                for end in over_pieces(fill_piece, section.nbytes, PIECE):
                    tell(end, size)
    data.flags.writeable = False
    return header, {name: _array(data, section) for name, section in header.sections.items()}, full


def _fill(path: Path, file: IO[bytes], data: npt.NDArray[np.uint8], begin: int, end: int) -> None:
    """Read some bytes to their place."""
    while begin < end:
        count = read_at(file.fileno(), data[begin:end].data, begin)
        if not count:
            raise InputError(
                f"{path}: it became shorter while it was read; read it again when it is complete"
            )
        begin += count


def _array(data: npt.NDArray[np.uint8], section: Section) -> npt.NDArray[Any]:
    array = data[section.offset : section.end].view(section.kind)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def check_sums(path: Path, header: Header) -> npt.NDArray[Any]:
    """The checksums of a file, which has them, compared with its bytes; InputError where they differ."""
    crc = header.crc
    assert crc is not None
    told = np.fromfile(path, "<u4", crc.nbytes // 4, offset=crc.offset)
    with open(path, "rb", buffering=0) as file:
        for number, block in enumerate(_blocks(crc)):
            file.seek(block.offset)
            found, left = 0, block.nbytes
            while left and (data := file.read(min(left, 1 << 20))):
                found, left = zlib.crc32(data, found), left - len(data)
            if left or found != told[number]:
                raise damaged(path, f"bytes from {block.offset} on do not match their checksum")
    return told


def _blocks(crc: Section) -> Iterator[Section]:
    """The bytes that each checksum covers: all between the header and the checksums."""
    for offset in range(PAGE, crc.offset, BLOCK):
        yield Section(offset, min(BLOCK, crc.offset - offset), "|u1")


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


def write_binary(graph: Graph, path: Path) -> list[str]:
    """Write a .clg file of version 2."""
    arrays: dict[str, npt.NDArray[Any] | None] = {
        "row_ptr": graph.row_ptr,
        "col_idx": graph.col_idx,
        "weights": graph.weights,
        "multiplicity": graph.multiplicity,
    }
    if not graph.has_identity_ids:
        arrays |= id_arrays(graph.ids, path)
    header = Header(graph.directed, graph.num_vertices, graph.num_arcs, graph.num_self_loops, {})
    with atomic_write(path) as file:
        write_sections(file, header, arrays)
    return []


def id_arrays(ids: npt.NDArray[Any], path: Path) -> dict[str, npt.NDArray[Any]]:
    """The sections of vertex ids."""
    if ids.dtype != object:
        return {"ids": ids.astype(np.int64, copy=False)}
    text = [_utf8(name, path) for name in ids.tolist()]
    ends = np.concatenate(([0], np.cumsum([len(name) for name in text], dtype=np.int64)))
    return {"text": np.frombuffer(b"".join(text), np.uint8), "ids": ends.astype(np.int64, copy=False)}


def _utf8(name: str, path: Path) -> bytes:
    try:
        return name.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"cannot write {path}: vertex id {name!r} is not valid Unicode text") from error
