"""Edge tables in Parquet and Arrow files built into graphs by a device: host half of ``cl/files/table.cl``.

pyarrow reads the columns; a device takes them from where they are. What is more than whole numbers without
gaps, and weights in double precision, is left to the host's reader.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.errors import CapacityError
from clgraph.files.edge_list import graph_of_rows, number_vertices
from clgraph.files.parse import Columns, NotTaken
from clgraph.formats.arrow import EdgeTable, arrow_table, parquet_table
from clgraph.formats.common import Loaded, Options
from clgraph.graph.exchange.arrow import further_columns

if TYPE_CHECKING:
    from clgraph.device import Device

NAMES = {"i1": "char", "i2": "short", "i4": "int", "i8": "long"}
NAMES |= {f"u{code[1]}": f"u{name}" for code, name in NAMES.items()}
SEEN = 3  # ids that do not fit, the highest, and loops
WRONG = 0


def _read(
    table_of: Callable[[Path, Options], EdgeTable], path: Path, options: Options, device: Device, *_: Any
) -> Loaded:
    """Read an edge table; the graph is built on a device and stays there, or NotTaken says why not."""
    edges = table_of(path, options)
    count = edges.table.num_rows
    if not count:
        raise NotTaken("no rows")
    if edges.multiplicity is not None:
        raise NotTaken("counts of parallel edges")
    with device.alone():
        columns = number_vertices(device, _columns(edges, count, device))
        graph = graph_of_rows(device, columns, options, directed=edges.directed)
    graph.attributes = further_columns(edges.table, (edges.source, edges.target, edges.weight))
    return Loaded(graph, edges.rows)


read_parquet, read_arrow = partial(_read, parquet_table), partial(_read, arrow_table)


def _columns(edges: EdgeTable, count: int, device: Device) -> Columns:
    if count >= 2**32:
        raise CapacityError(f"{device}: over {2**32 - 1} rows; split the table")
    source, target = (_chunks(edges.table, name) for name in (edges.source, edges.target))
    weight = None if edges.weight is None else _chunks(edges.table, edges.weight)
    for chunks, kinds in ((source, NAMES), (target, NAMES), (weight or [], ("f8",))):
        strange = next((chunk.dtype for chunk in chunks if chunk.dtype.str[1:] not in kinds), None)
        if strange is not None:
            raise NotTaken(f"a column of {strange} values")
    items = device.tuning.items
    passes = -(-count // items)

    def program(kind: str, id_type: type) -> Any:
        name = "int" if id_type is np.int32 else "long"
        return device.program("files/table", ITEMS=items, IN=kind, ID=name)

    def column(chunks: list[Any], kernel: str, id_type: type, kind: type) -> Any:
        at, made = 0, device.empty(count, kind)
        for chunk in chunks:
            # the kernel of weights is the same in all programs
            take = getattr(program(NAMES.get(chunk.dtype.str[1:], "long"), id_type), kernel)
            there, length = device.upload(chunk), len(chunk)
            take(-(-length // items), count=length, at=at, in_=there, column=made, seen=seen)
            at += length
        return made

    # 32 bits suffice for most tables; wider ids show in the first pass
    for id_type in (np.int32, np.int64):
        seen = device.zeros(SEEN, np.uint32)
        tail, head = (column(chunks, "table_ids", id_type, id_type) for chunks in (source, target))
        loops_of = program("long", id_type).table_loops
        loops_of(passes, count=count, source=tail, target=head, seen=seen)
        wrong, highest, loops = device.download(seen, np.uint32, SEEN).tolist()
        if wrong:
            continue
        heaviness = None if weight is None else column(weight, "table_weights", id_type, np.float64)
        if device.download(seen, np.uint32, SEEN)[WRONG]:
            raise NotTaken("weights that are not finite")
        if id_type is np.int64:
            highest = highest << 32 | 0xFFFFFFFF
        return Columns(tail, head, heaviness, count, id_type, highest, loops)
    raise NotTaken("ids that are negative, or need 64 bits without a sign")


def _chunks(table: Any, name: str) -> list[Any]:
    """The chunks of a column, where they are."""
    column = table.column(name)
    if column.null_count:
        raise NotTaken("missing values")
    try:
        return [chunk.to_numpy() for chunk in column.chunks]
    except (ValueError, NotImplementedError) as error:  # no array of plain values
        raise NotTaken(f"a column of {column.type} values") from error
