"""What the tests of devices share."""

import pytest

from clgraph.device import background_build, cache, children


@pytest.fixture
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def kept_at_once(monkeypatch, own_cache):
    """A cache folder in which binaries are at once, also those that are made later."""

    def ask(hardware, key, source, options):
        binary = children.build(hardware.spec, list(hardware.identity), source, list(options))
        assert binary is not None
        cache.store("programs", key, binary)

    monkeypatch.setattr(background_build, "ask", ask)
    return own_cache
