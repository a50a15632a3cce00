"""The power method's rows on CPUs: host half of ``cl/ranking/personalized/power.cl``."""

from __future__ import annotations

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


class Runs(Product):
    """One work-item takes a run of rows, and all lanes: method "power" on CPUs."""

    csr: DeviceCSR

    def __init__(self, request: Request, width: int) -> None:
        super().__init__(request, width)
        self.reverse = self.graph.reverse
        longest = int(np.diff(self.reverse.row_ptr).max(initial=0))
        cost = self.reverse.row_ptr.astype(np.int64) + SETTLE * np.arange(self.n + 1)
        self._bound = balanced(cost, SHAPES.of(self.device))
        self.parts = len(self._bound) - 1
        self.chain = max(longest, int(np.diff(self._bound).max()))

    def explain(self) -> list[str]:
        return [f"{self.width} lanes: one work-item takes a run of rows and all lanes, {self.parts} runs"]

    def upload(self) -> None:
        self.csr = upload_csr(self.device, self.reverse)
        self._share = self._shares(self.reverse)
        self._bounds = self.device.upload(self._bound)

    def compile(self, defines: dict[str, Any]) -> None:
        self._program = self.device.program("ranking/personalized/power", **defines, **self.csr.defines)

    def enqueue(self, test: bool, last: int, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        csr = self.csr
        self._program.ppr_runs.exact(
            self.parts,
            np.int32(test),
            np.int32(last),
            self._bounds,
            csr.row_ptr,
            csr.col_idx,
            self._share,
            parts,
            state,
            *vertex,
            local=1,
        )
