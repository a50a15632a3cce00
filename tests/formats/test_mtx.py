"""Matrix Market files."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
import scipy.io
from cli_runs import environment
from graph_files import BANNER, arcs_of, limited_memory, put

from clgraph import InputError
from clgraph.files import read
from clgraph.files.summary import read_with_summary


@pytest.mark.smoke
def test_matrix_market(tmp_path: Path) -> None:
    general = put(tmp_path / "g.mtx", BANNER + "real general\r\n% c\r\n4 4 3\r\n1 2 .5\r\n2 1 2\r\n3 3 4\r\n")
    graph = read(general)
    assert graph.directed and arcs_of(graph) == [(1, 2), (2, 1), (3, 3)] and graph.num_vertices == 4
    assert graph.weights is None
    both = read(general, directed=False, weights=True)
    assert both.num_edges == 2 and both.weights is not None and both.weights.tolist() == [2.5, 2.5, 4]
    symmetric = put(tmp_path / "s.mtx.gz", BANNER + "integer symmetric\n3 3 3\n2 1 5\n3 1 6\n3 3 7\n")
    graph = read(symmetric, weights=True)
    assert not graph.directed and graph.num_edges == 3 and graph.num_duplicates == 0
    assert graph.weights is not None and graph.weights.tolist() == [5, 6, 5, 6, 7]
    turned = read(symmetric, directed=True)
    assert turned.directed and turned.num_edges == 5
    skew = put(tmp_path / "k.mtx", BANNER + "real skew-symmetric\n2 2 1\n2 1 5\n")
    assert read(skew, weights=True).directed
    empty = put(tmp_path / "e.mtx", BANNER + "pattern general\n3 3 0\n")
    assert (read(empty).num_vertices, read(empty).num_edges) == (3, 0)
    twice = put(tmp_path / "t.mtx", BANNER + "pattern general\n3 3 2\n1 2\n1 2\n")
    assert read_with_summary(twice)[1].endswith("1 edge (2 entries; 1 merged as parallel)")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BANNER + "pattern general\n3 4 1\n1 2\n", "3 x 4; .*square"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n", "dense matrix"),
        (BANNER + "pattern general\n3 3 2\n1 2\n", "Truncated"),
        (BANNER + "pattern general\n3 3 1\n1 4\n", "Line 3: Column index out of bounds"),
        (BANNER + "pattern general\n3 3 1\n1 x\n", "Line 3: "),
        (BANNER + "pattern general\n3 3 1\n1 2\n2 3\n", "Line 4: "),
        (BANNER + "integer general\n3 3 1\n1 2 99999999999999999999\n", "Line 3: "),
        (BANNER + "pattern general\n3000000000 3000000000 1\n1 2\n", "3000000000 vertices; .* at most"),
        ("1 2\n", "banner"),
        (BANNER + "pattern general\n", "header"),
        (BANNER + "real general\n% c\n3 3 2\n1 2 1\n1 2 nan\n", "line 5: .*finite"),
        (BANNER + "pattern general\n3 3 1\n1 2\n", "pattern matrix has no real entries"),
        (BANNER + "complex general\n3 3 1\n1 2 1 1\n", "complex matrix"),
    ],
)
def test_bad_matrix_market(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        weights = any(word in said for word in ("finite", "entries", "complex"))
        read(put(tmp_path / "bad.mtx", text), weights=weights)
    assert "bad.mtx" in str(caught.value)
    with pytest.raises(InputError, match="leave ids='str'"):
        read(tmp_path / "bad.mtx", ids="str")


def test_gzip_through_a_stream_is_not_sought(tmp_path: Path) -> None:
    # SciPy's reader aborted the process on a CRLF file handed to it as an open file
    text = BANNER + "pattern general\r\n% c\r\n3 3 2\r\n1 2\r\n2 3\r\n"
    for name in ("a.mtx", "a.mtx.gz"):
        assert read(put(tmp_path / name, text)).num_edges == 2
    assert scipy.io.mminfo(io.BytesIO(text.encode()))[2] == 2


ENDS = """
import sys, clgraph
for path in sys.argv[1:]:
    try:
        print(path, clgraph.read(path, weights="real" in path).num_edges, flush=True)
    except clgraph.InputError as error:
        print(error, flush=True)
"""


def test_a_last_line_that_just_ends(tmp_path: Path) -> None:
    """SciPy 1.17.1 crashes the process: they are read in another one, which says how far it came."""
    tails = ("", " ", "\r", "\t", " %c", "% comment", "  \r", "\n", " \n\n", "\x1a", "\0")
    paths = []
    for field, value in (("pattern", ""), ("real", " 0.5")):
        for k, tail in enumerate(tails):
            text = f"{BANNER}{field} general\n3 3 2\n1 2{value}\n2 3{value}{tail}"
            paths.append(str(put(tmp_path / f"{field}{k}.mtx", text)))
    done = subprocess.run(
        [sys.executable, "-c", ENDS, *paths], capture_output=True, text=True, env=environment()
    )
    said = done.stdout.splitlines()
    assert done.returncode == 0, (said, done.stderr)
    for k, path in enumerate(paths):
        nul = k % len(tails) == len(tails) - 1
        assert said[k].startswith(path) and ("holds a NUL byte" in said[k] if nul else said[k] == f"{path} 2")
    assert len(said) == len(paths)


@pytest.mark.parametrize("value", ["nan(0x1)", "nan", "-inf", "NaN", "1e999"])
def test_values_that_are_not_finite(tmp_path: Path, value: str) -> None:
    path = put(tmp_path / "x.mtx", f"{BANNER}real general\n3 3 2\n1 2 1\n2 3 {value}\n")
    with pytest.raises(InputError, match=r"x.mtx.*(line 4|Line 4)"):
        read(path, weights=True)


@pytest.mark.parametrize("name", ["x.mtx", "x.mtx.gz"])
@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("3 3 1000000000000", "1000000000000 entries, too many for"),
        ("1000000000000 1000000000000 1", "1000000000000 vertices; clgraph takes at most"),
        ("2147483647 2147483647 1", "announces 2147483647 vertices in only .* max_vertices="),
        ("2147483647 2147483647 1000000000", "vertices|entries"),
        ("5000000 5000000 1", "announces 5000000 vertices"),
    ],
)
def test_headers_that_promise_too_much(tmp_path: Path, name: str, size: str, said: str) -> None:
    path = put(tmp_path / name, f"{BANNER}pattern general\n{size}\n1 2\n")
    with limited_memory(100 << 20), pytest.raises(InputError, match=said):
        read(path)


def test_many_vertices_if_asked_for(tmp_path: Path) -> None:
    path = put(tmp_path / "x.mtx", f"{BANNER}pattern general\n5000000 5000000 1\n1 2\n")
    assert read(path, max_vertices=5_000_000).num_vertices == 5_000_000
    with pytest.raises(InputError, match="5000000 vertices, more than max_vertices="):
        read(path, max_vertices=4_999_999)
