"""Views of graphs, made on a device: host half of ``cl/csr/views.cl``.

The bytes are those of `clgraph.graph.views`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.parts import DeviceCSR, Parts
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.graph.building import INT32_MAX

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program


def _program(device: Device, rows: DeviceCSR) -> Program:
    return device.program("csr/views", ITEMS=device.tuning.items, **rows.defines)


def _over(device: Device, count: int) -> int:
    return -(-count // device.tuning.items)


def reversed_arcs(device: Device, parts: Parts) -> Parts | None:
    """Every arc reversed; None for 2**31 arcs and more, whose positions do not fit in 32 bits."""
    rows = parts.rows
    if rows.arcs > INT32_MAX:
        return None
    program, n, arcs = _program(device, rows), rows.n, rows.arcs
    tail, key = device.empty(rows.arcs, np.int32), device.empty(rows.arcs, np.uint32)
    program.views_tails(_over(device, rows.n), n=n, row_ptr=rows.row_ptr, tail=tail)
    device.copy(key, rows.col_idx, 4 * rows.arcs)
    key, order = sort_by_key(device, key, rows.arcs, max(1, (rows.n - 1).bit_length()))
    made = DeviceCSR(
        rows.n,
        rows.arcs,
        device.output(rows.n + 1, rows.offset),
        device.output(rows.arcs, np.int32),
        rows.offset,
    )
    program.views_offsets(_over(device, rows.n + 1), n=n, arcs=arcs, head=key, back_ptr=made.row_ptr)
    weights, multiplicity = (
        None if column is None else device.output(rows.arcs, dtype)
        for column, dtype in ((parts.weights, np.float64), (parts.multiplicity, np.int32))
    )
    program.views_reorder(
        _over(device, rows.arcs),
        arcs=arcs,
        order=order,
        tail=tail,
        weight=parts.weights,
        multiplicity=parts.multiplicity,
        back=made.col_idx,
        back_weight=weights,
        back_multiplicity=multiplicity,
    )
    device.finish()
    return replace(parts, rows=made, weights=weights, multiplicity=multiplicity)


def without_directions(device: Device, parts: Parts, back: Parts, *, copies: bool) -> Parts | None:
    """Arcs u->v and v->u as one edge, or each arc as an edge of its own (parallel ones without counts).

    None where the host has to do it: it adds up the weights of several parallel arcs in an order of its own,
    devices may lack 64-bit floats, and the host words the errors.

    Parameters
    ----------
    device : Device
    parts, back : Parts
        A directed graph, and the same reversed.
    copies : bool
        Whether the graph has parallel arcs.
    """
    rows, other = parts.rows, back.rows
    weighted = parts.weights is not None
    keep = copies and parts.multiplicity is None
    if weighted and ((copies and not keep) or "HAVE_FP64" not in device.features):
        return None
    program = _program(device, rows)
    common = {"n": rows.n, "keep": keep, **rows.buffers, "back_ptr": other.row_ptr, "back": other.col_idx}
    count = device.empty(rows.n, np.int32)
    program.views_merge_count(_over(device, rows.n), **common, count=count)
    total = int(device.download(running_sums(device, count, rows.n), np.int64, 1, offset=rows.n)[0])
    offset = np.int32 if total <= INT32_MAX else np.int64
    if offset is not rows.offset:
        return None
    view_ptr = running_sums(device, count, rows.n, into=offset)
    made = DeviceCSR(rows.n, total, view_ptr, device.output(total, np.int32), offset)
    weights = device.output(total, np.float64) if weighted else None
    multiplicity: Any = None if keep else device.output(total, np.int32)
    facts = device.zeros(2, np.uint32)
    program.views_merge_fill(
        _over(device, rows.n),
        **common,
        weight=parts.weights,
        multiplicity=parts.multiplicity,
        back_weight=back.weights,
        back_multiplicity=back.multiplicity,
        view_ptr=made.row_ptr,
        view=made.col_idx,
        view_weight=weights,
        view_multiplicity=multiplicity,
        facts=facts,
    )
    several, wrong = device.download(facts, np.uint32, 2).tolist()
    if wrong:
        return None
    return Parts(
        made,
        directed=False,
        weights=weights,
        multiplicity=multiplicity if several else None,
        ids=parts.ids,
        num_self_loops=parts.num_self_loops if not copies else None,
        has_copies=None if keep else False,
    )
