"""The minimal kernels of tests/drivers/: each fails on the drivers that it names, and on no other."""

import drivers
import pytest
from cli_runs import ROOT, environment


@pytest.mark.parametrize("name", drivers.names())
def test_fails_where_it_says(device, monkeypatch, name):
    path = environment()["PYTHONPATH"]
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'tests'}:{path}")
    how, known = drivers.try_in_a_child(name, device), drivers.known_to_fail(name, device)
    assert (how == "right") == (known is None), f"{how}; known: {known}"


@pytest.mark.parametrize("name", drivers.names())
def test_each_says_where_it_fails_and_what_is_done(name):
    text = (drivers.FOLDER / f"{name}.cl").read_text()
    assert drivers.fails(name)
    assert "\n// here:  " in text
