"""Diagnose OpenCL on this machine, and name the remedies.

Only proven faults are reported, and no remedy moves or removes files that clgraph has not made. A broken
driver can end the process that loads it: devices are examined in child processes, and the report names the
device that ended its own.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder, all_suffixes
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from clgraph._version import DISTRIBUTION, __version__, pip_hint
from clgraph.device import cache, drivers, subprocesses
from clgraph.device.drivers import find_distribution

PACKAGES = (
    "pyopencl",
    "numpy",
    "scipy",
    "click",
    "rich",
    "intel-opencl-rt",
    "intel-cmplr-lib-rt",
    "intel-opencl-fpga-emu-rt",
    "pocl-binary-distribution",
)

Fault = dict[str, str]  # "fault" and "remedy"
INSTALL_CPU = pip_hint("cpu")
INSTALL_EMULATOR = pip_hint("fpga-emulator")
INSTALL_POCL = "apt-get install pocl-opencl-icd"


def examine() -> dict[str, Any]:
    """Return the whole report.

    Returns
    -------
    dict
        ``versions``, ``loader``, ``icds``, ``devices``, ``cache``, ``faults`` (each with ``fault`` and
        ``remedy``; none if all is well) and ``working`` (how many devices work; clgraph can be used if there
        is one).
    """
    report: dict[str, Any] = {"versions": _versions(), "loader": _loader(), "icds": _icds()}
    devices, faults = _devices()
    for device in devices:
        _judge(device)
    store, more = _cache()
    faults += [*more, *_icd_faults(report["icds"]), *_device_faults(devices)]
    faults += [*_package_faults(report["versions"]), *_name_faults(), *_shadow_faults()]
    working = [d["kind"] for d in devices if d["working"]]
    if not {"gpu", "cpu", "fpga"} & {*working}:
        found = "no device" if devices else "no OpenCL driver"
        text = f"{found} works that clgraph picks by default"
        faults.append(_fault(text, INSTALL_CPU, INSTALL_POCL))
    return {**report, "devices": devices, "cache": store, "faults": faults, "working": len(working)}


def _fault(text: str, *remedies: str) -> Fault:
    return {"fault": text, "remedy": "   or   ".join(remedies)}


def _versions() -> dict[str, str | None]:
    return {
        "clgraph": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        **dict.fromkeys(PACKAGES),
        **installed(PACKAGES),
    }


def installed(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    return {name: found.version for name in packages if (found := find_distribution(name)) is not None}


def _loader() -> dict[str, Any]:
    """Return the libOpenCL that pyopencl uses, and the environment variables that control it."""
    try:
        import pyopencl  # noqa: F401  importing it maps the loader, but queries no driver

        with open("/proc/self/maps") as maps:
            mapped = {line.split(maxsplit=5)[5].strip() for line in maps if "libOpenCL" in line}
        library = ", ".join(sorted(mapped)) or None
    except (ImportError, OSError) as error:
        library = f"not loaded: {error}"
    names = ["OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "PYOPENCL_CTX", "PYOPENCL_TEST"]
    names += sorted(name for name in os.environ if name.startswith("CLGRAPH_"))
    return {
        "library": library,
        "environment": {name: os.environ[name] for name in names if name in os.environ},
    }


def _icds() -> list[dict[str, Any]]:
    found = []
    for icd in drivers.find_icds(oclgrind=True):
        # Oclgrind is not loaded: it brings its own LLVM into the process
        error = None if "oclgrind" in icd.library else drivers.dlopen_error(icd.library)
        found.append(
            {
                "library": icd.library,
                "origin": icd.origin,
                "found_by": "clgraph" if icd.corrected else "the loader",
                "loads": error is None,
                "error": error,
            }
        )
    return found


def _devices() -> tuple[list[dict[str, Any]], list[Fault]]:
    devices: dict[str, dict[str, Any]] = {}
    # the parent tries drivers that are new: that may take longer than a child may be silent
    for found in subprocesses.go_through("clgraph.device.children", CLGRAPH_FORCE="1"):
        if found.item == "list" and isinstance(found.value, list):
            devices = {device["spec"]: device for device in found.value}
        elif found.item in devices:
            devices[found.item] |= found.value or _broken(f"the probe {found.problem}")
        else:
            text = f"the drivers cannot be asked for their devices: {found.value or found.problem}"
            remedy = "pip install --force-reinstall pyopencl"
            if found.died:
                text = f"asking the drivers for their devices {found.problem}"
                remedy = (
                    f"OCL_ICD_VENDORS={drivers.SYSTEM_VENDORS}/NAME.icd clgraph doctor   (with each file "
                )
                remedy += "there: which driver is it?)"
            return [], [_fault(text, remedy)]
    return list(devices.values()), []


def _judge(device: dict[str, Any]) -> None:
    """Add a verdict to the facts of a working device; a driver that is new here is tried now."""
    if not device["working"] or not device["has_compiler"]:
        return
    from clgraph.device.driver_selftest import Driver, verdict_of
    from clgraph.device.hardware import Setup

    if Setup.wanted().force:
        return
    names = "spec", "kind", "kernels", "without"
    driver = Driver(identity=tuple(device["identity"]), **{name: device[name] for name in names})
    found = verdict_of(driver)
    device.update(working=not found.broken, reason=found.fault, verdict=str(found), failed=found.failed)


def describe(device: Any, *, probed: bool = True) -> dict[str, Any]:
    """Describe a device in plain values, for JSON.

    Parameters
    ----------
    device : Device
    probed : bool
        Build and run kernels to find out whether it works and which features it has.
    """
    names = (
        *("spec", "name", "kind", "vendor", "platform_version", "driver_version", "compute_units"),
        *("global_memory", "max_buffer", "local_memory", "max_work_group", "has_compiler", "kernels"),
    )
    facts: dict[str, Any] = {name: getattr(device, name) for name in names}
    facts |= {"platform": device.platform_name, "without": str(device.setup.without)}
    facts |= {"identity": list(device.identity)}
    if not probed:
        return facts
    if device.fault is not None:
        return facts | _broken(device.fault)
    verdict = {"verdict": str(device.verdict), "failed": device.verdict.failed}
    return {**facts, "working": True, "reason": None, "features": sorted(device.features), **verdict}


def _broken(reason: str) -> dict[str, Any]:
    return {"working": False, "reason": reason, "features": [], "verdict": f"BROKEN: {reason}", "failed": {}}


def _cache() -> tuple[dict[str, Any], list[Fault]]:
    named, folder = cache.named_folder(), cache.cache_folder()
    facts: dict[str, Any] = {"folder": str(folder), "rooms": cache.contents(), "writable": True}
    if (why := cache.distrust(named)) is not None:
        text = f"kernels are not cached in {named}, since others could put their own code there: {why}"
        return facts, [_fault(text, "export CLGRAPH_CACHE_DIR=/a/folder/of/your/own")]
    try:
        cache.make_room("probes")
        with tempfile.NamedTemporaryFile(dir=folder):
            return facts, []
    except OSError as error:
        text = f"kernels cannot be cached in {folder} ({error.strerror}): every run rebuilds them"
        fault = _fault(text, "export CLGRAPH_CACHE_DIR=/a/folder/you/can/write")
        return {**facts, "writable": False}, [fault]


def _icd_faults(icds: Iterable[dict[str, Any]]) -> Iterator[Fault]:
    user = os.environ.get("OCL_ICD_VENDORS")
    if user and not icds:
        text = f"OCL_ICD_VENDORS={user} names no driver, and no others are searched for while it is set"
        yield _fault(text, "unset OCL_ICD_VENDORS")
    for icd in icds:
        if icd["loads"]:
            continue
        library = icd["library"]
        text = f"{icd['origin']}: {library or '(empty)'} does not load: {icd['error']}"
        remedies = {
            "intelocl": pip_hint("cpu", "--force-reinstall"),
            "pocl": "apt-get install --reinstall pocl-opencl-icd",
            "nvidia": _NVIDIA_REMEDY,
            "": "reinstall that driver, or have the owner of the file remove it",
        }
        if Path(icd["origin"]).name.startswith(drivers.REGISTERED):
            remedies = {"": f"rm {icd['origin']} && clgraph doctor --fix"}
        yield _fault(text, next(remedy for name, remedy in remedies.items() if name in library))
    if not any("nvidia" in icd["library"] for icd in icds) and os.path.exists("/dev/nvidiactl"):
        text = f"there is an NVIDIA GPU (/dev/nvidiactl), but no {drivers.NVIDIA_LIBRARY}, its OpenCL driver"
        yield _fault(text, _NVIDIA_REMEDY)


_NVIDIA_REMEDY = (
    "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...   or, outside a container,   "
    "apt-get install nvidia-opencl-icd"
)


def _device_faults(devices: Iterable[dict[str, Any]]) -> Iterator[Fault]:
    for d in devices:
        if d["working"]:
            yield from _family_faults(d)
            continue
        text = f"{d['spec']} {d['name']} ({d['platform_version']}) is broken: {d['reason']}"
        if "PoCL" in d["platform_version"]:
            yield _fault(text, INSTALL_POCL, INSTALL_CPU)
        elif not d["has_compiler"]:
            remedy = "clgraph fpga compile -o clgraph.aocx && export CLGRAPH_FPGA_BINARY=$PWD/clgraph.aocx"
            yield _fault(text, remedy)
        elif "NVIDIA" in d["platform"]:
            yield _fault(text, "nvidia-smi   (what the driver itself says)")
        else:
            yield _fault(text, f"{INSTALL_CPU}   (another driver)")


def _family_faults(device: dict[str, Any]) -> Iterator[Fault]:
    """Yield faults of kernel families that fail on an otherwise working device."""
    where = f"{device['spec']} {device['name']} ({device['platform_version']})"
    for family, reason in device["failed"].items():
        yield _fault(
            f"{where} works, but not {family}, which is refused there: {reason}",
            f"{INSTALL_CPU}   (another driver)",
            f"clgraph selftest --device {device['spec']} --json   (for a report, or after an update)",
        )


def _package_faults(versions: dict[str, str | None]) -> Iterator[Fault]:
    """Yield faults of Intel's packages: releases that do not work together, missing libraries."""
    runtime, libraries = versions["intel-opencl-rt"], versions["intel-cmplr-lib-rt"]
    emulator = versions["intel-opencl-fpga-emu-rt"]
    if emulator and emulator != runtime:
        text = f"intel-opencl-fpga-emu-rt {emulator} (the emulator) crashes next to another intel-opencl-rt, "
        yield _fault(f"{text}here {runtime or 'none at all'}", INSTALL_EMULATOR)
    if runtime and libraries != runtime:
        text = f"intel-opencl-rt {runtime} needs intel-cmplr-lib-rt {runtime}, not "
        yield _fault(f"{text}{libraries or 'without it'}", INSTALL_CPU)
    found = {Path(icd.library).name for icd in drivers.pip_icds()}
    for package, library in drivers.PIP_DRIVERS.items():
        if versions[package] and not any(name.startswith(library) for name in found):
            text = (
                f"pip lists {package} {versions[package]}, but its {library} is missing (--target omits it)"
            )
            yield _fault(text, f"pip install --force-reinstall {package}=={versions[package]}")


def _name_faults() -> Iterator[Fault]:
    """Yield a fault if another project (the index's `clgraph`) or a second copy shadows this clgraph."""
    if (other := find_distribution("clgraph")) is not None:
        text = (
            f"another distribution, clgraph {other.version} in {other.locate_file('')}, has the same import "
            f"name and command as {DISTRIBUTION} and may replace its files"
        )
        yield _fault(text, f"python3 -m venv ENV && ENV/bin/{pip_hint()}   (where it is alone)")
    if (ours := find_distribution(DISTRIBUTION)) is not None:
        imported, installed = Path(__file__).resolve().parent.parent, Path(str(ours.locate_file("clgraph")))
        # an editable install has no modules there, though perhaps files of data
        if (installed / "__init__.py").is_file() and installed.resolve() != imported:
            text = f"Python imports clgraph from {imported}, but {DISTRIBUTION} is installed in {installed}"
            yield _fault(text, f"take {imported.parent} out of PYTHONPATH")


def _shadow_faults() -> list[Fault]:
    """Return faults of files that Python would import in place of modules that clgraph needs."""
    return [
        _fault(
            f"{file} would be imported instead of the module {name}: {why}, and no installed package has it",
            f"give {file.name} another name, if it is yours; else work in another folder, or take "
            f"{file.parent} out of PYTHONPATH",
        )
        for name, file, why in shadows()
    ]


# --- Files that Python imports instead of a module that clgraph needs, because their folder comes first ---
#
# Not those that a package manager has put there: with `pip install --target`, modules of a cluster, Spack or
# EasyBuild, the folders of ``PYTHONPATH`` are where packages are installed.


# the modules that clgraph imports in addition to Python's own
NEEDED = frozenset({"pyopencl", "pytools", "numpy", "scipy", "click", "rich"})


def shadows() -> list[tuple[str, Path, str]]:
    """Find modules that another file hides, or would hide under ``python -m``.

    It searches the current folder, which ``python -m clgraph``, ``python -c`` and an interactive Python put
    first, and the folders that come before Python's own modules (``PYTHONPATH``).

    Returns
    -------
    list of (name, file, why)
    """
    standard = os.path.dirname(os.path.realpath(os.__file__))
    path = [os.path.realpath(entry or ".") for entry in sys.path]
    before = path[: path.index(standard)] if standard in path else path
    current = os.path.realpath(".")
    found = []
    for folder in dict.fromkeys([*before, current]):
        others = [entry for entry in path if entry != folder]
        if folder == current:
            why = "`python -m`, `python -c` and an interactive Python look into the current folder first"
        else:
            why = f"{folder} comes before Python's own modules (PYTHONPATH)"
        for name, file in _modules(folder):
            # loaded by now: all of Python's modules that clgraph imports
            needed = name in NEEDED or (name in sys.stdlib_module_names and name in sys.modules)
            if (
                needed
                and not any(finder.find_spec(name) for finder in (BuiltinImporter, FrozenImporter))
                and PathFinder.find_spec(name, others) is not None
                and not _is_installed(name, file)
            ):
                found.append((name, file, why))
    return found


def _modules(folder: str) -> list[tuple[str, Path]]:
    """List the modules in a folder: files, and folders that are packages."""
    suffixes = sorted(all_suffixes(), key=len, reverse=True)  # .cpython-312-x86_64-linux-gnu.so before .so
    found = []
    for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        file = Path(folder, entry)
        suffix = next((suffix for suffix in suffixes if entry.endswith(suffix)), "")
        if suffix or any((file / f"__init__{each}").exists() for each in suffixes):
            found.append((entry.removesuffix(suffix), file))
    return found


def _is_installed(name: str, file: Path) -> bool:
    """True if a module belongs to a distribution in its folder, or to an editable install here."""
    nearby = distributions(path=[str(file.parent)])
    return any(name in _modules_of(each) for each in nearby) or any(
        file.is_relative_to(source) for each in distributions() if (source := _source_of(each))
    )


def _modules_of(distribution: Distribution) -> set[str]:
    """Return the modules that a distribution lists; if it lists none, the module of its own name."""
    listed = (distribution.read_text("top_level.txt") or "").split()
    files = [each.parts[0].split(".")[0] for each in distribution.files or []]
    return {*listed, *files} or {(distribution.metadata["Name"] or "").lower()}


def _source_of(distribution: Distribution) -> Path | None:
    """Return the folder that an editable install points to."""
    text = distribution.read_text("direct_url.json")
    record = json.loads(text) if text else {}
    if not record.get("dir_info", {}).get("editable"):
        return None
    return Path(os.path.realpath(unquote(urlsplit(record["url"]).path)))
