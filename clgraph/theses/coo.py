"""The slides' methods "coo" and "coo-flat": rows summed over arcs in coordinate form.

Host half of ``cl/theses/coo.cl``. On an H200 a source takes 12.7 and 12.9 ms in a graph of 3.6 M vertices and
45 M arcs, and 6.0 ms by method "power".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.ranking.personalized.product import Product
from clgraph.ranking.rows import TALLY, longest_row

if TYPE_CHECKING:
    from clgraph.ranking.personalized.engine import Request


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

    Attributes
    ----------
    local, items : int
        Work-items of a group, and arcs (or vertices) of each.
    flat_local, flat_arcs : int
        Work-items of a group, and arcs of each, where sums are segmented.
    """

    local: int
    items: int
    flat_local: int
    flat_arcs: int

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        local, flat_local = (fit_group(size, device, each=TALLY) for size in (self.local, self.flat_local))
        return replace(self, local=local, flat_local=flat_local)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, items=1, flat_local=256, flat_arcs=8),
    cpu=LaunchConfig(local=1, items=2048, flat_local=2, flat_arcs=1024),
    simulator=LaunchConfig(local=8, items=3, flat_local=4, flat_arcs=3),
)


class Arcs(Product):
    """Arcs in coordinate form, one source: what "coo" and "coo-flat" share."""

    fixed = False

    def __init__(self, request: Request, width: int) -> None:
        super().__init__(request, width)
        self.shape = LAUNCH.of(request.device)
        self.arcs = self.graph.num_arcs
        self.local = self.shape.local
        self.groups = -(-self.n // (self.local * self.shape.items))
        self.parts = self.groups
        self.chain = self.shape.items + int(log2(self.local))

    def compile(self, defines: dict[str, Any]) -> None:
        self._settling = self.device.program(
            "theses/coo",
            **{**defines, "LANES": None},
            LOCAL=self.local,
            ITEMS=self.shape.items,
            FIXED=self.fixed,
        )

    def _settle(
        self, test: bool, last: int, row_sum: Any, fixed: Any, parts: Any, state: Any, vectors: dict[str, Any]
    ) -> None:
        self._settling.ppr_settle.exact(
            self.groups * self.local,
            n=self.n,
            test=test,
            last=last,
            row_sum=row_sum,
            fixed=fixed,
            parts=parts,
            state=state,
            **vectors,
            local=self.local,
        )


class Coo(Arcs):
    """One work-item per arc, atomic integer adds: method "coo"."""

    fixed = True

    def explain(self) -> list[str]:
        words = "one of 64 bits" if "HAVE_INT64_ATOMICS" in self.device.features else "two of 32 bits"
        return [f"one work-item per arc; atomic integer adds in units of 2^-62, {words}"]

    def upload(self) -> None:
        graph, device = self.graph, self.device

        def tails() -> Any:
            device.reserve({"tail": 4 * graph.num_arcs})
            return device.upload(graph.tails)

        self._head = upload_csr(device, graph).col_idx
        self._tail = device.cached(graph, "ppr-tails", tails)
        self._share = self._shares(by_tail=True)
        self._fixed = device.zeros(2 * self.n, np.uint32)  # low and high words

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        items = self.shape.items
        self._settling.ppr_coo_push(
            -(-self.arcs // items),
            arcs=self.arcs,
            tail=self._tail,
            head=self._head,
            share=self._share,
            value=vectors["value"],
            state=state,
            fixed=self._fixed,
            local=self.local,
        )
        self._settle(test, last, None, self._fixed, parts, state, vectors)


class CooFlat(Arcs):
    """Arcs sorted by head, segmented sums in work-groups, carries between them: method "coo-flat"."""

    def __init__(self, request: Request, width: int) -> None:
        super().__init__(request, width)
        shape = self.shape
        self.flat_groups = -(-self.arcs // (shape.flat_local * shape.flat_arcs))
        longest = longest_row(self.device, self.graph.reverse)
        joins = longest // shape.flat_arcs // shape.flat_local + int(log2(shape.flat_local)) + 2
        self.chain = max(self.chain, shape.flat_arcs + joins)

    def explain(self) -> list[str]:
        shape = self.shape
        return [
            f"arcs sorted by head, {shape.flat_local * shape.flat_arcs} to a work-group: segmented sums, "
            "carries between groups without atomics"
        ]

    def upload(self) -> None:
        device, reverse = self.device, self.graph.reverse

        def heads() -> Any:
            device.reserve({"head": 4 * reverse.num_arcs})
            return device.upload(reverse.tails)

        self._tail = upload_csr(device, reverse).col_idx
        self._head = device.cached(reverse, "ppr-heads", heads)
        self._share = self._shares()
        self._row_sum = device.zeros(self.n, np.float64)  # an ACC has 8 bytes either way
        self._carry = device.empty(2 * self.flat_groups, np.float64)
        self._closes = device.empty(self.flat_groups, np.int32)

    def compile(self, defines: dict[str, Any]) -> None:
        super().compile(defines)
        shape = self.shape
        self._program = self.device.program(
            "theses/coo", **{**defines, "LANES": None}, LOCAL=shape.flat_local, ARCS=shape.flat_arcs
        )

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        arcs, local = self.arcs, self.shape.flat_local
        self._program.ppr_flat_sums.exact(
            self.flat_groups * local,
            arcs=arcs,
            tail=self._tail,
            head=self._head,
            share=self._share,
            value=vectors["value"],
            state=state,
            row_sum=self._row_sum,
            carry=self._carry,
            closes=self._closes,
            local=local,
        )
        self._program.ppr_flat_carries(
            self.flat_groups,
            arcs=arcs,
            groups=self.flat_groups,
            head=self._head,
            state=state,
            carry=self._carry,
            closes=self._closes,
            row_sum=self._row_sum,
        )
        self._settle(test, last, self._row_sum, None, parts, state, vectors)
