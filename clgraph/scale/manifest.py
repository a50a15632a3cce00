"""The manifest of a dataset in shards: what it says, and whether that can be.

A dataset is a folder ``NAME.clgs``. Its ``manifest.json`` is written last: a folder without one is no
dataset.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

from clgraph.errors import InputError
from clgraph.formats.table import DATASET
from clgraph.graph.building import INT32_MAX

NAME = "manifest.json"
FORMAT, VERSION = "clgraph-shards", 1
BLOCK = 4096  # rows: `write_shards` cuts all sections but pairs at multiples of it
SECTIONS = ("pairs", "rows", "in", "out")
MOST = 2**63 - 1  # of what a file has of anything
LARGEST = 64 << 20  # bytes of a manifest: some 400 000 shards ...
MOST_SHARDS = LARGEST // 80  # ... and never more than these, of some 85 bytes each at least
FILE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")  # a name in the dataset


@dataclass(frozen=True)
class Shard:
    """A file with some rows of a section.

    Attributes
    ----------
    file : str
        Its name in the dataset's folder.
    first_row, rows : int
    edges : int
        Entries of the rows: pairs, or arcs.
    loops : int
        How many of them join a vertex to itself.
    first_edge : int
        Entries in the shards before it.
    bytes : int
        Length of the file.
    crc : int
        CRC-32 of the checksums in the file.
    """

    file: str
    first_row: int
    rows: int
    edges: int
    loops: int
    first_edge: int
    bytes: int
    crc: int


@dataclass(frozen=True)
class Part:
    """A file beside the shards: its name, length and CRC-32."""

    file: str
    bytes: int
    crc: int


@dataclass(frozen=True)
class Section:
    """The rows of one kind: entries, loops among them, and the shards in order of rows."""

    edges: int
    loops: int
    shards: tuple[Shard, ...]


@dataclass(frozen=True)
class Manifest:
    """Contents of a dataset.

    Attributes
    ----------
    directed, weights, multiplicity : bool
    vertices : int
    sections : dict of str to Section
        "pairs" always: each pair of neighbours once, in the row of the smaller end; "rows" (undirected), "in"
        and "out" (directed): all neighbours, tails of arcs that enter, heads of arcs that leave.
    ids : Part, optional
        A ``.clg`` file without edges, whose ids they are. None: 0 .. vertices - 1.
    leaving : Part, optional
        float64 numbers: the weight that leaves each vertex (without weights: how many arcs).
    """

    directed: bool
    vertices: int
    weights: bool
    multiplicity: bool
    _: KW_ONLY
    block: int = BLOCK
    ids: Part | None = None
    leaving: Part | None = None
    sections: dict[str, Section] = field(default_factory=dict)

    def _json(self, more: Mapping[str, Any] | None = None, **options: Any) -> str:
        """Return the canonical JSON, in the order of the fields, without the fingerprint."""
        head = {"format": FORMAT, "version": VERSION}
        return json.dumps({**head, **vars(self), **(more or {})}, default=vars, **options)

    @property
    def files(self) -> set[str]:
        """Names of all files of the dataset."""
        shards = {shard.file for section in self.sections.values() for shard in section.shards}
        return {NAME, *shards, *(part.file for part in (self.ids, self.leaving) if part is not None)}

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical JSON of all else; it covers the checksums of all files."""
        text = self._json(sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> str:
        """Return the file's text."""
        return self._json({"fingerprint": self.fingerprint}, indent=1) + "\n"


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a dataset; InputError unless every field is possible."""
    path = folder / NAME
    if not folder.is_dir():
        work = folder.with_name(folder.name + ".work")
        if os.path.isdir(work):
            raise InputError(
                f"{folder}: is not finished ({work} has what was read): it is being written, or clgraph "
                "convert was interrupted, which goes on with --resume"
            )
        raise InputError(
            f"{folder}: no such dataset; make one with clgraph convert IN {folder.name or 'OUT' + DATASET}"
        )
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise InputError(
            f"{folder}: has no {NAME}, so it is no dataset, or one that was not finished; convert the graph "
            "again"
        ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        if len(data) > LARGEST:
            raise ValueError(f"longer than {LARGEST} bytes")
        found = json.loads(data)
        manifest = _parsed(found)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError among them
        raise InputError(f"{path}: damaged: {error}; convert the graph again, or copy it again") from error
    if found.get("fingerprint") != manifest.fingerprint:
        raise InputError(
            f"{path}: does not match its fingerprint: it was changed; convert the graph again, or copy it "
            "again"
        )
    return manifest


def _parsed(found: Any) -> Manifest:
    kinds = {"block": BLOCK, "vertices": INT32_MAX, "directed": bool, "weights": bool, "multiplicity": bool}
    if not isinstance(found, dict):
        raise ValueError("the manifest is no object")
    for key, known, then in (("format", FORMAT, ", not"), ("version", VERSION, "; this clgraph reads")):
        if found.get(key) != known:
            raise ValueError(f"its {key} is {found.get(key)!r:.40}{then} {known!r}")
    given = fields_of(found, "the manifest", **kinds)
    if given["block"] != BLOCK:
        raise ValueError(f"its block is not {BLOCK}")
    wanted = {"pairs", *(("in", "out") if given["directed"] else ("rows",))}
    listed = found.get("sections")
    if not isinstance(listed, dict):
        raise ValueError("sections of the manifest is no object")
    for name in listed:
        if name not in wanted:
            raise ValueError(f"section {name!r:.40} does not belong to such a graph")
    sections = {name: _section(entry, f"section {name}", given["vertices"]) for name, entry in listed.items()}
    if "pairs" not in sections:
        raise ValueError("it has no section pairs")
    parts: dict[str, Any] = {
        name: Part(**fields_of(found[name], f"{name} of the manifest", file=FILE, bytes=MOST, crc=2**32 - 1))
        for name in ("ids", "leaving")
        if found.get(name) is not None
    }
    return Manifest(**given, sections=sections, **parts)


def _section(entry: Any, name: str, n: int) -> Section:
    whole = fields_of(entry, name, edges=MOST, loops=MOST)
    if not isinstance(entry.get("shards"), list):
        raise ValueError(f"{name} lists no shards")
    counts = dict.fromkeys(("first_row", "rows", "edges", "loops", "first_edge", "bytes", "crc"), MOST)
    shards: list[Shard] = []
    row = edge = loops = 0
    for number, each in enumerate(entry["shards"]):
        which = f"shard {number} of {name}"
        shard = Shard(**fields_of(each, which, file=FILE, **counts))
        if (shard.first_row, shard.first_edge) != (row, edge):
            raise ValueError(
                f"{which} begins at row {shard.first_row} and edge {shard.first_edge}, not at {row} and "
                f"{edge}, where the one before ends"
            )
        if shard.loops > shard.edges:
            raise ValueError(f"{which} cannot be: {vars(shard)}")
        row, edge, loops = row + shard.rows, edge + shard.edges, loops + shard.loops
        shards.append(shard)
    if row != n:
        raise ValueError(f"{name} has {row} rows, but there are {n} vertices")
    if whole != {"edges": edge, "loops": loops}:
        raise ValueError(f"{name} has other numbers of edges or loops than its shards")
    if len({shard.file for shard in shards}) < len(shards):
        raise ValueError(f"{name} lists a file twice")
    return Section(edge, loops, tuple(shards))


def length_and_crc(path: Path) -> list[int]:
    """Return the length of a file, and the CRC-32 of its bytes."""
    size = found = 0
    with open(path, "rb", buffering=0) as file:
        while data := file.read(1 << 20):
            size, found = size + len(data), zlib.crc32(data, found)
    return [size, found]


def fields_of(entry: Any, name: str, **kinds: Any) -> dict[str, Any]:
    """Return entries of a JSON object, checked: numbers up to the one given, flags, or texts of a pattern."""
    if not isinstance(entry, dict):
        raise ValueError(f"{name} is no object")
    for key, kind in kinds.items():
        value = entry.get(key)
        if kind is bool:
            right, needed = type(value) is bool, "true or false"
        elif isinstance(kind, int):
            right = type(value) is int and 0 <= value <= kind
            needed = f"a whole number from 0 to {kind}"
        else:
            right = isinstance(value, str) and kind.fullmatch(value) is not None
            needed = f"text like {kind.pattern}"
        if not right:
            raise ValueError(f"{key} of {name} is {value!r:.40}: {needed} is needed")
    return {key: entry[key] for key in kinds}
