"""Copies of graphs in device memory and what else is cached for them; dropped under pressure."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import pyopencl as cl

T = TypeVar("T")


@dataclass
class OwnerCache:
    """Cached values of one owner by key, and when each was last asked for.

    The reference to the owner drops the whole when that is freed.
    """

    owner: weakref.ref[Any]
    values: dict[Hashable, Any] = field(default_factory=dict)
    used: dict[Hashable, int] = field(default_factory=dict)


def _words(key: Any) -> Iterator[str]:
    """Yield the words in a key."""
    if isinstance(key, str):
        yield key
    elif isinstance(key, tuple):
        for part in key:
            yield from _words(part)


class GraphCache:
    """Values that can be computed again, by owner and key.

    Parameters
    ----------
    finish : callable
        Waits until the device has finished with buffers that are given up.

    Attributes
    ----------
    owners : dict of int to OwnerCache
        By the owner's `id`.
    """

    def __init__(self, finish: Callable[[], None]) -> None:
        self._finish = finish
        self.owners: dict[int, OwnerCache] = {}
        self._clock = 0

    def cached(self, owner: Any, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``'s value, cached while `owner` lives, until `release` or until memory is short.

        Parameters
        ----------
        owner : object that can be weakly referenced
            For instance a Graph. The value must not refer to it (its arrays are fine), or neither would ever
            be freed.
        key : hashable
            Names the value among those of this owner.
        make : callable
            Called the first time, and again where the value has been given up. (Two threads that are not
            within `Device.alone` may both call theirs; both get the same value.)
        """
        cache = self.owners.get(id(owner))
        if cache is None:
            freed = weakref.ref(owner, partial(self.owners.pop, id(owner)))
            cache = self.owners.setdefault(id(owner), OwnerCache(freed))  # two threads get the same one
        self._clock += 1
        cache.used[key] = self._clock
        try:
            value: T = cache.values[key]
        except KeyError:
            value = cache.values.setdefault(key, make())
        return value

    def has(self, owner: Any, key: Hashable) -> bool:
        """True if a value is cached."""
        cache = self.owners.get(id(owner))
        return cache is not None and key in cache.values

    def sizes(self, owner: Any) -> dict[str, int]:
        """Bytes of the buffers that are cached for an owner, by name."""
        cache = self.owners.get(id(owner))
        found: dict[str, int] = {}
        seen: set[int] = set()
        for key, value in list(cache.values.items()) if cache else ():
            for name, buffer in buffers_in(value, seen):
                word = key if isinstance(key, str) else next((w for w in _words(key)), "more")
                path = f"{word}.{name}" if name else word
                found[path] = found.get(path, 0) + buffer.size
        return found

    def forget(self, owner: Any) -> None:
        """Drop everything that is cached for an owner."""
        cache = self.owners.get(id(owner))
        if cache is not None:
            cache.values.clear()
        self._finish()

    def drop_one(self) -> bool:
        """Drop the least recently used value; False if none can be dropped."""
        entries = [
            (cache.used.get(key, 0), cache, key)
            for cache in list(self.owners.values())
            for key in list(cache.values)
        ]
        for _, cache, key in sorted(entries, key=lambda entry: entry[0]):
            value = cache.values.get(key)
            if not any(True for _ in buffers_in(value, set())):
                continue
            may_go = getattr(value, "may_go", None)  # a graph may have nothing but this
            if may_go is None or may_go(cache.owner()):
                cache.values.pop(key, None)
                del value
                self._finish()
                return True
        return False

    def summary(self) -> str:
        """The five largest graphs with their sizes, for a message."""
        sums = []
        for cache in list(self.owners.values()):
            owner = cache.owner()
            if owner is not None and (sizes := self.sizes(owner)):
                most = sorted(sizes.items(), key=lambda item: -item[1])[:3]
                parts = ", ".join(f"{name} {size}" for name, size in most)
                n, arcs = getattr(owner, "num_vertices", None), getattr(owner, "num_arcs", None)
                what = type(owner).__name__ if n is None else f"a graph of {n} vertices and {arcs} arcs"
                sums.append((sum(sizes.values()), f"{sum(sizes.values())} bytes for {what} ({parts})"))
        largest = [text for _, text in sorted(sums, reverse=True)[:5]]
        return "; it holds " + "; ".join(largest) + " (graph.free gives them back)" if largest else ""

    def release(self) -> None:
        """Drop every cached value."""
        for cache in list(self.owners.values()):  # graphs may be freed meanwhile
            cache.values.clear()
        self._finish()


# --- Scratch areas: buffers that calls work in, each lent to one call at a time ---


class Pool(list[T]):
    """Areas of one kind, for calls that may run in several threads at once.

    Those in the list are free. The pool is cached with the object that they serve, usually a graph on a
    device, and refers to neither of them: ``device.cached(graph, key, Pool)``. After an exception an area is
    not given back: an interrupt may have left it between two states.
    """

    give_back = list.append  # which, as `pop`, is one step for other threads

    def borrow(self, make: Callable[[], T]) -> T:
        """Return the area given back last, or what `make` returns if none is free."""
        try:
            return self.pop()
        except IndexError:
            return make()


# --- The buffers inside a value: how much device memory a cached object takes ---


# the folders of objects that cached values refer to and that are not cached for a graph
OTHERS = {"graph", "device"}


def buffers_in(value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield each buffer in a value that is not in `seen` yet, with the name of its attribute.

    Looks into containers and into clgraph's own objects, but not into devices and graphs.
    """
    found: list[tuple[str, Any]] = [("", value)]
    while found:
        name, value = found.pop()
        if id(value) in seen:
            continue
        if isinstance(value, cl.MemoryObjectHolder):
            seen.add(id(value))
            yield name, value
        elif isinstance(value, (list, tuple, set)):
            found += [(name, each) for each in value]
        elif isinstance(value, dict):
            found += [(key if isinstance(key, str) else name, each) for key, each in value.items()]
        else:
            package, *folders = type(value).__module__.split(".")
            ours = package == "clgraph" and bool(folders) and folders[0] not in OTHERS
            if ours:
                seen.add(id(value))
                found += [(key.lstrip("_"), each) for key, each in getattr(value, "__dict__", {}).items()]
