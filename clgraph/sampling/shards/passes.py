"""The first pass over a graph in shards, which finds its priority forest; and forests made to be saved."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name, shown
from clgraph.errors import InputError
from clgraph.formats import check_writable
from clgraph.formats.common import Options, check_vertex_count
from clgraph.keyed import Rng, takes_rng
from clgraph.methods import EXACT, plain_method
from clgraph.progress import Tell, with_progress
from clgraph.sampling.shards.forest import Forest, default_room, room_to_keep
from clgraph.sampling.shards.saved import About, Checkpoint, SavedForest, open_forest, write_forest
from clgraph.scale.comm import Ranks, run_on_ranks, shared_seed
from clgraph.scale.loading import Loading
from clgraph.scale.shards import Shards, check_shards

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device

# seconds between two looks of a checkpoint at the forest
SAVE_EVERY = 60.0
# edges for each vertex that a GPU reads and reduces in the time of one merge
MERGE_COST = 4


class ForestPass:
    """The first pass of a rank over the pairs, which finds the priority forest, or takes one that was saved.

    Parameters
    ----------
    which : sequence of int, optional
        The shards to look at, where no second pass follows; default: all.
    room : int, optional
        Edges held on a device at a time.
    values : sequence of str
        What the second pass wants beside the rows.
    forest : SavedForest, optional
        Instead of the pass.
    checkpoint : Checkpoint, optional
        What is in it is not looked for again.

    Attributes
    ----------
    about : About
    words : device buffer, or None
        The forest, as `Forest.take` gives it: at rank 0, or `everywhere`.
    everywhere : bool
    loading : Loading
        With the shards that stay on the device.
    own : list of int
        The shards of the pairs that are this rank's in the second pass.
    """

    def __init__(
        self,
        ranks: Ranks,
        device: Device,
        shards: Shards,
        method: str,
        seed: int,
        *,
        which: Sequence[int] | None = None,
        room: int | None = None,
        values: Sequence[str] = (),
        forest: SavedForest | None = None,
        checkpoint: Checkpoint | None = None,
        progress: Tell | None = None,
    ) -> None:
        self.ranks, self.device, self.about = ranks, device, about_of(shards, method, seed)
        n, section = shards.num_vertices, shards.section(shards.pairs).shards
        self.own = numbers = list(ranks.shares(len(section)))
        self.checkpoint, merges = checkpoint if forest is None else None, True
        given: list[SavedForest] = []
        if forest is not None:
            room = 0
        elif checkpoint is not None:
            numbers, given = dealt(ranks, checkpoint, range(len(section)) if which is None else which)
        elif which is not None:
            numbers = list(which[ranks.rank :: ranks.size])
        elif room is None and all_alike(ranks, device, n, sum(each.edges for each in section)):
            # this rank's own come first: they are wanted again, and stay on the device if they fit
            rest = set(range(len(section))) - set(self.own)
            numbers, merges = self.own + sorted(rest), False
        if room is None:
            room = default_room(device, n, sum(section[number].edges for number in numbers))
        # shards that stay on the device save the second pass its reading
        again = room_to_keep(device, n, room) if which is None else 0
        self.loading = Loading(device, shards, values=values, room=again)
        self.everywhere = not merges or ranks.size == 1
        if forest is not None:
            self.words = None if ranks.rank else _uploaded(device, forest, n)
        else:
            self.words = self._find(numbers, room, given, progress, merges=merges)
            with device.alone():
                # what made the words is gone from the device's memory
                device.finish()

    def _find(
        self, numbers: list[int], room: int, given: list[SavedForest], progress: Tell | None, *, merges: bool
    ) -> Any:
        """Find the priority forest of the shards of all ranks, and of what is `given`; the words at rank 0.

        Without `merges` each rank was given all shards, and each has the forest.
        """
        ranks, device, about = self.ranks, self.device, self.about
        n, edges = about.vertices, about.method == "dre"
        with device.alone():
            forest = Forest(device, n, about.seed, edges=edges, room=max(room, 1))
        for each in given:
            words = each.words()
            with device.alone():
                forest.add_words(words)
        seen = [number for each in given for number in each.shards]
        saved = monotonic()

        def save() -> None:
            if self.checkpoint is not None and seen:
                with device.alone():
                    words = forest.words()
                self.checkpoint.save(seen, words)

        for done, rows in enumerate(self.loading.rows(self.loading.shards.pairs, numbers)):
            if progress and ranks.rank == 0:
                progress(done, len(numbers))
            with device.alone():
                forest.add(rows, both_ways=self.loading.shards.both_ways)
                # the shard's buffers are free
                device.finish()
            seen.append(numbers[done])
            if done + 1 < len(numbers) and monotonic() - saved >= SAVE_EVERY:
                save()
                saved = monotonic()
        save()

        def pack(own: Forest) -> npt.NDArray[np.uint64]:
            with device.alone():
                return device.download(own.take(), np.uint64, n)

        def join(own: Forest, other: npt.NDArray[np.uint8]) -> Forest:
            with device.alone():
                own.add_words(other.view(np.uint64))
            return own

        whole = ranks.merge(forest, pack, join) if merges else forest
        if whole is None:
            return None
        with device.alone():
            return whole.take()

    def loaded(self) -> Iterator[DeviceCSR]:
        """Give this rank's shards, for the second pass."""
        return self.loading.rows(self.loading.shards.pairs, self.own)

    def forget(self) -> None:
        """Remove what a checkpoint has kept, once all ranks are done with the first pass."""
        if self.checkpoint is not None and self.ranks.rank == 0:
            self.checkpoint.clear()


def check_method(shards: Shards, method: str) -> int:
    """Return the number of vertices; an InputError for none, or for a method that shards do not offer."""
    if not isinstance(method, str) or method not in EXACT:
        raise InputError(
            f"{shown(method)} is not offered for shards: only {' and '.join(EXACT)} are, which take "
            "two passes over the edges; join a graph that fits memory (clgraph convert IN.clgs OUT.clg)"
        )
    if shards.num_vertices == 0:
        raise InputError("the graph has no vertices: there is nothing to sample")
    return shards.num_vertices


def about_of(shards: Shards, method: str, seed: int) -> About:
    """Return what a forest of these shards says of itself."""
    count = len(shards.section(shards.pairs).shards)
    return About(shards.fingerprint, shards.num_vertices, method, seed, count)


def dealt(ranks: Ranks, checkpoint: Checkpoint, wanted: Sequence[int]) -> tuple[list[int], list[SavedForest]]:
    """Return this rank's part of the shards wanted that are missing, and of what is there."""
    found = checkpoint.found() if ranks.rank == 0 else []
    found = [each for each in found if set(each.shards) <= set(wanted)]
    seen = {number for each in found for number in each.shards}
    plan = {"names": [each.path.name for each in found], "missing": [k for k in wanted if k not in seen]}
    text = ranks.broadcast(np.frombuffer(json.dumps(plan).encode(), np.uint8), np.uint8)
    plan = json.loads(bytes(text))
    mine = [open_forest(checkpoint.folder / name) for name in plan["names"][ranks.rank :: ranks.size]]
    checkpoint.own += mine  # which the next one that is saved replaces
    return plan["missing"][ranks.rank :: ranks.size], mine


def _uploaded(device: Device, forest: SavedForest, n: int) -> Any:
    """Return a saved forest as `Forest.take` gives it."""
    words = np.zeros(n, np.uint64)
    found = forest.words()
    words[: len(found)] = found
    with device.alone():
        device.reserve({"forest": words.nbytes})
        return device.upload(words)


def all_alike(ranks: Ranks, device: Device, n: int, edges: int) -> bool:
    """Return whether every rank makes the forest of all shards, instead of one of its own that is merged.

    A merge costs a forest sent (8 n bytes) and reduced beside another (2 n edges), in which time a GPU reads
    and reduces some 4 n edges. CPU devices of one host share its cores: there work is never done twice.
    """
    if ranks.size == 1:
        return False
    sooner = edges - edges // ranks.size <= MERGE_COST * n * (ranks.size - 1).bit_length()
    fits = device.kind == "gpu" and default_room(device, n, edges) >= edges
    return bool(np.all(ranks.everywhere(np.array([sooner and fits]))))


# --- Forests of some shards, or of other forests, in files ---


@takes_rng
@with_progress("forest")
def save_forest(
    shards: Shards,
    path: str | os.PathLike[str],
    method: str = "drv",
    *,
    seed: int | None = None,
    rng: Rng | None = None,
    which: Sequence[int] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    device: str | Device | Sequence[str | Device] | None = None,
    progress: Any = None,
) -> SavedForest:
    """Compute and save the priority forest of a graph in shards: the first pass of samples and curves.

    The forest has at most n - 1 edges and determines every sample of its method and seed, of any size
    (``clgraph.sample(shards, ..., forest=...)``). Forests of some shards are merged by `merge_forests`: jobs
    of any scheduler may share the pass through files.

    Parameters
    ----------
    shards : Shards
    path : str or path
    method : {"drv", "dre"}
    seed : int, optional
        By default one is drawn from the operating system and recorded in the file.
    rng : int, SeedSequence, Generator or BitGenerator, optional
        Of ``numpy.random``, instead of `seed`, as in `clgraph.sample`; each rank's must give the
        same.
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
    check_method(shards, method)
    name, agreed = file_name(path), shared_seed(seed, shards.comm)
    check_writable(name, "edges")
    folder = None if checkpoint is None else file_name(checkpoint, "checkpoint")
    about = about_of(shards, method, agreed)
    wanted = _some(about.of, which)

    def work(ranks: Ranks, dev: Device) -> SavedForest:
        asked = {"seed": str(seed), "which": str(wanted), "path": str(name)}
        ranks.agree(dataset=shards.fingerprint, method=f"forest, {method}", **asked)
        kept = None if folder is None else Checkpoint(folder, about)
        found = ForestPass(
            ranks, dev, shards, method, agreed, which=wanted, checkpoint=kept, progress=progress
        )
        if found.words is not None:
            with dev.alone():
                words = dev.download(found.words, np.uint64, found.about.vertices)
            write_forest(name, found.about, wanted, np.sort(words[words != 0]))
        # the file is there
        ranks.everywhere(np.empty(0, np.uint8))
        found.forget()
        return open_forest(name)

    return run_on_ranks(work, device, shards.comm)


@with_progress("merging forests")
def merge_forests(
    forests: Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    max_vertices: int | None = None,
    device: str | Device | None = None,
    progress: Tell | None = None,
) -> SavedForest:
    """Merge saved forests of one dataset, method and seed; order and repetition do not change the bytes.

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
    """Return numbers of shards, ascending, each once."""
    if which is None:
        return list(range(count))
    try:
        numbers = np.asarray(which)
    # lists of different lengths
    except ValueError:
        numbers = np.empty(0)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or not len(numbers):
        raise InputError(f"which is {shown(which)}: give numbers of shards, 0 to {count - 1}")
    if int(numbers.min()) < 0 or int(numbers.max()) >= count:
        raise InputError(f"which is {shown(which)}: the dataset has {count} shards, 0 to {count - 1}")
    return [int(number) for number in np.unique(numbers)]
