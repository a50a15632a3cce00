"""The table of a quality report: its rows, what each measure means, how numbers are written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from clgraph.measures.scalars import Measures


@dataclass(frozen=True)
class Row:
    """A row of the table; a measure that is undefined is "-", and `reasons` says why."""

    name: str
    meaning: str
    original: str
    sample: str
    difference: str
    reasons: tuple[str, ...] = ()

    @property
    def under(self) -> bool:
        """Whether it belongs to an exponent above it: its correlation, or another fit."""
        return self.name.startswith(("its ", "by ", "where "))


# (path of attributes, name, what it means)
SIZE = (
    ("vertices", "vertices", "How many vertices there are."),
    ("edges", "edges", "Pairs of vertices that are joined; self-loops and parallel edges are not counted."),
    ("average_degree", "average degree", "Neighbours of a vertex on average, 2m/n."),
    ("largest_degree", "largest degree", "Neighbours of the vertex that has the most."),
    ("density", "density", "The share of all possible edges that exist."),
    ("components", "components", "Parts that are not connected with each other."),
    (
        "largest_component",
        "largest component",
        "Vertices of the largest part; a sample by reduction is one part.",
    ),
)
CUMULATIVE, LIKELY = "by the cumulative fit", "by maximum likelihood"
LAWS = (
    (
        "degree_exponent.slope",
        "degree exponent",
        "Slope of the number of vertices of a degree against the degree, both as logarithms: the steeper, "
        "the rarer the hubs.",
    ),
    (
        "degree_exponent.correlation",
        "its correlation",
        "How well a line fits: \u22121 or 1 is a perfect power law.",
    ),
    (
        "degree_exponent.ccdf.exponent",
        CUMULATIVE,
        "The same exponent from the share of vertices with at least a degree, which is less noisy.",
    ),
    (
        "degree_exponent.mle.exponent",
        LIKELY,
        "The same exponent for the tail of the distribution, statistically the soundest of the three.",
    ),
    ("degree_exponent.mle.minimum", "where that tail begins", "The smallest degree of the tail."),
    (
        "degree_exponent.mle.lognormal_ratio",
        "by its likelihood, against a lognormal",
        "Positive: a power law is the likelier of the two. The next row says how sure that is.",
    ),
    (
        "degree_exponent.mle.lognormal_p",
        "by chance, if they were equal",
        "The probability of a ratio as far from 0: small where its sign means something.",
    ),
    (
        "rank_exponent.slope",
        "rank exponent",
        "Slope of a vertex's degree against its rank by degree, both as logarithms.",
    ),
    ("rank_exponent.correlation", "its correlation", "How well a line fits."),
    ("rank_exponent.ccdf.exponent", CUMULATIVE, "Derived from the cumulative fit of the degrees."),
    ("rank_exponent.mle.exponent", LIKELY, "Derived from the tail's alpha: \u22121/(alpha \u2212 1)."),
    (
        "eigen_exponent.slope",
        "eigen exponent",
        "Slope of the 20 largest eigenvalues of the adjacency matrix against their rank, both as logarithms.",
    ),
    ("eigen_exponent.correlation", "its correlation", "How well a line fits."),
    ("eigen_exponent.ccdf.exponent", CUMULATIVE, "A line through the same points, rank against value."),
    ("eigen_exponent.mle.exponent", LIKELY, "Hill's estimator of the same points."),
    (
        "hop_plot_exponent.slope",
        "hop-plot exponent",
        "How fast the number of pairs of vertices within h hops grows: 2 in a grid, more in a small world.",
    ),
    ("hop_plot_exponent.correlation", "its correlation", "How well a line fits its first few points."),
)
SHAPE = (
    (
        "clustering",
        "clustering",
        "How likely two neighbours of a vertex are neighbours, averaged over the vertices.",
    ),
    ("transitivity", "transitivity", "The same over all pairs of edges that meet: hubs count more."),
    ("triangles", "triangles", "Triples of vertices that are all neighbours."),
    (
        "assortativity",
        "assortativity",
        "Correlation of the degrees of neighbours: negative where hubs are joined with vertices of few.",
    ),
    (
        "largest_core",
        "largest core",
        "The largest k for which a part has k or more neighbours each within it.",
    ),
    ("effective_diameter", "effective diameter", "Hops within which 90 % of the connected pairs lie."),
    ("mean_distance", "mean distance", "Hops between two vertices on average."),
    ("diameter", "diameter", "The longest distance; of a large graph the longest that was found."),
)
TABLES = (("Size", SIZE), ("Power laws", LAWS), ("Shape", SHAPE))
DISTANCES = (
    ("degree", "degrees", "Neighbours of the vertices."),
    ("clustering", "local clustering", "How likely a vertex's neighbours are neighbours, vertex by vertex."),
    ("hop_plot", "hop plot", "The share of pairs within h hops."),
    ("component_share", "component sizes, as shares", "Each part's share of the vertices."),
    ("component_size", "component sizes", "Vertices of each part: a sample's are meant to be fewer."),
    ("core_number", "core numbers", "How deep in the core each vertex is."),
)


def figure(value: float | int | None) -> str:
    """A number as a table shows it: whole numbers in groups, others with four significant digits."""
    if value is None:
        return "-"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}".replace(",", "\u202f").replace("-", "\u2212")
    return f"{value:#.4g}".replace("-", "\u2212")


def rows(quality: Pair, entries: Any) -> Iterator[Row]:
    """Rows of one table of TABLES."""
    for path, name, meaning in entries:
        one = look_up(quality.original, path)
        if one is None and "lognormal" in path:  # only by the package powerlaw
            continue
        other = None if quality.sample is None else look_up(quality.sample, path)
        reasons = []
        for whose, graph, value in (("original", quality.original, one), ("sample", quality.sample, other)):
            if graph is not None and value is None:
                reasons.append(f"{whose}: {why(graph, path)}")
        if path == "diameter":
            one_text, other_text = _at_least(one, quality.original), _at_least(other, quality.sample)
        else:
            one_text, other_text = figure(one), figure(other)
        yield Row(name, meaning, one_text, other_text, difference(one, other), tuple(reasons))


def look_up(measures: Measures, path: str) -> Any:
    """An attribute by a dotted path."""
    value: Any = measures
    for name in path.split("."):
        value = getattr(value, name)
    return value


def why(measures: Measures, path: str) -> str:
    """Why a figure is None."""
    if "." not in path:
        return measures.reasons.get(path, "it is undefined")
    return str(look_up(measures, path.rsplit(".", 1)[0] + ".reason"))


def _at_least(value: int | None, measures: Measures | None) -> str:
    estimated = value is not None and measures is not None and not measures.hop_plot_exact
    return ("\u2265 " if estimated else "") + figure(value)


def difference(one: float | None, other: float | None) -> str:
    """Sample minus original, and as a share of the original if both are positive."""
    if one is None or other is None:
        return "-"
    gap = other - one
    if gap == 0:
        return "0"
    text = figure(gap) if gap < 0 else f"+{figure(gap)}"
    if one > 0 and other > 0:
        text += f" ({100 * (other / one - 1):+.1f} %)".replace("-", "\u2212")
    return text


# --- What figures, tables and reports read of a Quality ---


class Pair(Protocol):
    """The measures of a graph and, if there is one, of its sample; see `clgraph.Quality`."""

    @property
    def original(self) -> Measures:
        """Of the graph."""

    @property
    def sample(self) -> Measures | None:
        """Of its sample."""

    @property
    def ks(self) -> dict[str, float | None] | None:
        """How far their distributions are apart."""

    @property
    def seed(self) -> int:
        """Chose the vertices that a large graph was searched from."""
