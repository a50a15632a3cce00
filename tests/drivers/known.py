"""Tests that fail because of a driver, each with the minimal kernel (``NAME.cl`` here) that shows why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drivers import fails

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class Known:
    """Tests that fail where a minimal kernel does.

    Attributes
    ----------
    kernel : str
    tests : str
        A pattern within their names.
    reason : str
    ends : bool
        Whether they end (with a wrong result); otherwise they are not run.
    """

    kernel: str
    tests: str
    reason: str
    ends: bool = True


_LONG = "loops of more than 65535 steps in all end early"
KNOWN = (
    Known(
        "loop_limit",
        r"csr/test_build\.py::(test_star|test_one_arc_many_times|test_wide_offsets\[.*buckets)",
        f"rows are missing: {_LONG}",
    ),
    Known(
        "loop_limit",
        r"csr/test_build\.py::(test_random_multigraphs\[.*20000-90000|test_skewed_rows)",
        f"kernels write beyond the rows, which ends the process: {_LONG}",
        ends=False,
    ),
    Known(
        "loop_limit",
        r"measures/test_triangle_count\.py::(test_known_graphs|test_a_large_graph)",
        f"triangles of long rows are missing: {_LONG}",
    ),
    Known("loop_limit", r"traversal/test_many\.py::test_many_types", f"the far end of a path: {_LONG}"),
    Known(
        "loop_limit",
        r"components/test_finder\.py::(test_star\[.*True|test_real_graphs\[.*True)",
        f"components come out in pieces: {_LONG}",
    ),
)


def known(name: str, device: Device) -> Known | None:
    """What a device's driver is known to get wrong in a test; None if nothing is."""
    for each in KNOWN:
        if re.search(each.tests, name) and any(one.is_there(device) for one in fails(each.kernel)):
            return each
    return None
