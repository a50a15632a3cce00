"""``clgraph info`` and ``clgraph convert``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clgraph import Graph
from clgraph.cli import main
from clgraph.cli.graphs import describe
from clgraph.files import read, write


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.txt"
    path.write_text("1 2 0.5\n2 1 1\n2 3 1\n7 7 1\n8 9 1\n")
    return path


@pytest.mark.smoke
def test_info_json(small: Path, capsys: Any) -> None:
    main(["info", str(small), "--json"])
    out, err = capsys.readouterr()
    assert json.loads(out) == {
        "file": str(small),
        "vertices": 6,
        "edges": 4,
        "directed": False,
        "weighted": False,
        "self_loops": 1,
        "duplicates": 1,
        "components": 3,
        "largest_component": 3,
        "degree": {"min": 1, "median": 1.0, "mean": 7 / 6, "max": 2},
    }
    assert err == (
        "read small.txt: undirected, 6 vertices, 4 edges (5 rows; weights not read (use --weights); "
        "1 merged as parallel; 1 self-loop)\n"
    )


def test_info_directed_and_quiet(small: Path, capsys: Any) -> None:
    main(["info", str(small), "--json", "--directed", "--weights", "-q"])
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert err == "" and told["directed"] and told["weighted"] and told["edges"] == 5
    assert told["degree"] == {"min": 0, "median": 1.0, "mean": 5 / 6, "max": 2}
    assert told["in_degree"] == {"min": 0, "median": 1.0, "mean": 5 / 6, "max": 1}
    assert told["components"] == 3


def test_info_table(small: Path, capsys: Any) -> None:
    main(["info", str(small)])
    out, _ = capsys.readouterr()
    for word in ("vertices", "self loops", "largest component", "degree, mean", "1.16667"):
        assert word in out


def test_describe_without_vertices() -> None:
    told = describe(Graph.from_edges([], []))
    assert (told["vertices"], told["components"], told["largest_component"]) == (0, 0, 0)
    assert told["degree"] == {"min": None, "median": None, "mean": None, "max": None}


@pytest.mark.smoke
def test_convert(small: Path, tmp_path: Path, capsys: Any) -> None:
    main(["convert", str(small), str(tmp_path / "a.clg"), "--directed"])
    assert capsys.readouterr().err.splitlines() == [
        "read small.txt: directed, 6 vertices, 5 edges "
        "(5 rows; weights not read (use --weights); 1 self-loop)",
        "wrote a.clg: directed, 6 vertices, 5 edges",
    ]
    main(["convert", str(tmp_path / "a.clg"), str(tmp_path / "a.mtx"), "-q"])
    assert capsys.readouterr().err == ""
    graph = read(tmp_path / "a.mtx")
    assert graph.directed and graph.ids.tolist() == [1, 2, 3, 4, 5, 6]
    main(["convert", str(small), str(tmp_path / "odd.name"), "--to", "edges", "--weights"])
    assert (tmp_path / "odd.name").read_text() == "1\t2\t1.5\n2\t3\t1.0\n7\t7\t1.0\n8\t9\t1.0\n"
    assert "merged parallel edge" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["info", "none.txt"], "none.txt: no such file"),
        (["info", "small.txt", "--format", "gml"], "unknown format 'gml'"),
        (["convert", "small.txt", "a.xyz"], "no known format"),
        (["convert", "small.txt", "none/a.txt"], "no folder none"),
        (["convert", "small.txt", "a.graph", "--directed"], "it is directed"),
        (["convert", "small.txt", "a.txt", "--to", "gml"], "unknown format 'gml'"),
    ],
)
def test_errors(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(small.parent)
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    out, err = capsys.readouterr()
    assert stop.value.code == 1 and out == ""
    assert err.splitlines()[-1].startswith("clgraph: error: ") and said in err
    assert [file.name for file in small.parent.iterdir()] == ["small.txt"]


def test_usage_errors(capsys: Any) -> None:
    for arguments in (["info"], ["convert", "a.txt"], ["info", "a.txt", "--ids", "float"]):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2
    capsys.readouterr()


def test_no_driver_is_touched(small: Path) -> None:
    code = (
        "import sys; from clgraph.cli import main; main(['info', sys.argv[1], '--json', '-q']); "
        "assert 'pyopencl' not in sys.modules"
    )
    command = [sys.executable, "-c", code, str(small)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["vertices"] == 6


def test_facts_of_a_large_file(data_path: Any, tmp_path: Path, capsys: Any) -> None:
    main(["info", str(data_path("Wiki-Vote.txt")), "--json", "-q"])
    told = json.loads(capsys.readouterr().out)
    assert (told["vertices"], told["edges"], told["duplicates"]) == (7115, 100762, 2927)
    assert (told["components"], told["largest_component"]) == (24, 7066)
    path = tmp_path / "wiki.clg"
    main(["convert", str(data_path("Wiki-Vote.txt")), str(path), "-q"])
    graph, again = read(data_path("Wiki-Vote.txt")), read(path)
    assert np.array_equal(graph.ids, again.ids) and np.array_equal(graph.col_idx, again.col_idx)
    write(again, tmp_path / "wiki.txt")
    assert read(tmp_path / "wiki.txt").num_edges == 100762
