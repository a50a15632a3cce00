"""Every kernel family against its reference: in the smoke set, and on poor devices.

Elsewhere `tests/cli/test_main.py` checks them all in one.
"""

import pytest
from conftest import is_smoke, words_of
from devices import POOR

from clgraph.device.launch import record_launches
from clgraph.public import FAMILIES, family_of
from clgraph.selftest.checks import list_checks

NAMES = set(FAMILIES.values()) - {""}


@pytest.mark.smoke
@pytest.mark.cross("fpga")
@pytest.mark.parametrize("family", sorted(NAMES))
def test_family(device, family, request):
    crossed = words_of(request.config, "--cross")
    if request.node.callspec.params["device"] not in (*POOR, *crossed) and not is_smoke(request.config):
        pytest.skip("for the smoke set, --cross, and --devices poor,poor-gpu,poor-one")
    with record_launches() as launches:
        checks = [check() for name, _, check in list_checks(device) if name == family]
    assert checks
    assert [check for check in checks if check.wrong is not None] == []
    # personalized PageRank on an FPGA is the pipeline of PageRank
    of_pagerank = family == "personalized pagerank" and any(launch.pipeline for launch in launches)
    named = "pagerank" if of_pagerank else family
    assert named in {family_of(launch.program) for launch in launches}
