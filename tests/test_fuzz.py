"""Random inputs (`tests/fuzz`): what must not happen does not, and would be seen if it did."""

from types import SimpleNamespace

import numpy as np
import pytest
from cli_runs import ROOT, python
from conftest import chosen_devices
from fuzz.case import Case, Failure
from fuzz.invariants import check_invariants, compare_edges, edges_of, edges_of_rows
from fuzz.shrink import LARGEST, kept

from clgraph import Graph

FUZZ = ROOT / "tests" / "fuzz"


def fuzz(config, *args):
    """``python tests/fuzz ARGS``: a process of its own, since this one has opened drivers."""
    words = chosen_devices(config)
    where = {"CLGRAPH_DEVICE": words[0]} if words else {}
    print(python(FUZZ, *args, *([] if words else ["--no-device"]), timeout=1800, **where).fine().out)


def test_cases_that_once_failed(pytestconfig):
    fuzz(pytestconfig, "--cases")


def test_kept_cases_are_small():
    assert all(len(case.to_json()) <= LARGEST for case in kept().values())
    assert all(Case.from_json(case.to_json()) == case for case in kept().values())


def test_some_inputs(pytestconfig):
    if pytestconfig.getoption("--require"):
        pytest.skip("test_many_inputs has more")
    fuzz(pytestconfig, "--inputs", 500, "--seed", 1)


def test_many_inputs(pytestconfig, thorough):
    fuzz(pytestconfig, "--inputs", 20_000, "--seed", 16)


# what an input does, and how it ends
PLANTED = {
    "pass": "accepted",
    "ctypes.string_at(0)": "crash",
    "os._exit(3)": "crash",
    "while True: pass": "hang",
    "bytearray(8 << 30)": "memory",
    "self = bytes(300 << 20).replace(b'a', b'b') + b'1'": "memory",  # allowed, and kept by the process
    "{}['x']": "raw",
    "raise Failure('broken', 'x')": "broken",
    "pass  # after all these": "accepted",
}
HARNESS = """
import ctypes, json, os, sys
sys.path[:0] = sys.argv[1:3]
from fuzz import kinds, workers
from fuzz.case import Case, Failure

def run(case, folder):
    exec(case.what["code"])
    return True

kinds.KINDS["planted"] = kinds.Kind(None, run, 0)
workers.SECONDS = 0.5
workers.import_all()
cases = {code: Case("planted", {}, {"code": code}) for code in sys.argv[3:]}
print(json.dumps({code: outcome.end for code, outcome in workers.outcomes_of(cases).items()}))
"""


def test_planted_failures_are_seen():
    assert python("-c", HARNESS, ROOT / "tests", ROOT, *PLANTED).json() == PLANTED


def test_an_input_is_made_from_its_seed_and_number(tmp_path):
    shown = [
        python(FUZZ, "--show", "--seed", seed, "--start", 3, cwd=tmp_path).fine().out for seed in (1, 1, 2)
    ]
    assert shown[0] == shown[1] != shown[2]


WRONG = [
    ("row_ptr", np.array([0, 2, 1, 4])),
    ("row_ptr", np.array([1, 2, 3, 4])),
    ("row_ptr", np.array([0, 1, 3, 4], np.int16)),
    ("col_idx", np.array([1, 0, 3, 1], np.int32)),
    ("col_idx", np.array([1, 2, 0, 1], np.int32)),
    ("col_idx", np.array([1, 0, 0, 1], np.int32)),
    ("col_idx", np.array([2, 0, 2, 1], np.int32)),
    ("col_idx", np.array([1, 0, 2, 1])),
    ("weights", np.array([1.0, 1.0, 2.0, 3.0])),
    ("weights", np.array([1.0, 1.0, np.nan, np.nan])),
    ("weights", np.ones(3)),
    ("multiplicity", np.array([0, 0, 1, 1], np.int32)),
    ("ids", np.array([1, 1, 2])),
    ("ids", np.array([-1, 1, 2])),
    ("ids", np.array([0.5, 1, 2])),
    ("ids", np.arange(2)),
    ("num_self_loops", 1),
    ("num_edges", 3),
    ("directed", 1),
]


@pytest.mark.parametrize(("name", "value"), WRONG, ids=[f"{name}-{i}" for i, (name, _) in enumerate(WRONG)])
def test_broken_invariants_are_seen(name, value):
    graph = Graph.from_edges([0, 1], [1, 2])
    arrays = ("row_ptr", "col_idx", "weights", "multiplicity", "ids")
    values = ("directed", "num_self_loops", "num_edges", "num_duplicates")
    right = {each: getattr(graph, each) for each in (*arrays, *values)}
    check_invariants(SimpleNamespace(**right))
    with pytest.raises(Failure, match="broken"):
        check_invariants(SimpleNamespace(**right | {name: value}))


def test_lost_edges_are_seen():
    rows = [(1, 2, 0.5), (2, 3, 1.0), (2, 1, 0.25)]
    graph = Graph.from_edges([1, 2, 2], [2, 3, 1], weights=[0.5, 1.0, 0.25])
    right = edges_of_rows(rows, False, True, False)
    compare_edges(right, edges_of(graph))
    for wrong in (rows[:2], [*rows, (3, 3, 1.0)], [*rows[:2], (2, 1, 0.75)]):
        with pytest.raises(Failure, match="lost"):
            compare_edges(right, edges_of_rows(wrong, False, True, False))
