"""Kernels under Oclgrind, by subject: ``python tests/oclgrind NAME ...`` runs cases, all without a name.

A case is a function ``case_xxx(device)`` in a module of this folder, or a public function with a `selftest`
in `clgraph.public`. It fails if it crashes, if its own check fails, or if Oclgrind complains: of bounds,
uninitialised reads, data races. The simulator is slow: graphs have about 50 vertices, which its small
work-groups (8 work-items of 4 vertices each) still make two of.

Each case runs in a process of its own, forked from one that has imported everything, and in an empty folder:
what it sets in modules is gone afterwards, and a crash ends no other case. `tests/test_oclgrind.py` runs them
all, and sees that no kernel is left out.
"""

import hashlib
import json
from functools import partial
from importlib import import_module
from pathlib import Path

from public_calls import example, verify

from clgraph.public import PUBLIC

CLEAN = Path(__file__).with_name("clean.json")


def collect():
    """The cases of all modules of this folder, by name."""
    made = {}
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        for name, case in vars(import_module(f"{__name__}.{path.stem}")).items():
            if name.startswith("case_"):
                made[name.removeprefix("case_")] = case
    for each in PUBLIC:
        if each.selftest:
            made[each.name] = partial(_example, each)
    return made


def _example(each, device):
    verify(each, example(each, device))


ALL = collect()


def text_of(kernels):
    """A digest of the files of ``PROGRAM KERNEL`` lines, with all that they include; probes have none."""
    from clgraph.device.program import kernel_folder, read_source

    digest = hashlib.sha256()
    for program in sorted({line.split()[0] for line in kernels}):
        if (kernel_folder() / f"{program}.cl").exists():
            digest.update(read_source(program).encode())
    return digest.hexdigest()[:16]


def recorded():
    """The kernels of each case that ran clean with the files as they are now."""
    clean = {}
    for name, made in json.loads(CLEAN.read_text()).items() if CLEAN.exists() else ():
        kernels = [
            f"{program} {each}" for program, names in made["kernels"].items() for each in names.split()
        ]
        if made["text"] == text_of(kernels):
            clean[name] = kernels
    return clean


def note(clean):
    """Record that these cases ran clean, with their kernels; cases that are no more are dropped."""
    kept = {**recorded(), **clean}
    lines = []
    for name in sorted(kept.keys() & ALL.keys()):
        programs = {}
        for line in sorted(kept[name]):
            program, kernel = line.split()
            programs.setdefault(program, []).append(kernel)
        kernels = {program: " ".join(each) for program, each in programs.items()}
        lines.append(f"  {json.dumps(name)}: {json.dumps({'text': text_of(kept[name]), 'kernels': kernels})}")
    CLEAN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
