"""Labels of a graph's weak or strong components, made on a device."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from clgraph.arguments import word
from clgraph.components.finder import GiantFinder
from clgraph.components.kept import graph_components
from clgraph.csr.upload import upload_csr

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Connection = Literal["weak", "strong"]


def check_connection(connection: str) -> None:
    """Validate `connection`.

    Raises
    ------
    InputError
        If it is neither "weak" nor "strong".
    """
    word(connection, "connection", get_args(Connection))


def find_labels(
    device: Device, graph: Graph, connection: Connection, seconds: dict[str, float]
) -> tuple[Any, GiantFinder]:
    """Label every vertex with the smallest vertex of its component, on the device.

    Parameters
    ----------
    device : Device
    graph : Graph
        With at least one vertex.
    connection : {"weak", "strong"}
    seconds : dict
        Receives the seconds of "upload", "build" and "components".

    Returns
    -------
    label : int32 device buffer, shape (n,)
    finder : GiantFinder
        Ready to rank these labels.
    """
    start = time.perf_counter()
    csr = upload_csr(device, graph)
    strong = connection == "strong" and graph.directed
    if strong:
        upload_csr(device, graph.reverse, wide=csr.offset is np.int64)
    device.finish()
    seconds["upload"] = time.perf_counter() - start
    start = time.perf_counter()
    label = device.empty(csr.n, np.int32)
    finder = graph_components(device, graph).finder
    if strong:
        from clgraph.components.strong import StrongFinder

        strong_finder = StrongFinder(device, graph)
    seconds["build"] = time.perf_counter() - start
    start = time.perf_counter()
    if strong:
        strong_finder.labels_into(label)
        finder.sample(label)
    else:
        finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label, one_way=graph.directed)
    device.finish()
    seconds["components"] = time.perf_counter() - start
    return label, finder
