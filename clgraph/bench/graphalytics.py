"""LDBC Graphalytics: the algorithms that a dataset names, with its parameters, validated by its outputs.

The benchmark's specification (A. Iosup et al., "The LDBC Graphalytics Benchmark", arXiv:2011.15028) says
what each algorithm computes, how outputs are compared, and what EVPS are: edges and vertices per second of
processing time. A dataset NAME is the files NAME.properties, NAME.v and NAME.e, with the reference outputs
NAME-BFS, NAME-PR, ...
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.bench.harness import Absent, Case, Context, Figures, quantity, size, timed
from clgraph.bench.tables import Column, Table, value
from clgraph.communities.propagation import label_propagation
from clgraph.components import connected_components
from clgraph.errors import ClgraphError, InputError
from clgraph.files import read
from clgraph.formats.ldbc import stem_of
from clgraph.measures.triangle_count import clustering
from clgraph.ranking import pagerank
from clgraph.traversal import bfs
from clgraph.traversal.paths import shortest_paths

if TYPE_CHECKING:
    from clgraph.bench.store import Record
    from clgraph.device import Device
    from clgraph.graph import Graph

Values = npt.NDArray[Any]
EPSILON = 1e-4  # relative, of scores and coefficients
UNREACHED = np.iinfo(np.int64).max  # the distance of a vertex that a search does not reach


# --- the algorithms ---


class Algorithm(NamedTuple):
    """An algorithm of the benchmark.

    Attributes
    ----------
    run : callable
        Takes graph, dataset and device; returns a value for each vertex.
    rule : str
        How the values are compared with the reference's: a key of `RULES`.
    """

    run: Callable[[Graph, Dataset, Device], Values]
    rule: str


def _bfs(graph: Graph, dataset: Dataset, device: Device) -> Values:
    source = dataset.number("bfs.source-vertex", int)
    found = bfs(graph, source, predecessors=False, device=device).distance
    return np.where(found < 0, UNREACHED, found.astype(np.int64))


def _pr(graph: Graph, dataset: Dataset, device: Device) -> Values:
    found = pagerank(
        graph,
        damping=dataset.number("pr.damping-factor", float),
        max_iter=dataset.number("pr.num-iterations", int),
        tol=0,  # so many iterations exactly
        dangling="uniform",
        weight=False,
        dtype="float64",
        device=device,
    )
    scores: Values = found.scores
    return scores


def _wcc(graph: Graph, dataset: Dataset, device: Device) -> Values:
    return connected_components(graph, device=device).labels


def _cdlp(graph: Graph, dataset: Dataset, device: Device) -> Values:
    rounds = dataset.number("cdlp.max-iterations", int)
    # labels are vertices, and the reference's their ids
    labels: Values = graph.ids[label_propagation(graph, rounds, device=device).labels]
    return labels


def _lcc(graph: Graph, dataset: Dataset, device: Device) -> Values:
    return clustering(graph, device, definition="ldbc" if graph.directed else "undirected")


def _sssp(graph: Graph, dataset: Dataset, device: Device) -> Values:
    source = dataset.number("sssp.source-vertex", int)
    if graph.weights is None:
        raise InputError(f"{dataset.path}: SSSP needs graph.{dataset.name}.edge-properties.names; add it")
    return shortest_paths(graph, source, predecessors=False, device=device).distance


ALGORITHMS = {
    "bfs": Algorithm(_bfs, "exact"),
    "pr": Algorithm(_pr, "epsilon"),
    "wcc": Algorithm(_wcc, "equivalence"),
    "cdlp": Algorithm(_cdlp, "exact"),
    "lcc": Algorithm(_lcc, "epsilon"),
    "sssp": Algorithm(_sssp, "epsilon"),
}


# --- validation: which values differ from the reference's ---


def _exact(found: Values, want: Values) -> npt.NDArray[np.bool_]:
    return np.asarray(found != want)


def _epsilon(found: Values, want: Values) -> npt.NDArray[np.bool_]:
    """Values that are farther than `EPSILON` times the reference's from it; infinite ones must be equal."""
    with np.errstate(invalid="ignore"):  # of infinite ones
        near = np.abs(found - want) <= EPSILON * np.abs(want)
    return np.asarray(~((found == want) | (np.isfinite(want) & near)))


def _equivalence(found: Values, want: Values) -> npt.NDArray[np.bool_]:
    """Vertices whose label does not go with the reference's, one to one."""
    wrong = np.zeros(len(found), np.bool_)
    for one, other in ((found, want), (want, found)):
        _, first, of = np.unique(one, return_index=True, return_inverse=True)
        wrong |= other[first][of] != other
    return wrong


RULES = {"exact": _exact, "equivalence": _equivalence, "epsilon": _epsilon}


def validate(graph: Graph, found: Values, reference: tuple[Values, Values], rule: str) -> None:
    """Compare values with the reference's.

    Parameters
    ----------
    graph : Graph
    found : array, shape (n,)
        A value for each vertex, by index.
    reference : (ids, values)
        A row for each vertex, in any order.
    rule : {"exact", "equivalence", "epsilon"}

    Raises
    ------
    ClgraphError
        The first vertex whose value differs, and how many do.
    """
    ids, values = reference
    where, n = graph.indices_of(ids), graph.num_vertices
    if len(ids) != n or len(np.unique(where)) != n:
        raise ClgraphError(
            f"the reference output has {len(np.unique(where))} vertices in {len(ids)} rows, the graph has {n}"
        )
    want = np.empty(n, values.dtype)
    want[where] = values
    wrong = np.flatnonzero(RULES[rule](found, want))
    if len(wrong):
        v = int(wrong[0])
        raise ClgraphError(
            f"vertex {graph.ids[v]} has {found[v]!s}, the reference output has {want[v]!s} (rule: {rule}); "
            f"{len(wrong)} of {n} vertices differ"
        )


# --- datasets ---


@dataclass(frozen=True)
class Dataset:
    """A graph of the benchmark, as its .properties describe it.

    Attributes
    ----------
    path : Path
        NAME.properties.
    name : str
    properties : dict of str to str
        Without ``graph.NAME.`` in front.
    """

    path: Path
    name: str
    properties: dict[str, str]

    @property
    def directed(self) -> bool:
        """Whether the graph is directed."""
        said = self.word("directed").lower()
        if said not in ("true", "false"):
            raise InputError(f"{self.path}: graph.{self.name}.directed = {said}: use true or false")
        return said == "true"

    @property
    def algorithms(self) -> list[str]:
        """The algorithms that the dataset has parameters and outputs for."""
        names = [name.strip() for name in self.word("algorithms").lower().split(",") if name.strip()]
        if not names:
            known = ", ".join(ALGORITHMS)
            raise InputError(f"{self.path}: graph.{self.name}.algorithms names none; list some of {known}")
        return names

    def word(self, key: str) -> str:
        """Return a property.

        Raises
        ------
        InputError
            It is not there.
        """
        if key not in self.properties:
            raise InputError(f"{self.path}: graph.{self.name}.{key} is missing; add it")
        return self.properties[key]

    def number(self, key: str, kind: Callable[[str], Any]) -> Any:
        """Return a property as a number; an InputError if it is none."""
        try:
            return kind(self.word(key))
        except ValueError:
            raise InputError(
                f"{self.path}: graph.{self.name}.{key} = {self.word(key)}: a number is needed"
            ) from None

    def load(self) -> tuple[Graph, float]:
        """Read the graph, with weights if it has some; return it and the seconds that this took."""
        vertex_file, edge_file = (self.word(f"{each}-file") for each in ("vertex", "edge"))
        stem = stem_of(self.path.parent / vertex_file)[0]
        if stem_of(self.path.parent / edge_file)[0] != stem:
            raise InputError(
                f"{self.path}: {vertex_file} and {edge_file} do not have one name before .v and .e: "
                "rename them"
            )
        begun = time.perf_counter()
        weighted = bool(self.properties.get("edge-properties.names"))
        graph = read(stem, format="ldbc", directed=self.directed, weights=weighted)
        seconds = time.perf_counter() - begun
        for what, count in (("vertices", graph.num_vertices), ("edges", graph.num_edges)):
            if f"meta.{what}" in self.properties and self.number(f"meta.{what}", int) != count:
                said = self.word(f"meta.{what}")
                raise InputError(
                    f"{self.path}: graph.{self.name}.meta.{what} = {said}, but {stem.name} has {count}; "
                    "download the dataset again, or correct the number"
                )
        return graph, seconds

    def reference(self, algorithm: str) -> tuple[Values, Values]:
        """Read the reference output of an algorithm: ids and values.

        Raises
        ------
        Absent
            There is none.
        """
        path = self.path.with_name(f"{self.name}-{algorithm.upper()}")
        if not path.is_file():
            raise Absent(f"the reference output {path} is not there")
        kind = np.float64 if ALGORITHMS[algorithm].rule == "epsilon" else np.int64
        try:
            rows = np.loadtxt(path, dtype=[("id", np.int64), ("value", kind)], ndmin=1)
        except ValueError as error:
            raise InputError(f"{path}: rows of an id and a value are needed ({error})") from error
        return rows["id"], rows["value"]


def datasets(folder: str | Path, names: Collection[str] = ()) -> list[Dataset]:
    """Return the datasets of a folder, or those of some names.

    Raises
    ------
    InputError
        There is none, or one of the names is not there.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; name the one with NAME.properties, .v and .e")
    found = {path.stem: _dataset(path) for path in sorted(folder.glob("*.properties"))}
    for name in names:
        if name not in found:
            raise InputError(f"{folder}: no {name}.properties; there are {', '.join(found) or 'none'}")
    if not found:
        raise InputError(f"{folder}: no NAME.properties, which says what the graph is and what to run")
    return [each for name, each in found.items() if not names or name in names]


def _dataset(path: Path) -> Dataset:
    properties, start = {}, f"graph.{path.stem}."
    for line in path.read_text("latin-1").splitlines():
        key, equals, word = line.partition("=")
        if equals and not line.lstrip().startswith(("#", "!")) and key.strip().startswith(start):
            properties[key.strip().removeprefix(start)] = word.strip()
    return Dataset(path, path.stem, properties)


# --- cases ---


def cases(found: Sequence[Dataset], algorithms: Collection[str] = ()) -> Iterator[Case]:
    """Yield a case for each dataset and each of its algorithms, or those of some names."""
    for dataset in found:
        for name in dataset.algorithms:
            if not algorithms or name in algorithms:
                yield Case("graphalytics", dataset.name, name, "clgraph", partial(_measure, dataset, name))


def _measure(dataset: Dataset, name: str, context: Context) -> Figures:
    algorithm = ALGORITHMS.get(name)
    if algorithm is None:
        raise Absent(f"clgraph has no {name.upper()}")
    reference = dataset.reference(name)
    graph, loading = context.made(dataset.path, dataset.load)

    def run() -> Values:
        try:
            return algorithm.run(graph, dataset, context.device)
        except InputError as error:  # a parameter that the dataset gives
            where = f"{dataset.path}: graph.{dataset.name}.{name}"
            raise InputError(
                str(error) if str(dataset.path) in str(error) else f"{where}: {error}"
            ) from error

    begun = time.perf_counter()
    validate(graph, run(), reference, algorithm.rule)  # the first call also brings the graph to the device
    first = time.perf_counter() - begun
    timing = timed(
        run, context.repeat, keep=lambda values: validate(graph, values, reference, algorithm.rule)
    )
    processing, elements = timing.quantity, graph.num_vertices + graph.num_edges
    values = {
        "processing": processing,
        "evps": quantity(elements / processing["value"], "1/s"),
        "load": quantity(loading, "s"),
        "first": quantity(first, "s"),
    }
    return Figures(values, {**size(graph), "of_edges": graph.num_edges, "validated": algorithm.rule})


def table(records: Sequence[Record]) -> Table:
    """Return the table of results: a row for each dataset and algorithm."""
    columns = [
        Column("graph", "graph"),
        Column("algorithm", "algorithm"),
        Column("vertices", "vertices", "", "d"),
        Column("edges", "edges", "", "d"),
        Column("processing", "processing time", "ms", ".4g"),
        Column("evps", "EVPS", "1/s", ".4g"),
        Column("validated", "validated"),
    ]
    rows = []
    for record in records:
        done = record["status"] == "done"
        details = record["details"] if done else {}
        rows.append(
            {
                "graph": record["graph"],
                "algorithm": record["what"].upper(),
                "vertices": details.get("of_vertices"),
                "edges": details.get("of_edges"),
                "processing": value(record, "processing", 1e3) if done else None,
                "evps": value(record, "evps") if done else None,
                "validated": details.get("validated") or f"{record['status']}: {record['reason']}",
            }
        )
    note = (
        "Processing time: median of the calls, the graph on the device, results on the host; each result is "
        "validated. EVPS: (edges + vertices) / processing time."
    )
    return Table("graphalytics", "LDBC Graphalytics", columns, rows, [note])
