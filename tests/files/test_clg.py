"""Files in the binary form read by a device: what the host's reader makes of them, or left to it."""

import zlib
from dataclasses import replace

import numpy as np
import pytest
from file_reading import same_as
from graph_files import GRAPHS, as_version_1, unreadable, with_sums
from graphs import tangle

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.clg import Sums
from clgraph.files.clg import read_clg as read_there
from clgraph.files.read_ahead import NotTaken
from clgraph.files.summary import read_with_summary
from clgraph.formats.clg import read_clg
from clgraph.formats.common import Options

RNG = np.random.default_rng(3)
MORE = {
    "tangle": tangle(5, n=300, edges=800, weights=RNG.random(800)),
    "arcs": tangle(6, n=300, edges=800, directed=True, weights=RNG.random(800)),
    "copies": tangle(7, n=30, edges=80, duplicates="keep"),
    "numbered": tangle(8, n=30, edges=80).with_ids(np.arange(30) * 3),
    "shuffled": tangle(8, n=30, edges=80).with_ids(np.arange(30)[::-1]),
    "a star": Graph.from_edges(np.zeros(3000, np.int32), np.arange(1, 3001)),
}
LEFT = {
    "strings": "text",
    "large ids": "31 bits",
    "shuffled": "do not ascend",
    "copies": "parallel",  # if they are to be merged
}


def attempt(work):
    """What is loaded, or the error's words."""
    try:
        return work()
    except (InputError, NotTaken) as error:
        return str(error)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", [*GRAPHS, *MORE])
def test_the_same_graph(tmp_path, device, name, version):
    graph = {**GRAPHS, **MORE}[name]
    path = tmp_path / "x.clg"
    write(graph, path)
    if version == 1:
        path.write_bytes(as_version_1(graph))
    taken = 0
    for how in (
        Options(verify=True, weights=graph.is_weighted),
        Options(verify=False, duplicates="keep"),
        Options(directed=False),
        Options(directed=True, duplicates="keep"),
        Options(weights=True),
        Options(ids="str"),
    ):
        wanted = attempt(lambda: read_clg(path, how))  # noqa: B023
        made = attempt(lambda: read_there(path, how, device))  # noqa: B023
        if isinstance(made, str):
            assert isinstance(wanted, str) or LEFT[name] in made
            continue
        assert made.graph._residence is not None and (made.rows, made.notes) == (wanted.rows, wanted.notes)
        same_as(made.graph, wanted.graph)
        taken += 1
    assert taken >= (0 if name in LEFT and name != "copies" else 2 if name == "copies" else 3)


@pytest.mark.parametrize("version", [1, 2])
def test_changed_bytes(tmp_path, device, version):
    """What the host refuses is refused in the same words, what it takes is the same graph."""
    rng = np.random.default_rng(version)
    path, refused = tmp_path / "x.clg", 0
    graphs = [
        tangle(5, n=30, edges=80, weights=rng.random(80)),
        MORE["copies"],
        MORE["numbered"],
        MORE["arcs"],
    ]
    files = []
    for graph in graphs:
        write(graph, path)
        files.append(as_version_1(graph) if version == 1 else path.read_bytes())
    for turn in range(320):
        data = bytearray(files[turn % 4])
        used = np.flatnonzero(np.frombuffer(data, np.uint8)[: -4 if version == 2 else None])
        for at in rng.choice(used[used >= 4096], 1 + turn % 2):
            data[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(with_sums(bytes(data)) if version == 2 and turn % 5 else data)
        how = {"weights": turn % 4 in (0, 3), "duplicates": "keep"}
        how["verify"] = (None, True, False)[turn % 3]
        wanted = attempt(lambda: read(path, device="host", **how))  # noqa: B023
        made = attempt(lambda: read(path, device=device.spec, **how))  # noqa: B023
        assert isinstance(made, str) == isinstance(wanted, str), f"turn {turn}: {made}; {wanted}"
        if isinstance(wanted, str):
            assert made == wanted
            refused += 1
        elif how["verify"] is not False:  # else rows may be in any order, and facts mean nothing
            same_as(made, wanted)
    assert 100 < refused < 300


def test_large_files_too_have_their_checksums_compared(tmp_path, device, monkeypatch):
    path = tmp_path / "x.clg"
    write(MORE["tangle"], path)
    monkeypatch.setattr("clgraph.files.clg.FULL_BELOW", 100)
    assert "read on" in read_with_summary(path, device=device.spec, weights=True)[1]
    data = bytearray(path.read_bytes())
    data[4096 * 4 + 1] ^= 1  # of an index
    path.write_bytes(data)
    unreadable(path, f"{path.name}: bytes 4096 to .* checksum", device=device.spec)
    read(path, device=device.spec, verify=False)


@pytest.mark.parametrize("place", [1, 17, 29])
def test_an_id_twice_with_right_checksums(tmp_path, device, place):
    graph = MORE["numbered"]
    ids = graph.ids.copy()
    ids[place] = ids[place - 1]
    path = tmp_path / "x.clg"
    write(Graph._from_arrays(replace(graph._arrays, ids=ids)), path)  # of arrays that nobody checks again
    said = []
    for where in ("host", device):
        with pytest.raises(InputError) as error:
            read(path, device=where)
        said.append(str(error.value))
    assert said[0] == said[1] and str(ids[place]) in said[0]


@pytest.mark.parametrize("here", [True, False])
def test_sums(device, monkeypatch, here):
    monkeypatch.setattr("clgraph.files.clg.BLOCK", 1 << 14)
    for size in (1, 7, 8, 4095, 4096, 4097, 1 << 14, 100_003):
        data = RNG.integers(0, 256, size).astype(np.uint8)
        sums = Sums(device, size + 4096, here)
        for begin, end in ((0, size // 3 // 4096 * 4096), (size // 3 // 4096 * 4096, size)):
            if begin < end:
                sums.read(data[begin:end].data, begin)
                sums.loaded(device.upload(data[begin:end].copy()), begin, end - begin)
        whole = data.tobytes() + bytes(4096)
        assert sums.all() == [zlib.crc32(whole[k : k + (1 << 14)]) for k in range(0, len(whole), 1 << 14)]


def test_a_file_that_shrinks_while_it_is_read(tmp_path, device, monkeypatch):
    path = tmp_path / "x.clg"
    write(MORE["a star"], path)

    def shrink(*_):
        path.write_bytes(path.read_bytes()[:9000])

    monkeypatch.setattr(Sums, "__init__", shrink)
    unreadable(path, "became shorter while it was read", device=device.spec)
