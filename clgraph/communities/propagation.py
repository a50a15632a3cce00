"""Label propagation in rounds: host half of ``cl/communities/propagation.cl``."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import hints, whole, word
from clgraph.csr.properties import count_range, longest_row
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import Residence, upload_csr
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.errors import CapacityError, ConvergenceWarning
from clgraph.graph import Graph, as_graph
from clgraph.graph.frames import Labelled
from clgraph.lazy import lazy
from clgraph.results import Arrays, on_device
from clgraph.run import run_on

if TYPE_CHECKING:
    from clgraph.device import Device

Mode = Literal["synchronous", "stable"]
NONE = np.uint32(2**32 - 1)  # an entry of a table that no label has taken
SHARE = 8  # part of a device's memory that tables of long rows may take


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    short, middle, large : int
        Arcs of the longest rows of each class; `middle` and `large` are powers of two.
    few, many : int
        Work-items that share a middle row; a large one, or a chunk of a long one.
    each : int
        Rows that a work-group takes.
    run : int
        Vertices that a work-item sorts into classes.
    """

    short: int
    middle: int
    large: int
    few: int
    many: int
    each: int
    run: int
    POWERS: ClassVar[tuple[str, ...]] = ("middle", "large", "few", "many")

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut it to a device's limits: a table takes 16 bytes of local memory for each arc."""
        large = self.large
        while large > 1 and 16 * large + 64 > device.local_memory:
            large //= 2
        few, many = (fit_group(size, device) for size in (self.few, self.many))
        middle = min(self.middle, large)
        return replace(self, short=min(self.short, middle), middle=middle, large=large, few=few, many=many)


# a GPU has a warp for rows of up to 128 arcs, so that few lanes are idle and many rows are in flight; on a
# CPU one work-item takes a row, and a table of 128 KB stays in a core's cache
LAUNCH = LaunchTable(
    gpu=LaunchConfig(short=16, middle=128, large=1024, few=32, many=256, each=1, run=16),
    cpu=LaunchConfig(short=16, middle=16, large=8192, few=1, many=1, each=16, run=256),
    simulator=LaunchConfig(short=2, middle=4, large=8, few=2, many=4, each=2, run=3),
)


@dataclass(frozen=True, repr=False)
class LabelPropagationResult(Labelled):
    """Communities by label propagation.

    Attributes
    ----------
    labels : int32 array, shape (n,)
        Label of each vertex, which is the number of the vertex that it came from: two vertices are in one
        community if their labels are equal, and ``graph.ids[labels]`` are labels as LDBC writes them. (With
        ``arrays="device"`` a ``pyopencl.array.Array``.)
    iterations : int
        Rounds after which the vertices have these labels.
    converged : bool
        Whether the last round changed no label, so that no further one would.
    oscillates : bool
        Whether two labelings now take turns for ever, as where one half of a bipartite graph takes over the
        labels of the other and vice versa.
    mode : {"synchronous", "stable"}
    seconds : dict of float
        Time by phase: "upload", "rounds" and "total".
    device : str
        Name of the device.
    """

    labels: npt.NDArray[np.int32]
    iterations: int
    converged: bool
    oscillates: bool
    mode: Mode = "synchronous"
    seconds: dict[str, float] = field(default_factory=dict)
    device: str = ""
    GROUP = "label"

    @lazy
    def sizes(self) -> npt.NDArray[np.int64]:
        """Vertices of each community, descending: int64, shape (count,)."""
        labels: Any = self.labels
        if not isinstance(labels, np.ndarray):  # on the device
            from clgraph.device import drivers

            if drivers.parent:
                raise drivers.forked()
            labels = labels.get()
        found = np.bincount(labels)
        return np.sort(found[found > 0])[::-1].astype(np.int64)

    def _facts(self) -> dict[str, Any]:
        state = "stable" if self.converged else "oscillating" if self.oscillates else "not stable"
        return {
            "communities": self.count,
            "vertices": len(self.labels),
            "largest": self._largest(),
            "iterations": self.iterations,
            "labels": state,
            "device": self.device,
        }


@hints
def label_propagation(
    graph: Graph | Any,
    iterations: int = 10,
    mode: Mode = "synchronous",
    *,
    arrays: Arrays = "host",
    device: Device | str | None = None,
) -> LabelPropagationResult:
    """Find communities by label propagation [1]_, as LDBC Graphalytics defines it (CDLP [2]_).

    At first every vertex has a label of its own: its number. In each round all vertices at once take the
    label that most of their neighbours had before; of labels that equally many have, the smallest. In a
    directed graph the tails of arcs in and the heads of arcs out are neighbours, one to which arcs lead both
    ways twice. Parallel edges count one by one, a self-loop once; weights play no part. Vertices without
    edges keep their labels.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Labels are compared by vertex number, which is the order of the ids.
    iterations : int
        Number of rounds; with mode "stable" the largest number.
    mode : {"synchronous", "stable"}
        "stable" ends after the first round that changes no label, or that brings back the labels of two
        rounds before: from then on two labelings take turns. Unless the labels are stable at the end, there
        is a ConvergenceWarning, which says which of the two it is.
    arrays : {"host", "device"}
        "device": the labels stay there, as ``pyopencl.array.Array``.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    LabelPropagationResult
        Its labels are the same on every device.

    Raises
    ------
    InputError
        If it is no graph, or an argument is not as above.
    DeviceError, BuildError, CapacityError
        If the device fails, the graph does not fit on it, or parallel edges of a vertex are 2**32 or more.

    References
    ----------
    .. [1] U. N. Raghavan, R. Albert, S. Kumara, "Near linear time algorithm to detect community structures in
       large-scale networks", Physical Review E 76, 036106, 2007.
    .. [2] A. Iosup et al., "The LDBC Graphalytics Benchmark", arXiv:2011.15028, version 1.0.

    Examples
    --------
    >>> from clgraph import Graph, label_propagation
    >>> two_triangles = Graph.from_edges([0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3])
    >>> label_propagation(two_triangles, 5).labels
    array([0, 0, 0, 2, 2, 2], dtype=int32)
    """
    iterations = whole(iterations, "iterations")
    word(mode, "mode", get_args(Mode))
    stays = on_device(arrays)
    given = as_graph(graph)
    run = run_on(device)
    with run.lock, run:
        dev = run.device
        run.lap()
        # joins arcs both ways to one with their number as its multiplicity, which counts as often
        rows = given.undirected
        upload_csr(dev, rows)
        dev.finish()
        run.lap("upload")
        propagation = Propagation(dev, rows)
        propagation.advance(iterations, ends=mode == "stable")
        n, label = rows.num_vertices, propagation.label
        labels: Any = dev.array(label, np.int32, n) if stays else dev.download(label, np.int32, n)
        run.lap("rounds")
        result = LabelPropagationResult(
            labels,
            propagation.rounds,
            propagation.converged,
            propagation.oscillates,
            mode,
            run.seconds,
            dev.name,
            provenance=run.provenance,
        )
    if mode == "stable" and not result.converged:
        warnings.warn(_unstable(result), ConvergenceWarning, stacklevel=3)
    return result


def _unstable(result: LabelPropagationResult) -> str:
    if result.oscillates:
        return (
            f"label propagation oscillates: after {result.iterations} rounds two labelings take turns for "
            "ever, and no number of iterations will make them stable; the result has one of the two"
        )
    rounds = f"after {result.iterations} rounds"
    return f"label propagation: labels still change {rounds}; more iterations may settle them"


class Propagation:
    """Labels of a graph's vertices, round by round.

    Parameters
    ----------
    dev : Device
    rows : Graph
        Undirected.
    config : LaunchConfig, optional

    Attributes
    ----------
    label : int32 device buffer, shape (n,)
    rounds : int
    converged, oscillates : bool
        Whether the last round changed no label; whether it brought back, and changed, those before the last.
    """

    def __init__(self, dev: Device, rows: Graph, config: LaunchConfig | None = None) -> None:
        self.dev, self.n = dev, rows.num_vertices
        self.rounds, self.converged, self.oscillates = 0, False, False
        self.config = config = LAUNCH.of(dev) if config is None else config
        csr = upload_csr(dev, rows)
        self.row_ptr, self.col_idx, self.times = csr.row_ptr, csr.col_idx, None
        counted = rows._is_counted
        if counted:
            self.times = Residence.of(dev, rows).column(rows, "multiplicity")
            _check_counts(dev, rows, self.times)
        self._build = partial(
            dev.program,
            "communities/propagation",
            SHORT=config.short,
            MIDDLE=config.middle,
            LARGE=config.large,
            EACH=config.each,
            RUN=config.run,
            ITEMS=dev.tuning.items,
            COUNTED=counted,
            **csr.defines,
        )
        self.program = self._build(TABLE=2 * config.large, ALONE=config.many == 1)
        dev.reserve({"labels": 8 * self.n, "list": 4 * self.n})
        self.label, self.next = (dev.empty(self.n, np.int32) for _ in range(2))
        self.state = dev.zeros(2, np.uint32)
        self.program.propagation_begin.launch(self, self._over(self.n))
        self._list_rows()
        self._lay_tables()

    def _over(self, count: int) -> int:
        """Work-items that take so many entries."""
        return -(-count // self.dev.tuning.items)

    def _list_rows(self) -> None:
        """List the vertices by class of row."""
        dev, place = self.dev, self.dev.zeros(4, np.int32)
        kernel, passes = self.program.propagation_classes, -(-self.n // self.config.run)
        kernel.launch(self, passes, place=place, list=None)  # counts
        self.sizes = dev.download(place, np.int32, 4).tolist()
        self.begins = np.concatenate(([0], np.cumsum(self.sizes[:-1]))).tolist()
        dev.write(place, np.array(self.begins, np.int32))
        self.list = dev.empty(sum(self.sizes), np.int32)
        kernel.launch(self, passes, place=place)

    def _lay_tables(self) -> None:
        """Lay the tables of long rows one behind the other, as many rows at a time as memory allows."""
        dev, begin, count = self.dev, self.begins[3], self.sizes[3]
        self.batches: list[tuple[int, int, int]] = []
        if not count:
            return
        chunks = dev.empty(count, np.int32)
        self.program.propagation_chunks.launch(
            self, self._over(count), begin=begin, count=count, chunks=chunks
        )
        self.before = running_sums(dev, chunks, count, into=np.int32)
        # one entry for each row of more than `large` arcs, of which there are few
        before = dev.download(self.before, np.int32, count + 1)
        slots = self.config.large * 3 // 2
        room = max(1, min(dev.max_buffer, dev.global_memory // SHARE) // (4 * slots))
        first = 0
        while first < count:
            end = int(np.searchsorted(before, before[first] + room, side="right")) - 1
            end = max(first + 1, min(end, count))
            self.batches.append((first, end, int(before[end] - before[first])))
            first = end
        size = slots * max(taken for _, _, taken in self.batches)
        dev.reserve({"labels of long rows": 4 * size, "their counts": 4 * size})
        self.keys, self.counts = dev.empty(size, np.uint32), dev.zeros(size, np.uint32)
        self.most, self.least = dev.zeros(count, np.uint32), dev.empty(count, np.uint32)
        dev.fill(self.keys, NONE, size)
        dev.fill(self.least, NONE, count)

    def advance(self, iterations: int, *, ends: bool) -> None:
        """Go through so many rounds; with `ends` not beyond one that changes nothing or repeats labels."""
        if not any(self.sizes):
            self.rounds, self.converged = iterations, True
            return
        for done in range(1, iterations + 1):
            self.converged, self.oscillates = self._round()
            if not (self.converged or self.oscillates):
                continue
            self.rounds = done
            if not ends:
                # the labels from here on are known: these for ever, or these and those before them in turn
                if self.oscillates and (iterations - done) % 2:
                    self.label, self.next = self.next, self.label
                self.rounds = iterations
            return
        self.rounds = iterations

    def _round(self) -> tuple[bool, bool]:
        """Give every vertex its next label; return whether none changed, and whether old ones came back."""
        dev, config, program = self.dev, self.config, self.program
        dev.fill(self.state, np.uint32(0), 2)
        short, middle, large, long_ = zip(self.begins, self.sizes, strict=True)
        program.propagation_short.launch(self, self._over(short[1]), begin=short[0], count=short[1])
        for (begin, count), lanes, arcs in (
            (middle, config.few, config.middle),
            (large, config.many, config.large),
        ):
            if count:
                kernel = self._build(TABLE=2 * arcs, ALONE=lanes == 1).propagation_rows
                local = min(lanes, kernel.limit)
                kernel.launch(self, -(-count // config.each) * local, local=local, begin=begin, count=count)
        for first, end, chunks in self.batches:
            for kernel in (program.propagation_chunk, program.propagation_most, program.propagation_least):
                local = min(config.many, kernel.limit)
                more = {"begin": long_[0]} if kernel is program.propagation_chunk else {}
                kernel.launch(self, chunks * local, local=local, first=first, end=end, **more)
        if long_[1]:
            program.propagation_settle.launch(self, self._over(long_[1]), begin=long_[0], count=long_[1])
        self.label, self.next = self.next, self.label
        changed, moved = dev.download(self.state, np.uint32, 2).tolist()
        return changed == 0, changed > 0 and moved == 0


def _check_counts(dev: Device, rows: Graph, times: Any) -> None:
    """Refuse a graph in which the parallel edges of a vertex may not fit 32 bits.

    Raises
    ------
    CapacityError
        If there are 2**32 or more.
    """
    csr = upload_csr(dev, rows)
    if not csr.arcs or count_range(dev, csr, times)[1] * longest_row(dev, csr) < 2**32:
        return
    # the bound is too coarse: the sums themselves, which are seldom needed
    assert rows.multiplicity is not None
    before = np.zeros(csr.arcs + 1, np.int64)
    np.cumsum(rows.multiplicity, out=before[1:])
    sums = np.diff(before[rows.row_ptr])
    if (most := int(sums.max())) >= 2**32:
        vertex = rows.ids[int(sums.argmax())]
        raise CapacityError(
            f"{dev}: vertex {vertex} has {most} parallel edges, and label propagation counts up to "
            f"{2**32 - 1}: read the graph with fewer of them"
        )
