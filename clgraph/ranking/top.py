"""The k largest entries of vectors on a device: host half of ``cl/ranking/top.cl`` and ``top_keys.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.csr.sort import sort_by_key
from clgraph.device.launch_config import LaunchTable, WorkGroup
from clgraph.ranking.solver import launch_order

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration."""

    EACH: ClassVar[int] = 16


# one work-item on CPUs, where a barrier costs more than it saves
LAUNCH = LaunchTable(gpu=LaunchConfig(256), cpu=LaunchConfig(1), simulator=LaunchConfig(4))
MOST = 256  # for more, sorting all takes less time than taking them one by one


class Top:
    """Select the highest entries of vectors that are interleaved in lanes.

    Parameters
    ----------
    device : Device
    n, k : int
        Entries, and how many of them to select (at most n).
    lanes : int
        Vectors side by side; at most this many are selected from at once.
    real : type
        float32 or float64.
    scaled, numbered : bool
        Scores are multiplied by a scale; entries have numbers of their own.
    """

    def __init__(
        self,
        device: Device,
        n: int,
        k: int,
        lanes: int,
        real: type[np.floating[Any]],
        *,
        scaled: bool = False,
        numbered: bool = False,
    ) -> None:
        self.device, self.n, self.k, self.real = device, n, k, real
        self.local = LAUNCH.of(device).local
        self._across = self.local == 1 or self.local % lanes == 0  # a group takes all lanes of a chunk
        # a pass over chunks and one over a chunk cost the same at the root of n; small ones are not worth it
        self.chunk = min(n, max(self.local, 1 << (isqrt(n).bit_length())))
        self.chunks = -(-n // self.chunk)
        device.reserve({"best": lanes * self.chunks * np.dtype(real).itemsize})
        self.best = device.empty(lanes * self.chunks, real)
        self.who = device.empty(lanes * self.chunks, np.int32)
        self.top_name, self.top_score = device.empty(lanes * k, np.int32), device.empty(lanes * k, real)
        options = {"LANES": lanes, "LOCAL": self.local, "SCALED": scaled, "NUMBERED": numbered}
        real_name = "double" if real is np.float64 else "float"
        self._program = device.program("ranking/top", REAL=real_name, **options)

    def enqueue(self, lane: Any, count: int, score: Any, scale: Any = None, number: Any = None) -> None:
        """Select from `count` lanes (an int32 buffer names them); does not wait."""
        local, given = self.local, {"lane": lane, "score": score, "scale": scale, "number": number}
        groups = self.chunks * local, 1 if self._across else count
        self._program.top_chunks.launch(self, groups, local=(local, 1), **given)
        self._program.top_pick.launch(self, count * local, local=local, count=count, **given)

    def take(self, count: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
        """Names (or indices) and scores of the last selection, each (count, k); waits."""
        shape = (count, self.k)
        names = self.device.download(self.top_name, np.int32, count * self.k).reshape(shape)
        return names, self.device.download(self.top_score, self.real, count * self.k).reshape(shape)


def highest(
    device: Device, score: Any, n: int, k: int, real: type[np.floating[Any]]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
    """The k largest of a vector on a device, descending, and where they are; equal ones: smaller index first.

    Parameters
    ----------
    score : buffer of n `real`, not negative
    k : int
        1 to n.
    """
    if k <= MOST:
        one = Top(device, n, k, 1, real)
        one.enqueue(device.zeros(1, np.int32), 1, score)
        index, values = one.take(1)
        return index[0], values[0]
    items, size = device.tuning.items, np.dtype(real).itemsize
    words = size // 4  # the sort takes keys of 32 bits: the lower word first, and it is stable
    program = device.program("ranking/top_keys", WORDS=words, ITEMS=items)
    device.reserve({"keys": 8 * n, "entries": 8 * n})
    who = None
    for word in range(words):
        key = device.empty(n, np.uint32)
        program.top_keys(-(-n // items), n=n, word=word, score=device.bits(score), who=who, key=key)
        _, who = sort_by_key(device, key, n, 32, who)
    values = device.empty(k, real)
    launch_order(device, real, "gather", k, at=who, values=score, out=values)
    return device.download(who, np.int32, k), device.download(values, real, k)
