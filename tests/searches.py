"""What the tests of the searches share: small graphs, and launch tables with other entries."""

from dataclasses import replace

import numpy as np
import pytest

from clgraph import Graph
from clgraph.traversal import search

# the work-group kernels of GPUs, in groups that CPUs can have too
TEAM = replace(search.TEAM, local=64, rows=16, fused_local=32)


def put_shape(patch, module, device, shape):
    """Let a module's launch table have this entry for the device."""
    patch.setattr(module, "LAUNCH", replace(module.LAUNCH, **{device.kind: shape}))


def first_device_but(own, names, slow=()):
    """Parameters of which all but `own` run on the first device only; `slow` ones are marked so."""
    marks = {
        name: [pytest.mark.first_device, *([pytest.mark.slow] if name in slow else [])] for name in names
    }
    return [name if name == own else pytest.param(name, marks=marks[name]) for name in names]


def random_graph(seed):
    """Up to 120 vertices; directed, with parallel edges, or both, as the seed has it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 120))
    ends = rng.integers(0, n, (2, int(rng.integers(0, 4 * n))))
    return Graph.from_edges(
        *ends, vertices=np.arange(n), directed=bool(seed % 2), duplicates=("merge", "keep")[seed // 2 % 2]
    )


def drawn_graph(rng, most, directed):
    """Fewer than `most` vertices, with no more arcs than that or with several each."""
    n = int(rng.integers(1, most))
    ends = rng.integers(0, n, (2, int(n * rng.choice([0.3, 0.6, 1, 1.5, 3]))))
    duplicates = str(rng.choice(["merge", "keep"]))
    return Graph.from_edges(*ends, directed=directed, vertices=np.arange(n), duplicates=duplicates)
