"""Profiles of kernels and copies on a device, timed by its driver."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.device.cache import write_atomically
from clgraph.results import Shown

if TYPE_CHECKING:
    from clgraph.device.device import Device


@dataclass(frozen=True)
class Activity:
    """One kernel or copy.

    Attributes
    ----------
    name : str
        The kernel's name, or "upload", "download", "copy".
    where : str
        The kernel's file; of copies "".
    nbytes : int
        Of a copy: what it moves. Of a kernel: the size of all buffers that it was given, which it need not
        read or write whole.
    start, seconds : float
        In seconds; `start` since the first one.
    size : tuple of int
        Work-items of a kernel.
    """

    name: str
    where: str
    nbytes: int
    start: float
    seconds: float
    size: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Profile(Shown):
    """The kernels and copies of a block, see `profile`; complete when the block has ended.

    Attributes
    ----------
    activities : list of Activity
        In the order in which they were enqueued.
    device : str
    """

    activities: list[Activity] = field(default_factory=list)
    device: str = ""

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each kernel and kind of copy: name, calls, seconds, bytes; the longest first."""
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for each in self.activities:
            row = rows.setdefault(
                (each.where, each.name),
                {"name": each.name, "file": each.where, "calls": 0, "seconds": 0.0, "bytes": 0},
            )
            row["calls"] += 1
            row["seconds"] += each.seconds
            row["bytes"] += each.nbytes
        return sorted(rows.values(), key=lambda row: -row["seconds"])

    @property
    def seconds(self) -> float:
        """Time of all kernels and copies together."""
        return sum(each.seconds for each in self.activities)

    def __str__(self) -> str:
        lines = [f"{'':28} {'calls':>7} {'total us':>12} {'us a call':>10} {'GB':>8}"]
        lines += [
            f"{row['name']:28} {row['calls']:7d} {row['seconds'] * 1e6:12.1f} "
            f"{row['seconds'] * 1e6 / row['calls']:10.1f} {row['bytes'] / 1e9:8.3f}"
            for row in self.table
        ]
        return "\n".join(lines)

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Write a trace for ``chrome://tracing`` or Perfetto: JSON, times in microseconds."""
        write_traces(path, [(self.device, self)])

    def _facts(self) -> dict[str, Any]:
        rows = self.table
        return {
            "activities": len(self.activities),
            "seconds": self.seconds,
            **{
                f"{row['name']} ({row['calls']} calls)": f"{row['seconds'] * 1e6:.1f} us" for row in rows[:12]
            },
            "device": self.device,
        }


def write_traces(path: str | os.PathLike[str], profiles: Sequence[tuple[str, Profile]]) -> None:
    """Write one trace of several devices, each with a name; its time begins with its first activity."""
    events: list[dict[str, Any]] = []
    for number, (name, profile) in enumerate(profiles):
        about = {"ph": "M", "pid": number}
        events.append({**about, "name": "process_name", "args": {"name": name}})
        for lane, what in enumerate(("kernels", "copies")):
            events.append({**about, "name": "thread_name", "tid": lane, "args": {"name": what}})
        events += [
            {
                "name": each.name,
                "cat": "kernel" if each.where else "copy",
                "ph": "X",
                "pid": number,
                "tid": 0 if each.where else 1,
                "ts": each.start * 1e6,
                "dur": each.seconds * 1e6,
                "args": {"file": each.where, "bytes": each.nbytes, "work-items": list(each.size)},
            }
            for each in profile.activities
        ]
    trace = {"traceEvents": events, "otherData": {"device": ", ".join(name for name, _ in profiles)}}
    write_atomically(Path(path), json.dumps(trace).encode(), mode=0o666)


@contextmanager
def profile(device: Device | str | None = None) -> Iterator[Profile]:
    """Measure every kernel and copy on a device while a block runs.

    Parameters
    ----------
    device : Device or str, optional
        As in `clgraph.get_device`.

    Yields
    ------
    Profile
        Filled when the block ends: print it, look at `Profile.table`, or write a trace.

    Notes
    -----
    Commands go to a queue of the device's context that records times: arrays that ``arrays="device"`` gives
    within the block are on that queue.

    Examples
    --------
    >>> import clgraph
    >>> graph = clgraph.powerlaw_graph(1000, seed=1)
    >>> with clgraph.profile() as measured:
    ...     found = clgraph.bfs(graph, 0)
    >>> "bfs" in " ".join(row["name"] for row in measured.table)
    True
    """
    from clgraph.device.choosing import get_device

    dev = get_device(device)
    measured = Profile(device=dev.name)
    with dev.timed() as notes:
        try:
            yield measured
        finally:
            dev.finish()
            measured.activities.extend(_activities(notes))


def _activities(notes: list[Any]) -> list[Activity]:
    times = [(note.event.profile.start, note.event.profile.end) for note in notes]
    first = min((begin for begin, _ in times), default=0)
    return [
        Activity(note.name, note.where, note.nbytes, (begin - first) * 1e-9, (end - begin) * 1e-9, note.size)
        for note, (begin, end) in zip(notes, times, strict=True)
    ]
