"""Values that an object computes when they are first asked for, and keeps."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


class lazy(cached_property[T]):
    """As `functools.cached_property`, for objects that several threads use.

    Threads that ask for a value at the same time may each compute it, but all of them get the same object:
    the one that was ready first. No lock is held meanwhile. (Before Python 3.12 `cached_property` has a lock
    for all objects of a class, on which threads could wait for each other for ever.)
    """

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The value; Python asks only until the object has it in its ``__dict__``."""
        if instance is None:
            return self
        return instance.__dict__.setdefault(self.attrname, self.func(instance))
