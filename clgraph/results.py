"""Base classes of results: how they are shown, which kernels computed them, where their arrays are.

No OpenCL here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal, get_args

from clgraph.arguments import word

# where to put a result's arrays: on the host, or on the device, for the user's own kernels
Arrays = Literal["host", "device"]


LENGTH = 300  # characters of a line


class Shown:
    """Display of a result: a line in a terminal, a small table in a notebook."""

    def _facts(self) -> dict[str, Any]:
        """Return short values to show by name, the most important first."""
        raise NotImplementedError

    def _bars(self) -> tuple[str, Sequence[float]] | None:
        """Return a title and heights of bars to draw below the table; None for nothing."""
        return None

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {text_of(value)}" for name, value in self._facts().items())
        line = f"<{type(self).__name__}: {facts}>"
        return line if len(line) <= LENGTH else f"{line[: LENGTH - 4]}...>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(text_of(value))}</td></tr>"
            for name, value in self._facts().items()
        )
        bars = self._bars()
        return f"<p>{type(self).__name__}</p><table>{rows}</table>" + (sparkline(*bars) if bars else "")


def text_of(value: Any) -> str:
    """Return a value as a result shows it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def sparkline(title: str, heights: Sequence[float]) -> str:
    """A row of bars as an inline SVG, in the colour of the text around it.

    Parameters
    ----------
    title : str
        What the bars are, for those who hover over them or cannot see them.
    heights : sequence of float
        0 or more; the highest fills the picture.
    """
    most = max(heights, default=0) or 1
    bars = "".join(
        f"<rect x='{6 * i}' y='{36 - 36 * height / most:.1f}' width='5' height='{36 * height / most:.1f}'/>"
        for i, height in enumerate(heights)
    )
    return (
        f"<svg role='img' width='{6 * max(len(heights), 1)}' height='36' fill='currentColor'>"
        f"<title>{escape(title)}</title>{bars}</svg>"
    )


@dataclass(frozen=True, kw_only=True, repr=False)
class RunsOn(Shown):
    """A result that a device computed.

    Attributes
    ----------
    provenance : dict
        "device", "driver" and "version" (of clgraph) as text. "kernels": "ndrange" (kernels over ranges of
        work-items), "pipeline" (of one work-item), or "mixed" where pipelines were requested and a part of
        the work has none. "built": the kernel files that the device had built or loaded by then, and the
        binary that it uses. "pieces": how many buffers hold arcs that exceed the device's largest.
        Empty for a dataset of shards.
    """

    provenance: dict[str, Any] = field(default_factory=dict, compare=False)


def kernel_facts(result: RunsOn) -> dict[str, Any]:
    """Return the facts about a result's kernels that records and a command's JSON contain."""
    found = result.provenance
    facts = {"kernels": found.get("kernels", "ndrange"), "built": list(found.get("built", ()))}
    return facts | ({"pieces": found["pieces"]} if found.get("pieces", 1) > 1 else {})


def on_device(arrays: Any) -> bool:
    """Return True if `arrays` requests arrays on the device; InputError if it is neither word."""
    return bool(word(arrays, "arrays", get_args(Arrays)) == "device")
