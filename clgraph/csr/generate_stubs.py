"""Random graphs whose edges join stubs: the configuration model, and graphs with communities (LFR).

Host half of ``cl/csr/generate_stubs.cl``, which also shuffles, and of ``cl/csr/generate_lfr.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import whole
from clgraph.csr.generate import device_of, finish_graph, table_of, table_size
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.errors import InputError
from clgraph.graph.building import INT32_MAX
from clgraph.graph.models import check_range, exact, number, power_law
from clgraph.progress import Tell, with_progress

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph

ROUNDS = 32  # of exchanges: what has found no place by then is unlikely to have one


def _program(device: Device) -> Program:
    """Return the kernels."""
    return device.program("csr/generate_stubs", ITEMS=device.tuning.items)


def draw_degrees(device: Device, n: int, least: int, most: int, thresholds: Any, seed: int) -> Any:
    """Draw degrees by a table of `power_law`: an int32 device buffer, shape (n,)."""
    degree = device.empty(n, np.int32)
    table = {"thresholds": device.upload(thresholds), "classes": most - least + 1}
    passes = -(-n // device.tuning.items)
    _program(device).stubs_degrees(passes, n=n, seed=seed, least=least, **table, degree=degree)
    return degree


def total_of(device: Device, sums: Any, count: int) -> int:
    """Return the last of `count` + 1 running sums.

    Raises
    ------
    InputError
        If it exceeds the stubs that 32-bit numbers can count.
    """
    total = int(device.download(sums, np.int64, 1, offset=count)[0])
    if total >= INT32_MAX:
        raise InputError(
            f"the degrees add up to {total}: at most {INT32_MAX - 1} are possible; give fewer vertices, a "
            "smaller maximum degree or a larger exponent"
        )
    return total


def shuffle(device: Device, value: Any, aim: Any, count: int) -> None:
    """Exchange values i and ``aim[i] >= i`` for i = 0, 1, ...: int32 device buffers, shape (count,)."""
    program, over = _program(device), -(-count // device.tuning.items)
    own = SimpleNamespace(count=count, value=value, aim=aim, left=device.empty(1, np.int32))
    own.claim, own.state = device.empty(count, np.int32), device.zeros(count, np.uint8)
    device.fill(own.claim, np.int32(INT32_MAX), count)
    while count:
        program.shuffle_claim.launch(own, over)
        device.fill(own.left, np.int32(0), 1)
        program.shuffle_judge.launch(own, over)
        program.shuffle_swap.launch(own, over)
        if not int(device.download(own.left, np.int32, 1)[0]):
            return


def _joined(
    device: Device, n: int, offset: Any, begin: int, count: int, seed: int, stubs: Any = None
) -> tuple[Any, Any]:
    """Return tails and heads of stubs joined at random, two and two; -1 where one is missing.

    Parameters
    ----------
    offset : int64 device buffer, shape (n + 1,)
        How many stubs the vertices before each one have.
    begin, count : int
        Where these stubs begin, and all end.
    stubs : callable, optional
        Writes those before them, and their aims, into two buffers.
    """
    device.reserve({"stubs": 4 * count, "aims": 4 * count, "claims": 4 * count, "states": count})
    program, items, edges = _program(device), device.tuning.items, count // 2
    value, aim = device.empty(count, np.int32), device.empty(count, np.int32)
    if stubs is not None:
        device.fill(value, np.int32(-1), count)
        stubs(value=value, aim=aim)
    program.stubs_fill(-(-n // items), n=n, begin=begin, offset=offset, value=value)
    program.shuffle_aim(-(-(count - begin) // items), begin=begin, end=count, seed=seed, aim=aim)
    shuffle(device, value, aim, count)
    tail, head = device.output(edges, np.int32), device.output(edges, np.int32)
    program.stubs_join(-(-edges // items), edges=edges, value=value, tail=tail, head=head)
    return tail, head


@keyed.takes_rng
@with_progress("generating")
def configuration_graph(
    num_vertices: int,
    *,
    exponent: float = 2.5,
    min_degree: int = 1,
    max_degree: int | None = None,
    seed: int | None = None,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    progress: Any = None,
) -> Graph:
    """Generate a configuration model with degrees from a bounded power law (Molloy and Reed, 1995).

    Each vertex draws a degree k from `min_degree` to `max_degree` with a probability in proportion to
    ``k ** -exponent`` (a bounded Zipf law); where their sum is odd, vertex 0 gets one more, or one less if it
    has the most. These stubs are joined at random, two and two. Loops are dropped and
    parallel edges merged, so that degrees, large ones above all, may come out lower.

    Parameters
    ----------
    num_vertices : int
    exponent : float
        From 0 (all degrees equally likely) to 20.
    min_degree, max_degree : int
        Of what is drawn. Default for the largest: ``sqrt(num_vertices)``, up to which loops and parallel
        edges are rare; at most ``num_vertices - 1``.
    seed, rng, device, progress
        As in `clgraph.erdos_renyi_graph`.

    Returns
    -------
    Graph
        On vertices 0 .. num_vertices - 1.

    Raises
    ------
    InputError
        If a parameter is out of its range, or the sum of equal degrees is odd.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> from clgraph import configuration_graph
    >>> graph = configuration_graph(1000, exponent=2.2, min_degree=2, max_degree=50, seed=1)
    >>> graph.num_vertices, int(graph.degrees.max()) <= 50
    (1000, True)
    """
    n = whole(num_vertices, "number of vertices", 1, INT32_MAX)
    if max_degree is None:
        max_degree = max(int(min_degree), int(n**0.5)) if isinstance(min_degree, (int, np.integer)) else 1
    least, most = check_degrees(n, min_degree, max_degree)
    thresholds = power_law(least, most, exponent)
    seed = keyed.check_seed(seed)
    dev = device_of(device)
    with dev.alone():
        dev.reserve({"degrees": 4 * n, "offsets": 8 * (n + 1)})
        degree = draw_degrees(dev, n, least, most, thresholds, seed)
        offset = running_sums(dev, degree, n)
        count = total_of(dev, offset, n)
        # an edge has two ends, so the sum of degrees must be even
        if count % 2:
            _program(dev).stubs_even(1, most=most, degree=degree)
            offset = running_sums(dev, degree, n)
            count = total_of(dev, offset, n)
        made = finish_graph(dev, n, *_joined(dev, n, offset, 0, count, seed), count // 2, "merge")
        if progress:
            progress(count // 2, count // 2)
        return made


def check_degrees(n: int, min_degree: int, max_degree: int) -> tuple[int, int]:
    """Check the range of degrees on n vertices, and return it.

    Raises
    ------
    InputError
        If it is empty, there are too few vertices, or all sums would be odd.
    """
    least, most = check_range(min_degree, max_degree, "degree")
    if most >= n:
        raise InputError(
            f"maximum degree {most}: {n} vertices allow at most {n - 1}; give less, or more vertices"
        )
    if least == most and least * n % 2:
        raise InputError(
            f"{n} vertices of degree {least}: the sum of the degrees is odd, and each edge adds two; change "
            "one of both"
        )
    return least, most


# --- Communities: host half of ``cl/csr/generate_lfr.cl`` ---


@dataclass(frozen=True, repr=False)
class Communities:
    """A graph with communities.

    Attributes
    ----------
    graph : Graph
    community : int32 array, shape (n,)
        Each vertex's community: 0 is the largest one.
    num_communities : int
    dropped : int
        Edges that were left out, because no exchange gave them a place.
    rounds : int
        Of exchanges.
    seed : int
    """

    graph: Graph
    community: npt.NDArray[np.int32]
    num_communities: int
    dropped: int
    rounds: int
    seed: int

    def __repr__(self) -> str:
        return f"<Communities: {self.num_communities} in {self.graph!r}>"


@keyed.takes_rng
@with_progress("generating")
def lfr_graph(
    num_vertices: int,
    *,
    mixing: float = 0.1,
    degree_exponent: float = 2.5,
    min_degree: int = 5,
    max_degree: int = 50,
    community_exponent: float = 1.5,
    min_community: int = 20,
    max_community: int = 100,
    seed: int | None = None,
    rng: keyed.Rng | None = None,
    device: Device | str | None = None,
    progress: Any = None,
) -> Communities:
    """Generate a benchmark graph with communities (LFR: Lancichinetti, Fortunato, Radicchi, 2008).

    Degrees and sizes of communities follow bounded power laws; of each vertex's edges the share `mixing`
    leads to other communities. Inside each community, and between all, stubs are joined at random, and edges
    that are loops, stand there already, or should leave their community and do not are mended.

    Where this is not the original: `min_degree` is given instead of the average; a share of a degree is
    rounded up or down at random; sizes that add up to too much are cut at the last community, and if that
    gets too small, its vertices go to the others or some of theirs to it; the vertices with most edges inside
    are seated first, at random where they fit, and nobody moves again; an odd number of stubs inside a
    community, or between all, leaves one of them out; and an edge is mended by exchanging ends with another
    one of its kind, all of them at once, for at most 32 rounds, after which it is left out
    (`Communities.dropped`).

    Parameters
    ----------
    num_vertices : int
    mixing : float
        From 0 to 1.
    degree_exponent : float
    min_degree, max_degree : int
        As in `clgraph.configuration_graph`.
    community_exponent : float
    min_community, max_community : int
        Sizes; communities of `max_community` must have room for the edges inside of a vertex of the highest
        degree.
    seed, rng, device, progress
        As in `clgraph.erdos_renyi_graph`.

    Returns
    -------
    Communities

    Raises
    ------
    InputError
        If a parameter is out of its range, or they do not fit together.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> from clgraph import lfr_graph
    >>> found = lfr_graph(1000, mixing=0.2, seed=1)
    >>> found.graph.num_vertices, found.community.shape
    (1000, (1000,))
    """
    n = whole(num_vertices, "number of vertices", 1, INT32_MAX)
    mixing = number(mixing, "mixing", 0, 1)
    seed = keyed.check_seed(seed)
    least, most = check_degrees(n, min_degree, max_degree)
    degrees = power_law(least, most, degree_exponent)
    sizes = _community_sizes(n, min_community, max_community, community_exponent, seed)
    if mixing > 0 and len(sizes) == 1:
        raise InputError(
            f"mixing {mixing}: there is only one community of all {n} vertices, and nothing outside; give 0, "
            "or a smaller maximum community"
        )
    begin = np.concatenate(([0], np.cumsum(sizes)))
    # seats in communities of more than k vertices, for k = most, most - 1, ..., 0
    larger = len(sizes) - np.searchsorted(sizes[::-1], np.arange(most, -1, -1), side="right")
    # what the kernels share, by their names; `count` communities
    own = SimpleNamespace(n=n, count=len(sizes), most=most, mixing=int(exact(mixing) * 2**32), seed=seed)
    dev = device_of(device)
    with dev.alone():
        items = dev.tuning.items
        over, groups = -(-n // items), -(-own.count // items)
        dev.reserve({"vertices": 40 * n})
        program = dev.program("csr/generate_lfr", ITEMS=items)
        own.degree = draw_degrees(dev, n, least, most, degrees, seed)
        own.inside, own.outside = dev.empty(n, np.int32), dev.empty(n, np.int32)
        own.key = dev.empty(n, np.uint32)
        program.lfr_split.launch(own, over)
        own.seated = _seat(dev, program, own, begin[larger].astype(np.int32))
        own.begin = dev.upload(begin.astype(np.int32))
        own.community, own.total = dev.output(n, np.int32), dev.empty(own.count, np.int32)
        program.lfr_count.launch(own, groups)
        own.stubs = running_sums(dev, own.total, own.count)
        offset = running_sums(dev, own.outside, n)
        within, beyond = total_of(dev, own.stubs, own.count), total_of(dev, offset, n)
        ends = within + beyond + beyond % 2
        if ends >= INT32_MAX:
            raise InputError(f"the degrees add up to {ends}: at most {INT32_MAX - 1} are possible")

        def stubs(**inside: Any) -> None:
            program.lfr_stubs.launch(own, groups, **inside)

        own.tail, own.head = _joined(dev, n, offset, within, ends, seed, stubs)
        own.edges, own.between = ends // 2, within // 2
        dropped, rounds = _mend(dev, program, own, progress)
        del own.table, own.mate, own.wanted, own.state  # the rows need the memory
        graph = finish_graph(dev, n, own.tail, own.head, own.edges)
        return Communities(graph, dev.take(own.community, np.int32, n), own.count, dropped, rounds, seed)


def _community_sizes(n: int, least: int, most: int, exponent: float, seed: int) -> npt.NDArray[np.int64]:
    """Draw sizes by a bounded power law, in falling order, n in all."""
    least, most = check_range(least, most, "community")
    most = min(most, n)
    if n < least:
        raise InputError(
            f"{n} vertices are fewer than one community's {least}; give a smaller minimum community"
        )
    thresholds = power_law(least, most, exponent)
    words = keyed.philox4x32(np.arange(n // least + 1) & 0xFFFFFFFF, 0, 6, keyed.TAG_MODEL, seed)
    drawn = words[0].astype(np.uint64) | words[1].astype(np.uint64) << np.uint64(32)
    sizes = least + np.searchsorted(thresholds, drawn, side="right")
    ends = np.cumsum(sizes)
    last = int(np.searchsorted(ends, n))
    sizes = sizes[: last + 1]
    sizes[last] -= ends[last] - n
    short = least - int(sizes[last])
    if short > 0:
        room, spare = np.cumsum(most - sizes[:last]), np.cumsum(sizes[:last] - least)
        if last and room[-1] >= sizes[last]:  # its vertices fill up the first ones
            filled = np.minimum(room, sizes[last])
            sizes = sizes[:last] + np.diff(filled, prepend=0)
        elif last and spare[-1] >= short:  # the first ones fill it up
            sizes[:last] -= np.diff(np.minimum(spare, short), prepend=0)
            sizes[last] = least
        else:
            raise InputError(
                f"{n} vertices are no sum of communities of {least} to {most}; give a wider range"
            )
    return np.sort(sizes)[::-1].astype(np.int64)


def _seat(dev: Device, program: Any, own: Any, eligible: npt.NDArray[np.int32]) -> Any:
    """Return the vertex on each seat."""
    n, over = own.n, -(-own.n // dev.tuning.items)
    key, order = sort_by_key(dev, own.key, n, own.most.bit_length())
    aim, seat = dev.empty(n, np.int32), dev.empty(n, np.int32)
    refused = dev.empty(1, np.int32)
    dev.fill(refused, np.int32(INT32_MAX), 1)
    seats = {"eligible": dev.upload(eligible), "aim": aim, "seat": seat, "refused": refused}
    program.lfr_aim.launch(own, over, key=key, **seats)
    first = int(dev.download(refused, np.int32, 1)[0])
    if first < n:
        within = own.most - int(dev.download(key, np.uint32, 1, offset=first)[0])
        raise InputError(
            f"{first + 1} vertices have {within} neighbours or more inside their community, and the "
            f"communities of more than {within} vertices have room for {first}; give a larger maximum "
            "community, a larger mixing or a smaller maximum degree"
        )
    shuffle(dev, seat, aim, n)
    seated = dev.empty(n, np.int32)
    program.lfr_seat(over, n=n, order=order, seat=seat, seated=seated)
    return seated


def _mend(dev: Device, program: Any, own: Any, progress: Tell | None) -> tuple[int, int]:
    """Exchange ends; returns the number of edges that are left out, and of rounds."""
    edges = own.edges
    over = -(-edges // dev.tuning.items)
    dev.reserve({"table of edges": 4 * table_size(edges), "wanted edges": 8 * edges, "states": edges})
    own.table, own.mask = table_of(dev, edges)
    own.state = dev.zeros(edges, np.uint8)
    own.mate, own.wanted = dev.empty(edges, np.int32), dev.empty(edges, np.int32)
    own.left = dev.empty(1, np.int32)
    wrong, rounds = 0, 0
    for rounds in range(ROUNDS + 1):
        dev.fill(own.table, np.int32(-1), own.mask + 1)
        dev.fill(own.wanted, np.int32(INT32_MAX), edges)
        dev.fill(own.left, np.int32(0), 1)
        program.lfr_enter.launch(own, over)
        program.lfr_want.launch(own, over, round=rounds)
        wrong = int(dev.download(own.left, np.int32, 1)[0])
        if progress:
            progress(edges - wrong, edges)
        if not wrong or rounds == ROUNDS:
            break
        program.lfr_exchange.launch(own, over)
    program.lfr_drop.launch(own, over)
    return wrong, rounds
