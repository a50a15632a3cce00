"""The samples of a study, drawn and measured a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clgraph._version import __version__
from clgraph.device.shapes import Shapes
from clgraph.graph import Graph
from clgraph.measures.compare import distances
from clgraph.measures.pack import Pack, measured_view
from clgraph.measures.scalars import Measures, Wish, measure_all
from clgraph.sampling import Sample, Samples
from clgraph.sampling.calls import draw_samples
from clgraph.sampling.redraw import large_enough
from clgraph.sampling.samples import collapsed
from clgraph.studies.columns import Row, scalars
from clgraph.studies.plan import Plan

if TYPE_CHECKING:
    from clgraph.device import Device

# vertices that are measured together: enough to fill the device, few enough that Ctrl-C loses little
SHAPES = Shapes(gpu=1 << 24, cpu=1 << 19, simulator=1 << 10)

Histogram = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Batch:
    """Some samples of one method, measured.

    Attributes
    ----------
    method : str
    rows : list of dict
        In the order of the plan.
    degrees : dict of size to (degrees, vertices)
        Of the first seed's samples, if they are here.
    notes : list of str
        What the user should know.
    """

    method: str
    rows: list[Row]
    degrees: dict[str, Histogram]
    notes: list[str]


def batches(
    graph: Graph, plan: Plan, original: Measures, device: Device, before: list[Row]
) -> Iterator[Batch]:
    """What a study has after the rows that there are already: whole runs, in the order of the plan."""
    each = len(plan.sizes)
    room = max(1, SHAPES.of(device) // sum(plan.targets))
    for number, method in enumerate(plan.methods):
        begin = max(0, len(before) // each - number * plan.seeds)
        if begin >= plan.seeds:
            continue
        drawn = [row["seed"] for row in before if row["method"] == method]
        following = max([plan.seed + plan.seeds, *(seed + 1 for seed in drawn)])
        while begin < plan.seeds:
            runs = min(room, plan.seeds - begin)
            made, notes, following = _drawn(graph, plan, method, plan.seed + begin, runs, following, device)
            yield _measured(method, plan, original, made, device, notes, with_degrees=begin == 0)
            begin += runs


def _drawn(
    graph: Graph, plan: Plan, method: str, first: int, runs: int, following: int, device: Device
) -> tuple[list[Sample], list[str], int]:
    """The samples of some runs, those that are too small drawn again; the notes of that; the next seed."""
    sizes = list(plan.sizes)
    found = draw_samples(graph, method, None, sizes, runs, {"seed": first, "device": device})
    if not plan.min_size:
        return list(found), [], following

    def draw(seed: int) -> Samples:
        return draw_samples(graph, method, None, sizes, 1, {"seed": seed, "device": device})

    runs_, notes, following = large_enough(found, draw, plan.min_size, len(plan.sizes), following)
    return [each for run in runs_ for each in run], [f"{method}, {note}" for note in notes], following


def _measured(
    method: str,
    plan: Plan,
    original: Measures,
    made: list[Sample],
    device: Device,
    notes: list[str],
    *,
    with_degrees: bool,
) -> Batch:
    wish = Wish(sources=plan.hop_sources, eigenvalues=plan.eigenvalues)
    found: list[Measures] = []
    at = 0
    while at < len(made):
        end, room = at + 1, SHAPES.of(device) - made[at].graph.num_vertices
        while end < len(made) and (room := room - made[end].graph.num_vertices) >= 0:
            end += 1
        with device.alone():
            found += measure_all(
                Pack.of(device, [measured_view(device, each.graph) for each in made[at:end]]), wish
            )
        at = end
    rows = []
    for each, measures in zip(made, found, strict=True):
        apart = distances(original, measures)
        rows.append(
            {
                "method": each.method,
                "mode": each.mode,
                "size": str(each.size),
                "target": each.target,
                "seed": each.seed,
                **scalars(measures),
                **{f"ks_{name}": value for name, value in apart.items()},
                "version": __version__,
                "device": device.name,
            }
        )
        if collapse := collapsed(measures.vertices, min(each.target, original.largest_component)):
            notes.append(f"{each.method}, size {each.size}, seed {each.seed}: {collapse}")
    degrees = {}
    if with_degrees:
        for each, measures in zip(made[: len(plan.sizes)], found, strict=False):
            histogram = measures.degree_histogram
            degrees[str(each.size)] = histogram[0].tolist(), histogram[1].tolist()
    return Batch(method, rows, degrees, notes)
