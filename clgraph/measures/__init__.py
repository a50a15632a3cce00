"""How good a sample is: measures of a graph and of its sample, and how far their distributions differ."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from clgraph import keyed
from clgraph.arguments import flag
from clgraph.arguments import whole as whole_number
from clgraph.graph import Graph, as_graph
from clgraph.measures.compare import Relation, check_part, distances
from clgraph.measures.cores import core_numbers, k_core
from clgraph.measures.fits import Fit, check_fit
from clgraph.measures.hops import SOURCES
from clgraph.measures.optional import Also, check_also, with_also
from clgraph.measures.scalars import PHASES, MeasureRequest, Measures, Pair, measure
from clgraph.measures.spectrum import eigenvalues
from clgraph.measures.triangle_count import average_clustering, clustering, transitivity, triangles
from clgraph.progress import with_progress
from clgraph.results import kernel_facts, text_of
from clgraph.run import run_on

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling import Sample
    from clgraph.sampling.curve import ReductionCurve

__all__ = [
    "Measures",
    "Quality",
    "average_clustering",
    "clustering",
    "core_numbers",
    "eigenvalues",
    "k_core",
    "quality",
    "transitivity",
    "triangles",
]


def _numbers(nested: dict[str, Any], before: str = "") -> dict[str, float | None]:
    """The numbers in nested measures, by their paths; None where one is not defined."""
    found: dict[str, float | None] = {}
    for name, value in nested.items():
        if isinstance(value, dict) and name not in ("reasons", "seconds"):
            found |= _numbers(value, f"{before}{name}.")
        elif name != "reason" and not isinstance(value, bool) and isinstance(value, (int, float, type(None))):
            found[before + name] = value
    return found


@dataclass(frozen=True, repr=False)
class Quality(Pair):
    """The measures of a graph and, if there is one, of its sample.

    Attributes
    ----------
    original : Measures
    sample : Measures or None
    ks : dict of str to (float or None), or None
        Kolmogorov-Smirnov distances ``max |F_sample - F_original|`` of "degree", "clustering" (local
        coefficients), "hop_plot" (P(h) / P(end)), "component_size" (in vertices), "component_share" (in
        shares of all vertices) and "core_number". 0: the same distribution; 1: nothing in common.
    seed : int
        Chose the vertices from which a large graph's hop plot was searched.
    device : str
        Name of the device.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the measures under "original" and "sample" and the distances under "ks", ready for JSON."""
        return {
            "original": self.original.to_dict(),
            "sample": None if self.sample is None else self.sample.to_dict(),
            "ks": self.ks,
            "seed": self.seed,
            "device": self.device,
            **kernel_facts(self),
        }

    def to_pandas(self) -> Any:
        """Return a data frame with a row per numeric measure: "original" and, if there is one, "sample".

        Its index has the names in `Measures`, as "average_degree" and "degree_exponent.slope", and the
        distances as "ks.degree". What is not defined is missing.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        columns = {name: _numbers(each.to_dict()) for name, each in self._graphs.items()}
        if self.ks is not None:
            columns["sample"] |= _numbers({"ks": self.ks})
        rows = list(dict.fromkeys(row for each in columns.values() for row in each))
        frame = frame_of({name: [each.get(row) for row in rows] for name, each in columns.items()})
        return frame.astype("Float64").set_axis(rows)

    def table(self, *, format: str = "markdown") -> str:
        """Return the measures as a table for print, measures in rows.

        Parameters
        ----------
        format : {"latex", "markdown", "csv"}
            LaTeX is for the package booktabs. CSV has the names of `to_pandas`, in full precision.

        Raises
        ------
        InputError
            If it is another format.

        Examples
        --------
        >>> import clgraph
        >>> found = clgraph.quality(clgraph.powerlaw_graph(500, seed=1), eigenvalues=False)
        >>> print(found.table().splitlines()[2])
        | vertices | 500 |
        """
        from clgraph.measures.report import print_table

        return print_table(self, format)

    def plot(
        self, curve: ReductionCurve | None = None, *, panels: Sequence[str] | str | None = None
    ) -> list[Any]:
        """Draw the report's figures: degrees, ranks, hop plot, ... (matplotlib, the extra `plot`).

        Parameters
        ----------
        curve : ReductionCurve, optional
            Of the sample's method and seed; it is one figure more.
        panels : sequence of str, or a text such as "degrees,hops", optional
            Which of them: "degrees", "ranks", "hops", "clustering", "eigenvalues", "curve". Default: all.

        Returns
        -------
        list of matplotlib Axes
            Of one new figure.

        Raises
        ------
        InputError
            An unknown panel, or one for which there are no data.
        ClgraphError
            If matplotlib is not installed.
        """
        from clgraph.drawing import need_matplotlib
        from clgraph.measures.figures import chosen, draw_page, drawings

        need_matplotlib("a plot")
        drawn = chosen(drawings(self, curve), panels)
        from matplotlib import pyplot

        title = "quality of a sample" if self.sample is not None else "measures of a graph"
        axes: list[Any] = draw_page(pyplot.figure, drawn, title).axes
        return axes

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        names: tuple[str, str] = ("original", "sample"),
        facts: Sequence[tuple[str, str]] = (),
        curve: ReductionCurve | None = None,
    ) -> None:
        """Write the report as one HTML file, figures and all (matplotlib, the extra `plot`).

        Parameters
        ----------
        path : path-like
        names : pair of str
            What the original and the sample are called.
        facts : sequence of (str, str)
            What was sampled, and how: names and values, shown as they are.
        curve : ReductionCurve, optional
            Of the sample's method and seed.
        """
        from clgraph.formats import check_writable
        from clgraph.measures.report import report_html, write_page

        check_writable(path, "edges")
        write_page(path, report_html(self, names=names, facts=facts, curve=curve))

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {}
        for name in ("vertices", "edges", "average_degree", "clustering"):
            values = [getattr(each, name) for each in self._graphs.values()]
            texts = ("not defined" if value is None else text_of(value) for value in values)
            facts[name.replace("_", " ")] = " -> ".join(texts)
        for name, value in (self.ks or {}).items():
            if name in ("degree", "hop_plot") and value is not None:
                facts[f"KS {name.replace('_', ' ')}"] = float(value)
        return facts


@keyed.takes_rng
@with_progress("measuring")
def quality(
    original: Graph | Any,
    sample: Graph | Sample | Any | None = None,
    *,
    seed: int = 0,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    relation: Relation | None = None,
    hop_sources: int = SOURCES,
    eigenvalues: bool | None = None,
    fit: Fit = "own",
    also: Sequence[str] | str = (),
    progress: Any = None,
) -> Quality:
    """Measure a graph and, if given, a sample of it.

    Everything is measured on the undirected view without self-loops, in which each pair of neighbours counts
    once. Counts are made on the device and are the same on every device; eigenvalues, by Lanczos's method
    there, to ten digits.

    Parameters
    ----------
    original : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    sample : Sample, or any of these, optional
    seed : int
        Chooses the vertices from which a large graph's hop plot is searched.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed`, as in `clgraph.sample`.
    device : Device or str, optional
        As in `clgraph.get_device`.
    relation : {"subset", "contraction", "none"}, optional
        What is checked: that the sample's vertices and edges are the original's; that its vertices are (a
        contraction's edges join groups); nothing (to compare any two graphs). Default: what the Sample's
        method makes, else "subset".
    hop_sources : int
        Graphs with more vertices are searched from only this many of them.
    eigenvalues : bool, optional
        Whether to compute the 20 largest; default: up to a million vertices.
    fit : {"own", "powerlaw"}, optional
        Who fits the power law of the degrees by maximum likelihood: clgraph, or the package `powerlaw`, which
        takes longer and also compares it with a lognormal distribution.
    also : sequence of str, or a text such as "modularity,weighted_distance"
        Measures that are made only where they are named. "modularity": that of the communities that
        `clgraph.louvain` finds in the original with this seed, of the sample that of the same communities as
        far as it has their vertices; without weights. "weighted_distance": the mean least sum of weights
        between two connected vertices, searched from all vertices, or of a large graph from `hop_sources`
        of them. "ks_in_degree", "ks_out_degree": of a directed graph the Kolmogorov-Smirnov distance of the
        degrees by arcs in, and by arcs out, from the original's; without loops, each arc once.
    progress : callable or bool, optional
        Called with (done, of).

    Returns
    -------
    Quality

    Raises
    ------
    InputError
        If the sample is not a part of the original (the first vertex or edge that is not there is named),
        or an option is wrong.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    M. Faloutsos, P. Faloutsos, C. Faloutsos, "On Power-Law Relationships of the Internet Topology", SIGCOMM
    1999; V. Krishnamurthy et al., "Sampling large Internet topologies for simulation purposes", Computer
    Networks 51(15), 2007; J. Leskovec, C. Faloutsos, "Sampling from Large Graphs", KDD 2006.

    Examples
    --------
    >>> import clgraph
    >>> graph = clgraph.powerlaw_graph(1000, seed=1)
    >>> found = clgraph.quality(graph, clgraph.sample(graph, "drve", size="50%", seed=7))
    >>> round(found.original.average_degree, 3), found.original.components
    (4.942, 44)
    """
    seed = keyed.check_seed(seed)
    whole_number(hop_sources, "hop_sources", 1)
    check_fit(fit)
    named = check_also(also)
    if eigenvalues is not None:
        flag(eigenvalues, "eigenvalues")
    whole = as_graph(original)
    part = None
    if sample is not None:
        from clgraph.methods import CONTRACTING

        method = getattr(sample, "method", None)
        own = getattr(sample, "graph", None)
        part = as_graph(own if isinstance(own, Graph) else sample)
        if relation is None:
            relation = "contraction" if method in CONTRACTING else "subset"
    run = run_on(device)
    with run.lock, run:
        dev = run.device
        if part is not None:
            check_part(whole, part, "subset" if relation is None else relation, device=dev)
        steps, done = (1 if part is None else 2) * len(PHASES) + bool(named), count(1)

        def advance(_: str) -> None:
            if progress:
                progress(next(done), steps)

        request = MeasureRequest(seed, hop_sources, eigenvalues, fit)
        first = measure(whole, dev, request, advance)
        second = None if part is None else measure(part, dev, request, advance)
        ks = None if second is None else distances(first, second)
        if named:
            more = Also(named, whole, dev, request)
            first = with_also(first, more.of(whole))
            second = None if part is None or second is None else with_also(second, more.of(part))
            advance("also")
        return Quality(first, second, ks, seed, dev.name, provenance=run.provenance)
