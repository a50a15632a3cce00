"""The configuration model: the reference's graph on every device, the law of degrees, and shuffles."""

from __future__ import annotations

import numpy as np
import pytest
from models import same
from scipy.stats import chisquare

from clgraph import InputError, configuration_graph
from clgraph.csr.generate_stubs import draw_degrees, shuffle
from clgraph.graph.models import power_law
from clgraph.reference.models import reference_configuration


@pytest.mark.smoke
def test_on_every_device_as_the_reference(device):
    for seed in (1, 7, 2**64 - 1):
        for n, exponent, least, most in (
            (2, 2, 1, 1),
            (5, 0, 1, 4),
            (90, 2.2, 1, 30),
            (61, 3, 3, 4),
            (8, 1, 7, 7),
        ):
            how = {"exponent": exponent, "min_degree": least, "max_degree": most, "seed": seed}
            made = configuration_graph(n, **how, device=device)
            wanted, degrees = reference_configuration(n, **how)
            assert same(made, wanted)
            assert sum(degrees) % 2 == 0
            assert all(least <= k <= most for k in degrees)


def test_law_of_degrees(device):
    n, least, most = 100_000, 2, 60
    buffer = draw_degrees(device, n, least, most, power_law(least, most, 1.8), 3)
    degrees = device.download(buffer, np.int32, n)
    law = np.arange(least, most + 1) ** -1.8
    assert chisquare(np.bincount(degrees, minlength=most + 1)[least:], n * law / law.sum()).pvalue > 1e-4
    made = configuration_graph(n, exponent=1.8, min_degree=least, max_degree=most, seed=3, device=device)
    assert 0 < degrees.sum() - made.num_arcs < 0.01 * degrees.sum()  # loops and parallel edges
    assert (made.degrees[1:] <= degrees[1:]).all()


def test_power_law_of_many_values():
    """The products of powers of primes are the powers, up to what 64 bits can tell."""
    most = 20_000
    found = power_law(5, most, 2.3).astype(np.float64) / 2.0**64
    mass = np.arange(5, most + 1) ** -2.3
    np.testing.assert_allclose(found, np.cumsum(mass)[:-1] / mass.sum(), rtol=1e-10)


def test_shuffle_is_that_of_the_loop(device):
    rng = np.random.default_rng(1)
    for count in (1, 2, 50, 5000):
        aim = rng.integers(np.arange(count), count)
        aim[rng.random(count) < 0.2] = count - 1  # many want the last one
        aim = np.maximum(aim, np.arange(count)).astype(np.int32)
        want = list(range(count))
        for i, j in enumerate(aim):
            want[i], want[j] = want[j], want[i]
        value = device.upload(np.arange(count, dtype=np.int32), writable=True)
        shuffle(device, value, device.upload(aim), count)
        assert device.download(value, np.int32, count).tolist() == want


def test_bad_arguments(device):
    for n, how, words in (
        (5, {"min_degree": 3, "max_degree": 3}, "5 vertices of degree 3: the sum of the degrees is odd"),
        (5, {"min_degree": 4, "max_degree": 3}, "minimum degree 4 is above the maximum, 3"),
        (5, {"min_degree": 1, "max_degree": 5}, "maximum degree 5: 5 vertices allow at most 4"),
        (1, {}, "maximum degree 1: 1 vertices allow at most 0"),
        (9, {"min_degree": 0}, "minimum degree is 0"),
        (9, {"min_degree": "3"}, "minimum degree is '3'"),
        (9, {"exponent": -1}, "exponent -1.0: give a number from 0 to 20"),
        (2**31 - 1, {"max_degree": 2**30}, "at most 1048576 different values"),
    ):
        with pytest.raises(InputError, match=words):
            configuration_graph(n, **how)
    with pytest.raises(InputError, match="the degrees add up to 3"):
        configuration_graph(60_000, min_degree=59_998, max_degree=59_999, seed=1, device=device)
