"""Graph files read a part at a time: edge lists by a device's parser, Parquet, .clg.

``clgraph convert --resume`` keeps in NAME.clgs.work the edges of inputs that were read to the end.
``work.json`` says that the folder is one of clgraph's. For each input ``input-N.json`` says what was read and
how, with the checksums of its tables and of itself; it is written last, when all else is on the disk.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph._version import __version__
from clgraph.errors import DeviceError, InputError
from clgraph.files.dispatch import STDIN
from clgraph.files.edge_list import bytes_before, opened
from clgraph.files.parse import Parser, TooWide
from clgraph.files.read_ahead import NotTaken, ReadSettings, read_chunks
from clgraph.formats.arrow import parquet_parts
from clgraph.formats.atomic import atomic_write
from clgraph.formats.clg import PAGE, check_sums, damaged, unpack_header
from clgraph.formats.common import Options, check_file, few, reading
from clgraph.formats.edges import look, skipped_lines
from clgraph.formats.table import find_format
from clgraph.graph.arrays import tails_between
from clgraph.graph.checks import check_offsets, check_range, checked_ids
from clgraph.progress import Tell
from clgraph.scale.manifest import length_and_crc
from clgraph.scale.tables import STEP, Columns, FileColumn, Table
from clgraph.temporary import strangers, sync

if TYPE_CHECKING:
    from clgraph.device import Device

EXTERNAL = ("edges", "parquet", "clg")
MARK, TEXT = "work.json", b'{"format": "clgraph-work", "version": 1}\n'
SAMPLE = 1 << 20  # bytes that are read at a time
SAMPLES = 64  # of an input that tell whether it has changed: all of up to 64 MiB, else samples of it

About = dict[str, Any]
WRITTEN_TO = "it was written to while it was read; convert it again when it is complete"


class Input:
    """A graph file of which edges are read a part at a time.

    Parameters
    ----------
    path : Path
    format : str, optional
    options : Options
    device : Device, optional
        Which parses text. Default: the CPU.

    Attributes
    ----------
    path : Path
    kind : str
        Its format.
    directed : bool
    vertices : int64 array, or None
        Ids of vertices that need not have edges.
    left : list of str
        What it holds and is not read, in words for the user.
    header, row_ptr, columns
        Of a .clg file.

    Raises
    ------
    NotTaken
        If the file has to be read in one; the message says why.
    """

    def __init__(self, path: Path, format: str | None, options: Options, device: Device | None) -> None:
        self.path, self._options, self._device = path, options, device
        if str(path) == STDIN:
            raise NotTaken("standard input is read in one")
        self.kind = find_format(path, format).name
        if self.kind not in EXTERNAL or options.ids != "int" or options.duplicates != "merge":
            raise NotTaken(f"{self.kind} files, ids that are text, and parallel copies are read in one")
        check_file(path)
        self.vertices: npt.NDArray[np.int64] | None = None
        if self.kind == "edges":
            self.directed = options.direction()
            with reading(path):
                self._layout = look(path, options)
            notes = [self._layout.note.removeprefix("; "), ", ".join(skipped_lines(self._layout))]
            self.left = [notes[0]] * bool(notes[0]) + [f"skipped: {notes[1]}"] * bool(notes[1])
        elif self.kind == "parquet":
            self.directed, self._parts, self.left = parquet_parts(path, options, STEP)
        else:
            self._open_binary()

    def parts(self, progress: Tell | None = None) -> Iterator[Columns]:
        """Yield columns source and target, perhaps weights and multiplicity; raise `NotTaken` at any time."""
        if self.kind == "edges":
            return self._of_text(progress)
        return self._of_parquet() if self.kind == "parquet" else self._of_binary(progress)

    def _of_text(self, progress: Tell | None) -> Iterator[Columns]:
        path, options, device = self.path, self._options, self._device or _cpu()
        layout = self._layout
        with reading(path):
            skip = bytes_before(path, layout, options)
        with reading(path), opened(path, options) as source, device.alone():
            # buffers are as large as the piece needs: nothing is known to follow it
            wide, parser = False, Parser(device, layout, np.int32, lambda: 0)
            with closing(read_chunks(device, source, skip, ReadSettings(progress))) as text:
                for piece in text:
                    found = None
                    while found is None:
                        try:
                            found = parser.one(piece)
                        except TooWide as error:
                            if wide:
                                raise NotTaken("an id that is too large") from error
                            wide, parser = True, Parser(device, layout, np.int64, lambda: 0)
                    if not found.count:
                        continue
                    columns: Columns = {
                        name: device.download(buffer, found.id_type, found.count)
                        for name, buffer in (("source", found.source), ("target", found.target))
                    }
                    if found.weight is not None:
                        columns["weights"] = device.download(found.weight, np.float64, found.count)
                    yield columns

    def _of_parquet(self) -> Iterator[Columns]:
        for source, target, weights, counts in self._parts:
            columns: Columns = {}
            for name, ids in (("source", source), ("target", target)):
                if not isinstance(ids, np.ndarray):
                    raise InputError(
                        f"{self.path}: the ids are text; read with ids='str', which holds the graph in memory"
                    )
                if len(ids) and not 0 <= ids.min() <= ids.max() < 2**63:
                    raise InputError(f"{self.path}: {name} has an id that is not from 0 to {2**63 - 1}")
                columns[name] = ids.astype(np.int64, copy=False)
            if weights is not None:
                columns["weights"] = weights
            if counts is not None:
                columns["multiplicity"] = counts.astype(np.int32)
            yield columns

    # --- .clg -------------------------------------------------------------------------------------

    def _open_binary(self) -> None:
        path = self.path
        with reading(path), open(path, "rb") as file:
            status = os.fstat(file.fileno())
            self._checked = status.st_size, status.st_mtime_ns
            self.header = header = unpack_header(path, file.read(PAGE), status.st_size)
        if self._options.directed not in (None, header.directed):
            raise NotTaken("directions are changed in memory")
        if self._options.weights and "weights" not in header.sections:
            raise InputError(f"{path}: holds no weights; leave weights=True out")
        self.directed = header.directed
        unread = "weights" in header.sections and not self._options.weights
        self.left = ["weights not read (use --weights)"] if unread else []
        named = header.sections.get("ids")
        if "text" in header.sections or (named is not None and named.nbytes == 8 * (header.n + 1)):
            raise NotTaken("ids that are text")
        self.columns: dict[str, FileColumn] = {}
        for name, section in header.sections.items():
            dtype = np.dtype(section.kind)
            # sections begin at multiples of 4096 bytes
            self.columns[name] = FileColumn(path, dtype, section.offset // dtype.itemsize)
        # a file without arcs need not have their section
        self.columns.setdefault("col_idx", FileColumn(path, np.dtype(np.int32), 0))
        with reading(path):
            if self._options.verify is not False and header.crc is not None:
                check_sums(path, header)
            self.row_ptr = self.columns["row_ptr"].read(0, header.n + 1)
            try:
                check_offsets(self.row_ptr, header.arcs)
                known = self.columns["ids"].read(0, header.n) if named else None
                ids = np.arange(header.n) if known is None else checked_ids(known, header.n)
            except InputError as error:
                raise damaged(path, str(error)) from error
        self.vertices = ids

    @property
    def values(self) -> list[str]:
        """The columns wanted of a .clg file's arcs: weights, multiplicity."""
        names = ["weights", "multiplicity"] if self._options.weights else ["multiplicity"]
        return [name for name in names if name in self.header.sections]

    def heads(self, first: int, count: int) -> npt.NDArray[np.int32]:
        """Return some heads of a .clg file's arcs; InputError names the file if one is no vertex."""
        with reading(self.path):
            found = self.columns["col_idx"].read(first, count)
        try:
            check_range(found, self.header.n, "col_idx")
        except InputError as error:
            raise damaged(self.path, str(error)) from error
        return found

    def check_unchanged(self) -> None:
        """Raise InputError if a .clg file is not the one that was checked."""
        with reading(self.path):
            status = self.path.stat()
        if (status.st_size, status.st_mtime_ns) != self._checked:
            raise InputError(f"{self.path}: {WRITTEN_TO}")

    def _of_binary(self, progress: Tell | None) -> Iterator[Columns]:
        header, ids = self.header, self.vertices
        assert ids is not None
        for first in range(0, header.arcs, STEP):
            count = min(STEP, header.arcs - first)
            head = self.heads(first, count)
            with reading(self.path):
                columns: Columns = {name: self.columns[name].read(first, count) for name in self.values}
            tail = tails_between(self.row_ptr, first, first + count)
            once = slice(None) if header.directed else tail <= head
            columns = {name: column[once] for name, column in columns.items()}
            yield {"source": ids[tail[once]], "target": ids[head[once]], **columns}
            if progress is not None:
                progress(4 * (first + count), 4 * header.arcs)


def _cpu() -> Device:
    from clgraph.device import get_device

    try:
        return get_device("cpu", kernels="ndrange")
    except DeviceError as error:
        raise NotTaken("no device parses text here") from error


# --- what an interrupted conversion has read ---


def open_work(folder: Path) -> None:
    """Make the folder, or take over what is in it; InputError where that is not clgraph's."""
    if folder.is_symlink():
        raise InputError(f"{folder}: is a symbolic link, which --resume does not follow; remove it")
    names: list[str] = []
    if folder.exists():
        if not folder.is_dir():
            raise InputError(f"{folder}: --resume needs a folder of this name; remove the file")
        if strange := strangers(folder):
            raise InputError(
                f"{folder}: holds what --resume has not put there ({', '.join(few(strange))}); move that "
                "away, or choose another name for the dataset"
            )
        names = [name for name in os.listdir(folder) if not name.startswith(".")]
        if names and (MARK not in names or (folder / MARK).read_bytes() != TEXT):
            raise InputError(
                f"{folder}: its {MARK} is missing or damaged, so it may not be of --resume; remove the "
                "folder, or choose another name for the dataset"
            )
    folder.mkdir(exist_ok=True)
    for name in os.listdir(folder):
        if name != MARK and not name.startswith("input-"):  # of the steps that start over
            (folder / name).unlink()
    if not names:
        with atomic_write(folder / MARK) as file:
            file.write(TEXT)


def about(path: Path, format: str | None, options: Options) -> About:
    """Return what must be the same for an input's edges to be those that were stored."""
    with reading(path):
        status = path.stat()
        return {
            "file": str(path.resolve()),
            "format": format,
            "options": repr(options),
            "size": status.st_size,
            "time": status.st_mtime_ns,
            "sha256": _samples(path, status.st_size),
            "clgraph": __version__,
        }


def _samples(path: Path, size: int) -> str:
    """Return the SHA-256 of a file, or of its head, its tail and places between them."""
    places = range(0, size, SAMPLE)
    if len(places) > SAMPLES:
        places = range(0, size - SAMPLE + 1, (size - SAMPLE) // (SAMPLES - 1))
    found = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        for place in (*places, max(size - SAMPLE, 0)):
            file.seek(place)
            found.update(file.read(SAMPLE))
    return found.hexdigest()


def store_tables(folder: Path, number: int, about: About, tables: Sequence[Table]) -> None:
    """Store the tables of an input, safe against a power cut."""
    paths = [column.path for table in tables for column in table.columns.values()]
    for path in paths:
        with open(path, "rb+") as file:
            sync(file.fileno())
    known = [
        {
            "name": table.name,
            "types": {each: kind.str for each, kind in table.types.items()},
            "rows": table.rows,
        }
        for table in tables
    ]
    state = {"about": about, "tables": known, "sums": {path.name: length_and_crc(path) for path in paths}}
    with atomic_write(folder / f"input-{number}.json", "w") as out:
        json.dump({"state": state, "sum": _sum_of(state)}, out)


def stored_tables(folder: Path, number: int, about: About) -> tuple[list[Table] | None, str]:
    """Return the tables of an input, or None; and why not, where something was stored."""
    path = folder / f"input-{number}.json"
    if not path.exists():
        return None, ""
    try:
        found = json.loads(path.read_bytes())
        state = found["state"]
        if found["sum"] != _sum_of(state):
            return None, f"{path} is damaged"
        if state["about"] != about:
            unlike = ", ".join(key for key in about if state["about"].get(key) != about[key])
            return None, f"it has changed since, or is to be read in another way ({unlike})"
        tables = [Table(folder, **each) for each in state["tables"]]
        damaged = [name for name, known in state["sums"].items() if length_and_crc(folder / name) != known]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        return None, f"{path}, or what it names, is damaged ({error})"
    return (None, f"{folder / damaged[0]} is damaged") if damaged else (tables, "")


def _sum_of(state: Any) -> str:
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()
