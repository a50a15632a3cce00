"""A sample compared with its original: whether it is a part of it, and how far their distributions differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import word
from clgraph.csr.upload import Residence, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.graph import Graph

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.measures.scalars import Measures

# arcs per work-item
LAUNCH = LaunchTable(gpu=16, cpu=4096, simulator=8)
Relation = Literal["subset", "contraction", "none"]


def check_part(
    original: Graph,
    sample: Graph,
    relation: str = "subset",
    names: tuple[str, str] = ("the original", "the sample"),
    *,
    device: Device,
) -> None:
    """Check that a sample is a part of the original, by original ids.

    Parameters
    ----------
    original, sample : Graph
        Their undirected views are compared.
    relation : {"subset", "contraction", "none"}
        What to check: that vertices and edges are the original's; that the vertices are (edges join groups);
        nothing.
    names : pair of str
        What the message calls the two.
    device : Device

    Raises
    ------
    InputError
        If it is not; the message names the first vertex or edge that is missing.
    """
    if word(relation, "relation", get_args(Relation)) == "none" or sample.num_vertices == 0:
        return
    whole, part = names
    rows = upload_csr(device, sample.undirected)
    other = upload_csr(device, original.undirected)
    place = _places(device, original, sample)
    defines = {"RUN": LAUNCH.of(device), "ITEMS": device.tuning.items, "WHOLE": other.defines["OFFSET"]}
    program = device.program("measures/compare", **defines, **rows.defines)
    # the kernel keeps the smallest vertex at fault, so that every device names the same one
    k, none = rows.n, np.array([rows.n], np.int32)
    bad = device.upload(none, writable=True)
    program.compare_vertices(-(-rows.n // device.tuning.items), k=k, n=other.n, place=place, bad=bad)
    first = int(device.download(bad, np.int32, 1)[0])
    if first < rows.n:
        raise InputError(
            f"vertex {sample.ids[first]} of {part} is not in {whole}, so this is not a sample of it; check "
            "that both files hold original ids and were read with the same options; to compare any graphs, "
            "use relation 'none'"
        )
    if relation == "contraction" or rows.arcs == 0:
        return
    within = {"place": place, "whole_ptr": other.row_ptr, "whole_idx": other.col_idx}
    program.compare_arcs.launch(rows, -(-rows.arcs // LAUNCH.of(device)), k=k, bad=bad, **within)
    first = int(device.download(bad, np.int32, 1)[0])
    if first < rows.n:
        u, v = sample.ids[first], _missing(original, sample, first)
        raise InputError(
            f"edge {u} - {v} of {part} is not in {whole}, so this is not a sample of it; if it was made by "
            "contraction (cre, crve), use relation 'contraction', and to compare any two graphs, 'none'"
        )


def _missing(original: Graph, sample: Graph, vertex: int) -> Any:
    """Return the id of the first neighbour, of no smaller index, that a vertex has only in the sample."""
    view = sample.undirected
    heads = view.col_idx[view.row_ptr[vertex] : view.row_ptr[vertex + 1]]
    known = set(original.undirected.neighbors(sample.ids[vertex]).tolist())
    return next(u for u in sample.ids[heads[heads >= vertex]].tolist() if u not in known)


def _places(device: Device, original: Graph, sample: Graph) -> Any:
    """Return each sampled vertex's index in the original, -1 for none: int32 device buffer."""
    home, own = sample._residence, vars(original)
    if isinstance(home, Residence) and home.device is device and "_ids" in own:
        chosen = home.chosen
        # chosen from this very graph
        if chosen is not None and chosen.of is own["_ids"]:
            return chosen.place
    return device.upload(positions(original, sample).astype(np.int32))


def positions(original: Graph, sample: Graph) -> npt.NDArray[np.int64]:
    """Return each sampled vertex's index in the original, -1 for none."""
    ids, known = sample.ids, original.ids
    if (ids.dtype == object) != (known.dtype == object) or not len(known):
        return np.full(len(ids), -1, np.int64)
    if original._has_identity_ids:
        return np.where((ids >= 0) & (ids < original.num_vertices), ids, -1).astype(np.int64)
    ascending, order = original._sorted_ids
    at = order[np.minimum(np.searchsorted(ascending, ids), len(known) - 1)]
    return np.where(known[at] == ids, at, -1)


def ks_distance(
    one: tuple[npt.NDArray[np.generic], npt.NDArray[np.int64]],
    other: tuple[npt.NDArray[np.generic], npt.NDArray[np.int64]],
) -> float | None:
    """The Kolmogorov-Smirnov distance of two distributions: max |F - G|. None if one of them is empty.

    Parameters
    ----------
    one, other : (values, counts)
        Values ascending, each once.
    """
    if not (len(one[0]) and len(other[0])):
        return None
    (values, counts), (others, of_others) = one, other
    below, beneath = (np.concatenate(([0], np.cumsum(each))) for each in (counts, of_others))
    # both are step functions, which differ most at a value of one of them
    at_values = below[1:] / below[-1] - beneath[np.searchsorted(others, values, "right")] / beneath[-1]
    at_others = below[np.searchsorted(values, others, "right")] / below[-1] - beneath[1:] / beneath[-1]
    return float(max(np.abs(at_values).max(), np.abs(at_others).max()))


def ks_of_hops(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float | None:
    """The Kolmogorov-Smirnov distance of two hop plots, each as shares of its last value."""
    if not (len(one) and len(other)):
        return None
    length = max(len(one), len(other))
    shares = np.ones((2, length))
    for share, each in zip(shares, (one, other), strict=True):
        share[: len(each)] = each / each[-1]
    return float(np.abs(shares[0] - shares[1]).max())


def distances(original: Measures, sample: Measures) -> dict[str, float | None]:
    """Kolmogorov-Smirnov distances of two graphs' distributions; see `clgraph.Quality`."""

    def shares(of: Measures) -> Any:
        return of.component_sizes[0] / max(of.vertices, 1), of.component_sizes[1]

    return {
        "degree": ks_distance(original.degree_histogram, sample.degree_histogram),
        "clustering": ks_distance(original.local_clustering, sample.local_clustering),
        "hop_plot": ks_of_hops(original.hop_plot, sample.hop_plot),
        "component_size": ks_distance(original.component_sizes, sample.component_sizes),
        "component_share": ks_distance(shares(original), shares(sample)),
        "core_number": ks_distance(original.core_numbers, sample.core_numbers),
    }
