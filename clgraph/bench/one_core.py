"""``python -m clgraph.bench.one_core JSON``: samples on one core, for `cases.sampling.child`."""

from __future__ import annotations

import json
import os
import sys

if __name__ == "__main__":
    # before any driver is loaded: its threads inherit this core
    os.sched_setaffinity(0, {int(os.environ["CLGRAPH_BENCH_CORE"])})

    from clgraph.bench.cases.sampling import CORE, Alone
    from clgraph.bench.graphs import make_graph
    from clgraph.bench.harness import timed
    from clgraph.device import get_device
    from clgraph.errors import DeviceError

    asked = json.loads(sys.argv[1])
    try:
        device = get_device("cpu")
    except DeviceError as error:
        json.dump({"absent": f"no CPU device here ({str(error).splitlines()[0]})"}, sys.stdout)
        sys.exit()
    graph, kernels = make_graph(asked["graph"], device), {}
    for method, mode in CORE:
        alone = Alone(device, graph, method, mode)
        alone()
        kernels[f"{method} {mode}"] = timed(alone, asked["repeat"], keep=lambda seconds: seconds).results
    json.dump({"device": device.name, "kernels": kernels}, sys.stdout)
