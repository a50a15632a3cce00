"""Tables of a study for a terminal, in blocks that fit its width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clgraph.drawing import NONE

WIDTH = 80
GAP = "  "


def blocks(
    about: Sequence[tuple[str, list[str]]], columns: Sequence[tuple[str, list[str]]], width: int
) -> Iterator[str]:
    """Yield a table in blocks: the first of `about` names the rows of each; no cell is cut or broken.

    The other columns of `about` are in the first block alone.
    """
    names = about[0]
    waiting = [*about[1:], *columns]
    first = True
    while waiting or first:
        block, used = [names], _wide(names)
        while waiting and (len(block) == 1 or used + len(GAP) + _wide(waiting[0]) <= width):
            used += len(GAP) + _wide(waiting[0])
            block.append(waiting.pop(0))
        if not first:
            yield ""
        first = False
        wide = [_wide(column) for column in block]
        head = [column[0] for column in block]
        rule = [NONE * each for each in wide]
        for cells in (head, rule, *zip(*(column[1] for column in block), strict=True)):
            yield GAP.join([cells[0].ljust(wide[0]), *map(str.rjust, cells[1:], wide[1:])]).rstrip()


def _wide(column: tuple[str, list[str]]) -> int:
    return max(map(len, (column[0], *column[1])))


def folded(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Yield a text in lines of a width, those after the first indented."""
    import textwrap

    yield from textwrap.wrap(
        text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    ) or [""]
