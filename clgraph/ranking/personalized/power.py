"""The power method's rows on CPUs: host half of ``cl/ranking/personalized/power.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.shapes import Shapes
from clgraph.ranking.layout import SETTLE, balanced
from clgraph.ranking.personalized.product import Product

if TYPE_CHECKING:
    from clgraph.ranking.personalized.engine import Request

# runs of rows, a work-item each; GPUs take `clgraph.ranking.personalized.teams` instead
SHAPES = Shapes(gpu=256, cpu=256, simulator=3)


@dataclass(frozen=True)
class Cut:
    """Runs of rows: how many, the longest chain of additions, and (on the device) their bounds."""

    count: int
    chain: int
    bound: Any


class Runs(Product):
    """One work-item takes a run of rows, and all lanes: method "power" on CPUs."""

    csr: DeviceCSR

    def __init__(self, request: Request, width: int) -> None:
        super().__init__(request, width)
        self.reverse = reverse = self.graph.reverse
        runs, device = SHAPES.of(self.device), self.device

        def make() -> Cut:
            longest = int(np.diff(reverse.row_ptr).max(initial=0))
            cost = reverse.row_ptr.astype(np.int64) + SETTLE * np.arange(len(reverse.row_ptr))
            bound = balanced(cost, runs)
            return Cut(len(bound) - 1, max(longest, int(np.diff(bound).max())), device.upload(bound))

        self._cut = device.cached(reverse, ("ppr-runs", runs), make)
        self.parts, self.chain = self._cut.count, self._cut.chain

    def explain(self) -> list[str]:
        return [f"{self.width} lanes: one work-item takes a run of rows and all lanes, {self.parts} runs"]

    def upload(self) -> None:
        self.csr = upload_csr(self.device, self.reverse)
        self._share = self._shares()

    def compile(self, defines: dict[str, Any]) -> None:
        self._program = self.device.program("ranking/personalized/power", **defines, **self.csr.defines)

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        csr = self.csr
        self._program.ppr_runs.exact(
            self.parts,
            test=test,
            last=last,
            bound=self._cut.bound,
            **csr.buffers,
            share=self._share,
            parts=parts,
            state=state,
            **vectors,
            local=1,
        )
