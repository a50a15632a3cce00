"""``clgraph replay`` from end to end."""

import json

import pytest
from cli_runs import process
from graphs import tangle

from clgraph import powerlaw_graph, write


@pytest.mark.smoke
def test_samples_and_studies(tmp_path, device, run):
    graph, on = tmp_path / "g.txt", ("--device", device.spec, "-q")
    write(powerlaw_graph(300, seed=2), graph)
    made = ("sample", graph, "--sizes", "50%,20%", "--seed", "3", "--seeds", "2")
    assert run(*made, "--record", tmp_path / "r.json", *on).status == 0
    done = run("replay", tmp_path / "r.json", *on)
    assert done.status == 0, done.err
    assert done.out.count("equal: drv, size") == 4
    study = ("study", graph, "--methods", "drv", "--sizes", "50%", "--seeds", "2", "--no-figures")
    assert run(*study, "-o", tmp_path / "s", *on).status == 0
    done = run("replay", tmp_path / "s/study.json", "--json", *on)
    assert done.status == 0 and json.loads(done.out)["equal"]
    told = json.loads((tmp_path / "r.json").read_text())
    told["result"]["samples"][1]["sha256"] = "0" * 64
    (tmp_path / "r.json").write_text(json.dumps(told))
    done = run("replay", tmp_path / "r.json", *on)
    assert done.status == 1 and done.out.count("equal:") == 3 and done.out.count("differs:") == 1
    graph.rename(tmp_path / "moved.txt")
    assert "give --input GRAPH" in run("replay", tmp_path / "r.json", *on).err
    assert run("replay", tmp_path / "s/study.json", "--input", tmp_path / "moved.txt", *on).status == 0
    write(powerlaw_graph(300, seed=3), graph)
    assert "is not the input of" in run("replay", tmp_path / "r.json", *on).err


def test_a_dry_run_draws_nothing(tmp_path, device, run, monkeypatch):
    graph, on = tmp_path / "g.txt", ("--device", device.spec, "-q")
    write(powerlaw_graph(300, seed=2), graph)
    made = ("sample", graph, "--sizes", "50%,20%", "--seed", "3", "--record", tmp_path / "r.json", *on)
    assert run(*made).status == 0
    study = ("study", graph, "--methods", "drv,dre", "--sizes", "50%", "--seeds", "2", "--no-figures")
    assert run(*study, "-o", tmp_path / "s", *on).status == 0
    for record in ("r.json", "s/study.json"):  # the file itself says what its hashes are
        told = json.loads((tmp_path / record).read_text())["hashes"]
        assert all(text.startswith("SHA-256 of ") for text in told.values()) and len(told) == 3
    monkeypatch.setattr("clgraph.studies.replay.sample", None)
    monkeypatch.setattr("clgraph.cli.command.Run.device", None)
    done = run("replay", tmp_path / "r.json", "--dry-run")
    assert done.status == 0, done.err
    assert done.out.count("would draw: drv, size") == 2 and "as recorded" in done.out
    told = json.loads(run("replay", tmp_path / "s/study.json", "--dry-run", "--json").out)
    assert told["would"] == ["study of 4 samples: methods drv, dre; sizes 50%; seeds 0 to 1"]
    write(powerlaw_graph(300, seed=3), graph)
    assert "is not the input of" in run("replay", tmp_path / "r.json", "--dry-run").err


def test_streams(tmp_path, device, run):
    graph, on = tmp_path / "g.txt", ("--device", device.spec, "-q")
    write(powerlaw_graph(300, seed=2), graph)
    for options in (
        ("gps", "--edges", "90", "--block", "7"),
        ("pies", "--size", "30"),
        ("gsh", "--p", "0.1"),
    ):
        made = run("sample", graph, "--method", *options, "--seed", "3", "--record", tmp_path / "r.json", *on)
        assert made.status == 0, made.err
        done = run("replay", tmp_path / "r.json", *on)
        assert done.status == 0 and done.out.startswith(f"equal: {options[0]}, size"), done.err
    told = json.loads((tmp_path / "r.json").read_text())
    told["result"]["options"]["p"] = "0.2"
    (tmp_path / "r.json").write_text(json.dumps(told))
    assert run("replay", tmp_path / "r.json", *on).status == 1


def test_collapsed_and_tiny(tmp_path, device, run):
    graph, on = tmp_path / "star.txt", ("--device", device.spec)
    graph.write_text("".join(f"0 {i}\n" for i in range(1, 900)))
    done = run("sample", graph, "--size", "30", "--seeds", "2", "--seed", "1", *on)
    assert "did you mean 30%?" in done.err
    assert done.err.count("collapsed to 1 of 30 vertices") == 2
    done = run(f"sample {graph} --size 50% --seed 0 --seeds 6 --min-size 9 --json", *on)
    told = json.loads(done.out)["samples"]
    assert min(each["vertices"] for each in told) >= 9 and len({each["seed"] for each in told}) == 6
    assert max(each["seed"] for each in told) >= 6


def test_options_of_every_kind(tmp_path, device, run):
    """What a record has of them passes its own schema, and makes the same sample."""
    graph, on = tmp_path / "g.csv", ("--device", device.spec, "-q")
    ends = tangle(5, n=120, edges=500).edge_indices()
    rows = (f"v {u},v {v},{1 + u % 3}\n" for u, v in zip(ends[0].tolist(), ends[1].tolist(), strict=True))
    graph.write_text("source,target,weight\n" + "".join(rows))
    read_as = ("--ids", "str", "--weights", "--directed", "--header", "--max-ratio", "inf")
    for options in (
        "drv --mode batched --tolerance 2 --components bfs --far-scan",
        "dre --mode batched --connection strong",
        "dhyb --mix 0.25 --min-size 2",
        "cre",
        "ebfs --start v.7",
        "rw --start v.7 --walkers 2 --patience 9 --weighted --direction out --keep induced",
        "mhrw --alpha 1/2",
        "gmd --c 3",
        "rwr --p 0.2",
        "snowball --k 2 --mode exact",
        "ff --p 0.6 --r 0.5 --direction out",
        "rds --coupons 2 --starts 3",
        "spikyball --share 0.3 --powers 1,0,-0.5",
    ):
        method, *more = (word.replace("v.", "v ") for word in options.split())
        made = ("sample", graph, "--method", method, *more, "--size", "40%", "--seed", "3", *read_as, *on)
        done = run(*made, "--record", tmp_path / "r.json")
        assert done.status == 0, done.err
        done = run("replay", tmp_path / "r.json", *on)
        assert done.status == 0 and done.out.startswith("equal: "), (options, done)


def test_notes_are_no_warnings(tmp_path, device):
    graph = tmp_path / "star.txt"
    graph.write_text("".join(f"0 {i}\n" for i in range(1, 100)))
    on = ("--device", device.spec, "-q")
    process("sample", graph, "--size", "30", "--seed", "1", "--record", tmp_path / "r.json", *on)
    done = process("replay", tmp_path / "r.json", *on)
    assert done.status == 0 and done.err == ""
