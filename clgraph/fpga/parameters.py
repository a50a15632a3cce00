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
    check(values)
    return values


def check_together(values: dict[str, int]) -> None:
    """Raise an InputError if the parameters, given in full, do not fit together."""
    if values["ARC_BLOCK"] % values["UNROLL"]:
        raise InputError(
            f"parameter ARC_BLOCK={values['ARC_BLOCK']}: it must be a multiple of UNROLL={values['UNROLL']}"
        )


def check(values: dict[str, int]) -> None:
    """Raise an InputError for a value that the pipelines cannot be built with."""
    for name, value in values.items():
        problem = ""
        if name == "OFFSET_BITS" and value not in (32, 64):
            problem = "offsets have 32 or 64 bits"
        elif name in SWITCHES and value not in (0, 1):
            problem = "it is 0 or 1"
        elif name == "ROW_BLOCK" and (value < 32 or value % 32):
            problem = "blocks are whole words of a bitmap: use a multiple of 32"
        elif name == "UNROLL" and (value < 1 or value > 32 or value & (value - 1)):
            problem = "a burst is a power of two of words, 32 at most"
        elif value < (0 if name in SWITCHES else 1) or value > 1 << 24:
            problem = "use 1 to 16777216"
        if problem:
            raise InputError(f"parameter {name}={value}: {problem}")
