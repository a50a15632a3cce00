"""One seed gives one sample however many threads the device has: PoCL with one and with two of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from devices import working_devices

SCRIPT = """
import hashlib, json, sys
import numpy as np
from clgraph import Graph
from clgraph.device import get_device
from clgraph.csr.generate import powerlaw_graph
from clgraph.sampling import sample
from clgraph.sampling.options import EXACT, METHODS

device = get_device("pocl")
rng = np.random.default_rng(2)
graphs = {
    "powerlaw": powerlaw_graph(10_000, seed=3),  # several work-groups in every pass
    "copies": Graph.from_edges(*rng.integers(0, 900, (2, 3000)), duplicates="keep"),
    "directed": Graph.from_edges(*rng.integers(0, 3000, (2, 9000)), directed=True),
}
runs = [(method, {}) for method in METHODS]
runs += [(method, {"mode": "batched"}) for method in EXACT]
runs += [("dre", {"mode": "batched", "components": "bfs", "far_scan": True})]
runs += [(method, {"connection": "strong"}) for method in ("drv", "dre", "drve", "dhyb")]
made = {}
for name, graph in graphs.items():
    for method, options in runs:
        one = sample(graph, method, size="50%", seed=6, device=device, **options)
        parts = [one.vertices, one.edges] + ([] if one.group is None else [one.group])
        digest = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
        made[f"{name} {method} {options}"] = [len(one.vertices), one.num_edges, digest.hexdigest()]
json.dump({"threads": device.compute_units, "samples": made}, sys.stdout)
"""


def samples_with(threads):
    root = str(Path(__file__).parent.parent)
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "POCL_MAX_PTHREAD_COUNT": str(threads), "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_one_and_two_threads():
    if "pocl" not in working_devices():
        pytest.skip("PoCL is not installed (apt-get install pocl-opencl-icd)")
    one, two = samples_with(1), samples_with(2)
    assert one["threads"] == 1
    assert two["threads"] == min(2, os.cpu_count() or 1)
    assert one["samples"] == two["samples"]
