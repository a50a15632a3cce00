"""Records: checked before anything is done with them, forged ones refused in a line, real ones replayed.

Replays are equal on every device, and what differs is said.
"""

import contextlib
import json
import zlib

import numpy as np
import pytest
from graphs import tangle
from record_mutations import mutated

import clgraph
from clgraph import Graph, InputError, powerlaw_graph, sample, study
from clgraph.graph.digest import digest
from clgraph.sampling.request import SampleOptions
from clgraph.studies.origin import curve_of, read_origin
from clgraph.studies.record import OPTIONS, load_record
from clgraph.studies.replay import check_input, read_record, replay

GRAPH = powerlaw_graph(300, seed=2)
TANGLE = tangle(2, n=300)
NOT_DRAWN_BY = {"seed", "rng", "device", "strict", "min_size", "progress", "arrays", "ids"}
OF_SHARDS = {"output", "outputs", "forest", "checkpoint"}


@pytest.fixture
def folder(tmp_path):
    clgraph.write(GRAPH, tmp_path / "g.txt")
    return tmp_path


@pytest.fixture
def records(folder, device, run):
    """Records of commands, and of a sample alone, by name."""
    made = {"several": "dhyb --sizes 50%,20% --seeds 2 --mix 0.3", "one": "rw --steps 90"}
    made["stream"] = "gps --edges 90"
    for name, options in made.items():
        line = f"sample {folder}/g.txt --method {options} --seed 3 --device {device.spec} -q"
        run(f"{line} --record {folder}/{name}.json").fine()
    study(GRAPH, "drv", "20%", seeds=2, hop_sources=10, folder=folder, device=device)
    alone = sample(GRAPH, "drv", size="20%", seed=1, device=device).to_dict()
    texts = {name: (folder / f"{name}.json").read_text() for name in (*made, "study")}
    return {**texts, "alone": json.dumps(alone)}


@pytest.mark.slow
@pytest.mark.first_device
def test_of_1200_forged_records_each_is_replayed_or_refused_in_a_line(folder, records, device, run):
    path, texts = folder / "forged.json", list(records.values())
    refused = 0
    for number in range(1200):
        path.write_bytes(mutated(texts, number))
        try:
            load_record(str(path))
        except InputError as error:
            assert str(error).startswith(f"{path}: ") and str(error).isprintable(), number
            assert len(str(error)) < 500, number
            refused += 1
            if number % 20:  # what refuses them is the same wherever they are given
                continue
        done = run("replay", path, "--input", folder / "g.txt", "-q", "--device", device.spec)
        assert done.status in (0, 1) and done.err.count("\n") <= 1, (number, done.err)
        _as_quality_reads_it(str(path), device)
    assert 700 < refused < 1150


def _as_quality_reads_it(path, device):
    """What `clgraph quality --record` does with it, less the measuring."""
    part = sample(GRAPH, "drv", size="20%", seed=1, device=device).graph
    try:
        curve_of(GRAPH, part, read_origin(path, None, None, None, "a.txt").checked(part, path), device)
    except InputError as error:
        assert str(error).isprintable()


def test_what_is_wrong_is_named(folder, records, device, run):
    one = json.loads(records["one"])

    def changed(part, **how):
        return {**one, part: {**one[part], **how}}

    def of_input(**entry):
        return {**one, "input": [entry]}

    for told, words in (
        ({**one, "plan": 1}, "unknown key 'plan'; give what `clgraph sample --record`"),
        (changed("result", output_folder="x"), "unknown key 'output_folder' in result"),
        (changed("result", seed=-1), "result.seed is -1, not a seed, 0 to 2**64 - 1"),
        (changed("result", seed=True), "result.seed is True, not a seed"),
        (changed("result", method="magic"), "result.method is 'magic', not a method"),
        (changed("result", size="all"), "result.size is 'all', not a size"),
        (changed("result", size="\x1b[2J30%"), r"result.size is '\x1b[2J30%', not a size"),
        (changed("result", options={"output": "x"}), "unknown key 'output' in result.options"),
        (changed("result", options={"steps": 2.5}), "result.options.steps is 2.5, not a whole"),
        (changed("result", built=["a", 3]), "result.built[1] is 3, not text"),
        (changed("result", seconds={"a b": None}), "result.seconds.'a b' is None, not a number"),
        (changed("reading", attributes="/etc/passwd"), "unknown key 'attributes' in reading"),
        (changed("reading", verify=False), "unknown key 'verify' in reading"),
        (of_input(path=3, sha256="0" * 64), "input[0].path is 3, not a file's name"),
        (of_input(path="a"), "input[0] has no sha256"),
        (of_input(path="a\nb", sha256="0" * 64), r"input[0].path is 'a\nb', not a file's name"),
        ({**one, "command": ["\ud800"]}, r"command[0] is '\ud800', not text"),
        ({"result": {"vertices": 3}}, "result has no method"),
        ({"result": 3}, "result is 3, not an object"),
        ([], "it is [], not an object"),
        ('{"a": 1, "a": 2}', "(the key 'a' twice)"),
        ('{"seed": NaN}', "seed is nan, not a seed, 0 to 2**64 - 1"),
        ('{"seed": 1e999}', "seed is inf, not a seed, 0 to 2**64 - 1"),
        ('{"seconds": {"view": NaN}}', "seconds.view is nan, not a number"),
        ('{"seconds": {"view": -Infinity}}', "seconds.view is -inf, not a number"),
        ('{"seconds": {"view": %s}}' % ("9" * 400), "999..., not a number"),
        ('{"size": 1e999}', "size is inf, not a size"),
        ('{"options": {"mix": NaN}}', "options.mix is nan, not a number"),
        ('{"options": {"mix": %s}}' % ("9" * 400), "999..., not a number"),
        ('{"seed": %s}' % ("9" * 5000), "value has 5000 digits"),
        ("[" * 100_000, "recursion"),
        ("\ud800", "can't decode"),
    ):
        path = folder / "wrong.json"
        text = told if isinstance(told, str) else json.dumps(told)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        for command in (("replay", path), ("quality", folder / "g.txt", folder / "g.txt", "--record", path)):
            done = run(*command, "-q", "--device", device.spec)
            assert done.status == 1 and done.err.count("\n") == 1, (words, done.err)
            assert words in done.err and done.err.startswith(f"clgraph: error: {path}: "), (words, done.err)


def test_a_record_that_has_no_end():
    with pytest.raises(InputError, match="it is a device"):
        load_record("/dev/zero")


def test_a_record_names_no_place_to_write(folder, records, device, run):
    told, forged, evil = json.loads(records["study"]), folder / "forged.json", folder / "evil"
    for name in ("folder", "on_note"):
        forged.write_text(json.dumps({**told, "study": {**told["study"], name: str(evil)}}))
        line = f"replay {forged} --input {folder}/g.txt -q --device {device.spec}"
        run(line).refused(f"unknown key '{name}' in study")
    assert not evil.exists()


def test_limits_are_the_readers(records, tmp_path, device, run):
    told = json.loads(records["one"])
    assert not {"max_vertices", "max_ratio"} & set(told["reading"])
    told["reading"] |= {"max_vertices": 1, "max_ratio": 1}  # as older records have them
    (tmp_path / "r.json").write_text(json.dumps(told))
    line = f"replay {tmp_path}/r.json -q --device {device.spec}"
    run(line).fine()
    run(f"{line} --max-vertices 5").refused("--max-vertices")
    told["reading"]["format"] = "gml"
    (tmp_path / "r.json").write_text(json.dumps(told))
    run(line).refused("unknown format 'gml'")


def test_every_option_that_changes_a_sample_has_its_type():
    older = {"weight"}  # of records from before it was called mix
    assert set(OPTIONS) - older == set(SampleOptions.__annotations__) - NOT_DRAWN_BY - OF_SHARDS


def test_a_study_goes_on_from_no_other_record(records, tmp_path, device):
    told = json.loads(records["study"])
    for wrong, words in (
        ({**told, "degrees": {"drv": [[1], [1]]}}, "degrees.drv is .* not an object"),
        ({**told, "notes": "x"}, "notes is 'x', not a list"),
        ({key: told[key] for key in ("clgraph", "device")}, "has no method"),
        (json.loads(records["one"]), "not a study's record"),
    ):
        (tmp_path / "study.json").write_text(json.dumps(wrong))  # in whose place it was
        with pytest.raises(InputError, match=words):
            study(GRAPH, "drv", "20%", seeds=2, hop_sources=10, folder=tmp_path, device=device)


def test_heads_of_datasets_and_forests(tmp_path):
    shards = clgraph.write_shards(GRAPH, tmp_path / "g.clgs")
    forest = clgraph.save_forest(shards, tmp_path / "f", seed=1).path.read_bytes()
    manifest = (tmp_path / "g.clgs/manifest.json").read_text()
    magic, head, edges = forest.split(b"\n", 2)
    for number in range(300):
        (tmp_path / "g.clgs/manifest.json").write_bytes(mutated([manifest], number))
        data = mutated([head.decode()], number).replace(b"\n", b" ") + b"\n" + edges
        (tmp_path / "f").write_bytes(magic[:-8] + b"%08x\n" % zlib.crc32(data) + data)
        with contextlib.suppress(InputError):
            clgraph.open_shards(tmp_path / "g.clgs")
        with contextlib.suppress(InputError):
            clgraph.open_forest(tmp_path / "f").words()


# --- replays ----------------------------------------------------------------------------------------------


def written(path, told):
    path.write_text(json.dumps(told))
    return read_record(str(path))


def test_samples_of_every_kind(device, tmp_path):
    for number, (method, options) in enumerate(
        (
            ("drv", {"size": "50%"}),
            ("dre", {"sizes": ["60%", "30%"]}),
            ("dhyb", {"size": "40%", "mix": 0.3, "tolerance": 2}),
            ("crve", {"sizes": [80, 40]}),
            ("ebfs", {"size": "30%", "start": 5}),
            ("rw", {"steps": 200, "walkers": 2}),
            ("gps", {"edges": 60, "block": 5}),
            ("ff", {"size": "20%", "p": "0.5"}),
        )
    ):
        made = sample(TANGLE, method, seed=number, device=device, **options)
        for each in list(made) if "sizes" in options else [made]:
            told = each.to_dict()
            assert told["input_sha256"] == digest(TANGLE) and told["sha256"] == digest(each.graph)
            record = written(tmp_path / "record.json", told)
            check_input(record, TANGLE)
            ((_, differs),) = replay(record, TANGLE, device)
            assert differs is None
    other = {**told, "seed": 99}
    ((name, differs),) = replay(written(tmp_path / "record.json", other), TANGLE, device)
    assert name == "ff, size 20%, seed 99" and told["sha256"] in differs


def test_a_study(device, tmp_path):
    graph = powerlaw_graph(300, seed=1)
    study(graph, "drv,dre", "50%,20%", seeds=2, min_size=5, folder=tmp_path, device=device)
    record = read_record(str(tmp_path / "study.json"))
    check_input(record, graph)
    assert replay(record, graph, device) == [("study of 8 samples", None)]
    with pytest.raises(InputError, match="the graph is not that of"):
        check_input(record, TANGLE)
    told = json.loads((tmp_path / "study.json").read_text())
    changed = written(tmp_path / "other.json", {**told, "study": {**told["study"], "seed": 5}})
    ((_, differs),) = replay(changed, graph, device)
    assert record.output in differs
    with pytest.raises(InputError, match="not finished"):
        written(tmp_path / "other.json", {name: told[name] for name in told if name != "output"})


def test_hashes_are_of_the_graph_alone():
    one = Graph.from_edges([0, 1, 2], [1, 2, 3])
    assert digest(one) == digest(Graph(one.row_ptr.astype(np.int64), one.col_idx))
    others = [
        Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True),
        Graph.from_edges([0, 1, 2], [1, 2, 3], weights=[1, 1, 1]),
        Graph.from_edges([0, 1, 2, 2], [1, 2, 3, 3]),
        Graph.from_edges([0, 1, 2], [1, 2, 4]),
        Graph.from_edges(["0", "1", "2"], ["1", "2", "3"]),
        Graph.from_edges([0, 1, 1], [1, 2, 3]),
    ]
    assert len({digest(graph) for graph in [one, *others]}) == 7


def test_no_records(tmp_path):
    sample = {"method": "drv", "seed": 1, "vertices": 2, "edges": 1}
    (tmp_path / "broken.json").write_text("{")
    for told, why in (([], "not an object"), (sample, "no hashes"), ({"samples": []}, "no hashes")):
        with pytest.raises(InputError, match=why):
            written(tmp_path / "record.json", told)
    for name, why in (("broken.json", "not JSON"), ("none.json", "cannot read")):
        with pytest.raises(InputError, match=why):
            read_record(str(tmp_path / name))


def test_what_a_record_does_not_hold(device, tmp_path):
    strata = np.arange(300) % 2
    told = sample(TANGLE, "rn", size="20%", seed=1, strata=strata, device=device).to_dict()
    with pytest.raises(InputError, match="strata of rn"):
        replay(written(tmp_path / "record.json", told), TANGLE, device)


def test_min_size_draws_another_seed(device):
    star = Graph.from_edges([0] * 60, range(1, 61))
    with pytest.warns(UserWarning, match="of 12 samples collapsed .* smallest has 1 of 30 vertices"):
        plain = sample(star, "drv", size=30, seed=0, seeds=12, device=device)
    few = [each.seed for each in plain if each.graph.num_vertices < 10]
    assert few
    assert any("collapsed to 1 of 30" in note for note in plain[few[0]].notes)
    with pytest.warns(UserWarning, match="of 6 samples collapsed"):
        sample(star, "drv", size=30, seed=0, seeds=6, mode="batched", device=device)
    made = sample(star, "drv", size=30, seed=0, seeds=12, min_size=10, device=device)
    assert min(made.num_vertices) >= 10
    assert len({each.seed for each in made}) == 12
    moved = made[few[0]]
    assert moved.seed >= 12 and f"seed {few[0]} gave a sample of 1 vertices" in moved.notes[-1]
    assert digest(moved.graph) == digest(sample(star, "drv", size=30, seed=moved.seed, device=device).graph)
    with pytest.raises(InputError, match="min_size is of drv"):
        sample(star, "rw", size=30, seed=0, min_size=10, device=device)
    with pytest.raises(InputError, match="20 seeds in a row"):
        sample(star, "drv", size=30, seed=0, min_size=31, device=device)
