"""Scratch areas: buffers that calls work in, each lent to one call at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Pool(Generic[T]):
    """Areas of one kind, for calls that may run in several threads at once.

    It is kept with what the areas are made for, usually a graph on a device, and refers to neither of them:
    ``device.cached(graph, key, Pool)``.
    """

    def __init__(self) -> None:
        self._free: list[T] = []
        self._lock = threading.Lock()

    def borrow(self, make: Callable[[], T]) -> T:
        """The area given back last, or what `make` returns if none is free."""
        with self._lock:
            if self._free:
                return self._free.pop()
        return make()

    def give_back(self, area: T) -> None:
        """Let the next call have an area."""
        with self._lock:
            self._free.append(area)

    @contextmanager
    def lent(self, make: Callable[[], T]) -> Iterator[T]:
        """An area for the block, given back at its end.

        After an exception it is not: an interrupt may have left it between two states.
        """
        area = self.borrow(make)
        yield area
        self.give_back(area)
