"""Launch configurations: a kernel family's work-group size and tunables for each kind of device.

Each family has a class `LaunchConfig` and a table ``LAUNCH`` in its host half, which only
`LaunchTable.of` reads; others can be tried by ``CLGRAPH_LAUNCH=FILE`` (docs/howto/new-device.md). A
configuration with a method ``within(device)`` is cut to the device's limits: some devices have 16 KB of local
memory, or work-groups of at most 64 work-items, or of one.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, Literal, Protocol, Self, TypeVar, get_args

from clgraph.errors import InputError

Kind = Literal["gpu", "cpu", "fpga", "emulator", "simulator"]
C = TypeVar("C")


class DeviceLimits(Protocol):
    """The part of `Device` that a launch table reads."""

    @property
    def kind(self) -> Kind:
        """clgraph's word for what it is."""

    @property
    def max_work_group(self) -> int:
        """The largest work-group that it takes."""

    @property
    def local_memory(self) -> int:
        """Bytes of local memory."""


def fit_group(size: int, device: DeviceLimits, each: int = 0) -> int:
    """Halve a work-group until the device takes it, with `each` bytes of local memory per work-item."""
    while size > 1 and (size > device.max_work_group or size * each > device.local_memory):
        size //= 2
    return size


def fit_local(size: int, nbytes: int, device: DeviceLimits) -> int:
    """Halve a size that takes `nbytes` of local memory until the device has them."""
    while size > 1 and nbytes > device.local_memory:
        size, nbytes = size // 2, nbytes // 2
    return size


@dataclass(frozen=True)
class WorkGroup:
    """A launch configuration with a work-group; sub-classes add further tunables.

    Attributes
    ----------
    local : int
        Work-items in a group, a power of two.
    EACH : int
        Bytes of local memory per work-item.
    POWERS : tuple of str
        The tunables that must be powers of two; classes without a work-group may have them, too.
    """

    local: int
    EACH: ClassVar[int] = 0
    POWERS: ClassVar[tuple[str, ...]] = ("local",)

    def within(self, device: DeviceLimits) -> Self:
        """Cut it to a device's limits."""
        return replace(self, local=fit_group(self.local, device, each=self.EACH))


@dataclass(frozen=True)
class WorkGroupPerRun(WorkGroup):
    """A launch configuration in which each of many runs has a work-group.

    Attributes
    ----------
    runs : int
        A good number of runs to start with.
    """

    runs: int


class AsCPU(Enum):
    """The type of `AS_CPU`."""

    AS_CPU = "as on a CPU"


#: an entry of its own rather than None: in a table of optional values None means what it says
AS_CPU: Final = AsCPU.AS_CPU


@dataclass(frozen=True, kw_only=True)
class LaunchTable(Generic[C]):
    """The launch configurations of a kernel family, one for each kind of device.

    Attributes
    ----------
    gpu, cpu, simulator : C
        The simulator gets small numbers, so that graphs of 50 vertices go through every branch and span
        several work-groups.
    emulator, fpga : C, optional
        By default as on a CPU: few work-items with long serial runs.
    """

    gpu: C
    cpu: C
    simulator: C
    emulator: C | AsCPU = AS_CPU
    fpga: C | AsCPU = AS_CPU

    def __getitem__(self, kind: Kind) -> C:
        found: C | AsCPU = getattr(self, kind)
        return self.cpu if isinstance(found, AsCPU) else found

    def of(self, device: DeviceLimits) -> C:
        """Return a device's configuration, or what the file of ``CLGRAPH_LAUNCH`` has, cut to its limits."""
        found = self[device.kind]
        if path := os.environ.get("CLGRAPH_LAUNCH"):
            found = _tried(self, found, path)
        within = getattr(found, "within", None)
        return found if within is None else within(device)


# --- Configurations to try, of a file: {"csr.scan.LAUNCH": {"local": 128}, "ranking.sell.ROWS": 4} ---

MOST = 1 << 30  # twice as many are still an int of OpenCL C


@cache
def configurations(path: str) -> dict[str, Any]:
    """Return what a file of ``CLGRAPH_LAUNCH`` has, by ``MODULE.TABLE``, names of tables of clgraph's."""
    try:
        read = dict(json.loads(Path(path).read_text(encoding="utf-8")).items())
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(f"CLGRAPH_LAUNCH={path}: not a readable JSON object: {error}") from error
    for name in read:
        home, _, table = name.rpartition(".")
        place = Path(__file__).parent.parent.joinpath(*home.split("."))
        source = next((f for f in (place.with_suffix(".py"), place / "__init__.py") if f.is_file()), None)
        pattern = rf"(?m)^{re.escape(table)}\b[^=\n]*= LaunchTable\("
        if source is None or not re.search(pattern, source.read_text(encoding="utf-8")):
            raise InputError(
                f"CLGRAPH_LAUNCH={path}: no launch table {name!r}: use a name as csr.scan.LAUNCH"
            )
    return read


def _tried(table: LaunchTable[C], found: C, path: str) -> C:
    """Return a configuration with the file's values in place of its own."""
    for name, values in configurations(path).items():
        home, _, variable = name.rpartition(".")
        if getattr(sys.modules.get(f"clgraph.{home}"), variable, None) is not table:
            continue
        where, all_ours = f"CLGRAPH_LAUNCH={path}: {name}", [table[kind] for kind in get_args(Kind)]
        if not is_dataclass(found) or isinstance(found, type):
            return _like(found, values, all_ours, where)
        known = [field.name for field in fields(found)]
        if not isinstance(values, dict) or not values.keys() <= set(known):
            raise InputError(f"{where}: use an object with any of {', '.join(known)}")
        largest = getattr(found, "LARGEST", {})
        for key, value in values.items():
            ours = [getattr(each, key) for each in all_ours]
            made = _like(getattr(found, key), value, ours, f"{where}.{key}", largest.get(key, MOST))
            parts = made if isinstance(made, tuple) else (made,)
            if key in getattr(found, "POWERS", ()) and any(part and part & (part - 1) for part in parts):
                raise InputError(f"{where}.{key} is {made!r}: use powers of two alone")
            found = replace(found, **{key: made})
        return found
    return found


def _like(ours: Any, value: Any, all_ours: list[Any], where: str, most: int = MOST) -> Any:
    """Return a value of the same kind as ours, and in the range of ours for all devices.

    Raises
    ------
    InputError
        If it is not such a value.
    """
    value = tuple(value) if isinstance(value, list) else value
    if isinstance(ours, tuple):
        if not isinstance(value, tuple) or [*map(type, ours)] != [*map(type, value)]:
            raise InputError(f"{where} is {value!r}: use a value like ours, {ours!r}")
        return tuple(_like(mine, one, all_ours, where) for mine, one in zip(ours, value, strict=True))
    if type(ours) is not type(value):
        raise InputError(f"{where} is {value!r}: use a value like ours, {ours!r}")
    words = {each for each in all_ours if isinstance(each, str)}
    if isinstance(value, str) and value not in words:
        raise InputError(f"{where} is {value!r}: use one of {', '.join(sorted(words))}")
    if type(value) is int:
        # 0 means something where one of ours is 0
        least = min([1, *(each for each in all_ours if type(each) is int)])
        if not least <= value <= most:
            raise InputError(f"{where} is {value}: use a number from {least} to {most}")
    return value
