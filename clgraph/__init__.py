"""clgraph: sample, traverse and rank graphs on any OpenCL device.

Importing clgraph touches no OpenCL driver: the first use of a device does. The public names are in
`clgraph.public`; type checkers read ``__init__.pyi``, which is written from it.
"""

from __future__ import annotations

from typing import Any

from clgraph import hooks
from clgraph._version import __version__
from clgraph.public import BY_NAME, load
from clgraph.system import watch_forks

watch_forks()


def _arrays_on(device: Any, graph: Any) -> Any:
    from clgraph.csr.upload import arrays_on

    return arrays_on(device, graph)


def _pipelines_of(device: Any) -> Any:
    from clgraph.fpga.programs import PipelinePrograms

    return PipelinePrograms(device)


def _add_variants() -> None:
    from clgraph.theses import add_variants

    add_variants()


hooks.arrays_on, hooks.pipelines_of, hooks.add_variants = _arrays_on, _pipelines_of, _add_variants

__all__ = ["__version__", *BY_NAME]
_FOLDERS = {each.home.partition(".")[0] for each in BY_NAME.values()}


def __getattr__(name: str) -> Any:
    """Look up a public name, or a folder of public names, when it is first used."""
    if name in _FOLDERS:
        return load(name)
    if name in BY_NAME:
        found = globals()[name] = load(BY_NAME[name].home, name)
        return found
    raise AttributeError(f"module 'clgraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names; not the folders and modules that imports leave here."""
    return sorted(__all__)
