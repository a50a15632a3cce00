"""Every method goes by several names, which are nobody else's."""

import pytest
from graphs import random_graph

from clgraph import InputError, sample
from clgraph.methods import KINDS, LITERATURE, METHODS, OPTIONS, REDUCTIONS, known, option_of, plain_method
from clgraph.sampling.request import OF_SHARDS, SampleOptions, checked


def test_each_name_is_of_one_method():
    taken = {}
    for short, each in METHODS.items():
        for name in (short, *each.names):
            longer = f"{name.removesuffix('Sampler')}Sampler"  # as littleballoffur's classes are called
            for spelt in (name, name.upper(), name.replace("_", " "), name.replace("_", "-"), longer):
                assert plain_method(spelt) == short
        assert taken.setdefault(each.words, short) == short
        assert each.kind in KINDS
        assert (known(each.words) == short) == (short in LITERATURE) == (short not in REDUCTIONS)


def test_a_name_in_words_gives_the_same_sample(device):
    assert plain_method("RandomEdgeSamplerWithInduction") == "ties"
    graph = random_graph(4, 60, 150)
    for words, short in (("delete vertices", "drv"), ("Forest-Fire", "ff"), ("random_walk", "rw")):
        made, same = (sample(graph, name, size="40%", seed=3, device=device) for name in (words, short))
        assert made.method == same.method == short
        assert made.vertices.tolist() == same.vertices.tolist()


def test_a_typo_in_words():
    with pytest.raises(InputError, match=r"unknown method 'forrest_fire': did you mean 'ff' \(forest_fire\)"):
        sample(random_graph(4, 60, 150), "forrest_fire", size="40%")
    with pytest.raises(InputError, match=r"'drv' \(delete_vertices\) or .*\? `clgraph methods` lists all"):
        sample(random_graph(4, 60, 150), "dvr", size="40%")
    with pytest.raises(InputError, match="unknown method 'zzz': `clgraph methods` lists all"):
        sample(random_graph(4, 60, 150), "zzz", size="40%")


def test_options_are_those_of_the_call():
    """Type checkers read `SampleOptions`, everything else the table."""
    of_all = {"seed", "rng", "device", "strict", "progress", "arrays", "ids", *OF_SHARDS}
    assert set(SampleOptions.__annotations__) == {*OPTIONS, *of_all}
    assert {name for each in METHODS.values() for name in each.options} == set(OPTIONS)


def test_defaults_are_in_range():
    for method, each in METHODS.items():
        for name in each.options:
            option = option_of(method, name)
            assert option.help.endswith((".", ")"))
            if option.default is not None:
                checked(method, name, option.default)
            if option.takes in (int, bool) or option.range:
                with pytest.raises(InputError):
                    checked(method, name, "none of them")
