"""Options that are refused."""

from __future__ import annotations

from typing import Any

import pytest
from personalized import random_graph

from clgraph import personalized_pagerank
from clgraph.errors import InputError


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"method": "mc"}, "method is"),
        ({"top": 0}, "top is 0"),
        ({"top": 61}, "from 1 to 60"),
        ({"walks": 5}, "monte-carlo"),
        ({"seed": 5}, "monte-carlo"),
        ({"epsilon": 0.1}, "monte-carlo"),
        ({"method": "monte-carlo", "walks": 0}, "walks is 0"),
        ({"method": "monte-carlo", "walks": 2**31}, "at most"),
        ({"method": "monte-carlo", "walks": 5, "epsilon": 0.1}, "both"),
        ({"method": "monte-carlo", "epsilon": 0.0}, "above 0 and below 1"),
        ({"method": "monte-carlo", "epsilon": 1.0}, "above 0 and below 1"),
        ({"method": "monte-carlo", "epsilon": 1e-6}, "32-bit"),
        ({"method": "monte-carlo", "epsilon": 0.1, "confidence": 1.0}, "confidence"),
        ({"method": "monte-carlo", "stored": True}, "iterating"),
        ({"check_every": 0}, "check_every"),
        ({"squared": True, "norm": "l1"}, "squared"),
        ({"stable_top": 2}, "requires top"),
        ({"stable_top": 2, "top": 3, "tol": 0}, "max_iter"),
        ({"tol": 1e-12}, "round-off"),
        ({"damping": 1}, "damping"),
        ({"dangling": "nowhere"}, "dangling"),
        ({"dtype": "int8"}, "dtype"),
        ({"on_nonconvergence": "hope"}, "on_nonconvergence"),
    ],
)
def test_bad_options(options: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError) as caught:
        personalized_pagerank(random_graph(1), [0], **options)
    assert word in str(caught.value)
