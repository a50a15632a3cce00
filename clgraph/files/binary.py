"""Files in the binary form read by a device: host half of ``cl/files/binary.cl``.

The arrays go to the device as they are, in pieces, and are checked there before anything computes with them.
A file at which anything is wrong is read again by the host's reader, which says what it is.
"""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import Chosen, DeviceCSR, Parts, graph_of
from clgraph.device.shapes import Shapes
from clgraph.files.binary_sums import Sums
from clgraph.files.parse import NotTaken
from clgraph.files.sources import Plain
from clgraph.graph.io.binary import FULL_BELOW, read_binary
from clgraph.graph.io.binary_header import PAGE, Header, Section, unpack_header
from clgraph.graph.io.common import Loaded, Options, counted, reading
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device

SHAPES = Shapes(gpu=64, cpu=1 << 14, simulator=5)  # arcs that one work-item takes
FACTS = 5
FAULTS, LOOPS, COPIES, UPWARD, IDS = range(FACTS)


class Faulty(Exception):
    """A file at which something is wrong."""


def read_binary_there(
    path: Path, options: Options, device: Device, *, progress: Tell | None = None
) -> Loaded:
    """Read a .clg file to a device (see `clgraph.read`); the graph stays there.

    Raises
    ------
    NotTaken
        If the file is left to the host's reader; the message says why.
    InputError
        If it is damaged.
    CapacityError
        If it does not fit the device.
    """
    if sys.byteorder != "little":
        raise NotTaken("numbers are big-endian here")
    try:
        with reading(path), closing(Plain(path)) as source, device.alone():
            return _Reading(path, options, device, source, progress).loaded()
    except Faulty:
        read_binary(path, replace(options, verify=options.verify is not False))  # which raises what is wrong
        raise NotTaken("it needed a closer look") from None


@dataclass
class _Reading:
    path: Path
    options: Options
    device: Device
    source: Plain
    progress: Tell | None

    def loaded(self) -> Loaded:
        options, path = self.options, self.path
        head = bytearray(min(PAGE, self.source.size))
        self.source.read(memoryview(head), 0)
        header = unpack_header(path, bytes(head), self.source.size)
        self._refuse(header)
        self.full = self.source.size <= FULL_BELOW if options.verify is None else options.verify
        buffers = self._load(header)
        parts = self._checked(header, buffers)
        notes = []
        if not options.weights and "weights" in header.sections:
            notes.append("weights (read them with --weights)")
            parts = replace(parts, weights=None)
        if options.directed and not header.directed:
            parts = replace(parts, directed=True)
        graph = graph_of(self.device, parts)
        if options.directed is False and header.directed:
            graph = graph.undirected
        return Loaded(graph, counted(header.arcs, "arc"), notes)

    def _refuse(self, header: Header) -> None:
        """Raise NotTaken for what only the host reads, or has words for."""
        ids = header.sections.get("ids")
        if ids is not None and ids.nbytes // 8 != header.n:
            raise NotTaken("ids that are text")
        if self.options.ids != "int" or (self.options.weights and "weights" not in header.sections):
            raise NotTaken("other ids or weights than the file has")

    def _load(self, header: Header) -> dict[str, Any]:
        """The arrays on the device; their checksums are right, unless the user wants none compared."""
        crc, device = header.crc, self.device
        compare = crc is not None and self.options.verify is not False
        wanted = {
            name: section
            for name, section in header.sections.items()
            if name != "crc" and (compare or self.full or name != "weights" or self.options.weights)
        }
        device.reserve({name: section.nbytes for name, section in wanted.items()})
        sums = Sums(device, crc.offset - PAGE) if compare and crc is not None else None
        buffers, at, before = {}, PAGE, 0
        for name, section in sorted(wanted.items(), key=lambda item: item[1].offset):
            if sums is not None:
                self._between(at, section.offset)
            dtype = np.dtype(section.kind)

            def read(view: memoryview, offset: int, section: Section = section) -> None:
                self.source.read(view, section.offset + offset)
                if sums is not None:
                    sums.read(view, section.offset - PAGE + offset)

            def progress(done: int, before: int = before) -> None:
                if self.progress is not None:
                    self.progress(before + done, self.source.size)

            buffers[name] = device.load(section.nbytes // dtype.itemsize, dtype, read, progress)
            at, before = section.end, before + section.nbytes
            if sums is not None:
                sums.loaded(buffers[name], section.offset - PAGE, section.nbytes)
        if sums is not None and crc is not None:
            self._between(at, crc.offset)
            told = np.empty(crc.nbytes // 4, "<u4")
            self.source.read(told.view(np.uint8).data, crc.offset)
            if sums.all() != told.tolist():
                raise Faulty
        return buffers

    def _between(self, begin: int, end: int) -> None:
        """Raise NotTaken unless the bytes between two arrays are fewer than a page, and zero."""
        gap = bytearray(max(min(end - begin, PAGE), 0))
        self.source.read(memoryview(gap), begin)
        if not begin <= end < begin + PAGE or any(gap):
            raise NotTaken("an unusual layout")

    def _checked(self, header: Header, buffers: dict[str, Any]) -> Parts:
        """The graph's parts, of which every kernel's accesses lie within bounds, and all else if `full`."""
        device, n, arcs, run = self.device, header.n, header.arcs, SHAPES.of(self.device)
        wide = header.sections["row_ptr"].kind == "<i8"
        heads = buffers.get("col_idx")
        rows = DeviceCSR(
            n,
            arcs,
            buffers["row_ptr"],
            device.empty(0, np.int32) if heads is None else heads,
            np.int64 if wide else np.int32,
        )
        items = device.tuning.items
        program = device.program("files/binary", ITEMS=items, RUN=run, **rows.defines)
        facts = device.zeros(FACTS, np.uint32)
        size = {"n": n, "arcs": arcs}
        program.binary_offsets(-(-n // items) or 1, **size, row_ptr=rows.row_ptr, found=facts)
        program.binary_heads(-(-arcs // run), **size, col_idx=rows.col_idx, found=facts)
        if device.download(facts, np.uint32, 1)[0]:
            raise Faulty
        weights, copies, ids = (buffers.get(name) for name in ("weights", "multiplicity", "ids"))
        program.binary_arcs(
            -(-arcs // run),
            **size,
            full=self.full,
            directed=header.directed,
            **rows.buffers,
            weights=weights,
            multiplicity=copies,
            found=facts,
        )
        place = None
        if ids is not None:
            place = device.output(n, np.int32)
            program.binary_ids(-(-n // items), n=n, ids=ids, place=place, found=facts)
        found = device.download(facts, np.uint32, FACTS).tolist()
        one_way = found[UPWARD] and not header.directed
        if found[FAULTS] or (self.full and (one_way or found[LOOPS] != header.loops)):
            raise Faulty
        if found[COPIES] and (self.options.duplicates == "merge" or copies is not None):
            raise NotTaken("parallel edges")
        if found[IDS]:
            raise NotTaken("ids that do not ascend, or need more than 31 bits")
        return Parts(
            rows,
            directed=header.directed,
            weights=weights,
            multiplicity=copies,
            ids=None if place is None else Chosen(None, place, n),
            num_self_loops=found[LOOPS],
            has_copies=found[COPIES] > 0,
        )
