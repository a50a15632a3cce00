"""Registering drivers for good, where every program of this Python environment sees them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from clgraph.device import drivers
from clgraph.device.cache import write_atomically
from clgraph.errors import DeviceError

PREFIX = "clgraph-"  # of the files written here


def register() -> list[str]:
    """Write an ``.icd`` file for each driver that OpenCL's loader would miss without clgraph's help.

    The files go beside the loader inside pyopencl's wheel, which reads them at its first use: programs that
    ask pyopencl, and not clgraph, for platforms then see these drivers, too.

    Returns
    -------
    list of str
        The files written, each with what it names; empty if the loader misses none.

    Raises
    ------
    DeviceError
        If pyopencl brings no loader (Debian's or conda's package), or its folder cannot be written.
    """
    missed = [icd for icd in drivers.find_icds() if icd.corrected and not icd.bundled]
    if not missed:
        return []
    folder = _folder()
    written = []
    for icd in missed:
        file = folder / f"{PREFIX}{icd.stem}.icd"
        try:
            write_atomically(file, f"{icd.library}\n".encode())
            file.chmod(0o644)  # pyopencl is everybody's, whatever the umask of who registers
        except OSError as error:
            raise DeviceError(
                f"cannot write {file}: {error.strerror}. As root: echo {icd.library} > "
                f"{drivers.SYSTEM_VENDORS}/{file.name}"
            ) from error
        written.append(f"{file}: {icd.library} ({icd.origin})")
    return written


def _folder() -> Path:
    spec = importlib.util.find_spec("pyopencl")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (folder := Path(place, ".libs")).is_dir():
            return folder
    raise DeviceError(
        "this pyopencl brings no loader of OpenCL drivers, so the system's is used: put .icd files into "
        f"{drivers.SYSTEM_VENDORS}, each with the path of a library that `clgraph doctor` lists"
    )
