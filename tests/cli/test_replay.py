"""``clgraph replay`` from end to end."""

import json

import pytest
from cli_runs import process
from graphs import tangle

from clgraph import powerlaw_graph, write

STUDY = "--sizes 50% --seeds 2 --no-figures"


@pytest.fixture
def graph(tmp_path):
    write(powerlaw_graph(300, seed=2), tmp_path / "g.txt")
    return tmp_path / "g.txt"


@pytest.fixture
def star(tmp_path):
    """Most samples of it are a vertex, and warn of that."""
    (tmp_path / "star.txt").write_text("".join(f"0 {i}\n" for i in range(1, 900)))
    return tmp_path / "star.txt"


@pytest.fixture
def on(device):
    return f"--device {device.spec} -q"


@pytest.fixture
def recorded(run, graph, tmp_path, on):
    """A record of a sample of the graph, with these options."""

    def record(options):
        run(f"sample {graph} {options} --seed 3 --record {tmp_path}/r.json {on}").fine()
        return tmp_path / "r.json"

    return record


def changed(record, change):
    """A record in which something is another thing."""
    told = json.loads(record.read_text())
    change(told["result"])
    record.write_text(json.dumps(told))


@pytest.mark.smoke
def test_samples_and_studies(graph, tmp_path, on, run, recorded):
    record, study = recorded("--sizes 50%,20% --seeds 2"), tmp_path / "s/study.json"
    run(f"study {graph} {STUDY} --methods drv -o {study.parent} {on}").fine()
    assert run(f"replay {record} {on}").fine().out.count("equal: drv, size") == 4
    assert run(f"replay {study} --json {on}").json()["equal"]
    changed(record, lambda result: result["samples"][1].update(sha256="0" * 64))
    done = run(f"replay {record} {on}").fine(1)
    assert done.out.count("equal:") == 3 and done.out.count("differs:") == 1
    graph.rename(tmp_path / "moved.txt")
    run(f"replay {record} {on}").refused("give --input GRAPH")
    run(f"replay {study} --input {tmp_path}/moved.txt {on}").fine()
    write(powerlaw_graph(300, seed=3), graph)
    run(f"replay {record} {on}").refused("is not the input of")


def test_a_dry_run_draws_nothing(graph, tmp_path, on, run, monkeypatch, recorded):
    record, study = recorded("--sizes 50%,20%"), tmp_path / "s/study.json"
    run(f"study {graph} {STUDY} --methods drv,dre -o {study.parent} {on}").fine()
    for file in (record, study):  # the file itself says what its hashes are
        told = json.loads(file.read_text())["hashes"]
        assert all(text.startswith("SHA-256 of ") for text in told.values()) and len(told) == 3
    monkeypatch.setattr("clgraph.studies.replay.sample", None)
    monkeypatch.setattr("clgraph.cli.command.Run.device", None)
    done = run(f"replay {record} --dry-run").fine()
    assert done.out.count("would draw: drv, size") == 2 and "as recorded" in done.out
    told = run(f"replay {study} --dry-run --json").json()
    assert told["would"] == ["study of 4 samples: methods drv, dre; sizes 50%; seeds 0 to 1"]
    write(powerlaw_graph(300, seed=3), graph)
    run(f"replay {record} --dry-run").refused("is not the input of")


def test_another_probability_of_a_stream(on, run, recorded):
    record = recorded("--method gsh --p 0.1")
    changed(record, lambda result: result["options"].update(p="0.2"))
    assert run(f"replay {record} {on}").status == 1


def test_collapsed_and_tiny(star, device, run):
    line = f"sample {star} --device {device.spec}"
    done = run(f"{line} --size 30 --seeds 2 --seed 1")
    assert "did you mean 30%?" in done.err
    assert done.err.count("collapsed to 1 of 30 vertices") == 2
    told = run(f"{line} --size 50% --seed 0 --seeds 6 --min-size 9 --json").json()["samples"]
    assert min(each["vertices"] for each in told) >= 9 and len({each["seed"] for each in told}) == 6
    assert max(each["seed"] for each in told) >= 6


@pytest.mark.parametrize(
    "options",
    [
        "drv --mode batched --tolerance 2 --components bfs --far-scan",
        "dre --mode batched --connection strong",
        "dhyb --mix 0.25 --min-size 2",
        "cre",
        "ebfs --start 'v 7'",
        "rw --start 'v 7' --walkers 2 --patience 9 --weighted --direction out --keep induced",
        "mhrw --alpha 1/2",
        "gmd --c 3",
        "rwr --p 0.2",
        "snowball --k 2 --mode exact",
        "ff --p 0.6 --r 0.5 --direction out",
        "rds --coupons 2 --starts 3",
        "spikyball --share 0.3 --powers 1,0,-0.5",
    ],
)
def test_options_of_every_kind(tmp_path, on, run, options):
    """What a record has of them passes its own schema, and makes the same sample."""
    graph, record = tmp_path / "g.csv", tmp_path / "r.json"
    ends = tangle(5, n=120, edges=500).edge_indices()
    rows = (f"v {u},v {v},{1 + u % 3}\n" for u, v in zip(ends[0].tolist(), ends[1].tolist(), strict=True))
    graph.write_text("source,target,weight\n" + "".join(rows))
    read_as = f"{graph} --ids str --weights --directed --header --max-ratio inf"
    run(f"sample {read_as} --method {options} --size 40% --seed 3 --record {record} {on}").fine()
    assert run(f"replay {record} {on}").fine().out.startswith("equal: ")


def test_notes_are_no_warnings(star, tmp_path, on):
    process(f"sample {star} --size 30 --seed 1 --record {tmp_path}/r.json {on}").fine()
    assert process(f"replay {tmp_path}/r.json {on}").fine().err == ""
