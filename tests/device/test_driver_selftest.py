"""The first use of a driver that nobody has tried: how crashes, hangs and wrong results are told and kept."""

import json
import os
import platform
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import devices
import pytest
from cli_runs import ROOT, environment, python
from devices import working_devices

import clgraph
from clgraph import public
from clgraph.device import Device, cache, doctor, driver_selftest, program, subprocesses
from clgraph.device.driver_selftest import Check, Driver, Verdict, run_checks, verdict_of
from clgraph.device.hardware import Setup
from clgraph.errors import DeviceError
from clgraph.selftest import report

KERNELS = sorted(
    file.relative_to(program.kernel_folder()).with_suffix("").as_posix()
    for file in program.kernel_folder().rglob("*.cl")
    if "fpga" not in file.parts
)
# a stand-in for clgraph.selftest: what happens in its family is its name
STAND_IN = """
import json, os, signal, sys, time
from clgraph.device.subprocesses import say
known, driver = map(json.loads, sys.argv[1:])
with open({log!r}, "a") as log: print("child", file=log)
assert os.environ["CLGRAPH_FORCE"] == "1"
for family in {families!r}:
    if family in known: continue
    say(at=[family, "a check"])
    print("a driver's own line", flush=True)
    if family == "crash": os.kill(os.getpid(), signal.SIGSEGV)
    if family == "hang": time.sleep(60)
    if family == "leave": os._exit(0)
    if family == "status": sys.exit("no luck")
    wrong = "off by one" if family == "wrong" else None
    say(found=dict(family=family, name="a check", wrong=wrong, seconds=0.5))
say(end=True)
"""
Stand = Callable[..., Path]
NOBODYS = ("Nobody's platform", "OpenCL 3.0", "a device", "0.1")


def unknown(device):
    return replace(device.driver, identity=NOBODYS, kind="gpu")


@pytest.fixture
def stand_in(monkeypatch, tmp_path, own_cache):
    """Makes the child one that goes through these families; returns the file with a line for each child."""

    def make(*names):
        log = tmp_path / "log"
        log.write_text("")
        (tmp_path / "stand_in.py").write_text(STAND_IN.format(log=str(log), families=names))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setattr(driver_selftest, "CHILD", "stand_in")
        monkeypatch.setattr(subprocesses, "SECONDS", 5.0)
        return log

    return make


@pytest.mark.smoke
def test_every_kernel_file_has_a_family():
    for name in KERNELS:
        found = [start for start in public.FAMILIES if name.startswith(start)]
        assert found, f"cl/{name}.cl: its folder has no family in clgraph/public.py"
    assert public.family_of("traversal/many_expand") == "searches at once"
    assert public.family_of("traversal/search_push") == "search"
    assert public.family_of("device/memory_fill") == ""
    for start in public.FAMILIES:
        assert any(name.startswith(start) for name in KERNELS), f"{start} begins no kernel file's name"


def test_each_end_is_told_by_family(device, stand_in):
    names = ("good", "crash", "wrong", "hang", "leave", "status", "fine")
    log = stand_in(*names)
    checks = list(run_checks(unknown(device)))
    assert [check.family for check in checks] == list(names)
    said = {check.family: check.wrong for check in checks}
    assert "ended the process that used it (SIGSEGV)" in str(said.pop("crash"))
    assert said == {
        "good": None,
        "wrong": "off by one",
        "hang": "did not answer within 5 s",
        "leave": "ended the process that used it (exit status 0: no output)",
        "status": "ended the process that used it (exit status 1: no luck)",
        "fine": None,
    }
    assert log.read_text().count("child") == 5  # one more after each that ended
    found = Verdict.of(checks)
    assert set(found.failed) == {"crash", "wrong", "hang", "leave", "status"} and not found.broken
    assert str(found) == "works, but not crash, wrong, hang, leave, status"


@pytest.mark.smoke
def test_the_three_verdicts(device, stand_in):
    stand_in("good")
    works = verdict_of(unknown(device))
    assert (str(works), works.fault, works.right) == ("works", None, ("good",))
    broken = Verdict.of([Check("search", "path", "off", 0.1)])
    assert str(broken) == "BROKEN: search" and "no kernel family passes" in str(broken.fault)


def test_a_verdict_is_kept(device, stand_in, monkeypatch):
    log = stand_in("wrong", "good")
    driver = unknown(device)
    first = verdict_of(driver)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(verdict_of, [driver] * 4)) == [first] * 4
    assert log.read_text() == "child\n" and verdict_of(driver) == first
    for other in (replace(driver, identity=(*driver.identity[:-1], "0.2")), replace(driver, without="fp64")):
        assert driver_selftest.cached_verdict(other) is None
    monkeypatch.setattr(driver_selftest, "__version__", "99")
    assert driver_selftest.cached_verdict(driver) is None  # a new release tries again


def test_a_damaged_verdict_is_made_again(device, stand_in, own_cache):
    log, driver = stand_in("good"), unknown(device)
    verdict_of(driver)
    for file in (own_cache / "probes").iterdir():
        file.write_bytes(file.read_bytes()[:-3])
    assert str(verdict_of(driver)) == "works"
    assert log.read_text() == "child\n" * 2


def test_known_drivers_are_not_tested(device, monkeypatch):
    monkeypatch.setattr(subprocesses, "go_through", lambda *_: pytest.fail("a child was started"))
    pocl = "Portable Computing Language", "OpenCL 3.0 PoCL 5.0+debian  Linux, LLVM 16.0.6, SLEEF", "a CPU"
    known = Driver("0:0", (*pocl, "5.0+debian"), "cpu", "ndrange", "")
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    assert known.known and verdict_of(known) is driver_selftest.WORKS
    assert not replace(known, identity=(*pocl, "5.1")).known
    other_compiler = (pocl[0], pocl[1].replace("16.0", "14.0"), *known.identity[2:])
    assert not replace(known, identity=other_compiler).known
    assert unknown(device).known is False and replace(unknown(device), kind="simulator").known
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")  # for which the same release builds otherwise
    assert not known.known


def test_tests_leave_out_untried_drivers(device, monkeypatch):
    """Those that are not asked for: their first use takes a minute."""
    word = next(word for word, each in working_devices().items() if each is device)
    monkeypatch.setattr(type(device), "driver", unknown(device))
    monkeypatch.setattr("clgraph.device.device.verdict_of", lambda _: driver_selftest.WORKS)
    for asked, found in (([], [word]), (["another word"], []), ([word], [word])):
        untried = type(device)(device.raw, device.spec, replace(device.setup, force=False))
        monkeypatch.setattr("clgraph.device.choosing.list_devices", lambda it=untried: [it])
        monkeypatch.setattr(devices, "_asked", set(asked))
        assert untried.is_untried and list(working_devices.__wrapped__()) == found
        assert ("verdict" in vars(untried)) == bool(found)


def test_what_cannot_be_started_says_nothing(device, stand_in, own_cache):
    stand_in("good")
    driver_selftest.CHILD = "no_such_module"
    driver = unknown(device)
    assert str(verdict_of(driver)) == "works" and driver_selftest.cached_verdict(driver) is None


def test_a_failed_family_is_refused(device, monkeypatch):
    setup = replace(Setup.wanted(), kernels="ndrange", force=False)
    other = Device(device.raw, device.spec, setup)
    vars(other)["verdict"] = Verdict({"measures": "star: off by one"}, ("search",))
    graph = clgraph.Graph.from_edges([0, 1, 2], [1, 2, 0])
    assert clgraph.bfs(graph, 0, device=other).reached == 3
    said = r"failed in measures, so cl/measures/.*star: off by one.*CLGRAPH_FORCE=1"
    with pytest.raises(DeviceError, match=said):
        clgraph.triangles(graph, device=other)
    monkeypatch.setenv("CLGRAPH_FORCE", "1")
    forced = Device(device.raw, device.spec)
    assert forced.setup.force and forced.verdict is driver_selftest.WORKS
    assert clgraph.triangles(graph, device=forced).tolist() == [1, 1, 1]


def test_the_doctor_says_it(device, stand_in):
    stand_in("good", "wrong")
    facts = {**doctor.describe(device), "identity": NOBODYS}
    doctor._judge(facts)
    assert facts["working"] and facts["verdict"] == "works, but not wrong"
    faults = list(doctor._device_faults([facts]))
    assert "works, but not wrong, which is refused there: a check: off by one" in faults[0]["fault"]
    stand_in("wrong")
    facts = {**facts, "identity": (*NOBODYS[:-1], "0.2")}
    doctor._judge(facts)
    assert not facts["working"] and facts["verdict"] == "BROKEN: wrong"


@pytest.mark.slow
@pytest.mark.first_device
def test_a_broken_kernel_is_refused(device, tmp_path):
    """One does not build (a new text each time: verdicts are kept), one is wrong on long rows only."""
    tested = "graph building", "search", "pagerank", "pagerank subgroup", "measures"
    selftest = "clgraph/device/driver_selftest.py"
    for name in ("clgraph", "cl"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, old, new in (
        (selftest, "key in KNOWN", "key in ()"),
        (selftest, "list(run_checks(driver))", f"list(run_checks(driver, {tested}))"),
        ("cl/measures/triangle_count.cl", '#include "wide.h"', f"#error {uuid4().hex}"),
        ("cl/theses/subgroup.cl", "PIECE * (k - first_piece[v])", "PIECE * (k - first_piece[v]) + 1"),
    ):
        text = (tmp_path / name).read_text()
        assert text.count(old) == 1
        (tmp_path / name).write_text(text.replace(old, new))
    script = f"""
import json, clgraph
from clgraph.device import get_device
device = get_device({device.spec!r})
graph = clgraph.Graph.from_edges([0, 1, 2], [1, 2, 0])
told = [str(device.verdict), clgraph.pagerank(graph, device=device).converged]
for call in (lambda: clgraph.quality(graph, graph, device=device),
             lambda: clgraph.pagerank(graph, variant="subgroup", device=device)):
    try:
        call()
    except clgraph.errors.DeviceError as error:
        told.append(str(error))
print(json.dumps(told))
"""
    path = f"{tmp_path}{os.pathsep}{environment()['PYTHONPATH']}"
    done = python("-c", script, timeout=600, cwd=tmp_path, PYTHONPATH=path)
    assert done.status == 0, done.err
    assert "is used for the first time: testing it" in done.err
    said, converged, measures, subgroup = json.loads(done.out.split("\n")[-2])
    assert said == "works, but not pagerank subgroup, measures" and converged
    assert "failed in measures" in measures
    assert "failed in pagerank subgroup" in subgroup and "not to 1 within" in subgroup


@pytest.mark.first_device
def test_the_report_is_impersonal(device, stand_in, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/alice"))
    monkeypatch.setattr(report.getpass, "getuser", lambda: "alice")
    checks = [
        Check("search", "path", None, 0.12345),
        Check("search", "star", f"alice: {cache.cache_folder()}/failed/x.cl, /home/alice/a.txt", 1),
    ]
    told = report.report(device, Verdict.of(checks), checks)
    text = json.dumps(told)
    assert "alice" not in text and str(cache.cache_folder()) not in text and platform.node() not in text
    assert told["checks"][1]["message"] == "USER: CACHE/failed/x.cl, HOME/a.txt"
    assert told["families"] == {"search": {"verdict": "fails", "seconds": 1.123}}
    assert told["verdict"] == "BROKEN: search" and told["device"]["driver_version"] == device.driver_version
