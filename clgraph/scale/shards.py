"""An opened dataset of shards: what it holds, and its rows, shard by shard, checked."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.formats.clg import PAGE, Header, check_sums, read_sections, unpack_header
from clgraph.formats.clg import Section as FileSection
from clgraph.formats.common import VERTICES_FLOOR, VERTICES_PER_BYTE, reading
from clgraph.graph import Graph
from clgraph.graph.arrays import Arrays, tails_of
from clgraph.graph.building import checked_counts, checked_weights
from clgraph.graph.checks import check_ascending, check_offsets, check_range
from clgraph.lazy import lazy
from clgraph.scale.manifest import Manifest, Part, Section, Shard, read_manifest
from clgraph.system import ahead

VALUES = ("weights", "multiplicity", "way")  # that entries may have


class ShardRows(NamedTuple):
    """The rows of one shard, or some of them.

    Attributes
    ----------
    first_row : int
        The vertex of the first of them.
    row_ptr : int32 or int64 array, shape (rows + 1,)
        Starts with 0.
    col_idx : int32 array
        Vertices, ascending in each row.
    values : dict of str to array
        What entries have of "weights" (float64), "multiplicity" (int32), and "way" (uint8; pairs of a
        directed graph: 1 for an arc from the row's vertex, 2 for one to it, 3 for both).
    """

    first_row: int
    row_ptr: npt.NDArray[Any]
    col_idx: npt.NDArray[np.int32]
    values: dict[str, npt.NDArray[Any]]


class Shards:
    """A graph in shards, opened by `clgraph.open_shards`.

    Parameters
    ----------
    folder : path
    verify : bool
        Whether checksums are compared the first time that a shard is read. What keeps kernels within bounds
        is always checked.
    comm : mpi4py.MPI.Comm, optional
        See `open_shards`.

    Attributes
    ----------
    folder : Path
    manifest : Manifest
    comm : mpi4py.MPI.Comm, or None
    pairs : str
        The section whose entries are the pairs, each at least once.
    both_ways : bool
        Whether that has each pair in the rows of both ends.
    """

    pairs, both_ways = "pairs", False
    # what calls say that take a graph alone
    no_graph = (
        "this call is not offered for a graph in shards, of which sample, reduction_curve, "
        "connected_components, bfs, bfs_many, pagerank and personalized_pagerank are: clgraph.join_shards "
        "makes a Graph of what fits into memory"
    )

    def __init__(self, folder: Path, *, verify: bool = True, comm: Any = None) -> None:
        if not isinstance(folder, Path):
            raise TypeError(f"Shards({shown(folder)}): clgraph.open_shards(path) opens a graph in shards")
        self.folder, self.comm = folder, comm
        self.manifest: Manifest = read_manifest(folder)
        self._check_vertices()
        self._verify = verify
        self._verified: set[str] = set()

    def _check_vertices(self) -> None:
        """Raise InputError where the manifest has more vertices than the files can: each costs memory."""
        n = self.num_vertices
        if n <= VERTICES_FLOOR:
            return
        paths = map(self.path_of, self.manifest.sections["pairs"].shards)
        size = sum(path.stat().st_size for path in paths if path.is_file())
        if n > VERTICES_PER_BYTE * size:
            raise InputError(
                f"{self.folder}: its manifest has {n} vertices, but the shards of its section pairs only "
                f"{size} bytes; copy the dataset again"
            )

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return self.manifest.vertices

    @property
    def num_edges(self) -> int:
        """Number of edges (undirected) or arcs (directed; -1 if neither arcs in nor out are stored)."""
        sections = self.manifest.sections
        if not self.directed:
            return sections["pairs"].edges
        found = sections.get("out") or sections.get("in")
        return -1 if found is None else found.edges

    @property
    def directed(self) -> bool:
        """Whether arcs have directions."""
        return self.manifest.directed

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the dataset's contents."""
        return self.manifest.fingerprint

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        shards = len(self.manifest.sections["pairs"].shards)
        # neither arcs in nor out: what there is are pairs
        pairs = f"{self.manifest.sections['pairs'].edges} pairs"
        edges = pairs if self.num_edges < 0 else f"{self.num_edges} edges"
        return f"<Shards: {kind}, {self.num_vertices} vertices, {edges}, {shards} shard{'s' * (shards != 1)}>"

    @lazy
    def ids(self) -> npt.NDArray[Any]:
        """Original vertex ids in index order, shape (n,)."""
        from clgraph.formats.clg import read_clg
        from clgraph.formats.common import Options

        part = self.manifest.ids
        if part is None:
            return np.arange(self.num_vertices, dtype=np.int64)
        self._part(part)
        path = self.folder / part.file
        graph = read_clg(path, Options(verify=True)).graph
        if graph.num_vertices != self.num_vertices:
            raise InputError(
                f"{path}: holds the ids of {graph.num_vertices} vertices, not of {self.num_vertices}"
            )
        return graph.ids

    def indices_of(self, ids: Any) -> npt.NDArray[np.int64]:
        """Vertex indices of original ids; InputError names one that is not in the graph."""
        return self.named.indices_of(ids)

    @lazy
    def named(self) -> Graph:
        """A graph with the same vertices and no edges."""
        none = np.zeros(self.num_vertices + 1, np.int32), np.empty(0, np.int32)
        return Graph._from_arrays(Arrays(*none, ids=self.own_ids()))

    def own_ids(self) -> npt.NDArray[Any] | None:
        """Return the ids; None if they are 0 .. n-1."""
        return None if self.manifest.ids is None else self.ids

    def _id_lookup(self) -> Callable[[npt.NDArray[Any]], npt.NDArray[Any]]:
        """Return a function from indices to ids."""
        return lambda index: self.ids[index]

    @property
    def leaving(self) -> npt.NDArray[np.float64]:
        """Out-weight of each vertex (without weights: its out-degree), shape (n,); read on each access."""
        part = self.manifest.leaving
        if part is None:
            raise InputError(f"{self.folder}: lacks the out-weights that PageRank needs; convert it again")
        data = self._part(part)
        if len(data) != 8 * self.num_vertices:
            raise InputError(
                f"{self.folder / part.file}: does not have one number per vertex; convert the graph again"
            )
        return np.frombuffer(data, "<f8").astype(np.float64, copy=False)

    def _part(self, part: Part) -> bytes:
        """Read a file beside the shards, and check it."""
        path = self.folder / part.file
        with reading(path):
            data = path.read_bytes()
        if len(data) != part.bytes or zlib.crc32(data) != part.crc:
            raise InputError(
                f"{path}: does not match the manifest; convert the graph again, or copy it again"
            )
        return data

    def section(self, name: str) -> Section:
        """Return a section of the manifest; InputError if the dataset lacks it."""
        found = self.manifest.sections.get(name)
        if found is None:
            raise InputError(
                f"{self.folder}: has no section {name} (it has {', '.join(self.manifest.sections)}); convert "
                f"the graph again with --sections pairs,{name}"
            )
        return found

    def rows(self, name: str) -> Iterator[ShardRows]:
        """Return the rows of a section, shard by shard; the next one is read ahead."""
        return ahead(self.read, ((name, number) for number in range(len(self.section(name).shards))), 1)

    def read(self, name: str, number: int) -> ShardRows:
        """Read one shard of a section, and check it."""
        shard = self.section(name).shards[number]
        verify = self.verifies(shard)
        with self._opened(name, shard):
            _, arrays, _ = read_sections(self.path_of(shard), verify, shard=True)
        if verify:
            self.check_sums(shard, arrays["crc"])
        with self._damaged(shard):
            check_offsets(arrays["row_ptr"], shard.edges)
            rows, loops = self._rows(name, shard, arrays, verify)
        if verify:
            self._check_loops(shard, loops)
        self.verified(shard)
        return rows

    def parts(self, name: str, number: int, step: int) -> Iterator[ShardRows]:
        """Yield the rows of one shard, checked: at most `step` rows and entries at a time, or one row."""
        shard = self.section(name).shards[number]
        verify, path, loops = self.verifies(shard), self.path_of(shard), 0
        with self._opened(name, shard) as (file, header):
            if verify:
                self.check_sums(shard, check_sums(path, header))
            row_ptr = self._offsets(shard, file, header)
            wanted = [each for each in ("col_idx", *VALUES) if each in header.sections]
            first = 0
            while first < shard.rows:
                begin = int(row_ptr[first])
                most = row_ptr.dtype.type(min(begin + step, shard.edges))
                last = int(np.searchsorted(row_ptr, most, side="right")) - 1
                last = max(first + 1, min(last, first + step))
                count = int(row_ptr[last]) - begin
                arrays = {
                    each: _read_some(path, file, header.sections[each], begin, count) for each in wanted
                }
                some = row_ptr[first : last + 1] - row_ptr[first]
                part = replace(shard, first_row=shard.first_row + first, rows=last - first, edges=count)
                with self._damaged(shard):
                    rows, found = self._rows(name, part, {"row_ptr": some, **arrays}, verify)
                loops, first = loops + found, last
                yield rows
        if verify:
            self._check_loops(shard, loops)
            self.verified(shard)

    def offsets(self, name: str, number: int) -> npt.NDArray[Any]:
        """Return the offsets of one shard's rows, starting at 0."""
        shard = self.section(name).shards[number]
        with self._opened(name, shard) as (file, header):
            return self._offsets(shard, file, header)

    @contextmanager
    def _opened(self, name: str, shard: Shard) -> Iterator[tuple[IO[bytes], Header]]:
        path = self.path_of(shard)
        with reading(path), open(path, "rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            yield file, self.header_of(name, shard, file.read(PAGE), size)

    def _offsets(self, shard: Shard, file: IO[bytes], header: Header) -> npt.NDArray[Any]:
        row_ptr = _read_some(self.path_of(shard), file, header.sections["row_ptr"], 0, shard.rows + 1)
        with self._damaged(shard):
            check_offsets(row_ptr, shard.edges)
        return row_ptr

    @contextmanager
    def _damaged(self, shard: Shard) -> Iterator[None]:
        """Name a shard's file in the block's InputError."""
        try:
            yield
        except InputError as error:
            raise InputError(
                f"{self.path_of(shard)}: damaged: {error}; convert the graph again, or copy it again"
            ) from error

    @property
    def owner(self) -> Any:
        """The graph in memory that the shards are blocks of, if they are not files."""
        return None

    def block(self, name: str, number: int) -> ShardRows:
        """Return a shard's rows in memory, checked; needs an `owner`."""
        raise NotImplementedError

    def path_of(self, shard: Shard) -> Path:
        """Return a shard's file."""
        return self.folder / shard.file

    def verifies(self, shard: Shard) -> bool:
        """True if a shard's checksums are to be compared."""
        return self._verify and shard.file not in self._verified

    def verified(self, shard: Shard) -> None:
        """Record that a shard's checksums match, so that they are not compared again."""
        self._verified.add(shard.file)

    def header_of(self, name: str, shard: Shard, head: bytes, size: int) -> Header:
        """Return a file's header; InputError unless it is the file that the manifest lists, with its arrays.

        `head` is the file's first bytes, and `size` its length.
        """
        whole, path = self.num_vertices, self.path_of(shard)
        if size != shard.bytes:
            raise InputError(f"{path}: {size} bytes long, but the manifest says {shard.bytes}: cut off?")
        header = unpack_header(path, head, size, shard=True)
        said = (header.first_row, header.n, header.arcs, header.loops, header.whole, header.directed)
        if said != (shard.first_row, shard.rows, shard.edges, shard.loops, whole, self.directed):
            raise InputError(f"{path}: is not the shard that the manifest lists; copy the dataset again")
        apart = name == "pairs" and self.directed
        present, wrong = header.sections.keys(), ""
        if shard.edges and ("way" in present) != apart:
            wrong = "its section way is missing" if apart else "it has a section way"
        elif shard.edges and ("weights" in present) != (self.manifest.weights and not apart):
            wrong = "weights are missing, or more than the manifest says"
        elif "multiplicity" in present and (apart or not self.manifest.multiplicity):
            wrong = "it has multiplicities, but the manifest has none"
        if wrong:
            raise InputError(f"{path}: damaged: {wrong}; convert the graph again, or copy it again")
        return header

    def check_sums(self, shard: Shard, sums: npt.NDArray[Any]) -> None:
        """Raise InputError unless the checksums in a file match the manifest."""
        if zlib.crc32(sums.astype("<u4").tobytes()) != shard.crc:
            path = self.path_of(shard)
            raise InputError(f"{path}: is not the shard that the manifest lists: its checksums differ")

    def _check_loops(self, shard: Shard, loops: int) -> None:
        if loops != shard.loops:
            with self._damaged(shard):
                raise InputError("it has another number of self-loops than its header says")

    def _rows(
        self, name: str, shard: Shard, arrays: dict[str, npt.NDArray[Any]], full: bool
    ) -> tuple[ShardRows, int]:
        """Return the rows, checked, and, if `full`, the number of self-loops; see `clgraph.scale.loading`."""
        row_ptr = arrays["row_ptr"]
        col_idx = arrays.get("col_idx", np.empty(0, np.int32))
        values = {key: arrays[key] for key in VALUES if key in arrays}
        loops = 0
        check_range(col_idx, self.num_vertices, "col_idx")
        if full:
            check_ascending(Arrays(row_ptr, col_idx))
            if "weights" in values:
                checked_weights(values["weights"], shard.edges)
            if "multiplicity" in values:
                checked_counts(values["multiplicity"], shard.edges)
            tails = tails_of(row_ptr, shard.first_row)
            if name == "pairs" and np.any(tails > col_idx):
                raise InputError("a pair is in the row of its larger end")
            loops = int(np.count_nonzero(tails == col_idx))
            way = values.get("way", np.empty(0, np.uint8))
            if len(way) and not 1 <= int(way.min()) <= int(way.max()) <= 3:
                raise InputError("its section way has something else than 1, 2 and 3")
        return ShardRows(shard.first_row, row_ptr, col_idx, values), loops


def _read_some(path: Path, file: IO[bytes], section: FileSection, first: int, count: int) -> npt.NDArray[Any]:
    """Read some values of a section of a file."""
    dtype = np.dtype(section.kind)
    file.seek(section.offset + first * dtype.itemsize)
    found: npt.NDArray[Any] = np.fromfile(file, dtype, count)
    if len(found) != count:
        raise InputError(f"{path}: it became shorter while it was read; copy it again")
    return found.astype(dtype.newbyteorder("="), copy=False)


def check_shards(shards: Any) -> None:
    """Raise InputError unless it is an opened dataset."""
    if not isinstance(shards, Shards):
        raise InputError(
            f"an opened dataset is needed, not {shown(shards)}: clgraph.open_shards and clgraph.write_shards "
            "give one"
        )


def open_shards(path: str | os.PathLike[str], *, verify: bool = True, comm: Any = None) -> Shards:
    """Open a graph in shards, as `clgraph.write_shards` and ``clgraph convert IN OUT.clgs`` make them.

    `clgraph.sample`, `reduction_curve`, `connected_components`, `bfs`, `bfs_many`, `pagerank` and
    `personalized_pagerank` take what is opened.

    Parameters
    ----------
    path : str or path
        The folder ``NAME.clgs``.
    verify : bool
        Whether checksums are compared the first time that a shard is read.
    comm : mpi4py.MPI.Comm, optional
        Whose ranks share the work of the calls, which all of them make; by default all processes that a
        launcher such as mpiexec has started.

    Returns
    -------
    Shards

    Raises
    ------
    InputError
        If it is no complete dataset.
    """
    return Shards(file_name(path), verify=verify, comm=comm)
