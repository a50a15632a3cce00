"""Files read twice: by the host's reader, which says what is right, and on a device in small pieces."""

import numpy as np

from clgraph import ClgraphError, get_device
from clgraph.files.dispatch import reader_of
from clgraph.files.read_ahead import LaunchConfig, NotTaken, ReadSettings
from clgraph.formats.common import Options, check_file
from clgraph.formats.table import FORMATS
from fuzz.binaries import clg_case, table_case
from fuzz.case import Failure
from fuzz.invariants import check_invariants
from fuzz.mutations import NUMBERS
from fuzz.texts import ldbc_case, text_case


def edge_list_case(kind, rng):
    """An edge list, most often damaged, and how it is cut into pieces and blocks."""
    case = text_case("edges", rng)
    case.kind = kind
    case.what["options"]["ids"] = "int"
    if rng.random() < 0.2:
        name = case.what["path"]
        row = b" ".join(rng.choice(NUMBERS) for _ in range(3))
        case.files[name] += rng.choice((b"\n", b"")) + row + rng.choice((b"\n", b""))
    if rng.random() < 0.1:
        case.what["options"]["header"] = rng.random() < 0.5
    return _cut(case, rng)


def parsed_case(kind, rng):
    """A file of another format that kernels parse, half of them damaged, and how it is cut."""
    name = rng.choice(("mtx", "metis", "ldbc"))
    case = ldbc_case(name, rng) if name == "ldbc" else text_case(name, rng)
    case.kind, case.what["format"] = kind, name
    case.what["options"]["ids"] = "int"
    if rng.random() < 0.1:
        case.what["options"]["weights"] = rng.random() < 0.7
    return _cut(case, rng)


def binary_case(kind, rng):
    """A .clg file or an edge table, most often damaged."""
    form = rng.choice(("clg", "clg", "clg", "parquet", "arrow"))
    case = clg_case(kind, rng) if form == "clg" else table_case(form, rng)
    case.kind, case.what["format"], how = kind, form, case.what["options"]
    if form == "clg" and rng.random() < 0.3:
        how["verify"] = rng.random() < 0.5
    if rng.random() < 0.8:
        how["ids"] = "int"
    return case


def _cut(case, rng):
    case.what["piece"] = rng.choice((40, 97, 300, 1000))
    case.what["block"] = rng.choice((1, 2, 3, 64))
    return case


def run_twice(case, folder):
    """Whether the device took the file."""
    case.write(folder)
    return compare(case, folder, get_device())


def compare(case, folder, device):
    """Whether the device took the file; a `Failure` unless the host says the same of it."""
    path, form = folder / case.what["path"], case.what.get("format", "edges")
    options = Options(**case.what["options"])
    said = wanted = made = None
    try:
        if form != "ldbc":
            check_file(path)
        wanted = FORMATS[form].read(path, options)
    except ClgraphError as error:
        said = str(error)
    how = ReadSettings()
    if "piece" in case.what:
        how = ReadSettings(
            config=LaunchConfig(chunk=case.what["piece"], ahead=2, threads=2), block=case.what["block"]
        )
    try:
        if form != "ldbc":
            check_file(path)
        made = reader_of(form)(path, options, device, how)
    except NotTaken:
        return False
    except ClgraphError as error:
        if str(error) != said:
            raise Failure(
                "lost", f"the device says {str(error)[-150:]}; the host {said or 'reads it'}"
            ) from error
        return False
    if wanted is None:
        raise Failure("broken", f"the device reads what the host refuses: {str(said)[-200:]}")
    if options.verify is not False:  # else rows may be in any order
        check_invariants(made.graph, merged=options.duplicates != "keep")
    one, other = made.graph._arrays, wanted.graph._arrays
    for name in ("row_ptr", "col_idx", "weights", "multiplicity", "ids"):
        a, b = getattr(one, name), getattr(other, name)
        if (a is None) != (b is None) or (
            a is not None and (a.dtype != b.dtype or a.tobytes() != b.tobytes())
        ):
            raise Failure("broken", f"{name} differ: {np.array(a)!r:.90} and {np.array(b)!r:.90}")
    if (one.directed, made.rows, made.notes) != (other.directed, wanted.rows, wanted.notes):
        raise Failure("broken", f"{made.rows} {made.notes} and {wanted.rows} {wanted.notes}")
    return True
