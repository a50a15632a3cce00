"""What users write passes the strictest type checkers, and a typo's message has one long signature."""

import inspect
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import clgraph

USAGE = Path(__file__).parent / "typing" / "usage.py"
TYPO = "import clgraph\ngraph = clgraph.powerlaw_graph(9, seed=1)\nclgraph.sample(graph, 'drv', siez='50%')\n"
ROOT = Path(clgraph.__file__).parents[1]


def mypy(file, cache):
    """Return what mypy says of a file outside its project, as a user's own project has it."""
    # found by MYPYPATH, clgraph's own lines would be judged, which an installed package's are not
    options = ("--strict", "--follow-imports=silent", "--config-file", os.devnull, "--cache-dir", cache)
    command, env = [sys.executable, "-m", "mypy", *options, file], {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=cache, env=env)
    return done.stdout + done.stderr


def pyright(file, folder):
    """Return pyright's errors of a file, by the JavaScript that its wheel brings: nothing is downloaded."""
    spec, node = find_spec("pyright"), shutil.which("node")
    if spec is None or spec.origin is None:
        pytest.skip("pyright is not installed (pip install pyright)")
    if node is None:
        pytest.skip("pyright needs node, which is not installed")
    program = Path(spec.origin).parent / "dist" / "index.js"
    # a library that brings no types is not clgraph's mistake
    settings = {"typeCheckingMode": "strict", "reportMissingTypeStubs": False}
    settings |= {"include": [str(file)], "extraPaths": [str(ROOT)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [node, str(program), "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [each for each in found if each["severity"] == "error"]
    return [f"{each['range']['start']['line'] + 1}: {each['message']}" for each in errors]


def test_mypy(tmp_path):
    assert mypy(USAGE, tmp_path).startswith("Success")
    (tmp_path / "typo.py").write_text(TYPO)
    said = mypy(tmp_path / "typo.py", tmp_path)
    assert "typo.py:3: error" in said
    assert sum(len(line) > 500 for line in said.splitlines()) == 1


def test_pyright(tmp_path):
    assert pyright(USAGE, tmp_path) == []
    (tmp_path / "typo.py").write_text(TYPO)
    assert len(pyright(tmp_path / "typo.py", tmp_path)) == 1


def test_signature():
    shown = inspect.signature(clgraph.sample).parameters
    options = "size sizes seed seeds device mode strict arrays progress"
    assert set(options.split()) <= shown.keys()
