"""Power laws fitted to data that follow one, and to data that do not suffice; no device."""

import numpy as np
import pytest
import scipy.stats
from scipy.special import zeta

from clgraph.measures.fits import (
    degree_exponents,
    eigen_exponent,
    hop_exponent,
    hurwitz,
    likely_tails,
    line_through,
    packaged_tail,
    rank_line,
)


def test_maximum_likelihood_finds_the_exponent_that_made_the_data():
    for alpha in (2.2, 3.0):
        values = scipy.stats.zipf.rvs(alpha, size=20000, random_state=1)
        histogram = np.unique(values, return_counts=True)
        fit = likely_tails([histogram])[0]
        assert fit.alpha == pytest.approx(alpha, abs=5 * fit.error)
        assert fit.distance < 0.02
        by_degree, by_rank = degree_exponents(*histogram, fit)
        assert by_degree.mle.exponent == -fit.alpha
        assert by_rank.mle.exponent == pytest.approx(-1 / (fit.alpha - 1))
        assert by_degree.ccdf.exponent == pytest.approx(-alpha, abs=0.3)


def test_lines_are_perfect_or_say_why_not():
    x = np.arange(1, 30)
    fit = line_through(x, 7.0 * x**-1.5)
    assert (fit.slope, fit.correlation, fit.intercept) == pytest.approx((-1.5, -1, np.log(7)))
    for points, number in (([], "no"), ([3], "1")):
        fit = line_through(points, points, "degree")
        assert (fit.slope, fit.reason) == (None, f"{number} degree: a line takes two different ones")
    level = line_through([1, 2, 3], [4, 4, 4])
    assert (level.slope, level.correlation) == (0, None)
    assert "level" in level.reason


def test_the_rank_line_is_that_of_every_vertex():
    degrees = np.array([9, 7, 7, 4, 2, 2, 2, 1, 1, 1, 1, 1])
    line = rank_line(*np.unique(degrees, return_counts=True))
    x, y = np.log(np.arange(1, len(degrees) + 1)), np.log(degrees)
    slope, intercept = np.polyfit(x, y, 1)
    assert (line.slope, line.intercept) == pytest.approx((slope, intercept), rel=1e-12)
    assert line.correlation == pytest.approx(np.corrcoef(x, y)[0, 1], rel=1e-12)
    assert line.points == len(degrees)


def test_the_hop_exponent_ends_at_nine_tenths():
    pairs = np.array([100, 300, 900, 2600, 5000, 9800, 10000.0])
    slope = np.polyfit(np.log([1, 2, 3, 4]), np.log(pairs[1:5]), 1)[0]
    assert hop_exponent(pairs).slope == pytest.approx(slope)
    early = np.array([100, 300, 950, 1000.0])  # nine tenths are reached at the second hop
    assert hop_exponent(early).points == 2
    assert "no line through one point" in hop_exponent(np.array([10, 100.0])).reason


def test_the_eigen_exponent():
    values = 8.0 * np.arange(1, 21) ** -0.5
    fit = eigen_exponent(values, None)
    assert (fit.slope, fit.correlation) == pytest.approx((-0.5, -1))
    assert fit.ccdf.exponent == pytest.approx(-0.5)
    assert fit.mle.exponent == pytest.approx(-np.log(values[:-1] / values[-1]).mean())
    missing = eigen_exponent(np.zeros(0), "not asked for")
    assert (missing.slope, missing.reason, missing.mle.reason) == (None, "not asked for", "not asked for")


def test_zeta_to_twelve_digits():
    alpha, q = (each.ravel() for each in np.meshgrid(np.linspace(1.01, 20, 60), np.geomspace(1, 1e6, 90)))
    np.testing.assert_allclose(hurwitz(alpha, q), zeta(alpha, q), rtol=1e-12, atol=1e-300)


def test_the_package_finds_the_same_tails_and_tests_against_lognormals():
    powerlaw = pytest.importorskip("powerlaw")
    for name, minimum in (("words", 7), ("terrorism", 12)):
        values = powerlaw.load_test_dataset(name).astype(np.int64)
        histogram = np.unique(values[values > 0], return_counts=True)
        ours, theirs = likely_tails([histogram])[0], packaged_tail(*histogram)
        assert ours.minimum == theirs.minimum == minimum
        assert ours.tail == theirs.tail
        assert ours.alpha == pytest.approx(theirs.alpha, rel=1e-3)  # its own search ends there
        assert ours.lognormal_p is None
    drawn = np.random.default_rng(1).lognormal(3, 0.6, 4000).astype(np.int64) + 1
    found = packaged_tail(*np.unique(drawn, return_counts=True))
    assert 0 <= found.lognormal_p <= 1
    assert found.lognormal_ratio < 0
    assert "three are needed" in packaged_tail(np.array([1, 2]), np.array([5, 90])).reason
