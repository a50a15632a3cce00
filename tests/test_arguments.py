"""Arguments of public calls: refused in one line, whatever they are (`tests/fuzz` tries many more)."""

import inspect
from fractions import Fraction
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from public_calls import EXAMPLES, graphs

import clgraph
from clgraph import InputError, arguments
from clgraph.arguments import file_name, number_given, parse_size, real_number, target_size, whole_number
from clgraph.errors import DeviceError
from clgraph.keyed import check_seed
from clgraph.public import call_as
from clgraph.sampling.request import check_request

PATH = clgraph.Graph.from_edges([0, 1], [1, 2])
NAMES = clgraph.Graph.from_edges(["a"], ["b"])


def test_shown_is_short_whatever_it_shows():
    class Odd:
        def __repr__(self):
            raise RuntimeError

    assert arguments.shown(10**5000) == "a value of type int"
    assert arguments.shown(Odd()) == "a value of type Odd"
    assert len(arguments.shown("x" * 1000)) == 80


# --- what reads one value ---------------------------------------------------------------------------------


def option(value, name):
    return getattr(check_request(PATH, "dhyb", {name: value}), name)


SMALL, TOL = partial(arguments.whole, name="k", most=7), partial(arguments.real, name="tol")
WEIGHT = partial(arguments.flag, name="weight")
NORM = partial(arguments.word, name="norm", known=("l1", "l2"))
MIX, TOLERANCE = partial(option, name="mix"), partial(option, name="tolerance")
NO_DIGITS = ("", "1_0", "\u0661", "\u00b2", "nan", "inf", "0x1", " 1", "1\n", "1e", "nan(0x1)")
# what reads, what it gives, of which values
TAKEN = [
    (SMALL, 7, np.uint8(7)),
    (TOL, 0.5, np.float32(0.5)),
    (WEIGHT, True, np.bool_(True)),
    (NORM, "l1", "l1"),
    (file_name, Path("a.txt"), "a.txt"),
    (parse_size, Fraction(3, 10), 0.3, "0.3", "30%"),
    (parse_size, Fraction(1, 8), " 12.5 % "),
    (parse_size, Fraction(1, 1000), "1e-3"),
    (parse_size, Fraction(1), 1.0, "1.0", "100%"),
    (parse_size, 1, 1, "1"),
    (parse_size, 5000, 5000, "5000"),
    (parse_size, 2**63 - 1, 2**63 - 1),
    (MIX, Fraction(4, 5), "4/5", " 0.8 ", 0.8, Fraction(4, 5), "8e-1"),
    (number_given, Fraction(1, 4), " 0.25 "),
    (number_given, None, 10**5000),  # Python does not print it
    (whole_number, 7, "7", "+07"),
    (whole_number, -3, "-3"),
    (whole_number, None, *NO_DIGITS),
    (real_number, 7.0, "7"),
    (real_number, 0.5, ".5"),
    (real_number, -1e-3, "-1e-3"),
    (real_number, 5.0, "5."),
    (real_number, float("inf"), "1e999"),
    (real_number, None, *NO_DIGITS),
]
NO_SIZE = (partial(target_size, num_vertices=100), "^size .*give a share .*, or a count")
NO_NUMBERS = ("1e99999999", "1e-99999999", "-1", "1_0", "\u0661", "1/0", "9" * 5000, "x")
# what reads, what it says, of which values
REFUSED = [
    (SMALL, "k is", None, True, 1.0, "1", "²", [1], np.array([1]), -1, 8, np.int8(-1), 10**5000),
    (TOL, "tol is", None, True, "1", 1j, [1.0], np.inf, float("nan"), object()),
    (WEIGHT, "weight is", 0, None, "True", np.array([True, False])),
    (NORM, "norm is .*: use 'l1' or 'l2'", "x", [], np.array(["l1", "l2"]), {}, None, 10**5000),
    (file_name, "path is", 3, None, ["a"], "a\0b", Path("a\0b")),
    (check_seed, "seed", -1, 2**64, 1.5, "7", True),
    (partial(target_size, num_vertices=10), "less than one vertex", "1%"),
    (*NO_SIZE, 0, -3, "0", "0%", 0.0, -0.5, "nan", "inf", "many", "", None, True, "5 0", 10**5000),
    (*NO_SIZE, -(10**5000), 2**63, "1e99999999", "1e-99999999", "1e99999999%", "9" * 5000),
    (*NO_SIZE, "0." + "3" * 5000, "\u00b2", "\u0663", "1_000", "3_0%", "150%", 1.5),
    (MIX, "give a probability", *NO_NUMBERS),
    (TOLERANCE, "give a number", *NO_NUMBERS),
]


def one_by_one(rows):
    return [(reader, told, value) for reader, told, *values in rows for value in values]


@pytest.mark.parametrize(("reader", "expected", "value"), one_by_one(TAKEN), ids=count())
def test_values_that_are_taken(reader, expected, value):
    found = reader(value)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(("reader", "message", "value"), one_by_one(REFUSED), ids=count())
def test_values_that_are_refused(reader, message, value):
    with pytest.raises(InputError, match=message) as caught:
        reader(value)
    assert len(str(caught.value)) < 250


def test_shares_are_rounded_half_up_exactly():
    assert target_size(0.1, 25) == 3  # 2.5 rounds up
    assert target_size("7%", 50) == 4
    assert target_size(0.29, 100) == 29  # 0.29 * 100 is 28.999999999999996 in binary
    assert target_size(1.0, 7) == 7
    assert target_size(1, 7) == 1
    assert target_size(99, 7) == 99


# --- what calls do not take -------------------------------------------------------------------------------

CALLS = [
    lambda: clgraph.reference_ppr(PATH, [[0], [1, 7]]),
    lambda: clgraph.reference_ppr(PATH, [{0: 1}, 1]),
    lambda: clgraph.reference_sample(PATH, "dhyb", size=1, seed=1, mix="1e99999999"),
    lambda: clgraph.top_accuracy([7], np.ones(3)),
    lambda: clgraph.top_accuracy([0], np.ones(3), k=None),
    lambda: clgraph.powerlaw_graph("50"),
    lambda: clgraph.rmat_graph(4, edge_factor="2"),
    lambda: clgraph.rmat_graph(4, duplicates=np.array(["merge", "keep"])),
    lambda: clgraph.read(3),
    lambda: clgraph.read("a\0b.txt"),
    lambda: clgraph.read("a.txt", format=[]),
    lambda: clgraph.write("g", "a.txt"),
    lambda: clgraph.write(PATH, None),
    lambda: clgraph.Graph.from_edges([0], [1], directed="no"),
    lambda: PATH.indices_of([[0], [1, 2]]),
    lambda: PATH.indices_of(10**5000),
    lambda: NAMES.indices_of(["a", 1]),
    lambda: NAMES.indices_of("a\0"),
    lambda: PATH.neighbors([]),
    lambda: clgraph.pagerank(PATH, personalization={0: 10**400}),
    lambda: clgraph.bfs(PATH, [[0], [1, 2]]),
    lambda: clgraph.bfs_many(PATH, None),
]


@pytest.mark.parametrize("call", CALLS, ids=count())
def test_wrong_arguments_are_refused(call):
    with pytest.raises(InputError):
        call()


# options that all calls take alike, what each says of wrong values, and these values
WRONG = [
    *((name, "^a Graph is needed, or .*, not ", None, "g", [[0, 1]], 7) for name in ("graph", "original")),
    ("device", "^no device is 'none such'; there are:", "none such"),
    ("seed", "^seed (is )?-1: ", -1),
    ("progress", "^progress is 'yes': True shows a bar, or give a function of", "yes"),
    ("arrays", "^arrays is 'gpu': use 'host' or 'device'$", "gpu"),
    ("connection", "^connection is .*: use 'weak' or 'strong'$", "x", np.array(["weak", "strong"])),
    ("definition", "^definition is .*: use 'undirected', 'ldbc' or 'networkx'$", "x", None, 1),
    *((name, f"^{name} is 1: use True or False$", 1) for name in ("weight", "weights", "normalized")),
    ("dtype", "^dtype is .*: (use 'float32' or|distances are int8, int16 or)", "f2", "50%", Fraction(1, 3)),
    ("tol", "^tol is 'x': use a number$", "x"),
    ("max_iter", "^max_iter is 1.5: use a whole number from [01] to 2147483647$", 1.5),
    ("iterations", "^iterations is 1.5: use a whole number from [01] to ", 1.5),
    ("damping", "^damping is 1: use a number of at least 0 and below 1", 1),
    ("depth_limit", "^depth_limit is .*: use a whole number from 0 to ", -1, "x"),
    ("on_nonconvergence", "^on_nonconvergence is 'x': use 'raise', 'warn' or 'return'$", "x"),
    (
        "dangling",
        "^dangling is 'x': use 'personalization', .*, or a dict or array|^no distribution over",
        "x",
    ),
    ("nstart", "^nstart holds a value that is not a number: |^no distribution over 34 vertices", object()),
    ("personalization", "^personalization holds a value that is not |^no distribution over 34 ", object()),
]
CASES = [
    pytest.param(each, *wrong, id=f"{each.name}-{wrong[0]}")
    for wrong in one_by_one(WRONG)
    for each in EXAMPLES
    if wrong[0] in inspect.signature(getattr(clgraph, each.name)).parameters
]


@pytest.mark.parametrize(("each", "option", "message", "value"), CASES)
def test_options_that_all_refuse(each, option, message, value):
    function = getattr(clgraph, each.name)

    def call(*args, **options):
        given = inspect.signature(function).bind_partial(*args, **options).arguments
        return function(**{**given, option: value})

    with pytest.raises((InputError, DeviceError), match=message):
        call_as(each.call, call, graphs())


FOREIGN = {"alpha": "damping", "random_state": "seed", "max_iterations": "max_iter", "cutoff": "depth_limit"}
OF_SAMPLE = {"fraction": "size", "frac": "size", "n": "size", "sise": "size", "metod": "method"}


def hints():
    """Calls, names of others' and our names for these."""
    found = [(clgraph.sample, foreign, ours) for foreign, ours in OF_SAMPLE.items()]
    for name in clgraph.__all__:
        call = getattr(clgraph, name)
        if inspect.isfunction(call) and not name.startswith(("reference_", "verify_")):
            known = inspect.signature(call).parameters.keys()
            found += [(call, *pair) for pair in FOREIGN.items() if pair[1] in known and pair[0] not in known]
    return found


@pytest.mark.parametrize(("call", "foreign", "ours"), hints())
def test_names_of_other_libraries_get_a_hint(call, foreign, ours):
    said = rf"{call.__name__}\(\) got an .* '{foreign}': here it is '{ours}'$"
    with pytest.raises(TypeError, match=said):
        call(PATH, **{foreign: 1})


def test_nonsense_gets_no_hint():
    with pytest.raises(TypeError, match=r"'nonsense'$"):
        clgraph.sample(PATH, nonsense=1)


def test_a_sample_is_no_graph():
    made = clgraph.sample(PATH, size=2, seed=1)
    for call in (lambda: clgraph.write(made, "a.txt"), lambda: clgraph.pagerank(made)):
        with pytest.raises(InputError, match=r"pass its graph, as sample\.graph$"):
            call()


LONG = "x" * 251


@pytest.mark.parametrize("call", [
    lambda name: clgraph.read(f"{name}.txt"),
    lambda name: clgraph.read(f"{name}.v"),
    lambda name: clgraph.read(f"{name}.clgs"),
    lambda name: clgraph.read(name),
    lambda name: clgraph.read("g.txt", attributes=f"{name}.csv"),
    lambda name: clgraph.write(PATH, f"{name}.txt"),
    lambda name: clgraph.write(PATH, f"{name}.v"),
    lambda name: clgraph.write_shards(PATH, f"{name}.clgs"),
    lambda name: clgraph.open_shards(f"{name}.clgs"),
    lambda name: clgraph.open_forest(f"{name}.forest"),
    lambda name: clgraph.study(PATH, ["drv"], [2], seeds=1, folder=name),
    lambda name: clgraph.sample(f"{name}.txt", "pies", size=2),
])  # fmt: skip
def test_names_of_files_have_255_bytes(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    clgraph.write(PATH, "g.txt")
    for name in (LONG + "xxxxxxx", "é" * 150):
        with pytest.raises(InputError, match="too long: a file name has at most 255 bytes"):
            call(name)


def test_names_that_only_others_made_of_them_pass(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    clgraph.write(PATH, f"{LONG}.txt")
    assert clgraph.read(f"{LONG}.txt").num_edges == 2
    for name in (LONG, f"{LONG}.v"):  # x.v.gz and x.properties are looked for
        with pytest.raises(InputError, match=r"no known format|an LDBC graph is"):
            clgraph.read(name)
        with pytest.raises(InputError, match=r"no known format|File name too long"):
            clgraph.write(PATH, name)
    with pytest.raises(InputError, match="no such dataset"):
        clgraph.open_shards(f"{LONG[5:]}.clgs")
