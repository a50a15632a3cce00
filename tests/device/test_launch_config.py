"""Launch tables: what each kind of device gets, and how it is cut to a device's limits."""

import json
from importlib import import_module
from types import SimpleNamespace

import pytest

import clgraph
from clgraph.csr import scan
from clgraph.device.launch_config import AS_CPU, LaunchTable, WorkGroup, fit_group, fit_local
from clgraph.ranking import sell
from clgraph.sampling import runs
from clgraph.traversal import blocks


def device(kind, max_work_group=1024, local_memory=1 << 15):
    return SimpleNamespace(kind=kind, max_work_group=max_work_group, local_memory=local_memory)


def test_entries_that_are_not_given_are_those_of_a_cpu():
    table = LaunchTable(gpu=1, cpu=2, simulator=3, fpga=4)
    kinds = ("gpu", "cpu", "simulator", "emulator", "fpga")
    assert [table.of(device(kind)) for kind in kinds] == [1, 2, 3, 2, 4]
    assert table.emulator is AS_CPU


@pytest.mark.parametrize("nothing", [None, 0, False])
def test_an_empty_entry_means_what_it_says(nothing):
    """None on a GPU once meant the CPU's: directed graphs were reversed wrongly there."""
    table = LaunchTable(gpu=nothing, cpu=8, simulator=2, emulator=nothing)
    assert table.of(device("gpu")) is nothing and table.of(device("emulator")) is nothing
    assert table.of(device("fpga")) == 8


def test_configurations_are_cut_to_the_device():
    table = LaunchTable(gpu=WorkGroup(256), cpu=WorkGroup(4), simulator=WorkGroup(4))
    assert table.of(device("gpu", max_work_group=64)).local == 64
    assert table.of(device("cpu", max_work_group=1)).local == 1
    small = device("gpu", max_work_group=100, local_memory=1 << 10)
    assert [fit_group(256, small, each=each) for each in (1, 16, 64)] == [64, 64, 16]
    assert fit_group(1, small, each=4096) == 1
    assert fit_local(1024, 8 * 1024, device("gpu", local_memory=1 << 11)) == 256


def tried(monkeypatch, folder, content):
    file = folder / f"{len(list(folder.iterdir()))}.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    monkeypatch.setenv("CLGRAPH_LAUNCH", str(file))


def test_a_file_has_configurations_to_try(tmp_path, monkeypatch):
    plain = scan.LAUNCH.of(device("gpu"))
    tried(monkeypatch, tmp_path, {"csr.scan.LAUNCH": {"local": 32}, "ranking.sell.ROWS": 7})
    assert scan.LAUNCH.of(device("gpu")).local == 32 != plain.local
    assert scan.LAUNCH.of(device("gpu", max_work_group=8)).local == 8  # cut as ours are
    assert sell.ROWS.of(device("gpu")) == 7
    # nothing is taken where an entry of ours takes it
    tried(monkeypatch, tmp_path, {"sampling.runs.LAUNCH": {"alone": 0}, "traversal.blocks.ENTRIES": 0})
    assert runs.LAUNCH.of(device("cpu")).alone == 0 == blocks.ENTRIES.of(device("gpu"))
    monkeypatch.delenv("CLGRAPH_LAUNCH")
    assert scan.LAUNCH.of(device("gpu")) == plain


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not a readable JSON object"),
        ([], "not a readable JSON object"),
        ({"csr.scan.LUNCH": {}}, "no launch table 'csr.scan.LUNCH': use a name as csr.scan.LAUNCH"),
        ({"csr.nothing.LAUNCH": {}}, "no launch table"),
        ({"csr.scan.LAUNCH": 3}, "use an object with any of local"),
        ({"csr.scan.LAUNCH": {"size": 3}}, "use an object with any of local"),
        ({"csr.scan.LAUNCH": {"local": "3"}}, r"LAUNCH\.local is '3': use a value like ours, [0-9]+$"),
        ({"csr.scan.LAUNCH": {"local": True}}, "is True"),
        ({"csr.scan.LAUNCH": {"local": -1}}, r"LAUNCH\.local is -1: use a number from 1 to 1073741824"),
        ({"csr.scan.LAUNCH": {"local": 0}}, r"LAUNCH\.local is 0: use a number from 1"),
        ({"csr.scan.LAUNCH": {"block": 2**30 + 1}}, r"LAUNCH\.block is 1073741825: use a number from 1 to"),
        ('{"csr.scan.LAUNCH": {"block": NaN}}', "is nan: use a value like ours"),
        ('{"csr.scan.LAUNCH": {"block": Infinity}}', "is inf: use a value like ours"),
        ({"csr.scan.LAUNCH": {"local": 96}}, r"LAUNCH\.local is 96: use powers of two alone"),
    ],
)
def test_a_wrong_file_is_refused(content, message, tmp_path, monkeypatch):
    tried(monkeypatch, tmp_path, content)
    with pytest.raises(clgraph.InputError, match=message):
        scan.LAUNCH.of(device("gpu"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("communities.propagation.LAUNCH", {"many": 48}, "many is 48: use powers of two"),
        ("communities.propagation.LAUNCH", {"run": 0}, "run is 0: use a number from 1"),
        ("traversal.search.LAUNCH", {"rows": 48}, "rows is 48: use powers of two"),
        ("communities.levels.LAUNCH", {"shared": [32, 48]}, "use powers of two"),
        ("csr.sort.LAUNCH", {"bits": 13}, "bits is 13: use a number from 1 to 12"),
        ("ranking.sell.ROWS", 0, " is 0: use a number from 1 to"),
        ("ranking.spmv.RUNS", {"hot": 2**16}, "hot is 65536: use a number from 1 to 65535"),
        ("ranking.spmv.RUNS", {"windows": [16, 0]}, "windows is 0: use a number from 1"),
        ("sampling.runs.LAUNCH", {"exact": "guess"}, "'guess': use one of merge tree, probes"),
        (
            "ranking.personalized.batched_power.LAUNCH",
            {"widths": [8, 16, 24, 64]},
            r"widths is \(8, 16, 24, 64\): use powers of two alone",
        ),
    ],
)
def test_values_that_kernels_cannot_take_are_refused(name, content, message, tmp_path, monkeypatch):
    module, _, table = name.rpartition(".")
    tried(monkeypatch, tmp_path, {name: content})
    with pytest.raises(clgraph.InputError, match=rf"CLGRAPH_LAUNCH=.*json: {name}.*{message}"):
        getattr(import_module(f"clgraph.{module}"), table).of(device("gpu"))


def test_a_missing_file_is_refused(monkeypatch):
    monkeypatch.setenv("CLGRAPH_LAUNCH", "none.json")
    with pytest.raises(clgraph.InputError, match=r"CLGRAPH_LAUNCH=none\.json: not a readable JSON object"):
        scan.LAUNCH.of(device("gpu"))


def test_results_are_the_same_with_another_configuration(device, tmp_path, monkeypatch):
    graph = clgraph.powerlaw_graph(3000, seed=1)
    plain = clgraph.sample(graph, size="50%", seed=1, device=device).vertices.tolist()
    tried(monkeypatch, tmp_path, {"csr.scan.LAUNCH": {"local": 8}, "device.hardware.TUNING": {"items": 3}})
    again = clgraph.powerlaw_graph(3000, seed=1)
    assert clgraph.sample(again, size="50%", seed=1, device=device).vertices.tolist() == plain
