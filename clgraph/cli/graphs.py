"""``clgraph info`` and ``clgraph convert``: what a file holds, and the same in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clgraph.cli.common import print_json, print_table, read_graph, write_graph
from clgraph.cli.options import (
    OutputName,
    attributes_option,
    graph_options,
    is_dataset,
    json_option,
    option,
    quiet_option,
    sections_option,
    to_option,
)
from clgraph.cli.shards import describe_dataset, from_dataset, refuse, to_dataset

if TYPE_CHECKING:
    from clgraph.graph import Graph


@click.command()
@click.argument("graph")
@graph_options
@json_option
@quiet_option
def info(graph: str, reading: dict[str, Any], as_json: bool) -> None:
    """What GRAPH holds: vertices, edges, self-loops, components, degrees."""
    if is_dataset(graph):
        facts = {"file": graph, **describe_dataset(graph)}
    else:
        facts = {"file": graph, **describe(read_graph(graph, reading))}
    if as_json:
        print_json(facts)
        return
    from rich.table import Table

    table = Table(title=Path(graph).name, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in facts.items():
        label = name.replace("_", " ")
        if name == "file":
            continue
        if isinstance(value, dict):
            for key, number in value.items():
                shown = f"{number:.6g}" if isinstance(number, float) else str(number)
                table.add_row(f"{label}, {key}", shown)
        else:
            table.add_row(label, ("yes" if value else "no") if isinstance(value, bool) else str(value))
    print_table(table)


def describe(graph: Graph) -> dict[str, Any]:
    """The facts that `info` prints, by their names in its JSON.

    `degree` counts the arcs that leave a vertex; directed graphs have `in_degree` beside it. Components are
    the weakly connected ones.
    """
    import numpy as np

    from clgraph.graph.views import component_labels

    count, labels = component_labels(graph._arrays)
    facts: dict[str, Any] = {
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "weighted": graph.weights is not None,
        "self_loops": graph.num_self_loops,
        "duplicates": graph.num_duplicates,
        "components": count,
        "largest_component": int(np.bincount(labels).max(initial=0)),
        "degree": _summary(graph.degrees),
    }
    if graph.directed:
        facts["in_degree"] = _summary(np.bincount(graph.col_idx, minlength=graph.num_vertices))
    return facts


def _summary(degrees: Any) -> dict[str, int | float | None]:
    if not len(degrees):
        return {"min": None, "median": None, "mean": None, "max": None}
    import numpy as np

    return {
        "min": int(degrees.min()),
        "median": float(np.median(degrees)),
        "mean": float(degrees.mean()),
        "max": int(degrees.max()),
    }


@click.command()
@click.argument("sources", metavar="IN...", nargs=-1, required=True)
@click.argument("target", metavar="OUT", type=OutputName())
@to_option
@sections_option
@option("--shard-edges", "Of OUT.clgs: entries of a shard (default 2^28).", int, metavar="N")
@option("--resume", "Of OUT.clgs: go on where an interrupted conversion stopped.", bool)
@attributes_option
@graph_options
@quiet_option
def convert(
    sources: tuple[str, ...],
    target: str,
    output_format: str | None,
    sections: str | None,
    shard_edges: int | None,
    resume: bool,
    attributes: str | None,
    reading: dict[str, Any],
) -> None:
    """Read the graph file IN and write it as OUT.

    For a dataset of shards, OUT.clgs, the edges of several files are taken together, and the graph need not
    fit into memory.

    \b
    clgraph convert web.edges.gz web.clg
    clgraph convert part-*.parquet web.clgs
    """
    from clgraph.formats import check_writable

    if attributes is not None and (is_dataset(target) or any(map(is_dataset, sources))):
        raise click.UsageError("--attributes is not of datasets (.clgs), which hold none.")
    if any(map(is_dataset, sources)):
        refuse(
            format=reading["format"],
            directed=reading["directed"] is not None,
            ids=reading["ids"] == "str",
            duplicates=reading["duplicates"] == "keep",
        )
    if is_dataset(target):
        from clgraph.arguments import file_name
        from clgraph.scale.writing import check_dataset_name

        check_dataset_name(file_name(target))
        to_dataset(sources, target, reading, sections, shard_edges, resume=resume)
        return
    if sections is not None or shard_edges is not None or resume:
        raise click.UsageError("--sections, --shard-edges and --resume are of datasets: OUT.clgs.")
    if len(sources) > 1:
        raise click.UsageError("Several files are taken together for datasets only: OUT.clgs.")
    (source,) = sources
    check_writable(target, output_format)  # before a large file is read
    if is_dataset(source):
        from_dataset(source, target, output_format)
        return
    graph = read_graph(source, {**reading, "attributes": attributes})
    write_graph(graph, target, to=output_format)


@click.command()
@json_option
def formats(as_json: bool) -> None:
    """The formats of graph files: names for --format and --to, suffixes, which may be compressed."""
    from clgraph.formats.table import FORMATS

    table = {
        name: {"suffixes": list(form.suffixes), "may_be_compressed": form.text}
        for name, form in FORMATS.items()
    }
    if as_json:
        print_json({"formats": table})
        return
    width = max(map(len, table))
    for name, form in FORMATS.items():
        click.echo(
            f"{name:{width}}  {' '.join(form.suffixes)}" + ("  (.gz and .zst too)" if form.text else "")
        )
