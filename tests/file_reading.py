"""A file read by the host and by a device: the same graph, or left to the host."""

from graphs import same

from clgraph import InputError
from clgraph.files.dispatch import reader_of
from clgraph.files.read_ahead import LaunchConfig, NotTaken, ReadSettings
from clgraph.formats.common import Options
from clgraph.formats.table import FORMATS

SMALL = LaunchConfig(chunk=97, ahead=2, threads=2)


def agree(path, device, form="edges", *, shape=SMALL, block=None, **how):
    """How a file was read on a device: "taken", or why not; fails unless the host says the same of it."""
    options = Options(**how)
    error, wanted, made = "", None, None
    try:
        wanted = FORMATS[form].read(path, options)
    except InputError as caught:
        error = str(caught)
    try:
        made = reader_of(form)(path, options, device, ReadSettings(config=shape, block=block))
    except NotTaken as caught:
        return str(caught)
    except InputError as caught:
        assert str(caught) == error
        return "refused"
    assert wanted is not None, f"read on the device, and on the host: {error}"
    same_as(made.graph, wanted.graph)
    assert (made.rows, made.notes) == (wanted.rows, wanted.notes)
    return "taken"


def same_as(made, wanted):
    """The same arrays, types and counts."""
    same(made, wanted)
    assert made.row_ptr.dtype == wanted.row_ptr.dtype and made.col_idx.dtype == wanted.col_idx.dtype
    assert made._has_identity_ids == wanted._has_identity_ids
    if wanted.weights is not None:  # every bit
        assert made.weights is not None and made.weights.tobytes() == wanted.weights.tobytes()
    for name in ("num_self_loops", "num_edges", "num_duplicates"):
        assert getattr(made, name) == getattr(wanted, name), name
