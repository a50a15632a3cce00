"""Each thing that a device may lack, hidden alone: the same bytes as with it, ranks within the same bound.

(Everything hidden together: ``pytest --devices poor,poor-gpu,poor-one``.)
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from devices import POOR, poor_device

import clgraph
from clgraph.device.hardware import FEATURES, Setup, Without
from clgraph.device.launch import record_launches
from clgraph.errors import CapacityError
from clgraph.ranking.solver import by_pipelines

if TYPE_CHECKING:
    from collections.abc import Callable

    from clgraph.device import Device

# what is hidden, and the calls whose kernels look at it
GROUPS = "work_group=1"
WORDS = {
    **{feature.lower(): ("drv", "bfs") for feature in FEATURES},
    "fp64": ("walks",),
    "int64_atomics": ("bfs_many", "triangles", "paths"),
    "work_group=64": None,
    GROUPS: None,
    "local_memory=16K": None,
    "buffer=128M": None,
}


@cache
def graphs() -> tuple[clgraph.Graph, clgraph.Graph]:
    """A power-law graph with a star in it, and a directed one."""
    small = clgraph.powerlaw_graph(3000, average_degree=6, seed=2)
    star = np.arange(1, 3000)
    whole = clgraph.Graph.from_edges(
        np.concatenate((small.tails, np.zeros(2999, np.int64))), np.concatenate((small.col_idx, star))
    )
    rng = np.random.default_rng(4)
    ends = rng.integers(0, 1000, (2, 4000))
    return whole, clgraph.Graph.from_edges(*ends, directed=True)


def exact_calls(device: Device) -> dict[str, Callable[[], Any]]:
    """Calls whose bytes are the same on every device."""
    whole, directed = graphs()
    thirds = (whole.tails + whole.col_idx) % 7 / 3
    lengths = clgraph.Graph(whole.row_ptr, whole.col_idx, weights=thirds, ids=whole.ids)
    return {
        "drv": lambda: clgraph.sample(whole, "drv", size="40%", seed=1, device=device).vertices,
        "drve": lambda: clgraph.sample(whole, "drve", size="40%", seed=1, device=device).edges,
        "bfs": lambda: clgraph.bfs(whole, whole.ids[5], device=device).predecessor,
        "bfs_many": lambda: clgraph.bfs_many(whole, whole.ids[:70].tolist(), device=device).distance,
        "paths": lambda: clgraph.shortest_paths(lengths, whole.ids[:3], device=device).distance,
        "weak": lambda: clgraph.connected_components(directed, device=device).labels,
        "strong": lambda: clgraph.connected_components(directed, connection="strong", device=device).labels,
        "triangles": lambda: clgraph.triangles(whole, device=device),
        "generate": lambda: clgraph.powerlaw_graph(5000, seed=3, device=device).col_idx,
        "walks": lambda: (
            clgraph.personalized_pagerank(
                directed, [3], method="monte-carlo", walks=500, seed=1, device=device
            ).visits
        ),
    }


def digest(array: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


@pytest.mark.first_device
@pytest.mark.parametrize(
    "word",
    [
        pytest.param(word, marks=[pytest.mark.slow] * (word not in ("int64_atomics", GROUPS)))
        for word in WORDS
    ],
)
def test_the_same_without(device: Device, word: str) -> None:
    hidden = Without.wanted(word)
    if hidden.features and f"HAVE_{word.upper()}" not in device.features:
        pytest.skip("the device lacks it anyway")
    if word.startswith("local_memory") and by_pipelines(device):
        pytest.skip("a board's pipelines ask for more local memory than a GPU has")
    poor = device.with_setup(Setup(device.setup.kernels, force=True, without=hidden))
    calls, poor_calls = exact_calls(device), exact_calls(poor)
    for name in WORDS[word] or calls:
        assert digest(poor_calls[name]()) == digest(calls[name]()), name
    directed = graphs()[1]
    one, other = (clgraph.pagerank(directed, tol=1e-6, device=dev).scores for dev in (device, poor))
    assert np.abs(one - other).sum() < 1e-5
    one, other = (
        clgraph.personalized_pagerank(directed, [3, 5], method="coo", tol=1e-6, device=dev).scores
        for dev in (device, poor)
    )
    assert np.abs(one - other).sum() < 1e-4


@pytest.mark.parametrize("name", sorted(exact_calls(None)))  # type: ignore[arg-type]
def test_what_does_not_fit_is_refused_before_it_runs(device: Device, name: str) -> None:
    if name == "walks":
        pytest.skip("its graph is small")
    hidden = Without.wanted("buffer=1K,memory=40K")
    poor = device.with_setup(Setup(device.setup.kernels, force=True, without=hidden))
    with record_launches() as launches, pytest.raises(CapacityError, match="bytes"):
        exact_calls(poor)[name]()
    assert [launch for launch in launches if not launch.program.startswith("device/")] == []


@pytest.mark.parametrize("word", POOR)
def test_the_poor_devices_are_poor(device: Device, word: str) -> None:
    """What ``--devices poor`` and the others run on."""
    poor = poor_device(word)
    if poor is None:
        pytest.skip("there is no PoCL")
    assert not poor.features and poor.local_memory == 16 << 10 and poor.max_buffer == 128 << 20
    assert poor.max_work_group == (1 if word == "poor-one" else 64)
    assert poor.kind == ("cpu" if word == "poor" else "gpu")
