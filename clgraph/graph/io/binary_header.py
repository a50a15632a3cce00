"""The first 4096 bytes of a .clg file: packed, and taken apart with every field checked against the file.

``docs/formats.md`` specifies the form for those who write such files themselves.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clgraph.errors import InputError
from clgraph.graph.io.common import check_vertex_count

MAGIC = b"\x93CLG\r\n\x1a\n"
VERSION = 2
PAGE = 4096
BLOCK = 1 << 26  # bytes of data that one checksum covers
HEAD = struct.Struct("<8sIIQQQQ")
SECTION = struct.Struct("<QQ8s")
SHARD = struct.Struct("<QQQ")
SECTIONS = {  # and the item types that each section may have
    "row_ptr": ("<i4", "<i8"),
    "col_idx": ("<i4",),
    "weights": ("<f8",),
    "multiplicity": ("<i4",),
    "ids": ("<i8",),
    "text": ("|u1",),
}
SECTIONS_OF_2 = {"way": ("|u1",), "crc": ("<u4",)}  # from version 2 on
DIRECTED = 1
CHECKED = PAGE - 4  # bytes of the header that its own checksum, which follows them, covers


@dataclass(frozen=True)
class Section:
    """Where a section is, and the type of its items."""

    offset: int
    nbytes: int
    kind: str

    @property
    def end(self) -> int:
        return self.offset + self.nbytes


@dataclass(frozen=True)
class Header:
    """What a header says, all of it possible in a file of this length.

    Attributes
    ----------
    directed : bool
    n : int
        Vertices; of a shard its rows.
    arcs, loops : int
    sections : dict
        Those that are there.
    first_row : int
        Of a shard: the vertex of its first row.
    whole : int, optional
        Of a shard: vertices of the whole graph. None: it is no shard.
    """

    directed: bool
    n: int
    arcs: int
    loops: int
    sections: dict[str, Section]
    first_row: int = 0
    whole: int | None = None

    @property
    def crc(self) -> Section | None:
        """The section of checksums; files of version 1 have none."""
        return self.sections.get("crc")


def pack_header(header: Header, length: int) -> bytes:
    """The header of a file of version 2 that is `length` bytes long."""
    n = header.n
    whole = n if header.whole is None else header.whole
    flags = DIRECTED * header.directed

    def table(names: Iterable[str]) -> bytes:
        found = [header.sections.get(name, Section(0, 0, "")) for name in names]
        return b"".join(SECTION.pack(each.offset, each.nbytes, each.kind.encode()) for each in found)

    head = HEAD.pack(MAGIC, VERSION, flags, n, header.arcs, header.loops, length)
    head += table(SECTIONS) + SHARD.pack(header.first_row, n, whole) + table(SECTIONS_OF_2)
    head = head.ljust(CHECKED, b"\0")
    return head + struct.pack("<I", zlib.crc32(head))


def unpack_header(path: Path, head: bytes, size: int, *, shard: bool = False) -> Header:
    """The header of a file of `size` bytes; InputError unless every field is within its bounds.

    With `shard` the file holds some rows of a graph, otherwise a whole one.
    """
    if len(head) < PAGE or head[: len(MAGIC)] != MAGIC:
        raise InputError(
            f"{path}: not a .clg file (its first bytes differ, or it is cut off); make it with clgraph "
            "convert"
        )
    _, version, flags, n, arcs, loops, length = HEAD.unpack_from(head)
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
    names = SECTIONS if version == 1 else {**SECTIONS, **SECTIONS_OF_2}
    places = [HEAD.size + place * SECTION.size for place in range(len(SECTIONS))]
    places += [
        HEAD.size + len(SECTIONS) * SECTION.size + SHARD.size + place * SECTION.size for place in (0, 1)
    ]
    first, rows, whole = 0, n, n
    if version > 1:
        first, rows, whole = SHARD.unpack_from(head, HEAD.size + len(SECTIONS) * SECTION.size)
        is_shard = (first, rows, whole) != (0, n, n) or any(SECTION.unpack_from(head, places[-2])[:2])
        if is_shard and not shard:
            raise InputError(
                f"{path}: a shard, rows {first} to {first + rows - 1} of a graph of {whole} vertices; read a "
                "file that holds a whole graph"
            )
        check_vertex_count(path, whole)
        if rows != n or first + rows > whole:
            raise damaged(
                path, f"rows {first} to {first + rows - 1} of {whole} cannot be the {n} that it has"
            )
    elif shard:
        raise InputError(f"{path}: version 1 of the .clg form holds no shards; convert the graph again")
    sections = {}
    for (name, kinds), place in zip(names.items(), places, strict=False):
        offset, nbytes, code = SECTION.unpack_from(head, place)
        if not offset:
            if nbytes or code.strip(b"\0"):
                raise damaged(path, f"its section {name} is damaged: it begins nowhere")
            continue
        kind = code.rstrip(b"\0").decode("ascii", "replace")
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
