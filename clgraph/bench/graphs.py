"""Benchmark graphs by name; sizes tiny, small, medium and large."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.bench import SUITES
from clgraph.csr.generate import powerlaw_graph, rmat_graph
from clgraph.errors import InputError
from clgraph.files import read
from clgraph.graph import Graph
from clgraph.graph.views import some_vertices
from clgraph.theses.copra import copra_graph

if TYPE_CHECKING:
    from clgraph.device import Device

NAME = re.compile(r"(rmat|powerlaw|copra|grid|wiki)(\d+)")
# vertices and arcs of the Wikipedia graph of 2007 that the slides measured
WIKIPEDIA = (3_600_000, 45_000_000)

# word -> graphs of the suites, in the order of SUITES
_GRAPHS: dict[str, tuple[list[str], ...]] = {
    "tiny": (["powerlaw500", "powerlaw1000"], ["rmat8"], ["rmat8"], ["rmat8", "grid20"]),
    "small": (
        ["powerlaw3000", "powerlaw30000"],
        ["rmat10", "rmat12"],
        ["rmat12"],
        ["rmat10", "rmat12", "grid100"],
    ),
    "medium": (
        [f"powerlaw{n}" for n in (30_000, 100_000, 300_000, 1_000_000)],
        ["rmat14", "rmat16", "rmat18"],
        ["rmat16"],
        ["rmat14", "rmat16", "rmat18", "grid1000"],
    ),
    "large": (
        [f"powerlaw{n}" for n in (300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000)],
        ["rmat16", "rmat18", "rmat20", "rmat22"],
        ["wiki22"],
        ["rmat16", "rmat18", "rmat20", "rmat22", "grid1000"],
    ),
}
SIZES = {word: dict(zip(SUITES, graphs, strict=True)) for word, graphs in _GRAPHS.items()}


def graphs_of(sizes: Sequence[str], suite: str) -> list[str]:
    """The graphs that ``--sizes`` selects for a suite.

    Parameters
    ----------
    sizes : sequence of str
        A word (tiny, small, medium, large), or graphs separated by commas, where a bare number means a
        power-law graph. With ``SUITE=`` in front it holds for that suite only, and takes precedence there.
        Empty: medium.
    suite : str

    Raises
    ------
    InputError
        If a word is none of these.
    """
    plain, own = "", ""
    for text in sizes:
        name, equals, rest = text.partition("=")
        if equals and name not in SUITES:
            raise InputError(f"--sizes {text}: {name!r} is no suite; they are {', '.join(SUITES)}")
        if equals and name == suite:
            own = rest
        elif not equals:
            plain = text
    wanted = own or plain or "medium"
    if wanted in SIZES:
        return SIZES[wanted][suite]
    names = [name.strip() for name in wanted.split(",")]
    names = [f"powerlaw{int(name)}" if name.isdigit() else name for name in names]
    for name in names:
        if not NAME.fullmatch(name) and not Path(name).is_file():
            raise InputError(
                f"--sizes {wanted}: {name!r} is no graph: use powerlawN or N, copraN (N vertices), rmatS "
                f"(scale S), gridK (K x K), wikiS, a file, or one of the words {', '.join(SIZES)}"
            )
    return names


def size_of(name: str) -> int:
    """Approximate number of vertices of a generated graph; 0 for a file."""
    match = NAME.fullmatch(name)
    if match is None:
        return 0
    number = int(match[2])
    sizes = {"rmat": 1 << min(number, 40), "grid": number * number, "wiki": 1 << number}
    return sizes.get(match[1], number)


def make_graph(name: str, device: Device | None = None, *, directed: bool = False) -> Graph:
    """Make the graph of a name, the same one every time.

    ``powerlawN`` (N vertices, exponent 2.71, average degree 5, undirected), ``copraN`` (near N vertices,
    after the COPRA thesis), ``rmatS`` (R-MAT of scale S with Graph500's parameters, 16 edges per vertex;
    directed on request), ``gridK`` (K x K, undirected), ``wikiS`` (a directed R-MAT of scale S; scale 22 is
    cut to the slides' Wikipedia: 3.6 M vertices, 45 M arcs), or a file. All generated ones are of seed 1.
    """
    match = NAME.fullmatch(name)
    if match is None:
        return read(name, directed=True) if directed else read(name)
    number = int(match[2])
    if match[1] == "grid":
        return _grid(number)
    if match[1] == "copra":
        return copra_graph(number, device=device)
    if match[1] == "powerlaw":
        return powerlaw_graph(number, seed=1, device=device)
    if match[1] == "wiki":
        return _wiki(number, device)
    return rmat_graph(number, directed=directed, seed=1, device=device)


def _grid(side: int) -> Graph:
    v: Any = np.arange(side * side).reshape(side, side)
    return Graph.from_edges(np.r_[v[:, :-1].ravel(), v[:-1].ravel()], np.r_[v[:, 1:].ravel(), v[1:].ravel()])


def _wiki(scale: int, device: Device | None) -> Graph:
    """A graph of this scale; of scale 22 the first arcs that R-MAT draws among the first vertices.

    Draw i is the same one however many are made. So this is the graph of those first D draws by which exactly
    so many distinct arcs are there; D is found by the secant method (the count is close to linear in D).
    """
    if scale != 22:
        return rmat_graph(scale, directed=True, seed=1, device=device)
    vertices, arcs = WIKIPEDIA
    low, low_count = 0, 0
    draws = 16 << scale  # the number of Graph500, to begin with
    for _ in range(60):
        graph = rmat_graph(scale, edge_factor=draws / (1 << scale), directed=True, seed=1, device=device)
        among = np.arange(graph.num_vertices) < vertices
        keep = np.repeat(among, np.diff(graph.row_ptr)) & (graph.col_idx < vertices)
        count = int(keep.sum())
        if count == arcs:
            return Graph._from_arrays(some_vertices(graph._arrays, among, keep))
        slope = (count - low_count) / (draws - low) if draws != low else 1.0
        low, low_count = draws, count
        step = (arcs - count) / (slope if slope > 0 else 1.0)
        draws += round(step) or (1 if count < arcs else -1)
    raise InputError(f"wiki{scale}: no number of draws gives exactly {arcs} arcs; {low} give {low_count}")
