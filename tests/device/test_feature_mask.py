"""CLGRAPH_WITHOUT: what it hides, what it refuses, and that what a poor device lacks is refused, not run."""

from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest
from devices import POOR, poor_device

import clgraph
from clgraph import Graph
from clgraph.device import get_device
from clgraph.device.hardware import FEATURES, Setup, Without
from clgraph.device.launch import record_launches
from clgraph.device.probe import _candidates
from clgraph.device.program import build_source, read_source
from clgraph.errors import BuildError, CapacityError, DeviceError, InputError
from clgraph.ranking.solver import by_pipelines


def poorer(device, text, *, force=False):
    return device.with_setup(Setup(device.setup.kernels, force=force, without=Without.wanted(text)))


def test_what_is_hidden():
    found = Without.wanted(" fp64, PREFETCH,work_group=64,local_memory=16K,buffer=128M,memory=2G,compiler")
    assert found.features == {"FP64", "PREFETCH"} and found.compiler
    limits = {"work_group": 64, "local_memory": 16 << 10, "buffer": 128 << 20, "memory": 2 << 30}
    assert dict(found.limits) == limits
    assert Without.wanted(str(found)) == found
    assert Without.wanted("features").features == set(FEATURES)
    assert Without.wanted("") == Without.wanted(" , ") == Without() and str(Without()) == ""


UNKNOWN = ("fp65", "work_group", "fp64=1", "compiler=no", "groups=3", "=", "fp64 prefetch")
NO_NUMBERS = ("", "0", "-1", "1.5", "many", "1T", "K", "1" * 16)


@pytest.mark.parametrize(
    ("text", "words"),
    [(text, r"no feature and no limit: use fp64, .*work_group=N") for text in UNKNOWN]
    + [(f"work_group={value}", "is no limit: give a whole number") for value in NO_NUMBERS],
)
def test_what_is_no_feature_or_limit_is_refused(text, words):
    with pytest.raises(DeviceError, match=words):
        Without.wanted(text)


def test_every_feature_has_a_name():
    extensions = "cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics subgroups"
    raw = SimpleNamespace(extensions=f"{extensions} cl_ext_float_atomics")
    rich = SimpleNamespace(raw=raw, platform_name="NVIDIA CUDA", kind="cpu")
    assert set(_candidates(rich, True)) == set(FEATURES)


def test_the_variable_makes_a_poorer_device(device, monkeypatch):
    monkeypatch.setenv("CLGRAPH_WITHOUT", "fp64,work_group=8,buffer=1M")
    poor = get_device(device.spec)
    assert poor is not device and poor is get_device(device.spec)
    assert poor.features == device.features - {"HAVE_FP64"}
    assert (poor.max_work_group, poor.max_buffer, poor.local_memory) == (8, 1 << 20, device.local_memory)
    monkeypatch.setenv("CLGRAPH_WITHOUT", "work_group=1G,local_memory=1G")
    assert get_device(device.spec).max_work_group == device.max_work_group  # nothing is added
    monkeypatch.setenv("CLGRAPH_WITHOUT", "fp46")
    with pytest.raises(DeviceError, match="'fp46' is no feature"):
        get_device(device.spec)


def test_beyond_the_limits_nothing_runs(device):
    poor = poorer(device, "work_group=8,local_memory=1K,buffer=64K,memory=100K")
    source = (
        "__kernel void plain(__global int *x) { x[get_global_id(0)] = 1; }\n"
        "__kernel void shared(__global int *x) { __local int y[512]; y[get_local_id(0)] = 1;"
        " barrier(CLK_LOCAL_MEM_FENCE); x[get_global_id(0)] = y[0]; }"
    )
    made = build_source(poor, "test", source, ())
    out = poor.zeros(16, np.int32)
    made.plain(16, x=out)
    assert made.plain.limit == 8 and poor.download(out, np.int32, 16).all()
    words = r"plain \(cl/test\.cl, line 1\) needs a work-group of 16 .* takes 8 at most"
    with pytest.raises(DeviceError, match=words):
        made.plain.exact(16, x=out, local=16)
    with pytest.raises(DeviceError, match="needs a work-group of 16"):
        made.plain((4, 4), x=out, local=(4, 4))
    words = r"shared \(cl/test\.cl, line 2\) needs 2\d\d\d bytes of local memory"
    with pytest.raises(DeviceError, match=words):
        made.shared  # noqa: B018
    with pytest.raises(CapacityError, match="the largest possible is 65536"):
        poor.empty(65537, np.uint8)
    with pytest.raises(CapacityError, match="the device has 102400 bytes"):
        poor.reserve({"a": 60_000, "b": 60_000})


USES = {"FP64": "double x = 1;", "INT64_ATOMICS": "atom_add(y, 1ul);", "PREFETCH": "__builtin_prefetch(y);"}


@pytest.mark.parametrize("feature", USES)
def test_what_is_hidden_does_not_build(device, feature):
    """A kernel that uses a feature without asking for it is seen."""
    if f"HAVE_{feature}" not in device.features:
        pytest.skip("the device has no such feature")
    source = (
        read_source("device/memory_fill") + f"\n__kernel void use(__global ulong *y) {{ {USES[feature]} }}"
    )
    poor = poorer(device, feature.lower())
    build_source(device, "test", source, device.build_options)
    with pytest.raises(BuildError):
        build_source(poor, "test", source, poor.build_options, keep=False)


def test_float64_that_is_not_there_is_refused_by_name(device):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0])
    with pytest.raises(InputError, match="no float64 arithmetic: use dtype='float32'"):
        clgraph.pagerank(graph, dtype="float64", device=poorer(device, "fp64"))


# --- each thing that a device may lack, hidden alone: the same bytes as with it, ranks within the same bound
# (everything hidden together: ``pytest --devices poor,poor-gpu,poor-one``)

# what is hidden, and the calls whose kernels look at it
GROUPS = "work_group=1"
OFTEN = ("int64_atomics", GROUPS)
WORDS = {
    **{feature.lower(): ("drv", "bfs") for feature in FEATURES},
    "fp64": ("walks",),
    "int64_atomics": ("bfs_many", "triangles", "paths"),
    "work_group=64": None,
    GROUPS: None,
    "local_memory=16K": None,
    "buffer=128M": None,
}
WALKS = {"method": "monte-carlo", "walks": 500, "seed": 1}


@cache
def graphs():
    """A power-law graph with a star in it, and a directed one."""
    small, star = clgraph.powerlaw_graph(3000, average_degree=6, seed=2), np.arange(1, 3000)
    whole = Graph.from_edges(np.append(small.tails, 0 * star), np.append(small.col_idx, star))
    ends = np.random.default_rng(4).integers(0, 1000, (2, 4000))
    return whole, Graph.from_edges(*ends, directed=True)


def exact_calls(device):
    """Calls whose bytes are the same on every device."""
    whole, directed = graphs()
    thirds = (whole.tails + whole.col_idx) % 7 / 3
    lengths = Graph(whole.row_ptr, whole.col_idx, weights=thirds, ids=whole.ids)
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
        "walks": lambda: clgraph.personalized_pagerank(directed, [3], device=device, **WALKS).visits,
    }


@pytest.mark.first_device
@pytest.mark.parametrize(
    "word", [pytest.param(word, marks=[pytest.mark.slow] * (word not in OFTEN)) for word in WORDS]
)
def test_the_same_without(device, word):
    if Without.wanted(word).features and f"HAVE_{word.upper()}" not in device.features:
        pytest.skip("the device lacks it anyway")
    if word.startswith("local_memory") and by_pipelines(device):
        pytest.skip("a board's pipelines ask for more local memory than a GPU has")
    poor = poorer(device, word, force=True)
    calls, poor_calls = exact_calls(device), exact_calls(poor)
    for name in WORDS[word] or calls:
        found, expected = np.asarray(poor_calls[name]()), np.asarray(calls[name]())
        assert found.dtype == expected.dtype and found.shape == expected.shape, name
        assert found.tobytes() == expected.tobytes(), name
    ranks = partial(clgraph.pagerank, graphs()[1], tol=1e-6)
    personal = partial(clgraph.personalized_pagerank, graphs()[1], [3, 5], method="coo", tol=1e-6)
    for call, bound in ((ranks, 1e-5), (personal, 1e-4)):
        assert np.abs(call(device=device).scores - call(device=poor).scores).sum() < bound


@pytest.mark.parametrize("name", ["pagerank", *sorted(exact_calls(None).keys() - {"walks"})])
def test_what_does_not_fit_is_refused_before_it_runs(device, name):
    poor = poorer(device, "buffer=1K,memory=40K", force=True)
    calls = exact_calls(poor) | {"pagerank": lambda: clgraph.pagerank(graphs()[0], device=poor)}
    with record_launches() as launches, pytest.raises(CapacityError, match="bytes"):
        calls[name]()
    assert [launch for launch in launches if not launch.program.startswith("device/")] == []


@pytest.mark.parametrize("word", POOR)
def test_the_poor_devices_are_poor(device, word):
    """What ``--devices poor`` and the others run on."""
    poor = poor_device(word)
    if poor is None:
        pytest.skip("there is no PoCL")
    assert not poor.features and poor.local_memory == 16 << 10 and poor.max_buffer == 128 << 20
    assert poor.max_work_group == (1 if word == "poor-one" else 64)
    assert poor.kind == ("cpu" if word == "poor" else "gpu")
