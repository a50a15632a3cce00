"""Each command and each public function once, on small graphs: do they work here at all?

Part of the smoke set (`pytest` alone). Kernel families are in test_selftest.py, the examples of public
functions in test_docs.py; both belong to it, and so does what is marked ``smoke`` elsewhere.
"""

import ast
import doctest
import inspect
import shlex
from pathlib import Path

import pytest
from cli_runs import InProcess

import clgraph
from clgraph.cli import COMMANDS

pytestmark = pytest.mark.smoke

# of each command, in a folder with graph.txt, half.txt and its record, and shards.clgs
LINES = {
    "sample": "graph.txt --method drve --size 50% --seed 1 --verify -o out.txt",
    "methods": "",
    "walks": "graph.txt --seed 1 --length 5 -o walks.txt",
    "curve": "graph.txt --seed 1 -o out.csv",
    "forest": "shards.clgs --seed 1 -o out.forest",
    "quality": "graph.txt half.txt --no-eigenvalues",
    "study": "graph.txt --methods drv --sizes 50% --seeds 2 --no-eigenvalues --no-figures -o out",
    "replay": "half.json",
    "demo": "--vertices 1000",
    "bfs": "graph.txt --source 0 --verify",
    "paths": "graph.txt --source 0 --target 1 --verify",
    "components": "graph.txt --verify",
    "communities": "graph.txt --verify",
    "pagerank": "graph.txt --verify",
    "centrality": "graph.txt --measure closeness --verify",
    "ppr": "graph.txt --source 0 --verify",
    "info": "graph.txt",
    "convert": "graph.txt out.clg",
    "formats": "",
    "generate": "powerlaw --vertices 100 --seed 1 -o out.txt",
    "devices": "",
    "doctor": "",
    "selftest": "--family 'graph generator'",
    "bench": "sampling --sizes 300 --only '*/drv exact/*' --repeat 1 --peers none --no-figures -o out",
    "fpga": "show out.aocx",  # which is not there
    "cache": "",
    "completion": "bash",
}
# in other statuses than 0; an installed clgraph beside the checkout whose tests run is a fault to the doctor
ENDS = {"fpga": (1,), "doctor": (0, 1)}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLGRAPH_FORCE", "")  # selftest sets it
    run = InProcess(capsys)
    clgraph.write(clgraph.powerlaw_graph(200, average_degree=6, seed=1), "graph.txt")
    run(*shlex.split("sample graph.txt --size 50% --seed 1 -o half.txt --record half.json"))
    run("convert", "graph.txt", "shards.clgs")
    done = run(command, *shlex.split(LINES[command]))
    assert done.status in ENDS.get(command, (0,)), done.err
    assert done.out or done.err


@pytest.mark.first_device
def test_references_and_verifiers(device):
    graph = clgraph.powerlaw_graph(60, average_degree=4, seed=1)
    clgraph.verify_bfs(graph, clgraph.bfs(graph, 0, device=device))
    clgraph.verify_components(graph, clgraph.connected_components(graph, device=device))
    clgraph.verify_pagerank(graph, clgraph.pagerank(graph, device=device))
    sample = clgraph.sample(graph, "drv", size="50%", seed=1, device=device)
    clgraph.verify_sample(graph, sample)
    personal = clgraph.personalized_pagerank(graph, [3], device=device)
    clgraph.verify_ppr(graph, personal, [3])
    assert clgraph.reference_bfs(graph, 0)[0][0] == 0
    assert len(clgraph.reference_components(graph)[0]) == 60
    assert clgraph.reference_pagerank(graph).sum() == pytest.approx(1)
    again = clgraph.reference_sample(graph, "drv", size="50%", seed=1)
    assert again.vertices.tolist() == sample.vertices.tolist()
    ranks = clgraph.reference_ppr(graph, [3])[0]
    assert clgraph.top_accuracy(ranks.argsort()[::-1], ranks) == 1


@pytest.mark.first_device
def test_shards(device, tmp_path):
    graph = clgraph.powerlaw_graph(200, seed=1)
    clgraph.write_shards(graph, tmp_path / "a.clgs", shard_edges=100)
    shards = clgraph.open_shards(tmp_path / "a.clgs")
    assert clgraph.join_shards(shards).num_edges == graph.num_edges
    first, second, both = (tmp_path / f"{name}.forest" for name in ("first", "second", "both"))
    missing = clgraph.save_forest(shards, first, "dre", seed=3, which=[0], device=device).missing
    clgraph.save_forest(shards, second, "dre", seed=3, which=missing, device=device)
    clgraph.merge_forests([first, second], both, device=device)
    assert missing and not clgraph.open_forest(both).missing


def test_each_public_function_is_called():
    """By an example in the docstrings, or here."""
    functions = [value for name in clgraph.__all__ if inspect.isfunction(value := getattr(clgraph, name))]
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = [test for module in set(map(inspect.getmodule, functions)) for test in finder.find(module)]
    source = "".join(example.source for test in tests for example in test.examples)
    nodes = ast.walk(ast.parse(source + Path(__file__).read_text()))
    called = {ast.unparse(node.func).rpartition(".")[2] for node in nodes if isinstance(node, ast.Call)}
    assert {each.__name__ for each in functions} - called == set()
