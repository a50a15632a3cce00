"""Threads and processes: the device's own threads, calls from many threads at once, forks, interrupts."""

import asyncio
import contextlib
import gc
import inspect
import json
import multiprocessing
import os
import pickle
import random
import re
import signal
import sys
import threading
import time
import warnings
import weakref
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from unittest.mock import Mock

import numpy as np
import pyopencl as cl
import pytest
from cli_runs import python
from devices import working_devices
from graph_files import put
from graphs import random_graph
from interrupts import interrupted
from mixed_calls import equal, mixed_calls
from public_calls import ON_DEVICE, example, takes_device

import clgraph
from clgraph import ClgraphError, Graph
from clgraph.device import Setup, cache, choosing, drivers
from clgraph.device import device as device_module
from clgraph.device.device import Device, SecondLock, new_lock
from clgraph.device.graph_cache import GraphCache, Pool
from clgraph.device.launch import Kernel, record_launches
from clgraph.device.memory import Memory
from clgraph.errors import DeviceError
from clgraph.methods import LITERATURE, REDUCTIONS
from clgraph.public import BY_NAME
from clgraph.sampling.samples import Samples
from clgraph.system import thread_pool

THREADS, CALLS = 8, 60

SCRIPT = """
import json, sys
import numpy as np
from clgraph import Graph, get_device, powerlaw_graph, sample
from clgraph.methods import EXACT, REDUCTIONS

device = get_device("pocl")
rng = np.random.default_rng(2)
graphs = {
    "powerlaw": powerlaw_graph(10_000, seed=3),  # several work-groups in every pass
    "copies": Graph.from_edges(*rng.integers(0, 900, (2, 3000)), duplicates="keep"),
    "directed": Graph.from_edges(*rng.integers(0, 3000, (2, 9000)), directed=True),
}
runs = [(method, {}) for method in REDUCTIONS]
runs += [(method, {"mode": "batched"}) for method in EXACT]
runs += [("dre", {"mode": "batched", "components": "bfs", "far_scan": True})]
runs += [(method, {"connection": "strong"}) for method in ("drv", "dre", "drve", "dhyb")]
made = {}
for name, graph in graphs.items():
    for method, options in runs:
        one = sample(graph, method, size="50%", seed=6, device=device, **options)
        parts = one.vertices, one.edges, one.contracted_to
        found = [None if part is None else part.tolist() for part in parts]
        made[f"{name} {method} {options}"] = [one.num_edges, *found]
json.dump({"threads": device.compute_units, "samples": made}, sys.stdout)
"""


def output_of(script, *arguments, **variables):
    """What a script prints in a process of its own."""
    return python("-c", script, *arguments, **variables).fine().out


def in_threads(count, function, *given):
    """What a function returns in so many threads, as `map` has it."""
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(function, *given))


@contextlib.contextmanager
def held_elsewhere(*locks):
    """Locks that another thread holds for the block, taken in this order."""
    held, over = threading.Event(), threading.Event()

    def hold():
        with contextlib.ExitStack() as stack:
            for lock in locks:
                stack.enter_context(lock)
            held.set()
            over.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        yield
    finally:
        over.set()
        holder.join()


def test_one_and_two_threads():
    if "pocl" not in working_devices():
        pytest.skip("PoCL is not installed (apt-get install pocl-opencl-icd)")
    one, two = (json.loads(output_of(SCRIPT, POCL_MAX_PTHREAD_COUNT=str(k))) for k in (1, 2))
    assert one["threads"] == 1
    assert two["threads"] == min(2, os.cpu_count() or 1)
    assert one["samples"] == two["samples"]


# --- calls from many threads ------------------------------------------------------------------------------


def wrong_answers(calls, expected, seed, count):
    """Names of the calls, drawn at random, whose answer is not the serial one."""
    names = random.Random(seed).choices(list(calls), k=count)
    return [name for name in names if not equal(calls[name](), expected[name])]


@pytest.mark.parametrize("count", [CALLS // 3, pytest.param(CALLS, marks=pytest.mark.slow)])
def test_mixed_calls_from_threads_give_the_serial_answers(device, count):
    calls = mixed_calls(device)
    expected = {name: call() for name, call in calls.items()}
    found = in_threads(THREADS, lambda seed: wrong_answers(calls, expected, seed, count), range(THREADS))
    assert found == [[]] * THREADS


@pytest.mark.slow
def test_devices_work_side_by_side():
    devices = list(working_devices().values())
    calls = [mixed_calls(device) for device in devices]
    expected = [{name: call() for name, call in each.items()} for each in calls]
    several = 2 * len(devices)
    found = in_threads(several, wrong_answers, calls * 2, expected * 2, range(several), [CALLS] * several)
    assert found == [[]] * several


def test_the_first_calls_of_a_graph_may_be_in_threads(device):
    """Uploads, views and what is kept for a graph are made once, or at least alike."""
    for seed in range(5):
        one = random_graph(seed, 90, 300, directed=True)
        together = threading.Barrier(4, timeout=60)

        def first(number, one=one, together=together):
            together.wait()
            if number % 2:
                found = clgraph.sample(one, "drv", size="50%", seed=1, device=device)
                return found.vertices, found.edges
            return clgraph.pagerank(one, tol=1e-4, device=device).scores, one.reverse.col_idx

        a, b, c, d = in_threads(4, first, range(4))
        assert equal(a, c) and equal(b, d)
        again = random_graph(seed, 90, 300, directed=True)
        assert equal(a, (clgraph.pagerank(again, tol=1e-4, device=device).scores, again.reverse.col_idx))


def test_views_of_a_graph_are_one_object_in_all_threads():
    for seed in range(20):
        graph, together = random_graph(seed, 300, 2000, directed=True), threading.Barrier(4, timeout=60)

        def views(_, graph=graph, together=together):
            together.wait()
            return graph.undirected, graph.reverse, graph.undirected.without_self_loops, graph.num_self_loops

        made = in_threads(4, views, range(4))
        assert all(x is y for other in made[1:] for x, y in zip(made[0][:3], other[:3], strict=True))
        assert len({found[3] for found in made}) == 1


def test_graphs_are_freed_in_any_thread_while_others_compute(device):
    """Finalizers release buffers wherever the garbage collector happens to run, also in circles."""
    graph = random_graph(1, 90, 240)
    expected = clgraph.bfs(graph, 0, device=device).distance
    over = threading.Event()

    def litter():
        while not over.is_set():
            made = random_graph(2, 50, 100)
            clgraph.connected_components(made, device=device)
            made.__dict__["circle"] = made
            del made
            gc.collect(0)
            device.release()

    with ThreadPoolExecutor(4) as threads:
        litters = [threads.submit(litter) for _ in range(2)]
        try:
            for _ in range(60):
                np.testing.assert_array_equal(clgraph.bfs(graph, 0, device=device).distance, expected)
        finally:
            over.set()
        for each in litters:
            each.result(60)


def test_counters_of_threads_do_not_mix(device):
    """`kernels` says what ran in this call, and recorded launches are this thread's."""
    graph = random_graph(1, 90, 240)
    other = device.with_setup(Setup(kernels="ndrange"))
    expected = clgraph.bfs(graph, 0, device=device).provenance["kernels"]
    clgraph.bfs(graph, 0, device=other)

    def search(number):
        found = clgraph.bfs(graph, 0, device=other if number % 2 else device)
        return found.provenance["kernels"] == ("ndrange" if number % 2 else expected)

    with record_launches() as launches:
        assert all(in_threads(4, search, range(88)))
    assert launches == []


def test_asyncio(device):
    graph = random_graph(1, 90, 240)
    expected = [clgraph.bfs(graph, source, device=device).distance for source in range(40)]

    async def searches():
        made = (asyncio.to_thread(clgraph.bfs, graph, source, device=device) for source in range(40))
        return [found.distance for found in await asyncio.gather(*made)]

    np.testing.assert_array_equal(asyncio.run(searches()), expected)


FIRST_USE = """
import json, sys, threading
from concurrent.futures import ThreadPoolExecutor
from clgraph.device import get_device, list_devices

together = threading.Barrier(8, timeout=60)

def first(number):
    together.wait()
    if number == 0:
        list_devices()
    device = get_device(sys.argv[1])
    return device, device.context, device.queue, device.features, device.build_options

with ThreadPoolExecutor(8) as threads:
    found = list(threads.map(first, range(8)))
print(len({(id(d), id(c), id(q)) for d, c, q, *_ in found}), len({(f, o) for *_, f, o in found}))
"""


def test_the_first_use_of_a_device_may_be_in_threads(device):
    assert output_of(FIRST_USE, device.spec).split() == ["1", "1"]


# --- no public call forgets the lock ----------------------------------------------------------------------

# calls that let others have the device between their steps: files are read, messages sent, samples measured
PIECEWISE = {"merge_forests", "profile", "read", "save_forest", "study", "write"}


def test_all_public_calls_are_watched():
    known = {name for name in BY_NAME if BY_NAME[name].is_function and takes_device(name)}
    assert known == {each.name for each in ON_DEVICE} | PIECEWISE


class Recorder:
    """A lock that counts how deep it is held, and by how many calls in turn."""

    def __init__(self):
        self.depth = self.turns = 0

    def __enter__(self):
        self.turns += self.depth == 0
        self.depth += 1

    def __exit__(self, *_):
        self.depth -= 1


@pytest.mark.parametrize("name", [each.name for each in ON_DEVICE if each.name not in PIECEWISE])
def test_a_public_call_holds_the_device_from_its_first_use_to_its_last(name, device, monkeypatch):
    lock, seen = Recorder(), []
    monkeypatch.setattr(device, "_lock", lock)

    def watched(owner, method):
        original = getattr(owner, method)

        def call(*args, **kwargs):
            seen.append(method)
            assert lock.depth > 0, f"{owner.__name__}.{method} while others may use the device"
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, method, call)

    for method in ("empty", "upload", "download", "take", "write", "copy", "fill", "finish"):
        watched(Memory, method)
    watched(GraphCache, "cached")
    watched(Device, "provenance")
    watched(Kernel, "_launch")
    example(BY_NAME[name], device)
    assert seen and lock.turns == 1 and lock.depth == 0


def test_a_device_in_another_setup_has_the_same_lock(device):
    other = device.with_setup(Setup(kernels="ndrange", force=True))
    assert other is not device and other.alone() is device.alone()
    assert other.with_setup(Setup(kernels="pipeline")).alone() is device.alone()


# --- interrupts -------------------------------------------------------------------------------------------


class Alarm:
    """Raises KeyboardInterrupt in the main thread after some time, as Ctrl-C does."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        self.before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)


def test_an_interrupt_leaves_the_device_usable(device):
    calls = mixed_calls(device)
    expected = {name: call() for name, call in calls.items()}
    # of shards one may be lost: Python drops it in a finalizer, and folders and pools of threads have such
    shards = [name for name in calls if name.startswith("shards")]
    plans = [([name for name in calls if name not in shards], 1000, 40), (shards, 20, 10)]
    drawn, interrupted = random.Random(5), 0
    with ThreadPoolExecutor(1) as other:
        for names, many, rounds in plans:
            before = interrupted
            for _ in range(rounds):
                try:
                    with Alarm(drawn.uniform(1e-4, 2e-2)):
                        for name in drawn.choices(names, k=many):
                            calls[name]()
                except KeyboardInterrupt:
                    interrupted += 1
                # another thread gets the device, which the main thread may have been using
                assert other.submit(wrong_answers, calls, expected, interrupted, 2).result(60) == []
            assert interrupted - before >= (rounds - 2 if names is shards else rounds)
        left = other.submit(lambda: [n for n, call in calls.items() if not equal(call(), expected[n])])
        assert left.result(60) == []


def test_an_interrupt_at_any_line_of_run_leaves_the_device_unlocked(device):
    """Ctrl-C may come between any two lines: after the lock was acquired, or before it is released."""
    file, graph = clgraph.run.__file__, random_graph(1, 30, 60)
    for call in (clgraph.bfs, clgraph.connected_components, clgraph.pagerank):
        given = (graph, 0) if call is clgraph.bfs else (graph,)
        search = partial(call, *given, device=device)
        for at in interrupted(search, lambda code: code.co_filename == file):
            with ThreadPoolExecutor(1) as other:
                lock = device.alone()
                assert other.submit(lock.acquire, timeout=5).result(), (call.__name__, at)
                other.submit(lock.release).result()
        assert at > 10


def test_an_interrupt_reaches_a_call_that_waits(device):
    graph = random_graph(1, 30, 60)
    with held_elsewhere(device.alone()):
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt), Alarm(0.1):
            clgraph.bfs(graph, 0, device=device)
        assert time.monotonic() - begun < 10
    assert clgraph.bfs(graph, 0, device=device).levels > 0


def test_no_code_of_ours_runs_as_buffers_and_graphs_are_freed(device):
    """Python drops an interrupt that comes in a finalizer; so there is none in Python."""
    graph, seen = random_graph(1, 60, 150), []
    heads = graph.col_idx

    def trace(frame, event, _):
        if event == "call":
            seen.append(frame.f_code.co_qualname)

    kept = device.cached(graph, "rows", lambda: [device.upload(heads), device.zeros(70_000, np.int64)])
    key, upload = id(graph), device.upload(np.arange(1000))
    assert key in device.graph_cache.owners and len(kept) == 2
    sys.setprofile(trace)
    try:
        del upload, kept, graph
    finally:
        sys.setprofile(None)
    assert key not in device.graph_cache.owners
    assert seen == []


# --- two devices ------------------------------------------------------------------------------------------


def test_two_threads_that_take_two_devices_crosswise():
    """One of them is told; without that they would wait for ever."""
    if len(devices := list(working_devices().values())) < 2:
        pytest.skip("needs two devices")
    graph, together, told = random_graph(1, 30, 60), threading.Barrier(2, timeout=60), []

    def nested(number):
        first, second = devices[number], devices[1 - number]
        with first.alone():
            together.wait()
            try:
                return clgraph.bfs(graph, 0, device=second).levels
            except clgraph.DeviceError as error:
                told.append(str(error))
                return None

    found = in_threads(2, nested, range(2))
    assert len(told) == 1 and "in one order" in told[0] and found.count(None) == 1
    for one, other in (devices[:2], devices[1::-1]):  # one thread alone may
        with one.alone():
            assert clgraph.bfs(graph, 0, device=other).levels == max(filter(None, found))
        with one.alone(), other.alone(), one.alone():
            pass
    for each in devices:  # nobody holds any
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(clgraph.bfs, graph, 0, device=each).result(60).levels


def test_a_circle_of_three():
    locks = [new_lock() for _ in range(3)]
    together, ends = threading.Barrier(3, timeout=60), []

    def nested(number):
        with locks[number]:
            together.wait()
            try:
                with SecondLock(locks[(number + 1) % 3], [locks[number]], "1:0"):
                    ends.append("had both")
            except clgraph.DeviceError:
                ends.append("told")

    known = len(device_module._locks)
    in_threads(3, nested, range(3))
    assert sorted(ends) == ["had both", "had both", "told"] and not device_module._waits
    locks.clear()
    gc.collect()
    assert len(device_module._locks) == known - 3  # they go with their devices


def test_an_interrupt_of_a_wait_for_a_second_device():
    one, other = new_lock(), new_lock()
    second = SecondLock(other, [one], "1:0")
    with held_elsewhere(other), pytest.raises(KeyboardInterrupt), Alarm(0.1), one, second:
        pass
    assert not device_module._waits and not one._is_owned() and other.acquire(blocking=False)


def test_filters_of_warnings_survive_threads(tmp_path):
    """Reading by NumPy changes them, for a moment."""
    path = put(tmp_path / "graph.csv", "".join(f"{v}, {v + 1}, 0.5\n" for v in range(3000)))
    before = list(warnings.filters)
    made = in_threads(6, lambda _: clgraph.read(path, weights=True).num_edges, range(40))
    assert set(made) == {3000} and warnings.filters == before


# --- fork -------------------------------------------------------------------------------------------------

FORK = """
import gc, json, multiprocessing, sys, threading, warnings
import clgraph

warnings.simplefilter("ignore")  # newer Pythons warn of a fork among threads
spec, used = sys.argv[1:]
graph = clgraph.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])

def search(device):
    try:
        return clgraph.bfs(graph, 0, device=device).distance.tolist()
    except clgraph.DeviceError as error:
        return str(error)

device, over = spec, threading.Event()
busy = threading.Thread(target=lambda: [search(device) for _ in iter(over.is_set, True)])
if used == "clgraph":
    device = clgraph.get_device(spec)
    search(device)
    busy.start()  # the lock may be held as the process forks
elif used != "nothing":
    import pyopencl as cl
if used == "pyopencl":
    contexts = [cl.Context([device]) for platform in cl.get_platforms() for device in platform.get_devices()]

def child(answers):
    global graph
    answers.put([search(spec), search(device)])
    graph = None
    gc.collect()  # frees the parent's buffers

context = multiprocessing.get_context("fork")
answers, found = context.SimpleQueue(), []
for _ in range(4):
    process = context.Process(target=child, args=(answers,))
    process.start()
    process.join(60)
    assert process.exitcode == 0, process.exitcode
    found += answers.get()
over.set()
if used == "clgraph":
    busy.join()
if used in ("clgraph", "nothing"):
    assert search(spec) == [0, 1, 1, 2]
print(json.dumps(found))
"""


@pytest.mark.parametrize(
    ("used", "words"),
    [
        ("nothing", None),
        ("clgraph", "forked"),
        ("pyopencl, imported only", None),
        ("pyopencl", "by other means than clgraph"),
    ],
)
def test_a_forked_child(used, words, device):
    """One that would wait for its parent's driver for ever is told so; if the parent used none, it may."""
    if used == "pyopencl" and device.platform_name == "Oclgrind":
        words = None
    found = json.loads(output_of(FORK, device.spec, used))
    if words is None:
        assert found == [[0, 1, 1, 2]] * 8
    else:
        assert len(found) == 8 and all(words in said and 'get_context("spawn")' in said for said in found)


def test_where_no_thread_starts_a_plain_error_says_so(monkeypatch, tmp_path, run):
    """As under ``ulimit -u``, which does not hold for root."""
    said = "the system starts no more threads"
    refuse = Mock(side_effect=RuntimeError("can't start new thread"))
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with thread_pool(2, "test") as pool, pytest.raises(ClgraphError, match=said):
        pool.submit(len, "")
    with pytest.raises(ClgraphError, match=said):
        clgraph.write(Graph.from_edges([0], [1]), tmp_path / "x.txt.gz")
    graph = put(tmp_path / "g.txt", "1 2\n")
    run("convert", graph, tmp_path / "x.txt.gz").refused(f"clgraph: error: {said}")
    assert [path.name for path in tmp_path.iterdir()] == ["g.txt"]


MADE_THERE = {
    "graph": lambda graph, on: clgraph.powerlaw_graph(60, seed=1, **on),
    "reverse": lambda graph, on: graph.reverse,
    "part": lambda graph, on: clgraph.powerlaw_graph(60, seed=1, **on).subgraph(np.arange(9)),
    "largest_component": lambda graph, on: clgraph.largest_component(graph, **on),
    "k_core": lambda graph, on: clgraph.k_core(graph, **on),
    "bfs": lambda graph, on: clgraph.bfs(graph, 0, arrays="device", **on),
    "components": lambda graph, on: clgraph.connected_components(graph, arrays="device", **on),
    "pagerank": lambda graph, on: clgraph.pagerank(graph, arrays="device", **on),
    "personalized": lambda graph, on: clgraph.personalized_pagerank(graph, [0, 1], **on),
    "curve": lambda graph, on: clgraph.reduction_curve(graph, "dre", 1, **on),
    "bfs_many": lambda graph, on: clgraph.bfs_many(graph, [0, 1], **on),
} | {
    f"{method}, {runs} runs": lambda graph, on, method=method, runs=runs: clgraph.sample(
        graph, method, seed=1, seeds=runs, **SIZES.get(method, {"size": "50%"}), **on
    )
    for method in (*REDUCTIONS, *LITERATURE)
    for runs in (None, 2)
}
# one of each class of results in each run of CI, and samples of three engines
LOOKED_AT = (
    *("graph", "reverse", "bfs", "bfs_many", "components", "pagerank", "personalized", "curve"),
    *("drv, None runs", "cre, None runs", "rw, 2 runs", "gps, None runs"),
)
assert set(LOOKED_AT) <= set(MADE_THERE)
SIZES = {"chordal": {}, "quasi-chordal": {}, "gsh": {"p": 0.5, "q": 0.5}, "gps": {"edges": 20}}


def looks(result):
    """Name -> call, for each attribute of a result and of its parts, and for what needs all of them."""
    calls = {"pickle": lambda: pickle.dumps(result), "repr": lambda: repr(result)}
    for name in dir(result):
        if not name.startswith("_") and not callable(inspect.getattr_static(result, name)):
            calls[name] = lambda name=name: getattr(result, name)
    if isinstance(result, Graph):
        calls["write"] = lambda: clgraph.write(result, os.devnull, format="binary")
        calls["subgraph"] = lambda: result.subgraph(np.arange(5))
    elif isinstance(result, Samples):
        calls |= {f"[{k}].{name}": look for k in range(2) for name, look in looks(result[k]).items()}
    elif isinstance(getattr(result, "graph", None), Graph):
        calls |= {f"graph.{name}": look for name, look in looks(result.graph).items()}
    return calls


def outcomes(looks, tell):
    """Look, and tell what became of it."""
    for name, look in looks.items():
        tell(name, "begun")
        try:
            look()
            tell(name, "fine")
        except Exception as error:
            tell(name, f"{type(error).__name__}: {error}")


def in_a_child(looks, seconds=60):
    """What became of each look in a forked child; one that hangs stays "begun"."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=outcomes, args=(looks, lambda *told: theirs.send(told)))
    child.start()
    theirs.close()
    found = {}
    with contextlib.suppress(EOFError):
        while ours.poll(seconds):
            found.update([ours.recv()])
    child.kill()
    child.join()
    return found


forking = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # there are other threads


@forking
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * (each not in LOOKED_AT)) for each in MADE_THERE]
)
def test_what_a_forked_child_looks_at(name, device):
    """What only the device has is refused at once; what the parent has looked at is there."""
    ends = np.random.default_rng(1).integers(0, 60, (2, 200))
    result = MADE_THERE[name](Graph.from_edges(*ends, directed=name == "reverse"), {"device": device})
    here, ours = looks(result), {}
    children = in_a_child(here)
    outcomes(here, ours.__setitem__)
    for each, said in children.items():
        assert said in ("fine", ours[each]) or re.match("DeviceError.*forked", said), each
    assert children.keys() == ours.keys()
    assert in_a_child(here) == ours


@forking
def test_a_child_forked_while_others_hold_locks(device):
    """It waits for none of them, though nobody would ever release them there."""
    there = clgraph.powerlaw_graph(60, seed=1, device=device)
    here = random_graph(1, 60, 200)
    sample = clgraph.sample(here, "dre", size="50%", seed=1, device=device)
    calls = {f"graph {name}": look for name, look in looks(there).items()}
    calls |= {f"sample {name}": look for name, look in looks(sample).items()}
    refused = {
        "bfs": lambda: clgraph.bfs(here, 0, device=device),
        "get_device": lambda: clgraph.get_device(device.spec),
        "devices": clgraph.devices,
        "free": there.free,
        "release": device.release,
    }
    calls |= refused
    locks = [device._counting, device._mapping, device._pinned._lock, there._residence._lock]
    locks += [drivers._state.lock, choosing._lock, device_module._guard, cache._lock]
    with held_elsewhere(device.alone(), *locks):
        told = in_a_child(calls)
    assert told.keys() == calls.keys() and "begun" not in told.values()
    assert {told[name][:11] for name in ("graph col_idx", *refused)} == {"DeviceError"}


INHERITED = []


def inherited(name):
    return getattr(INHERITED[0], name)


FORK_AT_ONCE = """
import gc, os, sys, warnings
import clgraph

warnings.simplefilter("ignore")
clgraph.get_device(sys.argv[1])
child = os.fork()
if not child:
    os._exit(0 if gc.get_freeze_count() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_child_collects_nothing_of_a_parent_without_buffers(device):
    """Its drivers were tried, which left programs and kernels: circles."""
    assert output_of(FORK_AT_ONCE, device.spec, "") == "0\n"


@forking
def test_workers_that_are_forked(device):
    """They take what is pickled for them, and give it back; what only the parent's device has is refused."""
    graph = clgraph.powerlaw_graph(60, seed=1, device=device)
    INHERITED[:] = [clgraph.powerlaw_graph(60, seed=1, device=device)]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as workers:
        refused = workers.submit(inherited, "col_idx").exception(60)
        assert isinstance(refused, DeviceError) and 'get_context("spawn")' in str(refused)
        assert workers.submit(inherited, "num_arcs").result(60) == graph.num_arcs
        part = workers.submit(graph.subgraph, np.arange(9)).result(60)
        np.testing.assert_array_equal(part.col_idx, graph.subgraph(np.arange(9)).col_idx)
    INHERITED.clear()


@forking
def test_a_forked_child_leaves_what_its_parents_drivers_made(device):
    """To free it is to call the driver, where a thread that the child lacks may have held a lock."""
    graphs = [clgraph.powerlaw_graph(3000, seed=1, device=device)]
    buffer = weakref.ref(graphs[0]._residence.rows(graphs[0], False).col_idx)
    cached = weakref.ref(device.cached(graphs[0], "test", lambda: Pool([cl.enqueue_marker(device.queue)])))
    circle = Pool([cl.enqueue_marker(device.queue)])
    circle.append(circle)
    garbage = weakref.ref(circle)
    calls = {
        "drop": graphs.clear,
        "collect": gc.collect,
        "buffer": lambda: buffer().size,
        "event": lambda: cached()[0].int_ptr,
        "circle": lambda: garbage()[0].int_ptr,
    }
    gc.disable()
    try:
        del circle
        told = in_a_child(calls)
    finally:
        gc.enable()
    assert told == dict.fromkeys(calls, "fine")
    graphs.clear()
    gc.collect()
    assert buffer() is cached() is garbage() is None
