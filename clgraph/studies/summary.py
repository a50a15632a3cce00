"""A study summed up over its seeds: means, spreads and intervals, as rows and as tables for print."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.drawing import NONE, check_format, figure, plus_minus, t_interval, written
from clgraph.errors import InputError
from clgraph.lazy import lazy
from clgraph.results import RunsOn, kernel_facts
from clgraph.studies.answer import Answer, answer
from clgraph.studies.aspects import check_weights
from clgraph.studies.columns import COMPARED, Row, lines_of, measures_of, original_value
from clgraph.studies.plan import Plan, Tolerance, check_tolerance

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
            for measure in measures_of(plan.also):
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
                        "original": original_value(original, measure),
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
            if name in measures_of(self.plan.also) and original_value(self.original, name) is None
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


def study_table(study: Result, size: Any, measures: Any, form: str) -> str:
    """See `Study.table`."""
    check_format(form)
    sizes = list(study.plan.sizes)
    if size is not None:
        sizes = [each for each in sizes if each == str(size).strip()]
        if not sizes:
            raise InputError(f"size is {shown(size)}: the study has {', '.join(study.plan.sizes)}")
    names = _names(study, measures)
    by = {(row["size"], row["method"], row["measure"]): row for row in study.summary}
    methods = study.plan.methods
    if form == "csv":
        heads = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
        rows = []
        for each in sizes:
            for method in methods:
                found = [by[each, method, name] for name in names]
                values = (row[key] for row in found for key in ("mean", "low", "high"))
                rows.append([method, each, *("" if value is None else value for value in values)])
        return written(["method", "size", *heads], rows, form)
    heads = ["method", *(COMPARED.get(name, name.replace("_", " ")) for name in names)]
    parts = []
    for each in sizes:
        rows = [[m, *(_cell(by[each, m, name]) for name in names)] for m in methods]
        originals = [study.original.get(name) for name in names]
        rows.insert(0, ["original", *(NONE if value is None else figure(value) for value in originals)])
        words = f"Means over {study.plan.seeds} seeds at {each}, with 95 % intervals."
        parts.append(written(heads, rows, form, words))
    return "\n".join(parts)


def _cell(row: Row) -> str:
    return plus_minus(row["mean"], row["low"], row["high"])


def _names(study: Result, measures: Any) -> list[str]:
    if measures is None:
        made = measures_of(study.plan.also)
        return [m for m in COMPARED if m in made and original_value(study.original, m) is not None]
    given = [part.strip() for part in measures.split(",")] if isinstance(measures, str) else measures
    if not isinstance(given, Sequence) or not given:
        raise InputError(f"measures is {shown(measures)}: give some, such as 'clustering,ks_degree'")
    known = measures_of(study.plan.also)
    for name in given:
        if not isinstance(name, str) or name not in known:
            raise InputError(f"{shown(name)} is not a measure of this study: use {', '.join(known)}")
    return list(given)
