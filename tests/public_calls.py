"""The examples of the table of public names, called."""

import dataclasses
import inspect
from functools import cache

import clgraph
from clgraph.public import PUBLIC, call_as, load


def takes_device(name):
    """Whether a function has a device among its arguments (`sample` among its options)."""
    return bool({"device", "options"} & inspect.signature(getattr(clgraph, name)).parameters.keys())


EXAMPLES = [each for each in PUBLIC if each.call]
ON_DEVICE = [each for each in EXAMPLES if takes_device(each.name)]


@cache
def graphs():
    """What the names in examples stand for."""
    return {"graph": clgraph.datasets.karate(), "parts": clgraph.Graph.from_edges([0, 1, 3], [1, 2, 4])}


def example(each, device=None, **others):
    """The result of an example, on a device, or with other graphs in place of its own."""
    on = {"device": device} if device is not None and each in ON_DEVICE else {}
    return call_as(each.call, getattr(clgraph, each.name), {**graphs(), **others}, **on)


def reference(path):
    """The function of a reference or verifier, as the table has it: ``folder.name`` or a call of it."""
    home, _, name = path.partition("(")[0].rpartition(".")
    return load(f"reference.{home}", name)


def verify(each, found, **others):
    """Check the result of an example by its verifier."""
    call_as(each.verifier, reference(each.verifier), {**graphs(), **others, "found": found})


# how long something took, where, and on what: no part of an answer
APART = {"built", "device", "kernels", "phases", "pieces", "plan", "problem", "seconds"}


def parts(found):
    """The arrays and values that a result consists of."""
    if isinstance(found, clgraph.Graph):
        return [found.row_ptr, found.col_idx, found.ids]
    if isinstance(found, dict):
        return [part for key, value in found.items() if key not in APART for part in parts(value)]
    if isinstance(found, (tuple, list)):
        return [part for each in found for part in parts(each)]
    if isinstance(found, clgraph.Sample):
        return [found.vertices, found.edges, *parts(found.graph)]
    if dataclasses.is_dataclass(found):
        return parts({key: value for key, value in vars(found).items() if key[0] != "_"})
    return [found]
