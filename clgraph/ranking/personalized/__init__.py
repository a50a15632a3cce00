"""Personalized PageRank: PageRank from the point of view of one or many sources."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from clgraph.arguments import word
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.keyed import Rng, takes_rng
from clgraph.progress import with_progress
from clgraph.ranking.personalized.request import Options, Request, make_queries, vertices_left_out
from clgraph.ranking.personalized.result import PersonalizedResult, make_result, report_nonconvergence
from clgraph.ranking.problem import (
    Norm,
    OnNonconvergence,
    check_damping,
    check_dtype,
    check_reachable,
    make_problem,
    round_off,
)
from clgraph.results import Arrays, on_device
from clgraph.run import dataset_of, not_offered, run_on

if TYPE_CHECKING:
    from clgraph.device import Device

Method = Literal["power", "coo", "coo-flat", "monte-carlo"]


@takes_rng
@with_progress("personalized PageRank")
def personalized_pagerank(
    graph: Graph | Any,
    sources: Any,
    *,
    method: Method = "power",
    damping: float = 0.85,
    tol: float = 1e-6,
    norm: Norm = "l2",
    max_iter: int = 100,
    dangling: Any = "uniform",
    top: int | None = None,
    exclude: Any = None,
    seed: int | None = None,
    rng: Rng | None = None,
    walks: int | None = None,
    epsilon: float | None = None,
    confidence: float = 0.95,
    weight: bool = True,
    check_every: int = 1,
    squared: bool = False,
    stored: bool = False,
    stable_top: int = 0,
    dtype: Any = "float32",
    on_nonconvergence: OnNonconvergence = "raise",
    arrays: Arrays = "host",
    device: Device | str | None = None,
    progress: Any = None,
) -> PersonalizedResult:
    """PageRank from the point of view of one or many sources.

    The recurrence is PageRank's, ``x(v) = (1-d) p(v) + d (sum of x(u) w(u,v) / W(u) + D q(v))``, where p is
    one vertex or a distribution, and the start. D is the score of the vertices that no weight leaves: it goes
    to all vertices alike unless `dangling` says otherwise (PageRank's default differs).

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table, or Shards
        Of `Shards` method "monte-carlo", with vertices as sources; they are joined on each device, which
        they must fit. Several devices or ranks share the sources.
    sources : id, sequence of ids, dict, sequence of dicts, or array (also SciPy sparse) of shape (k, n)
        Vertices, or distributions over them (dicts of ids to numbers, rows of the array; scaled to sum 1). Or
        what each user has: a dict of users to lists of ids (or to such dicts), or a list of lists of ids: a
        distribution for each user, even over the list.
    method : {"power", "coo", "coo-flat", "monte-carlo"}
        "power": rows pulled, 8 to 64 sources side by side. "coo": one work-item per arc and atomic adds
        (of integers in units of 2^-62, so that the same device gives the same bytes). "coo-flat": arcs sorted
        by head, segmented sums. These three differ in time only. "monte-carlo": random walks, see Notes.
    damping : float
        d, at least 0 and below 1.
    tol, norm, max_iter
        Stop once the difference of two iterates is strictly below `tol` in `norm` ("l1", "l2", "linf",
        "nx"); tol=0 runs exactly `max_iter` iterations.
    dangling : {"uniform", "personalization", "drop"}, dict or array
        Where D goes: to all vertices alike, back to the source, nowhere, or to the given distribution.
    top : int, optional
        Select this many highest scores on the device; whole vectors do not leave it then. At most n.
    exclude : {"self", "neighbours"}, list of ids, or pair of both, optional
        What `top` leaves out: each source's own vertices; these and those that their arcs lead to (what a
        user knows or has already); the given vertices, of every source. ("neighbors" is "neighbours".)
    seed : int, optional
        Of the walks; None draws one, which the result records.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed`, as in `clgraph.sample`.
    walks : int, optional
        Walks from each source. If neither this nor `epsilon` is given: 200 000.
    epsilon : float, optional
        Choose `walks` so that with probability `confidence` no score of a source is off by more than this.
        (In exact arithmetic: add `dtype`'s round-off, and the 1e-9 of the stored scores.)
    confidence : float
        Above 0 and below 1.
    weight : bool
        Whether the graph's weights count. Without them merged parallel arcs count as often as they occurred
        in the input.
    check_every : int
        Sum the difference only once in this many iterations. Costs up to check_every - 1 iterations more.
    squared : bool
        Compare the sum of squared differences with tol^2 (norm "l2"): the same test but for the rounding of
        a root, so that it may end an iteration earlier or later where the two are equal up to rounding.
    stored : bool
        Answer sources without out-arcs from stored scores: x = (1-d) p + d g, g the PageRank with
        personalization and dangling distribution q, made once per graph, damping and q (a whole PageRank to
        1e-10). As exact as those; "personalization" and "drop" need no store (x = p and (1-d) p).
    stable_top : int
        Also stop once the set of the `top` k was the same at this many checks in a row after the first. Costs
        a selection a check, and promises nothing about the scores or a set that would change later: see
        `error_bounds`. 0: never.
    dtype : {"float32", "float64"}
        Of the scores; sums are kept more exactly.
    on_nonconvergence : {"raise", "warn", "return"}
        What happens if some source does not reach `tol` in `max_iter` iterations.
    arrays : {"host", "device"}
        "device" leaves the scores of all vertices on the device, as ``pyopencl.array.Array`` (without `top`;
        of random walks there are no standard errors then).
    device : Device or str, optional
        As in `clgraph.get_device`; of `Shards` also several.
    progress : callable or bool, optional
        Called with (distinct sources answered, of how many); True shows a bar.

    Returns
    -------
    PersonalizedResult

    Raises
    ------
    InputError
        If an argument, source or weight is not as above.
    ConvergenceError
        If the tolerance was not reached by some source; its `result` holds what was.
    DeviceError, BuildError, CapacityError
        If the device fails, or not even one source fits on it. (More sources than fit are done in batches.)

    Notes
    -----
    Monte Carlo, complete path [1]_: a walk counts a visit at every vertex on its way; with probability d it
    goes on along an out-arc; one that goes on at a vertex without out-arcs is lost. Nothing limits its
    length. The first step is taken for all walks together: ``score = (1-d) (p + d visits / walks) + lost
    part``. The lost part d c / walks comes back as the stored scores g of q (see `stored`), is dropped, or
    ("personalization") the scores are divided by their sum. All draws are integers keyed by (seed, source,
    walk, step), so that counts are the same on every device.

    What a walk adds to a score x has a variance of at most (1+d) x, and moments of at most m! x. `epsilon`
    and `confidence` give `walks` by Chebyshev or Bernstein, whichever needs fewer, for all vertices at once:
    about 3.7 ln(40) / epsilon^2 = 14 / epsilon^2 at 0.95. With dangling="personalization" epsilon is first
    multiplied by (1-d)/2, since the sum that is divided by is an estimate too; such a ratio is consistent
    but not unbiased.

    References
    ----------
    .. [1] K. Avrachenkov, N. Litvak, D. Nemirovsky, N. Osipova, "Monte Carlo Methods in PageRank
       Computation: When One Iteration is Sufficient", SIAM J. Numer. Anal. 45(2), 2007.

    Examples
    --------
    >>> from clgraph import Graph, personalized_pagerank
    >>> graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=True)
    >>> personalized_pagerank(graph, [0, 2], top=2).ids
    array([[0, 1],
           [2, 1]])
    >>> personalized_pagerank(graph, {"Ann": [0, 2]}, top=1, exclude="self").to_pandas().round(3)
      source  vertex  score
    0    Ann       1   0.25
    """
    start = time.perf_counter()
    dtype = check_dtype(dtype)
    word(method, "method", get_args(Method))
    word(on_nonconvergence, "on_nonconvergence", get_args(OnNonconvergence))
    stays = on_device(arrays)
    if stays and (top is not None or stored):
        raise InputError("arrays='device' is of all scores, computed there: leave top and stored out")
    asked: dict[str, Any] = {"method": method, "top": top, "tol": tol, "norm": norm, "max_iter": max_iter}
    asked |= {"check_every": check_every, "squared": squared, "stored": stored, "stable_top": stable_top}
    asked |= {"walks": walks, "epsilon": epsilon, "confidence": confidence, "seed": seed}
    if (shards := dataset_of(graph)) is not None:
        from clgraph.ranking.personalized.shards import walk_shards

        if stays:
            raise InputError("arrays='device' is of graphs: the scores of shards come to the host")
        if method != "monte-carlo":
            why = "'monte-carlo' is, whose walks are the same wherever they run"
            raise not_offered("method", method, why)
        # before the shards are loaded and joined, which takes long
        policy = dangling if isinstance(dangling, str) else "given"
        Options(shards.num_vertices, check_damping(damping), policy, **asked)
        given: dict[str, Any] = {"top": top, "walks": walks, "epsilon": epsilon, "confidence": confidence}
        given |= {"damping": damping, "dangling": dangling, "exclude": exclude}
        given |= {"weight": weight, "dtype": dtype}
        walk = partial(personalized_pagerank, method=method, **given)
        return walk_shards(shards, sources, walk, seed=seed, device=device, options=given)
    graph = as_graph(graph)
    problem = make_problem(graph, damping=damping, dangling=dangling, weight=weight)
    queries = make_queries(graph, sources, problem)
    options = Options(problem.n, problem.damping, problem.policy, **asked)
    left_out = vertices_left_out(graph, exclude, queries, options.top)
    # the device selects as many more as any source leaves out
    if left_out is not None:
        options.top += max(map(len, left_out))
    if method != "monte-carlo":
        check_reachable(options.stop, problem.n, dtype, round_off(dtype, 0))

    from clgraph.ranking.personalized.engines import answer
    from clgraph.ranking.solver import Numbers

    run = run_on(device, start=start)
    with run.lock, run:
        numbers = Numbers(run.device, dtype)
        request = Request(
            run.device, graph, problem, queries, options, numbers, bool(weight), progress, stays
        )
        run.lap()
        found = answer(request, run)
        result = make_result(found, left_out, seconds=run.seconds, provenance=run.provenance)
    report_nonconvergence(result, options.stop, on_nonconvergence)
    return result
