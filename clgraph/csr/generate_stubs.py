"""The configuration model, and shuffles: host half of ``cl/csr/generate_stubs.cl``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph import keyed
from clgraph.arguments import hints, whole
from clgraph.csr.generate import finish_graph, on_device
from clgraph.csr.generate_distinct import MOST_VERTICES
from clgraph.csr.scan import running_sums
from clgraph.errors import InputError
from clgraph.graph.building import INT32_MAX
from clgraph.graph.models import check_range, power_law
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph


def stubs_program(device: Device) -> Program:
    """The kernels."""
    return device.program("csr/generate_stubs", ITEMS=device.tuning.items)


def draw_degrees(device: Device, n: int, least: int, most: int, thresholds: Any, seed: int) -> Any:
    """Degrees by a table of `power_law`: an int32 device buffer, shape (n,)."""
    degree = device.empty(n, np.int32)
    table = {"thresholds": device.upload(thresholds), "classes": most - least + 1}
    passes = -(-n // device.tuning.items)
    stubs_program(device).stubs_degrees(passes, n=n, seed=seed, least=least, **table, degree=degree)
    return degree


def total_of(device: Device, sums: Any, count: int) -> int:
    """The last of `count` + 1 running sums.

    Raises
    ------
    InputError
        If it is no number of stubs that 32-bit numbers can name.
    """
    total = int(device.download(sums, np.int64, 1, offset=count)[0])
    if total >= INT32_MAX:
        raise InputError(
            f"the degrees add up to {total}: at most {INT32_MAX - 1} are possible; give fewer vertices, a "
            "smaller maximum degree or a larger exponent"
        )
    return total


def shuffle(device: Device, value: Any, aim: Any, count: int) -> None:
    """For i = 0, 1, ... exchange values i and ``aim[i] >= i``: int32 device buffers, shape (count,)."""
    program, over = stubs_program(device), -(-count // device.tuning.items)
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


def join(device: Device, value: Any, edges: int) -> tuple[Any, Any]:
    """Tails and heads of stubs that are joined two and two, as they stand; -1 where one is missing."""
    tail, head = device.output(edges, np.int32), device.output(edges, np.int32)
    passes = -(-edges // device.tuning.items)
    stubs_program(device).stubs_join(passes, edges=edges, value=value, tail=tail, head=head)
    return tail, head


@hints
def configuration_graph(
    num_vertices: int,
    *,
    exponent: float = 2.5,
    min_degree: int = 1,
    max_degree: int | None = None,
    seed: int | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Graph:
    """The configuration model with degrees by a bounded power law (Molloy and Reed, 1995).

    Each vertex draws a degree k from `min_degree` to `max_degree` with a probability in proportion to
    ``k ** -exponent`` (a bounded Zipf law); where their sum is odd, vertex 0 gets one more, or one less if it
    has the most. So many stubs of each vertex are joined at random, two and two. Loops are dropped and
    parallel edges merged, so that degrees, large ones above all, may come out lower.

    Parameters
    ----------
    num_vertices : int
    exponent : float
        From 0 (all degrees equally likely) to 20.
    min_degree, max_degree : int
        Of what is drawn. Default for the largest: ``sqrt(num_vertices)``, up to which loops and parallel
        edges are rare; at most ``num_vertices - 1``.
    seed, device, progress
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
    n = whole(num_vertices, "number of vertices", 1, MOST_VERTICES)
    if max_degree is None:
        max_degree = max(int(min_degree), int(n**0.5)) if isinstance(min_degree, (int, np.integer)) else 1
    least, most = check_degrees(n, min_degree, max_degree)
    thresholds = power_law(least, most, exponent)
    seed = keyed.check_seed(seed)

    def make(dev: Device) -> Graph:
        dev.reserve({"degrees": 4 * n, "offsets": 8 * (n + 1)})
        program, over = stubs_program(dev), -(-n // dev.tuning.items)
        degree = draw_degrees(dev, n, least, most, thresholds, seed)
        offset = running_sums(dev, degree, n)
        count = total_of(dev, offset, n)
        # an edge has two ends, so the sum of degrees must be even
        if count % 2:
            program.stubs_even(1, most=most, degree=degree)
            offset = running_sums(dev, degree, n)
            count = total_of(dev, offset, n)
        dev.reserve({"stubs": 4 * count, "aims": 4 * count, "claims": 4 * count, "states": count})
        value, aim = dev.empty(count, np.int32), dev.empty(count, np.int32)
        program.stubs_fill(over, n=n, begin=0, offset=offset, value=value)
        items = dev.tuning.items
        program.shuffle_aim(-(-count // items), begin=0, end=count, seed=seed, aim=aim)
        shuffle(dev, value, aim, count)
        ends = join(dev, value, count // 2)
        made = finish_graph(dev, n, *ends, count // 2, "merge")
        if progress:
            progress(count // 2, count // 2)
        return made

    return on_device(device, make)


def check_degrees(n: int, min_degree: int, max_degree: int) -> tuple[int, int]:
    """The range of degrees on n vertices.

    Raises
    ------
    InputError
        If it is none, there are too few vertices, or all sums would be odd.
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
