"""Corpora of walks, written block by block: larger than memory, and continued after an interruption.

Texts (one walk per line, as word2vec reads them) are spelt on the device: host half of
``cl/files/walk_lines.cl``.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed, system
from clgraph._version import __version__
from clgraph.arguments import shown, whole
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.files.write_edges import LaunchConfig, Spelt
from clgraph.formats.arrow import parquet_library
from clgraph.formats.atomic import atomic_write
from clgraph.formats.common import read_text
from clgraph.formats.packed import SUFFIXES, compressed
from clgraph.graph.digest import digest
from clgraph.graph.exchange.common import library
from clgraph.methods import METHODS, plain_method
from clgraph.progress import Tell
from clgraph.run import run_on
from clgraph.sampling.literature.smallest import Column
from clgraph.sampling.literature.walks import Walks
from clgraph.sampling.request import Request, check_request
from clgraph.temporary import is_temporary, sync, sync_folder

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

LONGEST = 2**20  # vertices of a walk
TEXTS = (".txt", ".walks", *(f".txt{suffix}" for suffix in SUFFIXES))
ENDINGS = (*TEXTS, ".npy", ".parquet")
# bytes of a block where the device has the host's memory
HOST_SHARE = 1 << 28
STATE, DATA, LOCK = "state.json", "data", "lock"

LAUNCH = LaunchTable(
    gpu=LaunchConfig(run=1, chunk=1 << 25, rooms=3),
    cpu=LaunchConfig(run=64, chunk=1 << 24, rooms=3),
    simulator=LaunchConfig(run=2, chunk=1 << 9, rooms=2),
)


@dataclass(frozen=True)
class Corpus:
    """A corpus that was written.

    Attributes
    ----------
    path : str
    method : str
    walks, length : int
        Walks, and vertices of each (fewer after a dead end).
    seed : int
    resumed : int
        Walks that were there already.
    device : str
    seconds : dict of str to float
    """

    path: str
    method: str
    walks: int
    length: int
    seed: int
    resumed: int
    device: str
    seconds: dict[str, float]


def walk_methods() -> list[str]:
    """Return the names of the methods whose walkers can begin at every vertex."""
    return [name for name, each in METHODS.items() if "walks_per_vertex" in each.options]


def check_output(path: str, resume: bool, seed: int | None) -> None:
    """Raise InputError for a name that says no form of a corpus, or one that cannot be continued."""
    if path != "-" and not path.endswith(ENDINGS):
        raise InputError(f"-o {path}: the name of a corpus must end in {', '.join(ENDINGS)}")
    if resume and (path == "-" or path.endswith(".parquet")):
        what = "standard output" if path == "-" else "a Parquet file, whose index is at its end,"
        raise InputError(f"{what} cannot be continued: write .npy or .txt with --resume")
    if resume and seed is None:
        raise InputError(
            "a corpus can be continued only with the seed that began it: give one, 0 or any other"
        )


def write_walks(
    graph: Graph,
    path: str | os.PathLike[str],
    method: str = "node2vec",
    *,
    length: int = 80,
    per_vertex: int = 10,
    seed: int | None = None,
    resume: bool = False,
    device: Device | str | None = None,
    progress: Tell | None = None,
    **options: Any,
) -> Corpus:
    """Write walks from each vertex that has edges, pass after pass, into a file.

    Line (or row) i is row i of ``clgraph.sample(graph, method, steps=length - 1, walks_per_vertex=per_vertex,
    walks="ids", seed=seed, **options).walks``, up to its end: blocks of walks, as many as fit into memory,
    are made and written one after the other.

    Parameters
    ----------
    graph : Graph
    path : str or path
        ``.txt`` (also ``.txt.gz``, ``.txt.zst``): ids by blanks; ``.npy``: an array (walks, length), -1 after
        an end; ``.parquet``: a column "walk" of lists. ``-`` is text to standard output.
    method : str
        One of `walk_methods`.
    length : int
        Vertices of a walk.
    per_vertex : int
        Walks from each vertex.
    seed : int, optional
    resume : bool
        Note in ``PATH.work`` what has been written, and continue from there.
    device : Device or str, optional
    progress : callable, optional
        Called with (walks written, walks).
    **options
        Of the method, as `clgraph.sample` takes them.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
    """
    path = os.fspath(path)
    check_output(path, resume, seed)
    length, per_vertex = whole(length, "length", 2, LONGEST), whole(per_vertex, "per_vertex", 1)
    name = plain_method(method) if isinstance(method, str) else None
    if name not in walk_methods():
        raise InputError(f"method is {shown(method)}: walks are made by {', '.join(walk_methods())}")
    given = {**options, "steps": length - 1, "walks_per_vertex": per_vertex, "walks": "device"}
    request = check_request(graph, name, given)
    number = keyed.check_seed(seed)
    form = form_of(path, graph)
    run = run_on(device)
    with run.lock, run:
        request.view.csr(run.device)
        run.device.finish()
        run.lap("upload")
        corpus = _Blocks(run.device, graph, request, number)
        total, columns = request.walkers, length
        writer = form(run.device, graph, total, columns)
        about = {"method": name, "length": length, "per_vertex": per_vertex, "seed": number}
        about |= {key: str(value) for key, value in sorted(options.items()) if value is not None}
        with _output(path, resume, graph, about, total) as (file, done, note):
            began = done
            writer.begin(file, done)
            while done < total:
                block = corpus.walk(done)
                run.lap("walk")
                writer.add(block)
                done += block.walks
                note(done)
                run.lap("write")
                if progress is not None:
                    progress(done, total)
            writer.end()
            run.lap("write")
    return Corpus(path, name, total, columns, number, began, run.device.name, run.seconds)


# --- Blocks of walks ---


@dataclass(frozen=True)
class Block:
    """Walks on a device: rows of `columns` vertices, and what ends them early is -1."""

    device: Device
    rows: Any
    walks: int
    columns: int

    def on_host(self) -> npt.NDArray[np.int32]:
        """Return the rows, shape (walks, columns)."""
        found: npt.NDArray[np.int32] = self.device.download(self.rows, np.int32, self.walks * self.columns)
        return found.reshape(self.walks, self.columns)


def room(device: Device) -> int:
    """Return the bytes that a block's trails, their copies and their rows may take."""
    return HOST_SHARE if device.shares_memory else device.global_memory // 16


class _Blocks:
    """Makes walks of a request from any one on: a walker draws by its number, whatever block it is in."""

    def __init__(self, device: Device, graph: Graph, request: Request, seed: int) -> None:
        self.device, self.request, self.seed = device, request, seed
        self.columns = request.steps + 1
        # a trail, its copies, and rows, 4 bytes each
        self.most = max(
            1, min(room(device) // (12 * self.columns), request.walkers, 2**31 // self.columns - 1)
        )

    def walk(self, first: int) -> Block:
        """Return the walks from number `first` on, as many as a block has."""
        request, starts = copy(self.request), np.asarray(self.request.start)
        walkers = min(self.most, request.walkers - first)
        vars(request).update(
            start=np.take(starts, np.arange(first, first + walkers), mode="wrap"),
            walkers=walkers,
            first_walker=first,
        )
        made: Column = Walks(self.device, request.view, request, self.seed, 1).draw().more["walks"]
        return Block(self.device, made.buffer, walkers, self.columns)


# --- Forms of files ---


class Form:
    """Writes blocks of walks into a file."""

    def __init__(self, device: Device, graph: Graph, walks: int, columns: int) -> None:
        self.device, self.graph, self.walks, self.columns = device, graph, walks, columns

    def begin(self, file: IO[bytes], done: int) -> None:
        """Begin, or continue behind so many walks."""
        self.file = file

    def add(self, block: Block) -> None:
        """Write a block."""
        raise NotImplementedError

    def end(self) -> None:
        """Write what belongs behind the last block."""


def form_of(path: str, graph: Graph) -> Callable[..., Form]:
    """Return the form that the name of a file says.

    Raises
    ------
    InputError
        If the graph's ids cannot be written so.
    """
    names = graph.ids.dtype == object if not graph._has_identity_ids else False
    if path.endswith(".npy"):
        if names:
            raise InputError(f"{path}: the graph's ids are names, and an array has numbers: write .txt")
        return Array
    if path.endswith(".parquet"):
        parquet_library(Path(path))
        return Table
    if names:
        blank = next((name for name in graph.ids.tolist() if not name or name.split() != [name]), None)
        if blank is not None:
            raise InputError(
                f"{path}: the id {shown(blank)} has a blank, which ends a word there: write .parquet"
            )
        return partial(Names, path=path)
    return partial(Text, path=path)


class Lines(Spelt):
    """Blocks of walks, spelt chunk by chunk on a device."""

    def __init__(
        self, device: Device, graph: Graph, csr: Any, columns: int, config: LaunchConfig | None = None
    ) -> None:
        self.config = config = config or LAUNCH.of(device)
        self.device, self.columns, self.run, self.n = device, columns, config.run, graph.num_vertices
        whole = graph._has_identity_ids
        highest = self.n - 1 if whole else int(graph.ids.max(initial=0))
        words, items = (len(str(highest)) + 8) // 8, device.tuning.items
        self.longest = columns * (len(str(highest)) + 1)
        device.reserve({"ids as text": (8 * words + 1) * self.n})
        self.cells, self.sizes = device.empty(self.n * words, np.uint64), device.empty(self.n, np.uint8)
        spell = device.program("files/write_edges", WORDS=words, ID="long", ITEMS=items, **csr.defines)
        ids = None if whole else device.upload(graph.ids.astype(np.int64, copy=False))
        spell.spell_ids.launch(self, -(-self.n // items), separator=ord(" "), ids=ids)
        self._program = device.program("files/walk_lines", RUN=self.run, WORDS=words)
        self.count = 0

    def put(self, block: Block, file: IO[bytes]) -> None:
        """Write the lines of a block."""
        self.rows = block.rows
        # rooms are kept for blocks of the same size
        if block.walks != self.count:
            self.count = block.walks
            self.cut(self.config, self.longest)
        self.write(file)

    def measure(self, runs: int, first: int, last: int) -> None:
        """Set `lengths` to the bytes of each run of some walks."""
        self._program.lines_lengths.launch(self, runs, first=first, last=last)

    def place(self, runs: int, first: int, last: int, text: Any) -> None:
        """Spell the walks into a buffer."""
        self._program.lines_put.launch(self, runs, first=first, last=last, before=self.lengths, text=text)


class Text(Form):
    """Numbers by blanks, one walk per line; a block that is compressed is a member of its own."""

    def __init__(self, *about: Any, path: str) -> None:
        super().__init__(*about)
        self.path = Path(path)

    def begin(self, file: IO[bytes], done: int) -> None:
        """Spell the ids."""
        from clgraph.csr.upload import upload_csr

        super().begin(file, done)
        self.lines = Lines(self.device, self.graph, upload_csr(self.device, self.graph), self.columns)

    def add(self, block: Block) -> None:
        """Write a block."""
        with compressed(self.path, self.file) as out:
            self.lines.put(block, out)


class Names(Text):
    """The same of names."""

    def begin(self, file: IO[bytes], done: int) -> None:
        """Nothing is spelt on a device."""
        Form.begin(self, file, done)

    def add(self, block: Block) -> None:
        """Write a block."""
        ids = self.graph.ids
        with compressed(self.path, self.file) as out:
            for part in np.array_split(block.on_host(), -(-block.walks // 4096)):
                words = np.where(part < 0, "", ids[part])
                out.write("".join(f"{' '.join(filter(None, row))}\n" for row in words.tolist()).encode())


class Array(Form):
    """An array (walks, length) of ids, int32 where they fit."""

    def begin(self, file: IO[bytes], done: int) -> None:
        """Write the head."""
        super().begin(file, done)
        whole = self.graph._has_identity_ids
        wide = not whole and int(self.graph.ids.max(initial=0)) > 2**31 - 1
        self.ids = None if whole else self.graph.ids.astype(np.int64 if wide else np.int32)
        if not done:
            about = {"descr": "<i8" if wide else "<i4", "fortran_order": False}
            np.lib.format.write_array_header_1_0(file, {**about, "shape": (self.walks, self.columns)})

    def add(self, block: Block) -> None:
        """Write a block."""
        rows = block.on_host()
        self.file.write(_ids(self.ids, rows).reshape(-1).view(np.uint8).data)


class Table(Form):
    """A column "walk" of lists of ids."""

    def begin(self, file: IO[bytes], done: int) -> None:
        """Write the head."""
        super().begin(file, done)
        pa = self.arrow = library("pyarrow", "arrow")
        whole = self.graph._has_identity_ids
        self.ids = None if whole else self.graph.ids
        names = self.ids is not None and self.ids.dtype == object
        self.type = pa.string() if names else pa.int32() if whole else pa.int64()
        self.schema = pa.schema([("walk", pa.list_(self.type))])
        self.writer = parquet_library(Path("-")).ParquetWriter(file, self.schema)

    def add(self, block: Block) -> None:
        """Write a block, cut into groups of rows."""
        pa = self.arrow
        for rows in np.array_split(block.on_host(), -(-block.walks // (1 << 16))):
            there = rows >= 0
            ends = np.concatenate(([0], np.cumsum(there.sum(1)))).astype(np.int32)
            flat = rows[there] if not there.all() else rows.reshape(-1)
            values = pa.array(flat if self.ids is None else self.ids[flat], self.type)
            lists = pa.ListArray.from_arrays(pa.array(ends), values)
            self.writer.write_table(pa.table([lists], schema=self.schema))

    def end(self) -> None:
        """Write the index."""
        self.writer.close()


def _ids(ids: npt.NDArray[Any] | None, rows: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """Return ids by index, -1 after an end."""
    if ids is None:
        return rows
    found = ids[rows]
    found[rows < 0] = -1
    return found


# --- Outputs that are complete or absent, or can be continued ---


@contextmanager
def _output(
    path: str, resume: bool, graph: Graph, about: dict[str, Any], total: int
) -> Iterator[tuple[IO[bytes], int, Callable[[int], None]]]:
    """Yield a file, how many walks it has, and what notes how many there are now."""
    if not resume:
        with atomic_write(path) as file:
            yield file, 0, lambda done: None
        return
    folder = Path(f"{path}.work")
    about = {**about, "form": Path(path).suffix, "graph": digest(graph), "clgraph": __version__}
    try:
        _check_own(folder)
        folder.mkdir(exist_ok=True)
        with open(folder / LOCK, "wb") as lock:
            if not system.lock_file(lock.fileno()):
                raise InputError(f"{folder} is in use: another process writes this corpus")
            yield from _continued(folder, Path(path), about, total)
            os.unlink(folder / STATE)
        for name in os.listdir(folder):
            if name == LOCK or is_temporary(name):
                os.unlink(folder / name)
        os.rmdir(folder)
    except OSError as error:
        # others are about a file that is not of the corpus
        if error.filename is None or Path(error.filename).parent in (folder, folder.parent):
            raise InputError(f"cannot write {folder}: {error.strerror or error}") from error
        raise


def _continued(
    folder: Path, path: Path, about: dict[str, Any], total: int
) -> Iterator[tuple[IO[bytes], int, Callable[[int], None]]]:
    """Yield the file of the data, how many walks it has, and what notes how many there are now."""
    known = hashlib.sha256()

    def write_state(done: int, size: int) -> None:
        with atomic_write(folder / STATE, "w") as state:
            json.dump({"about": about, "walks": done, "bytes": size, "sha256": known.hexdigest()}, state)

    # the state comes first: data without one are not ours
    if not (folder / STATE).exists():
        write_state(0, 0)
    done, size, wanted = _read_state(folder, about, total)
    data = folder / DATA
    # a process that was killed at its end may have put them in their place
    ended = done == total and not data.exists() and path.is_file()
    with open(path if ended else data, "rb" if ended else "r+b" if data.exists() else "w+b") as file:
        there = file.seek(0, os.SEEK_END)
        _hash(file, known, 0, size)
        if there < size or (ended and there > size) or known.hexdigest() != wanted:
            raise InputError(f"{data} is not what {STATE} describes: remove {folder} and begin anew")
        if not ended:
            file.truncate(size)

        def note(done: int) -> None:
            nonlocal size
            file.flush()
            # what the state speaks of must be on the disk before it
            sync(file.fileno())
            end = file.tell()
            _hash(file, known, size, end)
            size = end
            write_state(done, size)

        yield file, done, note
    if not ended:
        os.replace(data, path)
        sync_folder(path.parent)


def _hash(file: IO[bytes], known: Any, begin: int, end: int) -> None:
    """Hash the bytes of a file from `begin` on; it is at `end` then, if it has so many."""
    file.seek(begin)
    while begin < end and (data := file.read(min(end - begin, 1 << 20))):
        known.update(data)
        begin += len(data)


def _check_own(folder: Path) -> None:
    """Raise InputError if a folder of work has anything that no corpus has put there."""
    if not os.path.lexists(folder):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise InputError(f"{folder} is no folder of work: give the output another name")
    with os.scandir(folder) as entries:
        kinds = {each.name: each.is_file(follow_symlinks=False) for each in entries}
    for name, plain in sorted(kinds.items()):
        own = name in (STATE, LOCK) or (name == DATA and STATE in kinds) or is_temporary(name)
        if not (own and plain):
            raise InputError(
                f"{folder} has {shown(name)}, which no corpus has put there: give the output another name"
            )


def _read_state(folder: Path, about: dict[str, Any], total: int) -> tuple[int, int, str]:
    """Return how many walks a folder of work has, in how many bytes, and their SHA-256.

    Raises
    ------
    InputError
        If they are of another corpus, or what the state says cannot be.
    """
    state = folder / STATE
    try:
        found = json.loads(read_text(state, 1 << 20))
        walks, size, known, other = (found[name] for name in ("walks", "bytes", "sha256", "about"))
        if not isinstance(other, dict) or not isinstance(known, str):
            raise TypeError
        # True is an int, too
        if not all(type(count) is int and count >= 0 for count in (walks, size)):
            raise TypeError
        if bool(walks) != bool(size):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{state} is damaged: remove {folder} and begin anew") from error
    if other != about:
        names = [key for key in about if other.get(key) != about[key]] or sorted(other.keys() - about.keys())
        raise InputError(
            f"{folder} has the beginning of another corpus ({', '.join(names)} differ): remove it, or give "
            "the output another name"
        )
    if walks > total:
        raise InputError(f"{state} counts {walks} walks of {total}: remove {folder} and begin anew")
    return walks, size, known
