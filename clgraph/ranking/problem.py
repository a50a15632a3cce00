"""The request of a PageRank call, validated: distributions, arc weights, stopping rule. Host only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, Literal, get_args
from weakref import WeakKeyDictionary, ref

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, real, shown, whole, word
from clgraph.errors import DeviceError, InputError
from clgraph.graph import Graph
from clgraph.lazy import lazy

if TYPE_CHECKING:
    from clgraph.scale.shards import Shards

Norm = Literal["l1", "l2", "linf", "nx"]
Policy = Literal["personalization", "uniform", "drop"]
Variant = Literal["auto", "serial", "pull", "contribution", "subgroup", "small", "runs", "bins", "fixed"]
OnNonconvergence = Literal["raise", "warn", "return"]
Reals = npt.NDArray[np.float64]

# half a unit in the last place: the relative error of one rounding
ROUND_OFF = {"float32": 2.0**-24, "float64": 2.0**-53}
# roundings of a stored score beside its sums: contribution (2), arc weight, mass, store, one spare
ROUNDINGS = 6


class Weighing:
    """w of each arc and W, its sum over the arcs that leave each vertex; computed on first access.

    Parameters
    ----------
    weighted : bool
        Whether arcs weigh differently.
    make : callable
        Makes both.
    largest : int, optional
        The largest multiplicity, if w are multiplicities that only a device has, which makes both itself.
    """

    def __init__(
        self, weighted: bool, make: Callable[[], tuple[Reals | None, Reals]], *, largest: int | None = None
    ) -> None:
        self.weighted, self._make, self.largest = weighted, make, largest

    @lazy
    def made(self) -> tuple[Reals | None, Reals]:
        """w and W."""
        return self._make()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle w and W only if they have been computed."""
        nothing = np.empty(0) if self.weighted else None, np.empty(0)
        return {"made": nothing, **vars(self), "_make": None}


@dataclass(frozen=True)
class Problem:
    """The recurrence: ``x(v) = (1-d) p(v) + d (sum of x(u) w(u,v) / W(u) over in-neighbours + D q(v))``.

    Attributes
    ----------
    damping : float
        d.
    personalization, dangling, start : float64 array, shape (n,), sum 1, or None for the uniform distribution
        p, q (D is the mass on dangling vertices, which no weight leaves), and the vector to start from.
    drop : bool
        The mass D is dropped: q plays no part.
    policy : str
        The dangling policy by name: "personalization", "uniform", "drop" or "given".
    n : int
        Number of vertices.
    weighing : Weighing
    """

    damping: float
    personalization: Reals | None
    dangling: Reals | None
    start: Reals | None
    drop: bool
    policy: str
    n: int
    weighing: Weighing

    @property
    def weights(self) -> Any:
        """w, largest 1, in the order of the graph's arcs, shape (arcs,); None where all are equal."""
        return self.weighing.made[0] if self.weighing.weighted else None

    @property
    def out(self) -> Reals:
        """W of each vertex, shape (n,)."""
        return self.weighing.made[1]

    def dangles(self, graph: Graph, vertices: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """True for each of these vertices that no weight leaves."""
        if not self.weighing.weighted or self.weighing.largest is not None:
            return graph.row_ptr[vertices + 1] == graph.row_ptr[vertices]
        return np.asarray(self.out[vertices] == 0)


@dataclass(frozen=True)
class Stop:
    """The stopping rule.

    Attributes
    ----------
    tol, norm, max_iter
        Stop once the residual in `norm` is strictly below `tol`; 0: after `max_iter` iterations.
    threshold : float
        What the residual (for "nx" the L1 one) is compared with.
    """

    tol: float
    norm: Norm
    max_iter: int
    threshold: float


def check_damping(damping: Any) -> float:
    """Return the damping factor; raise an InputError if it is not one."""
    d = real(damping, "damping")
    if not 0 <= d < 1:
        raise InputError(
            f"damping is {shown(damping)}: use a number of at least 0 and below 1 (0.85 is usual)"
        )
    return d


def make_problem(
    graph: Graph | Shards,
    *,
    damping: float = 0.85,
    personalization: Any = None,
    dangling: Any = "personalization",
    nstart: Any = None,
    weight: bool = True,
) -> Problem:
    """Validate the arguments that define the vector.

    Raises
    ------
    InputError
        Naming the argument, the value and, for distributions and weights, the vertex or arc.
    """
    if graph.num_vertices == 0:
        raise InputError("the graph has no vertices: there is nothing to rank")
    d = check_damping(damping)
    weight = flag(weight, "weight")
    p = None if personalization is None else distribution(graph, personalization, "personalization")
    policy, q = "given", None
    if dangling is None or isinstance(dangling, str):
        policy = "personalization" if dangling is None else dangling
        if policy not in get_args(Policy):
            raise InputError(
                f"dangling is {shown(dangling)}: use 'personalization', 'uniform', 'drop', or a dict or "
                "array of where the mass of vertices without out-arcs goes"
            )
        q = p if policy == "personalization" else None
    else:
        q = distribution(graph, dangling, "dangling")
    start = None if nstart is None else distribution(graph, nstart, "nstart")
    if isinstance(graph, Graph):
        cached = _weighings.setdefault(graph, {})
        weighing = cached.get(weight) or cached.setdefault(weight, _weigh(graph, weight))
    else:  # W is read where it is needed: for the device alone, which does without it afterwards
        weighing = Weighing(False, lambda: (None, graph.leaving))
    return Problem(d, p, q, start, policy == "drop", policy, graph.num_vertices, weighing)


# by whether the graph's weights count: cached as long as the graph lives
_weighings: WeakKeyDictionary[Graph, dict[bool, Weighing]] = WeakKeyDictionary()


def _weigh(graph: Graph, weight: bool) -> Weighing:
    largest = None
    if not graph.is_on_host and graph._is_counted and not (weight and graph.is_weighted):
        try:
            found = None if graph._residence is None else graph._residence.count_range()
        except DeviceError:
            found = None  # the host asks for the arrays, and says what is lost if they are
        if found is not None:
            largest = 0 if found[0] == found[1] else found[1]
    weights = arc_weights(graph, weight) if largest is None else None
    if weights is not None:
        both = weights, _leaving(graph, weights)
        return Weighing(True, lambda: both)
    weak = ref(graph)  # the graph's own entry must not keep it alive

    def make() -> tuple[Reals | None, Reals]:
        alive = weak()
        if alive is None:
            raise InputError(
                "the graph of this problem no longer exists, nor do its out-degrees; keep a reference to it"
            )
        weights = arc_weights(alive, weight) if largest else None
        return weights, _leaving(alive, weights)

    return Weighing(bool(largest), make, largest=largest or None)


def _leaving(graph: Graph, weights: Reals | None) -> Reals:
    if weights is None:
        found = np.diff(graph.row_ptr).astype(np.float64)
    else:
        found = np.bincount(graph.tails, weights=weights, minlength=graph.num_vertices).astype(np.float64)
    found.flags.writeable = False  # all problems of the graph share it
    return found


def distribution(graph: Graph | Shards, given: Any, name: str) -> Reals:
    """Turn a dict of ids or an array into a vector that sums to 1."""
    if isinstance(given, Mapping) and not given:
        raise InputError(f"{name} is an empty dict: give at least one vertex a positive value")
    if isinstance(given, str):
        raise InputError(f"{name} is {shown(given)}: use a dict of ids, an array, or None")
    values = vertex_values(graph, given, name, 0.0)
    bad = ~(np.isfinite(values) & (values >= 0))
    if np.any(bad):
        v = int(np.argmax(bad))
        raise InputError(
            f"{name} of vertex {graph.ids[v]} is {values[v]}: give finite values that are not negative"
        )
    largest = float(values.max())
    if largest == 0:
        raise InputError(f"{name} is zero everywhere: at least one vertex needs a positive value")
    values /= largest  # so that the sum cannot overflow
    values /= values.sum()
    return values


def vertex_values(graph: Graph | Shards, given: Any, name: str, rest: float) -> Reals:
    """Return a number for each vertex from an array or a dict of ids; `rest` for ids that are missing."""
    n = graph.num_vertices
    try:
        if isinstance(given, Mapping):
            values = np.full(n, rest)
            values[indices_of(graph, list(given), name)] = np.fromiter(given.values(), np.float64, len(given))
        else:
            values = np.array(given, dtype=np.float64)
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} holds a value that is not a number: {error}") from error
    if values.shape != (n,):
        raise InputError(f"{name} has shape {values.shape}; the graph has {n} vertices: ({n},) is needed")
    return values


def indices_of(graph: Graph | Shards, ids: list[Any], name: str) -> npt.NDArray[np.int64]:
    """Return the indices of the ids in an argument, which errors name."""
    try:
        return graph.indices_of(ids)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def arc_weights(graph: Graph, weight: bool) -> Reals | None:
    """Return the weight of each arc, scaled so that the largest is 1; None if all are equal.

    The graph's weights; without them (or with `weight` False) merged parallel arcs count as often as they
    appear in the input, as the copies of a multigraph do.
    """
    values: npt.NDArray[Any] | None = None
    if weight and graph.weights is not None:
        values = graph.weights
        bad = ~(np.isfinite(values) & (values >= 0))
        if np.any(bad):
            at = int(np.argmax(bad))
            tail = int(np.searchsorted(graph.row_ptr, at, side="right")) - 1
            raise InputError(
                f"the weight of the arc {graph.ids[tail]} -> {graph.ids[graph.col_idx[at]]} is {values[at]}: "
                "PageRank needs finite weights that are not negative (weight=False ignores them)"
            )
    else:
        values = graph.multiplicity
    if values is None or len(values) == 0:
        return None
    largest = float(values.max())
    if largest > 0 and values.min() == largest:
        return None
    return np.asarray(values / largest if largest > 0 else values, dtype=np.float64)


def make_stop(tol: Any, norm: Any, max_iter: Any, n: int) -> Stop:
    """Validate the arguments that say when to stop.

    A test that cannot fail is an InputError; `check_reachable` finds those that cannot hold, once the plan's
    round-off is known.
    """
    word(norm, "norm", get_args(Norm))
    max_iter = whole(max_iter, "max_iter", 1, 2**31 - 1)
    t = real(tol, "tol")
    if not 0 <= t < inf:
        raise InputError(
            f"tol is {shown(tol)}: use a positive number, or 0 to run exactly max_iter iterations"
        )
    threshold = n * t if norm == "nx" else t
    # the farthest that two distributions can be from each other
    farthest = {"l1": 2.0, "nx": 2.0, "l2": sqrt(2.0), "linf": 1.0}[norm]
    if threshold >= farthest:
        bound = "n * tol" if norm == "nx" else "tol"
        what = f"norm {norm!r} compares the residual with {bound} = {threshold:.3g}"
        raise InputError(
            f"{what}, and two distributions never differ by more than {farthest:.3g}: the test cannot fail "
            "after any iteration. Use a smaller tol, or norm='l1', which does not grow with the graph"
        )
    return Stop(t, norm, int(max_iter), threshold)


def round_off(dtype: str, chain: int) -> float:
    """Return rho, the L1 distance that the roundings of one iteration can move the scores by.

    `chain` is the longest chain of additions in the precision of `dtype`; 0 where sums are more exact.
    """
    return (chain + ROUNDINGS) * ROUND_OFF[dtype]


def check_reachable(stop: Stop, n: int, dtype: str, rho: float) -> None:
    """Raise an InputError if tol is below what the scores' precision can tell apart."""
    if stop.tol == 0:
        return
    as_l1 = stop.threshold * {"l1": 1.0, "nx": 1.0, "l2": sqrt(n), "linf": float(n)}[stop.norm]
    if as_l1 < rho:
        remedy = "dtype='float64', or " if dtype == "float32" else ""
        raise InputError(
            f"tol {stop.tol:.3g} (norm {stop.norm!r}: an L1 difference of {as_l1:.3g}) is below the "
            f"round-off of {dtype} scores, {rho:.3g}: it would stop by luck or never. Use {remedy}a tol "
            f"of at least {stop.tol * rho / as_l1:.3g}"
        )


def noise(stop: Stop, damping: float, dtype: str) -> float:
    """Return the L1 residual below which roundings may make the scores cycle; 0 if the test is not made.

    Such cycles were met at residuals of 2 u / (1 - d), where u is `ROUND_OFF`.
    """
    return 8 * ROUND_OFF[dtype] / (1 - damping) if stop.tol > 0 else 0.0


def error_bound(damping: float, residual_1: float, rho: float) -> float:
    """Bound the L1 distance of the scores from the exact ones."""
    return (damping * residual_1 + rho) / (1 - damping)


def check_dtype(dtype: Any) -> str:
    """Return the name of the scores' type; raise an InputError if it is another one."""
    try:
        name = np.dtype(dtype).name
    except (TypeError, ValueError, SyntaxError):  # raised by NumPy for what is no type
        name = ""
    if name not in ("float32", "float64"):
        raise InputError(f"dtype is {shown(dtype)}: use 'float32' or 'float64'")
    return name
