"""The suites of ``clgraph bench``, and their cases."""

from __future__ import annotations

from collections.abc import Sequence

from clgraph.bench import SUITES
from clgraph.bench.cases import pagerank, ppr, sampling, traversal
from clgraph.bench.graphs import graphs_of
from clgraph.bench.harness import Case

_MODULES = {"sampling": sampling, "pagerank": pagerank, "ppr": ppr, "traversal": traversal}


def cases_of(suite: str, sizes: Sequence[str], peers: str) -> list[Case]:
    """The cases of one suite, or of all.

    Parameters
    ----------
    suite : str
        One of `clgraph.bench.SUITES`, or "all".
    sizes : sequence of str
        As `clgraph.bench.graphs.graphs_of` takes them.
    peers : str
        "all", names with commas between, or "" for none.
    """
    names = SUITES if suite == "all" else [suite]
    graphs = {name: graphs_of(sizes, name) for name in names}  # check all names before making any case
    return [case for name in names for case in _MODULES[name].cases(graphs[name], peers)]
