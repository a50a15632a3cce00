"""Communities: rows of all lengths."""

from dataclasses import replace

import numpy as np

from clgraph import Graph, leiden, louvain, modularity
from clgraph.communities import levels, propagation
from clgraph.reference.communities import reference_label_propagation, verify_modularity
from clgraph.reference.multilevel import verify_leiden, verify_louvain
from oclgrind.shared import tangle


def case_propagation(device):
    """Rows of all classes, by groups and by work-items alone, merged arcs, tables one row at a time."""
    own = propagation.LAUNCH.simulator
    for duplicates in ("merge", "keep"):
        graph = tangle(duplicates=duplicates)
        for config, share in ((own, 8), (replace(own, few=1, many=1), 2**50)):
            propagation.SHARE = share
            with device.alone():
                found = propagation.Propagation(device, graph, config)
                assert min(found.sizes) > 0
                found.advance(2, ends=False)
                labels = device.download(found.label, np.int32, 50)
            assert labels.tolist() == reference_label_propagation(graph, 2)


def case_multilevel(device):
    """Louvain and Leiden, by work-groups and by work-items alone; weights and merged arcs."""
    rng = np.random.default_rng(6)
    ends = (rng.random((2, 90)) ** 2 * 24).astype(int)
    levels.SLICES = 4
    own = levels.LAUNCH.simulator
    for config, options in ((own, {}), (replace(own, local=1), {"weights": rng.integers(0, 5, 90)})):
        levels.LAUNCH = replace(levels.LAUNCH, simulator=config)
        graph = Graph.from_edges(*ends, vertices=np.arange(24), **options)
        verify_louvain(graph, louvain(graph, seed=1, device=device))
        verify_leiden(graph, leiden(graph, seed=1, device=device))


def case_modularity(device):
    """Rows that span several runs, merged arcs, weights, both directions."""
    rng = np.random.default_rng(6)
    labels = rng.integers(0, 4, 50)
    for options in ({}, {"weights": rng.random(170), "directed": True}, {"duplicates": "keep"}):
        graph = tangle(**options)
        verify_modularity(graph, modularity(graph, labels, device=device), labels)
