"""The sources of ``clgraph ppr``, and what it leaves out: words of the command line and of files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clgraph.arguments import file_name
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.scale import Shards

Word = tuple[str, str]  # as it is written, and where


@dataclass(frozen=True)
class Wanted:
    """The sources as they are written.

    Attributes
    ----------
    words : list of Word
    users : dict of str to list of Word, or None
        The items of each user, if there are users instead.
    """

    words: list[Word]
    users: dict[str, list[Word]] | None

    def ids(self, graph: Graph | Shards) -> Any:
        """The sources as `clgraph.personalized_pagerank` takes them."""
        if self.users is None:
            return [_as_id(*word, graph) for word in self.words]
        return {user: [_as_id(*word, graph) for word in words] for user, words in self.users.items()}


def read_wanted(source: tuple[str, ...], file: str | None, users: str | None) -> Wanted:
    """The sources of --source and --sources, or the users of --users."""
    if users is not None:
        if source or file:
            raise InputError("--users FILE has the sources: leave out --source and --sources")
        return Wanted([], _read_users(users))
    words = [(word, f"--source {word}") for word in source] + (read_words("--sources", file) if file else [])
    if not words:
        raise InputError("no source is given: --source ID (repeatable), --sources FILE or --users FILE")
    return Wanted(words, None)


def exclusion(word: str | None, left_out: list[Word], graph: Graph | Shards) -> Any:
    """What is left out, as `clgraph.personalized_pagerank` takes it."""
    ids = [_as_id(*one, graph) for one in left_out]
    if word is None:
        return ids or None
    return (word, ids) if ids else word


def _read_users(path: str) -> dict[str, list[Word]]:
    """The items of each user; lines of one user add up."""
    users: dict[str, list[Word]] = {}
    for parts, where in _lines("--users", path):
        if len(parts) == 1:
            raise InputError(f"{where}: user {parts[0]!r} has no items: a user and ids of items are needed")
        users.setdefault(parts[0], []).extend((word, where) for word in parts[1:])
    if not users:
        raise InputError(f"--users {path} names no user")
    return users


def read_words(option: str, path: str) -> list[Word]:
    """The word on each line of a file, with its place."""
    words = []
    for parts, where in _lines(option, path):
        if len(parts) > 1:
            raise InputError(f"{where}: {' '.join(parts)!r}: one id a line is needed")
        words.append((parts[0], where))
    if not words:
        raise InputError(f"{option} {path} names no vertex")
    return words


def _lines(option: str, path: str) -> Iterator[tuple[list[str], str]]:
    """The words of each line that is no comment, and its place."""
    from clgraph.graph.io.common import read_text

    try:
        lines = read_text(file_name(path, option)).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{option}: cannot read {path}: {error}") from error
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if parts and parts[0][0] not in "#%":
            yield parts, f"{option} {path}, line {number}"


def _as_id(word: str, where: str, graph: Graph | Shards) -> Any:
    """A source in the type of the graph's ids; an InputError that names its place if there is none such."""
    from clgraph.sizes import whole_number

    vertex: Any = word
    if graph.ids.dtype.kind in "iu":
        vertex = whole_number(word)
        if vertex is None:
            raise InputError(f"{where}: the graph's ids are integers (or read it with --ids str)")
    try:
        graph.index(vertex)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return vertex
