"""The examples in docstrings give what they show, on the first of the devices."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import clgraph
from clgraph.device import Device

NOT_IN_CI = {"torch_geometric"}  # hundreds of megabytes with PyTorch: the extra `test` does not bring it
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def lacks(test: doctest.DocTest) -> str | None:
    """What an example needs and this environment has not; CI has everything but `NOT_IN_CI`."""
    source = "".join(example.source for example in test.examples)
    for library in ("networkx", "igraph", "pandas", "pyarrow", "torch_geometric"):
        if f"import {library}" in source and importlib.util.find_spec(library) is None:
            return library
    if 'backend="clgraph"' in source and "clgraph" not in {
        e.name for e in entry_points(group="networkx.backends")
    }:
        return "an installed clgraph (NetworkX finds its backends by metadata)"
    return None


def modules_with_examples() -> list[str]:
    names = [found.name for found in pkgutil.walk_packages(clgraph.__path__, "clgraph.")]
    files = {name: importlib.util.find_spec(name).origin for name in names if name != "clgraph.__main__"}  # type: ignore[union-attr]
    return [name for name, file in files.items() if file and ">>> " in Path(file).read_text()]


@pytest.mark.smoke
@pytest.mark.first_device
@pytest.mark.parametrize("name", modules_with_examples())
def test_examples(device: Device, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLGRAPH_DEVICE", device.spec)
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    without: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        skipped = [example.source for example in test.examples if doctest.SKIP in example.options]
        assert not skipped, "an example that is not run proves nothing"
        if (missing := lacks(test)) and (missing in NOT_IN_CI or os.environ.get("CI") != "true"):
            without.append(missing)
            continue
        runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
    if without:
        pytest.skip(f"some of the examples need {', '.join(without)}")
