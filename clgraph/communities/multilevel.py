"""Communities by the Louvain and Leiden methods: host half of ``cl/communities/multilevel.cl``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import flag, hints, real, shown
from clgraph.components.finder import all_sizes, graph_components
from clgraph.csr.scan import flag_positions, running_sums
from clgraph.csr.sort import sort_by_key, sort_by_words
from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import DeviceLimits, LaunchTable, WorkGroup, fit_group, fit_local
from clgraph.errors import CapacityError, InputError
from clgraph.graph import Graph, as_graph
from clgraph.graph.frames import Labelled
from clgraph.results import Arrays, on_device
from clgraph.run import run_on

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device

STEPS = 1024  # the resolution is a multiple of 1 / STEPS
LARGEST_RESOLUTION = 1024
WIDE = 2**40  # above all weights together: a gain then fits into 128 bits
INT_MAX = 2**31 - 1
# Vertices of a slice decide at once; where their moves spoil each other there are four times as many slices,
# up to the largest number.
SLICES, MOST_SLICES = 32, 1024
CLASSES = 3  # of rows, by length
# A level ends when a pass gains less than the first share of the largest modularity, and the levels begin
# again while all together gain more; passes over the graph in the end go down to the second share, since
# rounds of moves that share no community take longer.
ENOUGH, FINE = 1000, 100_000_000


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration; `local` work-items share each of the longest rows.

    Attributes
    ----------
    few, many : int
        Arcs of the longest rows of the first two classes, which are counted in local memory.
    shared : tuple of two int
        Work-items that share a row of these classes, powers of two.
    rows : int
        Rows that a work-group takes in turn.
    run : int
        Consecutive arcs of a work-item; 0: whole rows.
    spread : int
        Work-items that add up squares.
    """

    few: int
    many: int
    shared: tuple[int, int]
    rows: int
    run: int
    spread: int
    POWERS: ClassVar[tuple[str, ...]] = ("local", "shared")

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut it to a device's limits: an arc takes 24 bytes of local memory, a work-item 24 more."""
        local, *shared = (fit_group(size, device, each=24) for size in (self.local, *self.shared))
        if local == 1:
            return replace(self, local=1, few=0, many=0)
        sizes = [
            fit_local(arcs, 24 * (arcs + lanes), device)
            for arcs, lanes in zip((self.few, self.many), shared, strict=True)
        ]
        few, many = min(sizes), max(sizes)
        return replace(self, local=local, few=few, many=many, shared=(shared[0], shared[1]))


# a warp takes a row of up to 128 arcs, so that few lanes are idle and many rows are in flight
LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=512, few=128, many=1024, shared=(32, 256), rows=1, run=16, spread=1 << 16),
    cpu=LaunchConfig(local=1, few=0, many=0, shared=(1, 1), rows=64, run=0, spread=64),
    simulator=LaunchConfig(local=4, few=2, many=6, shared=(2, 4), rows=2, run=4, spread=6),
)


@dataclass(frozen=True, repr=False)
class Partition(Labelled):
    """The vertices of a graph in communities, numbered by decreasing size.

    Attributes
    ----------
    labels : int32 array, shape (n,)
        Community of each vertex: 0 is the largest; among equally large ones the one with the smallest vertex
        comes first. (With ``arrays="device"`` a ``pyopencl.array.Array``.)
    sizes : int64 array, shape (count,)
        Vertices of each community, descending.
    modularity : float
        At this resolution; nan if the graph has no weight.
    levels : int
        Graphs whose vertices were moved, one inside the other: that given, and those of communities.
    resolution : float
        As it was used: the nearest multiple of 1/1024.
    seconds : dict of float
        Time by phase: "upload", "communities" and "total".
    device : str
        Name of the device.
    """

    labels: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int64]
    modularity: float
    levels: int
    resolution: float = 1.0
    seconds: dict[str, float] = field(default_factory=dict)
    device: str = ""
    GROUP = "community"

    def _facts(self) -> dict[str, Any]:
        return {
            "communities": self.count,
            "modularity": self.modularity,
            "vertices": int(self.sizes.sum()),
            "largest": self._largest(),
            "levels": self.levels,
            "device": self.device,
        }


@keyed.takes_rng
@hints
def louvain(
    graph: Any,
    *,
    resolution: float = 1.0,
    seed: int = 0,
    rng: keyed.Rng | None = None,
    weight: bool = True,
    arrays: Arrays = "host",
    device: Device | str | None = None,
) -> Partition:
    """Find communities of high modularity by the Louvain method [1]_.

    Vertices move to the neighbouring community of the largest gain, communities become the vertices of a
    smaller graph, and so on until nothing moves. This is repeated from the communities that were found while
    it gains 0.001; then parts of communities become the vertices, as in `leiden`, so that these can still
    change. In the end single vertices of the graph itself move until no move to the community of a
    neighbour gains anything. Vertices decide in an order drawn by the seed, a slice at a time, and gains are
    compared as exact integers: a seed gives the same communities on every device.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Taken as undirected: arcs each way between two vertices add up.
    resolution : float
        From 1/1024 to 1024, rounded to a multiple of 1/1024: what is larger favours smaller communities [2]_.
    seed : int
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Gives the seed instead.
    weight : bool
        Count edges by their weights, at least 0; without weights (or with False) merged parallel edges count
        as often as they appear in the input. Whole weights with a sum below 2^39 are exact; others become
        integers with a sum of about 2^38.
    arrays : {"host", "device"}
        "device": the labels stay there, as ``pyopencl.array.Array``.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    Partition
        Its communities need not be connected.

    Raises
    ------
    InputError
        If it is no graph, a weight is negative or not finite, or an argument is not as above.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it (it takes about 60 bytes for each arc in addition
        to the graph).

    References
    ----------
    .. [1] V. D. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of communities in large
       networks", J. Stat. Mech. P10008, 2008.
    .. [2] J. Reichardt, S. Bornholdt, "Statistical mechanics of community detection", Phys. Rev. E 74, 2006.

    Examples
    --------
    >>> from clgraph import Graph, louvain
    >>> found = louvain(Graph.from_edges([0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3]))
    >>> found.labels, round(found.modularity, 6)
    (array([0, 0, 0, 1, 1, 1], dtype=int32), 0.357143)
    """
    return _communities("louvain", graph, resolution, seed, weight, arrays, device)


@keyed.takes_rng
@hints
def leiden(
    graph: Any,
    *,
    resolution: float = 1.0,
    seed: int = 0,
    rng: keyed.Rng | None = None,
    weight: bool = True,
    arrays: Arrays = "host",
    device: Device | str | None = None,
) -> Partition:
    """Find connected communities of high modularity by the Leiden method [1]_.

    Like `louvain`, but what becomes a vertex of the next graph is a part of a community: vertices that are
    alone join others of their community, greedily by gain, and never leave again. The next graph's vertices
    begin in the communities found before. In the end each connected part of a community is one of its own,
    and no move of a vertex to the community of a neighbour gains anything. The original draws joins by
    probabilities exp(gain / theta), and tests how well parts are connected before it joins them: this does
    neither.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        As for `louvain`.
    resolution, seed, rng, weight, arrays, device
        As for `louvain`.

    Returns
    -------
    Partition
        Its communities are connected.

    Raises
    ------
    InputError, DeviceError, BuildError, CapacityError
        As `louvain` does.

    References
    ----------
    .. [1] V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing well-connected
       communities", Scientific Reports 9, 2019.

    Examples
    --------
    >>> from clgraph import Graph, leiden
    >>> leiden(Graph.from_edges([0, 1, 2, 2, 3, 4, 5], [1, 2, 0, 3, 4, 5, 3])).sizes
    array([3, 3])
    """
    return _communities("leiden", graph, resolution, seed, weight, arrays, device)


def _communities(
    method: str, graph: Any, resolution: Any, seed: Any, weight: Any, arrays: Any, device: Any
) -> Partition:
    """Check the arguments of a call, and search."""
    stays = on_device(arrays)
    steps, seed, weight = check_resolution(resolution), keyed.check_seed(seed), flag(weight, "weight")
    whole = as_graph(graph)
    run = run_on(device)
    with run.lock, run:
        dev, n = run.device, whole.num_vertices
        if whole.num_arcs > INT_MAX // 2:
            raise CapacityError(f"{dev}: {method} takes graphs of up to 2^30 arcs, not {whole.num_arcs}")
        view = whole.undirected
        values = dev.cached(view, ("whole weights", weight), lambda: whole_weights(view, weight))
        if not n:  # engines want a vertex
            label, sizes, quality, levels = dev.empty(0, np.int32), np.empty(0, np.int64), float("nan"), 0
        else:
            bottom = Level.of(dev, upload_csr(dev, view), values)
            run.lap("upload")
            search = Search(dev, steps, seed, bottom, method == "leiden")
            quality, levels = search.run()
            label = search.roots(bottom, search.label)[0]
            finder = graph_components(dev, view)
            finder.sample(label)
            sizes = all_sizes(finder.rank(label), n)
            dev.finish()
            run.lap("communities")
        labels = dev.array(label, np.int32, n) if stays else dev.download(label, np.int32, n)
        return Partition(
            labels, sizes, quality, levels, steps / STEPS, run.seconds, dev.name, provenance=run.provenance
        )


def check_resolution(resolution: Any) -> int:
    """Return the resolution in units of 1 / STEPS."""
    value = real(resolution, "resolution")
    if not 1 / STEPS <= value <= LARGEST_RESOLUTION:
        raise InputError(
            f"resolution is {shown(resolution)}: use a number from 1/{STEPS} to {LARGEST_RESOLUTION} "
            "(1 is usual)"
        )
    return round(value * STEPS)


def whole_weights(graph: Graph, weight: bool) -> npt.NDArray[np.int64] | None:
    """Return the weights of the arcs of an undirected graph as integers; None where all are 1.

    Raises
    ------
    InputError
        If a weight is negative or not finite.
    CapacityError
        If there are too many parallel edges.
    """
    if not weight or graph.weights is None:
        counts = graph.multiplicity
        if counts is None:
            return None
        # self-loops count twice
        if (total := 2 * int(counts.sum(dtype=np.int64))) >= WIDE:
            raise CapacityError(
                f"the graph has {total // 4} edges with parallel ones, and communities count fewer than "
                "2^38: give the edges weights, which are scaled"
            )
        return counts.astype(np.int64)
    given = graph.weights
    bad = ~(np.isfinite(given) & (given >= 0))
    if bad.any():
        at = int(np.argmax(bad))
        tail = int(np.searchsorted(graph.row_ptr, at, side="right")) - 1
        raise InputError(
            f"the weight of the edge {graph.ids[tail]} -- {graph.ids[graph.col_idx[at]]} is {given[at]}: "
            "communities need finite weights that are not negative (weight=False ignores them)"
        )
    largest = float(given.max(initial=0))
    if not largest:
        return np.zeros(len(given), np.int64)
    # a sum of rounded values below 2^31 is exact, so that the scale does not depend on the order of a sum
    exponent = 30 - int(np.frexp(largest)[1])
    total = int(np.rint(np.ldexp(given, exponent)).astype(np.int64).sum())
    if largest < WIDE and (given == np.rint(given)).all():
        whole = given.astype(np.int64)
        # self-loops count twice
        if len(whole) * largest < 2**62 and 2 * int(whole.sum()) < WIDE:
            return whole
    return np.rint(np.ldexp(given, exponent + 38 - total.bit_length())).astype(np.int64)


@dataclass(frozen=True)
class Level:
    """A graph whose vertices move, on a device.

    Attributes
    ----------
    n, arcs : int
    loops : int
        1: a self-loop is stored once.
    row_ptr, col_idx, weight, strength : device buffers
        See ``cl/communities/multilevel.cl``.
    wide : bool
        The sum of all weights needs 64 bits.
    choosers : list of Kernel
        By class of row.
    program : Program
    """

    n: int
    arcs: int
    loops: int
    row_ptr: Any
    col_idx: Any
    weight: Any
    strength: Any
    wide: bool
    choosers: list[Any]
    program: Any

    @classmethod
    def of(cls, dev: Device, csr: DeviceCSR, values: npt.NDArray[np.int64] | None) -> Level:
        """Return the graph itself."""
        weight = None if values is None else dev.upload(values)
        # self-loops count twice
        wide = 2 * (csr.arcs if values is None else int(values.sum())) >= INT_MAX
        programs = programs_of(dev, csr.defines["OFFSET"], wide)
        strength = dev.zeros(csr.n, np.uint64)
        return cls(csr.n, csr.arcs, 1, csr.row_ptr, csr.col_idx, weight, strength, wide, *programs)


def programs_of(dev: Device, offset: str, wide: bool) -> tuple[list[Any], Any]:
    """Return kernels that choose, by class of row, and a program with all others, for offsets of a type."""
    config = LAUNCH.of(dev)

    def build(local: int, arcs: int) -> Any:
        return dev.program(
            "communities/multilevel",
            LOCAL=local,
            ROWS=config.rows,
            RUN=config.run,
            FEW=config.few,
            MANY=config.many,
            TABLE=2 * arcs,
            SUM="ulong" if wide else "uint",
            ITEMS=dev.tuning.items,
            OFFSET=offset,
        )

    program = build(config.local, 0)
    if config.local == 1:  # all rows are of the last class
        return [program.multilevel_choose] * 3, program
    sizes = zip(config.shared, (config.few, config.many), strict=True)
    return [*(build(*each).multilevel_choose for each in sizes), program.multilevel_choose], program


class Search:
    """A search for communities.

    Parameters
    ----------
    dev : Device
    steps : int
        The resolution in units of 1 / STEPS.
    seed : int
    bottom : Level
        The graph, with at least one vertex.
    refines : bool
        Leiden: what becomes a vertex of the next level is refined before, and communities are connected.
    """

    def __init__(self, dev: Device, steps: int, seed: int, bottom: Level, refines: bool) -> None:
        self.dev, self.resolution, self.seed, self.bottom = dev, steps, seed, bottom
        self.refines = refines
        self.config, self.items = LAUNCH.of(dev), dev.tuning.items
        n, arcs = bottom.n, bottom.arcs
        dev.reserve({"tables": 12 * max(2 * arcs, n + 1), "arcs": 36 * arcs, "vertices": 64 * n})
        # those of the graph serve all levels, which are no larger
        room = max(2 * arcs, n + 1)
        # work-items alone, each with an array: more than there are cores, since rows are of different length,
        # and not many more, since the arrays share the caches
        self.alone = min(room // (n + 1), 2 * dev.compute_units)
        if self.config.local == 1:
            room = self.alone * (n + 1)
            self.lists = {"head": dev.empty(arcs, np.int32), "value": dev.empty(arcs, np.int64)}
        self.keys = dev.empty(room, np.int32)
        self.sums = dev.zeros(room, np.uint64 if bottom.wide else np.uint32)
        self.target, self.claim = dev.empty(n, np.int32), dev.empty(n, np.int32)
        self.total, self.old_total = dev.empty(n, np.uint64), dev.empty(n, np.uint64)
        self.old_label, self.key = dev.empty(n, np.int32), dev.empty(n, np.uint32)
        self.awake, self.inside = dev.empty(n, np.int32), 0
        self.moved, self.sum = dev.empty(1, np.int32), dev.empty(4, np.uint64)
        self.members, self.busy = dev.empty(n, np.int32), dev.empty(n, np.int32)
        self.stage = 0
        self.label = self._numbers(n)

    def _passes(self, count: int) -> int:
        return -(-count // self.items)

    def _over_arcs(self, level: Level) -> int:
        """Work-items that take all arcs."""
        run = self.config.run
        return -(-level.arcs // run) if run else self._passes(level.n)

    def _numbers(self, n: int) -> Any:
        """Each vertex alone in the community of its own number."""
        label = self.dev.empty(n, np.int32)
        self.bottom.program.multilevel_alone(self._passes(n), n=n, label=label)
        return label

    def run(self) -> tuple[float, int]:
        """Find communities; returns modularity and number of levels."""
        dev, bottom = self.dev, self.bottom
        bottom.program.multilevel_strength.launch(bottom, self._over_arcs(bottom))
        one = dev.zeros(bottom.n, np.int32)  # with all vertices in one community all weight is inside
        weight = self._weight_inside(bottom, one)
        self.whole = STEPS * weight
        if not weight:
            return float("nan"), 0
        self.most = self.whole * weight  # qualities are numerators of modularity over this
        self.inside = self._weight_inside(bottom, self.label)
        best, levels = self._climb(self.refines)
        while True:
            found, climbed = self._climb(True)
            levels = max(levels, climbed)
            gain, best = found - best, found
            if gain * ENOUGH < self.most:
                break
        awake = self._move(bottom, self.label, FINE)[1]
        while True:
            best, awake = self._finish(bottom, self.label, awake), None
            # both raise modularity, so that there is an end
            if not (self.refines and self._split(bottom, self.label)):
                return best / self.most, levels
            self._add_up(bottom, self.label)

    def _climb(self, refines: bool) -> tuple[int, int]:
        """Move the vertices of the graph, then those of graphs of communities, until none are joined.

        With `refines` what becomes a vertex of the next graph is a part of a community.
        """
        dev, bottom, level, label, levels = self.dev, self.bottom, self.bottom, self.label, 0
        node = None  # where each vertex of the graph is in the level
        while True:
            found = self._move(level, label, ENOUGH)[0]
            levels += 1
            root, flags = first = self.roots(level, label)
            if refines:
                first = self.roots(level, self._refined(level, label))
            number, count = self._numbered(level, *first)
            if count == level.n:
                number, _ = self._numbered(level, root, flags)
                if node is None:
                    dev.copy(self.label, number, 4 * bottom.n)
                else:
                    self._gather(bottom.n, number, node, self.label)
                return found, levels
            above, label = self._contracted(level, number, count), self._numbers(count)
            if refines:
                level.program.multilevel_inherit(
                    self._passes(level.n), n=level.n, flag=first[1], number=number, root=root, label=label
                )
            if node is None:
                node = number
            else:
                self._gather(bottom.n, number, node, node)
            level = above

    def _gather(self, n: int, of: Any, at: Any, out: Any) -> None:
        self.bottom.program.multilevel_gather(self._passes(n), n=n, of=of, at=at, out=out)

    def _numbered(self, level: Level, root: Any, flags: Any) -> tuple[Any, int]:
        """Number communities by their first vertices: each vertex's number, and how many there are."""
        place, count = flag_positions(self.dev, flags, level.n)
        number = self.dev.empty(level.n, np.int32)
        self._gather(level.n, place, root, number)
        return number, count

    def _refined(self, level: Level, within: Any) -> Any:
        """Join vertices alone, where that gains, inside communities; returns their new communities."""
        dev, n = self.dev, level.n
        self.stage += 1
        label, slices = self._numbers(n), min(n, SLICES)
        self._add_up(level, label)
        dev.fill(self.members, np.int32(1), n)
        dev.clear(self.busy, n, np.int32)
        order, begins = self._ordered(level, 0, slices, None)
        for each in range(slices):
            begin, end, stamp = begins[CLASSES * each], begins[CLASSES * (each + 1)], each + 1
            if begin == end:
                continue
            given = {"stamp": stamp, "order": order, "label": label}
            level.program.multilevel_stamp(
                self._passes(end - begin), begin=begin, end=end, members=self.members, busy=self.busy, **given
            )
            self._choose(level, label, order, begins[CLASSES * each :], within, stamp)
            self._go(level, label, begin, end, order, None, self.members)
        return label

    def _split(self, level: Level, label: Any) -> bool:
        """Make each connected part of a community a community of its own; returns whether there were any."""
        dev, n = self.dev, level.n
        part, other = self._numbers(n), dev.empty(n, np.int32)
        while True:
            dev.clear(self.moved, 1, np.int32)
            dev.copy(other, part, 4 * n)
            level.program.multilevel_parts.launch(
                level, self._over_arcs(level), label=label, part=part, next=other, moved=self.moved
            )
            part, other = other, part
            if not dev.download(self.moved, np.int32, 1)[0]:
                break
        before = flag_positions(dev, self.roots(level, label)[1], n)[1]
        after = flag_positions(dev, self.roots(level, part)[1], n)[1]
        dev.copy(label, part, 4 * n)
        return after > before

    def _move(self, level: Level, label: Any, enough: int) -> tuple[int, Any]:
        """Move vertices, slice by slice of an order for each pass; returns the quality, and who is awake.

        In all but the first pass only vertices decide that have a neighbour which left for another community
        in the pass before. A pass that does not raise the quality is undone, and all decide again, in more
        slices from then on.
        """
        dev, n, moved, awake = self.dev, level.n, self.moved, None
        self.stage += 1
        self._add_up(level, label)
        best, slices, number = self._quality(level), min(n, SLICES), 0
        while True:
            dev.copy(self.old_label, label, 4 * n)
            dev.copy(self.old_total, self.total, 8 * n)
            order, begins = self._ordered(level, number, slices, awake)
            dev.clear(moved, 1, np.int32)
            for each in range(slices):
                begin, end = begins[CLASSES * each], begins[CLASSES * (each + 1)]
                if begin < end:
                    self._choose(level, label, order, begins[CLASSES * each :])
                    self._go(level, label, begin, end, order, None)
            number += 1
            if not dev.download(moved, np.int32, 1)[0]:
                return best, None
            inside = self.inside
            dev.clear(self.awake, n, np.int32)
            awake = self._wake(level, label)
            found = self._quality(level)
            if found > best:
                gain, best = found - best, found
                if gain * enough < self.most:
                    return best, awake
                continue
            self.inside, awake = inside, None
            dev.copy(label, self.old_label, 4 * n)
            dev.copy(self.total, self.old_total, 8 * n)
            slices *= 4
            if slices > min(n, MOST_SLICES):
                return best, None

    def _wake(self, level: Level, label: Any) -> Any:
        """Wake the neighbours of vertices that have moved, and add up the weight inside communities."""
        dev = self.dev
        dev.clear(self.sum, 4, np.uint64)
        level.program.multilevel_wake.launch(
            level,
            self._over_arcs(level),
            label=label,
            old_label=self.old_label,
            awake=self.awake,
            sum=self.sum,
        )
        self.inside = (self.inside + int(dev.download(self.sum, np.uint64, 1)[0])) % 2**64
        return self.awake

    def _ordered(self, level: Level, number: int, slices: int, awake: Any) -> tuple[Any, list[int]]:
        """Return the vertices that decide in a pass, in its order, and where each class of a slice begins."""
        dev, n, bins = self.dev, level.n, CLASSES * slices
        level.program.multilevel_keys(
            self._passes(n),
            n=n,
            seed=self.seed,
            stage=self.stage,
            number=number,
            slices=slices,
            row_ptr=level.row_ptr,
            awake=awake,
            key=self.key,
        )
        key, order = sort_by_key(dev, self.key, n, bins.bit_length())
        return order, dev.download(self._begins(level, key, bins), np.int32, bins + 1).tolist()

    def _begins(self, level: Level, key: Any, bins: int) -> Any:
        """Return where each key begins among the sorted ones of a level's vertices."""
        begins = self.dev.empty(bins + 1, np.int32)
        passes = self._passes(level.n + 1)
        level.program.multilevel_begins(passes, n=level.n, bins=bins, key=key, begins=begins)
        return begins

    def _finish(self, level: Level, label: Any, awake: Any) -> int:
        """Make moves that gain and share no community, until there are none; returns the quality.

        The gains of such moves add up exactly, and the first vertex that wants to move always may. After a
        round only those decide that wanted to move and might not, and neighbours of those that moved, in the
        first round those that are awake; when they have come to rest all decide once more. Many want to leave
        one large community, or to enter it, and only one may: so those of a round decide slice by slice, by
        the state before the slice. Where all decide nearly none wants to move: they are one slice.
        """
        dev, n, number = self.dev, level.n, 0
        self.stage += 1
        while True:
            slices = 1 if awake is None else min(n, SLICES)
            order, begins = self._ordered(level, number, slices, awake)
            number += 1
            dev.copy(self.old_label, label, 4 * n)
            dev.clear(self.moved, 1, np.int32)
            dev.clear(self.awake, n, np.int32)
            for each in range(slices):
                begin, end = begins[CLASSES * each], begins[CLASSES * (each + 1)]
                if begin == end:
                    continue
                self._choose(level, label, order, begins[CLASSES * each :])
                # late rounds have few to decide, most of them alone in their slices: nobody else claims
                claim = None if end - begin == 1 else self.claim
                if claim is not None:
                    dev.fill(claim, np.int32(INT_MAX), n)
                    given = {"order": order, "label": label, "target": self.target, "claim": claim}
                    level.program.multilevel_claim(self._passes(end - begin), begin=begin, end=end, **given)
                self._go(level, label, begin, end, order, claim)
            if dev.download(self.moved, np.int32, 1)[0]:
                awake = self._wake(level, label)
            elif awake is None:
                return self._quality(level)
            else:
                awake = None

    def _choose(
        self, level: Level, label: Any, order: Any, begins: list[int], within: Any = None, stamp: int = 0
    ) -> None:
        """Find the community that each vertex of a slice wants."""
        config = self.config
        lanes = (*config.shared, config.local)
        for kernel, local, begin, end in zip(level.choosers, lanes, begins, begins[1:], strict=False):
            groups = -(-(end - begin) // config.rows)
            if config.local == 1:
                groups = min(groups, self.alone)
            if not groups:
                continue
            kernel.exact(
                groups * local,
                local=local,
                area=self.bottom.n + 1,
                begin=begin,
                end=end,
                whole=self.whole,
                resolution=self.resolution,
                order=order,
                row_ptr=level.row_ptr,
                col_idx=level.col_idx,
                weight=level.weight,
                label=label,
                within=within,
                busy=None if within is None else self.busy,
                stamp=stamp,
                strength=level.strength,
                total=self.total,
                keys=self.keys,
                sums=self.sums,
                target=self.target,
            )

    def _go(
        self, level: Level, label: Any, begin: int, end: int, order: Any, claim: Any, members: Any = None
    ) -> None:
        """Move the vertices of a slice; with claims only those that have theirs."""
        given = {
            "awake": self.awake,
            "members": members,
            "target": self.target,
            "strength": level.strength,
            "total": self.total,
            "moved": self.moved,
        }
        level.program.multilevel_move(
            self._passes(end - begin), begin=begin, end=end, order=order, claim=claim, label=label, **given
        )

    def _add_up(self, level: Level, label: Any) -> None:
        """Sum up the strength of each community."""
        self.dev.clear(self.total, level.n, np.uint64)
        level.program.multilevel_totals.launch(level, self._passes(level.n), label=label, total=self.total)

    def _weight_inside(self, level: Level, label: Any) -> int:
        """Return the weight inside communities."""
        dev = self.dev
        dev.clear(self.sum, 4, np.uint64)
        level.program.multilevel_inside.launch(level, self._over_arcs(level), label=label, sum=self.sum)
        return int(dev.download(self.sum, np.uint64, 1)[0])

    def _quality(self, level: Level) -> int:
        """Return the quality of communities with these strengths and this weight inside."""
        dev, run = self.dev, -(-level.n // self.config.spread)
        dev.clear(self.sum, 4, np.uint64)
        level.program.multilevel_squares(
            -(-level.n // run), n=level.n, run=run, total=self.total, sum=self.sum
        )
        _, upper, mixed, lower = dev.download(self.sum, np.uint64, 4).tolist()
        return self.whole * self.inside - self.resolution * ((upper << 40) + (mixed << 21) + lower)

    def roots(self, level: Level, label: Any) -> tuple[Any, Any]:
        """Return the first vertex of each one's community, and flags at those that are first."""
        dev, n, passes = self.dev, level.n, self._passes(level.n)
        root, flags = dev.empty(n, np.int32), dev.empty(n, np.uint8)
        dev.fill(self.claim, np.int32(INT_MAX), n)
        level.program.multilevel_least(passes, n=n, label=label, least=self.claim)
        level.program.multilevel_roots(passes, n=n, label=label, least=self.claim, root=root, flag=flags)
        return root, flags

    def _contracted(self, level: Level, number: Any, count: int) -> Level:
        """Return the graph of communities, numbered for each vertex."""
        dev = self.dev
        programs = programs_of(dev, "int", level.wide)
        make = self._joined if self.config.local == 1 else self._sorted
        arrays = make(level, programs[1], number, count)
        strength = dev.zeros(count, np.uint64)
        level.program.multilevel_totals.launch(level, self._passes(level.n), label=number, total=strength)
        return Level(count, arrays[0], 0, *arrays[1:], strength, level.wide, *programs)

    def _joined(self, level: Level, program: Any, number: Any, count: int) -> tuple[int, Any, Any, Any]:
        """Return number of arcs, rows, heads and weights: work-items alone add up a community's arcs."""
        dev, n = self.dev, level.n
        program.multilevel_word(
            self._passes(n), count=n, which=0, tail=number, head=number, place=None, word=self.key
        )
        key, order = sort_by_key(dev, self.key, n, max(count - 1, 1).bit_length())
        begins, degree = self._begins(level, key, count), dev.empty(n, np.int32)
        level.program.multilevel_degrees(
            self._passes(n), n=n, order=order, row_ptr=level.row_ptr, degree=degree
        )
        before = running_sums(dev, degree, n, into=np.int32)
        groups = min(-(-count // self.config.rows), self.alone)
        level.program.multilevel_join.exact(
            groups,
            local=1,
            count=count,
            loops=level.loops,
            area=self.bottom.n + 1,
            order=order,
            begins=begins,
            before=before,
            row_ptr=level.row_ptr,
            col_idx=level.col_idx,
            weight=level.weight,
            number=number,
            keys=self.keys,
            sums=self.sums,
            degree=degree,
            **self.lists,
        )
        row_ptr = running_sums(dev, degree, count, into=np.int32)
        left = int(dev.download(row_ptr, np.int32, 1, offset=count)[0])
        col_idx, weight = dev.empty(left, np.int32), dev.empty(left, np.int64)
        rows = {"row_ptr": row_ptr, "col_idx": col_idx, "weight": weight}
        program.multilevel_compact(
            self._passes(count), count=count, begins=begins, before=before, **self.lists, **rows
        )
        return left, row_ptr, col_idx, weight

    def _sorted(self, level: Level, program: Any, number: Any, count: int) -> tuple[int, Any, Any, Any]:
        """Return the same, by sorting all arcs."""
        dev, arcs, bits = self.dev, level.arcs, max(count - 1, 1).bit_length()
        tail, head = dev.empty(arcs, np.int32), dev.empty(arcs, np.int32)
        value, ordered = dev.empty(arcs, np.int64), dev.empty(arcs, np.int64)
        level.program.multilevel_ends.launch(
            level, self._over_arcs(level), number=number, tail=tail, head=head, value=value
        )
        ends = {"tail": tail, "head": head, "count": arcs}
        place = sort_by_words(dev, program.multilevel_word, arcs, ((0, bits), (1, bits)), ends)
        flags, passes = dev.empty(arcs, np.uint8), self._passes(arcs)
        sort = {**ends, "place": place, "flag": flags}
        program.multilevel_first(passes, **sort, value=value, sorted=ordered)
        where, left = flag_positions(dev, flags, arcs)
        row_ptr, col_idx = dev.empty(count + 1, np.int32), dev.empty(left, np.int32)
        begins = dev.empty(left + 1, np.int32)
        rows = {"row_ptr": row_ptr, "col_idx": col_idx, "begins": begins}
        program.multilevel_rows(self._passes(arcs + 1), n=count, **sort, where=where, **rows)
        before, weight = running_sums(dev, ordered, arcs, of=np.int64), dev.empty(left, np.int64)
        program.multilevel_weights(
            self._passes(left), count=left, begins=begins, before=before, weight=weight
        )
        return left, row_ptr, col_idx, weight
