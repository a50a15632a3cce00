"""Other libraries that do the same, for comparison in the same run; those that are installed.

Each module has a table of names and makers: a maker takes the graph, makes the library's own form of it, and
returns the call to be timed. It raises ImportError where its library is not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from clgraph.bench.harness import Absent


def made(name: str, make: Callable[..., Any], *args: Any) -> Any:
    """What a maker makes.

    Raises
    ------
    Absent
        Its library is not installed, or (CuPy) finds no GPU.
    """
    try:
        return make(*args)
    except ImportError as error:
        # a maker raises its own where a library would take too long
        told = f"not installed ({error})" if isinstance(error, ModuleNotFoundError) else f"not run: {error}"
        raise Absent(told) from error
    except Exception as error:
        if name == "cupy" and "cuda" in f"{type(error).__name__} {error}".lower():
            raise Absent(f"CuPy finds no GPU ({error})") from error
        raise


def wanted(names: Iterable[str], asked: str) -> list[str]:
    """The peers that ``all``, a list with commas between, or nothing selects."""
    if asked == "all":
        return list(names)
    return [name for name in names if name in asked.split(",")]
