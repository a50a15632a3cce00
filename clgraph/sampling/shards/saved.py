"""Priority forests in files: what ``clgraph forest`` writes, and what an interrupted pass leaves behind.

A file is a line ``clgraph-forest 1 CHECKSUM`` (the CRC-32 of all that follows), a line of JSON, and the
forest's edges, ascending ``<u8`` words as in ``cl/sampling/shards/forest.cl``. Equal forests are equal bytes.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write
from clgraph.formats.common import reading
from clgraph.graph.building import INT32_MAX
from clgraph.results import Shown
from clgraph.scale.manifest import MOST, MOST_SHARDS, fields_of
from clgraph.temporary import marked

FORMAT = "clgraph-forest 1"
SUFFIX = ".forest"
# names of files in a checkpoint; others in the folder are somebody else's
CHECKPOINT_FILE = re.compile(r"([0-9]+|none)-[0-9a-f]{8}\.forest")
# bytes of the line of JSON: as much is read before anything is known of the file
LONGEST = 1 << 24
# what that line has
HEAD: dict[str, Any] = {
    "dataset": re.compile("[0-9a-f]{64}"),
    "vertices": INT32_MAX,
    "method": re.compile("drv|dre"),
    "seed": 2**64 - 1,
    "of": MOST_SHARDS,
    "edges": MOST,
    "shards": re.compile("[0-9,-]*"),
}
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class About:
    """Dataset, method and seed of a forest.

    Attributes
    ----------
    dataset : str
        Fingerprint.
    vertices : int
    method : {"drv", "dre"}
    seed : int
    of : int
        Shards of the dataset's pairs.
    """

    dataset: str
    vertices: int
    method: str
    seed: int
    of: int

    def check_same(self, other: About, name: Any) -> None:
        """Raise InputError if the forest of this name is of something else."""
        for key, own in vars(self).items():
            found = getattr(other, key)
            if found != own:
                raise InputError(f"{name}: a forest of {key} {shown(found)}, not of {shown(own)}")


@dataclass(frozen=True, repr=False)
class SavedForest(Shown):
    """The forest of some of a dataset's shards, in a file.

    Attributes
    ----------
    path : Path
    about : About
    shards : tuple of int
        Ascending numbers of the shards whose edges were looked at.
    """

    path: Path
    about: About
    shards: tuple[int, ...]

    def _facts(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "method": self.about.method,
            "seed": self.about.seed,
            "vertices": self.about.vertices,
            "shards": f"{len(self.shards)} of {self.about.of}",
        }

    @property
    def missing(self) -> list[int]:
        """The shards that it does not cover."""
        missing: list[int] = np.setdiff1d(np.arange(self.about.of), self.shards).tolist()
        return missing

    def words(self) -> Words:
        """Read the edges, ascending, and check them."""
        with reading(self.path), open(self.path, "rb") as file:
            head, data = file.readline(64), file.read()
        if head != _head(data):
            raise _damaged(self.path, "its checksum differs")
        words = np.frombuffer(data, "<u8", offset=data.index(b"\n") + 1).astype(np.uint64, copy=False)
        low, high = words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)
        wrong = np.any(low == high) or np.any(np.maximum(low, high) >= self.about.vertices)
        if wrong or np.any(words[1:] <= words[:-1]) or len(words) >= max(self.about.vertices, 1):
            raise _damaged(self.path, "its edges cannot be")
        return words


def write_forest(
    path: Path, about: About, shards: Iterable[int], words: Words, mark: str = ""
) -> SavedForest:
    """Write a forest; the file appears complete or not at all."""
    numbers = tuple(sorted(set(shards)))
    line = json.dumps({**vars(about), "shards": spelled(numbers), "edges": len(words)}, sort_keys=True)
    data = line.encode() + b"\n" + words.astype("<u8").tobytes()
    with atomic_write(path, "wb", mark) as file:
        file.write(_head(data))
        file.write(data)
    return SavedForest(path, about, numbers)


def open_forest(path: str | os.PathLike[str]) -> SavedForest:
    """Open a file of ``clgraph forest``; its edges are read and checked when they are used."""
    name = file_name(path)
    with reading(name), open(name, "rb") as file:
        head, line, size = file.readline(64), file.readline(LONGEST), os.fstat(file.fileno()).st_size
    if not head.startswith(FORMAT.encode() + b" "):
        raise InputError(f"{name}: is not a forest that clgraph forest wrote; name one that it wrote")
    try:
        known = fields_of(json.loads(line), "its head", **HEAD)
        edges, listed = known.pop("edges"), known.pop("shards")
        about = About(**known)
        shards = numbers_of(listed, about.of, "shards")
    except (ValueError, RecursionError) as error:
        raise _damaged(name, f"its head cannot be ({error})") from error
    if size != len(head) + len(line) + 8 * edges:
        raise _damaged(name, f"{size} bytes long")
    return SavedForest(name, about, shards)


def _head(data: bytes) -> bytes:
    return f"{FORMAT} {zlib.crc32(data):08x}\n".encode()


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{path}: damaged: {why}; make the forest again, or copy it again")


def spelled(numbers: Sequence[int]) -> str:
    """Ascending numbers as text: 0-3,7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def numbers_of(text: str, count: int, name: str) -> tuple[int, ...]:
    """Return the numbers below `count` that a text such as 0-3,7 lists, ascending, each once."""
    found = np.zeros(count, bool)
    for part in text.split(",") if text else ():
        match = re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,10}))?", part.strip(), re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or last >= count:
            raise InputError(f"{name} {shown(text)}: give numbers from 0 to {count - 1}, such as 0-3,7")
        found[first : last + 1] = True
    return tuple(np.flatnonzero(found).tolist())


class Checkpoint:
    """A folder that keeps what ranks have found of a forest, until all is done.

    Attributes
    ----------
    folder : Path
    about : About
        Files of other forests may be in the folder too.
    own : list of SavedForest
        This rank's so far: the next one replaces them.
    """

    def __init__(self, folder: Path, about: About) -> None:
        self.folder, self.about = folder, about
        # a rank that is killed while it writes leaves its temporary file: `clear` finds it by this mark
        self._mark = f"{zlib.crc32(json.dumps(vars(about)).encode()):08x}"
        self.own: list[SavedForest] = []

    def found(self) -> list[SavedForest]:
        """Return the forests in the folder, in order of names; files with other names are somebody else's."""
        if self.folder.is_symlink():
            raise InputError(f"{self.folder}: is a symbolic link, which is not followed; remove it")
        if not self.folder.exists():
            return []
        with reading(self.folder):
            names = sorted(name for name in os.listdir(self.folder) if CHECKPOINT_FILE.fullmatch(name))
        for name in names:
            if (self.folder / name).is_symlink():
                raise InputError(
                    f"{self.folder / name}: is a symbolic link, which is not followed; remove it"
                )
        made = [open_forest(self.folder / name) for name in names]
        return [each for each in made if each.about == self.about]

    def save(self, shards: Iterable[int], words: Words) -> None:
        """Keep the forest of these shards, instead of what this rank has kept or was given before."""
        numbers = sorted(set(shards))
        mark = zlib.crc32(json.dumps([vars(self.about), numbers]).encode())
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise InputError(
                f"cannot write {self.folder}: {error.strerror or error}; choose a folder that you may "
                "write to"
            ) from error
        path = self.folder / f"{numbers[0] if numbers else 'none'}-{mark:08x}{SUFFIX}"
        made = write_forest(path, self.about, numbers, words, self._mark)
        for each in self.own:
            if each.path != made.path:
                each.path.unlink(missing_ok=True)
        self.own = [made]

    def clear(self) -> None:
        """Remove what is there of this forest, and the folder if nothing else is in it."""
        for each in self.found():
            each.path.unlink(missing_ok=True)
        if not self.folder.exists():
            return
        for name in marked(self.folder, self._mark):
            (self.folder / name).unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()
