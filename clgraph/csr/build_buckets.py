"""Rows built by buckets: host half of ``cl/csr/build_buckets.cl``."""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.csr.parts import DeviceCSR
from clgraph.csr.rows import Building, offset_type
from clgraph.errors import CapacityError
from clgraph.graph.building import INT32_MAX, exclusive_sums

BUCKET_ARCS = 1 << 15  # so that a bucket's rows fit in a core's own cache
MOST_BUCKETS = 1 << 12  # each is a stream of writes, with a cache line and a TLB entry
SLICE_ARCS = 1 << 14  # fewer arcs are not worth a slice


class Buckets(Building):
    """Deal the arcs out to buckets of rows, and finish each bucket separately."""

    def build(self, tail: Any, head: Any, count: int) -> DeviceCSR:
        """The rows."""
        device, n = self.device, self.n
        both = 1 + int(self.mirror)
        wanted = min(max(count * both // BUCKET_ARCS, 4 * device.compute_units), MOST_BUCKETS, n)
        shift = (-(-n // wanted) - 1).bit_length()
        buckets = -(-n // (1 << shift))
        slices = max(1, min(8 * device.compute_units, count // SLICE_ARCS))
        program = self.program("csr/build_buckets")
        table = device.empty(slices * buckets, np.int64)
        dealing = {
            "count": count,
            "mirror": self.mirror,
            "slices": slices,
            "shift": shift,
            "buckets": buckets,
            "tail": tail,
            "head": head,
            "table": table,
        }
        program.buckets_count.exact(slices, local=1, **dealing)
        counts = device.download(table, np.int64, slices * buckets).reshape(slices, buckets)
        before, arcs = exclusive_sums(counts.T)
        if not arcs:
            return self.no_arcs()
        most = int(counts.sum(axis=0).max())
        if most > INT32_MAX:
            raise CapacityError(
                f"{device.spec} ({device.name}): {most} arcs leave {1 << shift} neighbouring vertices, at "
                f"most {INT32_MAX} can be sorted together; a GPU takes them (way='scatter')"
            )
        begin = before.reshape(buckets, slices)
        device.write(table, np.ascontiguousarray(begin.T))
        bucket_ptr = device.upload(np.append(begin[:, 0], arcs))
        dealt = device.output(2 * arcs, np.int32)
        program.buckets_deal.exact(slices, local=1, **dealing, dealt=dealt)

        common = {"n": n, "shift": shift, "buckets": buckets, "bucket_ptr": bucket_ptr, "dealt": dealt}
        heads, degree = device.output(arcs, np.int32), device.empty(n, np.int32)
        stay = device.empty(buckets, np.int64)
        common |= {"heads": heads, "degree": degree}
        bits = max(self.heads - 1, 1).bit_length()
        program.buckets_sort.exact(buckets, local=1, **common, bits=bits, stay=stay)
        before, kept = exclusive_sums(device.download(stay, np.int64, buckets))
        offset = offset_type(kept)
        row_ptr = device.output(n + 1, offset)
        col = heads if kept == arcs else device.output(kept, np.int32)
        if not (self.counts and kept < arcs):
            common["dealt"] = dealt = None
        counted = device.output(kept, np.int32) if self.counts and kept < arcs else None
        self.program("csr/build_buckets", offset).buckets_rows.exact(
            buckets,
            local=1,
            **common,
            before=device.upload(before),
            row_ptr=row_ptr,
            col=None if col is heads else col,
            counts=counted,
        )
        self.copies = counted
        return DeviceCSR(n, kept, row_ptr, col, offset)
