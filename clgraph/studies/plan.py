"""What a study is to do: methods, sizes and seeds, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from clgraph import keyed
from clgraph.arguments import exact_number, flag, shown, target_size, whole
from clgraph.errors import InputError
from clgraph.measures.optional import check_also
from clgraph.methods import known
from clgraph.sampling.request import check_method, check_min_size, check_request
from clgraph.studies.columns import COMPARED, MEASURES

TOLERANCE: dict[str, str] = {"ks": "0.1", "all": "10%"}


@dataclass(frozen=True)
class Plan:
    """A checked study.

    Attributes
    ----------
    methods : tuple of str
    sizes : tuple of str
        As asked for.
    targets : tuple of int
        The vertices that they amount to.
    seeds, seed : int
        How many runs of each method, and the first one's seed.
    min_size : int
        Samples with fewer vertices are drawn again with another seed; 0: none are.
    hop_sources : int
    eigenvalues : bool or None
    also : tuple of str
        Optional measures.
    """

    methods: tuple[str, ...]
    sizes: tuple[str, ...]
    targets: tuple[int, ...]
    seeds: int
    seed: int
    min_size: int
    hop_sources: int
    eigenvalues: bool | None
    also: tuple[str, ...] = ()

    @property
    def samples(self) -> int:
        """Number of samples."""
        return len(self.methods) * len(self.sizes) * self.seeds

    def to_dict(self) -> dict[str, Any]:
        """For JSON; `also` only if there are any, as it was before there could be."""
        found = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}
        return found if self.also else {name: value for name, value in found.items() if name != "also"}


def make_plan(
    graph: Any,
    methods: Any,
    sizes: Any,
    seeds: Any,
    seed: Any,
    min_size: Any,
    sources: Any,
    eigenvalues: Any,
    also: Any,
) -> Plan:
    """Check what `clgraph.study` was given."""
    named = _listed(methods, "methods", "drv, dre")
    wanted = _listed(sizes, "sizes", "50%, 30%")
    targets = []
    for each in wanted:
        targets.append(target_size(each, graph.num_vertices))
        if targets[-1] > graph.num_vertices:
            raise InputError(f"size {each} is larger than the graph ({graph.num_vertices} vertices)")
    if len(set(targets)) < len(targets):
        raise InputError(f"sizes {', '.join(map(str, wanted))}: two of them are the same number of vertices")
    short = []
    for method in map(check_method, named):
        # samplers of the literature may refuse a size: then no work is lost
        for each in wanted if known(method) is not None else [None]:
            check_request(graph, method, {}, each, strict=each is not None)
        short.append(method)
    if len(set(short)) < len(short):
        raise InputError(f"methods {', '.join(named)}: one is named twice")
    whole(seeds, "seeds", 1)
    # twice as many seeds as runs: those of samples that are drawn anew follow the planned ones
    first = keyed.check_seed(seed)
    keyed.check_seed(first + 2 * int(seeds))
    whole(sources, "hop_sources", 1)
    if eigenvalues is not None:
        flag(eigenvalues, "eigenvalues")
    least = 0 if min_size is None else min(check_min_size(min_size, graph, each) for each in short)
    if least > min(targets):
        raise InputError(
            f"min_size {shown(min_size)} is more than the smallest size, {min(targets)} vertices"
        )
    return Plan(
        tuple(short),
        tuple(str(each).strip() for each in wanted),
        tuple(targets),
        int(seeds),
        first,
        least,
        int(sources),
        eigenvalues,
        check_also(also),
    )


def _listed(given: Any, name: str, example: str) -> list[Any]:
    parts = [part.strip() for part in given.split(",")] if isinstance(given, str) else given
    if (
        not isinstance(parts, Sequence)
        or not len(parts)
        or any(isinstance(part, str) and not part for part in parts)
    ):
        raise InputError(f"{name} is {shown(given)}: give some, such as {example!r}")
    return list(parts)


@dataclass(frozen=True)
class Tolerance:
    """Largest difference between a measure and the original's.

    Attributes
    ----------
    of : dict of str to (float, bool)
        Bound of each compared measure, and whether it is a share of the original's value.
    """

    of: dict[str, tuple[float, bool]]

    def words(self, measure: str) -> str:
        """Return the bound of a measure as text."""
        bound, share = self.of[measure]
        return f"{100 * bound:g} %" if share else f"{bound:g}"

    def allowed(self, measure: str, original: float) -> float:
        """Return the largest difference that a measure may have."""
        bound, share = self.of[measure]
        return bound * abs(original) if share else bound

    def share(self, measure: str, original: float | None) -> float:
        """Return the largest difference as a share of the original's value; of KS distances it itself."""
        bound, share = self.of[measure]
        return bound if share or not original or measure.startswith("ks_") else bound / abs(original)


def check_tolerance(tolerance: Mapping[str, Any] | str | None) -> Tolerance:
    """Check a tolerance, a text such as ``ks=0.1,clustering=10%`` or a mapping.

    ``ks`` stands for all Kolmogorov-Smirnov distances, ``all`` for everything else that is not named.

    Raises
    ------
    InputError
        An unknown measure, or no number.
    """
    if isinstance(tolerance, str):
        pairs = [part.partition("=") for part in tolerance.split(",") if part.strip()]
        given: Mapping[str, Any] = {name.strip(): value.strip() for name, _, value in pairs}
    else:
        given = tolerance or {}
    if not isinstance(given, Mapping):
        raise InputError(f"tolerance is {shown(tolerance)}: give a text such as 'ks=0.1,clustering=10%'")
    bounds = {name: _bound(name, value) for name, value in {**TOLERANCE, **given}.items()}
    for name in given:
        if name not in (*COMPARED, *TOLERANCE):
            kind = "is not compared" if name in MEASURES else "is no measure"
            raise InputError(f"tolerance: {name} {kind}; use ks, all, {', '.join(COMPARED)}")
    return Tolerance(
        {name: bounds.get(name, bounds["ks" if name.startswith("ks_") else "all"]) for name in COMPARED}
    )


def _bound(name: str, value: Any) -> tuple[float, bool]:
    text = str(value).strip()
    share = text.endswith("%")
    number = exact_number(text.removesuffix("%").strip())
    if number is None or number < 0 or isinstance(value, bool):
        raise InputError(
            f"tolerance of {name} is {shown(value)}: give a number such as 0.1, or a share as 10%"
        )
    return float(number / Fraction(100) if share else number), share
