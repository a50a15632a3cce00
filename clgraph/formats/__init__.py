"""File formats on the host: edge lists, matrices, those of other tools for networks, a binary form.

Each format is a module with a reader, ``(path, options) -> Loaded``, and a writer,
``(graph, path) -> notes``; `formats.FORMATS` lists them. `clgraph.files` reads and writes by that table.
"""

from clgraph.formats.atomic import atomic_write
from clgraph.formats.table import FORMATS, check_writable

__all__ = ["FORMATS", "atomic_write", "check_writable"]
