"""Core numbers by peeling: host half of ``cl/measures/cores.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import whole as whole_number
from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.graph import Graph, as_graph, build_csr
from clgraph.measures.pack import measured_view, simple_view
from clgraph.results import Arrays, on_device
from clgraph.run import run_on

if TYPE_CHECKING:
    from clgraph.device import Device

LARGEST = 2**31 - 1
# work-items that share a row
LAUNCH = LaunchTable(gpu=32, cpu=1, simulator=2)


def peeled_view(graph: Graph) -> Graph:
    """The rows that are peeled: no loops, parallel arcs once; of a directed graph each arc is an edge."""
    if not graph.directed:
        return simple_view(graph)
    tail, head = graph.without_self_loops.tails.astype(np.int64), graph.without_self_loops.col_idx
    pairs = np.unique(tail << 32 | head)
    return build_csr(
        (pairs >> 32).astype(np.int32),
        (pairs & 0xFFFFFFFF).astype(np.int32),
        graph.num_vertices,
        directed=False,
        duplicates="keep",
    )


def core_numbers(
    graph: Any, device: Device | str | None = None, *, arrays: Arrays = "host"
) -> npt.NDArray[np.int32]:
    """Return each vertex's core number: the largest k such that it is in the k-core.

    The k-core is what is left when vertices with fewer than k neighbours are removed repeatedly. Loops
    play no part, parallel edges count once. In a directed graph neighbours by arcs in and arcs out count
    each, as in NetworkX.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Taken as undirected.
    device : str or Device, optional
        As `clgraph.get_device` takes it.
    arrays : {"host", "device"}
        "device": the result stays there, as ``pyopencl.array.Array``.

    Returns
    -------
    int32 array, shape (n,)
        In index order.

    Raises
    ------
    InputError
        If it is no graph.
    DeviceError, CapacityError
        No such device, or too little memory on it.

    References
    ----------
    Batagelj, Zaversnik: An O(m) algorithm for cores decomposition of networks, 2003; in parallel: Kabir,
    Madduri: Parallel k-core decomposition on multicore platforms, 2017.

    Examples
    --------
    >>> import clgraph
    >>> graph = clgraph.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])
    >>> clgraph.core_numbers(graph)
    array([2, 2, 2, 1], dtype=int32)
    """
    stays = on_device(arrays)
    whole = as_graph(graph)
    if not (whole.num_vertices or stays):
        return np.zeros(0, np.int32)

    run = run_on(device)
    with run.lock, run:
        dev = run.device
        rows = peeled_view(whole) if whole.directed else measured_view(dev, whole)
        n = rows.num_vertices
        found = find_cores(dev, rows) if n else dev.empty(0, np.int32)
        return dev.array(found, np.int32, n) if stays else dev.download(found, np.int32, n)


def k_core(graph: Any, k: int | None = None, device: Device | str | None = None) -> Graph:
    """Return the k-core: the graph after repeated removal of vertices with fewer than k neighbours.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Neighbours are counted as in `core_numbers`.
    k : int, optional
        The largest for which there is a k-core, if it is not given.
    device : str or Device, optional
        As `clgraph.get_device` takes it.

    Returns
    -------
    Graph
        The vertices left and all arcs between them, under their ids. It may be empty.

    Raises
    ------
    InputError
        If it is no graph, or k is not a whole number of at least 0.
    DeviceError, CapacityError
        No such device, or too little memory on it.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.k_core(clgraph.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])).ids
    array([0, 1, 2])
    """
    if k is not None:
        k = whole_number(k, "k")
    whole = as_graph(graph)
    core = core_numbers(whole, device)
    return whole.subgraph(core >= (core.max(initial=0) if k is None else k))


def find_cores(dev: Device, rows: Graph) -> Any:
    """The core number of each vertex of rows that are peeled: int32 device buffer, shape (n,)."""
    n = rows.num_vertices
    csr, items = upload_csr(dev, rows), dev.tuning.items
    passes = -(-n // items)
    lanes = LAUNCH.of(dev)
    program = dev.program("measures/cores", ITEMS=items, LANES=lanes, **csr.defines)
    dev.reserve({"cores": 16 * n})
    left, core, queue, other = (dev.empty(n, np.int32) for _ in range(4))
    state = dev.empty(2, np.int32)
    buffers = {"left": left, "core": core, "state": state}
    program.cores_begin.launch(csr, passes, left=left, core=core)
    k = 0
    while True:
        dev.write(state, np.array([0, LARGEST], np.int32))
        program.cores_scan(passes, n=n, k=k, next=queue, **buffers)
        taken, least = dev.download(state, np.int32, 2).tolist()
        if not taken:
            if least == LARGEST:
                return core
            k = least  # levels without vertices are skipped: the scan says which is the next that has some
            continue
        while taken:
            dev.fill(state, np.int32(0), 1)
            lists = {"queue": queue, "next": other}
            program.cores_peel.launch(csr, lanes * taken, count=taken, k=k, **lists, **buffers)
            queue, other = other, queue
            taken = int(dev.download(state, np.int32, 1)[0])
        k += 1
