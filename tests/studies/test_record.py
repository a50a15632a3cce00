"""Records are checked before anything is done with them: real ones pass, forged ones are one line."""

import contextlib
import json
import zlib

import pytest
from record_mutations import mutated

from clgraph import (
    InputError,
    open_forest,
    open_shards,
    powerlaw_graph,
    sample,
    save_forest,
    study,
    write,
    write_shards,
)
from clgraph.sampling.request import SampleOptions
from clgraph.studies.origin import curve_of, read_origin
from clgraph.studies.record import OPTIONS, load_record

GRAPH = powerlaw_graph(300, seed=2)
NOT_DRAWN_BY = {"seed", "rng", "device", "strict", "min_size", "progress", "arrays", "ids"}
OF_SHARDS = {"output", "outputs", "forest", "checkpoint"}


@pytest.fixture
def folder(tmp_path):
    write(GRAPH, tmp_path / "g.txt")
    return tmp_path


@pytest.fixture
def records(folder, device, run):
    """Records of commands, and of a sample alone, by name."""
    on = ("--device", device.spec, "-q")
    several = ("--sizes", "50%,20%", "--seeds", "2", "--mix", "0.3")
    made = {"several": ("dhyb", *several), "one": ("rw", "--steps", "90"), "stream": ("gps", "--edges", "90")}
    for name, options in made.items():
        args = ("sample", folder / "g.txt", "--method", *options, "--seed", "3", *on)
        assert run(*args, "--record", folder / f"{name}.json").status == 0
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
    result, reading = one["result"], one["reading"]
    for told, words in (
        ({**one, "plan": 1}, "unknown key 'plan'; give what `clgraph sample --record`"),
        ({**one, "result": {**result, "output_folder": "x"}}, "unknown key 'output_folder' in result"),
        ({**one, "result": {**result, "seed": -1}}, "result.seed is -1, not a seed, 0 to 2**64 - 1"),
        ({**one, "result": {**result, "seed": True}}, "result.seed is True, not a seed"),
        ({**one, "result": {**result, "method": "magic"}}, "result.method is 'magic', not a method"),
        ({**one, "result": {**result, "size": "all"}}, "result.size is 'all', not a size"),
        ({**one, "result": {**result, "size": "\x1b[2J30%"}}, r"result.size is '\x1b[2J30%', not a size"),
        ({**one, "result": {**result, "options": {"output": "x"}}}, "unknown key 'output' in result.options"),
        (
            {**one, "result": {**result, "options": {"steps": 2.5}}},
            "result.options.steps is 2.5, not a whole",
        ),
        ({**one, "result": {**result, "built": ["a", 3]}}, "result.built[1] is 3, not text"),
        (
            {**one, "result": {**result, "seconds": {"a b": None}}},
            "result.seconds.'a b' is None, not a number",
        ),
        ({**one, "input": [{"path": 3, "sha256": "0" * 64}]}, "input[0].path is 3, not a file's name"),
        ({**one, "input": [{"path": "a"}]}, "input[0] has no sha256"),
        (
            {**one, "input": [{"path": "a\nb", "sha256": "0" * 64}]},
            r"input[0].path is 'a\nb', not a file's name",
        ),
        ({**one, "command": ["\ud800"]}, r"command[0] is '\ud800', not text"),
        ({**one, "reading": {**reading, "attributes": "/etc/passwd"}}, "unknown key 'attributes' in reading"),
        ({**one, "reading": {**reading, "verify": False}}, "unknown key 'verify' in reading"),
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
        done = run("replay", forged, "--input", folder / "g.txt", "-q", "--device", device.spec)
        assert done.status == 1 and f"unknown key '{name}' in study" in done.err
    assert not evil.exists()


def test_limits_are_the_readers(records, tmp_path, device, run):
    told = json.loads(records["one"])
    assert not {"max_vertices", "max_ratio"} & set(told["reading"])
    told["reading"] |= {"max_vertices": 1, "max_ratio": 1}  # as older records have them
    (tmp_path / "r.json").write_text(json.dumps(told))
    assert run("replay", tmp_path / "r.json", "-q", "--device", device.spec).status == 0
    done = run("replay", tmp_path / "r.json", "-q", "--device", device.spec, "--max-vertices", "5")
    assert done.status == 1 and "--max-vertices" in done.err


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
    shards = write_shards(GRAPH, tmp_path / "g.clgs")
    forest = save_forest(shards, tmp_path / "f", seed=1).path.read_bytes()
    manifest = (tmp_path / "g.clgs/manifest.json").read_text()
    magic, head, edges = forest.split(b"\n", 2)
    for number in range(300):
        (tmp_path / "g.clgs/manifest.json").write_bytes(mutated([manifest], number))
        data = mutated([head.decode()], number).replace(b"\n", b" ") + b"\n" + edges
        (tmp_path / "f").write_bytes(magic[:-8] + b"%08x\n" % zlib.crc32(data) + data)
        for opened in (lambda: open_shards(tmp_path / "g.clgs"), lambda: open_forest(tmp_path / "f").words()):
            with contextlib.suppress(InputError):
                opened()
