"""Edges held out for link prediction, with negatives: host half of ``cl/sampling/split.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, hints, real, shown, whole, word
from clgraph.csr.compact import compact
from clgraph.csr.scan import flag_positions, running_sums
from clgraph.csr.upload import device_graph, graph_of, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError, InputError
from clgraph.graph import Graph, as_graph
from clgraph.keyed import Rng, check_seed, takes_rng
from clgraph.results import RunsOn, Shown
from clgraph.run import run_on
from clgraph.sampling.literature.smallest import Smallest
from clgraph.sampling.shards.forest import Forest, default_room

if TYPE_CHECKING:
    from clgraph.device import Device

Law = Literal["uniform", "degree"]
Pairs = npt.NDArray[np.int32]
EMPTY = np.int32(2**31 - 1)  # of a table's slot, and one more than the largest entry
TRAIN, VALIDATION, TEST = range(3)
# draws for each negative before the law by degree gives up: some pairs may never come
ATTEMPTS = 64


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    run : int
        Arcs of a work-item.
    items : int
        Vertices, entries or candidates of a work-item.
    """

    run: int
    items: int


LAUNCH = LaunchTable(
    gpu=LaunchConfig(run=16, items=1),
    cpu=LaunchConfig(run=4096, items=256),
    simulator=LaunchConfig(run=5, items=3),
)


@dataclass(frozen=True, kw_only=True, repr=False)
class EdgePart(Shown):
    """A part of a graph's edges, and pairs of vertices without an edge to tell them from.

    Attributes
    ----------
    edges : int32 array, shape (2, edges)
        Ends, as vertex numbers (indices, not ids), in the order of the graph's arcs. Of an undirected edge
        the smaller one comes first, of an arc the tail.
    arcs : int64 array, shape (edges,)
        Their places in the arrays of the graph that was split: ``graph.weights[arcs]``, say.
    negatives : int32 array, shape (2, negatives)
        Pairs without an edge, ends as in `edges`, in the order in which they were drawn.
    """

    edges: Pairs
    arcs: npt.NDArray[np.int64]
    negatives: Pairs

    def labelled(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return edges and negatives in one list, with label 1 and 0.

        Returns
        -------
        pairs : int64 array, shape (2, edges + negatives)
        labels : float32 array, shape (edges + negatives,)
            PyG's ``edge_label_index`` and ``edge_label``.
        """
        pairs = np.concatenate([self.edges, self.negatives], axis=1).astype(np.int64)
        labels = np.zeros(pairs.shape[1], np.float32)
        labels[: self.edges.shape[1]] = 1
        return pairs, labels

    def _facts(self) -> dict[str, Any]:
        return {"edges": self.edges.shape[1], "negatives": self.negatives.shape[1]}


@dataclass(frozen=True, kw_only=True, repr=False)
class EdgeSplit(RunsOn):
    """A graph's edges in three parts.

    Attributes
    ----------
    graph : Graph
        The training graph: all vertices, without the edges of the other two parts. It keeps self-loops, which
        are in no part's list.
    train, validation, test : EdgePart
    seed : int
    seconds : dict of float
        Time by phase: "upload", "split", "negatives", "total".
    device : str
    """

    graph: Graph
    train: EdgePart
    validation: EdgePart
    test: EdgePart
    seed: int
    seconds: dict[str, float]
    device: str

    def _facts(self) -> dict[str, Any]:
        parts = {"train": self.train, "validation": self.validation, "test": self.test}
        return {name: part.edges.shape[1] for name, part in parts.items()} | {"device": self.device}


# --- the request --------------------------------------------------------------------------------------


def checked_share(value: Any, name: str) -> int | Fraction:
    """Return a number of edges (int), or a share of them, or raise InputError."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_)):
        return whole(value, name)
    share = real(value, name)
    if not 0 <= share <= 1:
        raise InputError(
            f"{name} is {shown(value)}: use a share of the edges from 0.0 to 1.0, or a whole number of edges"
        )
    return Fraction(repr(share))


def edges_of(share: int | Fraction, edges: int) -> int:
    """Return how many of some edges a share is, rounded; a half goes up."""
    return share if isinstance(share, int) else floor(share * edges + Fraction(1, 2))


def checked_ratio(value: Any) -> Fraction:
    """Return how many negatives come to each edge, or raise InputError."""
    ratio = real(value, "negatives")
    if ratio < 0:
        raise InputError(f"negatives is {shown(value)}: use a number of negatives for each edge, 0 or more")
    return Fraction(repr(ratio))


def _rounded_down(numerator: int, denominator: int) -> float:
    """A quotient with four digits, not above it."""
    return floor(Fraction(10_000 * numerator, denominator)) / 10_000


# --- on a device --------------------------------------------------------------------------------------


class Parts:
    """The parts of a graph's edges on a device; buffers have the names of the kernels' parameters.

    Attributes
    ----------
    edges, free : int
        Edges of the graph, and those that may be held out.
    key : uint64 buffer, shape (arcs,)
    part : uint8 buffer, shape (arcs,)
    """

    def __init__(self, dev: Device, graph: Graph, seed: int, law: Law) -> None:
        self.dev, self.graph, self.seed = dev, graph, seed
        rows = upload_csr(dev, graph)
        self.n, self.arcs, self.rows = rows.n, rows.arcs, rows
        self.row_ptr, self.col_idx = rows.row_ptr, rows.col_idx
        self.config = LAUNCH.of(dev)
        defines: dict[str, Any] = {"DIRECTED": 1} if graph.directed else {}
        if law == "degree":
            defines["BY_DEGREE"] = 1
        self.program = dev.program(
            "sampling/split",
            RUN=self.config.run,
            ITEMS=self.config.items,
            ITEM="int" if rows.arcs < 2**31 else "long",
            **defines,
            **rows.defines,
        )
        dev.reserve({"keys": 8 * rows.arcs, "parts": rows.arcs, "flags": rows.arcs, "places": 8 * rows.arcs})
        self.key, self.part = dev.empty(rows.arcs, np.uint64), dev.zeros(rows.arcs, np.uint8)
        stands = dev.empty(rows.arcs, np.uint8)
        self.program.split_keys.launch(self, self.over_arcs, stands=stands)
        self.edges = self.free = flag_positions(dev, stands, rows.arcs, into=np.int64)[1]

    @property
    def over_arcs(self) -> int:
        """Work-items over all arcs."""
        return -(-self.arcs // self.config.run)

    def over(self, count: int) -> int:
        """Work-items over vertices, entries or candidates."""
        return -(-count // self.config.items)

    def keep_connected(self) -> None:
        """Take the edges of the maximum spanning forest of the keys out of those that may be held out."""
        dev, room = self.dev, default_room(self.dev, self.n, self.arcs)
        forest = Forest(dev, self.n, self.seed, edges=True, room=room)
        forest.add(self.rows, both_ways=not self.graph.directed)
        there = dev.empty(self.n, np.uint8)
        self.program.split_forest.launch(self, self.over(self.n), words=forest.take(), there=there)
        self.free = self.edges - flag_positions(dev, there, self.n)[1]

    def hold_out(self, count: int, into: int) -> None:
        """Put the edges of smallest keys into a part."""
        if count:
            smallest = Smallest(self.dev, 1, self.arcs)
            found, _ = smallest.take(self.key, smallest.cut(self.key, count), equal=True)
            listed = {"count": count, "into": into, "list": found.buffer}
            self.program.split_mark.launch(self, self.over(count), **listed)

    def of(self, which: int) -> tuple[Pairs, npt.NDArray[np.int64]]:
        """The edges of a part, shape (2, edges), and their arcs."""
        dev, listed = self.dev, self.dev.empty(self.arcs, np.uint8)
        self.program.split_of_part.launch(self, self.over_arcs, which=which, listed=listed)
        place, count = flag_positions(dev, listed, self.arcs, into=np.int64)
        arc, ends = dev.output(count, np.int64), dev.output(2 * count, np.int32)
        out = {"place": place, "count": count, "arc": arc, "ends": ends}
        self.program.split_list.launch(self, self.over_arcs, listed=listed, **out)
        return dev.take(ends, np.int32, 2 * count).reshape(2, -1), dev.take(arc, np.int64, count)

    def training_graph(self) -> Graph:
        """The graph of the edges that are not held out, resident on the device."""
        stays = self.dev.empty(self.arcs, np.uint8)
        self.program.split_train.launch(self, self.over_arcs, stays=stays)
        if not self.dev.has_compiler:
            mask = self.dev.download(stays, np.uint8, self.arcs).astype(bool)
            return self.graph.edge_subgraph(mask)
        made = graph_of(self.dev, compact(self.dev, device_graph(self.dev, self.graph), arcs=stays))
        return self.graph._part(made)

    def negatives(self, law: Law, wanted: int) -> Any:
        """The first `wanted` distinct pairs without an edge, in the order of the draws: a uint64 buffer."""
        dev, program, n = self.dev, self.program, self.n
        before, universe = None, self.arcs
        if law == "uniform":
            missing = dev.empty(n, np.int32)
            program.split_missing.launch(self, self.over(n), missing=missing)
            before = running_sums(dev, missing, n)
            universe = int(dev.download(before, np.int64, 1, offset=n)[0])
        most_draws = ATTEMPTS * wanted + (1 << 16)
        kept, known, first = dev.empty(1, np.uint64), 0, 0
        tried, hits = 1, 1  # draws of the last round, and what came of them
        while known < wanted:
            # as many draws as should do and some more: each of all pairs comes alike, or as in the last round
            missed, (of, left) = wanted - known, (tried, max(hits, 1))
            if law == "uniform":
                of, left = universe, universe - known
            enough = missed * of // left
            draws = min(enough + enough // 8 + 64, most_draws - first, max(4 * wanted, 1 << 16))
            if draws <= 0:
                raise InputError(
                    f"only {known} of {wanted} negatives by degree were found in {first} draws, as most "
                    "draws give edges: use a smaller negatives, or negative_law='uniform'"
                )
            entries = known + draws
            if entries >= EMPTY:
                raise CapacityError(
                    f"{dev}: {wanted} negatives are too many for a call: use a smaller negatives"
                )
            slots = 1 << (entries + entries // 2).bit_length()
            dev.reserve({"pairs": 16 * entries, "slots": 4 * entries, "table": 4 * slots})
            pairs = dev.empty(entries, np.uint64)
            program.split_extend(self.over(known), known=known, kept=kept, pairs=pairs)
            program.split_draw.launch(
                self,
                self.over(draws),
                known=known,
                draws=draws,
                first=first,
                all=universe,
                before=before,
                pairs=pairs,
            )
            found = {"table": dev.empty(slots, np.int32), "slot": dev.empty(entries, np.uint32)}
            dev.fill(found["table"], EMPTY, slots)
            program.split_insert(self.over(entries), entries=entries, mask=slots - 1, pairs=pairs, **found)
            fresh = dev.empty(draws, np.uint8)
            here = {"known": known, "draws": draws, "pairs": pairs, "fresh": fresh}
            program.split_first(self.over(draws), **here, **found)
            place, new = flag_positions(dev, fresh, draws)
            after = min(known + new, wanted)
            kept = dev.empty(after, np.uint64)
            program.split_keep(self.over(entries), **here, most=wanted, place=place, kept=kept)
            known, first, tried, hits = after, first + draws, draws, new
        return kept

    def ends(self, pairs: Any, begin: int, count: int) -> Pairs:
        """The ends of some pairs, shape (2, count)."""
        ends = self.dev.output(2 * count, np.int32)
        self.program.split_ends(self.over(count), begin=begin, count=count, pairs=pairs, ends=ends)
        return self.dev.take(ends, np.int32, 2 * count).reshape(2, -1)


def _wanted(parts: Parts, test: int | Fraction, validation: int | Fraction, connected: bool) -> list[int]:
    """How many edges test and validation get; InputError if so many cannot be held out."""
    counts = [edges_of(share, parts.edges) for share in (test, validation)]
    if sum(counts) > parts.free:
        most = _rounded_down(parts.free, parts.edges)
        raise InputError(
            f"test and validation are {sum(counts)} of {parts.edges} edges, but "
            + (
                f"only {parts.free} are outside the spanning forest that keeps the components: use shares "
                f"of at most {most} together, or keep_connected=False"
                if connected
                else "that is more than there are: use shares of at most 1.0 together"
            )
        )
    return counts


def _negatives_wanted(graph: Graph, edges: list[int], ratio: Fraction) -> list[int]:
    """How many negatives each part gets; InputError if there are not so many pairs without an edge."""
    n = graph.num_vertices
    pairs = n * (n - 1) // (1 if graph.directed else 2)
    there = pairs - (graph.num_edges - graph.num_self_loops)
    wanted = [floor(ratio * each + Fraction(1, 2)) for each in edges]
    if sum(wanted) > there:
        raise InputError(
            f"negatives is {float(ratio)}: {sum(wanted)} pairs without an edge are wanted, and there are "
            f"{there}: use at most {_rounded_down(there, sum(edges))}"
        )
    return wanted


# --- public -------------------------------------------------------------------------------------------


@takes_rng
@hints
def split_edges(
    graph: Any,
    test: float = 0.1,
    validation: float = 0.05,
    *,
    keep_connected: bool = True,
    negatives: float = 1.0,
    negative_law: Law = "uniform",
    seed: int | None = None,
    rng: Rng | None = None,
    device: Device | str | None = None,
) -> EdgeSplit:
    """Split the edges of a graph into training, validation and test edges, with negatives of each.

    This is what link prediction is trained and judged by. Edges have keyed random priorities; those of the
    smallest are the test edges, the next ones the validation edges.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Parallel edges are one; a graph that keeps them apart is an error. In a directed graph the arcs from u
        to v and from v to u are one edge, and go to the same part, so that neither tells of the other.
    test, validation : float or int
        Shares of the edges, rounded to whole edges (0.1), or numbers of edges (500). Self-loops do not count.
    keep_connected : bool
        Whether the training graph has the (weakly) connected components that the graph has: the maximum
        spanning forest [1]_ of the priorities then stays in it.
    negatives : float
        Pairs of vertices without an edge, for each edge of a part. All are distinct, in different parts too;
        none is a self-loop. In a directed graph, each arc of a part counts, and a pair has a direction.
    negative_law : {"uniform", "degree"}
        Whether all pairs without an edge are alike, or drawn with a probability that grows with the product
        of their degrees (in a directed graph, out-degree of the tail and in-degree of the head).
    seed : int, optional
        0 to 2**64 - 1; the same seed gives the same split on every device. None: drawn at random.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Gives the seed instead.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    EdgeSplit

    Raises
    ------
    InputError
        If it is no graph, an argument is not like that, the graph has no edges or keeps parallel ones, or
        there are too few edges or pairs; the largest share is named.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    .. [1] J. B. Kruskal, "On the shortest spanning subtree of a graph and the traveling salesman problem",
       Proceedings of the AMS 7(1), 1956.

    Examples
    --------
    >>> import clgraph
    >>> graph = clgraph.datasets.karate()
    >>> split = clgraph.split_edges(graph, test=0.2, validation=0.1, seed=1)
    >>> split.graph
    <Graph: undirected, 34 vertices, 54 edges>
    >>> split.test.edges.shape, split.test.negatives.shape
    ((2, 16), (2, 16))
    >>> clgraph.connected_components(split.graph).count
    1
    """
    given = as_graph(graph)
    shares = checked_share(test, "test"), checked_share(validation, "validation")
    connected, ratio = flag(keep_connected, "keep_connected"), checked_ratio(negatives)
    word(negative_law, "negative_law", get_args(Law))
    first = check_seed(seed)
    if given.num_arcs == given.num_self_loops:
        raise InputError("the graph has no edges between different vertices: there is nothing to split")
    if given.is_multigraph:
        raise InputError(
            "the graph keeps parallel edges apart, which would tell of each other: build it with "
            "duplicates='merge'"
        )
    run = run_on(device)
    with run.lock, run:
        dev = run.device
        parts = Parts(dev, given, first, negative_law)
        run.lap("upload")
        if connected:
            parts.keep_connected()
        of_test, of_validation = _wanted(parts, *shares, connected)
        parts.hold_out(of_test, TEST)
        parts.hold_out(of_validation, VALIDATION)
        training = parts.training_graph()
        edges = [parts.of(which) for which in (TRAIN, VALIDATION, TEST)]
        run.lap("split")
        wanted = _negatives_wanted(given, [each.shape[1] for each, _ in edges], ratio)
        pairs = parts.negatives(negative_law, sum(wanted))
        found, begin = {}, 0
        for which in (TEST, VALIDATION, TRAIN):
            ends, arcs = edges[which]
            drawn = parts.ends(pairs, begin, wanted[which])
            found[which] = EdgePart(edges=ends, arcs=arcs, negatives=drawn)
            begin += wanted[which]
        dev.finish()
        run.lap("negatives")
        return EdgeSplit(
            graph=training,
            train=found[TRAIN],
            validation=found[VALIDATION],
            test=found[TEST],
            seed=first,
            seconds=run.seconds,
            device=str(dev),
            provenance=run.provenance,
        )
