"""Products with a graph's matrix, and vectors of 64-bit numbers: host half of ``cl/centrality/power.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import Place, upload_csr
from clgraph.device.launch_config import LaunchTable, WorkGroup
from clgraph.errors import DeviceError, InputError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration.

    Attributes
    ----------
    chunk : int
        Vertices of a work-group.
    long : int
        Arcs from which on a work-group sums a row up together.
    """

    chunk: int
    long: int
    EACH: ClassVar[int] = 24 + 16  # sums, and the list of long rows


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, chunk=1024, long=256),
    cpu=LaunchConfig(local=1, chunk=1024, long=256),
    simulator=LaunchConfig(local=4, chunk=16, long=8),
)


class Sums(NamedTuple):
    """Sums over a combination y of itself and x: of y^2, |y - x| and x y."""

    squares: float
    moved: float
    product: float


def need_doubles(device: Device, what: str) -> None:
    """A DeviceError unless the device computes with 64 bits."""
    if "HAVE_FP64" not in device.features:
        raise DeviceError(
            f"{device}: {what} is computed with numbers of 64 bits, which the device does not have: choose "
            "another one (clgraph devices lists them)"
        )


class Vectors:
    """A graph's matrix and vectors on a device.

    Parameters
    ----------
    device : Device
        It has numbers of 64 bits.
    graph : Graph
    weight : bool
        Whether the graph's weights are the matrix's entries; else merged arcs count as often as they
        occurred.
    """

    def __init__(self, device: Device, graph: Graph, weight: bool) -> None:
        self.device, self.n = device, graph.num_vertices
        config = LAUNCH.of(device)
        self._local, self.groups = config.local, max(1, -(-self.n // config.chunk))
        self._rows = [self._matrix(part, weight) for part in (graph, graph.reverse)]
        tunables = {"LOCAL": config.local, "CHUNK": config.chunk, "LONG": config.long}
        self._programs = [
            device.program("centrality/power", **tunables, **csr.defines) for csr, _ in self._rows
        ]
        # three vectors of float64: x, y and what is between them
        device.reserve({"vectors": 24 * self.n})
        self.part, self.sum = device.empty(3 * self.groups, np.float64), device.empty(3, np.float64)

    def _matrix(self, rows: Graph, weight: bool) -> tuple[Any, Any]:
        """Rows and their entries on the device."""
        csr = upload_csr(self.device, rows)
        if weight and rows.weights is not None:
            check_weights(rows)
            return csr, Place.of(self.device, rows).column(rows, "weights")
        counts = rows.multiplicity
        if counts is None:
            return csr, None

        def make() -> Any:
            return self.device.upload(counts.astype(np.float64))

        return csr, self.device.cached(rows, "multiplicity as numbers", make)

    def vector(self, values: Floats | None = None) -> Any:
        """A vector on the device."""
        if values is None:
            return self.device.empty(self.n, np.float64)
        return self.device.upload(np.ascontiguousarray(values, np.float64), writable=True)

    def multiply(self, x: Any, y: Any, *, turned: bool = False) -> None:
        """y = A x, or its transpose times x; does not wait."""
        (csr, weights), program = self._rows[turned], self._programs[turned]
        size = self.groups * self._local
        rows = {**csr.buffers, "weight": weights}
        program.power_product.launch(self, size, local=self._local, **rows, x=x, y=y)

    def combine(self, y: Any, a: float, x: Any, b: float = 0.0, c: float | Any = 0.0) -> Sums:
        """y = a y + b x + c, where c is a number or a vector; waits."""
        program, local = self._programs[0], self._local
        added = {"one": c, "each": None} if isinstance(c, (int, float)) else {"one": 0, "each": c}
        program.power_combine.launch(self, self.groups * local, local=local, a=a, b=b, x=x, y=y, **added)
        program.power_sums.launch(self, 3 * local, local=local)
        return Sums(*self.device.download(self.sum, np.float64, 3).tolist())

    def take(self, x: Any) -> Floats:
        """A vector's numbers."""
        return self.device.download(x, np.float64, self.n)


def check_weights(graph: Graph) -> None:
    """An InputError if a weight is not finite."""
    assert graph.weights is not None
    bad = ~np.isfinite(graph.weights)
    if np.any(bad):
        at = int(np.argmax(bad))
        tail = int(np.searchsorted(graph.row_ptr, at, side="right")) - 1
        ends = f"{graph.ids[tail]} and {graph.ids[graph.col_idx[at]]}"
        raise InputError(f"the weight between {ends} is {graph.weights[at]}: finite weights are needed")


def numbers_of(graph: Graph, given: Any, name: str) -> Floats | None:
    """A number for each vertex: from an array, or from a dict that has them all; None stays None.

    Raises
    ------
    InputError
        If some are missing, or not finite.
    """
    if given is None:
        return None
    from clgraph.ranking.problem import vertex_values  # which loads PageRank's modules

    values = vertex_values(graph, given, name, np.nan)
    if not np.all(np.isfinite(values)):
        v = int(np.argmin(np.isfinite(values)))
        raise InputError(f"{name} has no finite number for vertex {graph.ids[v]}")
    return values
