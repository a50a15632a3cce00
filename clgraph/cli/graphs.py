"""``clgraph info`` and ``clgraph convert``: what a file holds, and the same in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.command import Command, Run, is_dataset
from clgraph.cli.options import (
    OutputName,
    attributes_option,
    console_options,
    graph_options,
    json_option,
    option,
    quiet_option,
    sections_option,
    to_option,
)

if TYPE_CHECKING:
    from clgraph.graph import Graph


@click.command(cls=Command)
@click.argument("graph")
@graph_options
@console_options
def info(run: Run) -> None:
    """Summarize GRAPH: vertices, edges, self-loops, components, degrees."""
    name = run.graph
    facts = describe_dataset(name) if run.of_shards else describe(run.read_graph(name))
    run.print({"file": name, **facts}, () if run.as_json else [_table(Path(name).name, facts)])


def _table(title: str, facts: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title=title, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in facts.items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            for key, number in value.items():
                shown = f"{number:.6g}" if isinstance(number, float) else str(number)
                table.add_row(f"{label}, {key}", shown)
        else:
            table.add_row(label, ("yes" if value else "no") if isinstance(value, bool) else str(value))
    return table


def describe(graph: Graph) -> dict[str, Any]:
    """Return the facts that `info` prints, by their names in its JSON.

    `degree` counts the arcs that leave a vertex; directed graphs have `in_degree` beside it. Components are
    the weakly connected ones.
    """
    import numpy as np

    from clgraph.graph.views import component_labels

    def summary(degrees: Any) -> dict[str, int | float | None]:
        if not len(degrees):
            return dict.fromkeys(("min", "median", "mean", "max"))
        ends = {"min": int(degrees.min()), "median": float(np.median(degrees))}
        return {**ends, "mean": float(degrees.mean()), "max": int(degrees.max())}

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
        "degree": summary(graph.degrees),
    }
    if graph.directed:
        facts["in_degree"] = summary(np.bincount(graph.col_idx, minlength=graph.num_vertices))
    return facts


def describe_dataset(name: str) -> dict[str, Any]:
    """Return the facts that ``clgraph info NAME.clgs`` prints, from the manifest alone."""
    shards = clgraph.open_shards(name)
    manifest = shards.manifest
    sections = {
        f"section_{key}": {
            "entries": each.edges,
            "shards": len(each.shards),
            "bytes": sum(shard.bytes for shard in each.shards),
        }
        for key, each in manifest.sections.items()
    }
    return {
        "directed": manifest.directed,
        "vertices": manifest.vertices,
        "edges": shards.num_edges,
        "pairs": manifest.sections["pairs"].edges,
        "self_loops": manifest.sections["pairs"].loops,
        "weights": manifest.weights,
        "multiplicity": manifest.multiplicity,
        "original_ids": manifest.ids is not None,
        **sections,
        "fingerprint": shards.fingerprint,
    }


@click.command(cls=Command)
@click.argument("sources", metavar="IN...", nargs=-1, required=True)
@click.argument("target", metavar="OUT", type=OutputName())
@to_option
@sections_option
@option("--shard-edges N", "Datasets (OUT.clgs): entries per shard (default: 2^28).", int)
@option("--resume", "Datasets (OUT.clgs): continue an interrupted conversion.", bool)
@attributes_option
@graph_options
@quiet_option
def convert(run: Run) -> None:
    """Read the graph file IN and write it as OUT.

    A dataset of shards, OUT.clgs, may combine the edges of several files; the graph need not fit into memory.

    \b
    clgraph convert web.edges.gz web.clg
    clgraph convert part-*.parquet web.clgs
    """
    from clgraph.formats import check_writable

    given, reading = run.options, run.reading
    sources, target = given.sources, given.target
    if given.attributes is not None and (is_dataset(target) or any(map(is_dataset, sources))):
        raise click.UsageError("--attributes is not of datasets (.clgs), which hold none.")
    if any(map(is_dataset, sources)):
        run.refuse(
            format=reading["format"],
            directed=reading["directed"] is not None,
            ids=reading["ids"] == "str",
            duplicates=reading["duplicates"] == "keep",
        )
    if is_dataset(target):
        from clgraph.arguments import file_name
        from clgraph.scale.writing import check_dataset_name

        check_dataset_name(file_name(target))
        _to_dataset(run)
        return
    if given.sections is not None or given.shard_edges is not None or given.resume:
        raise click.UsageError("--sections, --shard-edges and --resume are of datasets: OUT.clgs.")
    if len(sources) > 1:
        raise click.UsageError("Several files are taken together for datasets only: OUT.clgs.")
    (source,) = sources
    check_writable(target, given.output_format)  # before a large file is read
    if not is_dataset(source):
        graph = run.read_graph(source, attributes=given.attributes)
        run.write_graph(graph, target, given.output_format)
        return
    from clgraph.scale.export import write_joined

    shards = run.open_dataset(source)
    with run.progress("writing") as progress:
        summary = write_joined(shards, target, format=given.output_format, progress=progress)
    run.say(summary)


def shard_options(sections: str | None, shard_edges: int | None) -> dict[str, Any]:
    """Return ``--sections`` and ``--shard-edges`` as calls that write datasets take them."""
    names = None if sections is None else [name.strip() for name in sections.split(",")]
    return {"sections": names} | ({} if shard_edges is None else {"shard_edges": shard_edges})


def _to_dataset(run: Run) -> None:
    """``clgraph convert IN... OUT.clgs``."""
    from clgraph.formats.common import Options
    from clgraph.scale.convert import convert_to_shards
    from clgraph.scale.writing import write_shards

    given = run.options
    sources, target = given.sources, given.target
    cut = shard_options(given.sections, given.shard_edges)
    lines: list[str] = []  # printed when the bar is gone
    if len(sources) == 1 and is_dataset(sources[0]):
        with run.progress("joining shards") as progress:
            graph = clgraph.join_shards(run.open_dataset(sources[0]), progress=progress)
        with run.progress("writing shards") as progress:
            made = write_shards(graph, target, progress=progress, **cut)
    else:
        reading = dict(run.reading)
        more: dict[str, Any] = {"format": reading.pop("format"), "resume": given.resume, "say": lines.append}
        with run.progress("converting", data=True) as progress:
            options = Options(**reading)
            made = convert_to_shards(sources, target, options=options, progress=progress, **more, **cut)
    for line in lines:
        run.say(line)
    run.say(f"wrote {target}: {made!r}")


@click.command(cls=Command)
@json_option
def formats(run: Run) -> None:
    """List the formats of graph files: names for --format and --to, suffixes, which may be compressed."""
    from clgraph.formats.table import FORMATS

    table = {
        name: {"suffixes": list(form.suffixes), "may_be_compressed": form.text}
        for name, form in FORMATS.items()
    }
    width = max(map(len, table))
    lines = (
        f"{name:{width}}  {' '.join(form.suffixes)}" + ("  (.gz and .zst too)" if form.text else "")
        for name, form in FORMATS.items()
    )
    run.print({"formats": table}, lines)
