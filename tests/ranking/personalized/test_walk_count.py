"""How many walks an error bound needs."""

from __future__ import annotations

import numpy as np
import pytest

from clgraph.ranking.personalized.request import walks_for


def test_walks_for() -> None:
    assert walks_for(0.01, 0.95, 0.85, 10**6) == pytest.approx(3.7 * np.log(40) / 1e-4, rel=0.05)
    assert walks_for(0.01, 0.5, 0.85, 10**6) <= 1.85 / (1e-4 * 0.5)
    assert walks_for(0.005, 0.95, 0.85, 100) > 3.9 * walks_for(0.01, 0.95, 0.85, 100)
    assert walks_for(0.01, 0.99, 0.85, 100) > walks_for(0.01, 0.95, 0.85, 100)
    assert walks_for(0.01, 0.95, 0.85, 100, "personalization") > 100 * walks_for(0.01, 0.95, 0.85, 100)
