"""Random inputs (`tests/fuzz`): what must not happen does not, and would be seen if it did."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from cli_runs import ROOT, environment
from conftest import chosen_devices
from fuzz.case import Case, Failure
from fuzz.invariants import check_invariants, compare_edges, edges_of, edges_of_rows
from fuzz.shrink import LARGEST, kept

from clgraph import Graph


def fuzz(config: pytest.Config, *args: object) -> str:
    """``python tests/fuzz ARGS``: a process of its own, since this one has opened drivers."""
    words = chosen_devices(config)
    where = {"CLGRAPH_DEVICE": words[0]} if words else {}
    more = [] if words else ["--no-device"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "fuzz"), *map(str, args), *more],
        capture_output=True,
        text=True,
        env=environment(**where),
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_cases_that_once_failed(pytestconfig: pytest.Config) -> None:
    print(fuzz(pytestconfig, "--cases"))


def test_kept_cases_are_small() -> None:
    assert all(len(case.to_json()) <= LARGEST for case in kept().values())
    assert all(Case.from_json(case.to_json()) == case for case in kept().values())


def test_some_inputs(pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--require"):
        pytest.skip("test_many_inputs has more")
    print(fuzz(pytestconfig, "--inputs", 500, "--seed", 1))


def test_many_inputs(pytestconfig: pytest.Config, thorough: None) -> None:
    print(fuzz(pytestconfig, "--inputs", 20_000, "--seed", 16))


PLANTED = """
import ctypes, os, sys, time
sys.path[:0] = [{tests!r}, {root!r}]
from fuzz import kinds, workers
from fuzz.case import Case, Failure
from fuzz.kinds import KINDS, Kind

def run(case, folder):
    exec(case.what["code"])
    return True

def main():
    KINDS["planted"] = Kind(None, run, 0)
    workers.SECONDS = 0.5
    workers.import_all()
    codes = {{
        "right": "pass",
        "crash": "ctypes.string_at(0)",
        "exit": "os._exit(3)",
        "hang": "while True: pass",
        "memory": "bytearray(8 << 30)",
        "grown": "self = bytes(300 << 20).replace(b'a', b'b') + b'1'",
        "raw": "{{}}['x']",
        "broken": "raise Failure('broken', 'x')",
        "after": "pass",
    }}
    cases = {{name: Case("planted", {{}}, {{"code": code}}) for name, code in codes.items()}}
    for name, outcome in workers.outcomes_of(cases).items():
        print(name, outcome.end)

main()
"""


def test_planted_failures_are_seen() -> None:
    code = PLANTED.format(tests=str(ROOT / "tests"), root=str(ROOT))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = dict(line.split() for line in done.stdout.splitlines())
    assert found == {
        "right": "accepted",
        "crash": "crash",
        "exit": "crash",
        "hang": "hang",
        "memory": "memory",
        "grown": "memory",
        "raw": "raw",
        "broken": "broken",
        "after": "accepted",
    }


def test_an_input_is_made_from_its_seed_and_number(tmp_path: Path) -> None:
    shown = [
        subprocess.run(
            [sys.executable, str(ROOT / "tests" / "fuzz"), "--show", "--seed", str(seed), "--start", "3"],
            capture_output=True,
            text=True,
            env=environment(),
            cwd=tmp_path,
        ).stdout
        for seed in (1, 1, 2)
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
def test_broken_invariants_are_seen(name: str, value: object) -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    names = ("row_ptr", "col_idx", "weights", "multiplicity", "ids", "directed")
    counts = ("num_self_loops", "num_edges", "num_duplicates")
    right = {each: getattr(graph, each) for each in (*names, *counts)}
    check_invariants(SimpleNamespace(**right))
    with pytest.raises(Failure, match="broken"):
        check_invariants(SimpleNamespace(**right | {name: value}))


def test_lost_edges_are_seen() -> None:
    rows = [(1, 2, 0.5), (2, 3, 1.0), (2, 1, 0.25)]
    graph = Graph.from_edges([1, 2, 2], [2, 3, 1], weights=[0.5, 1.0, 0.25])
    right = edges_of_rows(rows, False, True, False)
    compare_edges(right, edges_of(graph))
    for wrong in (rows[:2], [*rows, (3, 3, 1.0)], [*rows[:2], (2, 1, 0.75)]):
        with pytest.raises(Failure, match="lost"):
            compare_edges(right, edges_of_rows(wrong, False, True, False))
