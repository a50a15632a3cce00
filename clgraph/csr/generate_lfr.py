"""Graphs with communities: host half of ``cl/csr/generate_lfr.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import hints, whole
from clgraph.csr.generate import finish_graph, on_device
from clgraph.csr.generate_distinct import MOST_VERTICES, share, table_of, table_size
from clgraph.csr.generate_stubs import check_degrees, draw_degrees, join, shuffle, stubs_program, total_of
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.errors import InputError
from clgraph.graph.building import INT32_MAX
from clgraph.graph.models import check_range, exact, power_law
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

ROUNDS = 32  # of exchanges: what has found no place by then is unlikely to have one


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


@hints
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
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Communities:
    """A graph with communities, for tests of what finds them (LFR: Lancichinetti, Fortunato, Radicchi, 2008).

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
    seed, device, progress
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
    n = whole(num_vertices, "number of vertices", 1, MOST_VERTICES)
    mixing = share(mixing, "mixing")
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
    tables = begin.astype(np.int32), begin[larger].astype(np.int32)
    making = _Making(n, least, most, degrees, *tables, int(exact(mixing) * 2**32), seed, progress)
    return on_device(device, making.make)


def _community_sizes(n: int, least: int, most: int, exponent: float, seed: int) -> npt.NDArray[np.int64]:
    """Sizes by a bounded power law, in falling order, n in all."""
    least, most = check_range(least, most, "community")
    most = min(most, n)
    if n < least:
        raise InputError(
            f"{n} vertices are fewer than one community's {least}; give a smaller minimum community"
        )
    thresholds = power_law(least, most, exponent)
    number = np.arange(n // least + 1)
    words = keyed.philox4x32(number & 0xFFFFFFFF, 0, 6, keyed.TAG_MODEL, seed)
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


class _Making:
    """How a graph is made on a device; attributes are the arguments of ``cl/csr/generate_lfr.cl``."""

    def __init__(
        self,
        n: int,
        least: int,
        most: int,
        degrees: npt.NDArray[np.uint64],
        begin: npt.NDArray[np.int32],
        eligible: npt.NDArray[np.int32],
        mixing: int,
        seed: int,
        progress: Tell | None,
    ) -> None:
        self.n, self.least, self.most, self.mixing, self.seed = n, least, most, mixing, seed
        self.count = len(begin) - 1  # communities
        self._degrees, self._begin, self._eligible, self._progress = degrees, begin, eligible, progress

    def make(self, dev: Device) -> Communities:
        """Make the graph."""
        n, count, items, seed = self.n, self.count, dev.tuning.items, self.seed
        dev.reserve({"vertices": 40 * n})
        program = dev.program("csr/generate_lfr", ITEMS=items)
        over, groups = -(-n // items), -(-count // items)
        self.degree = draw_degrees(dev, n, self.least, self.most, self._degrees, seed)
        self.inside, self.outside = dev.empty(n, np.int32), dev.empty(n, np.int32)
        self.key = dev.empty(n, np.uint32)
        program.lfr_split.launch(self, over)
        self.seated = self._seat(dev, program)
        self.begin = dev.upload(self._begin)
        self.community, self.total = dev.output(n, np.int32), dev.empty(count, np.int32)
        program.lfr_count.launch(self, groups)
        self.stubs = running_sums(dev, self.total, count)
        offset = running_sums(dev, self.outside, n)
        within, beyond = total_of(dev, self.stubs, count), total_of(dev, offset, n)
        ends = within + beyond + beyond % 2
        if ends >= INT32_MAX:
            raise InputError(f"the degrees add up to {ends}: at most {INT32_MAX - 1} are possible")
        dev.reserve({"stubs": 4 * ends, "aims": 4 * ends, "claims": 4 * ends, "states": ends})
        value, aim = dev.empty(ends, np.int32), dev.empty(ends, np.int32)
        dev.fill(value, np.int32(-1), ends)
        program.lfr_stubs.launch(self, groups, value=value, aim=aim)
        kernels = stubs_program(dev)
        kernels.stubs_fill(over, n=n, begin=within, offset=offset, value=value)
        kernels.shuffle_aim(-(-(ends - within) // items), begin=within, end=ends, seed=seed, aim=aim)
        shuffle(dev, value, aim, ends)
        self.edges, self.between = ends // 2, within // 2
        self.tail, self.head = join(dev, value, self.edges)
        del value, aim
        dropped, rounds = self._mend(dev, program)
        del self.table, self.mate, self.wanted, self.state  # the rows need the memory
        graph = finish_graph(dev, n, self.tail, self.head, self.edges)
        found = dev.take(self.community, np.int32, n)
        return Communities(graph, found, count, dropped, rounds, seed)

    def _seat(self, dev: Device, program: Any) -> Any:
        """Return the vertex on each seat."""
        n, over = self.n, -(-self.n // dev.tuning.items)
        key, order = sort_by_key(dev, self.key, n, self.most.bit_length())
        aim, seat = dev.empty(n, np.int32), dev.empty(n, np.int32)
        refused = dev.empty(1, np.int32)
        dev.fill(refused, np.int32(INT32_MAX), 1)
        seats = {"eligible": dev.upload(self._eligible), "aim": aim, "seat": seat, "refused": refused}
        program.lfr_aim.launch(self, over, key=key, **seats)
        first = int(dev.download(refused, np.int32, 1)[0])
        if first < n:
            within = self.most - int(dev.download(key, np.uint32, 1, offset=first)[0])
            raise InputError(
                f"{first + 1} vertices have {within} neighbours or more inside their community, and the "
                f"communities of more than {within} vertices have room for {first}; give a larger maximum "
                "community, a larger mixing or a smaller maximum degree"
            )
        shuffle(dev, seat, aim, n)
        seated = dev.empty(n, np.int32)
        program.lfr_seat(over, n=n, order=order, seat=seat, seated=seated)
        return seated

    def _mend(self, dev: Device, program: Any) -> tuple[int, int]:
        """Exchange ends; returns the number of edges that are left out, and of rounds."""
        edges = self.edges
        over = -(-edges // dev.tuning.items)
        dev.reserve({"table of edges": 4 * table_size(edges), "wanted edges": 8 * edges, "states": edges})
        self.table, self.mask = table_of(dev, edges)
        self.state = dev.zeros(edges, np.uint8)
        self.mate, self.wanted = dev.empty(edges, np.int32), dev.empty(edges, np.int32)
        self.left = dev.empty(1, np.int32)
        wrong, number = 0, 0
        for number in range(ROUNDS + 1):
            dev.fill(self.table, np.int32(-1), self.mask + 1)
            dev.fill(self.wanted, np.int32(INT32_MAX), edges)
            dev.fill(self.left, np.int32(0), 1)
            program.lfr_enter.launch(self, over)
            program.lfr_want.launch(self, over, round=number)
            wrong = int(dev.download(self.left, np.int32, 1)[0])
            if self._progress:
                self._progress(edges - wrong, edges)
            if not wrong or number == ROUNDS:
                break
            program.lfr_exchange.launch(self, over)
        program.lfr_drop.launch(self, over)
        return wrong, number
