"""Studies: many samples of one graph by several methods, sizes and seeds, all measured and summed up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.graph import Graph, as_graph
from clgraph.lazy import lazy
from clgraph.measures.hops import SOURCES
from clgraph.results import RunsOn
from clgraph.studies.columns import Row
from clgraph.studies.plan import Plan, Tolerance, check_tolerance, make_plan, notes_of
from clgraph.studies.summary import Answer, answer, not_compared, summary_of

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.options import Size

__all__ = ["Study", "study"]


@dataclass(frozen=True)
class Study(RunsOn):
    """The samples of a graph by several methods, sizes and seeds, each measured.

    Attributes
    ----------
    plan : Plan
        Methods, sizes and seeds.
    rows : list of dict
        A row a sample: method, mode, size, target, seed, then every measure; None where one is not defined.
    original : dict
        The same measures of the original.
    reasons : dict of str to str
        Why a measure of the original is not defined.
    degrees : dict
        Degree histograms (degrees, vertices): of the first seed's sample by method and size, and of the
        "original".
    input : str
        The hash of the original (`clgraph.graph.digest.digest`).
    notes : list of str
        What the user should know: samples that collapsed, seeds that were drawn instead.
    version, device : str
    """

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

    def to_pandas(self) -> Any:
        """The rows as a data frame; undefined values are missing ones."""
        from clgraph.graph.exchange.common import library
        from clgraph.studies.columns import COLUMNS

        frame = library("pandas", "pandas").DataFrame(self.rows, columns=list(COLUMNS))
        return frame.convert_dtypes()

    def plot(self, measure: str, axes: Any = None) -> Any:
        """Draw a measure against the size, with its 95 % intervals, a line for each method.

        Parameters
        ----------
        measure : str
            A column of `rows`.
        axes : matplotlib Axes, optional
            Default: those of a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        InputError
            If it is no measure.
        ClgraphError
            If matplotlib is not installed.
        """
        from clgraph.studies.figures import plot

        return plot(self, measure, axes)

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
        """The SHA-256 of the measures, apart from the device's name and clgraph's version."""
        import hashlib

        from clgraph.studies.table import lines_of

        same = [{**row, "version": "", "device": ""} for row in self.rows]
        return hashlib.sha256(lines_of(same).encode()).hexdigest()

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"<Study: {len(self.rows)} samples, {', '.join(plan.methods)}, "
            f"sizes {', '.join(plan.sizes)}, {plan.seeds} seeds>"
        )

    def _repr_html_(self) -> str:
        from clgraph.studies.report import answer_html

        return answer_html(self, self.best(), check_tolerance(None))


def study(
    graph: Graph | Any,
    methods: Sequence[str] | str,
    sizes: Sequence[Size] | str,
    *,
    seeds: int = 20,
    seed: int = 0,
    min_size: Size | None = None,
    hop_sources: int = SOURCES,
    eigenvalues: bool | None = None,
    folder: str | Path | None = None,
    device: Device | str | None = None,
    progress: Callable[[int, int], None] | None = None,
    on_note: Callable[[str], None] | None = None,
) -> Study:
    """Sample a graph by several methods, sizes and seeds, and measure every sample.

    The samples are those that `clgraph.sample` gives for each method and seed with ``sizes=``; the measures
    are those of `clgraph.quality`. They are drawn and measured in batches that fill the device.

    Parameters
    ----------
    graph : Graph or SciPy sparse array
    methods : sequence of str, or a text such as "drv,dre"
    sizes : sequence of sizes, or a text such as "50%,30%"
    seeds : int
        Runs of each method. Default 20.
    seed : int
        The first run's seed; the others follow it. Default 0.
    min_size : size, optional
        A run with a sample of fewer vertices is drawn again, with the next seed that no run has; `notes`
        says so.
    hop_sources : int
    eigenvalues : bool, optional
        As for `clgraph.quality`.
    folder : str or path, optional
        Where ``study.csv`` grows, a batch at a time. A study that was interrupted goes on from there when the
        same call is made again, and ends with the same bytes.
    device : Device or str, optional
    progress : callable, optional
        Called with (samples measured, samples).
    on_note : callable, optional
        Called with each note as it comes up.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        An unknown method, a size that is none, a folder with another study.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> import clgraph
    >>> graph = clgraph.powerlaw_graph(500, seed=1)
    >>> found = clgraph.study(graph, ["drv", "dre"], ["50%", "30%"], seeds=3)
    >>> found
    <Study: 12 samples, drv, dre, sizes 50%, 30%, 3 seeds>
    >>> found.best("all=50%,ks=0.5").ranking[0].method in ("drv", "dre")
    True
    """
    whole = as_graph(graph)
    plan = make_plan(
        whole,
        methods,
        sizes,
        seeds=seeds,
        seed=seed,
        min_size=min_size,
        hop_sources=hop_sources,
        eigenvalues=eigenvalues,
    )
    from clgraph._version import __version__
    from clgraph.device import get_device
    from clgraph.graph.digest import digest
    from clgraph.measures.scalars import Wish, measure
    from clgraph.studies.columns import SCALARS, scalars, why_not
    from clgraph.studies.run import batches
    from clgraph.studies.state import State
    from clgraph.studies.table import Growing

    dev = get_device(device)
    how = dev.watch()
    state = State(None if folder is None else Path(folder), plan, digest(whole), __version__, dev.name)
    table = Growing(state.table, len(plan.sizes))
    notes = [*notes_of(whole, plan), *state.notes]
    for note in notes:
        if on_note:
            on_note(note)
    with dev.alone():
        wish = Wish(sources=plan.hop_sources, eigenvalues=plan.eigenvalues)
        original = measure(whole, dev, wish)
    histogram = original.degree_histogram
    state.degrees["original"] = [histogram[0].tolist(), histogram[1].tolist()]
    if progress:
        progress(len(table.rows), plan.samples)
    for batch in batches(whole, plan, original, dev, list(table.rows)):
        state.add(batch)
        table.add(batch.rows)
        notes += batch.notes
        for note in batch.notes:
            if on_note:
                on_note(note)
        if progress:
            progress(len(table.rows), plan.samples)
    found = scalars(original)
    made = Study(
        plan,
        table.rows,
        found,
        {name: why_not(original, name) for name in SCALARS if found[name] is None},
        state.degrees,
        state.input,
        notes,
        __version__,
        dev.name,
        **how(),
    )
    state.write(made.to_dict())
    return made
