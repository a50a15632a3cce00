"""Minimal kernels, one for each fault of a driver that was met: ``python tests/drivers [NAME ...]``.

Each file ``NAME.cl`` says at its head what it does, where it fails (``fails: PLATFORM VERSION [DEVICE]:
how``) and what clgraph does about it (``here:``). A driver's next version is tried by running them all again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ITEMS, LOCAL = 64, 16
FAILS = re.compile(r"^// fails: (\S+) (\d+(?:\.\d+)*)(?: (\S+))?: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Fails:
    """Where a kernel fails: parts of the platform's and the device's name, the start of a version."""

    platform: str
    version: str
    device: str
    how: str

    def is_there(self, device):
        """Whether this is that driver."""
        release = re.sub(r"OpenCL [\d.]+", "", device.platform_version)
        versions = re.findall(r"\d+(?:\.\d+)+", f"{device.driver_version} {release}")
        return (
            self.platform in device.platform_name
            and self.device in device.name
            and any(f"{version}.".startswith(f"{self.version}.") for version in versions)
        )


def names():
    """All minimal kernels."""
    return sorted(path.stem for path in FOLDER.glob("*.cl"))


def fails(name):
    """The drivers that are known to fail at a kernel."""
    found = FAILS.findall((FOLDER / f"{name}.cl").read_text())
    return [Fails(*each) for each in found]


def known_to_fail(name, device):
    """How this device's driver is known to fail at a kernel; None if it is not."""
    return next((each.how for each in fails(name) if each.is_there(device)), None)


def try_here(name, device):
    """Build and run a kernel in this process, which may die of it: "right", "wrong" or why it was not built.

    ``minimal(out, in)`` runs over 64 work-items in groups of 16; in[i] is i; a right driver sets out to 1.
    """
    import numpy as np

    from clgraph.device.program import build_source
    from clgraph.errors import BuildError

    source = (FOLDER / f"{name}.cl").read_text()
    try:
        program = build_source(device, name, source, (), keep=False)
    except BuildError as error:
        return f"not built: {str(error).splitlines()[0]}"
    out = device.zeros(ITEMS, np.int32)
    given = device.upload(np.arange(ITEMS, dtype=np.int32))
    program.minimal.exact(ITEMS, local=LOCAL, out=out, in_=given)
    got = device.download(out, np.int32, ITEMS)
    return "right" if (got == 1).all() else "wrong"


def try_in_a_child(name, device):
    """`try_here`, or how the driver ended the child. PYTHONPATH must lead to the folder tests/."""
    from clgraph.device.subprocesses import go_through

    *_, found = go_through("drivers", name, device.spec, device.identity)
    return str(found.value or found.problem)


def steps(_, name, spec, identity):
    """The child's part: `try_here`."""
    from clgraph.device.choosing import list_devices

    found = [d for d in list_devices() if d.spec == spec and list(d.identity) == identity]
    yield name, "", lambda: try_here(name, found[0]) if found else "no such device in the child"


# --- tests that fail because of a driver, each with the minimal kernel that shows why ----------------------


@dataclass(frozen=True)
class Known:
    """Tests that fail where a minimal kernel does.

    Attributes
    ----------
    kernel : str
    tests : str
        A pattern within their names.
    reason : str
    ends : bool
        Whether they end (with a wrong result); otherwise they are not run.
    """

    kernel: str
    tests: str
    reason: str
    ends: bool = True


_LONG = "loops of more than 65535 steps in all end early"
KNOWN = (
    Known(
        "loop_limit",
        r"csr/test_build\.py::(test_star|test_one_arc_many_times|test_wide_offsets\[.*buckets)",
        f"rows are missing: {_LONG}",
    ),
    Known(
        "loop_limit",
        r"csr/test_build\.py::(test_random_multigraphs\[.*20000-90000|test_skewed_rows)",
        f"kernels write beyond the rows, which ends the process: {_LONG}",
        ends=False,
    ),
    Known(
        "loop_limit",
        r"measures/test_triangle_count\.py::(test_known_graphs|test_a_large_graph)",
        f"triangles of long rows are missing: {_LONG}",
    ),
    Known("loop_limit", r"traversal/test_many\.py::test_many_types", f"the far end of a path: {_LONG}"),
    Known(
        "loop_limit",
        r"components/test_finder\.py::(test_star\[.*True|test_real_graphs\[.*True)",
        f"components come out in pieces: {_LONG}",
    ),
    Known(
        "loop_limit", r"ranking/test_sell\.py::test_many_sources", f"entries of slices are missing: {_LONG}"
    ),
    Known(
        "loop_limit",
        r"theses/test_variants\.py::test_variants\[.*(serial|pull)-(long_rows|same_bytes_twice)",
        f"rows of one work-item end early: {_LONG}",
    ),
)


def known(name, device):
    """What a device's driver is known to get wrong in a test; None if nothing is."""
    for each in KNOWN:
        if re.search(each.tests, name) and any(one.is_there(device) for one in fails(each.kernel)):
            return each
    return None
