"""The matrix of platforms: ``python -m tests.platforms`` (or ``python tests/platforms``) from the checkout.

On each platform that is here: does its device work, the bytes of ten samples, and a smaller set of device
tests, each file in a child process with a time limit, so that a driver may end it or hang. A platform that is
not here is "absent". Releases that come by pip get a virtual environment each (``--venvs FOLDER``).

What a driver is known to get wrong is in ``tests/drivers/__init__.py``; those tests count as "known".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def with_kernels():
    """The tests of the modules that launch kernels: they have the stems of the kernel files."""
    kernels = [file.relative_to(TESTS.parent / "cl") for file in (TESTS.parent / "cl").rglob("*.cl")]
    found = []
    for file in TESTS.rglob("test_*.py"):
        folder, stem = file.relative_to(TESTS).parent, file.stem.removeprefix("test_")
        if any(k.parent == folder and f"{k.stem}_".startswith(f"{stem}_") for k in kernels):
            found.append((folder / file.name).as_posix())
    return sorted(found)


# the device tests that run on each platform, less what is marked slow: every kernel file's
OTHERS = (
    "csr/test_upload.py",
    "files/test_edge_list.py",
    "files/test_formats.py",
    "measures/test_quality.py",
    "ranking/personalized/test_batched_power.py",
    "ranking/test_spmv.py",
    "sampling/literature/test_growing.py",
    "sampling/literature/test_methods.py",
    "scale/test_shards.py",
    "test_drivers.py",
    "theses/test_personalized.py",
    "theses/test_variants.py",
)
FILES = tuple(dict.fromkeys((*with_kernels(), *OTHERS)))
# a few of them, in a minute or two, for .ci/run
FEW = (
    "components/test_strong.py",
    "csr/test_build.py",
    "csr/test_sort.py",
    "csr/test_upload.py",
    "measures/test_triangle_count.py",
    "ranking/test_sell.py",
    "sampling/test_copra.py",
    "sampling/test_exact.py",
    "sampling/test_repair.py",
    "sampling/test_select.py",
    "test_drivers.py",
    "theses/test_variants.py",
    "traversal/test_many.py",
)


@dataclass(frozen=True)
class Platform:
    """A driver in one release, or any.

    Attributes
    ----------
    title : str
    word : str
        Of ``--device``.
    version : str
        A pattern that its versions must match.
    pip : tuple of str
        Packages that bring it, installed into an environment of its own.
    only_theirs : bool
        Whether the system's drivers are hidden, since `word` would rather pick one of them.
    variables : dict
        Of its children's environment.
    """

    title: str
    word: str
    version: str = ""
    pip: tuple[str, ...] = ()
    only_theirs: bool = False
    variables: dict[str, str] = field(default_factory=dict)


POCL = {"POCL_MAX_PTHREAD_COUNT": "2"}
PLATFORMS = {
    "pocl-3.0": Platform(
        "PoCL 3.0 (PyPI)", "pocl", r"PoCL 3\.0\b", ("pocl-binary-distribution==3.0",), True, POCL
    ),
    "pocl-3.1": Platform("PoCL 3.1 (Debian 12)", "pocl", r"PoCL 3\.1\b", variables=POCL),
    "pocl-5.0": Platform("PoCL 5.0 (Ubuntu 24.04)", "pocl", r"PoCL 5\.0\b", variables=POCL),
    "pocl-6.0": Platform("PoCL 6.0 (Debian 13)", "pocl", r"PoCL 6\.0\b", variables=POCL),
    "intel-2025.0": Platform("Intel CPU runtime 2025.0.5 (PyPI)", "intel", r"2024\.18\.12"),
    "intel-newest": Platform(
        "Intel CPU runtime, newest (PyPI)",
        "intel",
        r"20(2[5-9]|[3-9]\d)\.",
        ("intel-opencl-rt", "intel-cmplr-lib-rt"),
    ),
    "fpga-emulator": Platform("Intel FPGA emulator 2025.0.5 (PyPI)", "fpga", r"2024\.18\.12"),
    "rusticl-22.3": Platform(
        "rusticl on llvmpipe, Mesa 22.3 (Debian 12)",
        "rusticl",
        r"^22\.3\b|\b22\.3\.\d",
        variables={"RUSTICL_ENABLE": "llvmpipe"},
    ),
    "rusticl-25.0": Platform(
        "rusticl on llvmpipe, Mesa 25.0 (Debian 13)",
        "rusticl",
        r"\b25\.0\.\d",
        variables={"RUSTICL_ENABLE": "llvmpipe"},
    ),
    "oclgrind": Platform("Oclgrind", "oclgrind"),
    "nvidia": Platform("NVIDIA", "nvidia"),
}
