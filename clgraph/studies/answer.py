"""The answer of a study: which method to take at each size, and how small each measure lets a sample be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clgraph.drawing import NONE, figure
from clgraph.results import Shown
from clgraph.studies.aspects import OVERALL, Choice, Distances, headline, named, warnings_of, winner
from clgraph.studies.columns import COMPARED, Row, measures_of
from clgraph.studies.plan import Plan, Tolerance
from clgraph.studies.tables import GAP, WIDTH, blocks, folded

SIZES = 6  # in a terminal, and tables in a report: more nobody reads


@dataclass(frozen=True)
class Verdict:
    """The verdict of a study on one measure.

    Attributes
    ----------
    measure : str
    original : float or None
    smallest : dict of str to (str or None)
        For each method the smallest size that is within the tolerance, as all larger ones are; None: none is.
    method, size : str or None
        The smallest of these.
    """

    measure: str
    original: float | None
    smallest: dict[str, str | None]
    method: str | None
    size: str | None


@dataclass(frozen=True)
class Standing:
    """A method's standing among the methods.

    Attributes
    ----------
    method : str
    kept : dict of str to int
        For each size how many measures are within the tolerance there and at all larger sizes.
    deviation : float
        The mean distance of its samples from the original, over sizes and weighted aspects, from 0 to 1.
    low, high : float or None
        The 95 % interval of `deviation`; None for a single seed.
    """

    method: str
    kept: dict[str, int]
    deviation: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, repr=False)
class Answer(Shown):
    """What a study says: which method to take at each size, and how small each measure allows a sample to be.

    Attributes
    ----------
    choices : list of Choice
        For each size, the largest first, over all aspects and in each: methods by distance, with intervals,
        and which of them are not distinguishable from the nearest.
    verdicts : list of Verdict
    ranking : list of Standing
        The methods by their distance over all sizes and aspects, the nearest first.
    deviations : dict of (method, measure) to float
        The mean distance over samples and sizes.
    missing : dict of str to str
        Measures that have no part in this, and why.
    weights : dict of str to float
        Of the aspects.
    warnings : dict of str to list of str
        By method: sizes at which samples collapsed, and how often it started again.
    """

    choices: list[Choice]
    verdicts: list[Verdict]
    ranking: list[Standing]
    deviations: dict[tuple[str, str], float]
    missing: dict[str, str]
    weights: dict[str, float]
    warnings: dict[str, list[str]]

    @property
    def winner(self) -> tuple[str, str] | None:
        """Method and size that `headline` names; None if nothing could be compared."""
        found = winner(self.choices)
        return None if found is None else (found[1].method, found[0].size)

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return headline(self.choices, self.warnings)

    def _facts(self) -> dict[str, Any]:
        # a repr is a line
        overall = {choice.size: choice.method for choice in self.choices if choice.aspect == OVERALL}
        return {
            "nearest over all": ", ".join(f"{method} at {size}" for size, method in overall.items())
            or "none",
            "methods": " ".join(place.method for place in self.ranking) or "none",
            "warnings": len(self.warnings),
        }

    def __str__(self) -> str:
        """The answer at each size and the smallest sizes within the tolerance, in 80 columns."""
        return "\n".join(answer_lines(self))


def answer(
    plan: Plan,
    rows: list[Row],
    original: Row,
    summary: list[Row],
    tolerance: Tolerance,
    missing: dict[str, str],
    weights: dict[str, float],
    restarts: Mapping[str, Any],
) -> Answer:
    """Answer from rows and summary; a size is within a tolerance if the 95 % interval of its mean is."""
    by = {(row["method"], row["size"], row["measure"]): row for row in summary}
    order = sorted(zip(plan.targets, plan.sizes, strict=True), reverse=True)
    distances = Distances(plan, rows, original, tolerance, weights)
    verdicts, deviations, asked = [], {}, measures_of(plan.also)
    within = {(method, size): 0 for method in plan.methods for size in plan.sizes}
    for measure in COMPARED:
        if measure in missing or measure not in asked:
            continue
        smallest: dict[str, str | None] = {}
        best: tuple[int, str, str] | None = None
        for method in plan.methods:
            smallest[method] = None
            # from the largest size on: one that is outside ends what the method keeps
            for target, size in order:
                if not _within(by[method, size, measure], tolerance):
                    break
                within[method, size] += 1
                smallest[method] = size
                if best is None or target < best[0]:
                    best = target, method, size
            defined = any(by[method, size, measure]["defined"] for size in plan.sizes)
            if defined and (gap := distances.of_measure(method, measure)) is not None:
                deviations[method, measure] = gap
        whole = by[plan.methods[0], plan.sizes[0], measure]["original"]
        verdicts.append(Verdict(measure, whole, smallest, *(best[1:] if best else (None, None))))
    places = []
    for method in plan.methods:
        if found := distances.overall(method):
            kept = {size: within[method, size] for size in plan.sizes}
            places.append(Standing(method, kept, found.distance, found.low, found.high))
    places.sort(key=lambda place: place.deviation)
    warnings = warnings_of(plan, rows, original, restarts)
    return Answer(distances.choices(), verdicts, places, deviations, missing, weights, warnings)


def _within(row: Row, tolerance: Tolerance) -> bool:
    if row["mean"] is None or row["original"] is None or row["defined"] < row["samples"]:
        return False
    # a measure that some samples lack has no mean that could be trusted: such a size counts as outside
    allowed = tolerance.allowed(row["measure"], row["original"])
    ends = [row["low"], row["high"]] if row["low"] is not None else [row["mean"]]
    return all(abs(end - row["original"]) <= allowed for end in ends)


# --- As text for a terminal ---


def answer_lines(found: Answer, tolerance: Tolerance | None = None, width: int = WIDTH) -> Iterator[str]:
    """Yield the answer for a terminal: the sentence, each size's choices, the smallest sizes.

    Parameters
    ----------
    found : Answer
    tolerance : Tolerance, optional
        Shown beside the measures.
    width : int
        Columns of the terminal; methods that do not fit go into another block.
    """
    yield from folded(found.headline, width)
    for lines in found.warnings.values():
        for line in lines:
            yield from folded(f"Warning: {line}.", width)
    yield ""
    yield from choice_lines(found, width)
    yield ""
    yield from smallest_lines(found, tolerance, width)


def choice_lines(found: Answer, width: int = WIDTH) -> Iterator[str]:
    """Yield what to take at each size (of many at some), a line for each aspect."""
    some, every = some_sizes(found), len({choice.size for choice in found.choices})
    more = f" These are {len(some)} of {every} sizes; `choices` has all." if len(some) < every else ""
    yield from folded(
        "What to take (distance from the original in %, its 95 % interval over the seeds; + is within the "
        f"tolerance). {weighting(found)}{more}",
        width,
    )
    for choice in found.choices:
        if choice.size not in some:
            continue
        if choice.aspect == OVERALL:
            yield f"at {choice.size}, {figure(choice.target)} vertices"
        begin = f"{choice.aspect:<10}{GAP}"
        mark = "+" if choice.accepts(choice.places[0]) else " "
        warned = " (see the warning)" if choice.method in found.warnings else ""
        yield from folded(f"{GAP}{begin}{mark} {choice.text()}{warned}", width, " " * (len(begin) + 4))


def some_sizes(found: Answer) -> list[str]:
    """Return the sizes of which people read: all, or of many some from the largest to the smallest."""
    sizes = list(dict.fromkeys(choice.size for choice in found.choices))
    if len(sizes) <= SIZES:
        return sizes
    return [sizes[i * (len(sizes) - 1) // (SIZES - 1)] for i in range(SIZES)]


def weighting(found: Answer) -> str:
    """Return a sentence that says how aspects are weighted."""
    there = {choice.aspect for choice in found.choices} - {OVERALL}
    weights = {aspect: weight for aspect, weight in found.weights.items() if aspect in there}
    if len(set(weights.values())) < 2:
        return "Over all, each aspect counts the same."
    return f"Over all, aspects count {', '.join(f'{name} {value:g}' for name, value in weights.items())}."


def smallest_lines(found: Answer, tolerance: Tolerance | None, width: int = WIDTH) -> Iterator[str]:
    """Yield the smallest sizes within the tolerance: measures in rows, blocks of as many methods as fit."""
    methods = [place.method for place in found.ranking]
    yield "The smallest size within the tolerance"
    about: list[tuple[str, list[str]]] = [("measure", [COMPARED[v.measure] for v in found.verdicts])]
    originals = ["" if v.measure.startswith("ks_") else figure(v.original) for v in found.verdicts]
    about.append(("original", originals))
    if tolerance is not None:
        about.append(("tolerance", [tolerance.words(v.measure) for v in found.verdicts]))
    columns = [(m, [v.smallest.get(m) or NONE for v in found.verdicts]) for m in methods]
    yield from blocks(about, columns, width)
    yield from folded(f"Methods: {', '.join(map(named, methods))}.", width)
