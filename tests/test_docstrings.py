"""The examples in docstrings give what they show, on the first of the devices."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import clgraph
from clgraph.device import Device

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules_with_examples() -> list[str]:
    names = [found.name for found in pkgutil.walk_packages(clgraph.__path__, "clgraph.")]
    files = {name: importlib.util.find_spec(name).origin for name in names if name != "clgraph.__main__"}  # type: ignore[union-attr]
    return [name for name, file in files.items() if file and ">>> " in Path(file).read_text()]


@pytest.mark.first_device
@pytest.mark.parametrize("name", modules_with_examples())
def test_examples(device: Device, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLGRAPH_DEVICE", device.spec)
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        skipped = [example.source for example in test.examples if doctest.SKIP in example.options]
        assert not skipped, "an example that is not run proves nothing"
        runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
