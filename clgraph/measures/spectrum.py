"""The largest eigenvalues of adjacency matrices and Laplacians, by Lanczos's method: graphs side by side.

Host half of ``cl/measures/spectrum.cl`` and ``eigh.cl``: products, orthogonalisation and restarts run on the
device; only the small projected matrices come to the host, once per cycle. A graph's eigenvalues do not
depend on the graphs beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import whole, word
from clgraph.device.launch_config import DeviceLimits, LaunchTable, WorkGroup, fit_group
from clgraph.errors import ConvergenceError
from clgraph.graph import as_graph
from clgraph.measures.pack import Pack, measured_view
from clgraph.run import run_on
from clgraph.system import cores, thread_pool

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from clgraph.device import Device


Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
# eigenvalues, ascending, and eigenvectors of symmetric matrices, as NumPy's function of that name
Eigh = Callable[[Floats], tuple[Floats, Floats]]
# eigenvalues that are computed
COUNT = 20
# vectors kept at a restart: more than are wanted, or else the last ones converge slowly
KEPT = 28
# vectors of a basis
STEPS = 48
# relative error at which an eigenvalue counts as found
EXACT = 1e-10
# residual, as a share of the largest eigenvalue, below which only rounding errors are left
ROUNDING = 1e-13
# eigenvalues of two cycles are the same if they differ by at most this share of the largest
SAME = 1e-9
# loss of orthogonality after a pass over the whole basis, and the loss at which the next pass is due
LEAST, MOST = 1e-15, 1e-7
# fewest matrices per thread: a matrix takes most of a millisecond
LEAST_SHARE = 2
# steps from one pair of passes to the next
LONGEST = 10
# vertices up to which the whole spectrum is cheaper
DENSE = 100
# the same where the alternative is SciPy: less than a second
NO_LANCZOS = 1000
# eigenvalues up to this share of the largest are rounding errors
ZERO = 1e-9
# vertices beyond which eigenvalues are computed on request only
MANY = 1_000_000
# bytes per vertex in the basis
BYTES = 8 * (STEPS + 1)
# bytes of local memory in which a device finds the eigenvalues of a projected matrix, and a few more
IN_LOCAL = 16 * STEPS * (STEPS + 2) + 1024
# limit: eigenvalues that are too close together might never converge
RESTARTS = 400
# eigenvalues, descending, or why there are none
Found = tuple[Floats, str | None]
Matrix = Literal["adjacency", "laplacian", "normalized laplacian"]


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration.

    Attributes
    ----------
    chunk : int
        Vertices of a work-group.
    long : int
        Rows of at least this many arcs are summed by a whole work-group.
    rows : int
        Vectors whose products are summed at once.
    lanes : int
        Vertices per work-item in these products.
    together : int
        Most vertices of graphs that are processed together: on CPUs their basis stays in the cache.
    matrix : int
        Work-items that find the eigenvalues of a projected matrix; 0: LAPACK does, on the host.
    """

    chunk: int
    long: int
    rows: int
    lanes: int
    together: int
    matrix: int
    # a row of sums, and of the list of long rows
    EACH: ClassVar[int] = 64 + 32
    POWERS: ClassVar[tuple[str, ...]] = ("local", "lanes", "matrix")
    LARGEST: ClassVar[dict[str, int]] = {"chunk": 1 << 16, "lanes": 16, "matrix": 1024}

    def within(self, device: DeviceLimits) -> Self:
        """Cut it to a device's limits."""
        own = fit_group(self.matrix, device) if device.local_memory >= IN_LOCAL else 0
        return replace(super().within(device), matrix=own)


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, chunk=2048, long=256, rows=8, lanes=1, together=1 << 24, matrix=256),
    cpu=LaunchConfig(local=1, chunk=1024, long=256, rows=4, lanes=8, together=1 << 18, matrix=0),
    simulator=LaunchConfig(local=4, chunk=16, long=8, rows=2, lanes=2, together=1 << 10, matrix=0),
)


def on_host(device: Device, n: int) -> str | None:
    """Return why SciPy has to find the eigenvalues of a graph of n vertices; None if the device can."""
    if "HAVE_FP64" not in device.features:
        return "eigenvalues by SciPy on the host: the device has no float64"
    nbytes = BYTES * n
    if nbytes > device.max_buffer:
        return f"eigenvalues by SciPy on the host: {nbytes} bytes are more than a buffer of the device takes"
    return None


def eigenvalues(
    graph: Any, count: int = COUNT, *, matrix: Matrix = "adjacency", device: Device | str | None = None
) -> Floats:
    """Compute the largest eigenvalues of the adjacency matrix or a Laplacian, by Lanczos's method.

    Directions, loops, parallel edges and weights are ignored.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    count : int
        At most this many, 1 to 20.
    matrix : {"adjacency", "laplacian", "normalized laplacian"}
        A; D - A with the degrees D; or 1 - D^(-1/2) A D^(-1/2), with rows of 0 for vertices without edges.
    device : Device or str, optional
        As in `clgraph.get_device`. Without float64 there, SciPy finds them on the host.

    Returns
    -------
    float64 array, shape (k,), k <= count
        Descending; those that are not positive are left out.

    Raises
    ------
    InputError
        An argument is not as above.
    ConvergenceError
        They are too close together to be found.
    DeviceError, CapacityError
        No such device, or too little memory on it.

    References
    ----------
    Wu, Simon: Thick-restart Lanczos method for large symmetric eigenvalue problems. SIAM J. Matrix Analysis
    and Applications 22(2), 2000.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.eigenvalues(clgraph.Graph.from_edges([0, 1, 2], [1, 2, 0]), matrix="laplacian").round(9)
    array([3., 3.])
    """
    word(matrix, "matrix", get_args(Matrix))
    whole(count, "count", 1, COUNT)
    found = as_graph(graph)
    run = run_on(device)
    with run.lock, run:
        dev = run.device
        ((values, why),) = largest_eigenvalues(Pack.of(dev, [measured_view(dev, found)]), True, matrix)
    if why is not None and not len(values) and found.num_arcs and "neighbour" not in why:
        raise ConvergenceError(why, None)
    return values[:count]


def largest_eigenvalues(
    pack: Pack, requested: bool | None = True, matrix: Matrix = "adjacency"
) -> list[Found]:
    """Return the `COUNT` largest positive eigenvalues of each graph, descending, or why there are none.

    Parameters
    ----------
    pack : Pack
    requested : bool, optional
        None: of graphs of up to `MANY` vertices.
    matrix : {"adjacency", "laplacian", "normalized laplacian"}
    """
    if requested is False:
        return [(np.zeros(0), "eigenvalues were not asked for")] * pack.count
    device, begin, arcs = pack.device, pack.begin, pack.arc_begin
    found: list[Found] = [(np.zeros(0), None)] * pack.count
    large = []
    for i in range(pack.count):
        n = int(begin[i + 1] - begin[i])
        if not requested and n > MANY:
            found[i] = np.zeros(0), f"more than {MANY} vertices: eigenvalues are computed on request only"
        elif arcs[i] == arcs[i + 1]:
            found[i] = np.zeros(0), "no vertex has a neighbour: all eigenvalues are 0"
        elif n <= DENSE or on_host(device, n):
            found[i] = host_eigenvalues(*pack.rows_of(i), matrix)
        else:
            large.append(i)
    for some in _side_by_side(device, np.diff(begin), large):
        for i, values in zip(some, Lanczos(pack, some, matrix).run(), strict=True):
            found[i] = values
    return found


def _side_by_side(device: Device, sizes: npt.NDArray[np.int64], which: list[int]) -> list[list[int]]:
    """Group adjacent graphs whose basis fits the device."""
    room = min(LAUNCH.of(device).together, device.max_buffer // 2 // BYTES)
    groups: list[list[int]] = []
    left = 0
    for i in which:
        left -= int(sizes[i])
        if left < 0 or i != groups[-1][-1] + 1:
            groups.append([])
            left = room - int(sizes[i])
        groups[-1].append(i)
    return groups


class Lanczos:
    """Lanczos's method for adjacent graphs of a pack; attributes are named after the kernels' parameters."""

    def __init__(self, pack: Pack, some: list[int], matrix: Matrix = "adjacency") -> None:
        self.pack, self.device, self.graphs = pack, pack.device, len(some)
        device, csr = pack.device, pack.csr
        self.config = config = LAUNCH.of(device)
        begin = pack.begin[some[0] : some[-1] + 2]
        self.sizes = np.diff(begin)
        shares = -(-self.sizes // config.chunk)
        # chunk of each graph
        first = np.append(0, np.cumsum(shares))
        self.chunks = int(first[-1])
        # graph of each chunk
        self.owner = np.repeat(np.arange(self.graphs), shares)
        at = begin[self.owner] + (np.arange(self.chunks) - first[self.owner]) * config.chunk
        end = np.minimum(at + config.chunk, begin[self.owner + 1])
        chunk = np.stack((at, end, self.owner, begin[self.owner]), axis=1).astype(np.int32)
        self.base, n = int(begin[0]), int(begin[-1] - begin[0])
        self.stride = n
        device.reserve({"basis": BYTES * n})
        options = {
            name.upper(): getattr(config, name) for name in ("local", "chunk", "long", "rows", "lanes")
        }
        options |= {"MATRIX": get_args(Matrix).index(matrix), "VECTORS": STEPS + 1}
        self.program = device.program("measures/spectrum", **options, **csr.defines)
        # the basis, read and written: the first cycle makes all of its vectors
        self.u = self.w = device.empty((STEPS + 1) * n, np.float64)
        self.chunk, self.begin = device.upload(chunk), device.upload(first.astype(np.int32))
        self.part = device.zeros((STEPS + 1) * self.chunks, np.float64)
        self.alpha, self.coupling, self.h, self.norm, self.scale, self.size = (
            device.zeros((STEPS + 1) * self.graphs, np.float64) for _ in range(6)
        )
        self.row_ptr, self.col_idx = csr.row_ptr, csr.col_idx
        # a work-group of several takes the vertices as they come
        self.order = device.empty(n, np.uint16) if config.local == 1 else None
        if self.order is not None:
            self.program.spectrum_order.launch(self, self.chunks, local=1)

    def run(self) -> list[Found]:
        """Find the eigenvalues of each graph."""
        ritz = Ritz(self.graphs)
        with thread_pool(cores(), "clgraph-eigh") as pool:
            eigh = (
                partial(device_eigh, self.device, self.config.matrix)
                if self.config.matrix
                else partial(_eigh, pool)
            )
            for number in range(RESTARTS):
                ritz.take(*self._cycle(ritz, number), eigh)
                if ritz.done.all():
                    break
        why = (
            f"only some of the {COUNT} largest eigenvalues were found in {RESTARTS} restarts of Lanczos's "
            "method: they are too close together"
        )
        return [
            (positive(values), None) if done else (np.zeros(0), why)
            for values, done in zip(ritz.values, ritz.done.tolist(), strict=True)
        ]

    def _cycle(self, ritz: Ritz, number: int) -> tuple[int, Any, Floats, Floats, Floats]:
        """Do a cycle; returns what `Ritz.take` takes."""
        device, kept = self.device, KEPT if number else 0
        going = np.flatnonzero(~ritz.done)
        active = np.flatnonzero(~ritz.done[self.owner])
        self.groups, self.going = len(active), len(going)
        self.active = device.upload(active.astype(np.int32))
        self.alive = device.upload(going.astype(np.int32))
        self.turn = device.upload(ritz.turn) if number else None
        if number:
            device.write(self.scale, ritz.scale)
        flags = ritz.flags(kept)
        self.flag = device.upload(flags)
        if self.config.local == 1 and self.going > device.compute_units:
            given = {"kept": kept, "steps": STEPS, "number": number}
            self.program.spectrum_cycle.launch(self, self.going, local=1, **given)
        else:
            if kept:
                self._launch(self.program.spectrum_turn, kept=kept)
            self._begin(kept, number)
            for j in range(kept, STEPS):
                self._step(j, kept, some=bool(flags[j].any()))
        alpha, coupling, norm = (
            device.download(buffer, np.float64, (STEPS + 1) * self.graphs).reshape(STEPS + 1, self.graphs)
            for buffer in (self.alpha, self.coupling, self.norm)
        )
        return kept, self.sizes, alpha, coupling, norm

    def _launch(self, kernel: Any, **named: Any) -> None:
        """Launch over the chunks of graphs that are not done."""
        local = self.config.local
        kernel.launch(self, self.groups * local, local=local, **named)

    def _join(self, kernel: Any, *more: int, **named: Any) -> None:
        """Add up the sums of chunks: a work-group for each graph that is not done."""
        local = self.config.local
        ones = (1 for _ in more)
        kernel.launch(self, (local, self.going, *more), local=(local, 1, *ones), **named)

    def _orthogonal(self, j: int, count: int, target: int, row: int, h: Any, *, some: bool = True) -> None:
        """Subtract alpha[j] v[j] and, where the flag is set, the parts along the first `count` vectors."""
        named = {"j": j, "count": count if some else 0, "target": target, "row": row}
        if some and count:
            self._launch(self.program.spectrum_dots, **named)
            self._join(self.program.spectrum_sum, count, row=0, out=h)
        self._launch(self.program.spectrum_update, **named, h=h)

    def _begin(self, kept: int, number: int) -> None:
        """Set the first vector of a cycle: the residual of the last one, or a random one."""
        self._launch(self.program.spectrum_random, target=kept, number=number, row=STEPS)
        for _ in range(2):
            self._orthogonal(-1, kept, kept, STEPS, self.h)
        self._join(self.program.spectrum_norm, target=kept, alpha=None)

    def _step(self, j: int, kept: int, *, some: bool) -> None:
        """Make the product with vector j orthogonal to the last two vectors and, by the flags, to all."""
        self._launch(self.program.spectrum_product, j=j, begin=kept)
        self._join(self.program.spectrum_sum, 1, row=j, scale=None, out=self.alpha)
        self._orthogonal(j, j + 1, j + 1, j, self.coupling if j == kept else self.h, some=some)
        # its parts along the kept vectors are large: subtract them a second time
        if j == kept:
            self._orthogonal(-1, j + 1, j + 1, j, self.h)
        self._join(self.program.spectrum_norm, target=j + 1)


# --- The projected matrices of several graphs, on the host: Lanczos's method with thick restarts ---


class Ritz:
    """Ritz values of several graphs, from the projected matrices of each cycle.

    Attributes
    ----------
    done : bool array
    fresh : bool array
        The graphs whose next cycle begins with a random vector: at first; when all that was wanted is found,
        to see whether one of the eigenvalues occurs once more (from one vector Lanczos's method finds each
        once); and where the basis cannot grow.
    turn : float64 array, shape (graphs, STEPS, KEPT)
        The next basis: combinations of the vectors as they are stored.
    scale : float64 array, shape (STEPS + 1, graphs)
        Of the next basis.
    """

    def __init__(self, graphs: int) -> None:
        self.graphs = graphs
        self._values = np.zeros((graphs, COUNT))  # 0 where there is none
        self._seen = np.zeros(graphs, bool)
        self.done = np.zeros(graphs, bool)
        self.fresh = np.ones(graphs, bool)
        self.turn = np.zeros((graphs, STEPS, KEPT))
        self.scale = np.ones((STEPS + 1, graphs))
        # their eigenvalues
        self._kept = np.zeros((graphs, KEPT))
        self._valid = np.zeros((graphs, KEPT), bool)
        self._period = np.full(graphs, 2)

    def flags(self, kept: int) -> npt.NDArray[np.int32]:
        """For each step, which graphs make its vector orthogonal to all: two in a row of a period.

        A last row has those that begin with a random vector.
        """
        step = np.arange(STEPS)[:, None] - kept
        return np.vstack((step % self._period < 2, self.fresh)).astype(np.int32)

    def take(self, kept: int, sizes: Any, alpha: Floats, coupling: Floats, norm: Floats, eigh: Eigh) -> None:
        """Take a cycle's diagonal, the first new vector's products with the kept ones, and lengths."""
        going = np.flatnonzero(~self.done)
        matrix, valid = self._projected(going, kept, alpha, coupling, norm)
        found, vectors = eigh(matrix)
        found, vectors = found[:, ::-1], vectors[:, :, ::-1]
        residual = norm[STEPS, going][:, None] * np.abs(vectors[:, -1, :])
        count = valid.sum(1)
        right, positive = _settled(found, residual, count)
        scale = np.ones((len(going), STEPS))
        lengths = norm[kept:STEPS, going].T
        scale[:, kept:] = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        with np.errstate(divide="ignore"):
            spread = found[:, 0] - found[np.arange(len(going)), count - 1]
            growth = 2 * spread / norm[kept + 1 :, going].min(0)
        period = 1 + np.log(MOST / LEAST) / np.log(np.maximum(growth, 2))
        self._period[going] = np.clip(period, 2, LONGEST).astype(int)
        self.fresh[going] = right
        some = np.minimum(np.where(right, COUNT, KEPT), count)
        self.turn[going] = np.where(
            np.arange(KEPT) < some[:, None, None], scale[:, :, None] * vectors[:, :, :KEPT], 0
        )
        self._kept[going] = found[:, :KEPT]
        self._valid[going] = np.arange(KEPT) < some[:, None]
        self.scale[KEPT, going] = 1
        # those whose eigenvalues are all found, and are those that the last time gave
        at, known = np.flatnonzero(right), going[right]
        values = np.where(positive, found[:, :COUNT], 0)[at]
        apart = np.abs(values - self._values[known])
        same = self._seen[known] & (positive.sum(1)[at] == (self._values[known] > 0).sum(1))
        same &= (apart <= SAME * values[:, :1]).all(1)
        self.done[known] = same | (count[at] >= sizes[known])
        self._values[known], self._seen[known] = values, True

    @property
    def values(self) -> list[Floats]:
        """The eigenvalues found last, the largest positive ones, descending."""
        return [each[each > 0] for each in self._values]

    def _projected(
        self, going: npt.NDArray[np.intp], kept: int, alpha: Floats, coupling: Floats, norm: Floats
    ) -> tuple[Floats, Flags]:
        """Return the projected matrices and their valid rows; the others get values below all eigenvalues."""
        k, rows = kept, np.arange(STEPS)
        matrix = np.zeros((len(going), STEPS, STEPS))
        matrix[:, rows[:k], rows[:k]] = self._kept[going, :k]
        matrix[:, rows[k:], rows[k:]] = alpha[k:STEPS, going].T
        if k:
            matrix[:, k, :k] = matrix[:, :k, k] = coupling[:k, going].T
        matrix[:, rows[k:-1], rows[k + 1 :]] = matrix[:, rows[k + 1 :], rows[k:-1]] = norm[
            k + 1 : STEPS, going
        ].T
        valid = np.ones((len(going), STEPS), bool)
        valid[:, :k] = self._valid[going, :k]
        valid[:, k:] = np.logical_and.accumulate(norm[k:STEPS, going] > 0, axis=0).T
        for at in np.flatnonzero(~valid.all(1)).tolist():
            none = ~valid[at]
            matrix[at, none, :] = matrix[at, :, none] = 0
            matrix[at, none, none] = -3 * np.abs(matrix[at]).max() - 1
        return matrix, valid


def _eigh(pool: ThreadPoolExecutor, matrix: Floats) -> tuple[Floats, Floats]:
    """Return eigenvalues and eigenvectors of several small matrices."""
    shares = np.array_split(matrix, max(1, min(cores(), len(matrix) // LEAST_SHARE)))
    # BLAS threads would wait for each other on matrices this small: each of our threads takes several
    with blas().limit(limits=1, user_api="blas"):
        parts = list(pool.map(np.linalg.eigh, shares))
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def device_eigh(device: Device, local: int, matrix: Floats) -> tuple[Floats, Floats]:
    """Return eigenvalues and eigenvectors of several small matrices, found in work-groups of `local`.

    Threads that call LAPACK side by side wait for OpenBLAS's locks: sixteen are no faster than four.
    """
    count, n = matrix.shape[:2]
    vectors, values = device.upload(matrix, writable=True), device.empty(count * n, np.float64)
    kernel = device.program("measures/eigh", LOCAL=local, N=n).eigh
    kernel.exact(count * local, local=local, matrix=vectors, value=values)
    return (
        device.download(values, np.float64, count * n).reshape(count, n),
        device.download(vectors, np.float64, matrix.size).reshape(matrix.shape),
    )


def _settled(found: Floats, residual: Floats, count: npt.NDArray[np.intp]) -> tuple[Flags, Flags]:
    """Return whether all wanted eigenvalues are found, and which of the first COUNT are positive.

    The error of an eigenvalue is at most its residual, and at most the residual's square over the distance to
    the others.
    """
    top, left = found[:, :COUNT], residual[:, :COUNT]
    gap = top - (found + residual)[:, 1 : COUNT + 1]
    gap[:, 1:] = np.minimum(gap[:, 1:], (top - left)[:, :-1] - top[:, 1:])
    error = np.minimum(left, np.divide(left * left, gap, out=left.copy(), where=gap > 0))
    there = np.arange(COUNT) < count[:, None]
    wanted = there & (top + left > ZERO * top[:, :1])
    right: Flags = ~wanted | (error <= EXACT * top) | (left <= ROUNDING * top[:, :1])
    return np.all(right, axis=1), there & (top > ZERO * top[:, :1])


# --- The largest eigenvalues on the host: of small graphs, and for devices without float64 ---


@cache
def blas() -> Any:
    """Return the controller of BLAS threads; cached, since finding the libraries takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def positive(values: Floats) -> Floats:
    """Return the `COUNT` largest positive eigenvalues, descending."""
    values = np.sort(values)[::-1]
    return values[values > ZERO * values[0]][:COUNT]


def host_eigenvalues(
    row_ptr: npt.NDArray[np.integer], col_idx: npt.NDArray[np.int32], matrix: Matrix = "adjacency"
) -> Found:
    """Find eigenvalues by SciPy's eigsh, of small graphs by NumPy; or say why there are none.

    In large graphs it may miss some copies of a repeated eigenvalue, since it starts from one vector.
    """
    import scipy.sparse as sp
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    n = len(row_ptr) - 1
    whole: Any = sp.csr_array((np.ones(len(col_idx)), col_idx, row_ptr), shape=(n, n))
    if matrix != "adjacency":
        whole = sp.csgraph.laplacian(whole, normed=matrix == "normalized laplacian")
    if n <= NO_LANCZOS:
        return positive(np.linalg.eigvalsh(whole.toarray()).astype(np.float64)), None
    # a fixed start vector: all ones would miss antisymmetric eigenvectors, and SciPy's random one
    # would not be reproducible
    start = np.random.Generator(np.random.Philox(1)).random(n) + 0.5
    try:
        # many small products: one core is faster than two that wait for each other
        with blas().limit(limits=1, user_api="blas"):
            values = eigsh(whole, k=COUNT, which="LA", v0=start, return_eigenvectors=False)
    except ArpackNoConvergence as error:
        found = len(error.eigenvalues)
        return np.zeros(0), f"SciPy's eigsh found only {found} of {COUNT} eigenvalues in {10 * n} iterations"
    return positive(values), None
