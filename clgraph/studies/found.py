"""What a study found: its rows, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clgraph.lazy import lazy
from clgraph.results import RunsOn
from clgraph.studies.columns import Row
from clgraph.studies.plan import Plan, Tolerance, check_tolerance
from clgraph.studies.summary import Answer, answer, not_compared, summary_of


@dataclass(frozen=True, repr=False)
class Found(RunsOn):
    """What a `clgraph.Study` has found, without how it is shown: see there."""

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
        missing = not_compared(self.plan, self.original, self.reasons)
        checked = tolerance if isinstance(tolerance, Tolerance) else check_tolerance(tolerance)
        return answer(self.plan, self.summary, checked, missing)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what is needed to make the study again, and the hashes of input and output."""
        return {
            "study": self.plan.to_dict(),
            "clgraph": self.version,
            "device": self.device,
            "input": self.input,
            "output": self.output,
            "samples": len(self.rows),
            "original": self.original,
            "reasons": self.reasons,
            "notes": self.notes,
            **self.how(),
        }

    @property
    def output(self) -> str:
        """The SHA-256 of all counts and what follows from them, which are the same on every device.

        The device's name, clgraph's version and what comes of eigenvalues have no part in it.
        """
        import hashlib

        from clgraph.studies.table import lines_of

        beside = dict.fromkeys(("version", "device", "eigen_exponent", "largest_eigenvalue"))
        same = [{**row, **beside} for row in self.rows]
        return hashlib.sha256(lines_of(same).encode()).hexdigest()
