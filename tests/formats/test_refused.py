"""Files that are refused: of each text format, what is wrong with a file, and what is said of it."""

import re

import numpy as np
import pytest
from graph_files import BANNER, HOW, JLG, PATTERN, limited_memory, put, refused, unreadable

import clgraph.formats.adjacency_lines
from clgraph.formats.table import FORMATS

MANY = 2**31 - 1
LONG = "1" * 5000
BAD_WEIGHTS = [  # Python takes some
    (f"3 4 1\n1 2 {weight}\n", f"line 2: weight '{re.escape(weight[:40])}.* is not a finite number")
    for weight in ("1_0", "nan", "inf", "1e999", "0x10", "nan(0x1)", "1,0", "abc", LONG)
]
BAD_WEIGHTS += [("3 4 1\n1 2 \u0661\n", "line 2: weight '\u0661' is not a finite number")]
BAD_VALUES = [
    (f"{BANNER}real general\n3 3 2\n1 2 1\n2 3 {value}\n", "[lL]ine 4")
    for value in ("nan(0x1)", "nan", "-inf", "NaN", "1e999")
]
# names of files, and how they are read: (text, what is said of it besides the file)
REFUSED = {
    "x.txt x.txt.gz": [
        ("1 2\n3\n", r"line 2: 1 field in '3'.*two ids"),
        ("1 2\n3 x\n", r"line 2: 'x' is not a vertex id.*ids='str'"),
        ("alice bob\n", r"line 1: 'alice'.*ids='str'"),
        ("1 2\n\n# c\n3 -4\n", r"line 4: id -4 is negative"),
        ("1 2\n3 9223372036854775808\n", r"line 2: id 9223372036854775808 does not fit in 64 bits"),
        ("1 2\n3 99999999999999999999999\n", r"line 2: id 9+ does not fit"),
        ("1 2\n3 4.0\n", "line 2: '4.0' is not a vertex id"),
        ("1 2\n3 1e3\n", "line 2: '1e3' is not a vertex id"),
        ("1 2\n3 1_2\n", "line 2: '1_2' is not a vertex id"),
        ("1 2\n3 \u0661\n", "line 2: '\u0661' is not a vertex id"),
        ("1 2\n3 \u00b2\n", "line 2: '\u00b2' is not a vertex id"),
        ("1,2\n3,\n", r"line 2: '' is not a vertex id"),
        ('1,2\n3,"4\n5,6\n7,"8\n', r"line 2: quotes that do not match"),
        ('1,2\n"3,4\n5,6"\n', r"line 2: quotes"),
        ("# c\rx 7\n1 2\n", r"line 2: 'x'"),
        ("1 2\n3 \x00\n", r"line 2: "),
        ("1 2 3\n4\n", r"line 2: 1 field"),
        ("source,target\n1,2\nx,3\n", r"line 3: 'x'"),
        ("a,b\n", r"only the header 'a,b'"),
        ("# nothing\n% here\n\n", r"holds no edges: its 3 lines"),
        ("\n", r"holds no edges"),
    ],
    "x.txt": [
        ("", "is empty"),
        (f"3 4\n1 {LONG}\n", "line 2: id 1{80} does not fit in 64 bits"),
        (f"3 4\n1 -{LONG}\n", "line 2: id -1{79} is negative"),
    ],
    "x.txt.gz": [("", "holds no edges")],
    "x.txt, header": [("1 2\n", "holds no edges, only the header")],
    "x.csv, no header": [("x,y\n1,2\n", "line 1: 'x' is not a vertex id")],
    "x.txt, weights": [
        ("1 2 inf\n", "line 1: weight 'inf'"),
        ("1 2 0.5\n2 3\n", "line 2: 2 fields.*weights=True"),
        ("source,target\n1,2\n", "line 2: 2 fields"),
        *BAD_WEIGHTS,
    ],
    "x.txt, names and weights": BAD_WEIGHTS,
    "x.txt, names": [
        (b"a b\nc \xff\xfe\n", "line 2: bytes that are not UTF-8"),
        ("a\tb\nc d\n", "line 2: 1 field"),
    ],
    "x.csv, names": [("a,b\n,d\n", "line 2: an empty id")],
    "x.txt x.csv x.csv.gz, names": [(b"a,b\nb,c\nd,\xff\n", "line 3: bytes that are not UTF-8")],
    "x.mtx": [
        (PATTERN + "3 4 1\n1 2\n", "3 x 4; .*square"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n", "dense matrix"),
        (PATTERN + "3 3 2\n1 2\n", "Truncated"),
        (PATTERN + "3 3 1\n1 4\n", "Line 3: Column index out of bounds"),
        (PATTERN + "3 3 1\n1 x\n", "Line 3: "),
        (PATTERN + "3 3 1\n1 2\n2 3\n", "Line 4: "),
        (BANNER + "integer general\n3 3 1\n1 2 99999999999999999999\n", "Line 3: "),
        ("1 2\n", "banner"),
        (PATTERN, "header"),
        (f"{BANNER}complex hermitian\n3 3 {10**9}\n1 1 1 1\n", None),
    ],
    "x.mtx, weights": [
        (BANNER + "real general\n% c\n3 3 2\n1 2 1\n1 2 nan\n", "line 5: .*finite"),
        (PATTERN + "3 3 1\n1 2\n", "pattern matrix has no real entries"),
        (BANNER + "complex general\n3 3 1\n1 2 1 1\n", "complex matrix"),
        *BAD_VALUES,
    ],
    "x.mtx x.mtx.gz": [
        (f"{PATTERN}3 3 1000000000000\n1 2\n", "1000000000000 entries, too many for"),
        (f"{PATTERN}3000000000 3000000000 1\n1 2\n", "3000000000 vertices; clgraph takes at most"),
        (f"{PATTERN}{MANY} {MANY} 1\n1 2\n", "announces 2147483647 vertices in only .* max_vertices="),
        (f"{PATTERN}{MANY} {MANY} 1000000000\n1 2\n", "vertices|entries"),
        (f"{PATTERN}5000000 5000000 1\n1 2\n", "announces 5000000 vertices"),
    ],
    "x.mtx, few vertices": [
        (f"{PATTERN}5000000 5000000 1\n1 2\n", "5000000 vertices, more than max_vertices=")
    ],
    "x.graph": [
        ("2 1\n2\n3\n", "line 3: neighbour 3 of vertex 2 is not a vertex: they are 1 .. 2"),
        ("2 1\n2\n0\n", "line 3: neighbour 0"),
        ("% c\n3 2\n2\n1\n% c\n1\n", r"line 6: vertex 3 lists 1, but vertex 1 \(line 3\) does not list 3"),
        ("3 2\n2\n1 3\n\n", r"line 3: vertex 2 lists 3, but vertex 3 \(line 4\) does not list 2"),
        ("3 2\n2 3\n1\n\n", r"line 2: vertex 1 lists 3, but vertex 3"),
        ("2 1 1\n2 5\n1\n", "line 3: a neighbour without its weight"),
        ("2 1 10\n7 2\n\n", "line 3: fewer numbers"),
        ("2 1\n2\nx\n", "line 3: 'x' where"),
        ("2 1\n2\n1.5\n", "line 3: '1.5' where"),
        ("2 5\n2\n1\n", "says 5 edges, but the lines hold 1"),
        ("3 1\n2\n1\n", "says 3 vertices, but 2 lines"),
        ("2 1\n2\n1\n2\n", "line 4: more lines than"),
        ("2\n2\n1\n", "header '2' should be"),
        ("a b\n2\n1\n", "header 'a b'"),
        ("2 1 5\n2\n1\n", "fmt '005'"),
        ("% nothing\n", "no header"),
        ("3000000000 1\n", "at most"),
        ("2 1\n1_2\n1\n", "line 2: '1_2' where the whole number"),
        ("12 1\n1_2\n" + 10 * "\n" + "1\n", "line 2: '1_2' where the whole number"),
        ("1_2 1\n2\n1\n", "the header '1_2 1'"),
        (f"2 1\n{LONG}\n1\n", "line 2: '1+' where"),
        (f"{LONG} 1\n2\n1\n", "the header"),
        ("0 0 010 1000000000000\n", "1000000000000 weights of each vertex .* at most 1000000"),
        ("1 0 010 1000000\n1 2\n", "fewer numbers than the 1000000 vertex weights"),
        ("2147483647 0\n\n", "announces 2147483647 vertices in only 14 bytes"),
        ("2 1\n2\n\u0661\n", "line 3: '\u0661' where the whole number"),
        (f"2 {10**12}\n2\n1\n", None),
    ],
    "x.graph, weights": [
        ("2 1 1\n2 5\n1 6\n", "same weight"),
        ("4 3\n2 3\n1 3\n2 1\n\n", "no edge weights"),
        ("4 3 000\n2 3\n1 3\n2 1\n\n", "no edge weights"),
        ("4 3 110 1\n1 5 2 3\n1 5 1 3\n1 5 2 1\n1 5\n", "no edge weights"),
        ("4 3 10\n50 2 3\n51 1 3\n52 2 1\n53\n", "no edge weights"),
    ],
    "x.graph-txt": [
        ("x\n", "line 1: 'x' where the number"),
        ("-1\n", "line 1"),
        ("9999999999\n", "at most"),
        ("3\n1\n2\n", "says 3 vertices, but 2 lines follow"),
        ("2\n1\n0\n1\n", "line 4: more lines than the 2"),
        ("2\n1\n2\n", "line 3: neighbour 2 of vertex 1 is not a vertex: they are 0 .. 1"),
        ("3\n\n1\n0 3\n", "line 4: neighbour 3 of vertex 2 is not a vertex"),
        ("2\n1\n-1\n", "line 3: '-1' where the whole number of a neighbour should be: vertices are 0 .. 1"),
        ("2\n1\n1_0\n", "line 3: '1_0' where the whole number"),
        ("2\n1\n9999999999999999999999\n", "line 3: '9999999999999999999999' where"),
        (f"{MANY}\n1\n0\n", "max_vertices="),
    ],
    "x.gr": [
        ("c only\n", "no line 'p sp"),
        ("a 1 2 3\n", "line 1: 'a 1 2 3' where 'p sp"),
        ("p col 3 2\n", "line 1: 'p col 3 2' where 'p sp"),
        ("p sp 3\n", "where 'p sp"),
        ("p sp -3 2\n", "two counts"),
        ("p sp 3 1e1\n", "two counts"),
        ("p sp 9999999999 0\n", "at most"),
        ("p sp 3 999999999999\na 1 2 3\n", "announces 999999999999 arcs in only"),
        ("p sp 3 1\n", "line 1: says 1 arcs, but 0 follow"),
        ("p sp 3 2\na 1 2 3\n", "line 1: says 2 arcs, but 1 follow"),
        ("p sp 3 1\na 1 2 3\na 1 2 3\n", "line 1: says 1 arcs, but 2 follow"),
        ("p sp 3 1\na 1 4 3\n", r"line 2: '4' is not a vertex: they are 1 .. 3"),
        ("p sp 3 1\na 0 1 3\n", "line 2: '0' is not"),
        ("p sp 3 1\na 1_0 1 3\n", "line 2: '1_0' is not"),
        ("p sp 3 1\na 1.0 1 3\n", "line 2: '1.0' is not"),
        ("p sp 3 1\na 1 2 nan\n", "line 2: weight 'nan'"),
        ("p sp 3 1\na 1 2 1e999\n", "line 2: weight '1e999'"),
        ("p sp 3 1\na 1 2\n", "line 2: 'a 1 2' where an arc"),
        ("p sp 3 1\na 1 2 3 4\n", "line 2: 'a 1 2 3 4' where an arc"),
        ("p sp 3 1\nab 1 2 3\n", "line 2: 'ab 1 2 3' where an arc"),
        ("p sp 3 2\na 1 2 3\np sp 3 1\n", "line 3: 'p sp 3 1' where an arc"),
        (f"p sp {MANY} 1\na 1 2 1\n", "max_vertices="),
    ],
    "out.x": [
        ("1 2\n", "line 1: should say '% sym'"),
        ("% symmetric x\n1 2\n", "line 1: should say"),
        ("% sym unweighted\n% 1 2 2\n1 3\n", "vertex 3 is not among the 2 of line 2"),
        ("% sym unweighted\n0 3\n", "vertex 0: KONECT's files number them from 1"),
        ("% sym unweighted\n1 9999999999\n", "at most"),
        ("% bip unweighted\n1 9223372036854775807\n", "at most"),
        ("% sym unweighted\n1 99999999\n", "max_vertices="),
        ("% sym unweighted\n1 2\nx 3\n", "line 3: 'x'"),
        (f"% sym unweighted\n% 1 {MANY} {MANY}\n1 2\n", None),
        (f"% bip unweighted\n% 1 {10**9} {10**9}\n1 2\n", None),
    ],
    "out.x, weights": [
        ("% sym unweighted\n% 2 4 4\n1 2\n2 3\n", "line 1: says that the edges are unweighted")
    ],
    "x.jlg": [
        ("1 2\n", "line 1: '1 2' should be 'vertices,edges,u,name'"),
        ("4,3,x,n\n", "line 1: '4,3,x,n' should be"),
        ("4,-3,u,n\n", "line 1: .* should be"),
        ("# c\n", "line 2: '' should be"),
        (JLG + "1 3\n", "line 5: '1 3' where an edge 'source,target' should be"),
        (JLG + "1,x\n", "line 5: 'x' is not a vertex"),
        (JLG + "1,3\n", "line 1: says 3 edges, but 4 follow"),
        (JLG + JLG, "line 5: '4,3,u,small' where an edge"),
        (JLG[:-4], "line 1: says 3 edges, but 2 follow"),
        (JLG.replace("2,3", "2,5"), "line 3: '5' is not a vertex: they are 1 .. 4"),
        (JLG.replace("2,3", "0,3"), "line 3: '0' is not a vertex"),
        ("5000000000,0,u,n\n", "5000000000 vertices; .* at most"),
        (f"{MANY},1,u,x\n1,2\n", f"announces {MANY} vertices in only"),
        (f"2,{10**12},u,x\n1,2\n", None),
    ],
    "x.tgf": [
        ("1 a\n2 b\n1 2\n", "line 3: vertex '1' a second time"),
        ("1\n2\n", "no line '#'"),
        ("1\nx\n#\n", "line 2: 'x' is not a vertex id"),
        ("1\n2\n#\n1\n", "line 4: 1 field in '1'"),
        ("1\n2\n#\n1 2\n\n1 x\n", "line 6: 'x' is not a vertex id"),
        ("1\n2\n#\n1 2\n2 3\n", "row 2: vertex 3 is not in the list before '#'"),
        ("b end\na begin here\n#\na b some road\n", r"x\.tgf, line 1: 'b' is not a vertex id.*ids='str'"),
    ],
    "x.tgf, weights": [("1\n2\n#\n\n1 2 long\n", "line 5: weight 'long'")],
    "x.net, weights": [
        ("1 2\n", "line 1: '1 2' where"),
        ("% nothing\n", "no line"),
        ("*Network x\n", "no line"),
        ("*Edges\n1 2\n", r"line 1: \*Edges before"),
        ("*Vertices\n", "should be one"),
        ("*Vertices x\n", "should be one"),
        ("*Vertices 2\n*Vertices 2\n", "line 2: .* should be one"),
        ("*Vertices 9999999999\n", "at most"),
        ("*Vertices 2\n*Matrix\n0 1\n", "line 2: the section"),
        ('*Vertices 2\n1 "a\n', "line 2: .* where a vertex"),
        ("*Vertices 2\n3 a\n", "line 2: '3' is not a vertex: they are 1 .. 2"),
        ("*Vertices 2\n1 a\n1 b\n", "line 3: vertex 1 has a label already"),
        ("*Vertices 2\n*Arcs\n1 0\n", "line 3: '0' is not a vertex"),
        ("*Vertices 2\n*Arcs\n1 1_0\n", "line 3: '1_0' is not a vertex"),
        ("*Vertices 2\n*Arcs\n1\n", "line 3: '1' where two"),
        ("*Vertices 2\n*Arcslist\n1 2 3\n", "line 3: '3' is not"),
        ("*Vertices 2\n*Arcs\n1 2 x\n", "line 3: weight 'x'"),
        ("*Vertices 2\n*Arcs\n1 2\n", "no line has a weight"),
    ],
    "x.net": [(f"*Vertices {MANY}\n*Edges\n1 2\n", "max_vertices=")],
    "x.net, names": [("*Vertices 2\n1 a\n2 a\n", "the vertices 1 and 2 are both called 'a'")],
    "x.sg": [(b"\0" + np.array([1, MANY], "<i8").tobytes(), None)],
    "x.wsg": [(b"\1" + np.array([2**60, 2], "<i8").tobytes(), None)],
    "x.g500": [
        (np.array([0, -(2**60)], "<i8").tobytes(), f"edge 0 .*: -{2**60} is negative"),
        (np.array([5, 7, 3, -1], "<i8").tobytes(), r"edge 1 \(counted from 0, at byte 16\): -1 is negative"),
        (np.array([5, 7, 3, -1], "<i8").tobytes()[:31], "31 bytes are not whole edges of 16"),
    ],
}
ROWS = [
    (key, name, *row) for key, rows in REFUSED.items() for name in key.split(",")[0].split() for row in rows
]


@pytest.mark.parametrize(("key", "name", "text", "said"), ROWS)
def test_refused(key, name, text, said, tmp_path, monkeypatch):
    """Whatever the length of blocks; no header is believed for anything that is allocated."""
    for block in (1, clgraph.formats.adjacency_lines.BLOCK):
        monkeypatch.setattr(clgraph.formats.adjacency_lines, "BLOCK", block)
        with limited_memory(100 << 20):
            refused(tmp_path / name, text, said, **HOW[key.partition(", ")[2]])


@pytest.mark.parametrize("name", [n for n, f in FORMATS.items() if not (f.has("weights") and f.has("names"))])
def test_options_that_no_file_of_a_format_can_meet(tmp_path, name):
    form, path = FORMATS[name], put(tmp_path / "x", "1 2\n")
    title = form.title or name
    if not form.has("weights"):
        said = f"{title} files hold no weights; leave weights=True out"
        unreadable(path, said, format=name, weights=True)
    if not form.has("names"):
        said = f"vertices of {title} files are numbers; leave ids='str' out"
        unreadable(path, said, format=name, ids="str")
