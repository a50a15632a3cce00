"""What a verifier is given: a Graph, and a result with host arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph


def check_result(graph: Any, result: Any, of: str, **arrays: tuple[str, int]) -> Graph:
    """The graph, or an InputError unless both can be looked at; whether they are right the verifier says.

    Parameters
    ----------
    graph, result
        What a caller gave.
    of : str
        The function that makes such results.
    **arrays : (str, int)
        The result's arrays: their kind (as in NumPy; of several letters each will do, ``"?"`` allows None)
        and their number of dimensions.
    """
    whole = as_graph(graph)
    for name, (kinds, dimensions) in arrays.items():
        value = getattr(result, name, result)
        if value is None and "?" in kinds:
            continue
        if value is result:
            raise InputError(f"a result of {of} is needed, not {shown(result)}")
        if not isinstance(value, np.ndarray):
            raise InputError(f'{name} is {shown(value)}: a result with arrays="host" is needed')
        if value.ndim != dimensions or value.dtype.kind not in kinds:
            raise InputError(
                f"{name} is an array of {value.dtype} with {value.ndim} dimensions: no result of {of}"
            )
    return whole
