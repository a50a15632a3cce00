"""What clgraph's public calls do with a graph in shards: what is offered of each, handed to who does it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clgraph.arguments import is_word, shown
from clgraph.errors import InputError
from clgraph.sampling.options import OF_SHARDS, Size, check_seeds, check_sizes, plain_method
from clgraph.scale.bfs import search_shards
from clgraph.scale.bfs_many import search_shards_often
from clgraph.scale.components import join_components
from clgraph.scale.curve import curve_of_shards
from clgraph.scale.pagerank import rank_shards
from clgraph.scale.passes import about_of
from clgraph.scale.personalized import walk_shards
from clgraph.scale.ranks import shared_seed
from clgraph.scale.samples import ShardedSample, check_method, checked_outputs, sample_shards
from clgraph.scale.saved import SavedForest, open_forest

if TYPE_CHECKING:
    from clgraph.components import Components
    from clgraph.ranking.personalized import PersonalizedResult
    from clgraph.ranking.result import PageRankResult
    from clgraph.sampling.curve import ReductionCurve
    from clgraph.scale.shards import Shards
    from clgraph.traversal.results import BFSResult, ManyBFSResult

INSTEAD = "clgraph.join_shards (clgraph convert IN.clgs OUT.clg) makes a graph of what fits into memory"


def not_offered(name: str, value: Any, why: str) -> InputError:
    """The error for an option, or a value of it, that graphs in shards do not have."""
    return InputError(f"{name} {shown(value)} is not offered for a graph in shards: {why}; {INSTEAD}")


def _check_on_host(arrays: str) -> None:
    if not is_word(arrays, "host"):
        raise not_offered("arrays", arrays, "its results come from several devices, and are on the host")


def connected_components_of_shards(
    shards: Shards, *, connection: str, arrays: str, device: Any
) -> Components:
    """`clgraph.connected_components`."""
    _check_on_host(arrays)
    if connection == "strong" and shards.directed:
        raise not_offered(
            "connection",
            connection,
            "strong components take a search of the whole graph for each few of them",
        )
    return join_components(shards, device=device)


def bfs_of_shards(
    shards: Shards,
    source: Any,
    *,
    method: str,
    depth_limit: int | None,
    predecessors: bool,
    arrays: str,
    device: Any,
) -> BFSResult:
    """`clgraph.bfs`."""
    _check_on_host(arrays)
    if method != "hybrid":
        raise not_offered("method", method, "only the default, which gives the same arrays, is")
    return search_shards(shards, source, depth_limit=depth_limit, predecessors=predecessors, device=device)


def bfs_many_of_shards(shards: Shards, sources: Any, *, arrays: str, **options: Any) -> ManyBFSResult:
    """`clgraph.bfs_many`."""
    _check_on_host(arrays)
    return search_shards_often(shards, sources, **options)


def pagerank_of_shards(
    shards: Shards, *, variant: str, norm: str, arrays: str, **options: Any
) -> PageRankResult:
    """`clgraph.pagerank`."""
    _check_on_host(arrays)
    if variant not in ("auto", "fixed"):
        raise not_offered(
            "variant", variant, "only 'fixed' (and 'auto', which takes it) adds up alike anywhere"
        )
    if not is_word(norm, "l1"):
        raise not_offered("norm", norm, "the residual is the L1 norm's")
    return rank_shards(shards, **options)


def sample_of_shards(
    shards: Shards,
    method: Any,
    size: Size | None,
    sizes: Sequence[Size] | None,
    seeds: int | None,
    options: Mapping[str, Any],
) -> ShardedSample | list[ShardedSample]:
    """`clgraph.sample`."""
    given = dict(options)
    mode, connection = given.pop("mode", "auto"), given.pop("connection", "weak")
    taken = {name: given.pop(name, None) for name in (*OF_SHARDS, "seed", "device", "progress", "strict")}
    method = _exact(shards, method, mode, connection, given)
    strict = taken.pop("strict")
    wanted = [each for each, _ in check_sizes(shards, size, sizes, False if strict is None else strict)]
    seed = taken.pop("seed")
    taken["forest"] = forest = _saved(shards, method, taken["forest"], seed)
    first = shared_seed(seed if forest is None else forest.about.seed, shards.comm)
    runs = check_seeds(first, seeds)
    if forest is not None and runs > 1:
        raise InputError(f"{forest.path}: a forest of one seed, and {runs} runs are asked for")
    several = sizes is not None or seeds is not None
    output, outputs = taken.pop("output"), taken.pop("outputs")
    if output is not None:
        if outputs is not None or several:
            raise InputError("output is of one sample: give outputs, a name for each of several, alone")
        outputs = [output]
    names = checked_outputs(outputs, runs * len(wanted))
    made: list[ShardedSample] = []
    for run in range(runs):
        some = names[run * len(wanted) :][: len(wanted)]
        made += sample_shards(shards, method, sizes=wanted, seed=first + run, outputs=some, **taken)
    return made if several else made[0]


def personalized_pagerank_of_shards(
    shards: Shards, sources: Any, *, method: str, iterating: Mapping[str, bool], **options: Any
) -> PersonalizedResult:
    """`clgraph.personalized_pagerank`."""
    if method != "monte-carlo":
        raise not_offered("method", method, "'monte-carlo' is, whose walks are the same wherever they run")
    for name, given in iterating.items():
        if given:
            raise InputError(f"{name} is an option of the iterating methods, not of 'monte-carlo'")
    return walk_shards(shards, sources, **options)


def _exact(shards: Shards, method: Any, mode: Any, connection: Any, batched: Mapping[str, Any]) -> str:
    """The plain name of a method; InputError unless it and the options are of exact mode."""
    method = plain_method(method)
    check_method(shards, method)
    if not is_word(mode, "auto", "exact"):
        raise not_offered("mode", mode, "each of its batches would read everything")
    offered = ("weak",) if shards.directed else ("weak", "strong")
    if not is_word(connection, *offered):
        raise not_offered("connection", connection, "samples keep weak components")
    for name, value in batched.items():
        if value is not None:
            raise not_offered(name, value, f"it is no option of {method} in exact mode")
    return str(method)


def _saved(shards: Shards, method: str, forest: Any, seed: int | None) -> SavedForest | None:
    """The forest to be used instead of a pass, checked to be of this dataset, method and seed."""
    if forest is None:
        return None
    found = forest if isinstance(forest, SavedForest) else open_forest(forest)
    about_of(shards, method, found.about.seed if seed is None else seed).check_same(found.about, found.path)
    found.check_complete()
    return found


def reduction_curve_of_shards(
    shards: Shards,
    method: Any,
    seed: int | None,
    *,
    mode: Any,
    connection: Any,
    batched: Mapping[str, Any],
    forest: Any,
    **options: Any,
) -> ReductionCurve:
    """`clgraph.reduction_curve`."""
    method = _exact(shards, method, mode, connection, batched)
    saved = _saved(shards, method, forest, seed)
    seed = seed if saved is None else saved.about.seed
    return curve_of_shards(shards, method, seed, forest=saved, **options)
