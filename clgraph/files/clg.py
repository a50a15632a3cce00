"""Files in the binary form read by a device: host half of ``cl/files/clg.cl``.

The arrays go to the device as they are, in pieces, and are checked there before anything computes with them.
A file at which anything is wrong is read again by the host's reader, which says what it is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.device_csr import given
from clgraph.csr.upload import DeviceCSR, DeviceGraph, SelectedIds, graph_of
from clgraph.device.launch_config import LaunchTable
from clgraph.files.read_ahead import DEFAULT, NotTaken, Plain, ReadSettings
from clgraph.formats import clg as host
from clgraph.formats.clg import BLOCK, FULL_BELOW, PAGE, Header, Section, unpack_header
from clgraph.formats.common import Loaded, Options, counted, reading
from clgraph.formats.packed import unpacker
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device


# --- checksums, computed while a file is read: host half of ``cl/files/clg_sums.cl`` ---
#
# A device with memory of its own computes them; else those who read do, while it is in the cache.


POLYNOMIAL = 0xEDB88320
ONE = 1 << 31  # the polynomial 1: the highest power is in the lowest bit
ONES = 2**32 - 1
SUM_LAUNCH = LaunchTable(gpu=2048, cpu=4096, simulator=64)  # bytes that one work-item takes


def product(a: int, b: int) -> int:
    """The product of two remainders."""
    found = 0
    for k in range(31, -1, -1):
        found ^= b if a >> k & 1 else 0
        b = b >> 1 ^ (POLYNOMIAL if b & 1 else 0)
    return found


@cache
def powers() -> npt.NDArray[np.uint32]:
    """x^8, and the square of each for the next."""
    found = [ONE >> 8]
    for _ in range(BLOCK.bit_length() - 1):
        found.append(product(found[-1], found[-1]))
    return np.array(found, np.uint32)


@cache
def tables() -> npt.NDArray[np.uint32]:
    """The remainder of each byte with 0 to 7 bytes behind it."""
    found = np.zeros((8, 256), np.uint32)
    found[0] = np.arange(256)
    for _ in range(8):
        found[0] = found[0] >> 1 ^ np.where(found[0] & 1, np.uint32(POLYNOMIAL), np.uint32(0))
    for k in range(1, 8):
        found[k] = found[k - 1] >> 8 ^ found[0][found[k - 1] & 255]
    return found


def followed(remainder: int, nbytes: int) -> int:
    """The remainder of some bytes with `nbytes` zeros behind them."""
    for k, power in enumerate(powers().tolist()):
        if nbytes >> k & 1:
            remainder = product(power, remainder)
    return remainder


def finished(remainder: int, nbytes: int) -> int:
    """zlib's checksum of `nbytes` bytes, with ones before and behind them; or their remainder from that."""
    return remainder ^ followed(ONES, nbytes) ^ ONES


class Sums:
    """A checksum for each block of a file's bytes, which come in any order; those that are zero need not.

    Of the `covered` bytes the first is byte 0. By default the host computes them (`here`) if it shares its
    memory.
    """

    def __init__(self, device: Device, covered: int, here: bool | None = None) -> None:
        self._device, self.covered = device, covered
        self._here = device.shares_memory if here is None else here
        self._blocks = -(-covered // BLOCK)
        self._found: list[tuple[int, int, int]] = []  # by the host: beginnings, lengths, checksums
        if not self._here:
            self._chunk = SUM_LAUNCH.of(device)
            self._program = device.program("files/clg_sums", CHUNK=self._chunk, BLOCK=BLOCK)
            self.tables, self.powers = device.upload(tables()), device.upload(powers())
            self.sums = device.zeros(self._blocks, np.uint32)

    def read(self, view: memoryview, begin: int) -> None:
        """Bytes that were read to the host's memory; in any thread."""
        if not self._here:
            return
        crc32 = unpacker()[1].crc32
        for start in range(begin - begin % BLOCK, begin + len(view), BLOCK):
            first = max(start, begin)
            part = view[first - begin : start + BLOCK - begin]
            self._found.append((first, len(part), crc32(part)))

    def loaded(self, data: Any, begin: int, nbytes: int) -> None:
        """Bytes that are in a device buffer; `begin` is a multiple of 4096. Does not wait."""
        if not self._here:
            self._program.binary_sums.launch(
                self, -(-nbytes // self._chunk), nbytes=nbytes, begin=begin, data=self._device.bits(data)
            )

    def all(self) -> list[int]:
        """The checksums; waits."""
        lengths = [min(BLOCK, self.covered - k * BLOCK) for k in range(self._blocks)]
        if self._here:
            sums = [0] * self._blocks
            for begin, nbytes, sum in self._found:
                k, place = divmod(begin, BLOCK)
                sums[k] ^= followed(finished(sum, nbytes), lengths[k] - place - nbytes)
        else:
            sums = self._device.download(self.sums, np.uint32, self._blocks).tolist()
        return [finished(sum, length) for sum, length in zip(sums, lengths, strict=True)]


LAUNCH = LaunchTable(gpu=64, cpu=1 << 14, simulator=5)  # arcs that one work-item takes
FACTS = 5
FAULTS, LOOPS, COPIES, UPWARD, IDS = range(FACTS)


class Faulty(Exception):
    """A file at which something is wrong."""


def read_clg(path: Path, options: Options, device: Device, settings: ReadSettings = DEFAULT) -> Loaded:
    """Read a .clg file to a device, where the graph stays; NotTaken says why the host reads it instead."""
    if sys.byteorder != "little":
        raise NotTaken("numbers are big-endian here")
    try:
        with reading(path), closing(Plain(path)) as source, device.alone():
            return _loaded(path, options, device, source, settings.progress)
    except Faulty:
        # the host's reader finds the fault again and has the words for it, which it raises
        host.read_clg(path, replace(options, verify=options.verify is not False))
        raise NotTaken("it needed a closer look") from None


def load_sections(
    device: Device,
    source: Plain,
    wanted: Mapping[str, Section],
    crc: Section | None,
    progress: Tell | None = None,
) -> tuple[dict[str, Any], npt.NDArray[Any] | None]:
    """Load arrays of a file to a device, all if their checksums (`crc`) are compared; return these, too."""
    device.reserve({name: section.nbytes for name, section in wanted.items()})
    sums = None if crc is None else Sums(device, crc.offset - PAGE)
    buffers, at, before = {}, PAGE, 0
    # in the order of the file, which is then read once from front to back
    for name, section in sorted(wanted.items(), key=lambda item: item[1].offset):
        dtype = np.dtype(section.kind)

        def read(view: memoryview, offset: int, section: Section = section) -> None:
            source.fill(view, section.offset + offset)
            if sums is not None:
                sums.read(view, section.offset - PAGE + offset)

        def tell(done: int, before: int = before) -> None:
            if progress is not None:
                progress(before + done, source.size)

        if sums is not None:
            _check_gap(source, at, section.offset)
        buffers[name] = device.load(section.nbytes // dtype.itemsize, dtype, read, tell)
        if sums is not None:
            sums.loaded(buffers[name], section.offset - PAGE, section.nbytes)
        at, before = section.end, before + section.nbytes
    if sums is None or crc is None:
        return buffers, None
    _check_gap(source, at, crc.offset)
    noted = np.empty(crc.nbytes // 4, "<u4")
    source.fill(noted.view(np.uint8).data, crc.offset)
    if sums.all() != noted.tolist():
        raise Faulty
    return buffers, noted


def _check_gap(source: Plain, begin: int, end: int) -> None:
    """Raise NotTaken unless the bytes between two arrays are fewer than a page, and zero."""
    gap = bytearray(max(min(end - begin, PAGE), 0))
    source.fill(memoryview(gap), begin)
    if not begin <= end < begin + PAGE or any(gap):
        raise NotTaken("an unusual layout")


def _loaded(path: Path, options: Options, device: Device, source: Plain, progress: Tell | None) -> Loaded:
    head = bytearray(min(PAGE, source.size))
    source.fill(memoryview(head), 0)
    header = unpack_header(path, bytes(head), source.size)
    # what only the host reads, or has words for
    ids = header.sections.get("ids")
    if ids is not None and ids.nbytes // 8 != header.n:
        raise NotTaken("ids that are text")
    if options.ids != "int" or (options.weights and "weights" not in header.sections):
        raise NotTaken("other ids or weights than the file has")
    full = source.size <= FULL_BELOW if options.verify is None else options.verify
    compare = options.verify is not False
    wanted = {
        name: section
        for name, section in header.sections.items()
        if name != "crc" and (compare or full or name != "weights" or options.weights)
    }
    buffers, _ = load_sections(device, source, wanted, header.crc if compare else None, progress)
    parts = _checked(device, options, header, buffers, full)
    notes = []
    if not options.weights and "weights" in header.sections:
        notes.append("weights (read them with --weights)")
        parts.rows.values.pop("weights", None)
    if options.directed and not header.directed:
        parts = replace(parts, directed=True)
    graph = graph_of(device, parts)
    if options.directed is False and header.directed:
        graph = graph.undirected
    return Loaded(graph, counted(header.arcs, "arc"), notes)


def _checked(
    device: Device, options: Options, header: Header, buffers: dict[str, Any], full: bool
) -> DeviceGraph:
    """The graph's parts, of which every kernel's accesses lie within bounds, and all else if `full`."""
    n, arcs, run, items = header.n, header.arcs, LAUNCH.of(device), device.tuning.items
    columns, ids = {name: buffers.get(name) for name in ("weights", "multiplicity")}, buffers.get("ids")
    rows = DeviceCSR(
        n,
        arcs,
        buffers["row_ptr"],
        buffers["col_idx"] if arcs else device.empty(0, np.int32),
        np.int64 if header.sections["row_ptr"].kind == "<i8" else np.int32,
        values=given(**columns),
    )
    program = device.program("files/clg", ITEMS=items, RUN=run, **rows.defines)
    facts = device.zeros(FACTS, np.uint32)
    program.binary_offsets.launch(rows, -(-n // items) or 1, found=facts)
    program.binary_heads.launch(rows, -(-arcs // run), found=facts)
    if device.download(facts, np.uint32, 1)[0]:
        raise Faulty
    directed = header.directed
    program.binary_arcs.launch(rows, -(-arcs // run), full=full, directed=directed, **columns, found=facts)
    place = None
    if ids is not None:
        place = device.output(n, np.int32)
        program.binary_ids(-(-n // items), n=n, ids=ids, place=place, found=facts)
    found = device.download(facts, np.uint32, FACTS).tolist()
    one_way = found[UPWARD] and not directed
    if found[FAULTS] or (full and (one_way or found[LOOPS] != header.loops)):
        raise Faulty
    if found[COPIES] and (options.duplicates == "merge" or "multiplicity" in rows.values):
        raise NotTaken("parallel edges")
    if found[IDS]:
        raise NotTaken("ids that do not ascend, or need more than 31 bits")
    return DeviceGraph(
        rows,
        directed=directed,
        ids=None if place is None else SelectedIds(None, place, n),
        num_self_loops=found[LOOPS],
        is_multigraph=found[COPIES] > 0,
    )
