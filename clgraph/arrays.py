"""Where a result's arrays shall be: on the host, or left on the device for kernels of the user's own."""

from __future__ import annotations

from typing import Any, Literal, get_args

from clgraph.errors import InputError

Arrays = Literal["host", "device"]


def on_device(arrays: Any) -> bool:
    """Whether they stay on the device; anything but the two words is refused."""
    if arrays not in get_args(Arrays):
        raise InputError(f"arrays is {arrays!r}: use 'host' or 'device'")
    return bool(arrays == "device")
