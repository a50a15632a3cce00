"""The variants serial, pull and subgroup."""

import numpy as np
import pytest
from ranking_checks import as_reference, every_check, full_groups

from clgraph import Graph
from clgraph.theses.rows import LAUNCH


@every_check
@pytest.mark.parametrize("variant", ["serial", "pull", "subgroup"])
@pytest.mark.cross
def test_variants(device, variant, check):
    check(device, variant)


def test_vertices_of_a_group(device):
    full_groups(device, "pull")


def test_pieces(device):
    """Rows as long as a piece are not cut; longer ones are, into as few pieces as possible."""
    piece = LAUNCH.of(device).piece
    lengths = [piece, piece + 1, 2 * piece, 2 * piece + 1]
    tails = np.concatenate([10 + np.arange(length) for length in lengths])
    heads = np.repeat(np.arange(len(lengths)), lengths)
    graph = Graph.from_edges(tails, heads, directed=True)
    found = as_reference(device, graph, 3, variant="subgroup")
    assert f": {2 + 2 + 3} pieces" in found.plan[2]
