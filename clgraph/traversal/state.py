"""A search's counters on the device, which the host reads once a level: cl/traversal/search.h and many.h."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from clgraph.device import Device

STATE_SIZE = 28  # words
# fields of a level's slot; the arcs stand elsewhere where many searches go on together
COUNT, LONGS, ARCS = 0, 1, 2
MANY_ARCS = 5


def read_state(dev: Device, state: Any) -> npt.NDArray[np.uint32]:
    """The words of a state; waits."""
    return dev.download(state, np.uint32, STATE_SIZE)


def slot(level: int) -> int:
    """Where a level's counters begin: three slots take turns."""
    return 4 + 8 * (level % 3)


def read_slot(state: npt.NDArray[np.uint32], level: int) -> tuple[int, int, int]:
    """Of the frontier of one search: vertices, pieces of long rows, arcs in units of 2^shift."""
    at = slot(level)
    return int(state[at + COUNT]), int(state[at + LONGS]), int(state[at + ARCS])


def read_slot_of_many(state: npt.NDArray[np.uint32], level: int) -> tuple[int, int]:
    """Of the frontier of many searches: vertices, and about how many arcs leave them."""
    at = slot(level)
    return int(state[at + COUNT]), int(state[at + MANY_ARCS])
