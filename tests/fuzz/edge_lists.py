"""Files read twice: by the host's reader, which says what is right, and on a device in small pieces."""

import traceback

from file_reading import agree

from clgraph import InputError, get_device
from clgraph.files.read_ahead import LaunchConfig
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
    what, how = case.what, case.what["options"]
    path, form = folder / what["path"], what.get("format", "edges")
    shape = LaunchConfig(chunk=what["piece"], ahead=2, threads=2) if "piece" in what else None
    if form != "ldbc":
        try:
            check_file(path)
        except InputError:
            return False
    try:
        taken = agree(path, device, form, shape=shape, block=what.get("block"), **how) == "taken"
    except AssertionError as error:
        # outside of pytest a plain assert says nothing: its line tells causes apart
        failed = traceback.extract_tb(error.__traceback__)[-1].line
        raise Failure("broken", f"device and host: {failed} {str(error)[-200:]}".strip()) from error
    if taken and how.get("verify") is not False:  # else rows may be in any order
        graph = FORMATS[form].read(path, Options(**how)).graph  # the same as the device's
        check_invariants(graph, merged=how.get("duplicates") != "keep")
    return taken
