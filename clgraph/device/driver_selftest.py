"""Test an untried driver at its first use; the verdict is cached by driver version.

A driver that `KNOWN` does not list runs every kernel family, on small graphs and one large star, in a child
process (``python -m clgraph.selftest``) that may die or hang: the family at which it does is the one that
failed, and another child continues with the rest. A family that failed is refused on that driver, unless
CLGRAPH_FORCE=1 (or ``force``) says otherwise.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field

from clgraph._version import __version__
from clgraph.device import cache, subprocesses
from clgraph.device.launch_config import configurations
from clgraph.device.program import kernel_folder
from clgraph.errors import DeviceError
from clgraph.public import FAMILIES, family_of

POCL, INTEL = "Portable Computing Language", "Intel(R) OpenCL"
EMULATOR = "Intel(R) FPGA Emulation Platform for OpenCL(TM)"
#: platform, kind, versions of driver and compiler, and the system: the drivers on which every kernel family
#: was seen right, by all tests or by those of tests/platforms (docs/devices.md says which)
KNOWN = {
    (POCL, "cpu", "3.1+debian, LLVM 15.0.6", "Linux x86_64"),
    (POCL, "cpu", "5.0+debian, LLVM 16.0.6", "Linux x86_64"),
    (POCL, "cpu", "6.0+debian, LLVM 18.1.8", "Linux x86_64"),
    (INTEL, "cpu", "2024.18.12.0.05_160000", "Linux x86_64"),
    (EMULATOR, "emulator", "2024.18.12.0.05_160000", "Linux x86_64"),
    ("NVIDIA CUDA", "gpu", "580.159.04", "Linux x86_64"),
}
CHILD = "clgraph.selftest"  # by name: it stands above this folder and imports from it
REMEDY = "use another device, or set CLGRAPH_FORCE=1 to use it all the same"


@dataclass(frozen=True)
class Driver:
    """Identity of the driver that a verdict applies to.

    Attributes
    ----------
    spec : str
        The device's.
    identity : tuple of str
        Its platform, the platform's version, its name and the driver's version.
    kind : str
    kernels, without : str
        Of the device's setup: the form of its kernels, and the features hidden.
    """

    spec: str
    identity: tuple[str, ...]
    kind: str
    kernels: str
    without: str

    @property
    def version(self) -> str:
        """The driver's, and that of its compiler: the same PoCL is built with several."""
        compiler = re.findall(r"LLVM [\d.]*\d", self.identity[1])
        return ", ".join([self.identity[3], *compiler])

    @property
    def known(self) -> bool:
        """True if it need not be tried; simulators are slow, and find more by themselves."""
        key = self.identity[0], self.kind, self.version, f"{platform.system()} {platform.machine()}"
        return key in KNOWN or self.kind == "simulator"

    def __str__(self) -> str:
        return f"{self.identity[0]}, driver {self.version}"


@dataclass(frozen=True)
class Check:
    """One check of a selftest; `wrong` is its fault, None if it passed."""

    family: str
    name: str
    wrong: str | None
    seconds: float


@dataclass(frozen=True)
class Verdict:
    """Kernel families that a driver gets wrong, and those it gets right.

    Attributes
    ----------
    failed : dict of str to str
        Family and what happened.
    right : tuple of str
        The families that passed.
    """

    failed: dict[str, str] = field(default_factory=dict)
    right: tuple[str, ...] = ()

    @staticmethod
    def of(checks: list[Check]) -> Verdict:
        """The verdict of a selftest."""
        failed: dict[str, str] = {}
        for check in checks:
            if check.wrong is not None:
                failed.setdefault(check.family, f"{check.name}: {check.wrong}")
        right = dict.fromkeys(check.family for check in checks if check.family not in failed)
        return Verdict(failed, tuple(right))

    @property
    def broken(self) -> bool:
        """True if nothing works."""
        return bool(self.failed) and not self.right

    def __str__(self) -> str:
        if self.broken:
            return f"BROKEN: {', '.join(self.failed)}"
        return f"works, but not {', '.join(self.failed)}" if self.failed else "works"

    @property
    def fault(self) -> str | None:
        """Reason why the device cannot be used at all; None if it can."""
        if not self.broken:
            return None
        family, reason = next(iter(self.failed.items()))
        return f"no kernel family passes clgraph's selftest ({family}: {reason})"

    def refuse(self, driver: Driver, program: str) -> None:
        """Raise a DeviceError if a kernel file belongs to a family that failed."""
        if not self.failed:
            return
        family = family_of(program)
        if family in self.failed:
            raise DeviceError(
                f"{driver.spec} ({driver.identity[2]}): clgraph's selftest of this driver ({driver}) failed "
                f"in {family}, so cl/{program}.cl is not used: {self.failed[family]}; {REMEDY}"
            )


WORKS = Verdict()


def verdict_of(driver: Driver) -> Verdict:
    """Return the verdict of a driver; one that is new here is tried, which takes about a minute."""
    if driver.known or not sys.executable:
        return WORKS
    found = cached_verdict(driver)
    if found is None:
        if sys.stderr is not None:
            print(
                f"clgraph: {driver}, is used for the first time: testing it, which takes a minute or so",
                file=sys.stderr,
            )
        found = store_verdict(driver, list(run_checks(driver)))
    return found


def _key(driver: Driver) -> str:
    sources = hashlib.sha256()
    for file in sorted(kernel_folder().rglob("*.[ch]*")):
        sources.update(file.read_bytes())
    setup = [driver.kernels, driver.without]
    if tried := os.environ.get("CLGRAPH_LAUNCH"):  # a verdict on its configurations is none on ours
        setup.append(json.dumps(configurations(tried)))
    return cache.digest(["verdict", *driver.identity, *setup, __version__, sources.hexdigest()])


def cached_verdict(driver: Driver) -> Verdict | None:
    """Return the verdict that an earlier selftest left in the cache folder; None if there is none."""
    found = json.loads(cache.load("probes", _key(driver)) or b"null")
    return None if found is None else Verdict(found["failed"], tuple(found["right"]))


def store_verdict(driver: Driver, checks: list[Check]) -> Verdict:
    """Return the verdict of these checks; store it if any was made."""
    verdict = Verdict.of(checks)
    if checks:
        cache.store("probes", _key(driver), json.dumps(asdict(verdict)).encode())
    return verdict


def run_checks(driver: Driver, families: Collection[str] = ()) -> Iterator[Check]:
    """Run the checks of a selftest in child processes; a family at which its child ends or hangs has failed.

    Parameters
    ----------
    driver : Driver
    families : collection of str
        By default all.
    """
    over = set(FAMILIES.values()) - set(families) if families else ()
    # forced: the child must not look for a verdict itself
    for found in subprocesses.go_through(
        CHILD, asdict(driver), known=dict.fromkeys(sorted(over)), CLGRAPH_FORCE="1"
    ):
        if found.problem is None:
            yield Check(**found.value)
        elif found.item:  # a child that never came to a check says nothing about any family
            yield Check(found.item, found.part, found.problem, found.seconds)
