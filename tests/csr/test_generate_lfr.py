"""Graphs with communities: the reference's on every device, their laws, and what does not fit together."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from models import same

from clgraph import InputError, lfr_graph
from clgraph.csr.generate_stubs import _community_sizes
from clgraph.reference.models import reference_lfr, reference_sizes, verify_communities

SMALL = {
    "mixing": 0.3,
    "degree_exponent": 2.0,
    "min_degree": 3,
    "max_degree": 15,
    "community_exponent": 1.0,
    "min_community": 12,
    "max_community": 40,
}


@pytest.mark.smoke
def test_on_every_device_as_the_reference(device):
    dropped = 0
    for n, seed, more in (
        (200, 1, {}),
        (157, 2**64 - 1, {"mixing": 0.7}),
        (90, 3, {"mixing": 0.0, "max_degree": 8}),
        (60, 4, {"mixing": 1.0}),
        (40, 5, {"min_degree": 9, "max_degree": 12, "mixing": 0.1, "max_community": 14}),  # tight
        (30, 6, {"max_community": 100, "min_community": 30, "mixing": 0.0}),  # a single one
    ):
        how = {**SMALL, **more, "seed": seed}
        made = lfr_graph(n, **how, device=device)
        wanted, community, left = reference_lfr(n, **how)
        assert made.community.tolist() == community
        assert made.dropped == left
        assert same(made.graph, wanted)
        verify_communities(made, mixing=how["mixing"])
        dropped += left
    assert dropped  # some are too tight for all edges


def test_laws(device):
    told = []
    made = lfr_graph(20_000, mixing=0.35, seed=2, device=device, progress=lambda *a: told.append(a))
    verify_communities(made, mixing=0.35)
    sizes = np.bincount(made.community)
    assert len(sizes) == made.num_communities
    assert sizes.min() >= 20
    assert sizes.max() <= 100
    degrees = made.graph.degrees
    assert degrees.max() <= 50
    assert np.count_nonzero(degrees < 5) < 0.02 * len(degrees)  # what an odd stub or a dropped edge takes
    assert made.dropped < 0.001 * made.graph.num_edges
    assert told[-1][1] - told[-1][0] == made.dropped
    with pytest.raises(AssertionError, match=r"mixing is 0\.5"):
        verify_communities(made, mixing=0.5)
    outside = np.where(made.community == 0, -1, made.community)
    for wrong in (made.community[:-1], outside, made.community * 0):
        other = SimpleNamespace(**{**vars(made), "community": wrong})
        with pytest.raises(AssertionError):
            verify_communities(other, mixing=0.35)


def test_sizes():
    for n, least, most, seed in (
        (100, 10, 30, 1),
        (1000, 20, 25, 2),
        (41, 20, 40, 3),
        (50, 50, 90, 4),
        (95, 10, 90, 6),
        (7, 1, 1, 5),
    ):
        found = _community_sizes(n, least, most, 1.5, seed)
        assert found.tolist() == reference_sizes(n, least, most, 1.5, seed=seed)
        assert found.sum() == n
        assert found.min() >= least


def test_bad_arguments(device):
    for n, more, words in (
        (200, {"mixing": 1.2}, "mixing 1.2: give a number from 0 to 1"),
        (200, {"mixing": "0.1"}, "mixing is '0.1'"),
        (8, {"max_degree": 7}, "8 vertices are fewer than one community's 12"),
        (200, {"max_community": 11}, "minimum community 12 is above the maximum, 11"),
        (
            201,
            {"min_community": 20, "max_community": 20},
            "201 vertices are no sum of communities of 20 to 20",
        ),
        (20, {"min_community": 20}, "only one community of all 20 vertices"),
        (200, {"max_degree": 200}, "200 vertices allow at most 199"),
        (200, {"max_degree": 60, "degree_exponent": 0}, r"\d+ vertices have \d+ neighbours or more inside"),
    ):
        with pytest.raises(InputError, match=words):
            lfr_graph(n, **{**SMALL, **more}, seed=1, device=device)
