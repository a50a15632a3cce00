"""Reduction sampling on a device: samples of a graph, and curves of what deletions leave."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.keyed import Rng, takes_rng
from clgraph.methods import LITERATURE, STREAMS
from clgraph.progress import callback
from clgraph.results import on_device
from clgraph.run import dataset_of
from clgraph.sampling.curve import ReductionCurve, curve_table, deletion_order, reduction_curve
from clgraph.sampling.request import SampleOptions, Size, check_method, check_names
from clgraph.sampling.result import Sample
from clgraph.sampling.runs import draw_samples
from clgraph.sampling.samples import Samples

if TYPE_CHECKING:
    from clgraph.device import Device

__all__ = [
    "ReductionCurve",
    "Sample",
    "Samples",
    "curve_table",
    "deletion_order",
    "reduction_curve",
    "sample",
]


# One size and one seed give a Sample, several of either Samples. The options are spelt out once, so that the
# message of a type checker on a typo has one long signature.
@overload
def sample(
    graph: Graph | Any,
    method: str = ...,
    *,
    size: Size | None = ...,
    sizes: None = ...,
    seeds: None = ...,
    **options: Unpack[SampleOptions],
) -> Sample: ...
@overload
def sample(
    graph: Graph | Any, method: str = ..., *, sizes: Sequence[Size], seeds: int | None = ..., **options: Any
) -> Samples: ...
@overload
def sample(graph: Graph | Any, method: str = ..., *, seeds: int, **options: Any) -> Samples: ...
@takes_rng
def sample(
    graph: Graph | Any,
    method: str = "drv",
    *,
    size: Size | None = None,
    sizes: Sequence[Size] | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    rng: Rng | None = None,
    device: str | Device | None = None,
    mode: Literal["auto", "batched", "exact", "ordered"] | None = None,
    strict: bool = False,
    arrays: Literal["host", "device"] = "host",
    progress: Any = None,
    **options: Any,
) -> Sample | Samples:
    """Shrink a graph by deleting vertices or edges, always keeping the largest connected component.

    Works on the undirected view without self-loops; the sample of a directed graph keeps the original arcs.
    The same seed gives the same sample on every device.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table, or Shards
        `Shards` support drv and dre in exact mode: one pass over their pairs finds when each vertex and edge
        leaves (the priority forest), for all `sizes`; another extracts the edges.
        For pies, gsh and gps also a stream: a file's name, an open file, a table, or an iterable of chunks of
        edges (see the guide on samplers).
    method : {"drv", "dre", "drve", "dhyb", "cre", "crve", "ebfs", "edfs"}
        A step deletes a random vertex ("drv"), a random edge ("dre"), a random edge of a random vertex
        ("drve"), or one of the latter two by chance ("dhyb"); it contracts a random edge ("cre") or a random
        edge of a random vertex ("crve"). "ebfs" and "edfs" explore from a random vertex, breadth-first or
        depth-first, and keep all edges among the vertices reached. Besides these there are the samplers of
        the literature, by the names, short or in words, that ``clgraph methods`` lists.
    size : float, int or str
        ``0.3`` or ``"30%"``: a share of the input's vertices; ``5000``: a count. The sample has at most this
        many vertices, and may have fewer: one deletion may cut off many. (Contraction and exploration end at
        exactly this many.)
    sizes : sequence of sizes, instead of `size`
        Several samples of one run, each contained in the larger ones.
    seed : int, optional
        0 .. 2**64 - 1; by default one is drawn from the operating system and recorded in the result.
    seeds : int, optional
        Number of runs, with seeds `seed`, `seed` + 1, ... Each is the run alone. Of drv, dre (exact mode)
        and ebfs the runs are made side by side on graphs that do not fill the device: on CPUs a run a core
        (up to some 250 000 edges), on GPUs all in each launch (drv, dre: up to some 4 million edges;
        ebfs: a run a work-item, up to some 250 000). So are those of cre and crve (up to some million edges)
        and of drve and dhyb (up to some 250 000, none parallel), a run a work-group. Other runs follow
        one another.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed` (SPEC 7 of Scientific Python): an int is the seed, a
        SeedSequence gives one of 64 bits, and so does a Generator or BitGenerator, which advances: the
        next call gets another. The result's `seed` says which it was.
    device : str or Device, optional
        As `clgraph.get_device` takes it; of `Shards` also several (a list, or ``"0:0,0:1"``), which share the
        work, each in a thread. MPI's ranks on one host are assigned to them in turn.
    mode : {"auto", "batched", "exact", "ordered"}, optional
        "exact" (drv, dre) gives precisely the sample of the definition's loop: one deletion at a time, each
        followed by the largest component. "batched" deletes in batches of decreasing size; a batch that takes
        the sample below the target by more than `tolerance` is undone and halved. "auto" is exact for drv and
        dre, batched for the others. (Of searches that spread and of chordal: see the guide on samplers.)
        Default "auto".
    tolerance : float, optional
        For batched mode: a number of vertices; default 0.001 of the target. 0 goes down to single deletions.
    components : {"afforest", "bfs"}, optional
        How batched mode finds the largest component: linking and compressing (default), or the array-frontier
        search of Tariq's thesis.
    far_scan : bool, optional
        Batched mode: find the other slot of an edge by a plain scan, as in the thesis (default on FPGAs),
        instead of a binary search.
    connection : {"weak", "strong"}, optional
        Which component is kept: of a directed graph "strong" keeps the largest strongly connected one (drv,
        dre, drve, dhyb, batched); for an undirected graph both mean the same. Default "weak".
    mix : float or str, optional
        For dhyb (hyb): the probability, 0 to 1, that a random vertex's edge is taken, as in drve (rne), and
        not any edge, as in dre (re); default 0.8. Taken as the exact number that its decimals say.
    start : vertex id, optional
        For ebfs, edfs and walks: where to begin (default: a vertex drawn by the seed).
    edges : float, int or str, optional
        For re, rne, hyb: how many edges, or what share of them, instead of `size`. For gps: how many.
    keep : {"induced", "visited", "tree"}, optional
        All edges among the vertices (default of walks), those drawn (default of re, rne, hyb) or walked, or
        the edges by which walks first entered vertices.
    weighted : bool, optional
        For rdn, re, rw, rwr, rj, node2vec: whether edge weights count. Default False.
    steps : int, optional
        For walks: the number of steps of each walker, instead of `size`; visits count after every `thin`-th
        (default 1) step past the first `burn_in` (default 0).
    walkers : int, optional
        For walks: the number of walkers (default 1). They begin at `start` (one id, or several in turn), or
        else at a vertex of the largest component and at others drawn by the seed.
    burn_in, thin : int, optional
        See `steps`.
    patience : int, optional
        For walks: steps per vertex that a leg found before it gives way to a new one, which begins at a
        vertex not seen so far. Default 1000.
    direction : {"both", "out", "in"}, optional
        For walks: which arcs of a directed graph are followed. Default "both".
    walks : bool, "ids" or "device", optional
        For walks with `steps`: whether the result has the walks themselves, `Sample.walks`: a row for each
        walker, from its start on, of vertices' indices (True), of their ids, or of indices that stay on the
        device. Default False.
    walks_per_vertex : int, optional
        For walks with `steps`, instead of `walkers` and `start`: so many walkers begin at each vertex that
        has edges, one pass over these vertices after the other.
    p : float or str, optional
        For rwr, rj: the probability of a restart, or a jump; default 0.15. For ff: that one more neighbour
        burns; default 0.7. For gsh: of an edge that touches none that is held; default 0.3.
        For node2vec: a step back to the vertex before is 1 / `p` times as likely as one to a neighbour of
        that vertex, with edges of equal weights; 0.0001 to 10000, default 1.
    q : float or str, optional
        For gsh: the probability of an edge that touches one that is held. Default 0.7. For node2vec: a step
        to a vertex that is no neighbour of the one before is 1 / `q` times as likely; default 1.
    closing : bool, optional
        For gsh: whether edges that close a triangle of held edges are always held. Default False.
    triangles : int, optional
        For gps: what an edge weighs for each triangle that it closes, besides 1. Default 9.
    block : int, optional
        For gps: edges come in blocks of this many, whose weights see the edges held when the block began.
        Large blocks are weighed in parallel. Default 1.
    ids : {"int", "str"}, optional
        For streams: what ids are, as `clgraph.read` takes it. Default: what the types of chunks and columns
        say; of text files whole numbers.
    r : float or str, optional
        For ff with a direction: how likely arcs burn backward, as a factor of `p`. Default 0.
    k, stages : int, optional
        For snowball: how many neighbours a vertex names (default 50), and how many stages there are, instead
        of `size`.
    share : float or str, optional
        For spikyball: the share of a stage's arcs that is taken. Default 0.1.
    powers : three numbers, or str, optional
        For spikyball: the powers of the degrees d_out, of the edge's weight (with `weighted`) and of d_in, by
        which arcs are drawn. Default (0, 0, 0).
    coupons : int, optional
        For rds: the number of recruits per vertex. Default 3.
    parts : int, or array of shape (n,), optional
        For quasi-chordal: how many parts of equal size, in breadth-first order (default 16), or the part of
        each vertex.
    alpha : float or str, optional
        For rwj: the weight of jumps (default: the mean degree, rounded up). For mhrw: 1 (default) makes
        visits uniform, 0 gives rw, less than 1 something between.
    c : int, optional
        For gmd: the degree below which a walk waits. Default: the mean degree, rounded up.
    starts : int, optional
        For rnn: the number of centres, instead of `size`. For rds: default 10.
    strata : array, shape (n,), optional
        For rn, rdn, rpn: a group for each vertex. `size` is then shared out in proportion, or a mapping of
        group to size.
    strict : bool, optional
        Raise an error for a count larger than the graph, instead of returning the largest component. Default
        False.
    arrays : {"host", "device"}
        "device" gives one sample's `vertices` as a ``pyopencl.array.Array``, for kernels of your own.
        A sample's rows stay on the device either way: ``sample.graph.device_arrays(device)``.
    min_size : size, optional
        A run with a sample of fewer vertices is drawn again, with the next seed that no run has; the sample's
        `notes` say so.
    progress : callable or bool, optional
        Called with (vertices known to be deleted, vertices to delete) during the run; of `Shards` with
        (shards done, shards to do). True shows a bar.
    output, outputs : path, or a sequence of paths, one for each sample; optional
        For `Shards`: datasets (``NAME.clgs``) to which samples are written, shard by shard.
    forest : path, or SavedForest, optional
        For `Shards`: the result of `clgraph.save_forest` for this method and seed, instead of the first pass.
    checkpoint : path, optional
        For `Shards`: a folder for the state of the first pass. A call that finds it continues from it, with
        any number of ranks; it is removed when the samples are complete.

    Returns
    -------
    Sample, or Samples
        `Samples` if `sizes` or `seeds` is given: run after run, each with its sizes in the given order.

    Raises
    ------
    InputError
        An unknown method, mode or size; an empty graph; options that exclude each other.
    DeviceError, CapacityError
        No such device, or too little memory on it.

    References
    ----------
    Krishnamurthy, Faloutsos, et al.: Sampling large Internet topologies for simulation purposes. Computer
    Networks 51(15), 2007. Batches and COPRA: Tariq, 2018.

    Examples
    --------
    >>> import clgraph
    >>> graph = clgraph.Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0])
    >>> s = clgraph.sample(graph, "drv", size="50%", seed=1)
    >>> s.vertices
    array([1, 2])
    """
    several, stays = sizes is not None or seeds is not None, on_device(arrays)
    options |= {"seed": seed, "device": device, "mode": mode, "strict": strict}
    with nullcontext() if progress is None else callback(progress, "sampling") as options["progress"]:
        if not isinstance(graph, Graph) and (shards := dataset_of(graph)) is not None:
            from clgraph.sampling.shards.samples import sample_of_shards

            check_names(options, shards=True)
            if stays:
                raise InputError("arrays='device' is of samples of graphs: a dataset's sample is on the host")
            made = sample_of_shards(shards, method, size, sizes, seeds, options)
            return Samples([made]) if several else made[0]
        if stays and several:
            raise InputError(
                "arrays='device' is of one sample: with sizes or seeds take "
                "sample.graph.device_arrays(device)"
            )
        method, ids = check_method(method), options.pop("ids", None)
        if method in STREAMS:
            from clgraph.formats.arrivals import is_stream

            if is_stream(graph):
                if stays:
                    raise InputError(
                        "arrays='device' is of samples of graphs: a stream's sample is on the host"
                    )
                from clgraph.sampling.literature.runs import stream_samples

                options["ids"] = ids
                streamed = Samples([stream_samples(graph, method, size, sizes, seeds, options)])
                return streamed if several else streamed[0]
        if ids is not None:
            raise InputError("ids is of streams (pies, gsh, gps of a file or of chunks): a graph has its ids")
        # sizes last: so the records have them
        options |= {"size": size, "seeds": seeds, "sizes": sizes}
        drawn = draw_samples(graph if isinstance(graph, Graph) else as_graph(graph), method, options)
    if method not in LITERATURE and (warning := drawn._warning()):
        warnings.warn(warning, stacklevel=3)  # of the caller: `takes_rng` is between
    if several:
        return drawn
    one = drawn[0]
    if stays:
        from clgraph.device import get_device

        vars(one)["_arrays_on"] = get_device(device)
    return one
