"""Arrays at addresses that every CPU driver uses in place.

Intel's runtimes take a host array as a buffer without a copy only if it starts at a multiple of 128 bytes
(their CL_DEVICE_MEM_BASE_ADDR_ALIGN); NumPy's own allocations start at a multiple of 16. PoCL takes any.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

ALIGNMENT = 128


def aligned_empty(
    shape: int | tuple[int, ...], dtype: npt.DTypeLike, alignment: int = ALIGNMENT
) -> npt.NDArray[Any]:
    """As ``np.empty``, but starting at a multiple of `alignment` bytes."""
    kind = np.dtype(dtype)
    nbytes = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    room = np.empty(nbytes + alignment, np.uint8)
    start = -room.ctypes.data % alignment
    return room[start : start + nbytes].view(kind).reshape(shape)


def aligned(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array itself if it is contiguous and starts at a multiple of 128 bytes, else a copy that does."""
    if array.flags.c_contiguous and (array.ctypes.data % ALIGNMENT == 0 or array.size == 0):
        return array
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy
