"""Names that options take: completed by the shell, listed by commands, in capitals or not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from cli_runs import InProcess, environment

import clgraph
from clgraph.formats.table import FORMATS


def completed(*words: str) -> list[str]:
    variables = {"_CLGRAPH_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(("clgraph", *words))}
    done = subprocess.run(
        [sys.executable, "-c", "from clgraph.cli import main; main([])"],
        env={**environment(), **variables, "COMP_CWORD": str(len(words))},
        capture_output=True,
        text=True,
    )
    assert not done.stderr
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_the_shell_completes_commands_methods_and_formats() -> None:
    assert completed("co") == ["components", "communities", "convert", "completion"]
    assert completed("sample", "--method", "DR") == ["drv", "dre", "drve"]
    assert "rw" in completed("sample", "--method", "r") and completed("curve", "--method", "r") == []
    assert completed("convert", "--to", "g") == [name for name in FORMATS if name.startswith("g")]


@pytest.mark.smoke
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(run: InProcess, shell: str) -> None:
    done = run("completion", shell)
    assert done.status == 0 and "_CLGRAPH_COMPLETE" in done.out
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.out, text=True, check=True, env=dict(os.environ))


@pytest.mark.smoke
def test_formats_are_listed(run: InProcess) -> None:
    told = json.loads(run("formats", "--json").out)["formats"]
    assert list(told) == list(FORMATS)
    assert told["mtx"] == {"suffixes": [".mtx"], "may_be_compressed": True}
    assert [line.split()[0] for line in run("formats").out.splitlines()] == list(FORMATS)


def test_methods_in_capitals(run: InProcess, tmp_path: object) -> None:
    graph = f"{tmp_path}/g.txt"
    with open(graph, "w") as file:
        file.writelines(f"{i} {(i + 1) % 30}\n" for i in range(30))
    lines = [
        run("sample", graph, "--method", name, "--size", 9, "--seed", 1, "-q").out for name in ("DRV", "drv")
    ]
    assert lines[0].startswith("drv sample: ") and lines[0].split("exact")[0] == lines[1].split("exact")[0]
    ring = clgraph.read(graph)
    for name in ("DRV", "RW"):
        capitals, small = (
            clgraph.sample(ring, each, size=9, seed=1).vertices.tolist() for each in (name, name.lower())
        )
        assert capitals == small
    assert clgraph.deletion_order(ring, "DRE").tolist() == clgraph.deletion_order(ring, "dre").tolist()
    assert "unknown method 'drx'" in run("sample", graph, "--method", "DRX", "--size", 9).err
