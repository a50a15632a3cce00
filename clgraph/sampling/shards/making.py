"""Priority forests made of some shards, or of other forests, and saved."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.formats import check_writable
from clgraph.formats.common import Options, check_vertex_count
from clgraph.methods import plain_method
from clgraph.progress import Tell, tells
from clgraph.sampling.shards.forest import Forest
from clgraph.sampling.shards.passes import about_of, dealt, default_room, forest_of
from clgraph.sampling.shards.samples import check_method
from clgraph.sampling.shards.saved import Checkpoint, SavedForest, open_forest, write_forest
from clgraph.scale.comm import Ranks, run_on_ranks, shared_seed
from clgraph.scale.loading import Loading
from clgraph.scale.shards import Shards, check_shards

if TYPE_CHECKING:
    from clgraph.device import Device


@tells("forest")
def save_forest(
    shards: Shards,
    path: str | os.PathLike[str],
    method: str = "drv",
    *,
    seed: int | None = None,
    which: Sequence[int] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    device: str | Device | Sequence[str | Device] | None = None,
    progress: Any = None,
) -> SavedForest:
    """Make the priority forest of a graph in shards, and save it: the first pass of samples and curves.

    The forest has at most n - 1 edges and tells every sample of its method and seed, of any size
    (``clgraph.sample(shards, ..., forest=...)``). Forests of some shards are merged by `merge_forests`: jobs
    of any scheduler may share the pass through files.

    Parameters
    ----------
    shards : Shards
    path : str or path
    method : {"drv", "dre"}
    seed : int, optional
        By default one is drawn from the operating system and recorded in the file.
    which : sequence of int, optional
        The shards of the section pairs to look at; default: all.
    checkpoint : path, optional
        A folder that keeps what has been found so far: a call that finds it there goes on from it.
    device : str or Device, or several of them, optional
        As `clgraph.sample` takes it for shards.
    progress : callable or bool, optional
        Called with (shards done, shards to do); True shows a bar.

    Returns
    -------
    SavedForest

    Raises
    ------
    InputError
        A method that shards do not offer, a shard that does not exist or is damaged; ranks that differ.
    CapacityError
        If the vertices do not fit the device.
    """
    check_shards(shards)
    method = plain_method(method)
    n = check_method(shards, method)
    name, agreed = file_name(path), shared_seed(seed, shards.comm)
    check_writable(name, "edges")
    about = about_of(shards, method, agreed)
    wanted = _some(about.of, which)
    folder = None if checkpoint is None else file_name(checkpoint, "checkpoint")

    def work(ranks: Ranks, dev: Device) -> SavedForest:
        asked = {"seed": str(seed), "which": str(wanted), "path": str(name)}
        ranks.agree(dataset=shards.fingerprint, method=f"forest, {method}", **asked)
        mine, kept = list(wanted[ranks.rank :: ranks.size]), None
        given: list[SavedForest] = []
        if folder is not None:
            kept = Checkpoint(folder, about)
            mine, given = dealt(ranks, kept, wanted)
        section = shards.section("pairs").shards
        room = default_room(dev, n, sum(section[number].edges for number in mine))
        words = forest_of(
            ranks,
            dev,
            Loading(dev, shards),
            n,
            method,
            agreed,
            mine,
            room=room,
            progress=progress,
            kept=kept,
            given=given,
        )
        if words is not None:
            with dev.alone():
                found = dev.download(words, np.uint64, n)
            write_forest(name, about, wanted, np.sort(found[found != 0]))
        ranks.everywhere(np.empty(0, np.uint8))  # the file is there
        if kept is not None and ranks.rank == 0:
            kept.clear()
        return open_forest(name)

    return run_on_ranks(work, device, shards.comm)


@tells("merging forests")
def merge_forests(
    forests: Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    max_vertices: int | None = None,
    device: str | Device | None = None,
    progress: Tell | None = None,
) -> SavedForest:
    """Merge saved forests of one dataset, method and seed: in any order, also twice, with the same bytes.

    Parameters
    ----------
    forests : sequence of paths
    path : str or path
        Where the result goes; it may be one of them.
    max_vertices : int, optional
        Most vertices that the forests may be of. Default: as for `clgraph.read`, by the largest file.
    device : str or Device, optional
    progress : callable or bool, optional
        Called with the forests merged and how many there are; True shows a bar.

    Returns
    -------
    SavedForest

    Raises
    ------
    InputError
        Forests of different things, or a file that is none.
    CapacityError
        If the vertices do not fit the device.
    """
    from clgraph.device import get_device

    if isinstance(forests, (str, bytes)) or not isinstance(forests, Sequence) or not len(forests):
        raise InputError(f"forests is {shown(forests)}: give a list of names")
    opened = [open_forest(each) for each in forests]
    about = opened[0].about
    for each in opened[1:]:
        about.check_same(each.about, each.path)
    largest = max((each.path for each in opened), key=lambda each: each.stat().st_size)
    check_vertex_count(largest, about.vertices, Options(max_vertices=max_vertices))
    name = file_name(path)
    check_writable(name, "edges")
    dev = get_device(device)
    room = default_room(dev, about.vertices, largest.stat().st_size // 8)
    with dev.alone():
        forest = Forest(dev, about.vertices, about.seed, edges=about.method == "dre", room=room)
    for done, each in enumerate(opened, 1):
        words = each.words()
        with dev.alone():
            forest.add_words(words)
        if progress:
            progress(done, len(opened))
    with dev.alone():
        merged = forest.words()
    return write_forest(name, about, [number for each in opened for number in each.shards], merged)


def _some(count: int, which: Any) -> list[int]:
    """Numbers of shards, ascending, each once."""
    if which is None:
        return list(range(count))
    try:
        numbers = np.asarray(which)
    except ValueError:  # lists of different lengths
        numbers = np.empty(0)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or not len(numbers):
        raise InputError(f"which is {shown(which)}: give numbers of shards, 0 to {count - 1}")
    if int(numbers.min()) < 0 or int(numbers.max()) >= count:
        raise InputError(f"which is {shown(which)}: the dataset has {count} shards, 0 to {count - 1}")
    return [int(number) for number in np.unique(numbers)]
