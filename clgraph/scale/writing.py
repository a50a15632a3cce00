"""A dataset being written: shards under temporary names, the manifest last, the folder renamed at the end."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph import system
from clgraph.errors import InputError
from clgraph.files.clg import followed
from clgraph.formats.atomic import remove_stale_once
from clgraph.formats.clg import BLOCK, PAGE, Header, Streamed, id_arrays, widened, write_sections, zeros
from clgraph.formats.common import few
from clgraph.formats.table import DATASET
from clgraph.graph.arrays import tails_of
from clgraph.scale.manifest import NAME, Manifest, Part, Section, Shard, read_manifest
from clgraph.scale.ranks import Ranks
from clgraph.temporary import sync, sync_folder, temporary_name

Sums = tuple[int, npt.NDArray[np.float64]]  # first entry, and values from there on


class Writer:
    """Writes the files of one dataset into a folder of its own.

    Parameters
    ----------
    folder : path
        Exists, and is empty.
    directed : bool
    vertices : int
    """

    def __init__(self, folder: Path, *, directed: bool, vertices: int) -> None:
        self.folder, self._directed, self._n = folder, directed, vertices

    def shard(
        self,
        section: str,
        number: int,
        first_row: int,
        row_ptr: npt.NDArray[Any],
        col_idx: npt.NDArray[np.int32] | Streamed,
        values: Mapping[str, npt.NDArray[Any] | Streamed | None],
        *,
        loops: int | None = None,
    ) -> Shard:
        """Write one shard; its `first_edge` is 0 until `section` adds it up.

        Parameters
        ----------
        section : str
        number : int
            Of the shard in its section.
        first_row : int
        row_ptr, col_idx : arrays
        values : mapping of str to array or None
            weights, multiplicity, way: one for each entry of `col_idx`.
        loops : int, optional
            How many entries join a vertex to itself; by default they are counted.
        """
        rows, edges = len(row_ptr) - 1, int(row_ptr[-1])
        name = f"{section}-{number:06d}.clg"
        if loops is None:
            loops = int(np.count_nonzero(tails_of(row_ptr, first_row) == col_idx))
        narrow = np.int32 if edges < 2**31 else np.int64
        arrays = {"row_ptr": row_ptr.astype(narrow, copy=False), "col_idx": col_idx, **values}
        header = Header(self._directed, rows, edges, loops, {}, first_row, self._n)
        with self._new(name) as file:
            crc = zlib.crc32(write_sections(file, header, arrays).tobytes())
            length = file.tell()
        return Shard(name, first_row, rows, edges, loops, 0, length, crc)

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
            sums = write_sections(file, header, arrays)
            length = file.tell()
        with open(self.folder / name, "rb") as file:
            return Part(name, length, _whole_crc(file.read(PAGE), sums, length))

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest."""
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


def _whole_crc(head: bytes, sums: npt.NDArray[Any], length: int) -> int:
    """The CRC-32 of a whole .clg file, from its header and the checksums that end it."""
    found, left = zlib.crc32(head), length - len(head) - sums.nbytes
    for checksum in sums.tolist():
        size = min(BLOCK, left)
        found, left = followed(found, size) ^ checksum, left - size
    return followed(found, sums.nbytes) ^ zlib.crc32(sums.tobytes())


def row_sums(row_ptr: npt.NDArray[Any], weights: npt.NDArray[np.float64] | None) -> npt.NDArray[np.float64]:
    """The weight of each row, added in order; without weights its length."""
    lengths = np.diff(row_ptr)
    if weights is None:
        return lengths.astype(np.float64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(rows, weights=weights, minlength=len(lengths)).astype(np.float64, copy=False)


def summed(shards: list[Shard]) -> Section:
    """A section of shards in order of rows, with their first edges."""
    placed, edge = [], 0
    for each in shards:
        placed.append(Shard(**{**vars(each), "first_edge": edge}))
        edge += each.edges
    return Section(edge, sum(each.loops for each in shards), tuple(placed))


@contextmanager
def new_dataset(path: Path) -> Iterator[Path]:
    """A temporary folder beside `path`, which takes its place when the block ends without an error.

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
        with told_as(temporary, path):
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
def told_as(temporary: Path, path: Path) -> Iterator[None]:
    """What cannot be written is told by the dataset's own name, not by the temporary one."""
    try:
        yield
    except InputError as error:
        if str(temporary) not in str(error):
            raise
        raise InputError(str(error).replace(str(temporary), str(path))) from error


@contextmanager
def shared_dataset(ranks: Ranks, path: Path) -> Iterator[Path]:
    """`new_dataset` for all ranks: rank 0 makes and renames the folder, the others write into it."""
    if ranks.size == 1:
        with new_dataset(path) as folder:
            yield folder
    elif ranks.rank == 0:
        with new_dataset(path) as folder:
            ranks.broadcast(np.frombuffer(os.fsencode(folder), np.uint8), np.uint8)
            yield folder
            ranks.everywhere(np.empty(0, np.uint8))  # all have written
        ranks.everywhere(np.empty(0, np.uint8))  # the dataset is in its place
    else:
        folder = Path(os.fsdecode(ranks.broadcast(None, np.uint8).tobytes()))
        with told_as(folder, path):
            yield folder
        ranks.everywhere(np.empty(0, np.uint8))
        ranks.everywhere(np.empty(0, np.uint8))


def gathered(ranks: Ranks, made: dict[int, Shard]) -> list[Shard]:
    """The shards that all ranks have written, in order of their numbers."""
    text = json.dumps({number: vars(shard) for number, shard in made.items()}).encode()
    found: dict[int, Shard] = {}
    for each in ranks.everywhere(np.frombuffer(text, np.uint8)):
        for number, entry in json.loads(bytes(each)).items():
            found[int(number)] = Shard(**entry)
    return [found[number] for number in sorted(found)]


def gathered_sums(ranks: Ranks, parts: list[Sums], size: int) -> npt.NDArray[np.float64]:
    """One array of the parts that all ranks have, from (first entry, values)."""
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
    """Names of the files of a dataset that may be replaced; InputError if the folder holds anything else."""
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
    strange = [
        name
        for name in names
        if name not in own or (folder / name).is_symlink() or not (folder / name).is_file()
    ]
    if strange:
        raise InputError(
            f"{folder}: holds what does not belong to the dataset ({', '.join(few(strange))}), so it is not "
            "replaced; move that away, or choose another name"
        )
    return names
