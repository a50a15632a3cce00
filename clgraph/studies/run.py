"""The samples of a study, drawn and measured a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from clgraph._version import __version__
from clgraph.csr.device_csr import Joined
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import ClgraphError
from clgraph.graph import Graph
from clgraph.graph.building import INT32_MAX
from clgraph.measures.compare import distances
from clgraph.measures.optional import Also
from clgraph.measures.pack import Pack, alone, measured_view
from clgraph.measures.scalars import MeasureRequest, Measures, measure_all
from clgraph.sampling import Samples
from clgraph.sampling.literature.engine import DIED_OUT
from clgraph.sampling.runs import draw_large_enough
from clgraph.sampling.samples import collapsed
from clgraph.studies.columns import Row, scalars
from clgraph.studies.plan import Plan

if TYPE_CHECKING:
    from clgraph.device import Device

# vertices that are measured together: enough to fill the device, few enough that Ctrl-C loses little
LAUNCH = LaunchTable(gpu=1 << 24, cpu=1 << 19, simulator=1 << 10)
# seconds of drawing after which what there is is measured and kept
PATIENCE = 2.0

Histogram = list[list[int]]


class Drawn(NamedTuple):
    """Some samples of one method."""

    method: str
    samples: Samples
    notes: list[str]
    first: bool  # of its samples


class Batch(NamedTuple):
    """Some samples of one method, measured."""

    method: str
    rows: list[Row]  # in the order of the plan
    degrees: dict[str, Histogram]  # by size, of the first seed's samples, if they are here
    hop_plots: dict[str, list[float]]  # likewise
    spectra: dict[str, list[float]]  # likewise: the largest eigenvalues
    restarts: dict[str, dict[str, int]]  # by size and seed, of those that started again
    notes: list[str]


def batches(
    graph: Graph, plan: Plan, original: Measures, device: Device, before: list[Row]
) -> Iterator[Batch]:
    """Draw and measure what a study lacks after the rows that there are, in the order of the plan."""
    also = Also(plan.also, graph, device, MeasureRequest(sources=plan.hop_sources))
    # a batch is of whole runs: an interrupt then never leaves half of the sizes of a seed
    each, a_run, room = len(plan.sizes), sum(plan.targets), LAUNCH.of(device)
    drawn: list[Drawn] = []
    vertices, begun = 0, 0.0
    for number, method in enumerate(plan.methods):
        begin = max(0, len(before) // each - number * plan.seeds)
        if begin >= plan.seeds:
            continue
        # seeds that replaced too small samples lie above all planned ones, also after an interruption
        seeds = [row["seed"] for row in before if row["method"] == method]
        following = max([plan.seed + plan.seeds, *(seed + 1 for seed in seeds)])
        while begin < plan.seeds:
            runs = min(max(1, room // a_run), plan.seeds - begin)
            if drawn and (vertices + runs * a_run > room or perf_counter() - begun > PATIENCE):
                yield from _measured(plan, original, drawn, device, also)
                drawn, vertices = [], 0
            begun = begun if drawn else perf_counter()
            options = {"sizes": list(plan.sizes), "seed": plan.seed + begin, "seeds": runs, "device": device}
            try:
                made, notes, following = draw_large_enough(graph, method, options, plan.min_size, following)
            except ClgraphError:
                if drawn:  # what there is is kept
                    yield from _measured(plan, original, drawn, device, also)
                raise
            drawn.append(Drawn(method, made, [f"{method}, {note}" for note in notes], begin == 0))
            vertices += runs * a_run
            begin += runs
    if drawn:
        yield from _measured(plan, original, drawn, device, also)


def _measured(
    plan: Plan, original: Measures, drawn: list[Drawn], device: Device, also: Also
) -> Iterator[Batch]:
    request = MeasureRequest(sources=plan.hop_sources, eigenvalues=plan.eigenvalues)
    found = _measures([each.samples for each in drawn], device, request)
    for each in drawn:
        own = [next(found) for _ in each.samples]
        yield _batch(each, own, plan, original, device, also)


def _batch(
    drawn: Drawn, found: list[Measures], plan: Plan, original: Measures, device: Device, also: Also
) -> Batch:
    rows: list[Row] = []
    notes = list(drawn.notes)
    restarts: dict[str, dict[str, int]] = {}
    for each, measures in zip(drawn.samples, found, strict=True):
        apart, more = distances(original, measures), also.of(each.graph) if plan.also else {}
        rows.append(
            {
                "method": each.method,
                "mode": each.mode,
                "size": str(each.size),
                "target": each.target_vertices,
                "seed": each.seed,
                **scalars(measures),
                **{f"ks_{name}": value for name, value in apart.items()},
                **{name: None if isinstance(value, str) else value for name, value in more.items()},
                "version": __version__,
                "device": device.name,
            }
        )
        if any(note.startswith(DIED_OUT) for note in each.notes):
            restarts.setdefault(str(each.size), {})[str(each.seed)] = each.iterations - 1
        if collapse := collapsed(measures.vertices, min(each.target_vertices, original.largest_component)):
            notes.append(f"{each.method}, size {each.size}, seed {each.seed}: {collapse}")
    first = dict(zip(plan.sizes, found, strict=False)) if drawn.first else {}
    return Batch(
        drawn.method,
        rows,
        {size: [each.tolist() for each in one.degree_histogram] for size, one in first.items()},
        {size: one.hop_plot.tolist() for size, one in first.items()},
        {size: one.eigenvalues.tolist() for size, one in first.items()},
        restarts,
        notes,
    )


def _measures(drawn: list[Samples], device: Device, request: MeasureRequest) -> Iterator[Measures]:
    """Measure samples, as many at a time as fill the device."""
    # small samples are measured together, in one launch for each kernel: alone they leave a device idle
    with device.alone():
        parts: list[tuple[list[int], Joined]] = []
        count = 0
        for made in drawn:
            joined = made._joined_on(device)
            parts += [([count + k for k in which], part) for which, part in joined]
            there = {k for which, _ in joined for k in which}
            parts += [
                ([count + k], alone(device, measured_view(device, each.graph)))
                for k, each in enumerate(made)
                if k not in there
            ]
            count += len(made)
        groups: list[list[tuple[list[int], Joined]]] = []
        room = arcs = 0
        for which, part in parts:
            room, arcs = room - part.rows.n, arcs + part.rows.arcs
            if not groups or room < 0 or arcs > INT32_MAX:
                groups.append([])
                room, arcs = LAUNCH.of(device) - part.rows.n, part.rows.arcs
            groups[-1].append((which, part))
        found: dict[int, Measures] = {}
        for group in groups:
            numbers = [k for which, _ in group for k in which]
            pack = Pack.join(device, [part for _, part in group])
            found.update(zip(numbers, measure_all(pack, request), strict=True))
    return (found[k] for k in range(count))
