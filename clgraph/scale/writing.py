"""A dataset being written: shards under temporary names, the manifest last, the folder renamed at the end."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph import system
from clgraph.arguments import file_name, shown, whole
from clgraph.errors import InputError
from clgraph.formats.atomic import remove_stale_once
from clgraph.formats.clg import Header, Streamed, id_arrays, widened, write_sections, zeros
from clgraph.formats.common import few
from clgraph.formats.table import DATASET
from clgraph.graph import Graph, as_graph
from clgraph.graph.arrays import Arrays, tails_of
from clgraph.graph.building import INT32_MAX, row_ptr_of, sorted_rows
from clgraph.progress import Tell, with_progress
from clgraph.scale.comm import Ranks
from clgraph.scale.manifest import BLOCK, NAME, Manifest, Part, Section, Shard, length_and_crc, read_manifest
from clgraph.scale.shards import VALUES, ShardRows, Shards, check_shards, open_shards
from clgraph.temporary import sync, sync_folder, temporary_name

Sums = tuple[int, npt.NDArray[np.float64]]  # first entry, and values from there on
LEAVING = ("rows", "out")  # sections whose rows have all that leaves a vertex
SHARD_EDGES = 1 << 28  # a GiB of heads, so that offsets within a shard are 32-bit integers


class Writer:
    """Writes the files of one dataset into a folder of its own, which exists and is empty."""

    def __init__(self, folder: Path, *, directed: bool, vertices: int) -> None:
        self.folder, self._directed, self._n = folder, directed, vertices

    def shard(self, section: str, number: int, rows: ShardRows, *, loops: int | None = None) -> Shard:
        """Write one shard; its `first_edge` is 0 until `section` adds it up.

        `rows` may have columns that lie in files. `loops` is how many entries join a vertex to itself; by
        default they are counted.
        """
        first_row, row_ptr, col_idx, values = rows
        count, edges = len(row_ptr) - 1, int(row_ptr[-1])
        name = f"{section}-{number:06d}.clg"
        if loops is None:
            loops = int(np.count_nonzero(tails_of(row_ptr, first_row) == col_idx))
        arrays = {"row_ptr": _from_zero(row_ptr), "col_idx": col_idx, **values}
        header = Header(self._directed, count, edges, loops, {}, first_row, self._n)
        with self._new(name) as file:
            crc = zlib.crc32(write_sections(file, header, arrays).tobytes())
            length = file.tell()
        return Shard(name, first_row, count, edges, loops, 0, length, crc)

    def section(
        self,
        name: str,
        row_ptr: npt.NDArray[Any],
        columns: Mapping[str, Any],
        shard_edges: int,
        *,
        loops: Callable[[int, int], int] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Section:
        """Write a section's shards, of about `shard_edges` entries each.

        `columns` are what its entries have, by name: slices of them are arrays, or lie in files. `loops` says
        how many of some rows hold their own vertex; `progress` is called with the rows written.
        """
        made = []
        for number, (first, last) in enumerate(cuts(row_ptr, shard_edges, 1 if name == "pairs" else BLOCK)):
            part = slice(int(row_ptr[first]), int(row_ptr[last]))
            heads = columns["head"][part] if part.start < part.stop else np.empty(0, np.int32)
            values = {each: columns[each][part] for each in VALUES if each in columns}
            offsets = _from_zero(row_ptr[first : last + 1])
            own = None if loops is None else loops(first, last)
            made.append(self.shard(name, number, ShardRows(first, offsets, heads, values), loops=own))
            if progress:
                progress(last)
        return summed(made)

    def numbers(self, name: str, parts: Iterable[npt.NDArray[np.float64]]) -> Part:
        """Write an array of float64 numbers, given in parts, as it is."""
        length = crc = 0
        with self._new(name) as file:
            for part in parts:
                data = np.ascontiguousarray(part, "<f8").view(np.uint8).data
                file.write(data)
                length, crc = length + len(data), zlib.crc32(data, crc)
        return Part(name, length, crc)

    def ids(self, ids: npt.NDArray[Any]) -> Part:
        """Write vertex ids."""
        name = "ids.clg"
        header = Header(False, self._n, 0, 0, {})
        arrays: dict[str, npt.NDArray[Any] | Streamed | None] = {
            "row_ptr": zeros(self._n + 1, np.dtype("<i4")),
            "col_idx": np.empty(0, np.int32),
        }
        if ids.dtype == np.int32:
            arrays["ids"] = widened(ids, np.dtype("<i8"))
        else:
            arrays |= id_arrays(ids, self.folder / name)
        with self._new(name) as file:
            write_sections(file, header, arrays)
        return Part(name, *length_and_crc(self.folder / name))

    def finish(
        self,
        sections: dict[str, Section],
        *,
        weights: bool = False,
        multiplicity: bool = False,
        ids: Part | None = None,
        leaving: Iterable[npt.NDArray[np.float64]] | None = None,
    ) -> None:
        """Write the manifest, and before it the weights that leave vertices, given in parts, if known."""
        sums = None if leaving is None else self.numbers("leaving.f8", leaving)
        flags = self._directed, self._n, weights, multiplicity
        manifest = Manifest(*flags, ids=ids, leaving=sums, sections=sections)
        with self._new(NAME) as file:
            file.write(manifest.to_json().encode())
        sync_folder(self.folder)

    @contextmanager
    def _new(self, name: str) -> Iterator[Any]:
        try:
            with open(self.folder / name, "xb") as file:
                yield file
                file.flush()
                sync(file.fileno())
        except OSError as error:
            raise InputError(
                f"cannot write {self.folder / name}: {error.strerror or error}; choose a folder that you may "
                "write to, with room left"
            ) from error


def row_sums(row_ptr: npt.NDArray[Any], weights: npt.NDArray[Any] | None) -> npt.NDArray[np.float64]:
    """Return the weight of each row, added in order; without weights its length."""
    lengths = np.diff(row_ptr)
    if weights is None:
        return lengths.astype(np.float64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(rows, weights=weights, minlength=len(lengths)).astype(np.float64, copy=False)


def summed(shards: list[Shard]) -> Section:
    """Return a section of shards in order of rows, with their first edges."""
    placed, edge = [], 0
    for each in shards:
        placed.append(replace(each, first_edge=edge))
        edge += each.edges
    return Section(edge, sum(each.loops for each in shards), tuple(placed))


def _from_zero(row_ptr: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the offsets of a shard's rows, in the type that is stored."""
    narrow = np.int32 if row_ptr[-1] - row_ptr[0] <= INT32_MAX else np.int64
    # the first shard's offsets are right already, and need no copy
    if row_ptr[0] == 0:
        return row_ptr.astype(narrow, copy=False)
    offsets: npt.NDArray[Any] = np.empty(len(row_ptr), narrow)
    return np.subtract(row_ptr, row_ptr[0], out=offsets, casting="unsafe")


def cuts(row_ptr: npt.NDArray[Any], shard_edges: int, block: int) -> Iterator[tuple[int, int]]:
    """Yield first rows and ends of shards of about `shard_edges` entries, at multiples of `block` rows."""
    n = len(row_ptr) - 1
    first = 0
    while first < n:
        end = min(int(row_ptr[first]) + shard_edges, int(row_ptr[-1]))
        last = int(np.searchsorted(row_ptr, row_ptr.dtype.type(end), side="right")) - 1
        # a row is never divided, so a shard may exceed `shard_edges`
        last = min(n, max(first + block, last // block * block if last < n else n))
        yield first, last
        first = last


# --- the folder ---


@contextmanager
def new_dataset(path: Path) -> Iterator[Path]:
    """Make a temporary folder beside `path`, which takes its place when the block ends without an error.

    A dataset that is there already is replaced if the folder holds nothing else; anything else is refused.
    """
    check_dataset_name(path)
    target = Path(os.path.realpath(path))
    remove_stale_once(target.parent)
    temporary = target.with_name(temporary_name())
    try:
        temporary.mkdir()
    except OSError as error:
        raise InputError(
            f"cannot write {path}: {error.strerror or error}; choose a name in an existing folder that you "
            "may write to"
        ) from error
    try:
        with named_as(temporary, path):
            yield temporary
        check_dataset_name(path)  # again: much may have been put there meanwhile
        former = _put(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    if former is not None:
        for name in _files_of(former):  # which looks once more
            (former / name).unlink()
        former.rmdir()
    sync_folder(target.parent)


def _put(new: Path, target: Path) -> Path | None:
    """Give a folder its name; returns where the one is now that had it."""
    if not target.exists():
        os.rename(new, target)
        return None
    if system.exchange(new, target):
        return new
    former = target.with_name(temporary_name())  # between the two nothing has the name
    os.rename(target, former)
    os.rename(new, target)
    return former


@contextmanager
def named_as(temporary: Path, path: Path) -> Iterator[None]:
    """Report what cannot be written by the dataset's own name, not by the temporary one."""
    try:
        yield
    except InputError as error:
        if str(temporary) not in str(error):
            raise
        raise InputError(str(error).replace(str(temporary), str(path))) from error


class RanksWriter(Writer):
    """Writes a dataset with other ranks: each its own shards, in threads, while its device goes on."""

    def __init__(
        self, folder: Path, ranks: Ranks, pool: ThreadPoolExecutor, *, directed: bool, vertices: int
    ) -> None:
        super().__init__(folder, directed=directed, vertices=vertices)
        self.pool, self._ranks = pool, ranks
        self._jobs: list[Future[tuple[str, int, Shard | None, Sums | None]]] = []

    def put(self, name: str, number: int, rows: ShardRows, *, writes: bool = True) -> None:
        """Write rows without self-loops as a shard; or, unless it `writes`, only add up what leaves them."""

        def job() -> tuple[str, int, Shard | None, Sums | None]:
            shard = self.shard(name, number, rows, loops=0) if writes else None
            carried = rows.values.get("weights", rows.values.get("multiplicity"))
            sums = (rows.first_row, row_sums(rows.row_ptr, carried)) if name in LEAVING else None
            return name, number, shard, sums

        self._jobs.append(self.pool.submit(job))
        # no more shards than these are in memory: each thread has one to write, and one that waits for it
        most = 2 * system.cores()
        if len(self._jobs) > most:
            self._jobs[-most].result()

    def finish_together(
        self, names: Sequence[str], *, leaving: bool, ids: Future[Part | None] | None = None, **flags: bool
    ) -> None:
        """Write the manifest at rank 0, of what all ranks have written."""
        made = [job.result() for job in self._jobs]
        own = [(name, number, vars(shard)) for name, number, shard, _ in made if shard is not None]
        found: dict[str, dict[int, Shard]] = {name: {} for name in names}
        for each in self._ranks.everywhere(np.frombuffer(json.dumps(own).encode(), np.uint8)):
            for name, number, entry in json.loads(bytes(each)):
                found[name][number] = Shard(**entry)
        sums = gathered_sums(self._ranks, [each for *_, each in made if each is not None], self._n)
        if self._ranks.rank == 0:
            sections = {name: summed([of[k] for k in sorted(of)]) for name, of in found.items()}
            part = None if ids is None else ids.result()
            self.finish(sections, **flags, ids=part, leaving=[sums] if leaving else None)


@contextmanager
def shared_dataset(ranks: Ranks, path: Path, *, directed: bool, vertices: int) -> Iterator[RanksWriter]:
    """`new_dataset` for all ranks: rank 0 makes and renames the folder, the others write into it."""
    nothing: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
    with ExitStack() as stack:
        name = None
        if ranks.rank == 0:
            name = np.frombuffer(os.fsencode(stack.enter_context(new_dataset(path))), np.uint8)
        folder = Path(os.fsdecode(ranks.broadcast(name, np.uint8).tobytes()))
        stack.enter_context(named_as(folder, path))
        with system.thread_pool(system.cores(), "clgraph-write") as pool:
            yield RanksWriter(folder, ranks, pool, directed=directed, vertices=vertices)
        ranks.everywhere(nothing)  # all have written
    ranks.everywhere(nothing)  # the dataset is in its place


def gathered_sums(ranks: Ranks, parts: list[Sums], size: int) -> npt.NDArray[np.float64]:
    """Return one array of the parts that all ranks have, from (first entry, values)."""
    # ranks send only what they have: whole arrays would take 8 bytes per vertex and rank
    sums = np.zeros(size)
    firsts = ranks.everywhere(np.array([[first, len(part)] for first, part in parts], np.int64).reshape(-1))
    values = ranks.everywhere(np.concatenate([np.empty(0), *(part for _, part in parts)]))
    for where, found in zip(firsts, values, strict=True):
        at = 0
        for first, count in where.reshape(-1, 2).tolist():
            sums[first : first + count] = found[at : at + count]
            at += count
    return sums


def check_dataset_name(path: Path) -> None:
    """Raise InputError for a name that no dataset can have, or that something else has."""
    if path.suffix != DATASET:
        raise InputError(f"{path}: the name of a dataset ends in {DATASET}")
    if path.is_symlink():
        raise InputError(f"{path}: is a symbolic link, which is not followed; name the folder itself")
    if path.exists():
        _files_of(path)


def _files_of(folder: Path) -> list[str]:
    """Return the files of a dataset that may be replaced; InputError if the folder holds anything else."""
    names = sorted(os.listdir(folder)) if folder.is_dir() else [""]
    if not names:
        return []
    if NAME not in names or (folder / NAME).is_symlink():
        raise InputError(f"{folder}: exists, and is no dataset; choose another name, or remove it")
    try:
        own = read_manifest(folder).files
    except InputError as error:
        raise InputError(
            f"{folder}: exists, and its {NAME} is not what clgraph has written ({error}); choose another "
            "name, or remove the folder"
        ) from error
    links = {name for name in names if (folder / name).is_symlink() or not (folder / name).is_file()}
    strange = [name for name in names if name not in own or name in links]
    if strange:
        raise InputError(
            f"{folder}: holds what does not belong to the dataset ({', '.join(few(strange))}), so it is not "
            "replaced; move that away, or choose another name"
        )
    return names


# --- graphs in memory ---


@with_progress("writing shards")
def write_shards(
    graph: Graph,
    path: str | os.PathLike[str],
    *,
    sections: Sequence[str] | None = None,
    shard_edges: int = SHARD_EDGES,
    progress: Tell | None = None,
) -> Shards:
    """Write a graph as a dataset of shards.

    Parameters
    ----------
    graph : Graph
        Without parallel copies.
    path : str or path
        The folder ``NAME.clgs``; a dataset of that name is replaced.
    sections : sequence of str, optional
        "pairs", which is always there, and "rows" (undirected), "in", "out" (directed); default: all.
        Samples, curves and components need the pairs, BFS and PageRank the others.
    shard_edges : int
        Entries of a shard, about; a row is never divided.
    progress : callable or bool, optional
        Called after each shard with the rows written and those of all sections; True shows a bar.

    Returns
    -------
    Shards
        The dataset, opened.

    Raises
    ------
    InputError
        If the graph has parallel copies, a section does not belong to such a graph, or nothing can be written
        there.

    Examples
    --------
    >>> import tempfile
    >>> import clgraph
    >>> graph = clgraph.powerlaw_graph(1000, seed=1)
    >>> write_shards(graph, tempfile.mkdtemp() + "/small.clgs", shard_edges=1000)
    <Shards: undirected, 1000 vertices, 2471 edges, 3 shards>
    """
    graph = as_graph(graph)
    if graph.is_multigraph:
        raise InputError("shards hold each edge once: read the graph with duplicates='merge'")
    wanted = check_sections(sections, graph.directed)
    whole(shard_edges, "shard_edges", 1)
    target, n = file_name(path), graph.num_vertices
    values = {"weights": graph.weights, "multiplicity": graph.multiplicity}
    carried = {name: array for name, array in values.items() if array is not None}
    with new_dataset(target) as folder:
        writer = Writer(folder, directed=graph.directed, vertices=n)
        made: dict[str, Section] = {}
        for name in wanted:
            arrays, once = section_of(graph, name)
            columns: dict[str, Any] = {"head": arrays.col_idx}
            if once is None:
                columns |= {key: getattr(arrays, key) for key in carried}
            elif graph.directed:
                columns["way"] = _ways(graph, arrays)
            else:
                columns |= {key: array[once] for key, array in carried.items()}

            def report(rows: int) -> None:
                if progress:
                    progress(len(made) * n + rows, len(wanted) * n)

            made[name] = writer.section(name, arrays.row_ptr, columns, shard_edges, progress=report)
        counts = graph.multiplicity if graph.weights is None else graph.weights
        ids = None if graph._has_identity_ids else writer.ids(graph.ids)
        leaving = row_sums(graph.row_ptr, counts)
        flags = {name: name in carried for name in values}
        writer.finish(made, **flags, ids=ids, leaving=[leaving])
    return open_shards(target)


def check_sections(sections: Sequence[str] | None, directed: bool) -> tuple[str, ...]:
    """Return the sections to write, in order."""
    known = ("pairs", "in", "out") if directed else ("pairs", "rows")
    if sections is None:
        return known
    listed = isinstance(sections, (list, tuple, set, frozenset))
    if not listed or not all(isinstance(name, str) for name in sections):
        raise InputError(f"sections is {shown(sections)}: a list of {', '.join(known)} is needed")
    for name in sections:
        if name not in known:
            kind = "a directed" if directed else "an undirected"
            raise InputError(f"section {shown(name)}: {kind} graph has {', '.join(known)}")
    return tuple(name for name in known if name == "pairs" or name in sections)


def section_of(graph: Graph, name: str) -> tuple[Arrays, npt.NDArray[np.bool_] | None]:
    """Return the rows of a section of the whole graph; pairs bare, with their mask in the undirected view."""
    if name in ("rows", "out"):
        return graph._arrays, None
    if name == "in":
        return graph.reverse._arrays, None
    view = graph.undirected
    tails, heads = view.tails, view.col_idx
    once = tails <= heads
    row_ptr = row_ptr_of(np.bincount(tails[once], minlength=graph.num_vertices))
    return Arrays(row_ptr, heads[once]), once


def _ways(graph: Graph, pairs: Arrays) -> npt.NDArray[np.uint8]:
    """Return for each pair of a directed graph which arcs there are: 1 forth, 2 back, 3 both."""
    pair = pairs.tails().astype(np.int64) << 32 | pairs.col_idx
    forth = graph.tails.astype(np.int64) << 32 | graph.col_idx
    back = graph.col_idx.astype(np.int64) << 32 | graph.tails
    way = np.isin(pair, forth).astype(np.uint8) | np.isin(pair, back).astype(np.uint8) << 1
    return way.astype(np.uint8, copy=False)


@with_progress("joining shards")
def join_shards(shards: Shards, *, progress: Tell | None = None) -> Graph:
    """Join a dataset to a graph in memory.

    Parameters
    ----------
    shards : Shards
    progress : callable or bool, optional
        Called with the rows read and those of the graph; True shows a bar.
    """
    check_shards(shards)
    directed, manifest = shards.directed, shards.manifest
    name = "pairs" if not directed else "out" if "out" in manifest.sections else "in"
    kinds: dict[str, Any] = {"tail": np.int32, "head": np.int32}
    kinds |= {"weights": np.float64} if manifest.weights else {}
    kinds |= {"multiplicity": np.int32} if manifest.multiplicity else {}
    columns: dict[str, list[Any]] = {key: [np.empty(0, kind)] for key, kind in kinds.items()}
    for each in shards.rows(name):
        found = {"tail": tails_of(each.row_ptr, each.first_row), "head": each.col_idx, **each.values}
        found.setdefault("multiplicity", np.ones(len(each.col_idx), np.int32))
        for key, parts in columns.items():
            parts.append(found[key])
        if progress:
            progress(each.first_row + len(each.row_ptr) - 1, shards.num_vertices)
    ends = ("head", "tail") if name == "in" else ("tail", "head")
    tail, head = (np.concatenate(columns.pop(key)) for key in ends)
    values: dict[str, Any] = {key: np.concatenate(parts) for key, parts in columns.items()}
    ids = shards.own_ids()
    arrays = sorted_rows(tail, head, shards.num_vertices, **values, ids=ids, directed=directed)
    if manifest.multiplicity and arrays.multiplicity is None:  # all 1: samples keep the array
        arrays = replace(arrays, multiplicity=np.ones(arrays.num_arcs, np.int32))
    return Graph._from_arrays(arrays)
