"""Components of rows on a device, and of a graph, whose one finder is cached with it.

Host half of ``cl/components/finder.cl`` and ``cl/components/finder_rank.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.launch_config import LaunchTable

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph

Connection = Literal["weak", "strong"]
PIECE = 1024  # slots in a piece of a long row
NUMBERS = 65536  # how many sizes a 16-bit key can tell apart
FEW = 1 << 12  # blocks whose tallies the host goes through: it is done before the launches would be


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration of the components kernels.

    Attributes
    ----------
    long_row : int or None
        A row with more slots is left to work-groups; None: one work-item reads every row.
    block : int
        Vertices that a work-item of the ranking kernels sums up.
    rank_items : int
        Consecutive vertices of a work-item that counts or renumbers.
    sample_width : int
        Work-items that guess the giant component from a sample of the labels.
    samples : int or None
        Size of that sample; None: as in the kernel file.
    link_every : int
        Above 1: once there is a large tree, only roots and one in this many vertices link before the giant
        is guessed again.
    link_first : int or None
        Before all vertices link, the first of them do, one in this many: few others have to climb then.
    """

    long_row: int | None
    block: int
    rank_items: int
    sample_width: int = 1
    samples: int | None = None
    link_every: int = 1
    link_first: int | None = None


# one work-item of a GPU alone on a long row would hold up the launch, and after a first part all links take
# an H200 0.1 ms instead of 0.7 ms (R-MAT 22); a CPU's core goes through rows of any length, and most of its
# links would only find that the giant has both ends
LAUNCH = LaunchTable(
    gpu=LaunchConfig(long_row=64, block=64, rank_items=8, sample_width=256, link_first=16),
    cpu=LaunchConfig(long_row=None, block=2048, rank_items=512, link_every=8),
    # all pairs of the sample are compared: 512 labels would be 262144 interpreted steps
    simulator=LaunchConfig(long_row=None, block=2048, rank_items=4, samples=32, link_every=4),
)


class GiantFinder:
    """Components, and the largest of them, of adjacency rows on a device; made once, used many times.

    The rows are a CSR, or the COPRA arrays with dead slots. The label of a vertex comes out as the smallest
    vertex of its component, -1 where the vertex is not there.

    Parameters
    ----------
    device : Device
    n : int
        Vertices, at least 1.
    slots : int
        Length of the neighbour array.
    copra : bool
        The rows are COPRA arrays: ``v_start[v] < 0`` is a removed vertex, ``edges[e] < 0`` a dead slot.
        Otherwise `labels_into` takes ``row_ptr`` for both `v_start` and `v_end`.
    masked : bool
        The caller fills the label buffer beforehand: -1 for a vertex that is not there, anything >= 0 for one
        that is. Arcs to and from vertices that are not there are ignored.
    arc_keys : bool
        `labels_into` is given keys of arcs.
    wide : bool
        Offsets are 64-bit integers.
    long_row, piece : int, optional
        Rows with more slots are cut into pieces for work-groups (default: by device, see `LAUNCH`).
    shared : GiantFinder, optional
        Another finder of as many vertices, whose buffers this one works in: they serve one call at a time.

    Attributes
    ----------
    capacity : int
        Pieces of long rows that the queue has room for.
    """

    queue: Any

    def __init__(
        self,
        device: Device,
        n: int,
        slots: int,
        *,
        copra: bool = False,
        masked: bool = False,
        arc_keys: bool = False,
        wide: bool = False,
        long_row: int | None = None,
        piece: int = PIECE,
        shared: GiantFinder | None = None,
    ) -> None:
        self.device, self.n = device, n
        config = LAUNCH.of(device)
        items = device.tuning.items
        defines: dict[str, Any] = {
            "ITEMS": items,
            "OFFSET": "long" if wide else "int",
            "SAMPLES": config.samples,
            "HAS_DEAD": copra,
            "MASKED": masked,
            "ARC_KEY": "uint" if arc_keys else None,
        }
        # Pipelines take rows of any length, read from their arguments what the options above say, and always
        # want the labels filled in beforehand.
        self._pipeline = device.has_pipeline("components/finder")
        self._copra, self._filled, self._arc_keys = copra, masked, arc_keys
        long_row = None if self._pipeline else long_row or config.long_row
        self._links_twice = config.link_every > 1 and not self._pipeline
        if self._links_twice:
            defines["LINK_EVERY"] = config.link_every
        self.capacity = 0
        if long_row is not None:
            defines |= {"LONG_ROW": long_row, "PIECE": piece}
            # a long row has more than long_row slots and takes one piece more than it fills
            self.capacity = slots // long_row + slots // piece + 1
        self.program: Program = device.program("components/finder", **defines)
        self._passes = -(-n // items)  # work-items of a pass over all vertices
        self._link_first = config.link_first
        self._sample_width, self._rank_items = config.sample_width, config.rank_items
        self._block = config.block
        self.blocks, self._rank_passes = -(-n // config.block), -(-n // config.rank_items)
        self._rank_program: Program = device.program(
            "components/finder_rank", BLOCK=config.block, ITEMS=config.rank_items
        )
        # what follows has the names of the kernels' arguments
        if shared is None:
            device.reserve({"label": 4 * n, "scratch": 4 * n, "queue": 8 * self.capacity})
            self.next, self.tally = device.empty(n, np.int32), device.empty(2 * self.blocks, np.int32)
            self.state, self.sums = device.empty(3, np.int32), device.empty(3, np.int32)
        else:
            self.next, self.tally, self.queue = shared.next, shared.tally, shared.queue
            self.state, self.sums = shared.state, shared.sums
        self.count = self.number = self.next
        if shared is None or self.capacity > shared.capacity:
            device.reserve({"queue": 8 * self.capacity})
            self.queue = device.empty(max(2 * self.capacity, 1), np.int32)

    def labels_into(
        self,
        v_start: Any,
        v_end: Any,
        edges: Any,
        label: Any,
        *,
        one_way: bool = False,
        begun: bool = False,
        arc_key: Any = None,
        vertex_key: Any = None,
        threshold: int = 0,
        newest: int | None = None,
    ) -> None:
        """Fill `label` with each vertex's component. Enqueues kernels and does not wait.

        Parameters
        ----------
        v_start, v_end, edges : device buffers
            The rows; for a plain CSR ``row_ptr, row_ptr, col_idx``.
        label : device buffer, int32 (n,)
        one_way : bool
            An arc is in the row of its tail only (a directed graph): then no row can be skipped.
        begun : bool
            `label` already holds the components that some of the arcs make: -1 for a vertex that is not
            there, for the others a root that is labelled with itself. Only the remaining arcs are joined. (If
            a root was not the smallest of its component, the result need not be either.)
        arc_key : device buffer, uint32 (slots,), optional
            With the `arc_keys` option: arc e is present iff ``arc_key[e] >= threshold``. Both arcs of an edge
            must have one key.
        vertex_key : device buffer, uint32 (n,), optional
            With `newest`.
        threshold : int
        newest : int, optional
            With `begun`: everything with a larger key has been joined already; only arcs (with `arc_key`) or
            arcs of vertices (with `vertex_key`) with at most this key are read.
        """
        program, passes, n = self.program, self._passes, self.n
        keys: dict[str, Any] = {}
        if self._arc_keys:
            last = 2**32 - 1 if newest is None else newest
            keys = {"arc_key": arc_key, "threshold": threshold, "newest": last}
        v_end = None if self._pipeline and not self._copra else v_end
        rows = {"v_start": v_start, "v_end": v_end, "edges": edges, "label": label, **keys}
        self.device.fill(self.state, np.int32(0), 3)
        if self._pipeline and not self._filled and not begun:
            self.device.fill(label, np.int32(0), n)
        if not begun:
            program.components_init(passes, n=n, v_start=v_start, label=label)
            program.components_start.launch(self, passes, **rows)
            program.components_compress(passes, n=n, label=label)
            if self._links_twice:
                self.sample(label)
                program.components_link_some.launch(self, passes, label=label)
                program.components_compress(passes, n=n, label=label)
                self.sample(label)
                program.components_link_outside.launch(self, passes, label=label)
            else:
                if part := self._link_first:
                    program.components_link.launch(self, -(-passes // part), n=-(-n // part), label=label)
                    program.components_compress(passes, n=n, label=label)
                program.components_link.launch(self, passes, label=label)
            program.components_compress(passes, n=n, label=label)
        self.sample(label)
        some = {"vertex_key": None, "newest_vertex": 0}
        if vertex_key is not None and newest is not None:
            some = {"vertex_key": vertex_key, "newest_vertex": newest}
        program.components_rest.launch(self, passes, skip=not one_way, **some, **rows)
        if self.capacity:
            width = min(self.device.tuning.local_size, program.components_long.limit)
            groups = min(self.capacity, 16 * self.device.compute_units)
            program.components_long.launch(self, groups * width, local=width, **rows)
        program.components_finish.launch(self, passes, label=label)

    def sample(self, label: Any) -> None:
        """Guess the giant component of labels from elsewhere; `largest_label` and `rank` need that guess."""
        kernel = self.program.components_sample
        width = min(self._sample_width, kernel.limit)
        kernel(width, local=width, n=self.n, label=label, state=self.state)

    def largest_label(self, label: Any) -> tuple[int, int, int]:
        """Return the largest component of the labels of `labels_into`.

        Returns
        -------
        root, size, present : int
            Its smallest vertex, its vertices, and the number of vertices present; (-1, 0, 0) if none
            is. A tie goes to the component with the smallest vertex.
        """
        self._count(label, everything=False)
        members, present, root = (int(x) for x in self.device.download(self.sums, np.int32, 3))
        if present == 0:
            return -1, 0, 0
        # the sample may have missed a tie, but never a majority
        if 2 * members > present:  # no other component can be as large
            return root, members, present
        self._count(label, everything=True)
        program, count, pairs = self._rank_program, self.blocks, self.tally
        program.largest_blocks.launch(self, count, label=label, best=pairs)
        if count > FEW and not self._pipeline:  # a board may have no other kernels
            runs = -(-count // self._block)
            pairs = self.device.empty(2 * runs, np.int32)
            program.largest_pairs.launch(self, runs, runs=runs, best=self.tally, winner=pairs)
            count = runs
        roots, sizes = self.device.download(pairs, np.int32, 2 * count).reshape(-1, 2).T
        winner = int(sizes.argmax())  # the first of equals, and blocks ascend
        return int(roots[winner]), int(sizes[winner]), present

    def _count(self, label: Any, *, everything: bool) -> None:
        """Count the giant's and all vertices into `sums`; with `everything` each component's into `count`."""
        program = self._rank_program
        self.device.fill(self.sums, np.int32(0), 3)
        if everything:
            self.device.fill(self.count, np.int32(0), self.n)
        program.components_count.launch(self, self._rank_passes, label=label, all=everything)
        if everything:
            program.components_count_end.launch(self, 1, label=label)

    def sizes_of(self, label: Any, roots: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """Sizes of the components with these roots, in labels from any `labels_into`; shape of `roots`."""
        if len(roots) == 0:
            return np.zeros(0, np.int64)
        others = self.sizes_less_one(label)
        count = len(roots)
        size = self.device.empty(count, np.int32)
        listed = self.device.upload(np.ascontiguousarray(roots, np.int32))
        given = {"listed": count, "roots": listed, "count": others, "size": size}
        self._rank_program.sizes_of(-(-count // self._rank_items), **given)
        return self.device.download(size, np.int32, count).astype(np.int64)

    def sizes_less_one(self, label: Any) -> Any:
        """Return each root's number of other vertices: int32 device buffer, shape (n,), lent.

        In labels from any `labels_into`. It is good until the finder is used again.
        """
        self.sample(label)
        self._count(label, everything=True)
        return self.count

    def rank(self, label: Any) -> npt.NDArray[np.int64]:
        """Turn the labels into numbers 0 .. k-1 by decreasing size; return the sizes of two or more.

        Equal sizes: the component with the smaller vertex first. -1 stays -1.
        """
        dev, program, blocks, tally = self.device, self._rank_program, self.blocks, self.tally
        self._count(label, everything=True)
        program.rank_blocks.launch(self, blocks, label=label)
        if self._pipeline or blocks <= FEW:  # a board may have no other kernels
            sums = np.append(0, np.cumsum(dev.download(tally, np.int32, 2 * blocks))).astype(np.int32)
            before, singles, both = dev.upload(sums), int(sums[blocks]), int(sums[-1])
        else:
            before = running_sums(dev, tally, 2 * blocks, into=np.int32)
            singles, both = (
                int(dev.download(before, np.int32, 1, offset=at)[0]) for at in (blocks, 2 * blocks)
            )
        larger = both - singles
        root, size = dev.empty(max(larger, 1), np.int32), dev.empty(max(larger, 1), np.int32)
        given = {"singles": singles, "all_larger": larger, "before": before, "root": root, "size": size}
        program.rank_place.launch(self, blocks, label=label, **given)
        sizes = np.empty(0, np.int64)
        if larger:
            found = dev.download(size, np.int32, larger)
            # NumPy sorts 16-bit keys by radix, and the few sizes that need more bits share the first key
            order = np.argsort(np.maximum(NUMBERS - 1 - found, 0).astype(np.uint16), kind="stable")
            large = order[: np.count_nonzero(found >= NUMBERS - 1)]
            large[:] = large[np.argsort(-found[large], kind="stable")]
            place = np.empty(larger, np.int32)
            place[order] = np.arange(larger, dtype=np.int32)
            sizes = found[order].astype(np.int64)
            place = dev.upload(place)
            program.rank_scatter(larger, larger=larger, root=root, place=place, number=self.number)
        program.rank_apply.launch(self, self._rank_passes, label=label)
        return sizes


# --- the finder of a graph ---


def all_sizes(larger: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
    """Return the sizes of all components of n vertices, from those of two or more."""
    return np.append(larger, np.ones(n - int(larger.sum()), np.int64))


@dataclass(frozen=True)
class Largest:
    """The largest component of a graph.

    Attributes
    ----------
    label : int32 device buffer, shape (n,)
        The smallest vertex of each vertex's component. It belongs to the graph: read only.
    root : int
        The label of the largest component.
    size : int
        Number of its vertices.
    """

    label: Any
    root: int
    size: int


class GraphComponents(GiantFinder):
    """Components finder of a graph's rows; `graph_components` returns it.

    Attributes
    ----------
    csr : DeviceCSR
    """

    def __init__(self, device: Device, csr: DeviceCSR) -> None:
        super().__init__(device, csr.n, csr.arcs, wide=csr.offset is np.int64)
        self.csr = csr
        self._largest: Largest | None = None

    def largest(self) -> Largest:
        """The largest component (of an undirected graph); searched for at the first call only."""
        if self._largest is None:
            device, csr = self.device, self.csr
            device.reserve({"labels of the graph": 4 * csr.n})
            label = device.empty(csr.n, np.int32)
            self.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label)
            root, size, _ = self.largest_label(label)
            self._largest = Largest(label, root, size)
        return self._largest

    def masked(self, *, arc_keys: bool = False) -> GiantFinder:
        """Return a finder of these rows that skips vertices, and arcs by their keys; shares the buffers."""
        csr, wide = self.csr, self.csr.offset is np.int64
        options = {"masked": True, "arc_keys": arc_keys, "wide": wide}
        return GiantFinder(self.device, csr.n, csr.arcs, **options, shared=self)

    def copra(self, slots: int, *, wide: bool) -> GiantFinder:
        """Return a finder of the graph's COPRA arrays, which have `slots` slots; shares the buffers."""
        return GiantFinder(self.device, self.csr.n, slots, copra=True, wide=wide, shared=self)


def graph_components(device: Device, graph: Graph) -> GraphComponents:
    """Return the finder of a graph's components on a device; created once and cached with the graph.

    Parameters
    ----------
    device : Device
    graph : Graph
        With at least one vertex. Its rows are uploaded if they are not there yet.
    """

    def make() -> GraphComponents:
        return GraphComponents(device, upload_csr(device, graph))

    return device.graph_cache.cached(graph, "components", make)
