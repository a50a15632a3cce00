"""Arguments of public calls: of the type and in the range that they must have, or an InputError.

Numbers given as text are read without binary rounding. Python's own ``int``, ``float`` and ``Fraction`` take
``1_2`` and digits of any script, raise a plain ValueError for 4301 digits and compute for hours on
``1e99999999``; the functions here take ASCII of a sane length.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from functools import wraps
from math import floor, isfinite
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from clgraph.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")

# what NetworkX, igraph, cuGraph, scikit-network, scikit-learn, pandas and littleballoffur call our options
ELSEWHERE = {
    **dict.fromkeys(("alpha", "damping_factor"), ("damping",)),
    **dict.fromkeys(("random_state", "random_seed"), ("seed", "rng")),
    **dict.fromkeys(("fraction", "frac", "ratio", "sample_size"), ("size", "num_vertices")),
    **dict.fromkeys(("number_of_nodes", "n", "num_nodes", "n_samples"), ("size", "num_vertices")),
    **dict.fromkeys(("m", "number_of_edges", "num_edges"), ("edges", "num_edges", "edges_each")),
    **dict.fromkeys(("max_iterations", "n_iter", "niter", "iterations"), ("max_iter",)),
    **dict.fromkeys(("eps", "epsilon", "tolerance"), ("tol",)),
    **dict.fromkeys(("weights", "weighted"), ("weight", "weights")),
    **dict.fromkeys(("cutoff", "max_depth"), ("depth_limit",)),
    **dict.fromkeys(("start", "s", "root"), ("source", "sources")),
    **dict.fromkeys(("reset", "nodes", "seeds", "source"), ("personalization", "sources")),
    **dict.fromkeys(("nodelist", "nbunch", "vids"), ("vertices",)),
    **dict.fromkeys(("create_using", "is_directed"), ("directed",)),
    "nodetype": ("ids",),
    "sampler": ("method",),
}


def unknown_option(call: str, name: str, known: Collection[str]) -> TypeError:
    """Return Python's error for an unknown option, with clgraph's name for it."""
    from difflib import get_close_matches

    found = [ours for ours in ELSEWHERE.get(name, ()) if ours in known] or get_close_matches(name, known, 1)
    hint = f": here it is {found[0]!r}" if found else ""
    return TypeError(f"{call}() got an unexpected keyword argument {name!r}{hint}")


def own_options(call: Callable[..., Any]) -> frozenset[str] | None:
    """The parameters of a function by name; None where it takes any."""
    code = call.__code__
    takes_any = code.co_flags & 0x08  # inspect.CO_VARKEYWORDS; inspect itself takes long to load
    return None if takes_any else frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def hints(call: Callable[P, R]) -> Callable[P, R]:
    """Decorate a public call: the error for an unknown option suggests clgraph's name for it."""
    known = own_options(call)

    @wraps(call)
    def begin(*args: Any, **options: Any) -> Any:
        if known is not None and (unknown := options.keys() - known):
            raise unknown_option(call.__name__, min(unknown), known)
        return call(*args, **options)

    return cast(Callable[P, R], begin)


def shown(value: Any) -> str:
    """Format a value for a message: short, in one line; NumPy's scalars as plain numbers."""
    try:
        text = repr(value.item() if isinstance(value, np.generic) else value)
    except Exception:  # of an int of more than 4300 digits, or whatever an object's own method raises
        return f"a value of type {type(value).__name__}"
    if "\n" in text:  # of an array or a table
        text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def whole(value: Any, name: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """Return a whole number from `least` to `most`, or raise InputError."""
    number = not isinstance(value, (bool, np.bool_)) and isinstance(value, (int, np.integer))
    if not number or not least <= int(value) <= most:
        raise InputError(f"{name} is {shown(value)}: use a whole number from {least} to {most}")
    return int(value)


def real(value: Any, name: str) -> float:
    """Return a finite number, or raise InputError."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{name} is {shown(value)}: use a number")
    try:
        number = float(value)
    except OverflowError as error:
        raise InputError(
            f"{name} is {shown(value)}: too large for double precision; use a smaller number"
        ) from error
    if not isfinite(number):
        raise InputError(f"{name} is {shown(value)}: use a finite number")
    return number


def flag(value: Any, name: str) -> bool:
    """Return True or False, or raise InputError."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} is {shown(value)}: use True or False")
    return bool(value)


def word(value: Any, name: str, known: tuple[Any, ...]) -> Any:
    """Return one of some words (or numbers, or None), or raise InputError."""
    if not (value is None or isinstance(value, (str, int, np.integer))) or value not in known:
        raise InputError(f"{name} is {shown(value)}: use {', '.join(map(repr, known[:-1]))} or {known[-1]!r}")
    return value


def is_word(value: Any, *known: str) -> bool:
    """True if a value is one of some words, whatever it is."""
    return isinstance(value, str) and value in known


def _dimensions(value: Any, other: int) -> int:
    """Return an array's dimensions; `other` for anything else (a class of arrays has `ndim`, too)."""
    found = getattr(value, "ndim", other)
    return found if isinstance(found, int) else other


def flat_list(values: Any, name: str) -> list[Any]:
    """Return the ids of vertices in a list, an array, a set or a column of a table; refuse nested lists."""
    dimensions = _dimensions(values, 1)
    if dimensions > 1:
        raise InputError(f"{name} is {shown(values)}: use one flat list of ids of vertices")
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes)) or not dimensions:
        raise InputError(f"{name} is {shown(values)}: use a list of ids of vertices")
    found = list(values)
    for each in found:
        if isinstance(each, (list, tuple, set, frozenset, dict)) or _dimensions(each, 0) > 0:
            raise InputError(
                f"{name} is {shown(values)}: use one flat list of ids of vertices; {shown(each)} in it is a "
                "list of its own"
            )
    return found


def given_ids(value: Any, name: str) -> list[Any]:
    """Return one id of a vertex, or a flat list of them, as a list."""
    return [value] if is_one(value) else flat_list(value, name)


def one_id(value: Any, name: str) -> Any:
    """Return the id of one vertex, or raise InputError."""
    if not is_one(value):
        raise InputError(f"{name} is {shown(value)}: use the id of one vertex")
    return value


def is_one(value: Any) -> bool:
    """True if a value is not a list of any kind."""
    return np.isscalar(value) or getattr(value, "ndim", None) == 0


def file_name(value: Any, name: str = "path") -> Path:
    """Return the name of a file as a Path, or raise InputError."""
    try:
        text = os.fsdecode(value)
    except TypeError as error:
        raise InputError(f"{name} is {shown(value)}: use the name of a file, a string or a Path") from error
    if "\0" in text:
        raise InputError(f"{name} is {shown(value)}: a file name cannot contain a zero character")
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name} is {shown(value)}: not a file name: it contains a lone surrogate"
        ) from error
    parts = text.split("/")
    # other systems count characters
    if max(len(os.fsencode(part) if sys.platform == "linux" else part) for part in parts) > 255:
        raise InputError(f"{name} is {shown(value)}: too long: a file name has at most 255 bytes")
    return Path(text)


# --- Numbers given as text, and sizes of samples: shares, percentages and counts ---

LONGEST = 1000  # characters of a number
WHOLE = re.compile(r"[+-]?[0-9]+")
REAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
RATIO = re.compile(r"[+-]?[0-9]+/[0-9]+")
EXPONENT_MAX = 400  # a little beyond float64


def whole_number(text: str) -> int | None:
    """Return the number that ASCII digits, perhaps with a sign, spell; None if `text` is anything else."""
    return int(text) if len(text) <= LONGEST and WHOLE.fullmatch(text) else None


def real_number(text: str) -> float | None:
    """Return the float64 that a decimal in ASCII spells; None if `text` is anything else, such as nan."""
    return float(text) if REAL.fullmatch(text) else None


def exact_number(text: str) -> Fraction | None:
    """Return the exact number that a decimal or a ratio such as ``4/5`` spells; None if `text` is neither."""
    if len(text) > LONGEST:
        return None
    if RATIO.fullmatch(text):
        top, bottom = map(int, text.split("/"))
        return Fraction(top, bottom) if bottom else None
    found = REAL.fullmatch(text)
    if found is None or (found[1] and (len(found[1]) > 10 or abs(int(found[1])) > EXPONENT_MAX)):
        return None
    return Fraction(text)


def number_given(value: object) -> Fraction | None:
    """Return the exact number that the decimals of a value spell; None if it is no number."""
    try:
        return exact_number(str(value).strip())
    except ValueError:  # a whole number of more than 4300 digits
        return None


def parse_size(size: float | int | str) -> int | Fraction:
    """Return a size as a count of vertices (int) or a share of the input's vertices (Fraction).

    Parameters
    ----------
    size : float, int or str
        ``0.3``, ``"0.3"`` and ``"30%"`` are shares; ``5000`` and ``"5000"`` are counts. ``1`` is one
        vertex, ``1.0`` and ``"100%"`` are all of them.

    Raises
    ------
    InputError
        Not a number; zero or negative; a share above 1.
    """
    hint = "a share such as 0.3 or 30%, or a count such as 5000"
    if isinstance(size, bool) or not isinstance(size, (int, float, str, np.integer, np.floating)):
        raise InputError(f"size {shown(size)}: give {hint}")
    if isinstance(size, (int, np.integer)):
        count = int(size)
        if count < 1:
            raise InputError(f"size {shown(size)}: a sample has at least one vertex; give {hint}")
        if count >= 2**63:
            raise InputError(f"size {shown(size)}: no graph has that many vertices; give {hint}")
        return count
    text = size.strip() if isinstance(size, str) else repr(float(size))
    percent = text.endswith("%")
    digits = text[:-1].strip() if percent else text
    if not percent and (whole_size := whole_number(digits)) is not None:
        return parse_size(whole_size)
    number = None if "/" in digits else exact_number(digits)
    if number is None:
        raise InputError(f"size {shown(size)}: give {hint}")
    share = number / (100 if percent else 1)
    if share <= 0:
        raise InputError(f"size {text[:80]}: a sample has at least one vertex; give {hint}")
    if share > 1:
        raise InputError(f"size {text[:80]} is more than the whole graph; give {hint}")
    return share


def target_size(size: float | int | str, num_vertices: int) -> int:
    """Return the target n* for a graph of `num_vertices` vertices: floor(share * |V| + 1/2), or the count.

    Raises
    ------
    InputError
        As `parse_size`; or a share that amounts to less than one vertex.
    """
    parsed = parse_size(size)
    if isinstance(parsed, int):
        return parsed
    count = floor(parsed * num_vertices + Fraction(1, 2))
    if count < 1:
        raise InputError(f"size {size} of {num_vertices} vertices is less than one vertex")
    return count
