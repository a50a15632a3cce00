"""What the tests of devices share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"
