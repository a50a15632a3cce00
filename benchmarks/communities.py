"""Modularity of communities, time, and agreement with planted ones, beside igraph and NetworkX.

    python benchmarks/communities.py --device pocl karate.mtx facebook_combined.txt lfr:10000:0.5

An argument is a file, looked for in ``--data``, too, or ``lfr:N:MIXING``, a graph of `clgraph.lfr_graph`.
Edges count once, without weights. Of each implementation ``--seeds`` runs: smallest and largest modularity,
the shortest time of a call on graphs that each library already has, and for LFR graphs the mean normalized
mutual information with the planted communities. igraph is left out if it is not installed, NetworkX above
``--networkx`` edges, where it takes minutes.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

import clgraph
from clgraph import Graph

Labels = npt.NDArray[Any]


def mutual_information(a: Labels, b: Labels) -> float:
    """Mutual information of two partitions over the mean of their entropies."""
    pairs, count = np.unique(np.stack([a, b]), axis=1, return_counts=True)
    first, second, both = np.bincount(a) / len(a), np.bincount(b) / len(b), count / len(a)

    def entropy(share: npt.NDArray[np.float64]) -> float:
        return float(-(share[share > 0] * np.log(share[share > 0])).sum())

    shared = both * np.log(both / (first[pairs[0]] * second[pairs[1]]))
    return float(2 * shared.sum() / (entropy(first) + entropy(second)))


def labels_of(communities: Any, n: int) -> Labels:
    """Labels from sets of vertices."""
    labels = np.zeros(n, np.int64)
    for i, each in enumerate(communities):
        labels[list(each)] = i
    return labels


def methods(
    graph: Graph, device: str | None, networkx: int
) -> Iterator[tuple[str, Callable[[int], tuple[Labels, float]]]]:
    """Functions from a seed to labels and modularity."""
    n, pairs = graph.num_vertices, np.stack([graph.tails, graph.col_idx], axis=1)

    def own(call: Any) -> Callable[[int], tuple[Labels, float]]:
        def run(seed: int) -> tuple[Labels, float]:
            found = call(graph, seed=seed, weight=False, device=device)
            return found.labels, found.modularity

        run(0)  # kernels are built, and the graph is on the device
        return run

    yield "clgraph louvain", own(clgraph.louvain)
    yield "clgraph leiden", own(clgraph.leiden)
    try:
        import igraph
    except ImportError:
        pass
    else:
        theirs = igraph.Graph(n, pairs[pairs[:, 0] <= pairs[:, 1]].tolist())

        def louvain(seed: int) -> tuple[Labels, float]:
            random.seed(seed)
            found = theirs.community_multilevel()
            return np.array(found.membership), found.modularity

        def leiden(seed: int) -> tuple[Labels, float]:
            random.seed(seed)
            found = theirs.community_leiden("modularity", n_iterations=-1)
            return np.array(found.membership), found.modularity

        yield "igraph louvain", louvain
        yield "igraph leiden", leiden
    if graph.num_edges <= networkx:
        other = nx.Graph()
        other.add_nodes_from(range(n))
        other.add_edges_from(pairs.tolist())

        def plain(seed: int) -> tuple[Labels, float]:
            found = nx.community.louvain_communities(other, seed=seed)
            return labels_of(found, n), nx.community.modularity(other, found)

        yield "networkx louvain", plain


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("graphs", nargs="+", metavar="GRAPH")
    parser.add_argument("--device", help="as in clgraph.get_device")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--networkx", type=int, default=100_000, metavar="EDGES")
    parser.add_argument("--data", default=os.environ.get("CLGRAPH_TEST_DATA", ""), help="folder of data sets")
    options = parser.parse_args()
    print(f"{'graph':22} {'method':18} {'modularity':17} {'seconds':>8}  NMI")
    for name in options.graphs:
        planted = None
        if name.startswith("lfr:"):
            _, n, mixing = name.split(":")
            made = clgraph.lfr_graph(int(n), mixing=float(mixing), seed=1)
            graph, planted = made.graph, made.community
        else:
            graph = clgraph.read(name if Path(name).exists() else Path(options.data) / name).undirected
        for method, call in methods(graph, options.device, options.networkx):
            found, seconds, agree = [], [], []
            for seed in range(options.seeds):
                begin = perf_counter()
                labels, modularity = call(seed)
                seconds.append(perf_counter() - begin)
                found.append(modularity)
                if planted is not None:
                    agree.append(mutual_information(labels, planted))
            near = f"{np.mean(agree):.4f}" if agree else "-"
            spread = f"{min(found):.5f} {max(found):.5f}"
            print(f"{name:22} {method:18} {spread:17} {min(seconds):8.3f}  {near}", flush=True)


if __name__ == "__main__":
    main()
