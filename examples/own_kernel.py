"""
Your own kernel
===============

Run your own kernel on clgraph's graph and result, without copies: how many edges join two levels?

    python examples/own_kernel.py [DEVICE]

DEVICE is a device as `clgraph.get_device` takes it (default: the best one).
"""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array

import clgraph

SOURCE = """
// arcs whose ends are at different distances from the source, by vertex
kernel void between_levels(const int n, global const int *row_ptr, global const int *col_idx,
                           global const int *distance, global int *found)
{
    const int v = get_global_id(0);
    if (v >= n) return;
    int count = 0;
    for (int i = row_ptr[v]; i < row_ptr[v + 1]; i++)
        count += distance[col_idx[i]] != distance[v];
    found[v] = count;
}
"""

try:
    device = clgraph.get_device(sys.argv[1] if len(sys.argv) > 1 else None)
except clgraph.ClgraphError as error:
    sys.exit(f"This example needs an OpenCL device.\n{error}")

graph = clgraph.powerlaw_graph(100_000, seed=1, device=device)
n = graph.num_vertices
rows = graph.device_arrays(device)  # pyopencl arrays on device.queue
distance = clgraph.bfs(graph, 0, device=device, arrays="device").distance

kernel = cl.Program(device.context, SOURCE).build().between_levels
found = pyopencl.array.empty(device.queue, n, np.int32)
kernel(device.queue, (n,), None, np.int32(n), rows.row_ptr.data, rows.col_idx.data, distance.data, found.data)

between = int(found.get().sum(dtype=np.int64)) // 2
print(f"{graph}: {between} edges join two levels of the search, {graph.num_edges - between} lie within one")
