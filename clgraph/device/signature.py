"""Kernels' signatures, read from our own sources: a launch names its arguments, and types come from here.

A compiler could be asked (``-cl-kernel-arg-info``), but not for programs that come from a binary. What the
sources use of the C preprocessor is followed: conditionals, object-like and function-like macros.
"""

from __future__ import annotations

import keyword
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clgraph.errors import BuildError

if TYPE_CHECKING:
    import numpy as np

# struct's letters; the host's int is 32 bits and its long 64, as the device's, on all systems that we know
_NAMES = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"]
_LETTERS = dict(zip(_NAMES, "bBhHiIqQfd", strict=True))
_PACKERS = {name: struct.Struct(f"={letter}").pack for name, letter in _LETTERS.items()}
_QUALIFIERS = {"const", "restrict", "volatile", "__restrict", "unsigned", "__attribute__", "aligned"}
_SPACES = {"__global": "global", "__constant": "constant", "__local": "local"}

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# where a line begins: a directive with the lines that continue it, a type's name, or what opens a kernel
_MARK = re.compile(
    r"^[ \t]*(?:#[ \t]*(\w+)[ \t]*([^\n\\]*(?:\\\n[^\n\\]*)*)|typedef\s+(\w+)\s+(\w+)\s*;"
    r"|(?:__kernel|PIPELINE)\b|([A-Z][A-Z_0-9]*)\()",
    re.MULTILINE,
)
_KERNEL = re.compile(r"\b(?:__kernel|PIPELINE)\b")
_DEFINE = re.compile(r"(\w+)(\(([^)]*)\))?\s*(.*)", re.DOTALL)
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b")
_VECTOR = re.compile(r"(?:2|3|4|8|16)$")
_NAME = re.compile(r"\bvoid\s+(\w+)\s*\(")
_PUNCTUATION = re.compile("[(),]")
_LINE = re.compile(r'#line (\d+) "([^"\n]*)"')


@dataclass(frozen=True)
class Parameter:
    """A kernel's parameter.

    Attributes
    ----------
    name : str
        With "_" behind it where it is a word of Python's: ``from_``.
    space : {"global", "constant", "local", ""}
        What it points to; "" for a value.
    type : str
        In OpenCL C, without qualifiers: ``int``.
    pack : callable or None
        Of a scalar: gives a number's bytes; struct.error, OverflowError or TypeError if it does not fit.
    """

    name: str
    space: str
    type: str
    pack: Callable[[Any], bytes] | None

    def takes(self, dtype: np.dtype[Any]) -> bool:
        """True if it may point to a buffer of such elements.

        Signed and unsigned whole numbers pass for each other; floating-point numbers are taken as such, or as
        unsigned words of their size where only bits are moved.
        """
        letter = _LETTERS.get(_VECTOR.sub("", self.type))
        if letter is None:
            return True  # a type of our own
        if dtype.itemsize != struct.calcsize(f"={letter}"):
            return False
        return dtype.kind == "f" if letter in "fd" else letter.isupper() or dtype.kind != "f"

    def __str__(self) -> str:
        return f"{f'__{self.space} {self.type} *' if self.space else f'{self.type} '}{self.name}"


@dataclass(frozen=True)
class Signature:
    """A kernel's parameters in order, and where it is written (file within ``cl/``, line)."""

    kernel: str
    parameters: tuple[Parameter, ...]
    file: str
    line: int


# a macro's parameters (None: it is object-like) and text
_Macro = tuple[tuple[str, ...] | None, str]


def signatures(source: str, options: tuple[str, ...]) -> dict[str, Signature]:
    """Read the signatures of all kernels of a source, as these build options leave them.

    Parameters
    ----------
    source : str
        With its includes inlined: see `clgraph.device.program.read_source`.
    options : tuple of str
        Those of the build; ``-DKEY`` and ``-DKEY=value`` count.

    Raises
    ------
    BuildError
        If a signature or a condition is beyond what is followed here.
    """
    macros: dict[str, _Macro] = {}
    for option in options:
        if option.startswith("-D"):
            key, _, value = option[2:].partition("=")
            macros[key] = None, value or "1"
    text = _COMMENT.sub(lambda match: "\n" * match[0].count("\n"), source)
    found: dict[str, Signature] = {}
    # per open condition: whether a branch was taken, and whether what is around it counts
    stack: list[tuple[bool, bool]] = []
    active = True
    for mark in _MARK.finditer(text):
        word, rest = mark[1], mark[2]
        if word in ("if", "ifdef", "ifndef"):
            holds = active and _holds(word, rest, macros)
            stack.append((holds, active))
            active = holds
        elif word in ("elif", "else"):
            taken, around = stack[-1]
            active = around and not taken and (word == "else" or _holds("if", rest, macros))
            stack[-1] = (taken or active, around)
        elif word == "endif":
            active = stack.pop()[1]
        elif not active:
            continue
        elif word == "define" and (parts := _DEFINE.match(rest)):
            given = None if parts[2] is None else tuple(name.strip() for name in parts[3].split(","))
            macros[parts[1]] = given, parts[4].replace("\\\n", " ").strip()
        elif word == "undef":
            macros.pop(rest.strip(), None)
        elif mark[4]:
            macros[mark[4]] = None, mark[3]  # a typedef
        elif word is None:
            place, made, begins = _place(text, mark.start()), text, [mark.end()]
            if mark[5] is not None:  # a macro's call, which may be that of one that defines kernels
                body = macros.get(mark[5], (None, ""))[1]
                end = _arguments(text, mark.end())[1] if _KERNEL.search(body) else mark.start()
                made = _expand(text[mark.start() : end], macros)
                begins = [begin.end() for begin in _KERNEL.finditer(made)]
            signatures = (_signature(made, begin, macros, place) for begin in begins)
            found |= {each.kernel: each for each in signatures if each is not None}
    return found


def _holds(word: str, rest: str, macros: dict[str, _Macro]) -> bool:
    if word != "if":
        return (rest.split()[0] in macros) == (word == "ifdef")
    text = _DEFINED.sub(lambda match: str(int((match[1] or match[2]) in macros)), rest.replace("\\\n", " "))
    text = _NUMBER.sub(r"\1", _expand(text, macros))
    text = _WORD.sub("0", text).replace("&&", " and ").replace("||", " or ").replace("/", "//")
    text = re.sub(r"!(?!=)", " not ", text)
    try:
        # of our own sources, and only numbers and operators are left
        return bool(eval(text.strip(), {"__builtins__": {}}))
    except (SyntaxError, ArithmeticError, TypeError) as error:
        raise BuildError(f"the condition `#if {rest.strip()}` is not understood: {error}") from error


def _expand(text: str, macros: dict[str, _Macro], hidden: frozenset[str] = frozenset()) -> str:
    """Replace macros by their text, recursively; one within its own text stays, as C demands."""
    parts: list[str] = []
    at = 0
    while (match := _WORD.search(text, at)) is not None:
        word, end = match[0], match.end()
        known = word in macros and word not in hidden
        names, body = macros[word] if known else (None, word)
        if names is not None and text[end:].lstrip().startswith("("):
            given, end = _arguments(text, text.index("(", end) + 1)
            values = dict(zip(names, given, strict=False))
            body = re.sub(r"\s*##\s*", "", _WORD.sub(lambda each: values.get(each[0], each[0]), body))  # noqa: B023
        elif names is not None:  # function-like, and not called
            known, body = False, word
        if known:
            body = _expand(body, macros, hidden | {word})
        parts += text[at : match.start()], body
        at = end
    return "".join([*parts, text[at:]])


def _arguments(text: str, begin: int) -> tuple[list[str], int]:
    """Split what an open parenthesis, which ends before `begin`, encloses; and the place behind it."""
    parts, depth, start = [], 1, begin
    for match in _PUNCTUATION.finditer(text, begin):
        depth += {"(": 1, ")": -1, ",": 0}[match[0]]
        if depth == 0 or (depth == 1 and match[0] == ","):
            parts.append(text[start : match.start()].strip())
            start = match.end()
        if depth == 0:
            return ([] if parts == [""] else parts), start
    raise BuildError(f"a parenthesis is not closed: {text[begin : begin + 60]!r}")


def _signature(text: str, at: int, macros: dict[str, _Macro], place: tuple[str, int]) -> Signature | None:
    """The signature behind ``__kernel``; None if a declaration is all there is."""
    name = _NAME.search(text, at)
    if name is None:
        raise BuildError(f"no kernel's name behind __kernel: {text[at : at + 60]!r}")
    end = _arguments(text, name.end())[1]
    if text[end:].lstrip().startswith(";"):
        return None
    listed = _arguments(_expand(text[name.end() : end], macros), 0)[0]  # macros may hold several
    kernel = _expand(name[1], macros)
    if listed == ["void"]:
        listed = []
    return Signature(kernel, tuple(_parameter(each, kernel) for each in listed), *place)


def _place(text: str, at: int) -> tuple[str, int]:
    begin = text.rfind("\n#line ", 0, at) + 1
    match = _LINE.match(text, begin)
    if match is None:
        return "", text.count("\n", 0, at) + 1
    return match[2], int(match[1]) + text.count("\n", match.end() + 1, at)


def _parameter(text: str, kernel: str) -> Parameter:
    words: list[str] = re.findall(r"\w+", text)
    space = next((_SPACES[word] for word in words if word in _SPACES), "")
    name = words[-1]
    kinds = [word for word in words[:-1] if word not in _QUALIFIERS and word not in _SPACES]
    type_ = "u" + kinds[0] if "unsigned" in words else " ".join(kinds)
    if not type_ or (not space and ("*" in text or type_ not in _PACKERS)):
        raise BuildError(f"kernel {kernel}: the parameter `{text}` is of no type that is known here")
    if keyword.iskeyword(name):
        name += "_"
    return Parameter(name, space, type_, None if space else _PACKERS[type_])
