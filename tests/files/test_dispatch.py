"""Where edge lists are read and written: by size, by what is asked for, and what becomes of faults."""

import pytest
from graph_files import put

import clgraph.files.dispatch
import clgraph.files.edge_list
from clgraph import BuildError, CapacityError, DeviceError, Graph
from clgraph.files import read, write
from clgraph.files.dispatch import HOST
from clgraph.files.summary import read_with_summary


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(clgraph.files.dispatch, "SMALL", 0)
    monkeypatch.setattr(clgraph.files.dispatch, "SMALL_ARCS", 0)


def test_the_cpu_reads_what_is_large(tmp_path, everything_is_large):
    path = put(tmp_path / "g.txt", "1 2\n")
    try:
        where = clgraph.get_device("cpu")
    except DeviceError:
        pytest.skip("no CPU device")
    assert read_with_summary(path)[1].endswith(f"(1 row; read on {where})")
    assert read_with_summary(path, device=HOST)[1].endswith("(1 row)")
    assert read_with_summary(path, ids="str")[1].endswith("(1 row)")


def test_without_a_driver_the_host_reads_and_writes(tmp_path, everything_is_large, monkeypatch):
    def none(*_, **__):
        raise DeviceError("no OpenCL driver was found")

    monkeypatch.setattr(clgraph.device, "get_device", none)
    path = put(tmp_path / "g.txt", "1\t2\n")
    graph, said = read_with_summary(path)
    assert said.endswith("(1 row)")
    write(graph, tmp_path / "h.txt")
    assert (tmp_path / "h.txt").read_bytes() == b"1\t2\n"


@pytest.mark.parametrize("fault", [BuildError("0:0: it does not build\nlog"), CapacityError("no room")])
def test_faults_of_a_device(device, tmp_path, everything_is_large, monkeypatch, fault):
    def broken(*_, **__):
        raise fault

    path = put(tmp_path / "g.txt", "1 2\n")
    monkeypatch.setattr(clgraph.files.edge_list, "read_edges", broken)
    monkeypatch.setattr(clgraph.files.dispatch, "device_or_host", lambda _: device)
    graph, said = read_with_summary(path)
    assert isinstance(graph, Graph)
    if isinstance(fault, CapacityError):
        assert said.endswith(f"(1 row; read on the host: no room on {device})")
        assert read(path, device=device).num_edges == 1
    else:
        assert said.endswith("(1 row; read on the host: 0:0: it does not build)")
        with pytest.raises(BuildError):
            read(path, device=device)
