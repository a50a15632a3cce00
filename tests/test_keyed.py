"""Keyed random numbers: the published vectors, the same bits on every device, the right distribution."""

import inspect
from functools import partial

import numpy as np
import pytest
from public_calls import parts
from scipy import stats

import clgraph
from clgraph import InputError, keyed
from clgraph.public import BY_NAME, PUBLIC, load
from clgraph.reference.common import words

# Random123's kat_vectors for philox4x32-10
PI = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
KNOWN = [
    ((0, 0, 0, 0), 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((2**32 - 1,) * 4, 2**64 - 1, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (PI, 0x299F31D0A4093822, (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
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
    """Of vertices, edges and arcs whose numbers are the same; the two arcs of an edge have their own."""
    same, (tail, head) = np.arange(900), np.divmod(np.arange(900), 30)
    drawn = [keyed.vertex_priority(seed, same) for seed in (1, 2, 1 + 2**32)]
    drawn += [keyed.edge_priority(seed, same, 0) for seed in (1, 2)]
    drawn += [keyed.arc_number(seed, same, 0) for seed in (1, 2)]
    assert len(np.unique(drawn)) == 7 * 900
    arcs, edges = keyed.arc_number(1, tail, head), keyed.edge_priority(1, tail, head)
    assert len(np.unique(arcs)) == 900 and not np.any(arcs == edges)
    assert np.array_equal(arcs, keyed.arc_number(1, tail, head))


def test_no_seed_draws_one():
    assert keyed.check_seed(None) != keyed.check_seed(None)


def takes_seed(each):
    return each.is_function and "seed" in inspect.signature(load(each.home, each.name)).parameters


@pytest.mark.parametrize("name", [each.name for each in filter(takes_seed, PUBLIC)])
def test_every_call_with_a_seed_takes_rng_instead(name):
    call = load(BY_NAME[name].home, name)
    given = inspect.signature(call).parameters["rng"]
    assert given.kind is given.KEYWORD_ONLY and given.default is None
    with pytest.raises(InputError, match=rf"^{name}: seed 3 and rng 5: pass one of them, not both$"):
        call(seed=3, rng=5)
    use = r"^rng .*: use an integer from 0 to 2\*\*64 - 1, or a SeedSequence"
    for wrong in (-1, 2**64, True, 1.5, "7", np.random.RandomState(1), [1, 2]):
        with pytest.raises(InputError, match=use):
            call(rng=wrong)


def test_what_rng_gives():
    assert keyed.seed_from(7) == 7 and keyed.seed_from(np.uint64(2**64 - 1)) == 2**64 - 1
    sequence = np.random.SeedSequence(7)
    word = int(sequence.generate_state(1, np.uint64)[0])
    assert [keyed.seed_from(sequence), keyed.seed_from(sequence)] == [word, word]
    for kind in (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64):
        bits, generator = kind(5), np.random.default_rng(kind(5))
        drawn = [keyed.seed_from(bits) for _ in range(20)]
        assert drawn == [keyed.seed_from(generator) for _ in range(20)]
        assert len(set(drawn)) == 20 and max(drawn) > 2**60


def test_a_result_says_which_seed_rng_gave(device):
    graph = clgraph.datasets.karate()
    seed = keyed.seed_from(np.random.default_rng(7))
    walks = {"method": "monte-carlo", "walks": 9}
    for call in (
        partial(clgraph.sample, graph, size=9),
        partial(clgraph.sample, graph, "rw", steps=9),
        partial(clgraph.reduction_curve, graph),
        partial(clgraph.quality, graph),
        partial(clgraph.lfr_graph, 200),
        partial(clgraph.personalized_pagerank, graph, 1, **walks),
    ):
        made, same = call(rng=np.random.default_rng(7), device=device), call(seed=seed, device=device)
        assert made.seed == same.seed == seed
        assert str(parts(made)) == str(parts(same))
    several = clgraph.sample(graph, size=9, seeds=3, device=device, rng=5)
    assert [each.seed for each in several] == [5, 6, 7]
    report = {}
    clgraph.rmat_graph(4, rng=np.random.SeedSequence(3), report=report)
    assert report["seed"] == keyed.seed_from(np.random.SeedSequence(3))


def test_a_generator_advances_from_call_to_call():
    graph, rng = clgraph.datasets.karate(), np.random.default_rng(1)
    first, second = (clgraph.deletion_order(graph, rng=rng) for _ in range(2))
    assert not np.array_equal(first, second)
    with pytest.raises(InputError, match="seed 3 and rng 5"):
        clgraph.deletion_order(graph, "drv", 3, rng=5)
    with pytest.raises(InputError, match="seed None and rng 5"):
        clgraph.reduction_curve(graph, "drv", None, rng=5)


def test_warnings_of_such_calls_are_of_the_line_that_calls(device):
    graph = clgraph.datasets.karate()
    options = {"tol": 1e-6, "max_iter": 1, "on_nonconvergence": "warn", "device": device}
    with pytest.warns(clgraph.ConvergenceWarning) as warned:
        clgraph.personalized_pagerank(graph, 1, **options)
    assert warned[0].filename == __file__
    star = clgraph.Graph.from_edges([0] * 40, range(1, 41))
    with pytest.warns(UserWarning, match="collapsed") as warned:
        clgraph.sample(star, size=20, seed=1, seeds=20, device=device)
    assert warned[0].filename == __file__
