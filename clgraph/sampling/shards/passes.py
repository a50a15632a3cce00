"""The first pass over a graph in shards, which finds its priority forest; and what may take its place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.progress import Tell
from clgraph.sampling.shards.forest import LAUNCH, Forest
from clgraph.sampling.shards.saved import About, Checkpoint, SavedForest, open_forest
from clgraph.scale.comm import Ranks
from clgraph.scale.loading import Loading
from clgraph.scale.shards import Shards

if TYPE_CHECKING:
    from clgraph.csr.parts import DeviceCSR
    from clgraph.device import Device

SAVE_EVERY = 60.0  # seconds between two looks of a checkpoint at the forest
MERGE_COST = 4  # edges for each vertex that a GPU reads and reduces in the time of one merge


@dataclass(frozen=True)
class Found:
    """What the first pass leaves on a rank's device.

    Attributes
    ----------
    words : device buffer, or None
        The forest, as `Forest.take` gives it: at rank 0, or `everywhere`.
    everywhere : bool
    loading : Loading
        With the shards that stay on the device.
    own : list of int
        The shards of the pairs that are this rank's in the second pass.
    """

    words: Any
    everywhere: bool
    loading: Loading
    own: list[int]

    def loaded(self) -> Iterator[DeviceCSR]:
        """This rank's shards, for the second pass."""
        return self.loading.pairs(self.own)


def forest_pass(
    ranks: Ranks,
    device: Device,
    shards: Shards,
    method: str,
    seed: int,
    *,
    room: int | None,
    progress: Tell | None,
    values: Sequence[str] = (),
    forest: SavedForest | None = None,
    checkpoint: Path | None = None,
) -> Found:
    """The first pass over the pairs, which finds the priority forest; `values` are wanted in the second.

    A forest that was saved takes its place. What is in the folder `checkpoint` is not looked for again.
    """
    n, section = shards.num_vertices, shards.section(shards.pairs).shards
    own = every = list(ranks.shares(len(section)))
    kept, merges = None, True
    given: list[SavedForest] = []
    if forest is not None:
        room = 0
    elif checkpoint is not None:
        kept = Checkpoint(checkpoint, about_of(shards, method, seed))
        every, given = dealt(ranks, kept)
    elif room is None and all_alike(ranks, device, n, sum(each.edges for each in section)):
        # this rank's own come first: they are wanted again for the edges, and stay on the device if they fit
        every, merges = own + sorted(set(range(len(section))) - set(own)), False
    if room is None:
        room = default_room(device, n, sum(section[number].edges for number in every))
    loading = Loading(device, shards, values=values, room=room_to_keep(device, n, room))
    if forest is not None:
        words = None if ranks.rank else _uploaded(device, forest, n)
    else:
        about = ranks, device, loading, n, method, seed, every
        words = forest_of(*about, room=room, progress=progress, merges=merges, kept=kept, given=given)
        with device.alone():
            device.finish()  # what made the words is gone from the device's memory
    return Found(words, not merges or ranks.size == 1, loading, own)


def forest_of(
    ranks: Ranks,
    device: Device,
    loading: Loading,
    n: int,
    method: str,
    seed: int,
    numbers: Sequence[int],
    *,
    room: int,
    progress: Tell | None = None,
    merges: bool = True,
    kept: Checkpoint | None = None,
    given: Sequence[SavedForest] = (),
) -> Any:
    """The priority forest of the shards of all ranks: at rank 0 as `Forest.take` gives it, None elsewhere.

    Without `merges` each rank was given all shards, and each has the forest. What is `given` goes in first;
    `kept` keeps what is found on the way.
    """
    with device.alone():
        forest = Forest(device, n, seed, edges=method == "dre", room=max(room, 1))
    for each in given:
        words = each.words()
        with device.alone():
            forest.add_words(words)
    seen = [number for each in given for number in each.shards]
    saved = monotonic()

    def save() -> None:
        if kept is not None and seen:
            with device.alone():
                words = forest.words()
            kept.save(seen, words)

    for done, rows in enumerate(loading.pairs(numbers)):
        if progress and ranks.rank == 0:
            progress(done, len(numbers))
        with device.alone():
            forest.add(rows, both_ways=loading.both_ways)
            device.finish()  # the shard's buffers are free
        seen.append(numbers[done])
        if done + 1 < len(numbers) and monotonic() - saved >= SAVE_EVERY:
            save()
            saved = monotonic()
    save()
    if not merges:
        with device.alone():
            return forest.take()

    def pack(own: Forest) -> npt.NDArray[np.uint64]:
        with device.alone():
            return device.download(own.take(), np.uint64, n)

    def join(own: Forest, other: npt.NDArray[np.uint8]) -> Forest:
        with device.alone():
            own.add_words(other.view(np.uint64))
        return own

    whole = ranks.merge(forest, pack, join)
    if whole is None:
        return None
    with device.alone():
        return whole.take()


def about_of(shards: Shards, method: str, seed: int) -> About:
    """What a forest of these shards says of itself."""
    count = len(shards.section(shards.pairs).shards)
    return About(shards.fingerprint, shards.num_vertices, method, seed, count)


def dealt(
    ranks: Ranks, kept: Checkpoint, wanted: Sequence[int] | None = None
) -> tuple[list[int], list[SavedForest]]:
    """This rank's part of the shards wanted (default: all) that are missing, and of what is there."""
    wanted = range(kept.about.of) if wanted is None else wanted
    found = kept.found() if ranks.rank == 0 else []
    found = [each for each in found if set(each.shards) <= set(wanted)]
    there = {number for each in found for number in each.shards}
    plan = {"names": [each.path.name for each in found], "missing": [k for k in wanted if k not in there]}
    text = ranks.broadcast(np.frombuffer(json.dumps(plan).encode(), np.uint8), np.uint8)
    plan = json.loads(bytes(text))
    mine = [open_forest(kept.folder / name) for name in plan["names"][ranks.rank :: ranks.size]]
    kept.take_over(mine)
    return plan["missing"][ranks.rank :: ranks.size], mine


def forget(ranks: Ranks, checkpoint: Path | None, about: About) -> None:
    """Remove what a checkpoint has kept, once all ranks are done with the first pass."""
    if checkpoint is not None and ranks.rank == 0:
        Checkpoint(checkpoint, about).clear()


def _uploaded(device: Device, forest: SavedForest, n: int) -> Any:
    """A saved forest as `Forest.take` gives it."""
    words = np.zeros(n, np.uint64)
    found = forest.words()
    words[: len(found)] = found
    with device.alone():
        device.reserve({"forest": words.nbytes})
        return device.upload(words)


def all_alike(ranks: Ranks, device: Device, n: int, edges: int) -> bool:
    """Whether every rank shall make the forest of all shards, instead of one of its own that is merged.

    A merge costs a forest sent (8 n bytes) and reduced beside another (2 n edges), in which time a GPU reads
    and reduces some 4 n edges. CPU devices of one host share its cores: there work is never done twice.
    """
    if ranks.size == 1:
        return False
    sooner = edges - edges // ranks.size <= MERGE_COST * n * (ranks.size - 1).bit_length()
    fits = device.kind == "gpu" and default_room(device, n, edges) >= edges
    return bool(np.all(ranks.everywhere(np.array([sooner and fits]))))


def default_room(device: Device, n: int, edges: int) -> int:
    """Edges to hold at a time: all, or as many as fit half of the device's memory beside the vertices."""
    shape = LAUNCH.of(device)
    fixed = sum(Forest.memory(n, 0, shape).values())
    free = max(device.global_memory // 2 - fixed, 0)
    most = max(2 * n, free // (16 if shape.keep_times else 8))
    return max(1, min(edges, most, device.max_buffer // 8 - n - shape.chunk))


def room_to_keep(device: Device, n: int, room: int) -> int:
    """Bytes that shards may take on the device from one pass to the next, beside the forest.

    Where memory is shared, the system keeps the files.
    """
    if device.shares_memory:
        return 0
    taken = sum(Forest.memory(n, room, LAUNCH.of(device)).values()) + 40 * n
    return max(0, device.global_memory * 7 // 8 - taken)
