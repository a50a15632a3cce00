"""Streams whose ids are text: names by numbers, and lines of names parsed block by block."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.io.common import Options
from clgraph.graph.io.edges import Layout, layout_of, scan_rows
from clgraph.graph.io.names import SMALL, parse_names

KEPT = 1 << 16  # names that are kept in any case


class Names:
    """Numbers of names, in the order in which these first come; those that nobody needs can be forgotten.

    Attributes
    ----------
    text : bool or None
        Whether the ids of a stream are text; None: nothing has come.
    """

    def __init__(self) -> None:
        self.text: bool | None = None
        self.bound = KEPT
        self._number: dict[str, int] = defaultdict(itertools.count().__next__)

    def __len__(self) -> int:
        return len(self._number)

    def numbers(self, names: Iterable[str], count: int) -> npt.NDArray[np.uint64]:
        """The number of each of `count` names; new ones get the next."""
        return np.fromiter(map(self._number.__getitem__, names), np.uint64, count)

    def of(self, numbers: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
        """The names of numbers."""
        known = np.fromiter(self._number.values(), np.uint64, len(self))
        names = np.empty(len(self), object)
        names[:] = list(self._number)
        order = np.argsort(known)
        found: npt.NDArray[Any] = names[order[np.searchsorted(known[order], numbers)]]
        return found

    @property
    def full(self) -> bool:
        """Whether it is time to forget."""
        return len(self) > self.bound

    def keep(self, numbers: npt.NDArray[np.uint64]) -> None:
        """Forget all names but these; one that comes again is a new one, which nobody holds."""
        wanted = set(numbers.tolist())
        for name in [name for name, number in self._number.items() if number not in wanted]:
            del self._number[name]
        self.bound = 2 * len(self) + KEPT


class NamedLines:
    """Rows of two names (and a weight), laid out as `clgraph.read` reads them with ids="str"."""

    def __init__(self, name: str, weighted: bool, header: bool | None, names: Names) -> None:
        self.name, self.names = name, names
        self.options = Options(ids="str", weights=weighted, header=header)
        self.line = 0  # lines before the block
        self.before = b""  # blocks in which there are not two rows yet
        self.layout: Layout | None = None

    def columns(self, block: bytes) -> list[Any] | None:
        """The columns of a block of whole lines, ids as numbers; None if there are none."""
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if self.layout is not None:
            return self.parsed(block, self.layout)
        self.before += block
        if sum(1 for _ in itertools.islice(self.rows(self.before), 2)) < 2:
            return None
        return self.last()

    def last(self) -> list[Any] | None:
        """What is left at the stream's end."""
        block, self.before = self.before.removeprefix("\ufeff".encode()), b""
        if next(self.rows(block), None) is None:
            return None
        self.layout = layout_of(self.numbered(block), self.name, self.options)
        rest = block.split(b"\n", self.layout.skip)[-1]
        self.line = self.layout.skip
        return self.parsed(rest, self.layout)

    @staticmethod
    def rows(block: bytes) -> Iterator[bytes]:
        """The lines that are neither blank nor comments."""
        lines = (line.strip() for line in block.removeprefix("\ufeff".encode()).split(b"\n"))
        return (line for line in lines if line and line[:1] not in b"#%")

    def numbered(self, block: bytes) -> Iterable[tuple[int, str]]:
        """The lines of a block and their numbers."""
        try:
            return enumerate(block.decode().split("\n"), self.line + 1)
        except UnicodeDecodeError as error:
            number = self.line + block.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{self.name}, line {number}: bytes that are not UTF-8 ({error.reason}); convert it "
                "with iconv"
            ) from error

    def parsed(self, block: bytes, layout: Layout) -> list[Any] | None:
        """The columns of lines behind the header."""
        found = None
        if len(block) >= SMALL:
            found = parse_names(block, layout.width, layout.columns, layout.delimiter)
        if found is not None:
            tail, head, weights, ids = found
            number = self.names.numbers(ids.tolist(), len(ids))
            source, target = number[tail], number[head]
        else:
            source, target, weights = scan_rows(self.numbered(block), self.name, layout, self.options)
            both = self.names.numbers(np.stack((source, target), axis=1).ravel().tolist(), 2 * len(source))
            source, target = both[::2], both[1::2]
        self.line += block.count(b"\n")
        if len(source) == 0:
            return None
        return [source, target] if weights is None else [source, target, weights]
