"""The context around every engine: which engine serves a graph, device, lock, time and provenance.

A call reads: check the request, `opened`, then ``run = run_on(device, graph, ...)``, ``with run.lock, run:``
and the engine.
Which engine serves a graph is decided here and nowhere else: a dataset on disk goes to the engine for blocks
of rows, a graph whose arcs exceed the device's largest buffer to the same with its rows as blocks in memory,
any other to the engine that takes a graph whole.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from clgraph.arguments import is_word, shown, word
from clgraph.errors import DeviceError, InputError
from clgraph.graph import Graph, as_graph
from clgraph.results import Arrays

if TYPE_CHECKING:
    from types import TracebackType

    from clgraph.device import Device
    from clgraph.results import RunsOn
    from clgraph.scale.blocks import GraphBlocks
    from clgraph.scale.shards import Shards

R = TypeVar("R", bound="RunsOn")


def dataset_of(graph: Any) -> Shards | None:
    """Return what was given for a graph if it is a dataset of shards; None for anything else."""
    if isinstance(graph, Graph):
        return None
    from clgraph.scale.shards import Shards

    return graph if isinstance(graph, Shards) else None


def not_offered(name: str, value: Any, why: str) -> InputError:
    """The error for an option, or a value of it, that datasets of shards do not have."""
    return InputError(
        f"{name} {shown(value)} is not offered for a graph in shards: {why}; clgraph.join_shards (clgraph "
        "convert IN.clgs OUT.clg) makes a graph of what fits into memory"
    )


def opened(graph: Any, arrays: Any = "host", **options: tuple[Any, tuple[Any, ...], str]) -> tuple[Any, bool]:
    """Return a Graph, or a dataset of shards as it is, and whether results stay on the device.

    Parameters
    ----------
    graph : object
    arrays : {"host", "device"}
        Where results are to be; those of a dataset are on the host.
    **options : (value, words that datasets have for it, why they have no other)

    Raises
    ------
    InputError
        If it is neither, or a dataset with an option that datasets do not have.
    """
    stays = bool(word(arrays, "arrays", get_args(Arrays)) == "device")
    if isinstance(graph, Graph):
        return graph, stays
    if dataset_of(graph) is None:
        return as_graph(graph), stays
    if stays:
        raise not_offered("arrays", arrays, "its results come from several devices, and are on the host")
    for name, (value, offered, why) in options.items():
        if not is_word(value, *offered):
            raise not_offered(name, value, why)
    return graph, stays


class run_on:
    """A call's engine on a device: locked, timed and recorded.

    Parameters
    ----------
    device : Device, str, ... or None
        As in `clgraph.get_device`.
    graph : Graph or Shards, optional
        Whose arcs may lie in several buffers, for an engine that takes blocks of rows, too.
    *sections : {"pairs", "rows", "in", "out"}
        The blocks that this engine needs (`clgraph.scale.manifest.Manifest`); rows serve as pairs, too.
        Without any there is no engine for blocks.
    values : bool
        Whether it needs weights and multiplicities, too.
    once : bool
        Whether pairs that two arcs of a directed graph join are needed once.
    start : float, optional
        When the call began (`time.perf_counter`), where checking its arguments counts, too.

    Attributes
    ----------
    device : Device
        Of a dataset what was given for it: its ranks choose theirs (`clgraph.scale.comm.run_on_ranks`).
    blocks : Shards or None
        The dataset; or the graph's rows as blocks in memory, where its arcs do not fit one buffer. The device
        is not locked then: engines for blocks lock it for each.
    seconds : dict of float
        Time by phase; "total" is added at the end.
    """

    def __init__(
        self,
        device: Any,
        graph: Graph | Shards | None = None,
        *sections: str,
        values: bool = False,
        once: bool = False,
        start: float | None = None,
    ) -> None:
        from clgraph.device import get_device

        self._stored = graph is not None and not isinstance(graph, Graph)
        self.device: Device = device if self._stored else get_device(device)
        self.blocks: Any = graph if self._stored else None
        # no engine needs more than 16 bytes per arc: arcs in two directions with their weights
        if isinstance(graph, Graph) and sections and 16 * graph.num_arcs > self.device.max_buffer:
            self.blocks = _blocks(self.device, graph, sections, values, once)
        self.seconds: dict[str, float] = {}
        self._start = start

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """The device's lock for a with-block; there is none if there are blocks.

        Callers enter it themselves: an interrupt in a method of Python that had acquired it would leave the
        device locked.
        """
        return self.device.alone() if self.blocks is None else nullcontext()

    def __enter__(self) -> run_on:
        """Begin the work; the device is locked."""
        if not self._stored:
            self._before = list(self.device.launched)  # with the lock: others launch until then
        self._began = perf_counter()
        if self._start is None:
            self._start = self._began
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Note the whole time."""
        self.seconds["total"] = perf_counter() - self._start  # type: ignore[operator]

    def lap(self, phase: str | None = None) -> None:
        """Record the time since the last call as a phase; None: drop it.

        Times of a phase that recurs add up.
        """
        now = perf_counter()
        if phase is not None:
            self.seconds[phase] = self.seconds.get(phase, 0.0) + now - self._began
        self._began = now

    def forget(self, *phases: str) -> None:
        """Drop the times of phases before they begin again, in the next of several runs."""
        for phase in phases:
            self.seconds.pop(phase, None)

    @property
    def provenance(self) -> dict[str, Any]:
        """Provenance of a result (see `clgraph.results.RunsOn`); empty for a dataset."""
        if self._stored:
            return {}
        return self.device.provenance(self._before) | (
            {"pieces": self.blocks.num_blocks} if self.blocks else {}
        )

    def stamped(self, result: R, **changes: Any) -> R:
        """The result of an engine for blocks, with the provenance of this call."""
        return replace(result, provenance=self.provenance, **changes)


def need_doubles(device: Device, what: str) -> None:
    """Raise a DeviceError unless the device has float64."""
    if "HAVE_FP64" not in device.features:
        raise DeviceError(
            f"{device}: {what} needs float64, which the device does not have; choose another one (clgraph "
            "devices lists them)"
        )


def serial_device(device: Device) -> Device:
    """Return the device for serial work: the host's CPU if it has a driver, else the given one."""
    from clgraph.device import get_device

    if device.kind in ("cpu", "emulator", "simulator"):
        return device
    try:
        return get_device("cpu", kernels="ndrange")
    except DeviceError:  # there is none that works
        return device


def host_cpu() -> Device | None:
    """Return a CPU device that works; one whose driver would have to be tried first does not count."""
    from clgraph.device.choosing import list_devices, of_word

    for device in of_word("cpu", list_devices()) or []:
        if not device.is_untried and device.fault is None:
            return device
    return None


def _blocks(
    device: Device, graph: Graph, sections: tuple[str, ...], values: bool, once: bool
) -> GraphBlocks | None:
    """The graph's rows as blocks in memory; None if its arcs fit one buffer.

    What engines for blocks do not take goes the usual way, which says what does not fit: parallel arcs
    (blocks have each edge once), and boards without a compiler.
    """
    values = values and (graph.weights is not None or graph.multiplicity is not None)
    widest = 4 if graph.weights is None else 8  # bytes of an entry; blocks are cut alike for all calls
    width = widest if values else 4
    views = 2 if graph.directed and "pairs" in sections else 1  # the undirected view has up to twice the arcs
    fits = width * views * graph.num_arcs <= device.max_buffer
    if fits or not device.has_compiler or graph.is_multigraph:
        return None
    from clgraph.scale.blocks import GraphBlocks, shelve

    rows = "out" if graph.directed else "rows"
    if not (once and graph.directed):
        sections = tuple(sorted({rows if name == "pairs" else name for name in sections}))

    def make() -> GraphBlocks:
        # half a buffer each: a block has offsets and values beside its entries
        return GraphBlocks(graph, sections, values, device.max_buffer // 2 // widest)

    shelve(device, graph)
    return device.cached(graph, ("pieces", sections, values), make)
