"""The model of FPGAs: its tables in the documentation."""

from __future__ import annotations

import runpy

from cli_runs import ROOT


def test_tables_of_the_model() -> None:
    """docs/fpga.md holds what the model computes: python docs/fpga_model.py."""
    model = runpy.run_path(str(ROOT / "docs" / "fpga_model.py"))
    page = (ROOT / "docs" / "fpga.md").read_text()
    assert model["fill_in"](page) == page
    w = model["workload"]()
    assert abs(w.arcs / w.n - 5) < 1e-9
    for board in model["BOARDS"]:
        for run in model["RUNS"]:
            assert 0 < model["total"](run, w, board) < 1000
