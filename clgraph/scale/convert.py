"""Graph files converted to shards with little memory: the ids, and as many edges at a time as are sorted.

(1) The edges of all inputs are copied to a table on disk, and their ids collected. (2) They are numbered and
dealt to ranges of vertices: an undirected edge to its smaller end, an arc to its tail. (3) Each range is
sorted and merged in memory, as `sorted_rows` does it for whole graphs, and becomes rows in one long file for
the section. (4) The other sections are dealt from these rows, and sorted alike; of the rows of an undirected
graph only the arcs back, which go in front of the rows there are. (5) The files are cut into shards.

A single .clg file has its rows in order already (`clgraph.scale.sections`): only what these lack is dealt.
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

from clgraph.arguments import file_name, whole
from clgraph.errors import InputError
from clgraph.files.read_ahead import NotTaken
from clgraph.files.summary import left_out, read_with_summary
from clgraph.formats.atomic import remove_stale_once
from clgraph.formats.common import Options
from clgraph.graph.arrays import Arrays, tails_of
from clgraph.graph.building import checked_counts, checked_weights, row_ptr_of
from clgraph.progress import Tell
from clgraph.scale import inputs as work
from clgraph.scale.inputs import WRITTEN_TO, Input
from clgraph.scale.sections import Rows, in_order, turned
from clgraph.scale.shards import Shards, open_shards
from clgraph.scale.tables import Columns, Dealt, Lengths, Numbering, Table, behind, by_row, merged
from clgraph.scale.writing import (
    SHARD_EDGES,
    Writer,
    check_dataset_name,
    check_sections,
    named_as,
    new_dataset,
    row_sums,
    write_shards,
)
from clgraph.system import ahead
from clgraph.temporary import remove_own, temporary_name

if TYPE_CHECKING:
    from clgraph.device import Device

T = TypeVar("T")
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

    `path` is the folder ``NAME.clgs``; `options` and `format` are those of `clgraph.read`, `sections` and
    `shard_edges` those of `write_shards`. Each core sorts `bucket` edges at a time. With `resume` what has
    been read stays in ``NAME.clgs.work`` if the conversion ends early, and the next one begins there; what is
    damaged there, or of a file that has changed, is read again. `device` parses text (default: the CPU).
    `progress` is called with (bytes read, bytes in all) for each input, `say` with each line that the user
    should see: what inputs hold and the dataset does not, what `resume` reads again.
    """
    options = options or Options()
    target = file_name(path)
    check_dataset_name(target)
    whole(shard_edges, "shard_edges", 1)
    files = list(_files(inputs))
    with _work_folder(target, resume) as folder:
        conversion = _Conversion(folder, options, format, device, bucket, say if resume else None)
        try:
            if len(files) > 1 or not conversion.take_in_order(files[0], progress):
                conversion.read(files, progress)
        except NotTaken as error:
            if len(files) > 1:
                raise InputError(
                    f"several inputs are read in parts, and this cannot be: {error}; convert each to .clg "
                    "first"
                ) from error
            graph, summary = read_with_summary(files[0], format=format, progress=progress, **vars(options))
            for line in (summary, *(f"note: {note}" for note in left_out(graph.attributes))):
                say(line)
            return write_shards(graph, target, sections=sections, shard_edges=shard_edges)
        for what, names in conversion.left.items():
            more = f" and {len(names) - 1} more" if names[1:] else ""
            say(f"note: {names[0]}{more}: {what}")
        return conversion.write(target, check_sections(sections, conversion.directed), shard_edges)


def _files(inputs: Sequence[str | os.PathLike[str]]) -> Iterator[Path]:
    """Yield the inputs, with the files of a Parquet dataset in place of its folder."""
    for name in inputs:
        path = file_name(name)
        if path.is_dir():
            found = sorted(path.rglob("*.parquet"))
            if not found:
                raise InputError(f"{path}: a folder without .parquet files; name graph files")
            yield from found
        else:
            yield path


@contextmanager
def _work_folder(target: Path, resume: bool) -> Iterator[Path]:
    real = Path(os.path.realpath(target))
    folder = real.with_name(real.name + ".work" if resume else temporary_name())
    remove_stale_once(real.parent)
    try:
        if resume:
            work.open_work(folder)
        else:
            folder.mkdir()
    except OSError as error:
        raise InputError(
            f"cannot write {target}: {error.strerror or error}; choose a name in an existing folder that you "
            "may write to"
        ) from error
    done = False
    try:
        with named_as(folder, target):
            yield folder
        done = True
    finally:
        if done or not resume:
            with suppress(OSError):
                remove_own(folder)


class _Conversion:
    """The edges of all inputs by id, in tables on disk; and from these to shards.

    Attributes
    ----------
    directed : bool
    left : dict of str to list of str
        What inputs hold and the dataset does not, with the names of these inputs.
    """

    def __init__(
        self,
        folder: Path,
        options: Options,
        format: str | None,
        device: Device | None,
        bucket: int,
        say: Callable[[str], None] | None,
    ) -> None:
        self._folder, self._options, self._format, self._device = folder, options, format, device
        self._bucket = bucket
        self._say = say  # None: nothing is kept for another attempt
        self.left: dict[str, list[str]] = {}
        self.directed = False
        self._tables: list[Table] = []
        self._numbering = Numbering()
        self._stored: dict[str, Rows] = {}  # sections that are there already
        self._leaving = Table(folder, "leaving")

    def take_in_order(self, path: Path, progress: Tell | None) -> bool:
        """Take the rows of a .clg file as they are; False if they have to be sorted."""
        source = Input(path, self._format, self._options, self._device)
        if source.kind != "clg" or not source.header.n:
            return False
        found = in_order(source, self._folder, progress)
        if found is None:
            return False
        self._stored, leaving = found
        self._leaving.append({"sum": leaving})
        self.left = {what: [path.name] for what in source.left}
        self.directed, self._numbering.n = source.directed, source.header.n
        self._numbering.ids = source.vertices if "ids" in source.header.sections else None
        return True

    def read(self, files: list[Path], progress: Tell | None) -> None:
        """Read all inputs; those that an earlier attempt has read to the end are taken from the disk."""
        directions = set()
        for number, path in enumerate(files):
            source = Input(path, self._format, self._options, self._device)
            for what in source.left:
                self.left.setdefault(what, []).append(path.name)
            directions.add(source.directed)
            if source.vertices is not None:
                self._numbering.add(source.vertices)
            self._tables += self._tables_of(number, path, source, progress)
        if len(directions) > 1:
            raise InputError("some inputs are directed and some are not: say directed=True or directed=False")
        self.directed = directions.pop()
        if len({frozenset(table.types) for table in self._tables}) > 1:
            raise InputError("some inputs have weights or multiplicities, and some have none")
        self._numbering.finish()

    def _tables_of(self, number: int, path: Path, source: Input, progress: Tell | None) -> list[Table]:
        if self._say is not None:
            about = work.about(path, self._format, self._options)
            known, why = work.stored_tables(self._folder, number, about)
            if known is not None:
                for part in (part for table in known for part in table.parts()):
                    self._numbering.add(part["source"], part["target"])
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
            self._numbering.add(part["source"], part["target"])
            if not tables or tables[-1].types != {name: column.dtype for name, column in part.items()}:
                tables.append(Table(self._folder, f"input-{number}.{len(tables)}"))
            tables[-1].append(part)
        if self._say is not None:
            if work.about(path, self._format, self._options) != about:
                raise InputError(f"{path}: {WRITTEN_TO}")
            work.store_tables(self._folder, number, about, tables)
        return tables

    # --- from the tables to shards ----------------------------------------------------------------

    def write(self, target: Path, wanted: Sequence[str], shard_edges: int) -> Shards:
        """Write the dataset."""
        numbering, stored = self._numbering, self._stored
        self._n = numbering.n
        base_name = "out" if self.directed else "pairs"
        with new_dataset(target) as folder:
            writer = Writer(folder, directed=self.directed, vertices=self._n)
            if not stored:
                stored[base_name] = self._base(adds="rows" not in wanted)
            # sections other than the base are made of numbers: the table of ids is not needed any more
            numbering.forget()
            base = stored[base_name]
            for name in wanted:
                if name not in stored:
                    stored[name] = self._other(name, base)
            made = {}
            for name in wanted:
                rows = stored[name]
                made[name] = writer.section(name, rows.row_ptr, rows.columns, shard_edges, loops=rows.loops)
                rows.check_unchanged()
            writer.finish(
                made,
                weights="weights" in base.columns,
                multiplicity="multiplicity" in base.columns,
                ids=None if numbering.ids is None else writer.ids(numbering.ids),
                leaving=(part["sum"] for part in self._leaving.parts()),
            )
        return open_shards(target)

    def _deal(
        self,
        name: str,
        parts: Iterable[tuple[Any, ...]],
        edges: Callable[..., Columns],
        rows: int,
        beside: Rows | None = None,
    ) -> Dealt:
        """Return the edges that `edges` makes of each of some parts, dealt in order."""
        # eight ranges to a bucket: they are joined again up to its size, so that skewed ones stay below it
        wanted = 1 + 8 * rows // self._bucket
        dealt = Dealt(self._folder, name, 0, self._n, wanted, None if beside is None else beside.row_ptr)
        for found in ahead(lambda *part: dealt.sorted(edges(*part)), parts):
            dealt.append(*found)
        return dealt

    def _numbered(self, part: Columns) -> Columns:
        """Return edges of the inputs by number."""
        numbers = self._numbering.numbers
        row, head = numbers(part.pop("source")), numbers(part.pop("target"))
        if not self.directed:
            row, head = np.minimum(row, head), np.maximum(row, head)
        return {"row": row, "head": head, **part}

    def _base(self, *, adds: bool) -> Rows:
        """Make the section that all others are made of: the pairs, or the arcs by tail; merged.

        With `adds` the weights that leave are added up, too.
        """
        count = sum(table.rows for table in self._tables)
        stored = Rows(self._folder, "base", self._n, count)
        leaving = np.zeros(self._n) if adds and not self.directed else None

        def merge(first: int, last: int, edges: Columns) -> Arrays:
            return merged(first, last, edges, self._n)

        parts = ((part,) for table in self._tables for part in table.parts())
        dealt = self._deal("deal", parts, self._numbered, count)
        for first, arrays in self._sorted(dealt, merge):
            values = {"weights": arrays.weights, "multiplicity": arrays.multiplicity}
            stored.add(arrays.row_ptr, arrays.col_idx, first, values)
            if leaving is not None:
                self._add_leaving(leaving, first, arrays)
            elif adds:
                counts = arrays.multiplicity if arrays.weights is None else arrays.weights
                self._leaving.append({"sum": row_sums(arrays.row_ptr, counts)})
        if leaving is not None:
            self._leaving.append({"sum": leaving})
        return stored

    def _add_leaving(self, leaving: npt.NDArray[np.float64], first: int, arrays: Arrays) -> None:
        """Add some pairs to the weight that leaves each vertex, in the order of its row."""
        counts: Any = arrays.multiplicity if arrays.weights is None else arrays.weights
        # to a vertex v come first the pairs (u, v) of rows u < v, in order, then those of its own row
        tails = tails_of(arrays.row_ptr, first)
        counts = np.ones(len(tails)) if counts is None else counts
        apart = tails != arrays.col_idx
        np.add.at(leaving, arrays.col_idx[apart], counts[apart])
        np.add.at(leaving, tails, counts)

    def _other(self, name: str, base: Rows) -> Rows:
        """Make a section of the base's rows, which are merged already."""
        both = name == "rows"
        rows = base.rows * (2 if both else 1)
        stored = Rows(self._folder, name, self._n, rows, base)
        edges = partial(turned, name)
        dealt = self._deal(f"deal-{name}", base.entries(), edges, rows, base if both else None)

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
        """Yield what `work` makes of each range of vertices, in order."""

        def each(first: int, last: int, read: Callable[[], Columns]) -> tuple[int, T]:
            return first, work(first, last, read())

        yield from ahead(each, dealt.groups(self._bucket))
        dealt.remove()
