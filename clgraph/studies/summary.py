"""A study summed up over its seeds: means, spreads, intervals, and which sizes are within a tolerance."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.lazy import lazy
from clgraph.results import RunsOn, Shown, kernel_facts
from clgraph.studies.aspects import (
    OVERALL,
    Choice,
    Distances,
    check_weights,
    headline,
    t_interval,
    warnings_of,
)
from clgraph.studies.columns import COMPARED, MEASURES, Row, lines_of
from clgraph.studies.plan import Plan, Tolerance, check_tolerance
from clgraph.studies.tables import answer_lines

# seeds from which on there are bootstrap intervals, too: a percentile of fewer values is too narrow
MANY = 50
DRAWS = 2000  # of the bootstrap: its 2.5 % tails then have 50 values each
Floats = npt.NDArray[np.float64]


def bootstrap_interval(values: Floats) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a mean by the percentile bootstrap, repeatable; from 50 values on."""
    if len(values) < MANY:
        return None, None
    # a fixed seed: the same study has the same summary
    rng = np.random.Generator(np.random.Philox(1))
    means = values[rng.integers(0, len(values), (DRAWS, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def summary_of(plan: Plan, rows: Iterable[Row], original: Row) -> list[Row]:
    """Return a row per method, size and measure; undefined values are counted, and left out of means."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["method"], row["size"]), []).append(row)
    made = []
    for method in plan.methods:
        for size, target in zip(plan.sizes, plan.targets, strict=True):
            group = groups.get((method, size), [])
            for measure in MEASURES:
                defined = np.array([v for row in group if (v := row[measure]) is not None], np.float64)
                known, spread = len(defined) > 0, len(defined) > 1
                low, high = t_interval(defined)
                bootstrap_low, bootstrap_high = bootstrap_interval(defined)
                made.append(
                    {
                        "method": method,
                        "size": size,
                        "target": target,
                        "measure": measure,
                        "original": original.get(measure, 0.0 if measure.startswith("ks_") else None),
                        "samples": len(group),
                        "defined": len(defined),
                        "mean": float(defined.mean()) if known else None,
                        "sd": float(defined.std(ddof=1)) if spread else None,
                        "low": low,
                        "high": high,
                        "bootstrap_low": bootstrap_low,
                        "bootstrap_high": bootstrap_high,
                        "min": float(defined.min()) if known else None,
                        "max": float(defined.max()) if known else None,
                    }
                )
    return made


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
    verdicts, deviations = [], {}
    within = {(method, size): 0 for method in plan.methods for size in plan.sizes}
    for measure in COMPARED:
        if measure in missing:
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


@dataclass(frozen=True, repr=False)
class Result(RunsOn):
    """Results of a `clgraph.Study`, without its figures and its report: see there."""

    plan: Plan
    rows: list[Row] = field(repr=False)
    original: Row = field(repr=False)
    reasons: dict[str, str] = field(repr=False)
    degrees: dict[str, Any] = field(repr=False, compare=False)
    input: str
    notes: list[str] = field(repr=False, compare=False)
    version: str
    device: str
    hop_plots: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    spectra: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    restarts: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @lazy
    def summary(self) -> list[Row]:
        """A row for each method, size and measure: mean, standard deviation, 95 % intervals, min, max."""
        return summary_of(self.plan, self.rows, self.original)

    def best(
        self,
        tolerance: Mapping[str, Any] | str | Tolerance | None = None,
        weights: Mapping[str, Any] | str | None = None,
    ) -> Answer:
        """The method to take at each size, over all and in each aspect, and the smallest sizes that suffice.

        The distance of a sample from the original in a measure is the difference as a share of the
        original's value, at most 1 (KS distances as they are); in an aspect (degrees, clustering, paths,
        spectrum, cores) the mean over its measures; over all the weighted mean of the aspects.

        Parameters
        ----------
        tolerance : str or mapping, optional
            ``"ks=0.1,clustering=10%"``: how far the 95 % interval of a measure's mean may reach from the
            original, as a number or as a share of the original's value. ``ks`` stands for all
            Kolmogorov-Smirnov distances, ``all`` for the rest. Default: ``"ks=0.1,all=10%"``.
        weights : str or mapping, optional
            ``"degrees=2,spectrum=0"``: how much each aspect counts over all. Default: 1 each.

        Raises
        ------
        InputError
            An unknown measure or aspect, or no number.

        Examples
        --------
        >>> import clgraph
        >>> graph = clgraph.powerlaw_graph(500, seed=1)
        >>> found = clgraph.study(graph, "drv,dre", "50%,30%", seeds=3, eigenvalues=False)
        >>> [choice.aspect for choice in found.best(weights="paths=2").choices if choice.size == "30%"]
        ['over all', 'degrees', 'clustering', 'paths', 'cores']
        """
        missing = {
            name: self.reasons.get(name, "it is not defined for the original")
            for name in COMPARED
            if not name.startswith("ks_") and self.original.get(name) is None
        }
        checked = tolerance if isinstance(tolerance, Tolerance) else check_tolerance(tolerance)
        counts = check_weights(weights)
        given = self.plan, self.rows, self.original, self.summary
        return answer(*given, checked, missing, counts, self.restarts)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what is needed to make the study again, and the hashes of input and output."""
        return {
            "study": self.plan.to_dict(),
            "clgraph": self.version,
            "device": self.device,
            "input": self.input,
            "output": self.digest,
            "samples": len(self.rows),
            "original": self.original,
            "reasons": self.reasons,
            "notes": self.notes,
            **kernel_facts(self),
        }

    @property
    def digest(self) -> str:
        """The SHA-256 of all counts and what follows from them, which are the same on every device.

        The device's name, clgraph's version and what comes of eigenvalues have no part in it.
        """
        # eigenvalues come of float64 sums whose order differs by device
        beside = dict.fromkeys(("version", "device", "eigen_exponent", "largest_eigenvalue"))
        same = [{**row, **beside} for row in self.rows]
        return hashlib.sha256(lines_of(same).encode()).hexdigest()
