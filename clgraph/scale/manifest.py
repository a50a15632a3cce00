"""The manifest of a dataset in shards: what it says, and whether that can be.

A dataset is a folder ``NAME.clgs``. Its ``manifest.json`` is written last: a folder without one is no
dataset.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clgraph.errors import InputError
from clgraph.formats.table import DATASET
from clgraph.graph.building import INT32_MAX

NAME = "manifest.json"
FORMAT, VERSION = "clgraph-shards", 1
BLOCK = 4096  # rows: `write_shards` cuts all sections but pairs at multiples of it
SECTIONS = ("pairs", "rows", "in", "out")
LARGEST = 64 << 20  # bytes of a manifest: some 400 000 shards ...
MOST_SHARDS = LARGEST // 80  # ... and never more than these, of some 85 bytes each at least
_FILE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")


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
    """What a dataset holds.

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
    sections: dict[str, Section] = field(default_factory=dict)
    ids: Part | None = None
    leaving: Part | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything but the fingerprint, ready for JSON."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "directed": self.directed,
            "vertices": self.vertices,
            "weights": self.weights,
            "multiplicity": self.multiplicity,
            "block": BLOCK,
            "ids": None if self.ids is None else vars(self.ids),
            "leaving": None if self.leaving is None else vars(self.leaving),
            "sections": {
                name: {
                    "edges": each.edges,
                    "loops": each.loops,
                    "shards": [vars(shard) for shard in each.shards],
                }
                for name, each in self.sections.items()
            },
        }

    @property
    def files(self) -> set[str]:
        """Names of all files of the dataset."""
        shards = {shard.file for section in self.sections.values() for shard in section.shards}
        return {NAME, *shards, *(part.file for part in (self.ids, self.leaving) if part is not None)}

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the canonical JSON of all else; it covers the checksums of all files."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> str:
        """The file's text."""
        return json.dumps({**self.to_dict(), "fingerprint": self.fingerprint}, indent=1) + "\n"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a dataset; InputError unless every field is possible."""
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
    table = _Table(found, "the manifest")
    if table.value.get("format") != FORMAT:
        raise ValueError(f"its format is {table.value.get('format')!r:.40}, not {FORMAT!r}")
    if table.value.get("version") != VERSION:
        raise ValueError(f"its version is {table.value.get('version')!r:.40}; this clgraph reads {VERSION}")
    if table.count("block", BLOCK) != BLOCK:
        raise ValueError(f"its block is not {BLOCK}")
    n = table.count("vertices", INT32_MAX)
    directed = table.flag("directed")
    wanted = {"pairs", *(("in", "out") if directed else ("rows",))}
    sections = {}
    for name, entry in table.table("sections").value.items():
        if name not in wanted:
            raise ValueError(f"section {name!r:.40} does not belong to such a graph")
        sections[name] = _section(_Table(entry, f"section {name}"), n)
    if "pairs" not in sections:
        raise ValueError("it has no section pairs")
    return Manifest(
        directed,
        n,
        table.flag("weights"),
        table.flag("multiplicity"),
        sections,
        table.part("ids"),
        table.part("leaving"),
    )


def _section(table: _Table, n: int) -> Section:
    shards: list[Shard] = []
    row = edge = loops = 0
    listed = table.value.get("shards")
    if not isinstance(listed, list):
        raise ValueError(f"{table.name} lists no shards")
    for number, entry in enumerate(listed):
        each = _Table(entry, f"shard {number} of {table.name}")
        counts = {
            key: each.count(key, 2**63 - 1)
            for key in ("first_row", "rows", "edges", "loops", "first_edge", "bytes", "crc")
        }
        shard = Shard(each.file("file"), **counts)
        if (shard.first_row, shard.first_edge) != (row, edge):
            raise ValueError(
                f"{each.name} begins at row {shard.first_row} and edge {shard.first_edge}, not at {row} and "
                f"{edge}, where the one before ends"
            )
        if shard.loops > shard.edges:
            raise ValueError(f"{each.name} cannot be: {vars(shard)}")
        row, edge, loops = row + shard.rows, edge + shard.edges, loops + shard.loops
        shards.append(shard)
    if row != n:
        raise ValueError(f"{table.name} has {row} rows, but there are {n} vertices")
    if (edge, loops) != (table.count("edges", 2**63 - 1), table.count("loops", 2**63 - 1)):
        raise ValueError(f"{table.name} has other numbers of edges or loops than its shards")
    if len({shard.file for shard in shards}) < len(shards):
        raise ValueError(f"{table.name} lists a file twice")
    return Section(edge, loops, tuple(shards))


class _Table:
    """A JSON object, of which entries are asked for by name and type."""

    def __init__(self, value: Any, name: str) -> None:
        if not isinstance(value, dict):
            raise ValueError(f"{name} is no object")
        self.value, self.name = value, name

    def count(self, key: str, most: int) -> int:
        value = self.value.get(key)
        if type(value) is not int or not 0 <= value <= most:
            raise ValueError(f"{key} of {self.name} is {value!r:.40}: a whole number from 0 to {most}")
        return value

    def flag(self, key: str) -> bool:
        value = self.value.get(key)
        if type(value) is not bool:
            raise ValueError(f"{key} of {self.name} is {value!r:.40}: true or false")
        return value

    def file(self, key: str) -> str:
        value = self.value.get(key)
        if not isinstance(value, str) or not _FILE.fullmatch(value):
            raise ValueError(f"{key} of {self.name} is {value!r:.40}: no name of a file in the dataset")
        return value

    def table(self, key: str) -> _Table:
        return _Table(self.value.get(key), f"{key} of {self.name}")

    def part(self, key: str) -> Part | None:
        if self.value.get(key) is None:
            return None
        each = self.table(key)
        return Part(each.file("file"), each.count("bytes", 2**63 - 1), each.count("crc", 2**32 - 1))
