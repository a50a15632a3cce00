"""The slides' methods "coo" and "coo-flat": rows summed over arcs in coordinate form.

Host half of ``cl/theses/coo.cl``. On an H200 a source takes 12.7 and 12.9 ms in a graph of 3.6 M vertices and
45 M arcs, and 6.0 ms by method "power".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.ranking.personalized.batched_power import BatchedPower
from clgraph.ranking.solver import TALLY, longest_row

if TYPE_CHECKING:
    from clgraph.graph import Graph


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

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
    POWERS: ClassVar[tuple[str, ...]] = ("local", "flat_local")

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        local, flat_local = (fit_group(size, device, each=TALLY) for size in (self.local, self.flat_local))
        return replace(self, local=local, flat_local=flat_local)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, items=1, flat_local=256, flat_arcs=8),
    cpu=LaunchConfig(local=1, items=2048, flat_local=2, flat_arcs=1024),
    simulator=LaunchConfig(local=8, items=3, flat_local=4, flat_arcs=3),
)


class Arcs(BatchedPower):
    """Arcs in coordinate form, one source: what "coo" and "coo-flat" share."""

    sums_in_fixed_point = False
    row_sum: Any = None
    fixed: Any = None

    def prepare(self) -> None:
        self.tuned, self.arcs = LAUNCH.of(self.device), self.graph.num_arcs
        self.group = self.tuned.local
        self.tallies = -(-self.n // (self.group * self.tuned.items))
        self.chain = self.tuned.items + int(log2(self.group))

    def ends(self, graph: Graph, name: str) -> Any:
        """Return the row of each arc of a graph, cached on the device; `name` is what the row is."""

        def make() -> Any:
            self.device.reserve({name: 4 * graph.num_arcs})
            return self.device.upload(graph.tails)

        return self.device.cached(graph, f"ppr-{name}s", make)

    def build(self, defines: dict[str, Any]) -> None:
        # one source: the kernels leave LANES at its default of 1
        self.defines = {**defines, "LANES": None}
        tunables = {"LOCAL": self.group, "ITEMS": self.tuned.items, "FIXED": self.sums_in_fixed_point}
        self.settling = self.device.program("theses/coo", **self.defines, **tunables)

    def settle(self, test: bool) -> None:
        """End all rows."""
        sums = {"row_sum": self.row_sum, "fixed": self.fixed}
        self.settling.ppr_settle.launch(self, self.tallies * self.group, local=self.group, test=test, **sums)


class CooBatch(Arcs):
    """One work-item per arc, atomic integer adds: method "coo"."""

    sums_in_fixed_point = True

    def about(self) -> list[str]:
        words = "one of 64 bits" if "HAVE_INT64_ATOMICS" in self.device.features else "two of 32 bits"
        return [f"one work-item per arc; atomic integer adds in units of 2^-62, {words}"]

    def bring(self) -> None:
        graph, device = self.graph, self.device
        self.head, self.tail = upload_csr(device, graph).col_idx, self.ends(graph, "tail")
        self.share = self.shares(by_tail=True)
        self.fixed = device.zeros(2 * self.n, np.uint32)  # low and high words

    def add(self, test: bool) -> None:
        items = self.tuned.items
        self.settling.ppr_coo_push.launch(self, -(-self.arcs // items), local=self.group)
        self.settle(test)


class CooFlatBatch(Arcs):
    """Arcs sorted by head, segmented sums in work-groups, carries between them: method "coo-flat"."""

    def prepare(self) -> None:
        super().prepare()
        config = self.tuned
        self.groups = -(-self.arcs // (config.flat_local * config.flat_arcs))
        longest = longest_row(self.device, self.graph.reverse)
        joins = longest // config.flat_arcs // config.flat_local + int(log2(config.flat_local)) + 2
        self.chain = max(self.chain, config.flat_arcs + joins)

    def about(self) -> list[str]:
        config = self.tuned
        return [
            f"arcs sorted by head, {config.flat_local * config.flat_arcs} to a work-group: segmented sums, "
            "carries between groups without atomics"
        ]

    def bring(self) -> None:
        device, reverse = self.device, self.graph.reverse
        self.tail, self.head = upload_csr(device, reverse).col_idx, self.ends(reverse, "head")
        self.share = self.shares()
        self.row_sum = device.zeros(self.n, np.float64)  # an ACC has 8 bytes either way
        self.carry, self.closes = (
            device.empty(2 * self.groups, np.float64),
            device.empty(self.groups, np.int32),
        )

    def build(self, defines: dict[str, Any]) -> None:
        super().build(defines)
        tunables = {"LOCAL": self.tuned.flat_local, "ARCS": self.tuned.flat_arcs}
        self._program_of_arcs = self.device.program("theses/coo", **self.defines, **tunables)

    def add(self, test: bool) -> None:
        local, program = self.tuned.flat_local, self._program_of_arcs
        program.ppr_flat_sums.launch(self, self.groups * local, local=local)
        program.ppr_flat_carries.launch(self, self.groups)
        self.settle(test)
