"""Layered neighbours of seeds, as graph neural networks train on: host half of ``cl/sampling/fanout.cl``."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, flat_list, hints, shown, whole, word
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import places_of_reversed, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError, InputError
from clgraph.graph import Graph, as_graph
from clgraph.graph.building import row_ptr_of
from clgraph.keyed import Rng, check_seed, takes_rng
from clgraph.results import Arrays, RunsOn, on_device
from clgraph.run import run_on
from clgraph.sampling.literature.view import View, check_weights

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program

Direction = Literal["in", "out"]
Ints = npt.NDArray[np.int64]
# the draws of a vertex are compared with each other, and numbered in 16 bits
MOST_FANOUT = 1024
MOST_HOPS = 1 << 16
EMPTY = np.int32(2**31 - 1)  # of a table's slot, and one more than the largest entry
LAUNCH = LaunchTable(gpu=1, cpu=64, simulator=3)  # frontier vertices, entries or draws of a work-item


@dataclass(frozen=True, kw_only=True, repr=False)
class NeighborSample(RunsOn):
    """Layered neighbours of batches of seeds.

    Batch b's part of an array over vertices begins at ``vertex_offsets[b, 0]``, its part of an array over
    edges at ``edge_offsets[b, 0]``; the part of the next batch follows. `batch` cuts one out.

    Attributes
    ----------
    vertices : int32 array, shape (vertices,)
        Vertex numbers (indices, not ids): a batch's seeds in the order given, then those that hop 1 reached,
        and so on, in the order in which they were drawn. With ``relabel=False`` the last hop adds none.
    row, col : int32 arrays, shape (edges,)
        The neighbour that was drawn, and the vertex that it was drawn for, as positions among the batch's
        vertices; with ``relabel=False`` as vertex numbers.
    edge : int64 array, shape (edges,)
        The arc's place in the graph's own arrays: ``graph.weights[edge]``, say. Of an undirected graph it is
        the arc in the row of the vertex that it was drawn for.
    root : int32 array, shape (vertices,), or None
        With ``disjoint=True`` the position of the seed whose tree the vertex is in.
    vertex_offsets : int64 array, shape (batches, hops + 2)
        Vertices that batch b first reached in hop h (0: its seeds) are those from ``vertex_offsets[b, h]`` to
        ``vertex_offsets[b, h + 1]``.
    edge_offsets : int64 array, shape (batches, hops + 1)
        Edges that hop h + 1 drew for batch b are those from ``edge_offsets[b, h]`` to
        ``edge_offsets[b, h + 1]``.
    seed : int
        Of batch 0; batch b has seed + b.
    seconds : dict of float
        Time by phase: "upload", "sample", "total".
    device : str
    relabel : bool
        Whether `row` and `col` are positions.
    """

    vertices: Any
    row: Any
    col: Any
    edge: Any
    root: Any
    vertex_offsets: Ints
    edge_offsets: Ints
    seed: int
    seconds: dict[str, float]
    device: str
    relabel: bool = True

    @property
    def hops(self) -> npt.NDArray[np.int32]:
        """Hop in which each vertex was first reached, shape (vertices,); 0 for seeds."""
        sizes = np.diff(self.vertex_offsets, axis=1)
        number = np.broadcast_to(np.arange(sizes.shape[1], dtype=np.int32), sizes.shape)
        return np.repeat(number.ravel(), sizes.ravel())

    def batch(self, index: int) -> NeighborSample:
        """Return one batch, as a call of it alone with seed + index gives it.

        Raises
        ------
        InputError
            If there is no batch of that number.
        """
        b = whole(index, "index", 0, len(self.vertex_offsets) - 1)
        of_vertices, of_edges = self.vertex_offsets[b : b + 1], self.edge_offsets[b : b + 1]
        vertex = slice(int(of_vertices[0, 0]), int(of_vertices[0, -1]))
        edge = slice(int(of_edges[0, 0]), int(of_edges[0, -1]))
        return NeighborSample(
            vertices=self.vertices[vertex],
            row=self.row[edge],
            col=self.col[edge],
            edge=self.edge[edge],
            root=None if self.root is None else self.root[vertex],
            vertex_offsets=of_vertices - of_vertices[0, 0],
            edge_offsets=of_edges - of_edges[0, 0],
            seed=self.seed + b,
            seconds=self.seconds,
            device=self.device,
            relabel=self.relabel,
            provenance=self.provenance,
        )

    def to_pyg_data(self, graph: Graph) -> Any:
        """Return a single batch as a ``torch_geometric.data.Data`` on the CPU, as PyG's loaders make them.

        Parameters
        ----------
        graph : Graph
            The graph that was sampled, for its weights.

        Returns
        -------
        torch_geometric.data.Data
            With ``edge_index`` (from neighbours to the vertices that they were drawn for), ``n_id`` (vertex
            numbers, for rows of features), ``e_id`` (arcs), ``batch_size`` (number of seeds, which come
            first), ``num_sampled_nodes`` and ``num_sampled_edges`` (lists by hop), ``edge_weight`` where the
            graph has weights, and ``batch`` (the seed's position for each vertex) of disjoint trees.

        Raises
        ------
        InputError
            If there are several batches, the arrays are on a device, or they were drawn with
            ``relabel=False``. If PyTorch or PyG is not installed
            (extra ``pyg``).
        """
        from clgraph.graph.pyg import data_of, tensors

        if len(self.vertex_offsets) != 1:
            raise InputError(f"there are {len(self.vertex_offsets)} batches: use batch(0).to_pyg_data(graph)")
        if not isinstance(self.vertices, np.ndarray):
            raise InputError("the arrays are on a device: sample with arrays='host'")
        if not self.relabel:
            raise InputError("rows and columns are vertex numbers: sample with relabel=True")
        given = as_graph(graph)
        wide: dict[str, Any] = {
            "edge_index": np.stack([self.row, self.col]),
            "n_id": self.vertices,
            "e_id": self.edge,
            "batch": self.root,
        }
        fields = tensors(
            **{name: None if each is None else each.astype(np.int64) for name, each in wide.items()}
        )
        if given.weights is not None:
            fields |= tensors(edge_weight=given.weights[self.edge])
        sizes = np.diff(self.vertex_offsets[0]).tolist()
        return data_of(
            **fields,
            num_nodes=len(self.vertices),
            batch_size=sizes[0],
            num_sampled_nodes=sizes,
            num_sampled_edges=np.diff(self.edge_offsets[0]).tolist(),
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "batches": len(self.vertex_offsets),
            "hops": self.edge_offsets.shape[1] - 1,
            "vertices": int(self.vertex_offsets[-1, -1]),
            "edges": int(self.edge_offsets[-1, -1]),
            "device": self.device,
        }


# --- the request --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    """What a call asks for, checked.

    Attributes
    ----------
    seeds : int32 array
        Vertices, batch by batch.
    seed_begin : int32 array, shape (batches + 1,)
        Where each batch's seeds begin.
    fanouts : list of int
        One for each hop; -1 takes all.
    replace, weighted, disjoint, relabel : bool
    direction : {"in", "out"}
    seed : int
    """

    seeds: npt.NDArray[np.int32]
    seed_begin: npt.NDArray[np.int32]
    fanouts: list[int]
    _: KW_ONLY
    replace: bool
    weighted: bool
    disjoint: bool
    relabel: bool
    direction: Direction
    seed: int

    @property
    def batches(self) -> int:
        """Number of batches."""
        return len(self.seed_begin) - 1


def _is_sequence(values: Any) -> bool:
    """True for a flat list of any kind that has an order."""
    flat = getattr(values, "ndim", 1) == 1
    return flat and isinstance(values, Iterable) and not isinstance(values, (str, bytes, dict, Set))


def checked_fanouts(fanouts: Any) -> list[int]:
    """Return the fan-outs, one for each hop, or raise InputError."""
    if not _is_sequence(fanouts):
        raise InputError(
            f"fanouts is {shown(fanouts)}: use a list of neighbours per vertex, one for each hop"
        )
    given = list(fanouts)
    if not 1 <= len(given) < MOST_HOPS:
        raise InputError(f"fanouts has {len(given)} hops: use from 1 to {MOST_HOPS - 1}")
    for each in given:
        number = isinstance(each, (int, np.integer)) and not isinstance(each, (bool, np.bool_))
        if not number or not (each == -1 or 1 <= each <= MOST_FANOUT):
            raise InputError(
                f"fanouts has {shown(each)}: use whole numbers from 1 to {MOST_FANOUT}, or -1 for all "
                "neighbours"
            )
    return [int(each) for each in given]


def checked_batches(batches: Any, count: int) -> npt.NDArray[np.int32]:
    """Return where each batch of `count` seeds begins, shape (batches + 1,), or raise InputError."""
    if batches is None:
        return np.array([0, count], np.int32)
    if isinstance(batches, (int, np.integer)) and not isinstance(batches, (bool, np.bool_)):
        many = whole(batches, "batches", 1, count)
        if count % many:
            raise InputError(
                f"batches is {many}, which does not divide {count} seeds: give the lengths of the batches as "
                "a list"
            )
        return np.arange(0, count + 1, count // many, dtype=np.int32)
    if not _is_sequence(batches):
        raise InputError(f"batches is {shown(batches)}: use a number of batches, or a list of their lengths")
    lengths = [whole(each, "a batch's length", 1, count) for each in batches]
    if sum(lengths) != count:
        raise InputError(
            f"batches has {sum(lengths)} seeds in all, and seeds has {count}: use the same number"
        )
    return np.cumsum([0, *lengths]).astype(np.int32)


def checked_request(
    graph: Graph,
    seeds: Any,
    fanouts: Any,
    *,
    replace: Any,
    weighted: Any,
    direction: Any,
    disjoint: Any,
    relabel: Any,
    seed: Any,
    batches: Any,
) -> Request:
    """Return what a call asks for, or raise InputError."""
    replace, weighted = flag(replace, "replace"), flag(weighted, "weighted")
    disjoint, relabel = flag(disjoint, "disjoint"), flag(relabel, "relabel")
    word(direction, "direction", get_args(Direction))
    if disjoint and not relabel:
        raise InputError(
            "disjoint=True and relabel=False: only positions tell the trees apart; leave one of them out"
        )
    hops, first = checked_fanouts(fanouts), check_seed(seed)
    # a list of a million Python integers takes longer than the sample
    many = seeds if isinstance(seeds, np.ndarray) and seeds.ndim == 1 else flat_list(seeds, "seeds")
    if not len(many):
        raise InputError("seeds is empty: give at least one vertex")
    if len(many) >= EMPTY:
        raise InputError(f"seeds has {len(many)} vertices: use less than {EMPTY}")
    begin = checked_batches(batches, len(many))
    vertices = graph.indices_of(many)
    if first + len(begin) - 2 >= 2**64:
        raise InputError(f"seed {first}: batch {len(begin) - 2} has no seed below 2**64; use a smaller one")
    if not disjoint:
        key = np.repeat(np.arange(len(begin) - 1), np.diff(begin)) * graph.num_vertices + vertices
        ordered = np.sort(key)  # without positions it takes a tenth of the time
        if np.any(ordered[1:] == ordered[:-1]):
            _, at = np.unique(key, return_index=True)
            twice = int(np.setdiff1d(np.arange(len(key)), at)[0])
            raise InputError(
                f"seeds has {shown(graph.ids[vertices[twice]])} twice in a batch: give it once, or use "
                "disjoint=True"
            )
    options: dict[str, Any] = {"replace": replace, "disjoint": disjoint, "direction": direction}
    options |= {"relabel": relabel, "weighted": weighted}
    if weighted:
        check_weights(graph, graph)
    return Request(vertices.astype(np.int32), begin, hops, **options, seed=first)


# --- on a device --------------------------------------------------------------------------------------


@dataclass
class Hop:
    """The draws of a hop on a device, in the order of the frontier.

    Attributes
    ----------
    draws : int
    row, col, edge : device buffers, shape (draws,)
    bounds : device buffer, int64, shape (batches + 1,)
        Where each batch's draws begin.
    """

    draws: int
    row: Any = None
    col: Any = None
    edge: Any = None
    bounds: Any = None


class Layers:
    """Layers of neighbours on a device, hop by hop; buffers have the names of the kernels' parameters.

    Attributes
    ----------
    known : int
        Vertices of all batches so far.
    frontier : int32 array, shape (batches + 1,)
        Where each batch's part of the frontier begins.
    sizes, draws : list of int64 arrays, shape (batches,)
        Vertices that each hop reached first, the seeds being hop 0, and edges that it drew.
    hops : list of Hop
    """

    def __init__(self, dev: Device, graph: Graph, request: Request) -> None:
        self.dev, self.request = dev, request
        inwards = graph.directed and request.direction == "in"
        given = graph.reverse if inwards else graph
        rows = upload_csr(dev, given)
        defines = {
            name: 1 for name in ("replace", "weighted", "disjoint", "relabel") if getattr(request, name)
        }
        self.forward: Any = None
        if inwards:
            self.forward, defines["mapped"] = places_of_reversed(dev, graph), 1
        self.items = LAUNCH.of(dev)
        self.program: Program = dev.program(
            "sampling/fanout",
            ITEMS=self.items,
            **{name.upper(): value for name, value in defines.items()},
            **rows.defines,
        )
        self.row_ptr, self.col_idx = rows.row_ptr, rows.col_idx
        self.sums: Any = None
        self.some: Any = None
        if request.weighted:
            view = View(graph, given, weighted=True)
            dev.reserve({"sums of weights": 8 * rows.arcs, "arcs with weights": 4 * rows.n})
            self.sums, self.some = view.on_device(dev, "sums"), view.on_device(dev, "positives")
        self.batches, lengths = request.batches, np.diff(request.seed_begin)
        batch_of = np.repeat(np.arange(self.batches, dtype=np.int32), lengths)
        place = np.arange(len(request.seeds), dtype=np.int32)
        self.seed_begin = dev.upload(request.seed_begin) if request.disjoint else None
        self.batch_of = dev.upload(batch_of) if request.disjoint else None
        self.vertex = dev.upload(request.seeds)
        self.tree = dev.upload(place if request.disjoint else batch_of)
        self.position = dev.upload(place - np.repeat(request.seed_begin[:-1], lengths))
        self.known, self.frontier = len(place), request.seed_begin.astype(np.int32)
        self.sizes: list[Ints] = [lengths.astype(np.int64)]
        self.draws: list[Ints] = []
        self.hops: list[Hop] = []
        self.out: tuple[Any, Any, Any] = (None, None, None)  # the last hop makes them

    def _over(self, count: int) -> int:
        return -(-count // self.items)

    def hop(self, number: int, fanout: int) -> None:
        """Draw one more layer."""
        dev, program, known, batches = self.dev, self.program, self.known, self.batches
        frontier, last = int(self.frontier[-1]), number == len(self.request.fanouts) - 1
        shape = {"frontier": frontier, "known": known, "fanout": fanout}
        listed = not last or self.request.relabel
        begin, bounds, draws, edges = None, None, 0, np.zeros(batches + 1, np.int64)
        if frontier:
            count = dev.empty(frontier, np.int32)
            program.fanout_count.launch(self, self._over(frontier), **shape, count=count)
            begin = running_sums(dev, count, frontier)
            bounds = dev.empty(batches + 1, np.int64)
            frontier_begin = dev.upload(self.frontier)
            over = {"batches": batches, "frontier_begin": frontier_begin}
            program.fanout_bounds(self._over(batches + 1), **over, begin=begin, bounds=bounds)
            edges = dev.download(bounds, np.int64, batches + 1)
            draws = int(edges[-1])
        entries = known + draws
        if listed and entries >= EMPTY:
            raise CapacityError(
                f"{dev}: hop {number + 1} would have {entries} vertices and draws, the most is {EMPTY - 1}: "
                "use fewer seeds in a call, or smaller fan-outs"
            )
        self.draws.append(np.diff(edges))
        shift = None
        if last:  # where the draws are in the result is known before they are made
            offsets = _offsets(np.stack(self.draws, axis=1))
            self.out = self._outputs(int(offsets[-1, -1]))
            shift = dev.upload(offsets[:, number] - edges[:-1])
        if not draws:
            self.hops.append(Hop(0))
            self.sizes.append(np.zeros(batches, np.int64))
            self.frontier = np.zeros(batches + 1, np.int32)
            return
        one = Hop(draws, *self.out, bounds) if last else Hop(draws, *self._edges(draws), bounds)
        vertex, tree, _ = self._extended(entries, False) if listed else (self.vertex, self.tree, None)
        drawn = {"vertex": vertex, "tree": tree}
        made = {"edge": one.edge, "row": one.row, "col": one.col, "shift": shift}
        program.fanout_draw.launch(
            self,
            self._over(frontier),
            **shape,
            **drawn,
            **made,
            hop=number,
            seed=self.request.seed,
            begin=begin,
            listed=listed,
        )
        self.hops.append(one)
        if listed:
            self._number(one, vertex, tree, shift)
        else:
            self.sizes.append(np.zeros(batches, np.int64))

    def _number(self, one: Hop, vertex: Any, tree: Any, shift: Any) -> None:
        """Number the vertices that a hop was the first to draw: they are the next frontier."""
        dev, program, known, batches, draws = self.dev, self.program, self.known, self.batches, one.draws
        entries, drawn = known + draws, {"vertex": vertex, "tree": tree}
        table_begin = row_ptr_of(2 * (np.sum(self.sizes, axis=0) + self.draws[-1]))
        slots = int(table_begin[-1])
        dev.reserve({"table": 4 * slots, "slots": 4 * entries, "draws": 5 * draws})
        table, slot, fresh = (
            dev.empty(slots, np.int32),
            dev.empty(entries, np.uint32),
            dev.empty(draws, np.uint8),
        )
        dev.fill(table, EMPTY, slots)
        found = {"table": table, "slot": slot}
        program.fanout_insert.launch(
            self,
            self._over(entries),
            entries=entries,
            table_begin=dev.upload(table_begin.astype(np.uint32)),
            **drawn,
            **found,
        )
        program.fanout_first(self._over(draws), draws=draws, known=known, **found, fresh=fresh)
        place = running_sums(dev, fresh, draws, of=np.uint8, into=np.int32)
        new_begin = dev.empty(batches + 1, np.int32)
        over = {"batches": batches, "bounds": one.bounds}
        program.fanout_new(self._over(batches + 1), **over, place=place, new_begin=new_begin)
        new = dev.download(new_begin, np.int32, batches + 1)
        reached = np.sum(self.sizes, axis=0).astype(np.int32)
        after = known + int(new[-1])
        more = dict(
            zip(("next_vertex", "next_tree", "next_position"), self._extended(after, True), strict=True)
        )
        program.fanout_number.launch(
            self,
            self._over(draws),
            draws=draws,
            **drawn,
            **found,
            place=place,
            new_begin=new_begin,
            reached=dev.upload(reached),
            shift=shift,
            row=one.row,
            **more,
        )
        self.vertex, self.tree, self.position = more.values()
        self.known, self.frontier = after, new
        self.sizes.append(np.diff(new).astype(np.int64))

    def _edges(self, draws: int) -> tuple[Any, Any, Any]:
        """Buffers for the row, column and arc of some draws."""
        dev = self.dev
        dev.reserve({"rows and columns": 8 * draws, "arcs": 8 * draws, "vertices and trees": 8 * draws})
        return dev.empty(draws, np.int32), dev.empty(draws, np.int32), dev.empty(draws, np.int64)

    def _outputs(self, total: int) -> tuple[Any, Any, Any]:
        """The result's arrays over edges, in which the last hop draws."""
        dev = self.dev
        dev.reserve({"rows and columns": 8 * total, "arcs": 8 * total, "vertices and trees": 8 * total})
        return dev.output(total, np.int32), dev.output(total, np.int32), dev.output(total, np.int64)

    def _extended(self, count: int, positions: bool) -> tuple[Any, Any, Any]:
        """Buffers of `count` entries that begin with the known ones: vertex, tree, and position or None."""
        kinds = (True, True, positions)
        made = [self.dev.empty(count, np.int32) if each else None for each in kinds]
        names = ("next_vertex", "next_tree", "next_position")
        # by a kernel: Oclgrind takes what an enqueued copy writes for uninitialised
        self.program.fanout_extend.launch(self, self._over(self.known), **dict(zip(names, made, strict=True)))
        return made[0], made[1], made[2]

    def offsets(self) -> tuple[Ints, Ints]:
        """Where each batch's vertices and edges of each hop begin in the result."""
        return tuple(_offsets(np.stack(each, axis=1)) for each in (self.sizes, self.draws))  # type: ignore[return-value]

    def result(self, vertex_offsets: Ints, edge_offsets: Ints) -> dict[str, Any]:
        """The result's arrays as (buffer, type, count), batch by batch; None for what it lacks."""
        dev, total = self.dev, int(edge_offsets[-1, -1])
        dev.reserve({"vertices": 8 * self.known})
        edges = dict(zip(("row", "col", "edge"), self.out, strict=True))
        out = {f"out_{name}": buffer for name, buffer in edges.items()}
        for number, one in enumerate(self.hops[:-1]):
            if one.draws:
                first = dev.upload(np.ascontiguousarray(edge_offsets[:, number]))
                self.program.fanout_edges.launch(
                    one, self._over(one.draws), batches=self.batches, first=first, **out
                )
        vertices = dev.output(self.known, np.int32)
        root = dev.output(self.known, np.int32) if self.request.disjoint else None
        first = dev.upload(np.ascontiguousarray(vertex_offsets[:, 0]))
        self.program.fanout_vertices.launch(
            self, self._over(self.known), first=first, out_vertex=vertices, out_root=root
        )
        made: dict[str, Any] = {"vertices": (vertices, np.int32, self.known)}
        kinds = {"row": np.int32, "col": np.int32, "edge": np.int64}
        made |= {name: (edges[name], kind, total) for name, kind in kinds.items()}
        return made | {"root": None if root is None else (root, np.int32, self.known)}


def _offsets(sizes: Ints) -> Ints:
    """Running sums of sizes, batch by batch, with each batch's end: one column more."""
    ends = np.cumsum(sizes.ravel()).reshape(sizes.shape)
    begin = np.append(0, ends[:-1, -1])
    return np.concatenate([begin[:, None], ends], axis=1)


# --- public -------------------------------------------------------------------------------------------


@takes_rng
@hints
def sample_neighbors(
    graph: Any,
    seeds: Any,
    fanouts: Any,
    *,
    replace: bool = False,
    weighted: bool = False,
    direction: Direction = "in",
    disjoint: bool = False,
    relabel: bool = True,
    seed: int | None = None,
    rng: Rng | None = None,
    batches: Any = None,
    arrays: Arrays = "host",
    device: Device | str | None = None,
) -> NeighborSample:
    """Draw layered neighbours of seeds, as graph neural networks train on (GraphSAGE [1]_).

    Hop 1 draws neighbours of the seeds, each further hop neighbours of the vertices that the one before it
    was the first to reach.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    seeds : list or array of vertex ids
        No two alike in a batch, unless `disjoint`.
    fanouts : list of int
        How many neighbours of a vertex each hop draws, from 1 to 1024; -1 takes all of them.
    replace : bool
        Whether each draw is from all arcs of the vertex. Otherwise arcs are drawn once, every subset being
        alike (Floyd's method [2]_), and a vertex with fewer arcs has all of them. Merged parallel edges are
        one arc.
    weighted : bool
        Whether arcs are drawn in proportion to their weights; without `replace`, in proportion to the weights
        of the arcs that are left, draw by draw, as the smallest of exponential times of these rates [3]_.
        Arcs of weight 0 are never drawn, by -1 neither. Weights are rounded to whole multiples of 2**-40 of
        the largest one. Takes another 8 bytes for each arc and 4 for each vertex on the device,
        which are cached with the graph.
    direction : {"in", "out"}
        Which neighbours of a vertex of a directed graph: those whose arcs lead to it, from which it takes
        messages, or those that its arcs lead to. "in" needs the reversed graph on the device as well,
        and a map of its arcs to those of the graph: another 8 bytes for each arc and 4 for each vertex (12
        and 8 from 2**31 arcs on), cached with it.
    disjoint : bool
        Whether each seed has a tree of its own, in which vertices of other trees appear again.
    relabel : bool
        Whether `row` and `col` of the result are positions in `vertices`. Otherwise they are vertex numbers,
        and `vertices` lacks those that only the last hop reached: it is neither numbered nor searched for
        vertices that are there already, which takes most of the time. The edges are the same. Not with
        `disjoint`, whose trees only positions tell apart.
    seed : int, optional
        0 to 2**64 - 1; the same seed gives the same result on every device. None: drawn at random.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Gives the seed instead.
    batches : int or list of int, optional
        How many batches of equal length `seeds` consists of, or their lengths. Batch b is, byte for byte,
        what a call with its seeds alone and seed + b gives.
    arrays : {"host", "device"}
        "device" leaves the arrays there, as ``pyopencl.array.Array``.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    NeighborSample

    Raises
    ------
    InputError
        If it is no graph, an id is not in it, or an argument is not like that.
    DeviceError, BuildError, CapacityError
        If the device fails, or graph and sample do not fit on it.

    References
    ----------
    .. [1] W. L. Hamilton, R. Ying, J. Leskovec, "Inductive Representation Learning on Large Graphs", NIPS
       2017.
    .. [2] J. Bentley, B. Floyd, "Programming Pearls: A Sample of Brilliance", CACM 30(9), 1987.
    .. [3] P. S. Efraimidis, P. G. Spirakis, "Weighted random sampling with a reservoir", Information
       Processing Letters 97(5), 2006.

    Examples
    --------
    >>> import clgraph
    >>> path = clgraph.Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> found = clgraph.sample_neighbors(path, [0], [2, 2])
    >>> found.vertices, found.hops
    (array([0, 1, 2], dtype=int32), array([0, 1, 2], dtype=int32))
    >>> found.row, found.col
    (array([1, 0, 2], dtype=int32), array([0, 1, 1], dtype=int32))
    """
    given = as_graph(graph)
    options: dict[str, Any] = {"replace": replace, "direction": direction, "disjoint": disjoint}
    options |= {"relabel": relabel, "weighted": weighted}
    request = checked_request(given, seeds, fanouts, **options, seed=seed, batches=batches)
    stays = on_device(arrays)
    run = run_on(device)
    with run.lock, run:
        dev = run.device
        layers = Layers(dev, given, request)
        run.lap("upload")
        for number, fanout in enumerate(request.fanouts):
            layers.hop(number, fanout)
        vertex_offsets, edge_offsets = layers.offsets()
        made = layers.result(vertex_offsets, edge_offsets)
        hand = dev.array if stays else dev.take
        found = {name: None if each is None else hand(*each) for name, each in made.items()}
        dev.finish()
        run.lap("sample")
        return NeighborSample(
            **found,
            vertex_offsets=vertex_offsets,
            edge_offsets=edge_offsets,
            seed=request.seed,
            seconds=run.seconds,
            device=str(dev),
            relabel=request.relabel,
            provenance=run.provenance,
        )
