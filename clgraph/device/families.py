"""Kernel families: the kernel files that a driver gets right or wrong together."""

from __future__ import annotations

#: the beginning of a kernel file's name, without ``cl/`` and ``.cl``, and its family; the longest one counts
FAMILIES = {
    "device/": "",  # the probe tries these
    "csr/": "graph building",
    "csr/generate": "graph generator",
    "files/": "reading files",
    "centrality/": "centrality",
    "components/": "components",
    "components/strong": "strong components",
    "traversal/": "search",
    "traversal/many": "searches at once",
    "ranking/": "pagerank",
    "ranking/small": "pagerank small",
    "ranking/bins": "pagerank bins",
    "ranking/runs": "pagerank runs",
    "ranking/deal": "pagerank runs",
    "ranking/personalized/": "personalized pagerank",
    "ranking/personalized/walks": "personalized pagerank monte-carlo",
    "sampling/": "samples",
    "sampling/contract": "samples by contraction",
    "sampling/array_frontier": "batched samples",
    "sampling/copra": "batched samples",
    "sampling/draw": "batched samples",
    "sampling/literature/": "samplers of the literature",
    "sampling/repair": "batched samples",
    "sampling/select": "batched samples",
    "sampling/explore": "samples by exploration",
    "sampling/strong": "samples by strong components",
    "measures/": "measures",
    "scale/": "forests of large graphs",
    "theses/": "pagerank",
    "theses/subgroup": "pagerank subgroup",
    "theses/coo": "personalized pagerank coo",
}


def family_of(program: str) -> str:
    """The family of a kernel file; empty for those of the device's own."""
    found = [beginning for beginning in FAMILIES if program.startswith(beginning)]
    return FAMILIES[max(found, key=len)] if found else program.split("/")[0]
