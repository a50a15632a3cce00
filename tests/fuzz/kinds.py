"""The table of kinds: how a case of each is made and run, and how many of a hundred inputs it gets."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import clgraph
from fuzz.binaries import clg_case, npz_case, table_case
from fuzz.calls import call_case, run_call
from fuzz.case import Case, Failure
from fuzz.commands import command_case, run_command
from fuzz.edge_lists import binary_case, edge_list_case, parsed_case, run_twice
from fuzz.invariants import check_invariants, compare_edges, edges_of, edges_of_rows
from fuzz.networks import network_case
from fuzz.roundtrips import graph_case, run_graph
from fuzz.shards import run_convert, run_shards, shards_case
from fuzz.texts import ldbc_case, packed_case, text_case


@dataclass(frozen=True)
class Kind:
    """Makes a case from a random generator; runs one: whether it was accepted."""

    make: Callable[[str, random.Random], Case]
    run: Callable[[Case, Path], bool]
    share: int
    device: bool = False


def run_read(case, folder):
    """Read a file; check what came of it."""
    case.write(folder)
    how, expect = case.what["options"], case.what["expect"]
    try:
        graph = clgraph.read(folder / case.what["path"], **how)
    except clgraph.ClgraphError as error:
        if expect:
            raise Failure("lost", f"a valid file is refused: {str(error)[-200:]}") from error
        return False
    check_invariants(graph, merged=how.get("duplicates") != "keep")
    if not expect:
        return True
    directed = how.get("directed", expect.get("own", False))
    rows = list(map(tuple, expect["rows"]))
    if expect.get("mirror") and directed:  # a symmetric file read as directed: both arcs
        rows += [(v, u, w) for u, v, w in rows if u != v]
    wanted = edges_of_rows(rows, directed, bool(how.get("weights")), how.get("duplicates") == "keep")
    if graph.directed != directed:
        raise Failure("lost", f"directed is {graph.directed}")
    if "n" in expect and graph.num_vertices != expect["n"]:
        raise Failure("lost", f"{expect['n']} vertices became {graph.num_vertices}")
    compare_edges(wanted, edges_of(graph), 1e-12 * sum(abs(row[2]) for row in rows))  # sums are rounded
    return True


KINDS = {
    "edges": Kind(text_case, run_read, 7),
    "device edges": Kind(edge_list_case, run_twice, 3, device=True),
    "device files": Kind(parsed_case, run_twice, 3, device=True),
    "gzip": Kind(packed_case, run_read, 4),
    "zstd": Kind(packed_case, run_read, 2),
    "mtx": Kind(text_case, run_read, 6),
    "metis": Kind(text_case, run_read, 6),
    "ldbc": Kind(ldbc_case, run_read, 7),
    "networks": Kind(network_case, run_read, 10),
    "npz": Kind(npz_case, run_read, 8),
    "clg": Kind(clg_case, run_read, 6),
    "clg to shards": Kind(clg_case, run_convert, 2),
    "device binaries": Kind(binary_case, run_twice, 2, device=True),
    "parquet": Kind(table_case, run_read, 3),
    "arrow": Kind(table_case, run_read, 4),
    "round trips": Kind(graph_case, run_graph, 12),
    "calls": Kind(call_case, run_call, 9),
    "commands": Kind(command_case, run_command, 2),
    "device calls": Kind(lambda _, rng: call_case("device", rng), run_call, 2, device=True),
    "device shards": Kind(shards_case, run_shards, 1, device=True),
    "device commands": Kind(command_case, run_command, 1, device=True),
}


@cache
def schedule():
    """The kinds of a hundred inputs, mixed."""
    names = [name for name, kind in KINDS.items() for _ in range(kind.share)]
    random.Random(0).shuffle(names)
    return names


def kind_of(number):
    """The kind of an input."""
    return schedule()[number % len(schedule())]


def make(seed, number):
    """The input of this number."""
    name = kind_of(number)
    case = KINDS[name].make(name, random.Random(f"{seed}/{number}"))
    case.kind = name
    return case
