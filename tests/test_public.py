"""The tables of public names and of methods: complete, true, and what is written from the first.

python tests/test_public.py    # writes clgraph/__init__.pyi
"""

import ast
import dataclasses
import inspect
import re
from fractions import Fraction
from itertools import groupby

import numpy as np
import pytest
from cli_runs import ROOT, python
from graphs import random_graph
from public_calls import EXAMPLES, example, graphs, reference, verify

import clgraph
from clgraph import ClgraphError, InputError, sample
from clgraph.methods import KINDS, LITERATURE, METHODS, OPTIONS, REDUCTIONS, known, option_of, plain_method
from clgraph.public import BY_NAME, FAMILIES, PUBLIC, Public, family_of, load
from clgraph.sampling.request import OF_SHARDS, SampleOptions, checked

STUB = ROOT / "clgraph" / "__init__.pyi"
FUNCTIONS = [each for each in PUBLIC if each.is_function]
CLASSES = [each for each in PUBLIC if not each.is_function and each.name != "datasets"]


def stub():
    """What type checkers read instead of the lazy ``clgraph/__init__.py``."""
    lines = [
        '"""Written from `clgraph.public` by ``python tests/test_public.py``: what type checkers see."""',
        "",
        "from clgraph import datasets as datasets",
        "from clgraph._version import __version__ as __version__",
    ]
    named = sorted((each.home, each.name) for each in PUBLIC if each.name != "datasets")
    for home, group in groupby(named, key=lambda pair: pair[0]):
        lines += [f"from clgraph.{home} import {name} as {name}" for _, name in group]
    names = "".join(f'    "{name}",\n' for name in sorted(clgraph.__all__))
    return "\n".join(lines) + f"\n\n__all__ = [\n{names}]\n"


def test_what_type_checkers_read_is_written_from_the_table():
    if not STUB.parent.is_dir():
        pytest.skip("needs the source tree")
    assert STUB.read_text() == stub(), "python tests/test_public.py writes it"


# --- nothing is missing ------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_names_are_listed_before_they_are_loaded():
    python("-c", "import clgraph; assert set(clgraph.__all__) <= set(dir(clgraph))").fine()


@pytest.mark.smoke
def test_names_are_there_once_and_what_they_are_said_to_be():
    assert len(BY_NAME) == len(PUBLIC) and {"__version__", *BY_NAME} == set(clgraph.__all__)
    for each in PUBLIC:
        found = getattr(clgraph, each.name)
        assert found is load(each.home, each.name if each.name != each.home else "")
        assert inspect.isfunction(found) == each.is_function
        assert inspect.isclass(found) == (each in CLASSES)


@pytest.mark.parametrize("each", [each for each in CLASSES if each.members], ids=lambda each: each.name)
def test_members_that_are_public_are_described(each):
    cls = getattr(clgraph, each.name)
    text = inspect.getdoc(cls) or ""
    for name in each.members.split():
        found = inspect.getattr_static(cls, name, None)
        named = re.search(rf"^(.*, )?{name}(,.*)? : |^{name}$", text, re.MULTILINE)
        assert named or getattr(found, "__doc__", None), name


# what folders offer to others of the package and to tests, and not to users
INNER = {
    "datasets": {"KNOWN", "Known", "fetch", "karate", "les_miserables"},  # its functions are public there
    "measures": {"Measures"},
    "sampling": {"curve_table"},
}
FOLDERS = {each.home for each in PUBLIC} - {"device", "graph", "reference"}  # these serve all others


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_what_folders_offer_is_in_the_table(folder):
    missing = set(getattr(load(folder), "__all__", ())) - BY_NAME.keys() - INNER.get(folder, set())
    assert missing == set(), "put it into clgraph/public.py"


@pytest.mark.parametrize("name", [each.name for each in FUNCTIONS])
def test_an_entry_is_complete_or_says_why_not(name):
    each = BY_NAME[name]
    for field in ("call", "reference", "verifier", "family", "values"):
        there, why = bool(getattr(each, field)), each.lacks.get(field, "")
        assert there != bool(why), f"{name}: {field} or, in lacks, why there is none"
    assert set(each.lacks) <= {"call", "reference", "verifier", "family", "values"}
    assert not each.selftest or (each.verifier and each.family)
    assert not each.family or each.family in FAMILIES.values()
    if each.call:
        tree = ast.parse(each.call, mode="eval").body
        assert isinstance(tree, ast.Call) and ast.unparse(tree.func) == name
    if each.reference:
        assert inspect.isfunction(reference(each.reference)) and "reference_" in each.reference
    if each.verifier:
        assert inspect.isfunction(reference(each.verifier)) and "verify_" in each.verifier


def test_classes_and_errors_have_nothing_to_call():
    for each in CLASSES:
        assert each[3:] == Public("", "", "", values=each.values, members=each.members)[3:], each.name


# --- what it says is so ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [each.name for each in EXAMPLES if each.verifier or each.family])
@pytest.mark.cross
def test_examples_are_right_and_run_kernels_of_their_family(name, device):
    from clgraph.device.launch import record_launches

    each = BY_NAME[name]
    if each.doubles and "HAVE_FP64" not in device.features:
        pytest.skip(f"{device} has no numbers of 64 bits")
    graphs.cache_clear()  # what was measured of a graph is kept with it, and not measured again
    with record_launches() as launches:
        found = example(each, device)
    families = {family_of(launch.program) for launch in launches}
    if not any(launch.pipeline for launch in launches):  # which several families share
        assert not each.family or each.family in families, families
    if each.verifier:
        verify(each, found)


# values beside the answer, which verifiers do not check
BESIDE = {"community", "iterations", "residuals", "converged", "error_bounds", "vertex_ids"}


def changed(found):
    """Copies of a result, each with one element of one of its arrays changed."""
    if isinstance(found, tuple):
        for i, part in enumerate(found):
            yield from ((*found[:i], other, *found[i + 1 :]) for other in changed(part))
    elif dataclasses.is_dataclass(found):
        for name in vars(found).keys() - BESIDE:
            if isinstance(part := getattr(found, name), np.ndarray):
                yield from (dataclasses.replace(found, **{name: other}) for other in changed(part))
    elif isinstance(found, np.ndarray | float):
        other = np.array(found)
        other.flat[0] += 1
        yield other


@pytest.mark.parametrize("each", [each for each in EXAMPLES if each.verifier], ids=lambda each: each.name)
def test_verifiers_see_one_changed_element(each):
    others = list(changed(example(each)))
    assert bool(others) == (each.name not in ("sample", "split_edges", "lfr_graph"))  # they have graphs
    for other in others:
        with pytest.raises((AssertionError, ClgraphError)):
            verify(each, other)


# --- the methods of sampling ------------------------------------------------------------------------------


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


TYPOS = {
    "forrest_fire": r"unknown method 'forrest_fire': did you mean 'ff' \(forest_fire\)",
    "dvr": r"'drv' \(delete_vertices\) or .*\? `clgraph methods` lists all",
    "zzz": "unknown method 'zzz': `clgraph methods` lists all",
}


@pytest.mark.parametrize("typo", TYPOS)
def test_a_typo_in_words(typo):
    with pytest.raises(InputError, match=TYPOS[typo]):
        sample(random_graph(4, 60, 150), typo, size="40%")


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


def beyond(option):
    """Values that an option does not take: a word, and the next ones beyond the ends of its range."""
    if isinstance(option.takes, tuple) or option.takes in (bool, ""):
        return ["none of them"] if option.takes else []
    step, number = (1, int) if option.takes is int else (Fraction(1, 1000), Fraction)
    least = number(option.least) - (step if option.ends[0] == "[" else 0)
    if option.most is None:
        return ["none of them", least]
    return ["none of them", least, number(option.most) + (step if option.ends[1] == "]" else 0)]


@pytest.mark.parametrize("method", METHODS)
def test_options_beyond_their_range_and_of_other_methods_are_refused(method):
    graph, own = clgraph.datasets.karate(), METHODS[method].options
    # a reduction says in a note that options of other reductions play no part
    heard = {name for each in REDUCTIONS for name in METHODS[each].options} if method in REDUCTIONS else own
    for name in OPTIONS:
        size = {} if name in ("steps", "starts", "stages", "parts") else {"size": 9}
        if name in own:
            values, words = beyond(option_of(method, name)), "(is )?.*: (use|give) "
        else:
            values = [] if name in heard else [1]
            words = f"is (not an option of {method}, but )?of .*: leave it out"
        for value in values:
            with pytest.raises(InputError, match=f"^{name} {words}"):
                sample(graph, method, seed=1, **size, **{name: value})


if __name__ == "__main__":
    STUB.write_text(stub())
