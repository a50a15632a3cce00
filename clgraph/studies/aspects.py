"""Methods compared by aspect (degrees, clustering, paths, spectrum, cores, communities) and over all of them.

The distance of a sample from its original in a measure is the difference as a share of the original's value,
at most 1; of a Kolmogorov-Smirnov distance itself; 1 where the sample lacks a measure that the original has.
In an aspect it is the mean over the aspect's measures, over all the weighted mean of the aspects. Means over
the seeds have 95 % intervals by Student's t.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import exact_number, shown
from clgraph.drawing import t_interval, thousands
from clgraph.errors import InputError
from clgraph.methods import METHODS
from clgraph.studies.columns import COMPARED, Row, original_value
from clgraph.studies.plan import Plan, Tolerance

ASPECTS: dict[str, tuple[str, ...]] = {
    "degrees": (
        *("average_degree", "assortativity", "degree_exponent", "degree_exponent_mle"),
        *("rank_exponent", "ks_degree", "ks_in_degree", "ks_out_degree"),
    ),
    "clustering": ("clustering", "transitivity", "ks_clustering"),
    "paths": (
        *("effective_diameter", "mean_distance", "hop_plot_exponent", "ks_hop_plot"),
        "weighted_distance",
    ),
    "spectrum": ("eigen_exponent",),
    "cores": ("ks_core_number",),
    "communities": ("modularity",),
}
OVERALL = "over all"
MOST = 1.0  # so that one measure far off (a tiny original) does not decide the mean over all
# starts per vertex above which a sample is rather a set of starts than what its method spreads to
MANY_RESTARTS = 0.01
NAMED = 6  # methods that a sentence lists
Floats = npt.NDArray[np.float64]


def check_weights(weights: Mapping[str, Any] | str | None) -> dict[str, float]:
    """Check weights of aspects, a text such as ``degrees=2,spectrum=0`` or a mapping.

    An aspect that is not named has weight 1.

    Raises
    ------
    InputError
        An unknown aspect, no number of 0 or more, or nothing but zeros.
    """
    if isinstance(weights, str):
        pairs = [part.partition("=") for part in weights.split(",") if part.strip()]
        given: Mapping[str, Any] = {name.strip(): value.strip() for name, _, value in pairs}
        if len(given) < len(pairs):
            raise InputError(f"weights: {shown(weights)} names an aspect twice; give each one weight")
    else:
        given = {} if weights is None else weights
    if not isinstance(given, Mapping):
        raise InputError(f"weights are {shown(weights)}: give a text such as 'degrees=2,spectrum=0'")
    found = dict.fromkeys(ASPECTS, 1.0)
    for name, value in given.items():
        if name not in ASPECTS:
            raise InputError(f"weights: {shown(name)} is no aspect; use {', '.join(ASPECTS)}")
        number = None if isinstance(value, bool) else exact_number(str(value).strip())
        if number is None or not 0 <= number <= Fraction(10**9):
            raise InputError(f"the weight of {name} is {shown(value)}: give a number from 0 to 1e9")
        found[name] = float(number)
    if not any(found.values()):
        raise InputError("all weights are 0: give at least one aspect a weight above 0")
    return found


@dataclass(frozen=True)
class Place:
    """A method's distance from the original.

    Attributes
    ----------
    method : str
    distance : float
        The mean over the seeds, from 0 (like the original) to 1.
    low, high : float or None
        Its 95 % interval; None for a single seed.
    """

    method: str
    distance: float
    low: float | None
    high: float | None

    def text(self) -> str:
        """Return distance and interval in %."""
        interval = "" if self.low is None else f" ({100 * self.low:.1f} to {100 * (self.high or 0):.1f})"
        return f"{100 * self.distance:.1f} %{interval}"


@dataclass(frozen=True)
class Choice:
    """The methods at one size in one aspect, nearest to the original first.

    Attributes
    ----------
    aspect : str
        A key of `ASPECTS`, or "over all".
    size : str
    target : int
        The vertices that the size amounts to.
    tolerance : float
        The distance that is accepted: the mean of what each measure may differ.
    places : tuple of Place
    """

    aspect: str
    size: str
    target: int
    tolerance: float
    places: tuple[Place, ...]

    @property
    def method(self) -> str:
        """The nearest method."""
        return self.places[0].method

    @property
    def alike(self) -> tuple[str, ...]:
        """Methods that are not distinguishable from the nearest one: their intervals overlap its interval."""
        top = self.places[0].high
        return tuple(
            each.method
            for each in self.places[1:]
            if each.low is not None and top is not None and each.low <= top
        )

    @property
    def within(self) -> tuple[str, ...]:
        """Methods whose whole interval is within the tolerance."""
        return tuple(each.method for each in self.places if self.accepts(each))

    def accepts(self, place: Place) -> bool:
        """True if the whole interval of a place is within the tolerance."""
        return (place.distance if place.high is None else place.high) <= self.tolerance

    def text(self) -> str:
        """Return what to take, in a line."""
        return f"{named(self.method)}, {self.places[0].text()} from the original{self.beside()}"

    def beside(self) -> str:
        """Return from which methods the nearest one cannot be told apart, as the end of a sentence."""
        if len(self.places) == 1:
            return ""
        if self.places[0].low is None:
            return "; a single seed has no interval, so methods cannot be told apart"
        if not self.alike:
            return "; distinguishable from all others"
        return f"; not distinguishable from {listed(self.alike)}"


def named(method: str) -> str:
    """Return a method's code with its name in words."""
    return f"{method} ({words_of(method)})" if method in METHODS else method


def words_of(method: str) -> str:
    """Return a method's name in words."""
    return METHODS[method].words.replace("_", " ") if method in METHODS else method


def listed(methods: Iterable[str]) -> str:
    """Return some codes as text; of many the first, and how many more there are."""
    every = list(methods)
    # "and 1 more" would take the room of the one
    some = every if len(every) <= NAMED + 1 else every[:NAMED]
    more = f" and {len(every) - len(some)} more" if len(some) < len(every) else ""
    return f"{', '.join(some)}{more}"


def distance(measure: str, value: float | None, original: float | None) -> float | None:
    """Return the distance of a sample from its original in a measure; None where it is not defined."""
    if measure.startswith("ks_"):
        return MOST if value is None else float(value)
    if original is None or original == 0:
        return None
    return MOST if value is None else min(MOST, abs(value - original) / abs(original))


class Distances:
    """Distances of all samples of a study from the original.

    Parameters
    ----------
    plan : Plan
    rows : list of dict
        Those of the study.
    original : dict
    tolerance : Tolerance
    weights : dict of str to float

    Attributes
    ----------
    aspects : dict of str to list of str
        The measures of each aspect that the original has; aspects of weight 0 are there, too.
    """

    def __init__(
        self,
        plan: Plan,
        rows: Iterable[Row],
        original: Row,
        tolerance: Tolerance,
        weights: Mapping[str, float],
    ) -> None:
        self._plan, self._weights = plan, weights
        values = {measure: original_value(original, measure) for measure in COMPARED}
        kept = [m for m, value in values.items() if value is not None and distance(m, 0.0, value) is not None]
        of_aspect = {aspect: [m for m in measures if m in kept] for aspect, measures in ASPECTS.items()}
        self.aspects = {aspect: measures for aspect, measures in of_aspect.items() if measures}
        groups: dict[tuple[str, str], list[list[float | None]]] = {}
        for row in rows:
            found = [distance(m, row[m], original.get(m)) for m in kept]
            groups.setdefault((row["method"], row["size"]), []).append(found)
        # by method and size: samples x measures
        self._found = {key: np.array(group, np.float64) for key, group in groups.items()}
        self._column = {measure: i for i, measure in enumerate(kept)}
        self._allowed = {m: min(MOST, tolerance.share(m, original.get(m))) for m in kept}

    def of_measure(self, method: str, measure: str) -> float | None:
        """Return the mean distance of a method's samples of all sizes in a measure."""
        column = self._column.get(measure)
        found = [group[:, column] for (name, _), group in self._found.items() if name == method]
        return float(np.concatenate(found).mean()) if found and column is not None else None

    def samples(self, method: str, size: str, aspect: str) -> Floats:
        """Return the distance of each sample of a method and size in an aspect."""
        group = self._found[method, size]
        if aspect != OVERALL:
            return group[:, [self._column[m] for m in self.aspects[aspect]]].mean(axis=1)
        return self._mean([self.samples(method, size, each) for each in self.aspects])

    def allowed(self, aspect: str) -> float:
        """Return the distance that is accepted in an aspect."""
        if aspect != OVERALL:
            return float(np.mean([self._allowed[m] for m in self.aspects[aspect]]))
        return float(self._mean([np.array([self.allowed(each)]) for each in self.aspects])[0])

    def _mean(self, by_aspect: list[Floats]) -> Floats:
        return np.average(by_aspect, axis=0, weights=[self._weights[each] for each in self.aspects])

    @property
    def names(self) -> list[str]:
        """What methods can be compared in: over all, then each aspect; nothing if no weight is left."""
        overall = any(self._weights[each] for each in self.aspects)
        return [OVERALL, *self.aspects] if overall else list(self.aspects)

    def choices(self) -> list[Choice]:
        """Return the methods in order, for each size (largest first) over all and in each aspect."""
        plan, made = self._plan, []
        for target, size in sorted(zip(plan.targets, plan.sizes, strict=True), reverse=True):
            for aspect in self.names:
                methods = [m for m in plan.methods if (m, size) in self._found]
                places = [place_of(m, self.samples(m, size, aspect)) for m in methods]
                places.sort(key=lambda place: place.distance)
                if places:
                    made.append(Choice(aspect, size, target, self.allowed(aspect), tuple(places)))
        return made

    def overall(self, method: str) -> Place | None:
        """Return a method's distance over all aspects and sizes."""
        if OVERALL not in self.names:
            return None
        found = [self.samples(m, size, OVERALL) for m, size in self._found if m == method]
        # a run's samples of several sizes are not independent: each run counts once
        return place_of(method, np.mean(found, axis=0)) if found else None


def place_of(method: str, distances: Floats) -> Place:
    """Return the mean distance of a method's samples with its interval, which stays between 0 and 1."""
    low, high = t_interval(distances)
    if low is None or high is None:
        return Place(method, float(distances.mean()), None, None)
    return Place(method, float(distances.mean()), max(0.0, low), min(MOST, high))


def smallest_within(choices: list[Choice]) -> tuple[Choice, Place] | None:
    """Return the smallest size at which methods are within the tolerance over all, and the nearest of them.

    The method has to be within the tolerance at all larger sizes, too.
    """
    still: set[str] | None = None
    best = None
    for choice in choices:
        if choice.aspect != OVERALL:
            continue
        inside = set(choice.within)
        still = inside if still is None else still & inside
        if still:
            best = choice, next(place for place in choice.places if place.method in still)
    return best


def winner(choices: list[Choice]) -> tuple[Choice, Place] | None:
    """Return size and method that the answer names; None if nothing could be compared.

    These are the smallest size within the tolerance, or where all fail the nearest of all.
    """
    overall = [choice for choice in choices if choice.aspect == OVERALL]
    if found := smallest_within(choices):
        return found
    if not overall:
        return None
    nearest = min(overall, key=lambda each: each.places[0].distance)
    return nearest, nearest.places[0]


def headline(choices: list[Choice], warned: Iterable[str] = ()) -> str:
    """Return the answer over all aspects in one sentence."""
    overall = [choice for choice in choices if choice.aspect == OVERALL]
    if not overall:
        return "Nothing could be compared: no measure with a weight is defined for the original."
    accepted = 100 * overall[0].tolerance
    if found := smallest_within(choices):
        choice, place = found
        text = f"Take {named(place.method)} at {choice.size}: the smallest sample within the tolerance "
        text += "over all, "
        text += f"{place.text()} from the original; {accepted:.1f} % are accepted"
        others = [p.method for p in choice.places if p.method != place.method and _overlap(p, place)]
    else:
        choice = min(overall, key=lambda each: each.places[0].distance)
        place, others = choice.places[0], list(choice.alike)
        text = f"No size is within the tolerance over all ({accepted:.1f} %). Nearest is "
        text += f"{named(place.method)} at {choice.size}: {place.text()} from the original"
    if place.low is None and len(choice.places) > 1:
        text += "; a single seed cannot tell methods apart"
    elif others:
        text += f"; not distinguishable from {listed(others)}"
    return text + (". But see the warning below." if place.method in set(warned) else ".")


def _overlap(one: Place, other: Place) -> bool:
    ends = (one.low, one.high, other.low, other.high)
    return None not in ends and one.low <= other.high and other.low <= one.high  # type: ignore[operator]


def warnings_of(
    plan: Plan, rows: Iterable[Row], original: Row, restarts: Mapping[str, Mapping[str, Mapping[str, int]]]
) -> dict[str, list[str]]:
    """Return what is to be known of each method before it is used: collapsed sizes, thousands of restarts."""
    largest = original["largest_component"] if original.get("largest_component") else None
    groups: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        groups.setdefault(row["method"], {}).setdefault(row["size"], []).append(row)
    made: dict[str, list[str]] = {}
    for method in plan.methods:
        started, shrunk = [], []
        for target, size in sorted(zip(plan.targets, plan.sizes, strict=True), reverse=True):
            group = groups.get(method, {}).get(size, [])
            if not group:
                continue
            vertices = np.array([row["vertices"] for row in group], np.float64)
            starts = restarts.get(method, {}).get(size, {})
            mean = sum(starts.get(str(row["seed"]), 0) for row in group) / len(group)
            if mean > max(1.0, MANY_RESTARTS * float(vertices.mean())):
                times, mean_size = thousands(round(mean)), thousands(round(vertices.mean()))
                started.append(f"{times} times for {mean_size} vertices at {size}")
            wanted = target if largest is None else min(target, largest)
            if few := [row["vertices"] for row in group if 2 * row["vertices"] < wanted]:
                which = "all" if len(few) == len(group) else f"{len(few)} of {len(group)}"
                shrunk.append(
                    f"{which} at {size} (down to {thousands(min(few))} of {thousands(wanted)} vertices)"
                )
        lines = []
        if started:
            lines.append(f"{named(method)} started again at new vertices {', '.join(started)}, on average")
        if shrunk:
            lines.append(f"samples of {named(method)} collapsed: {', '.join(shrunk)}")
        if lines:
            made[method] = lines
    return made
