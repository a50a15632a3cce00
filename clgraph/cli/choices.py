"""Types of options whose values have names: shells complete them, and messages list them."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


class MethodName(click.ParamType):
    """The name of a sampling method, as it was typed: whether there is one is said by who runs it.

    Parameters
    ----------
    drawing : bool
        Whether the samplers of the literature are among them.
    """

    name = "method"

    def __init__(self, *, drawing: bool = True) -> None:
        self.drawing = drawing

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so, with what they do."""
        from clgraph.sampling.literature.plan import METHODS as LITERATURE
        from clgraph.sampling.options import METHODS

        known = dict(METHODS)
        if self.drawing:
            known |= {name: method.does for name, method in LITERATURE.items()}
        return [
            CompletionItem(name, help=does)
            for name, does in known.items()
            if name.startswith(incomplete.lower())
        ]


class FormatName(click.ParamType):
    """The name of a graph file's format."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The formats that begin so."""
        from clgraph.graph.io.formats import FORMATS

        return [CompletionItem(name) for name in FORMATS if name.startswith(incomplete)]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """What makes your shell complete clgraph's commands, options and their values.

    \b
    bash: clgraph completion bash > ~/.local/share/bash-completion/completions/clgraph
    zsh:  clgraph completion zsh > ~/.zfunc/_clgraph   (a folder of $fpath)
    fish: clgraph completion fish > ~/.config/fish/completions/clgraph.fish
    """
    from click.shell_completion import get_completion_class

    group = click.get_current_context().find_root().command
    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(group, {}, "clgraph", "_CLGRAPH_COMPLETE").source())
