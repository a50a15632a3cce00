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
from clgraph.studies.columns import COMPARED, MEASURES, Row, lines_of
from clgraph.studies.plan import Plan, Tolerance, check_tolerance

# seeds from which on there are bootstrap intervals, too: a percentile of fewer values is too narrow
MANY = 50
DRAWS = 2000  # of the bootstrap: its 2.5 % tails then have 50 values each
Floats = npt.NDArray[np.float64]


def t_interval(values: Floats) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a mean by Student's t; none for a single value."""
    if len(values) < 2:
        return None, None
    from scipy.special import stdtrit

    half = float(stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / np.sqrt(len(values)))
    middle = float(values.mean())
    return middle - half, middle + half


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
        From the original, the mean over measures and sizes: of a measure the mean over the seeds, as a share
        of the original's value, at most 1; KS distances as they are.
    """

    method: str
    kept: dict[str, int]
    deviation: float


@dataclass(frozen=True, repr=False)
class Answer(Shown):
    """The smallest size within a tolerance for each measure, and the methods in order.

    Attributes
    ----------
    verdicts : list of Verdict
    ranking : list of Standing
        The method that keeps most measures within the tolerance, counted over all sizes, first; of equals the
        one that deviates less.
    deviations : dict of (method, measure) to float
        The mean over the sizes.
    missing : dict of str to str
        Measures that have no part in this, and why.
    """

    verdicts: list[Verdict]
    ranking: list[Standing]
    deviations: dict[tuple[str, str], float]
    missing: dict[str, str]

    def _facts(self) -> dict[str, Any]:
        first = self.ranking[0]
        kept = ", ".join(f"{count} at {size}" for size, count in first.kept.items())
        return {
            "first": first.method,
            f"of {len(self.verdicts)} measures it keeps": kept,
            "then": " ".join(place.method for place in self.ranking[1:]) or "none",
        }

    def __str__(self) -> str:
        """A table: for each measure the smallest size within the tolerance, by method."""
        methods = [place.method for place in self.ranking]
        rows = [["", *methods]]
        for verdict in self.verdicts:
            rows.append([COMPARED[verdict.measure], *(verdict.smallest[name] or "-" for name in methods)])
        wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        cells = ([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])] for row in rows)
        return "\n".join(map("  ".join, cells))


def answer(plan: Plan, summary: list[Row], tolerance: Tolerance, missing: dict[str, str]) -> Answer:
    """Answer from the summary; a size is within the tolerance if the whole 95 % interval of its mean is."""
    by = {(row["method"], row["size"], row["measure"]): row for row in summary}
    order = sorted(zip(plan.targets, plan.sizes, strict=True), reverse=True)
    verdicts, deviations = [], {}
    within = {(method, size): 0 for method in plan.methods for size in plan.sizes}
    for measure in COMPARED:
        if measure in missing:
            continue
        smallest: dict[str, str | None] = {}
        best: tuple[int, str, str] | None = None
        original = by[plan.methods[0], plan.sizes[0], measure]["original"]
        for method in plan.methods:
            smallest[method] = None
            gaps = []
            inside = True
            # from the largest size on: one that is outside ends what the method keeps
            for target, size in order:
                row = by[method, size, measure]
                gaps.append(deviation(row))
                inside = inside and _within(row, tolerance)
                if inside:
                    within[method, size] += 1
                    smallest[method] = size
                    if best is None or target < best[0]:
                        best = target, method, size
            if known := [gap for gap in gaps if gap is not None]:
                deviations[method, measure] = float(np.mean(known))
        verdicts.append(Verdict(measure, original, smallest, *(best[1:] if best else (None, None))))
    places = []
    for method in plan.methods:
        found = [gap for (name, _), gap in deviations.items() if name == method]
        if found:
            kept = {size: within[method, size] for size in plan.sizes}
            places.append(Standing(method, kept, float(np.mean(found))))
    places.sort(key=lambda place: (-sum(place.kept.values()), place.deviation))
    return Answer(verdicts, places, deviations, missing)


def deviation(row: Row) -> float | None:
    """Return the distance of a mean from the original, between 0 and 1; None where it is not defined."""
    if row["mean"] is None or row["original"] is None:
        return None
    if row["measure"].startswith("ks_"):
        return float(row["mean"])
    # capped, so that one measure far off (a tiny original) does not decide the mean over all
    scale = abs(row["original"])
    return None if scale == 0 else min(1.0, abs(row["mean"] - row["original"]) / scale)


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

    @lazy
    def summary(self) -> list[Row]:
        """A row for each method, size and measure: mean, standard deviation, 95 % intervals, min, max."""
        return summary_of(self.plan, self.rows, self.original)

    def best(self, tolerance: Mapping[str, Any] | str | Tolerance | None = None) -> Answer:
        """The smallest size that keeps each measure within a tolerance, and the methods in order.

        Parameters
        ----------
        tolerance : str or mapping, optional
            ``"ks=0.1,clustering=10%"``: how far the 95 % interval of a measure's mean may reach from the
            original, as a number or as a share of the original's value. ``ks`` stands for all
            Kolmogorov-Smirnov distances, ``all`` for the rest. Default: ``"ks=0.1,all=10%"``.

        Raises
        ------
        InputError
            An unknown measure, or no number.
        """
        missing = {
            name: self.reasons.get(name, "it is not defined for the original")
            for name in COMPARED
            if not name.startswith("ks_") and self.original.get(name) is None
        }
        checked = tolerance if isinstance(tolerance, Tolerance) else check_tolerance(tolerance)
        return answer(self.plan, self.summary, checked, missing)

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
