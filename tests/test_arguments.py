"""Arguments of public calls: refused in one line, whatever they are (`tests/fuzz` tries many more)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clgraph
from clgraph import InputError
from clgraph.arguments import file_name, flag, real, shown, whole, word

PATH = clgraph.Graph.from_edges([0, 1], [1, 2])
NAMES = clgraph.Graph.from_edges(["a"], ["b"])


def test_shown_is_short_whatever_it_shows() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError

    assert shown(10**5000) == "a value of type int"
    assert shown(Odd()) == "a value of type Odd"
    assert len(shown("x" * 1000)) == 80


@pytest.mark.parametrize("value", [None, True, 1.0, "1", "²", [1], np.array([1]), -1, 8, np.int8(-1)])
def test_whole_numbers(value: Any) -> None:
    assert whole(np.uint8(7), "k", 0, 7) == 7
    with pytest.raises(InputError, match="k is"):
        whole(value, "k", 0, 7)


@pytest.mark.parametrize("value", [None, True, "1", 1j, [1.0], np.inf, float("nan"), object()])
def test_real_numbers(value: Any) -> None:
    assert real(np.float32(0.5), "tol") == 0.5
    with pytest.raises(InputError, match="tol is"):
        real(value, "tol")


@pytest.mark.parametrize("value", [0, None, "True", np.array([True, False])])
def test_flags(value: Any) -> None:
    assert flag(np.bool_(True), "weight") is True
    with pytest.raises(InputError, match="weight is"):
        flag(value, "weight")


@pytest.mark.parametrize("value", ["x", [], np.array(["l1", "l2"]), {}, None])
def test_words(value: Any) -> None:
    assert word("l1", "norm", ("l1", "l2")) == "l1"
    with pytest.raises(InputError, match=r"norm is .*: use 'l1' or 'l2'"):
        word(value, "norm", ("l1", "l2"))


@pytest.mark.parametrize("value", [3, None, ["a"], "a\0b", Path("a\0b")])
def test_file_names(value: Any) -> None:
    assert file_name("a.txt") == Path("a.txt")
    with pytest.raises(InputError, match="path is"):
        file_name(value)


CALLS = [
    lambda: clgraph.reference_bfs("g", 0),  # type: ignore[arg-type]
    lambda: clgraph.reference_bfs(PATH, 0, depth_limit="x"),  # type: ignore[arg-type]
    lambda: clgraph.reference_components(PATH, connection=np.array(["weak", "strong"])),  # type: ignore[arg-type]
    lambda: clgraph.reference_pagerank(PATH, iterations=1.5),  # type: ignore[arg-type]
    lambda: clgraph.reference_pagerank(PATH, personalization=object()),
    lambda: clgraph.reference_ppr(PATH, [[0], [1, 7]]),
    lambda: clgraph.reference_ppr(PATH, [{0: 1}, 1]),
    lambda: clgraph.reference_sample(PATH, "drv", size=1, seed=-1),
    lambda: clgraph.reference_sample(PATH, "dhyb", size=1, seed=1, mix="1e99999999"),
    lambda: clgraph.top_accuracy([7], np.ones(3)),
    lambda: clgraph.top_accuracy([0], np.ones(3), k=None),  # type: ignore[arg-type]
    lambda: clgraph.powerlaw_graph("50"),  # type: ignore[arg-type]
    lambda: clgraph.rmat_graph(4, edge_factor="2"),  # type: ignore[arg-type]
    lambda: clgraph.rmat_graph(4, duplicates=np.array(["merge", "keep"])),  # type: ignore[arg-type]
    lambda: clgraph.read(3),  # type: ignore[arg-type]
    lambda: clgraph.read("a\0b.txt"),
    lambda: clgraph.read("a.txt", format=[]),  # type: ignore[arg-type]
    lambda: clgraph.write("g", "a.txt"),  # type: ignore[arg-type]
    lambda: clgraph.write(PATH, None),  # type: ignore[arg-type]
    lambda: clgraph.Graph.from_edges([0], [1], directed="no"),  # type: ignore[arg-type]
    lambda: PATH.indices_of([[0], [1, 2]]),
    lambda: PATH.indices_of(10**5000),
    lambda: NAMES.indices_of(["a", 1]),
    lambda: NAMES.indices_of("a\0"),
    lambda: PATH.neighbors([]),
    lambda: clgraph.pagerank(None),  # type: ignore[arg-type]
    lambda: clgraph.pagerank(PATH, personalization={0: 10**400}),
    lambda: clgraph.pagerank(PATH, dtype="50%"),
    lambda: clgraph.bfs(None, 0),  # type: ignore[arg-type]
    lambda: clgraph.bfs(PATH, [[0], [1, 2]]),
    lambda: clgraph.bfs_many(PATH, None),  # type: ignore[arg-type]
    lambda: clgraph.bfs_many(PATH, [0], dtype=Fraction(1, 3)),  # type: ignore[arg-type]
    lambda: clgraph.connected_components([[0, 1]]),  # type: ignore[arg-type]
    lambda: clgraph.largest_component("g"),  # type: ignore[arg-type]
    lambda: whole(10**5000, "k"),
    lambda: word(10**5000, "norm", ("l1", "l2")),
    lambda: clgraph.deletion_order(None),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_wrong_arguments_are_refused(call: Any) -> None:
    with pytest.raises(InputError):
        call()


FOREIGN = {"alpha": "damping", "random_state": "seed", "max_iterations": "max_iter", "cutoff": "depth_limit"}
PUBLIC = [
    getattr(clgraph, name) for name in clgraph.__all__ if not name.startswith(("reference_", "verify_"))
]
CALLABLE = [call for call in PUBLIC if inspect.isfunction(call) and call is not clgraph.sample]


@pytest.mark.parametrize("call", CALLABLE, ids=lambda call: call.__name__)
def test_names_of_other_libraries_get_a_hint(call: Any) -> None:
    ours = set(inspect.signature(call).parameters)
    for foreign, name in FOREIGN.items():
        if name in ours and foreign not in ours:
            with pytest.raises(
                TypeError, match=rf"{call.__name__}\(\) got an .* '{foreign}': here it is '{name}'$"
            ):
                call(**{foreign: 1})


def test_hints_of_sample() -> None:
    for name, ours in (
        ("fraction", "size"),
        ("frac", "size"),
        ("random_state", "seed"),
        ("n", "size"),
        ("sise", "size"),
        ("metod", "method"),
    ):
        with pytest.raises(TypeError, match=f"here it is '{ours}'$"):
            clgraph.sample(PATH, **{name: 0.5})
    with pytest.raises(TypeError, match=r"'nonsense'$"):
        clgraph.sample(PATH, nonsense=1)  # type: ignore[call-overload]


def test_a_sample_is_no_graph() -> None:
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
def test_names_of_files_have_255_bytes(
    call: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    clgraph.write(PATH, "g.txt")
    for name in (LONG + "xxxxxxx", "é" * 150):
        with pytest.raises(InputError, match="too long: a file name has at most 255 bytes"):
            call(name)


def test_names_that_only_others_made_of_them_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
