"""Keyed random numbers: the published vectors, the same bits on every device, the right distribution."""

import numpy as np
import pytest
from scipy import stats

from clgraph import InputError, keyed
from clgraph.reference.common import words

# Random123's kat_vectors for philox4x32-10
KNOWN = [
    ((0, 0, 0, 0), 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((2**32 - 1,) * 4, 2**64 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        0x299F31D0A4093822,
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.smoke
@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_published_vectors(counter, key, expected):
    assert tuple(int(word[0]) for word in keyed.philox4x32(*counter, key)) == expected
    a, b, c, d = expected
    assert words(key, *counter) == (a | b << 32, c | d << 32)  # the references' own reading


def test_below_is_the_high_word_of_the_product():
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2**64, 2000, dtype=np.uint64)
    for bound in (1, 2, 3, 1000, 2**31 - 1, 2**32 - 1):
        assert keyed.below(bits, bound).tolist() == [int(b) * bound >> 64 for b in bits.tolist()]


def test_below_is_uniform():
    bits, _ = keyed.draw(9, 0, np.arange(60_000))
    counts = np.bincount(keyed.below(bits, 60), minlength=60)
    assert stats.chisquare(counts).pvalue > 1e-6


def test_numbers_depend_on_seed_tag_and_identity():
    v = keyed.vertex_priority(1, np.arange(1000))
    assert len(np.unique(v)) == 1000
    assert not np.any(v == keyed.vertex_priority(2, np.arange(1000)))
    assert not np.any(v == keyed.vertex_priority(1 + 2**32, np.arange(1000)))
    assert not np.any(v == keyed.edge_priority(1, np.arange(1000), 0))


def test_the_two_arcs_of_an_edge_have_numbers_of_their_own():
    tail, head = np.divmod(np.arange(900), 30)
    number = keyed.arc_number(1, tail, head)
    assert len(np.unique(number)) == 900
    assert not np.any(number == keyed.edge_priority(1, tail, head))
    assert np.array_equal(number, keyed.arc_number(1, tail, head))
    assert not np.any(number == keyed.arc_number(2, tail, head))


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_bad_seed(seed):
    with pytest.raises(InputError, match="seed"):
        keyed.check_seed(seed)


def test_no_seed_draws_one():
    assert keyed.check_seed(None) != keyed.check_seed(None)
