"""How many vertices have each degree: host half of ``cl/measures/degrees.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from clgraph.measures.spread import work_groups

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

LIMIT = 65536  # degrees from here on are few: they are listed
BINS = 256  # most vertices have a smaller degree


def degree_histogram(
    dev: Device, graph: Graph, *, limit: int = LIMIT, bins: int = BINS
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The degrees that occur, ascending, and the number of vertices of each.

    Parameters
    ----------
    dev : Device
    graph : Graph
    limit : int
        Lower degrees are counted on the device; higher ones are listed there and counted on the host.
    bins : int
        Degrees below it are counted in local memory first.

    Returns
    -------
    degrees, vertices : int64 arrays
    """
    from clgraph.csr.upload import upload_csr

    n, arcs = graph.num_vertices, graph.num_arcs
    if n == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    csr = upload_csr(dev, graph)
    kernel = dev.program("measures/degrees", LIMIT=limit, BINS=min(limit, bins), **csr.defines).degrees_count
    local = min(dev.tuning.local_size, kernel.limit)
    room = arcs // limit + 1
    count, found = dev.zeros(limit, np.uint32), dev.zeros(1, np.uint32)
    large = dev.empty(room, np.int32)
    kernel.exact(work_groups(dev) * local, np.int32(n), csr.row_ptr, count, large, found, local=local)
    few = dev.download(count, np.uint32, limit)
    degree = np.flatnonzero(few)
    listed = dev.download(large, np.int32, int(dev.download(found, np.uint32, 1)[0]))
    above, times = np.unique(listed, return_counts=True)  # sorts: the list is in any order
    degrees, counts = np.concatenate((degree, above)), np.concatenate((few[degree], times))
    return degrees.astype(np.int64), counts.astype(np.int64)
