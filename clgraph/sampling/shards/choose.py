"""Which vertices are in a sample, and from which deletion on edges are: from the priority forest alone.

Host half of ``cl/sampling/shards/choose.cl``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.build import build_rows
from clgraph.csr.parts import Parts
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import graph_of
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.shards.extract import Chosen
from clgraph.sampling.threshold_search import ExactRun

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

LAUNCH = LaunchTable(
    gpu=1 << 16, cpu=-64, simulator=5
)  # work-items that look for the cut; below 0: each over a run


def choose(
    device: Device, words: Any, n: int, method: str, seed: int, targets: Sequence[int]
) -> dict[int, Chosen]:
    """For each target what is in the sample.

    Parameters
    ----------
    device : Device
    words : uint64 device buffer, shape (n,)
        The edges of the forest, in any order, with 0 for none in between.
    n : int
    method : {"drv", "dre"}
    seed : int
    targets : sequence of int
    """
    edges = method == "dre"
    graph = forest_graph(device, words, n)
    device.finish()  # what made the graph is freed
    run = ExactRun(device, graph, seed, edges=edges)
    whole = run.start()
    program = device.program("sampling/shards/choose", ITEMS=device.tuning.items, BY_EDGE=int(edges))
    items = -(-n // 32)
    found: dict[int, Chosen] = {}
    for target in sorted(set(targets), reverse=True):
        run.shrink_to(target)
        live = run.download().live
        bits = device.empty(items, np.uint32)
        program.choose_bits(-(-items // device.tuning.items), words=items, n=n, live=live, member=bits)
        cut = _cut(device, program, words, n, seed, live) if edges else None
        found[target] = Chosen(device.download(bits, np.uint32, items), cut, whole <= target)
    return found


def forest_graph(device: Device, words: Any, n: int) -> Graph:
    """The forest as an undirected graph, which stays on the device."""
    program = device.program("sampling/shards/choose", ITEMS=device.tuning.items)
    passes = -(-n // device.tuning.items)
    present = device.empty(n, np.uint8)
    program.choose_present(passes, n=n, words=words, present=present)
    before = running_sums(device, present, n, of=np.uint8, into=np.int32)
    count = int(device.download(before, np.int32, 1, offset=n)[0])
    tail, head = device.empty(count, np.int32), device.empty(count, np.int32)
    program.choose_ends(passes, n=n, words=words, before=before, tail=tail, head=head)
    del present, before
    device.finish()  # they are freed before the rows are made
    rows = build_rows(device, n, tail, head, count, mirror=True, duplicates="keep")
    return graph_of(device, Parts(rows, directed=False, num_self_loops=0, is_multigraph=False))


def _cut(device: Device, program: Any, words: Any, n: int, seed: int, live: Any) -> tuple[int, int]:
    """(time, word) of the last edge with one end in the sample; (0, 0) if there is none."""
    lanes = min(abs(LAUNCH.of(device)), n)
    run = -(-n // lanes) if LAUNCH.of(device) < 0 else 0
    best = device.empty(2 * lanes, np.uint64)
    program.choose_cut(lanes, n=n, lanes=lanes, run=run, seed=seed, words=words, live=live, best=best)
    pairs = device.download(best, np.uint64, 2 * lanes).reshape(-1, 2)
    time, word = max(map(tuple, pairs.tolist()))
    return time, word
