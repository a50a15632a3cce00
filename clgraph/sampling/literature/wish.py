"""What a sampler of the literature is asked for, checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.sampling.table import LITERATURE, Method


@dataclass(frozen=True)
class Strata:
    """Groups of vertices, each with a sample of its own.

    Attributes
    ----------
    code : int32 array, shape (n,)
        The number of each vertex's group.
    names : list
    wanted : list of int
        Vertices to take of each.
    """

    code: npt.NDArray[np.int32]
    names: list[Any]
    wanted: list[int]


@dataclass(frozen=True)
class Wish:
    """What to draw, checked; see `clgraph.sample`. None: not given. A stream without a graph has no view."""

    method: str
    view: Any
    keep: str
    size: Any = None
    target: int | None = None
    target_edges: int = 0
    direction: str = "both"
    mix: Fraction = Fraction(4, 5)
    starts: int | None = None
    strata: Strata | None = None
    start: tuple[int, ...] | None = None
    walkers: int = 1
    steps: int | None = None
    burn_in: int = 0
    thin: int = 1
    patience: int = 1000
    p: Fraction = Fraction(0)
    r: Fraction = Fraction(0)
    alpha: Fraction = Fraction(1)
    c: int = 1
    k: int = 0
    stages: int | None = None
    share: Fraction = Fraction(1, 10)
    powers: tuple[int, int, int] = (0, 0, 0)
    mode: str = "auto"
    walks: bool = False
    parts: int = 1
    labels: npt.NDArray[np.int32] | None = None
    q: Fraction = Fraction(7, 10)
    closing: bool = False
    triangles: int = 9
    block: int = 1
    notes: tuple[str, ...] = field(default=())

    @property
    def plan(self) -> Method:
        """The method's entry."""
        return LITERATURE[self.method]

    @property
    def kind(self) -> str:
        """What it draws."""
        return self.plan.kind

    @property
    def serial(self) -> bool:
        """Whether a run is a chain of steps that no device makes faster."""
        return self.kind == "stream" or (self.method == "chordal" and self.mode == "exact")

    @property
    def mix_word(self) -> int:
        """`mix` in units of 2^-32."""
        return floor(self.mix * 2**32)
