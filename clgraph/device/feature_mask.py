"""``CLGRAPH_WITHOUT``: features that a device has and shall not be used, and limits lower than its own.

With it any device stands in for a poorer one: `Hardware` states the lower limits, `Device.features` lacks
what is hidden, and launches, local memory and buffers beyond the limits are refused as that device would.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from clgraph.errors import DeviceError

#: every feature beyond the baseline that kernels ask for, as ``HAVE_...`` without its beginning
FEATURES = (
    "FP64",
    "INT64_ATOMICS",
    "SUBGROUPS",
    "WORKGROUP_FUNCTIONS",
    "C11_ATOMICS",
    "FLOAT_ATOMICS",
    "PTX",
    "PREFETCH",
)
#: the limits, and the attribute of `clgraph.device.hardware.Hardware` that each lowers
LIMITS = {
    "work_group": "max_work_group",
    "local_memory": "local_memory",
    "buffer": "max_buffer",
    "memory": "global_memory",
}
VARIABLE = "CLGRAPH_WITHOUT"


@dataclass(frozen=True)
class Without:
    """What is hidden of a device; by default nothing.

    Attributes
    ----------
    features : frozenset of str
        Of `FEATURES`.
    compiler : bool
        Whether its compiler is hidden, as on a real FPGA board.
    limits : tuple of (str, int)
        Attributes of `Hardware`, each with the most that it may be.
    """

    features: frozenset[str] = frozenset()
    compiler: bool = False
    limits: tuple[tuple[str, int], ...] = field(default=())

    @staticmethod
    def wanted(text: str | None = None) -> Without:
        """What a text such as ``fp64,work_group=64,buffer=128M`` hides; by default that of the environment.

        Raises
        ------
        DeviceError
            If it names what there is not.
        """
        given = os.environ.get(VARIABLE, "") if text is None else text
        words = [word.strip() for word in given.split(",") if word.strip()]
        features: set[str] = set()
        limits: dict[str, int] = {}
        for word in words:
            name, equals, value = (part.strip() for part in word.lower().partition("="))
            if equals and name in LIMITS:
                limits[LIMITS[name]] = _number(word, value)
            elif not equals and name == "features":
                features |= set(FEATURES)
            elif not equals and name.upper() in FEATURES:
                features.add(name.upper())
            elif equals or name != "compiler":
                raise DeviceError(
                    f"{VARIABLE}: {word!r} is no feature and no limit: use {_words()}, separated by commas"
                )
        compiler = any(word.lower() == "compiler" for word in words)
        return Without(frozenset(features), compiler, tuple(sorted(limits.items())))

    def lowered(self, facts: dict[str, int]) -> dict[str, int]:
        """Attributes of `Hardware` with these limits."""
        limits = dict(self.limits)
        return {name: min(value, limits.get(name, value)) for name, value in facts.items()}

    def __str__(self) -> str:
        """As `wanted` reads it; empty if nothing is hidden."""
        names = {attribute: name for name, attribute in LIMITS.items()}
        words = sorted(feature.lower() for feature in self.features)
        words += ["compiler"] if self.compiler else []
        return ",".join(words + [f"{names[name]}={most}" for name, most in self.limits])


def _words() -> str:
    features = ", ".join(name.lower() for name in FEATURES)
    return f"{features}, features (all of these), compiler, {', '.join(f'{name}=N' for name in LIMITS)}"


def _number(word: str, value: str) -> int:
    found = re.fullmatch(r"(\d{1,15})([kmg]?)", value)
    number = int(found[1]) << 10 * " kmg".index(found[2] or " ") if found else 0
    if number < 1:
        raise DeviceError(
            f"{VARIABLE}: {word!r} is no limit: give a whole number from 1 on, or one with K, M or G"
        )
    return number
