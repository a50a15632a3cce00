"""Reading and writing graphs: edge lists, Matrix Market, METIS, LDBC, scipy.sparse, a binary form.

A format is a module with a reader, ``(path, options) -> Loaded``, and a writer, ``(graph, path) -> notes``;
`formats.FORMATS` lists them.
"""

from clgraph.graph.io.atomic import atomic_write
from clgraph.graph.io.formats import (
    FORMATS,
    check_writable,
    read,
    read_with_summary,
    write,
    write_with_summary,
)

__all__ = [
    "FORMATS",
    "atomic_write",
    "check_writable",
    "read",
    "read_with_summary",
    "write",
    "write_with_summary",
]
