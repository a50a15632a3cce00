"""Who may use a device: the locks by which threads take turns, and not a process that was forked meanwhile.

A thread that has one device may ask for another, in a ``progress=`` callback for instance. Two that do so
crosswise would wait for each other for ever: the one that would close the circle gets an error instead.
"""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import AbstractContextManager
from typing import Any

from clgraph.errors import DeviceError

_locks: list[weakref.ref[Any]] = []
_guard = threading.Lock()
# of each thread that has a device and waits for another: what it waits for, and what it has
_waits: dict[int, tuple[Any, list[Any]]] = {}
process = 0  # which one has queried the drivers (`clgraph.device.drivers`); 0: none has


def check_process() -> None:
    """Raise a DeviceError in a process forked from one that had queried the drivers.

    A fork copies the drivers' memory but not their threads: whatever waits for these would wait for ever.
    """
    if process not in (0, os.getpid()):
        raise forked(f"process {process}")


def forked(by: str) -> DeviceError:
    """The error in a process that was forked from one that had used OpenCL."""
    return DeviceError(
        f"this process was forked from one that had used OpenCL ({by}), and OpenCL's drivers do not survive "
        'a fork: start it by multiprocessing.get_context("spawn"), or use no device before the fork'
    )


def new_lock() -> Any:
    """The lock of one more device."""
    lock = threading.RLock()
    _locks.append(weakref.ref(lock, _locks.remove))
    return lock


def turn(lock: Any, spec: str) -> AbstractContextManager[Any]:
    """What a with-block enters to have a device: its lock, unless this thread has another device already."""
    known = [other() for other in list(_locks)]
    has = [other for other in known if other not in (None, lock) and other._is_owned()]
    return _SecondTurn(lock, has, spec) if has and not lock._is_owned() else lock


def is_second(lock: Any) -> bool:
    """Whether this thread holds another lock and not this one."""
    return isinstance(turn(lock, ""), _SecondTurn)


class _SecondTurn:
    """A further device for a thread that has some."""

    def __init__(self, lock: Any, has: list[Any], spec: str) -> None:
        self._lock, self._has, self._spec = lock, has, spec

    def __enter__(self) -> None:
        me = threading.get_ident()
        try:
            with _guard:
                _waits[me] = (self._lock, self._has)
                if _closes_a_circle(self._lock, me):
                    raise DeviceError(
                        f"device {self._spec}: its thread waits for one that this thread has, and neither "
                        "would go on. Let all threads take devices in one order, or use no second device "
                        "while the first is in use (in a callback such as progress=)"
                    )
            self._lock.acquire()
            del _waits[me]
        except BaseException:  # an interrupt, perhaps just after it was acquired
            _waits.pop(me, None)
            if self._lock._is_owned():
                self._lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _closes_a_circle(wanted: Any, me: int) -> bool:
    """Whether who has `wanted` waits, perhaps through others, for this thread."""
    while True:
        found = next(((who, wants) for who, (wants, has) in _waits.items() if wanted in has), None)
        if found is None or found[0] == me:
            return found is not None
        wanted = found[1]
