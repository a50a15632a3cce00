"""Components of graphs in shards: host half of ``cl/components/shards.cl``."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import GiantFinder
from clgraph.device.launch_config import LaunchTable
from clgraph.scale.comm import Ranks, run_on_ranks
from clgraph.scale.loading import Loading
from clgraph.scale.shards import Shards

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device


# entries of a block that one work-item takes: a CPU core wants long runs, which also spare it bisections; a
# GPU wants many work-items
LAUNCH = LaunchTable(gpu=8, cpu=4096, simulator=5)


class Labels(GiantFinder):
    """Labels of a device that shards are joined in, one after the other, and the finder that ranks them.

    Parameters
    ----------
    device : Device
    n : int
        Vertices, at least 1.
    """

    def __init__(self, device: Device, n: int) -> None:
        super().__init__(device, n, 0)
        self._run, self.label = LAUNCH.of(device), device.empty(n, np.int32)
        self._kernels("int").shard_start(self._passes, n=n, label=self.label)

    def _kernels(self, offset: str) -> Any:
        device = self.device
        return device.program("components/shards", RUN=self._run, ITEMS=device.tuning.items, OFFSET=offset)

    def add(self, block: DeviceCSR) -> None:
        """Join what the entries of a block join."""
        if block.arcs == 0:
            return
        join = self._kernels(block.defines["OFFSET"]).shard_join
        join(-(-block.arcs // self._run), **block.arguments, label=self.label)
        self._compress()

    def merge(self, other: npt.NDArray[np.int32]) -> None:
        """Join what the labels of another rank join."""
        label, other_label = self.label, self.device.upload(other)
        self._kernels("int").shard_merge(self._passes, n=self.n, other=other_label, label=label)
        self._compress()

    def _compress(self) -> None:
        self.program.components_compress(self._passes, n=self.n, label=self.label)
        self.device.finish()  # the shard's buffers are free

    def download(self) -> npt.NDArray[np.int32]:
        """The smallest vertex of each vertex's component, shape (n,)."""
        return self.device.download(self.label, np.int32, self.n)


def join_components(shards: Shards, *, device: Any) -> tuple[Any, ...]:
    """Return the fields of `clgraph.Components` for weak components, by one pass over the pairs."""

    def work(ranks: Ranks, dev: Device) -> tuple[Any, ...]:
        ranks.agree(dataset=shards.fingerprint, method="components")
        n = shards.num_vertices
        if n == 0:
            return np.empty(0, np.int32), np.empty(0, np.int64), "weak", {}, dev.name
        started = perf_counter()
        with dev.alone():
            labels = Labels(dev, n)
        for rows in Loading(dev, shards).rows(
            shards.pairs, ranks.shares(len(shards.section(shards.pairs).shards))
        ):
            with dev.alone():
                labels.add(rows)

        def pack(own: Labels) -> npt.NDArray[np.int32]:
            with dev.alone():
                return own.download()

        def join(own: Labels, other: npt.NDArray[np.uint8]) -> Labels:
            with dev.alone():
                own.merge(other.view(np.int32))
            return own

        whole = ranks.merge(labels, pack, join)
        joined = perf_counter()
        numbered = sizes = None
        if whole is not None:
            with dev.alone():
                whole.sample(whole.label)
                sizes = whole.rank(whole.label)
                numbered = whole.download()
        numbered, sizes = ranks.broadcast(numbered, np.int32), ranks.broadcast(sizes, np.int64)
        seconds = {"components": joined - started, "ranking": perf_counter() - joined}
        return numbered, sizes, "weak", seconds, dev.name

    return run_on_ranks(work, device, shards.comm)
