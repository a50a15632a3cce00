"""Graph files converted to shards with little memory: the ids, and as many edges at a time as are sorted.

(1) The edges of all inputs are copied to a table on disk, and their ids collected. (2) They are numbered and
dealt to ranges of vertices: an undirected edge to its smaller end, an arc to its tail. (3) Each range is
sorted and merged in memory, as `sorted_rows` does it for whole graphs, and becomes rows in one long file for
the section. (4) The other sections are dealt from these rows, and sorted alike; of the rows of an undirected
graph only the arcs back, which go in front of the rows there are. (5) The files are cut into shards.

A single .clg file has its rows in order already (`clgraph.scale.ordered`): only what these lack is dealt.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name
from clgraph.errors import InputError
from clgraph.files.parse import NotTaken
from clgraph.files.summary import left_out, read_with_summary
from clgraph.formats.atomic import remove_stale_once
from clgraph.formats.common import Options
from clgraph.graph.arrays import Arrays, tails_of
from clgraph.graph.building import checked_counts, checked_weights, row_ptr_of
from clgraph.progress import Tell
from clgraph.scale import kept
from clgraph.scale.cut import SHARD_EDGES, check_sections, check_shard_edges, write_shards
from clgraph.scale.inputs import Input
from clgraph.scale.manifest import Manifest
from clgraph.scale.numbering import Numbering
from clgraph.scale.ordered import in_order
from clgraph.scale.shards import Shards, open_shards
from clgraph.scale.sorting import Lengths, ahead, behind, by_row, merged
from clgraph.scale.stored import Rows, Stored, cut_shards, turned
from clgraph.scale.tables import STEP, Columns, Dealt, Table
from clgraph.scale.writing import Writer, check_dataset_name, new_dataset, row_sums, told_as
from clgraph.temporary import remove_own, temporary_name

if TYPE_CHECKING:
    from clgraph.device import Device

T = TypeVar("T")
Ordered = tuple[dict[str, Rows], npt.NDArray[np.float64]]
BUCKET = 1 << 20  # edges that are sorted at a time, by each core: they stay in its cache


def convert_to_shards(
    inputs: Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    options: Options | None = None,
    format: str | None = None,
    sections: Sequence[str] | None = None,
    shard_edges: int = SHARD_EDGES,
    bucket: int = BUCKET,
    resume: bool = False,
    device: Device | None = None,
    progress: Tell | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Shards:
    """Convert graph files, whose edges are taken together, to a dataset of shards.

    The dataset is that of `write_shards` for the same graph in memory. Memory holds the ids and a few
    buckets; the disk beside `path` about three times the dataset meanwhile. Files other than edge lists of
    numbers, Parquet and .clg are read in one, as are unusual edge lists.

    Parameters
    ----------
    inputs : sequence of path
    path : path
        The folder ``NAME.clgs``.
    options, format
        How the inputs are read.
    sections, shard_edges
        As `write_shards` takes them.
    bucket : int
        Edges that are sorted at a time, by each core.
    resume : bool
        Keep what has been read in ``NAME.clgs.work`` if the conversion ends early, and begin there. What is
        damaged there, or of a file that has changed, is read again.
    device : Device, optional
        Which parses text. Default: the CPU.
    progress : callable, optional
        Called with (bytes read, bytes in all), for each input.
    say : callable, optional
        Called with each line that the user should see: what inputs hold and the dataset does not, what
        `resume` reads again.

    Raises
    ------
    InputError
        If an input is not valid, or nothing can be written there.
    """
    options = options or Options()
    target = file_name(path)
    check_dataset_name(target)
    check_shard_edges(shard_edges)
    files = list(_files(inputs))
    with _work_folder(target, resume) as folder:
        spool = _Spool(folder, files, options, format, device, say if resume else None)
        try:
            ordered = spool.in_order(progress)
            if ordered is None:
                spool.read(progress)
        except NotTaken as error:
            if len(files) > 1:
                raise InputError(
                    f"several inputs are read in parts, and this cannot be: {error}; convert each to .clg "
                    "first"
                ) from error
            return _in_memory(files[0], target, options, format, sections, shard_edges, progress, say)
        for line in spool.left_out():
            say(line)
        wanted = check_sections(sections, spool.directed)
        return _Conversion(folder, spool, bucket, ordered).write(target, wanted, shard_edges)


def _files(inputs: Sequence[str | os.PathLike[str]]) -> Iterator[Path]:
    """The inputs, with the files of a Parquet dataset in place of its folder."""
    for name in inputs:
        path = file_name(name)
        if path.is_dir():
            found = sorted(path.rglob("*.parquet"))
            if not found:
                raise InputError(f"{path}: a folder without .parquet files; name graph files")
            yield from found
        else:
            yield path


def _in_memory(
    file: Path,
    target: Path,
    options: Options,
    format: str | None,
    sections: Sequence[str] | None,
    shard_edges: int,
    progress: Tell | None,
    say: Callable[[str], None],
) -> Shards:
    graph, summary = read_with_summary(file, format=format, progress=progress, **vars(options))
    say(summary)
    for note in left_out(graph.attributes):
        say(f"note: {note}")
    return write_shards(graph, target, sections=sections, shard_edges=shard_edges)


@contextmanager
def _work_folder(target: Path, resume: bool) -> Iterator[Path]:
    real = Path(os.path.realpath(target))
    folder = real.with_name(real.name + ".work" if resume else temporary_name())
    remove_stale_once(real.parent)
    try:
        if resume:
            kept.open_work(folder)
        else:
            folder.mkdir()
    except OSError as error:
        raise InputError(
            f"cannot write {target}: {error.strerror or error}; choose a name in an existing folder that you "
            "may write to"
        ) from error
    done = False
    try:
        with told_as(folder, target):
            yield folder
        done = True
    finally:
        if done or not resume:
            with suppress(OSError):
                remove_own(folder)


class _Spool:
    """The edges of all inputs by id, in tables on disk."""

    def __init__(
        self,
        folder: Path,
        files: list[Path],
        options: Options,
        format: str | None,
        device: Device | None,
        say: Callable[[str], None] | None,
    ) -> None:
        self._folder, self._files, self._options = folder, files, options
        self._format, self._device = format, device
        self._say = say  # None: nothing is kept for another attempt
        self._left: dict[str, list[str]] = {}  # names of inputs by what they hold and the dataset does not
        self.tables: list[Table] = []
        self.numbering = Numbering()
        self.directed = False

    def left_out(self) -> Iterator[str]:
        """Lines that say what the inputs hold and the dataset does not."""
        for what, names in self._left.items():
            more = f" and {len(names) - 1} more" if names[1:] else ""
            yield f"note: {names[0]}{more}: {what}"

    def _opened(self, path: Path) -> Input:
        source = Input(path, self._format, self._options, self._device)
        for what in source.left:
            self._left.setdefault(what, []).append(path.name)
        return source

    def in_order(self, progress: Tell | None) -> Ordered | None:
        """What `clgraph.scale.ordered` makes of a single .clg file; None if it has to be sorted."""
        if len(self._files) > 1:
            return None
        source = Input(self._files[0], self._format, self._options, self._device)
        if source.kind != "clg" or not source.header.n:
            return None
        found = in_order(source, self._folder, progress)
        if found is not None:
            self._left = {what: [source.path.name] for what in source.left}
            self.directed, self.numbering.n = source.directed, source.header.n
            self.numbering.ids = source.vertices if "ids" in source.header.sections else None
        return found

    def read(self, progress: Tell | None) -> None:
        """Read all inputs; those that an earlier attempt has read to the end are taken from the disk."""
        directions = set()
        for number, path in enumerate(self._files):
            source = self._opened(path)
            directions.add(source.directed)
            if source.vertices is not None:
                self.numbering.add(source.vertices)
            for table in self._tables_of(number, path, source, progress):
                self.tables.append(table)
        if len(directions) > 1:
            raise InputError("some inputs are directed and some are not: say directed=True or directed=False")
        self.directed = directions.pop()
        if len({table.columns for table in self.tables}) > 1:
            raise InputError("some inputs have weights or multiplicities, and some have none")
        self.numbering.finish()

    def _tables_of(self, number: int, path: Path, source: Input, progress: Tell | None) -> list[Table]:
        if self._say is not None:
            about = kept.about(path, self._format, self._options)
            known, why = kept.kept(self._folder, number, about)
            if known is not None:
                for part in (part for table in known for part in table.parts()):
                    self.numbering.add(part["source"], part["target"])
                return known
            if why:
                self._say(f"note: {path} is read again: {why}")
            for old in self._folder.glob(f"input-{number}.*"):
                old.unlink()
        tables: list[Table] = []
        for part in source.parts(progress):
            if "weights" in part:
                checked_weights(part["weights"], len(part["source"]))
            if "multiplicity" in part:
                checked_counts(part["multiplicity"], len(part["source"]))
            self.numbering.add(part["source"], part["target"])
            if not tables or not tables[-1].takes(part):
                tables.append(Table(self._folder, f"input-{number}.{len(tables)}"))
            tables[-1].append(part)
        if self._say is not None:
            if kept.about(path, self._format, self._options) != about:
                raise InputError(
                    f"{path}: it was written to while it was read; convert it again when it is complete"
                )
            kept.keep(self._folder, number, about, tables)
        return tables


class _Conversion:
    """From the tables of edges to shards."""

    def __init__(self, folder: Path, spool: _Spool, bucket: int, ordered: Ordered | None) -> None:
        self._folder, self._spool, self._bucket, self._ordered = folder, spool, bucket, ordered
        self._n, self._directed = spool.numbering.n, spool.directed
        self._rows = sum(table.rows for table in spool.tables)
        self._leaving = Table(folder, "leaving")

    def write(self, target: Path, wanted: Sequence[str], shard_edges: int) -> Shards:
        """Write the dataset."""
        numbering, made = self._spool.numbering, {}
        with new_dataset(target) as folder:
            writer = Writer(folder, directed=self._directed, vertices=self._n)
            stored = self._begun("rows" not in wanted)
            numbering.forget()
            base = stored["out" if self._directed else "pairs"]
            for name in wanted:
                if name not in stored:
                    stored[name] = self._other(name, base)
            for name in wanted:
                made[name] = cut_shards(writer, name, stored[name], shard_edges)
                stored[name].check_unchanged()
            writer.finish(
                Manifest(
                    self._directed,
                    self._n,
                    base.has("weights"),
                    base.has("multiplicity"),
                    made,
                    None if numbering.ids is None else writer.ids(numbering.ids),
                    writer.numbers("leaving.f8", (part["sum"] for part in self._leaving.parts())),
                )
            )
        return open_shards(target)

    def _begun(self, adds: bool) -> dict[str, Rows]:
        """The sections that others are made of, by name."""
        if self._ordered is None:
            return {"out" if self._directed else "pairs": self._base(adds=adds)}
        stored, leaving = self._ordered
        self._leaving.append({"sum": leaving})
        return stored

    def _deal(
        self,
        name: str,
        parts: Iterable[tuple[Any, ...]],
        edges: Callable[..., Columns],
        rows: int,
        beside: Rows | None = None,
    ) -> Dealt:
        """The edges that `edges` makes of each of some parts, dealt in order."""
        wanted = 1 + 8 * rows // self._bucket
        dealt = Dealt(self._folder, name, 0, self._n, wanted, None if beside is None else beside.row_ptr)
        for found in ahead(lambda *part: dealt.sorted(edges(*part)), parts):
            dealt.append(*found)
        return dealt

    def _numbered(self, part: Columns) -> Columns:
        """Edges of the inputs by number."""
        numbers = self._spool.numbering.numbers
        row, head = numbers(part.pop("source")), numbers(part.pop("target"))
        if not self._directed:
            row, head = np.minimum(row, head), np.maximum(row, head)
        return {"row": row, "head": head, **part}

    def _base(self, *, adds: bool) -> Stored:
        """The section that all others are made of: the pairs, or the arcs by tail; merged.

        With `adds` the weights that leave are added up, too.
        """
        stored = Stored(self._folder, "base", self._n, self._rows)
        leaving = np.zeros(self._n) if adds and not self._directed else None

        def merge(first: int, last: int, edges: Columns) -> Arrays:
            return merged(first, last, edges, self._n)

        parts = ((part,) for table in self._spool.tables for part in table.parts())
        dealt = self._deal("deal", parts, self._numbered, self._rows)
        for first, arrays in self._sorted(dealt, merge):
            values = {"weights": arrays.weights, "multiplicity": arrays.multiplicity}
            stored.add(arrays.row_ptr, arrays.col_idx, first, values)
            if leaving is not None:
                self._add_leaving(leaving, first, arrays)
            elif adds:
                counts = arrays.multiplicity if arrays.weights is None else arrays.weights
                self._leaving.append({"sum": row_sums(arrays.row_ptr, counts)})  # type: ignore[arg-type]
        if leaving is not None:
            self._leaving.append({"sum": leaving})
        return stored

    def _add_leaving(self, leaving: npt.NDArray[np.float64], first: int, arrays: Arrays) -> None:
        """What some pairs add to the weight that leaves each vertex, in the order of its row."""
        counts: Any = arrays.multiplicity if arrays.weights is None else arrays.weights
        # to a vertex v come first the pairs (u, v) of rows u < v, in order, then those of its own row
        tails = tails_of(arrays.row_ptr, first)
        counts = np.ones(len(tails)) if counts is None else counts
        apart = tails != arrays.col_idx
        np.add.at(leaving, arrays.col_idx[apart], counts[apart])
        np.add.at(leaving, tails, counts)

    def _other(self, name: str, base: Rows) -> Stored:
        """A section made of the base's rows, which are merged already."""
        both = name == "rows"
        rows = base.rows * (2 if both else 1)
        stored = Stored(self._folder, name, self._n, rows, base)
        edges = partial(turned, name)
        dealt = self._deal(f"deal-{name}", base.parts(STEP), edges, rows, base if both else None)

        def sort(first: int, last: int, edges: Columns) -> tuple[Lengths, Columns]:
            counts, found = by_row(first, last, edges, self._n)
            return behind(counts, found, *base.some(first, last)) if both else (counts, found)

        for first, (counts, found) in self._sorted(dealt, sort):
            row_ptr = row_ptr_of(counts)
            if both:
                values: Any = found.get("weights", found.get("multiplicity"))
                self._leaving.append({"sum": row_sums(row_ptr, values)})
            stored.add(row_ptr, found.pop("head"), first, found)
        return stored

    def _sorted(self, dealt: Dealt, work: Callable[[int, int, Columns], T]) -> Iterator[tuple[int, T]]:
        """What `work` makes of each range of vertices, in order."""

        def each(first: int, last: int, read: Callable[[], Columns]) -> tuple[int, T]:
            return first, work(first, last, read())

        yield from ahead(each, dealt.groups(self._bucket))
        dealt.remove()
