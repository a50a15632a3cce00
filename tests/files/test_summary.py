"""The line that says what was read, merged and skipped."""

from graph_files import BANNER, put

from clgraph.files.summary import read_with_summary


def test_summary_says_what_was_merged_and_skipped(tmp_path):
    path = put(tmp_path / "x.csv", "source,target\n1,2\n2,1\n1,2\n3,3\n")
    graph, said = read_with_summary(path)
    assert said == (
        "read x.csv: undirected, 3 vertices, 2 edges (4 rows; 2 merged as parallel; 1 self-loop; "
        "skipped: header 'source,target')"
    )
    assert graph.num_duplicates == 2
    bare = read_with_summary(path, directed=True)[1]
    assert bare.startswith("read x.csv: directed, 3 vertices, 3 edges (4 rows; 1 merged")
    kept = read_with_summary(path, duplicates="keep")[1]
    assert "4 edges (4 rows; 2 parallel copies kept; 1 self-loop" in kept
    single = put(tmp_path / "one.txt", "5 7\n")
    assert read_with_summary(single)[1] == "read one.txt: undirected, 2 vertices, 1 edge (1 row)"
    mtx = put(tmp_path / "x.mtx", BANNER + "pattern symmetric\n2 2 1\n2 1\n")
    assert "undirected" in read_with_summary(mtx)[1]


def test_summary_of_the_issue(data_path):
    said = read_with_summary(data_path("internet.txt"))[1]
    assert said == (
        "read internet.txt: undirected, 22963 vertices, 48436 edges "
        "(48436 rows; weights not read (use --weights))"
    )
    said = read_with_summary(data_path("Email-Enron.txt"), device="host")[1]
    assert said.endswith("183831 edges (367662 rows; 183831 merged as parallel)")
    said = read_with_summary(data_path("Email-Enron.txt"))[1]
    assert "183831 edges (367662 rows; 183831 merged as parallel" in said
