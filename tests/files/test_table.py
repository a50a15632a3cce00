"""Edge tables whose graphs are built on a device: what the host's reader makes of them, or left to it."""

import numpy as np
import pytest
from exchanges import needed, put_table
from file_reading import same_as
from graphs import tangle

from clgraph import InputError
from clgraph.files import write
from clgraph.files.dispatch import reader_of
from clgraph.files.read_ahead import NotTaken
from clgraph.files.summary import read_with_summary
from clgraph.formats.common import Options
from clgraph.formats.table import FORMATS

pa = needed("pyarrow")
needed("pyarrow.parquet")

RNG = np.random.default_rng(3)
ENDS = RNG.integers(0, 40, (2, 500))


def table(kind, factor=1, **more):
    """A table whose ids are of some type."""
    ends = [pa.array((end * factor).astype(kind)) for end in ENDS]
    return pa.table({"source": ends[0], "target": ends[1], **more})


WEIGHTS = pa.array(RNG.random(500))
TAKEN = {
    "int64": table("int64"),
    "gaps": table("int64", 10**7),
    "64 bits": table("int64", 10**15),
    "unsigned": table("uint64", 10**17),
    "small": table("uint8"),
    "short": table("int16", 100),
    "mixed": table("int64").set_column(1, "target", pa.array(ENDS[1].astype(np.uint32))),
    "chunks": pa.concat_tables([table("int32").slice(0, 7), table("int32").slice(7, 1), table("int32")]),
    "weights": table("int32", weight=WEIGHTS),
    "dictionary": table("int64").set_column(1, "target", pa.array(ENDS[1]).dictionary_encode()),
    "directed": table("int64").replace_schema_metadata({b"clgraph": b'{"directed": true}'}),
}
LEFT = {
    "negative": table("int64", -1),
    "beyond 64 bits": table("uint64", 10**17).set_column(
        1, "target", pa.array([2**63 + 1] * 500, pa.uint64())
    ),
    "missing values": table("int64").set_column(1, "target", pa.array([None, *ENDS[1][1:].tolist()])),
    "float32": table("int64", weight=WEIGHTS.cast(pa.float32())),
    "not finite": table("int64", weight=pa.array([np.nan, *WEIGHTS[1:].to_pylist()])),
    "counts": table("int64", multiplicity=pa.array([2] * 500)).replace_schema_metadata(
        {b"clgraph": b'{"directed": true}'}
    ),
    "no rows": table("int64").slice(0, 0),
}


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("name", [*TAKEN, *LEFT])
@pytest.mark.cross
def test_the_same_graph(tmp_path, device, name, form):
    path = put_table(tmp_path / f"t.{form}", {**TAKEN, **LEFT}[name])
    weighted = name in ("weights", "float32", "not finite")
    for how in (
        Options(weights=weighted),
        Options(directed=True, weights=weighted, duplicates="keep" if name != "counts" else "merge"),
    ):
        if name in LEFT:
            with pytest.raises(NotTaken):
                reader_of(form)(path, how, device)
            continue
        made, wanted = reader_of(form)(path, how, device), FORMATS[form].read(path, how)
        assert made.graph._residence is not None or weighted
        same_as(made.graph, wanted.graph)
        assert made.rows == wanted.rows


def test_said(tmp_path, device):
    graph = tangle(4)
    write(graph, tmp_path / "g.parquet")
    taken = put_table(tmp_path / "t.parquet", TAKEN["int64"])
    assert "read on the host: counts of" in read_with_summary(tmp_path / "g.parquet", device=device.spec)[1]
    assert "; read on" in read_with_summary(taken, device=device.spec)[1]
    with pytest.raises(InputError, match="negative"):
        read_with_summary(put_table(tmp_path / "n.arrow", LEFT["negative"]), device=device.spec)


def test_an_arrow_file_that_shrinks(tmp_path, device):
    """It was mapped, and looking at a column of a file that was cut off ended the process by SIGBUS."""
    path = put_table(tmp_path / "t.arrow", TAKEN["int64"])
    from clgraph.formats.arrow import arrow_table

    opened = arrow_table(path, Options())
    path.write_bytes(b"")
    assert opened.table.column("source").to_pylist() == ENDS[0].tolist()
