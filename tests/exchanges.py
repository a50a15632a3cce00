"""Graphs that go to other libraries and back, and the libraries (they come with the extra ``test``)."""

import importlib
import itertools
import os

import numpy as np
import pytest

from clgraph import Graph

# in CI the extra `test` has brought the libraries: one that is missing fails there
needed = importlib.import_module if os.environ.get("CI") == "true" else pytest.importorskip

NAMES = ["zoë", "b", "a", "10", "B", "\U0001f600", "￿", "ab"]


def rich(kind, directed, weighted, copies):
    """A graph with a loop and parallel edges, weights, and ids of a kind."""
    rng = np.random.default_rng(len(kind) + 2 * directed + weighted)
    ids = {
        "plain": np.arange(8),
        "gaps": np.array([3, 10, 7, 2**40, 2**62, 5, 0, 12]),
        "names": np.array(NAMES, dtype=object),
    }[kind]
    source, target = rng.integers(0, 8, (2, 25))
    source[0] = target[0]
    source[1:9] = np.arange(8)  # no vertex is without edges: tables do not hold it
    source[9], target[9] = source[8], target[8]  # parallel
    return Graph.from_edges(
        ids[source],
        ids[target],
        weights=rng.random(25) if weighted else None,
        directed=directed,
        duplicates="keep" if copies else "merge",
    )


# runs a test on graphs of every kind
on_rich_graphs = pytest.mark.parametrize(
    ("kind", "directed", "weighted", "copies"),
    list(itertools.product(("plain", "gaps", "names"), *[(False, True)] * 3)),  # several tests go through it
)


def put_table(path, table, chunk=None, **options):
    """A Parquet or Arrow file of a table of Arrow's."""
    pa = needed("pyarrow")
    if path.suffix == ".parquet":
        needed("pyarrow.parquet").write_table(table, path, row_group_size=chunk, **options)
    else:
        how = pa.ipc.IpcWriteOptions(**options)
        with pa.ipc.new_file(path, table.schema, options=how) as writer:
            writer.write_table(table, max_chunksize=chunk)
    return path
