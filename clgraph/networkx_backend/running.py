"""The backend's device, and the count of its calls that ran on it."""

from __future__ import annotations

import inspect
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import networkx as nx

from clgraph.errors import DeviceError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.networkx_backend.converted import ConvertedGraph

P = ParamSpec("P")
T = TypeVar("T")
#: of NetworkX
RELEASE = tuple(int(part) for part in nx.__version__.split(".")[:2])
_counts: Counter[str] = Counter()
_counting = Lock()
_devices: dict[tuple[Any, ...], Device] = {}
#: the keyword ``device`` of the call that runs
_named: ContextVar[Any] = ContextVar("device", default=None)
ENVIRONMENT = ("CLGRAPH_DEVICE", "PYOPENCL_CTX", "PYOPENCL_TEST")


def call_counts() -> dict[str, int]:
    """Count the calls of each function that launched a kernel, in this process so far.

    Examples
    --------
    >>> import networkx as nx
    >>> from clgraph import networkx_backend
    >>> nx.number_connected_components(nx.path_graph(5), backend="clgraph")
    1
    >>> networkx_backend.call_counts()["number_connected_components"] > 0
    True
    """
    return dict(_counts)


def chosen_device() -> Device:
    """The device that the call names, else ``nx.config.backends.clgraph.device``, else what clgraph chooses.

    Raises
    ------
    DeviceError
        If there is none.
    NotImplementedError
        The same, where NetworkX may take over (``nx.config.fallback_to_nx``): this exception makes it do so.
    """
    from clgraph.device import get_device

    backends = nx.config.backends
    spec = _named.get()
    if spec is None and "clgraph" in backends:
        spec = backends.clgraph.device
    # the environment decides too, as in every other call of clgraph
    key = (spec, *map(os.environ.get, ENVIRONMENT))
    try:
        if key not in _devices:
            _devices[key] = get_device(spec)
        return get_device(_devices[key])  # which knows whether this process may use it
    except DeviceError as error:
        if nx.config.fallback_to_nx:
            raise NotImplementedError(f"clgraph has no device: {error}") from error
        raise


def takes_device(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function of the backend: the keyword ``device`` names the device of this call."""

    def steps(found: Iterator[Any], device: Any) -> Iterator[Any]:
        while True:  # what runs between two steps is not this call's
            token = _named.set(device)
            try:
                item = next(found)
            except StopIteration:
                return
            finally:
                _named.reset(token)
            yield item

    @wraps(function)
    def begin(*args: Any, device: Any = None, **options: Any) -> Any:
        if device is None:
            return function(*args, **options)
        token = _named.set(device)
        try:
            found = function(*args, **options)
        finally:
            _named.reset(token)
        return steps(found, device) if inspect.isgenerator(found) else found

    return begin


def lazily(function: Callable[P, Iterator[T]]) -> Callable[P, Iterator[T]]:
    """Decorator of generators: a missing device is reported at the call, while NetworkX can take over."""

    @wraps(function)
    def begin(*args: P.args, **options: P.kwargs) -> Iterator[T]:
        chosen_device()
        return function(*args, **options)

    return begin


def check_in(G: ConvertedGraph, **ends: Any) -> None:
    """Raise NodeNotFound for the first argument that is no node, named by its role."""
    for role, node in ends.items():
        if node not in G:
            raise nx.NodeNotFound(f"{role} {node} is not in G")


def with_doubles(device: Device) -> Device:
    """Return the device if it has float64.

    Raises
    ------
    DeviceError
        If it has not; a NotImplementedError where NetworkX may take over.
    """
    if "HAVE_FP64" in device.features:
        return device
    text = f"{device} has no float64"
    if nx.config.fallback_to_nx:
        raise NotImplementedError(f"clgraph's {text}")
    raise DeviceError(f"{text}: choose another device (nx.config.backends.clgraph.device)")


@contextmanager
def on_device(name: str) -> Iterator[Device]:
    """Provide the device; the block counts as a call of the function if it launches a kernel."""
    device = chosen_device()
    from clgraph.device.launch import record_launches

    with device.alone(), record_launches() as launches:
        yield device
    if launches:
        with _counting:
            _counts[name] += 1
