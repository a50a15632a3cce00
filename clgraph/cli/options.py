"""Options that commands share, and how an option is declared."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
AT_LEAST_0, AT_LEAST_1 = click.IntRange(min=0), click.IntRange(min=1)


def option(names: str, help: str, type: Any = None, default: Any = None, **more: Any) -> Decorator:
    """An option: words are its choices, bool makes a flag, and a default is shown in the help.

    Parameters
    ----------
    names : str
        As the help shows them, with blanks between: ``-o --output OUT``; a word in small letters without
        dashes is the name that the command has for it.
    """
    if isinstance(type, (list, tuple)) and isinstance(type[0], str):
        type = click.Choice(type)
    if type is bool:
        type, more = None, {"is_flag": True, **more}
    if default is not None or "/" in names:  # neither of two flags is the default unless one is given
        more = {"default": default, "show_default": default not in (None, ""), **more}
    # click wants the metavar as an argument of its own
    words = names.split()
    if not words[-1].startswith("-") and not words[-1].islower():
        more["metavar"] = words.pop()
    return click.option(*words, help=help, type=type, **more)


def options(*some: Decorator) -> Decorator:
    """Join several options, in the order in which the help shows them."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for each in reversed(some):
            command = each(command)
        return command

    return add


# --- Types of options whose values have names: shells complete them, and messages list them ---


class MethodName(click.ParamType):
    """The name of a sampling method, as it was typed; the command checks whether there is one."""

    name = "method"

    def __init__(self, *, drawing: bool = True) -> None:  # drawing: also samplers of the literature
        self.drawing = drawing

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so, with what they do."""
        from clgraph.methods import METHODS, REDUCTIONS

        return [
            CompletionItem(name, help=f"{each.words}: {each.does}")
            for name, each in (METHODS if self.drawing else REDUCTIONS).items()
            if name.startswith(incomplete.lower())
        ]


class FormatName(click.ParamType):
    """The name of a graph file's format."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The formats that begin so."""
        from clgraph.formats.table import FORMATS

        return [CompletionItem(name) for name in FORMATS if name.startswith(incomplete)]


class OutputName(click.ParamType):
    """A file name, or ``-``: then nothing but this output goes to standard output."""

    name = "output"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == "-" and ctx is not None and param is not None:
            from clgraph.formats.atomic import reserved_stdout

            _take_stdout(ctx, f"{param.opts[0]} -" if param.param_type_name == "option" else "OUT -")
            ctx.with_resource(reserved_stdout())
        return str(value)


def _take_stdout(ctx: click.Context, who: str) -> None:
    """Raise UsageError if something else wants standard output for itself already."""
    other = ctx.meta.setdefault("clgraph.stdout", who)
    if other != who:
        raise click.UsageError(
            f"{other} and {who} both want standard output: leave one out, or give it a file."
        )


# --- Messages and outputs ---


def _on_stdout(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Take standard output for an option, if it is given."""
    if value:
        _take_stdout(ctx, param.opts[0])
    return value


quiet_option = option("-q --quiet", "Print only errors on stderr.", bool)
json_option = option("--json as_json", "Print one JSON object on stdout.", bool, callback=_on_stdout)
console_options = options(json_option, quiet_option)


def output_option(help: str, names: str = "-o --output OUT", **more: Any) -> Decorator:
    """``-o OUT`` of results, or another option that names an output."""
    return option(names, help, OutputName(), **more)


def table_option(help: str) -> Decorator:
    """``--table``: what a command prints as a table for a paper, alone on standard output."""
    return option("--table", help, ["latex", "markdown", "csv"], callback=_on_stdout)


to_option = option("--to output_format", "Format of OUT (default: by its suffix).", FormatName())
attributes_option = option(
    "--attributes NODES.CSV", "Add vertex attributes from this table, by id (OUT must be graphml or gexf)."
)

# --- How graphs are read ---

limit_options = options(
    option("--max-vertices N", "Refuse a graph of more vertices (default: a limit by the file's size).", int),
    option(
        "--max-ratio R", "Refuse a compressed file that expands to more than R times its size.", float, 200
    ),
)
# as `clgraph.read` calls them, and records do
READING = ("format", "directed", "ids", "weights", "duplicates", "header", "max_vertices", "max_ratio")
graph_options = options(
    option(
        "--format", "Format of the file (default: by its suffix); `clgraph formats` lists them.", FormatName()
    ),
    option(
        "--directed/--undirected",
        "How to read the file (default: as the file says; undirected if it does not).",
        bool,
    ),
    option(
        "--ids",
        "Type of vertex ids: numbers, text, or the node attribute `name` (GraphML, GEXF).",
        ["int", "str", "name"],
        "int",
    ),
    option(
        "--weights", "Read edge weights: the third column of an edge list, the entries of a matrix.", bool
    ),
    option("--duplicates", "Merge parallel edges, or keep them.", ["merge", "keep"], "merge"),
    option(
        "--header/--no-header",
        "Whether the first row of an edge list has column names (default: detected).",
        bool,
    ),
    limit_options,
)

# --- Where it runs ---


def _into_environment(variable: str) -> Callable[..., Any]:
    """Put an option's value into the environment while the command runs, for child processes, too."""

    def callback(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
        if value:
            before = os.environ.get(variable)
            os.environ[variable] = "1" if value is True else str(value)

            def restore() -> None:
                if before is None:
                    os.environ.pop(variable, None)
                else:
                    os.environ[variable] = before

            ctx.call_on_close(restore)
        return value

    return callback


device_option = options(
    option(
        "--device SPEC",
        "Device: gpu, cpu, fpga, pocl, intel, nvidia, 0:1 (`clgraph devices`), or part of its name.",
    ),
    option(
        "--kernels",
        "Form of the kernels (default: pipelines on FPGAs).",
        ["ndrange", "pipeline"],
        expose_value=False,
        callback=_into_environment("CLGRAPH_KERNELS"),
    ),
    option(
        "--fpga-binary FILE",
        "Kernel binary for an FPGA, made by `clgraph fpga compile`.",
        expose_value=False,
        callback=_into_environment("CLGRAPH_FPGA_BINARY"),
    ),
    option(
        "--force",
        "Use a driver that failed the self-test, or an FPGA binary built from other sources.",
        bool,
        expose_value=False,
        callback=_into_environment("CLGRAPH_FORCE"),
    ),
    option(
        "--trace FILE",
        "Time every kernel: write a trace (chrome://tracing, Perfetto) to FILE, a table to stderr.",
    ),
)

energy_options = options(
    option(
        "--energy", "Measure energy in joules (NVML, RAPL); repeats the computation for two seconds.", bool
    ),
    option(
        "--watts W", "Compute energy from this power in watts (a wall meter's), not from a counter.", float
    ),
)

# what of a graph's measures takes long, and how much of it is wanted
measure_options = options(
    option(
        "--hop-sources", "Estimate the hop plot from this many vertices, if the graph has more.", int, 1024
    ),
    option(
        "--eigenvalues/--no-eigenvalues",
        "Compute the 20 largest eigenvalues (default: for up to a million vertices).",
        bool,
    ),
)

also_option = option(
    "--also NAMES",
    "Also measure these: modularity, weighted_distance, ks_in_degree, ks_out_degree (see clgraph.quality).",
    default="",
)

# --- Datasets of shards ---

plan_option = option(
    "--plan only_plan", "Datasets (NAME.clgs): only print the expected data volumes, memory and time.", bool
)
# of commands that make the priority forest of a dataset
forest_options = options(
    option("--forest FILE", "Datasets (NAME.clgs): use this forest, saved by `clgraph forest`."),
    option("--resume", "Datasets (NAME.clgs): checkpoint in OUT.work, and continue from there.", bool),
)
sections_option = option("--sections", "Datasets (OUT.clgs): pairs,rows or pairs,in,out (default: all).")


# of commands that work on a device; and of those that also read a graph
device_options = options(device_option, console_options)
run_options = options(graph_options, device_options)


def on_graph(output: str, *, verify: str = "", plan: bool = True, energy: bool = True) -> Decorator:
    """GRAPH and the options of commands on graphs; `output` and `verify` are the help of -o and --verify."""
    some: list[Decorator] = [click.argument("graph", metavar="GRAPH"), output_option(output)]
    some += [option("--verify", verify, bool)] if verify else []
    some += [plan_option] if plan else []
    some += [energy_options] if energy else []
    return options(*some, run_options)
