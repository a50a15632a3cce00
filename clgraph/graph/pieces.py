"""Work over long arrays and files in pieces, by threads: NumPy and reads let go of the GIL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from clgraph.system import cores, thread_pool

T = TypeVar("T")
FEW = 4  # pieces for which threads would take longer to begin


def over_pieces(work: Callable[[int, int], T], length: int, piece: int, *, few: int = FEW) -> Iterator[T]:
    """``work(begin, end)`` of each piece of a range from 0 to `length`, in order."""

    def some(begin: int) -> T:
        return work(begin, min(begin + piece, length))

    begins = range(0, length, piece)
    if len(begins) < few or cores() == 1:
        yield from map(some, begins)
        return
    with thread_pool(cores(), "clgraph-pieces") as pool:
        yield from pool.map(some, begins)
