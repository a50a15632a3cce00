"""What one child does on the platform of its environment: find its device, make the samples. Prints JSON."""

import hashlib
import json
import re
import sys

import numpy as np


def find(word, version):
    """The first device of a word whose versions match a pattern, or None."""
    from clgraph.device.choosing import list_devices, of_word

    matches = of_word(word, list_devices(oclgrind=word == "oclgrind")) or []
    for device in matches:
        if re.search(version, f"{device.driver_version} {device.platform_version}"):
            return device
    return None


def describe(word, version):
    """The device as `clgraph doctor` has it, or None."""
    from clgraph.device.doctor import describe

    device = find(word, version)
    return None if device is None else describe(device)


def digests(word, version):
    """Half of a graph, seed 3, by each method in each of its modes: a digest of the sample's bytes."""
    from devices import accept_short_loops

    from clgraph.csr.generate import powerlaw_graph
    from clgraph.methods import EXACT, REDUCTIONS
    from clgraph.sampling import sample

    device = accept_short_loops(find(word, version))
    graph = powerlaw_graph(5000, average_degree=4, seed=5)
    made = {}
    for method in REDUCTIONS:
        for mode in ("exact", "batched") if method in EXACT else ("batched",):
            one = sample(graph, method, size="50%", seed=3, mode=mode, device=device)
            parts = [np.ascontiguousarray(part, np.int64).tobytes() for part in (one.vertices, one.edges)]
            made[f"{method} {mode}"] = hashlib.sha256(b"".join(parts)).hexdigest()[:12]
    return made


if __name__ == "__main__":
    print(json.dumps({"describe": describe, "digests": digests}[sys.argv[1]](*sys.argv[2:])), flush=True)
