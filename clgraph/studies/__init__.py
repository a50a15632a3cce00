"""Studies: many samples of one graph by several methods, sizes and seeds, all measured and summed up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.arguments import file_name
from clgraph.graph import Graph, as_graph
from clgraph.keyed import Rng, takes_rng
from clgraph.measures.hops import SOURCES
from clgraph.progress import with_progress
from clgraph.run import run_on
from clgraph.studies.plan import check_tolerance, make_plan
from clgraph.studies.summary import Result

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.request import Size

__all__ = ["Study", "study"]


@dataclass(frozen=True, repr=False)
class Study(Result):
    """The samples of a graph by several methods, sizes and seeds, each measured.

    Attributes
    ----------
    plan : Plan
        Methods, sizes and seeds.
    rows : list of dict
        One per sample: method, mode, size, target, seed, then every measure; None if not defined.
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
    hop_plots, spectra : dict
        Hop plots (pairs of vertices within 0, 1, ... hops) and largest eigenvalues of the same samples as
        `degrees`.
    restarts : dict
        By method, size and seed, how often a method that spreads died out and started again elsewhere.
    """

    def to_pandas(self, *, summary: bool = False) -> Any:
        """Return the rows, or the rows of the summary, as a data frame; undefined values are missing.

        Parameters
        ----------
        summary : bool
            A row for each method, size and measure instead of each sample.
        """
        from clgraph.arguments import flag
        from clgraph.graph.exchange.common import library
        from clgraph.studies.columns import columns_of

        flag(summary, "summary")
        rows, columns = self.rows, list(columns_of(self.plan.also))
        if summary:
            rows, columns = self.summary, list(self.summary[0])
        return library("pandas", "pandas").DataFrame(rows, columns=columns).convert_dtypes()

    def table(
        self,
        size: Size | None = None,
        measures: Sequence[str] | str | None = None,
        *,
        format: str = "markdown",
    ) -> str:
        """Return mean and 95 % interval of measures as a table for print, methods in rows.

        Parameters
        ----------
        size : size, optional
            One of the study's. Default: a table for each; of CSV one table for all.
        measures : sequence of str, or a text such as "clustering,ks_degree", optional
            Columns of `rows`. Default: those that `best` compares, if the original has them.
        format : {"latex", "markdown", "csv"}
            LaTeX is for the package booktabs. CSV has mean, low and high of each measure in columns, in full
            precision.

        Raises
        ------
        InputError
            A size or a measure that the study does not have, or another format.

        Examples
        --------
        >>> import clgraph
        >>> graph = clgraph.powerlaw_graph(500, seed=1)
        >>> found = clgraph.study(graph, "drv,dre", "50%,30%", seeds=3, eigenvalues=False)
        >>> print(found.table("30%", "vertices").splitlines()[2])
        | method | vertices |
        """
        from clgraph.studies.summary import study_table

        return study_table(self, size, measures, format)

    def plot(self, measure: str, axes: Any = None) -> Any:
        """Draw a measure against the size, a line per method, with 95 % intervals.

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

    def _facts(self) -> dict[str, Any]:
        plan = self.plan
        return {
            "samples": len(self.rows),
            "methods": ", ".join(plan.methods),
            "sizes": ", ".join(plan.sizes),
            "seeds": plan.seeds,
            "device": self.device,
        }

    def _repr_html_(self) -> str:
        from clgraph.studies.report import answer_html

        return answer_html(self, self.best(), check_tolerance(None))


@takes_rng
@with_progress("sampling and measuring")
def study(
    graph: Graph | Any,
    methods: Sequence[str] | str,
    sizes: Sequence[Size] | str,
    *,
    seeds: int = 20,
    seed: int = 0,
    rng: Rng | None = None,
    min_size: Size | None = None,
    hop_sources: int = SOURCES,
    eigenvalues: bool | None = None,
    also: Sequence[str] | str = (),
    folder: str | Path | None = None,
    device: Device | str | None = None,
    progress: Any = None,
    on_note: Callable[[str], None] | None = None,
) -> Study:
    """Sample a graph by several methods, sizes and seeds, and measure every sample.

    The samples are those that `clgraph.sample` gives for each method and seed with ``sizes=``; the measures
    are those of `clgraph.quality`. They are drawn and measured in batches that fill the device.

    Parameters
    ----------
    graph : Graph or symmetric SciPy array
    methods : sequence of str, or a text such as "drv,dre"
    sizes : sequence of sizes, or a text such as "50%,30%"
    seeds : int
        Runs of each method. Default 20.
    seed : int
        The first run's seed; the others follow it. Default 0.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed`, as in `clgraph.sample`.
    min_size : size, optional
        A run with a sample of fewer vertices is drawn again, with the next seed that no run has; `notes`
        says so.
    hop_sources : int
    eigenvalues : bool, optional
    also : sequence of str, or a text such as "modularity,weighted_distance"
        As for `clgraph.quality`: measures that are made, and compared, only where they are named.
    folder : str or path, optional
        Where ``study.csv`` grows, a batch at a time. A study that was interrupted goes on from there when the
        same call is repeated, and ends with the same bytes.
    device : Device or str, optional
    progress : callable or bool, optional
        Called with (samples measured, samples); True shows a bar.
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
    >>> len(found.rows), found.rows[0]["vertices"] <= 250
    (12, True)
    >>> found.best("all=50%,ks=0.5").ranking[0].method in ("drv", "dre")
    True
    """
    whole = as_graph(graph)
    plan = make_plan(whole, methods, sizes, seeds, seed, min_size, hop_sources, eigenvalues, also)
    from clgraph._version import __version__
    from clgraph.graph.digest import digest
    from clgraph.measures.optional import Also, with_also
    from clgraph.measures.scalars import MeasureRequest, measure
    from clgraph.sampling.request import tiny
    from clgraph.studies.columns import scalars, why_not
    from clgraph.studies.run import batches
    from clgraph.studies.state import State

    run = run_on(device)
    dev = run.device
    place = None if folder is None else file_name(folder, "folder")
    state = State(place, plan, digest(whole), __version__, dev.name)
    notes: list[str] = []

    def come_to(done: list[str]) -> None:
        """Note what came up, and say how far the study has come."""
        notes.extend(done)
        if on_note:
            for note in done:
                on_note(note)
        if progress:
            progress(len(state.rows), plan.samples)

    small = [note for size in plan.sizes if (note := tiny(size, whole.num_vertices))]
    come_to([*small, *state.notes])
    with run.lock, run:  # the samples that follow lock the device batch by batch, and others work in between
        request = MeasureRequest(sources=plan.hop_sources, eigenvalues=plan.eigenvalues)
        original = measure(whole, dev, request)
        original = with_also(original, Also(plan.also, whole, dev, request).of(whole))
    state.degrees["original"] = [each.tolist() for each in original.degree_histogram]
    state.hop_plots["original"] = original.hop_plot.tolist()
    state.spectra["original"] = original.eigenvalues.tolist()
    # rows are stored a batch at a time: an interrupt loses the current batch alone
    for batch in batches(whole, plan, original, dev, list(state.rows)):
        state.add(batch)
        come_to(batch.notes)
    found = scalars(original) | {name: getattr(original, name) for name in plan.also}
    made = Study(
        plan,
        state.rows,
        found,
        {name: why_not(original, name) for name in found if found[name] is None},
        state.degrees,
        state.input,
        notes,
        __version__,
        dev.name,
        state.hop_plots,
        state.spectra,
        state.restarts,
        provenance=run.provenance,
    )
    state.write(made.to_dict())
    return made
