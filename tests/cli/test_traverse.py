"""``clgraph bfs``: output, files, errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_runs import InProcess


@pytest.mark.smoke
def test_bfs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = InProcess(capsys)
    file, out = tmp_path / "g.txt", tmp_path / "d.tsv"
    file.write_text("10 20\n20 30\n40 50\n")
    done = run("bfs", file, "--source", 10, "-o", out, "--json", "--verify")
    assert done.status == 0, done.err
    said = json.loads(done.out)
    assert (said["reached"], said["levels"], said["sources"], said["verified"]) == (3, 3, [10], True)
    assert out.read_text() == "10\t0\t-1\n20\t1\t10\n30\t2\t20\n40\t-1\t-1\n50\t-1\t-1\n"
    done = run("bfs", file, "--source", 10, "--source", 50, "--depth", 1, "--method", "frontier")
    assert done.status == 0
    assert done.out.splitlines()[0] == "4 of 5 vertices reached, 2 levels (undirected)"
    done = run("bfs", file, "--source", 11)
    assert (done.status, "vertex 11 is not in the graph" in done.err) == (1, True)
    done = run("bfs", file, "--source", "x")
    assert (done.status, "ids are integers" in done.err) == (1, True)
    assert run("bfs", file).status == 2
    assert run("bfs", file, "--source", 10, "--depth", -1).status == 2
