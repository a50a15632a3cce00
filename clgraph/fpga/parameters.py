"""The parameters that pipelines are built with, read from ``cl/fpga/parameters.h``, which defines them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from clgraph.device.program import kernel_folder
from clgraph.errors import InputError

_DEFINE = re.compile(r"^#define (\w+) (\d+)(?:[ \t]*// (.*))?$", re.MULTILINE)

SWITCHES = ("CHANNELS", "EARLY_OUT", "PULL_PARTITIONS")


@dataclass(frozen=True)
class Parameter:
    """A number that the pipelines are built with.

    Attributes
    ----------
    name : str
    board, emulator : int
        Default on a board, and on the emulator.
    meaning : str
    """

    name: str
    board: int
    emulator: int
    meaning: str


@cache
def known() -> dict[str, Parameter]:
    """All parameters, in the order of the header."""
    text = (kernel_folder() / "fpga" / "parameters.h").read_text()
    found: dict[str, Parameter] = {}
    for name, value, meaning in _DEFINE.findall(text):
        if name in found:  # its second value is the emulator's
            old = found[name]
            found[name] = Parameter(name, old.board, int(value), old.meaning)
        else:
            found[name] = Parameter(name, int(value), int(value), meaning)
    return found


def defaults(*, emulator: bool = False) -> dict[str, int]:
    """Every parameter's default."""
    return {p.name: p.emulator if emulator else p.board for p in known().values()}


def parse(settings: Iterable[str]) -> dict[str, int]:
    """Parse and check settings such as ``["UNROLL=8"]``.

    Raises
    ------
    InputError
        For an unknown parameter or an invalid value.
    """
    values: dict[str, int] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in known():
            raise InputError(f"no parameter {name!r} (in {setting!r}): there are {', '.join(known())}")
        if not text.isdigit():
            raise InputError(
                f"parameter {setting!r}: give a whole number, as in {name}={known()[name].board}"
            )
        values[name] = int(text)
        if problem := _problem(name, values[name]):
            raise InputError(f"parameter {name}={text}: {problem}")
    return values


def check_together(values: dict[str, int]) -> None:
    """Raise an InputError if the parameters, given in full, do not fit together."""
    if values["ARC_BLOCK"] % values["UNROLL"]:
        raise InputError(
            f"parameter ARC_BLOCK={values['ARC_BLOCK']}: it must be a multiple of UNROLL={values['UNROLL']}"
        )


def _problem(name: str, value: int) -> str:
    """Return why the pipelines cannot be built with a value; "" if they can."""
    if name == "OFFSET_BITS" and value not in (32, 64):
        return "offsets have 32 or 64 bits"
    if name in SWITCHES:
        return "" if value in (0, 1) else "it is 0 or 1"
    if name == "ROW_BLOCK" and (value < 32 or value % 32):
        return "blocks are whole words of a bitmap: use a multiple of 32"
    if name == "UNROLL" and value not in (1, 2, 4, 8, 16, 32):
        return "a burst is a power of two of words, 32 at most"
    return "" if 1 <= value <= 1 << 24 else "use 1 to 16777216"
