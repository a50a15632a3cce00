"""Example graphs: two small ones that are included, and larger ones fetched by name (the extra `datasets`).

>>> import clgraph
>>> clgraph.datasets.karate()
<Graph: undirected, 34 vertices, 78 edges>
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph._version import pip_hint
from clgraph.arguments import shown
from clgraph.errors import ClgraphError, InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph

__all__ = ["KNOWN", "Known", "fetch", "karate", "les_miserables"]

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Known:
    """A data set whose content is known.

    Attributes
    ----------
    name : str
        As `fetch` takes it.
    directed : bool
    vertices, edges : int
    digest : str
        The SHA-256 of its graph (`clgraph.graph.digest.digest`).
    """

    name: str
    directed: bool
    vertices: int
    edges: int
    digest: str


KNOWN = {
    each.name: each
    for each in (
        Known(
            "snap:email-Enron",
            False,
            36692,
            183831,
            "463102773fe8f36bab46a3f4e67a446fad5ff05e26efbf12fc17392ab1bbe68d",
        ),
        Known(
            "snap:wiki-Vote",
            True,
            7115,
            103689,
            "12408d9c69f0de03906931235c23c92cac832c83f031064cd3c13341da3efcfa",
        ),
        Known(
            "snap:facebook_combined",
            False,
            4039,
            88234,
            "3ab036529a02955a73fae1e8c6745f8df4f76cad33e98a777139e9958237d59d",
        ),
    )
}


# address of a collection's data sets, the member of a packed file that is the graph, and how it is packed
SOURCES = {
    "snap": ("https://snap.stanford.edu/data/{name}.txt.gz", "", ""),
    "konect": ("http://konect.cc/files/download.tsv.{name}.tar.bz2", "{name}/out.{name}", "tar"),
    "nr": ("https://nrvis.com/download/data/{group}/{name}.zip", "{name}.", "zip"),
}


def karate() -> Graph:
    """Zachary's karate club: 34 members, 78 friendships, ids from 1.

    References
    ----------
    W. W. Zachary: An information flow model for conflict and fission in small groups. Journal of
    Anthropological Research 33(4), 1977.
    """
    from clgraph.files import read

    return read(HERE / "karate.txt", device="host")


def les_miserables() -> Graph:
    """Who meets whom in Victor Hugo's novel: 77 names, 254 edges, weighted by the chapters that they share.

    References
    ----------
    D. E. Knuth: The Stanford GraphBase, 1993.
    """
    from clgraph.files import read

    return read(HERE / "les_miserables.csv", ids="str", weights=True, device="host")


def fetch(
    name: str,
    *,
    directed: bool | None = None,
    digest: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    **reading: Any,
) -> Graph:
    """Return a data set by name: downloaded once, and checked.

    Parameters
    ----------
    name : str
        ``"snap:NAME"`` (snap.stanford.edu), ``"konect:NAME"`` (konect.cc) or ``"nr:GROUP/NAME"``
        (networkrepository.com). Those in `KNOWN` are compared with what they are known to be.
    directed : bool, optional
        How to read it; None: as known, else what the file says, else undirected.
    digest : str, optional
        What the graph's digest must be, for a data set that is not in `KNOWN`.
    folder : path-like, optional
        Where downloads are kept; by default the cache folder of your system.
    **reading
        As `clgraph.read`.

    Returns
    -------
    Graph

    Raises
    ------
    ClgraphError
        If the package pooch is missing, or there is no network.
    InputError
        An unknown name; a graph that differs from the digest.
    """
    from clgraph.files import read
    from clgraph.graph.digest import digest as digest_of

    known = KNOWN.get(name)
    file = _downloaded(*_place(name), folder)
    if known is not None:
        directed = known.directed if directed is None else directed
        if directed == known.directed and not reading:
            digest = digest or known.digest
    if file.name.startswith("out."):
        reading.setdefault("format", "konect")
    graph = read(file, directed=directed, **reading)
    if digest is not None and (found := digest_of(graph)) != digest:
        raise InputError(
            f"{name} is not the graph that it should be: its digest is {found}, not {digest}. Delete {file} "
            "to download it again; or the data set was changed where it comes from"
        )
    return graph


def _place(name: Any) -> tuple[str, str, str]:
    """Address, kind of package and the member that is wanted."""
    given = re.fullmatch(r"(\w+):(?:([\w.-]+)/)?([\w.-]+)", name, re.ASCII) if isinstance(name, str) else None
    where, group, last = given.groups() if given else ("", None, "")
    source = SOURCES.get(where)
    if source is None or (group is not None) != (where == "nr") or ".." in name:
        raise InputError(
            f"no data set is called {shown(name)}: use snap:NAME, konect:NAME or nr:GROUP/NAME; known ones: "
            f"{', '.join(KNOWN)}"
        )
    url, member, packed = source
    return url.format(name=last, group=group), packed, member.format(name=last)


def _downloaded(url: str, packed: str, member: str, folder: Any) -> Path:
    try:
        import pooch  # type: ignore[import-untyped]
    except ImportError as error:
        raise ClgraphError(f"fetching data sets needs pooch: {pip_hint('datasets')}") from error
    processor = {"": None, "tar": pooch.Untar(), "zip": pooch.Unzip()}[packed]
    pooch.get_logger().setLevel("WARNING")
    try:
        found = pooch.retrieve(
            url,
            # no hash of the file: archives are packed again without a change; the graph itself is compared
            known_hash=None,
            path=pooch.os_cache("clgraph-datasets") if folder is None else folder,
            processor=processor,
        )
    except (OSError, ValueError) as error:  # requests' errors are OSErrors
        raise ClgraphError(
            f"cannot download {url}: {type(error).__name__}. Without a network, download it elsewhere and "
            "give the file to clgraph.read"
        ) from error
    files = [Path(each) for each in ([found] if isinstance(found, str) else found)]
    wanted = [each for each in files if member in each.as_posix()]
    if not wanted:
        raise InputError(f"{url} holds no {member}: {', '.join(each.name for each in files)[:200]}")
    return min(wanted, key=lambda each: len(each.name))


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
