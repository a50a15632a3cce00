"""What commands refuse: each line of a shell that is wrong, and what is said of it."""

import gzip

import numpy as np
import pytest

import clgraph

# the files that the lines name; none.txt is no file, so what is refused of it was refused before it was read
FILES = {
    "g.txt": "1 2\n2 3\n",
    "tens.txt": "10 20\n20 30\n40 50\n",
    "abc.txt": "a b 5\nb c 5\na c 20\n",
    "minus.txt": "1 2 -3\n",
    "names.tsv": "n1\tn2\nn2\tn3\n",
    "none.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 0\n",
    # graphs that cannot be read
    "empty.txt": "",
    "one.txt": "1 2\n3\n",
    "word.txt": "1 2\n2 x7\n",
    "negative.txt": "1 2\n2 -3\n",
    "huge.txt": "1 2\n3 4\n5 99999999999999999999\n",
    "nan.txt": "1 2 0.5\n2 3 nan\n",
    "header.csv": "one,two\n",
    "comments.txt": "# FromNodeId ToNodeId\n",
    "plain.txt.gz": "1 2\n",
    "what.xyz": "1 2\n",
    # no samples of g.txt, and no record
    "strange.txt": "2 3\n3 999999\n",
    "wrong.txt": "1 3\n",
    "no.json": "{",
    # lists of vertices
    "three.ids": "3 1 2\n",
    "letter.ids": "3 1\n6 x\n",
    "no.ids": "# none\n",
    "blank.ids": "\n",
    "far.ids": "3\n99999\n",
    "two.ids": "3 4\n",
    "aa.users": "# who has what\nAnn aa bb\nBob jam\n",
    "tea.ids": "tea\n",
}

# not understood: status 2
MISUSED = [
    ("smaple g.txt", "No such command 'smaple'. Did you mean 'sample'? See `clgraph --help`."),
    ("sample", "Missing argument 'GRAPH'. See `clgraph sample --help`."),
    ("sample none.txt", "Give one of --size (how large) and --sizes (several). See `clgraph sample --help`."),
    ("sample none.txt --sise 3", "No such option", "--sise", "--size"),
    ("sample g.txt -m drv --size 9", "No such option"),
    ("sample g.txt --seed x", "Invalid value for '--seed': 'x' is not a valid integer. See"),
    ("sample none.txt --size 3 --ids float", "--ids", "int", "str"),
    ("sample g.txt --trace", "Option '--trace' requires an argument."),
    ("sample g.txt --size 5 --sizes 4,3", "--sizes"),
    ("sample g.txt --method rn", "Give one of --size"),
    ("sample g.txt --method xsn", "Give one of --size"),
    ("sample g.txt --method pies", "Give one of --size"),
    ("bfs g.txt", "Give start vertices: --source ID (repeatable), or --sources ID,ID,... See"),
    ("bfs tens.txt --source 10 --depth -1", "--depth"),
    ("bfs g.clgs", "Give start vertices"),
    ("paths abc.txt --ids str --directed", "Give start vertices"),
    ("paths abc.txt --ids str --directed -s a --dtype int", "'int' is not one of"),
    ("communities none.mtx --method x", "'x' is not one of"),
    ("centrality g.txt --measure degree", "'degree' is not one of"),
    ("pagerank g.txt --norm l7", "--norm"),
    ("pagerank g.txt --variant fast", "--variant"),
    ("pagerank g.txt --max-iter 0", "--max-iter"),
    ("pagerank g.txt --top -1", "--top"),
    ("ppr abc.txt --ids str -s a --exclude others", "'others' is not one of"),
    ("info", "Missing argument"),
    ("info a.txt --ids float", "--ids"),
    ("convert a.txt", "Missing argument"),
    ("generate powerlaw", "Missing option '--vertices'. See `clgraph generate powerlaw --help`."),
    ("generate powerlaw 100", "Missing option '--vertices'. See `clgraph generate powerlaw --help`."),
    ("demo --vertices 1", "--vertices", "x>=10"),
    ("completion fish2", "'fish2' is not one of 'bash', 'zsh', 'fish'. See"),
    ("study g.txt", "Missing option"),
    ("--verison", "--version"),
    (
        "sample g.txt --method drv --size 2 -o g.txt",
        "g.txt is the file that is read: give the output another",
    ),
    ("sample g.txt --size 2 -o g.txt", "g.txt is the file that is read: give the output another"),
    ("convert g.txt ./g.txt", "./g.txt is the file that is read"),
    ("pagerank g.txt -o g.txt", "g.txt is the file that is read"),
    ("convert g.txt tens.txt h.txt", "taken together for datasets only"),
    ("convert g.txt h.txt --shard-edges 5", "of datasets"),
]

# refused at once, in one line
EARLY = [
    # the graph
    ("sample missing.txt --size 50%", "missing.txt: no such file"),
    ("sample empty.txt --size 50% -o out.txt", "empty.txt", "the file is empty"),
    ("sample one.txt --size 50% -o out.txt", "one.txt", "line 2", "1 field"),
    ("sample word.txt --size 50% -o out.txt", "word.txt", "line 2", "'x7'", "--ids str"),
    ("sample negative.txt --size 50% -o out.txt", "negative.txt", "line 2", "-3", "negative"),
    ("sample huge.txt --size 50% -o out.txt", "huge.txt", "line 3", "99999999999999999999", "64 bits"),
    ("sample nan.txt --size 50% --weights -o out.txt", "nan.txt", "line 2", "'nan'", "finite"),
    ("sample header.csv --size 50% -o out.txt", "header.csv", "holds no edges", "header"),
    ("sample comments.txt --size 50% -o out.txt", "comments.txt", "holds no edges"),
    ("sample plain.txt.gz --size 50% -o out.txt", "plain.txt.gz", "not compressed by gzip"),
    ("sample cut.txt.gz --size 50%", "cut.txt.gz", "end too early"),
    ("sample what.xyz --size 50% -o out.txt", "what.xyz", "--format", "edges"),
    ("sample g.txt --size 50% --format dot -o out.txt", "g.txt", "unknown format 'dot'", "edges"),
    ("sample . --format edges --size 50%", "a folder, not a file"),
    ("info none.txt", "none.txt: no such file"),
    ("info g.txt --format gml", "unknown format 'gml'"),
    ("paths g.clgs -s 1", "takes graphs that fit in memory"),
    ("communities g.clgs", "takes graphs that fit in memory"),
    # the output
    ("sample none.txt --size 50% -o no/x.txt", "cannot write no/x.txt", "no folder"),
    ("sample none.txt --size 50% -o folder.txt", "cannot write folder.txt", "is a folder"),
    ("sample none.txt --size 50% --record no/x.txt", "cannot write no/x.txt", "no folder"),
    ("sample none.txt --size 50% --record folder.txt", "cannot write folder.txt", "is a folder"),
    ("sample small.txt --size 50% -o out.txt --record out.txt", "both name"),
    ("curve small.txt --plot curve.gif", ".png"),
    ("curve small.txt -o nowhere/curve.csv", "nowhere"),
    ("convert g.txt a.xyz", "no known format"),
    ("convert g.txt no/a.txt", "no folder no"),
    ("convert g.txt a.txt --to gml", "unknown format 'gml'"),
    ("communities none.mtx -o no/out.tsv", "no folder no"),
    ("centrality threes.txt -o no/out.tsv", "no folder no"),
    # options of samples
    (
        "sample none.txt --size 50% --method dvr",
        "unknown method 'dvr'",
        "'drv' (delete_vertices)",
        "clgraph methods",
    ),
    ("sample g.txt --method DVR --size 50%", "unknown method 'dvr': did you mean 'drv' (delete_vertices) or"),
    ("sample none.txt --method DVR", "unknown method 'dvr': did you mean 'drv' (delete_vertices) or"),
    ("sample none.txt --size 50% --mode fast", "mode is 'fast'", "batched"),
    ("sample none.txt --size 50% --method drve --mode exact", "mode 'exact' exists for", "batched"),
    ("sample none.txt --size 50% --tolerance -1", "tolerance -1.0", "0 or more"),
    ("sample small.txt --size 50% --tolerance nan", "tolerance", "0 or more"),
    ("sample none.txt --size 50% --method dhyb --mix 1.5", "mix '1.5'"),
    ("sample none.txt --size 50% --method ebfs --start x", "--start x"),
    ("curve none.txt --method dvr", "unknown method 'dvr'"),
    ("curve none.txt --mode fast", "mode is 'fast'"),
    ("curve none.txt --method drve --mode exact", "mode 'exact' exists for"),
    ("curve none.txt --method dhyb --mix 1.5", "mix '1.5'"),
    ("sample small.txt --size 0 -o out.txt", "at least one vertex"),
    ("sample small.txt --size -5 -o out.txt", "at least one vertex"),
    ("sample small.txt --size 0% -o out.txt", "at least one vertex"),
    ("sample small.txt --size -10% -o out.txt", "at least one vertex"),
    ("sample small.txt --size 150% -o out.txt", "more than the whole graph"),
    ("sample small.txt --size 1.5 -o out.txt", "more than the whole graph"),
    ("sample small.txt --size nan -o out.txt", "such as 0.3 or 30%"),
    ("sample small.txt --size half -o out.txt", "size 'half': give a share", "such as 0.3 or 30%"),
    ("sample small.txt --size '' -o out.txt", "such as 0.3 or 30%"),
    ("sample small.txt --size 50% --seed -1", "seed -1", "2**64 - 1"),
    ("sample small.txt --size 50% --seed 18446744073709551616", "seed", "2**64 - 1"),
    ("sample small.txt --sizes 70%,50% -o out.txt", "put {size}"),
    ("sample small.txt --size 70% --seeds 2 -o out.txt", "put {seed}"),
    ("sample small.txt --size 70% -o out-{sed}.txt", "{sed} is unknown"),
    ("sample small.txt --sizes 70%,70% -o out-{size}.txt", "named twice"),
    ("sample small.txt --sizes 70%,", "size"),
    ("sample small.txt --size 70% --seeds 0", "--seeds 0"),
    ("sample small.txt --size 70% --seeds 3 --seed 18446744073709551614", "seed"),
    ("sample small.txt --size 70% --method dhyb --mix two", "mix"),
    ("curve small.txt --points 0", "--points 0"),
    ("curve small.txt --columns 2", "--columns is for --plot PICTURE"),
    ("curve small.txt --points 999999999", "1 to 10000"),
    ("curve small.txt --seeds 0", "--seeds 0"),
    ("curve small.txt --size 0", "size"),
    ("sample small.txt --method drv --size 5 --edges 5", "edges is not an option of drv"),
    # streams
    ("sample - --method pies --size 5 --verify", "standard input can be read once"),
    ("sample small.txt --method pies --size 5 --directed", "--directed is not for streams"),
    ("sample small.txt --method pies --size 5 --mode exact", "--mode is not for streams"),
    # searches, communities, centrality
    ("communities none.mtx --method labels --seed 1", "--seed is an option of --method louvain, leiden"),
    ("communities none.mtx --iterations 1", "--iterations is an option of --method labels"),
    ("centrality threes.txt --measure closeness --alpha 0.1", "--alpha is an option of --measure katz"),
    ("centrality threes.txt --seed 1", "--seed draws the vertices of --k"),
    # ranks
    ("pagerank none.txt --damping 1", "damping is 1.0"),
    ("pagerank none.txt --tol 3", "cannot fail"),
    ("ppr threes.txt --directed", "no source is given"),
    ("ppr threes.txt --directed --sources nowhere.txt", "cannot read nowhere.txt"),
    ("ppr threes.txt --directed --sources two.ids", "one id a line"),
    ("ppr threes.txt --directed --sources blank.ids", "names no vertex"),
    ("ppr threes.txt --directed -s 3 --top 0", "give -o a file"),
    ("ppr abc.txt --ids str --users aa.users -s a", "leave out --source"),
    ("ppr abc.txt --ids str --users tea.ids", "line 1: user 'tea' has no items"),
    ("ppr abc.txt --ids str --users nowhere", "cannot read"),
    ("ppr abc.txt --ids str -s a --exclude self --top 0 -o out", "--top 0"),
    ("ppr abc.txt --ids str -s a --exclude-ids aa.users", "one id a line"),
    ("ppr none.txt -s 3 --damping 1", "damping is 1.0"),
    ("ppr none.txt -s 3 --tol -1", "tol is -1.0"),
    ("ppr none.txt -s 3 --norm nx --tol 2", "cannot fail"),
    ("ppr none.txt -s 3 --walks 9", "an option of method 'monte-carlo'"),
    ("ppr none.txt -s 3 --method monte-carlo --walks 0", "walks is 0"),
    ("ppr none.txt -s 3 --method monte-carlo --walks 3000000000", "fit 32-bit counters"),
    ("ppr none.txt -s 3 --method monte-carlo --epsilon 2", "epsilon is 2"),
    ("ppr none.txt -s 3 --method monte-carlo --epsilon 1e-9", "needs"),
    ("ppr none.txt -s 3 --method monte-carlo --epsilon 0.1 --confidence 1", "confidence is 1"),
    ("ppr none.txt -s 3 --method monte-carlo --seed 18446744073709551616", "2**64 - 1"),
    ("ppr none.txt -s 3 --squared --norm l1", "norm 'l2'"),
    ("ppr none.txt -s 3 --stable-top 2 --top 0 --json", "stable_top requires top"),
    # graphs of other forms
    ("generate powerlaw --vertices 0 -o x.txt", "number of vertices is 0"),
    ("generate powerlaw --vertices -5 -o x.txt", "number of vertices is -5"),
    ("generate powerlaw --vertices 3000000000 -o x.txt", "1 to 2147483647"),
    ("generate powerlaw --vertices 100 --average-degree nan -o x.txt", "average degree"),
    ("generate powerlaw --vertices 100 --average-degree 100 -o x.txt", "average degree"),
    ("generate powerlaw --vertices 100 --exponent 2 -o x.txt", "above 2"),
    ("generate powerlaw --vertices 100 --seed -1 -o x.txt", "seed -1"),
    ("generate lfr --vertices 200 --communities none/of.txt -o x.txt", "no folder none"),
    ("selftest --family sums", "use one of graph building"),
    # quality
    ("quality gone.txt", "gone.txt: no such file"),
    ("quality g.txt g.txt --report r.txt", "the name must end in .html"),
    ("quality g.txt g.txt --plot r.gif", "the name must end in .png, .svg, .pdf"),
    ("quality g.txt g.txt --report none/report.html", "cannot write none/report.html", "no folder"),
    ("quality g.txt g.txt --record no.json", "not JSON"),
    ("quality g.txt g.txt --record gone.json", "cannot read"),
    ("quality g.txt g.txt --record /dev/full", "/dev/full: it is a device"),
    ("quality g.txt g.txt --record no.json --method drv", "leave --method"),
    ("quality g.txt g.txt --method magic", "unknown method 'magic'"),
    ("quality g.txt --record no.json", "--record is about a SAMPLE"),
    ("quality g.txt g.txt --hop-sources 0", "hop_sources is 0"),
    ("quality g.txt g.txt --seed -2", "seed -2"),
    # studies
    ("study small.txt -o out --no-figures --tolerance clusterin=1", "clusterin is no measure"),
    ("study small.txt -o out --no-figures --aspects degree=1", "'degree' is no aspect"),
    ("study small.txt -o out --no-figures --write-as .clg", "--write-as is for --write best"),
    ("study small.txt -o out --no-figures --write best --write-as clg", "give the suffix of one file"),
    ("study small.txt -o out --no-figures --write best --write-as .docx", "no known format"),
    ("study small.txt -o g.txt --no-figures -q", "cannot make the folder"),
    # shards
    ("components g.clgs --strong", "--strong is not offered"),
    ("sample g.clgs --size 2 --mode batched", "--mode is not offered for shards"),
    ("sample none.clgs --size 2", "no such dataset"),
    ("convert g.txt h.clgs --sections pairs,in", "an undirected graph has pairs, rows"),
    ("convert g.txt h.clgs --shard-edges 0", "a whole number from 1 to"),
    ("convert g.clgs h.txt --directed", "--directed is not offered for shards"),
    ("convert g.clgs h.clgs --ids str", "--ids is not offered for shards"),
]

# refused after something was read, which is told before
LATE = [
    # the graph
    ("paths minus.txt --weights -s 1", "edge 1 -> 2 has weight -3"),
    # options of samples
    ("sample small.txt --size 0.00001 -o out.txt", "less than one vertex"),
    ("sample small.txt --size 50% --device abacus -o out.txt", "no device is 'abacus'", "there are:"),
    ("sample small.txt --size 50% --device '' -o out.txt", "empty"),
    ("sample small.txt --size 50% --device 99:0 -o out.txt", "99:0"),
    ("sample small.txt --size 70% --method ebfs --start 99999", "99999"),
    ("curve small.txt --method edfs", "edfs deletes nothing"),
    ("sample small.txt --method spikyball --size 5 --powers 1,2", "pass three numbers"),
    ("sample small.txt --method rn --size 5 --mix 0.5", "mix is not an option of rn"),
    ("sample small.txt --method re --size 5 --edges 5", "edges and size are given"),
    ("sample small.txt --method chordal --size 5", "leave size out"),
    # streams
    ("sample names.tsv --method pies --size 5", "line 2: 'n"),
    ("sample small.txt --method pies --size 50%", "give a count"),
    ("sample small.txt --method gps --edges 5 --q 0.5", "q is not an option of gps"),
    # searches, communities, centrality
    ("bfs tens.txt --source 11", "vertex 11 is not in the graph"),
    ("bfs tens.txt --source x", "ids are integers"),
    ("paths abc.txt --ids str --directed -s x", "vertex x is not in the graph"),
    ("paths abc.txt --ids str --directed -s a -t x", "vertex x is not in the graph"),
    ("paths abc.txt --ids str --directed -s a --delta 0", "delta is 0"),
    ("paths abc.txt --ids str --directed -s a --cutoff -1", "cutoff is -1"),
    ("paths minus.txt -s x", "ids are integers"),
    ("communities none.mtx --resolution 0", "resolution is 0"),
    ("centrality threes.txt --k 51", "k is 51"),
    ("centrality threes.txt --k 5 --verify", "--verify of betweenness takes all sources"),
    (
        "centrality threes.txt --measure katz --alpha 0.9",
        "give a larger --max-iter or --tol, or a smaller --alpha",
    ),
    # ranks
    ("pagerank threes.txt --directed --personalize 4", "vertex 4 is not in the graph"),
    ("pagerank threes.txt --directed --personalize x", "'x': the graph's ids are integers"),
    ("pagerank threes.txt --directed --personalize 3,3", "vertex 3 is given twice"),
    ("pagerank threes.txt --directed --personalize ,", "--personalize is empty"),
    ("pagerank threes.txt --directed --personalize three.ids", "line 1: '3 1 2'"),
    ("pagerank threes.txt --directed --personalize letter.ids", "line 2: 'x' is no number"),
    ("pagerank threes.txt --directed --personalize no.ids", "names no vertex"),
    ("pagerank threes.txt --directed --dangling ignore", "--dangling ignore"),
    ("pagerank threes.txt --directed --tol 1e-9", "round-off of float32"),
    ("pagerank threes.txt --directed --max-iter 2 -o out.tsv", "did not converge", "--max-iter"),
    ("ppr threes.txt --directed -s 1", "--source 1: vertex 1 is not in the graph"),
    ("ppr threes.txt --directed -s x", "the graph's ids are integers"),
    ("ppr threes.txt --directed --sources far.ids", "--sources far.ids, line 2: vertex 99999"),
    ("ppr threes.txt --directed -s 3 --max-iter 1", "give a larger --max-iter"),
    ("ppr g.clgs -s 3", "'monte-carlo' is"),
    # graphs of other forms
    ("convert g.txt a.graph --directed", "it is directed"),
    ("generate ba --vertices 3 --edges-each 3 -o x.txt", "give at least 4 vertices"),
    ("generate er --vertices 3 --edges 4 -o x.txt", "give at most 3 edges"),
    ("generate ws --vertices 9 --degree 3 --probability 0.1 -o x.txt", "give an even number"),
    ("generate static --vertices 5 --average-degree 9 -o x.txt", "5 vertices allow 0 to 4"),
    ("generate lfr --vertices 200 --mixing 2 -o x.txt", "give a number from 0 to 1"),
    ("generate configuration --vertices 5 --min-degree 3 --max-degree 3 -o x.txt", "the degrees is odd"),
    ("selftest --device abacus --json", "no device is 'abacus'"),
    # quality
    ("quality g.txt strange.txt", "vertex 999999 of strange.txt is not in g.txt"),
    ("quality g.txt wrong.txt", "edge 1 - 3 of wrong.txt is not in g.txt"),
    # studies
    ("study small.txt -o out --no-figures --methods drw", "unknown method 'drw'"),
    ("study small.txt -o out --no-figures --sizes 70%,700", "size 700 is larger than the graph"),
    ("study small.txt -o out --no-figures --seeds 0", "seeds is 0"),
    # shards
    ("sample g.clgs --size 2 --method drve", "'drve' is not offered for shards"),
    ("sample g.clgs --size 2 -o x.txt", "ends in .clgs"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the lines name, and no more."""
    made = tmp_path_factory.mktemp("refused")
    for name, text in FILES.items():
        (made / name).write_text(text)
    (made / "cut.txt.gz").write_bytes(
        gzip.compress(b"".join(b"%d %d\n" % (i, i + 1) for i in range(20_000)))[:-2000]
    )
    (made / "folder.txt").mkdir()
    ends = np.random.default_rng(1).integers(0, 50, (2, 160)) * 3
    np.savetxt(made / "threes.txt", ends.T, fmt="%d")
    clgraph.write(clgraph.powerlaw_graph(600, average_degree=6, seed=2), made / "small.txt")
    clgraph.write_shards(clgraph.read(made / "g.txt"), made / "g.clgs")
    return made


ROWS = [
    *((2, True, *row) for row in MISUSED),
    *((1, True, *row) for row in EARLY),
    *((1, False, *row) for row in LATE),
]


@pytest.mark.smoke
@pytest.mark.parametrize("row", ROWS, ids=[row[2] for row in ROWS])
def test_refused(run, folder, monkeypatch, row):
    status, at_once, line, *says = row
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CLGRAPH_FORCE", "")  # selftest sets it
    before = {each: each.stat().st_mtime_ns for each in folder.rglob("*")}
    said = run(line).refused(*says, status=status)
    assert not at_once or said.count("\n") == 1
    assert said.splitlines()[-1].startswith("clgraph: error: ") or "there are:" in said
    assert {each: each.stat().st_mtime_ns for each in folder.rglob("*")} == before
