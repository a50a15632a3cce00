"""Values of an object and entries of a table that are made when they are first used."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self, TypeVar, overload

from clgraph import hooks

T = TypeVar("T")


class lazy(cached_property[T]):
    """As `functools.cached_property`, for objects that several threads use.

    Threads that ask for a value at the same time may each compute it, but all of them get the same object:
    the one that was ready first. No lock is held meanwhile. (Before Python 3.12 `cached_property` has a lock
    for all objects of a class, on which threads could wait for each other for ever.)
    """

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> T: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The value; Python asks only until the object has it in its ``__dict__``."""
        if instance is None:
            return self
        made = self.func(instance)
        if made is instance:  # kept, it would be a circle, which only the garbage collector frees
            return made
        return instance.__dict__.setdefault(self.attrname, made)


class Table(dict[str, T]):
    """A dictionary of names to which higher levels add entries when a name is first missing.

    The code that looks names up must not know those levels.
    """

    def __missing__(self, name: str) -> T:
        """Have them added; a KeyError if that does not bring the name."""
        hooks.add_variants()
        if name not in self:
            raise KeyError(name)
        return self[name]
