"""What the tests of devices share."""

from __future__ import annotations

from pathlib import Path

import pytest

from clgraph.device import background_build, cache, children
from clgraph.device.hardware import Hardware


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def kept_at_once(monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> Path:
    """A cache folder in which binaries are at once, also those that are made later."""

    def ask(hardware: Hardware, key: str, source: str, options: tuple[str, ...]) -> None:
        binary = children.build(hardware.spec, list(hardware.identity), source, list(options))
        assert binary is not None
        cache.store("programs", key, binary)

    monkeypatch.setattr(background_build, "ask", ask)
    return own_cache
