"""Files of other tools for networks, each with the rows that a reader must find in it; then damaged."""

import gzip
import io
import struct
from xml.sax.saxutils import quoteattr

import numpy as np

from fuzz.case import Case
from fuzz.mutations import mutate
from fuzz.texts import LINE_ENDS, NAMES, options


def _rows(rng, n, first):
    pool = range(first, n + first)
    count = rng.choice((0, 1, 2, 5, 20)) if n else 0
    return [(rng.choice(pool), rng.choice(pool), float(rng.randrange(-9, 99))) for _ in range(count)]


def dimacs(rng):
    """A graph of DIMACS's shortest-path challenge."""
    n = rng.choice((0, 1, 2, 5, 30))
    rows = _rows(rng, n, 1)
    lines = [f"p sp {n} {len(rows)}", *(f"a {u} {v} {w:{rng.choice(('g', '.1f'))}}" for u, v, w in rows)]
    for _ in range(rng.choice((0, 0, 1, 3))):
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(("c", "c x", "", "c p sp 1 1")))
    end = rng.choice(LINE_ENDS)
    how = options(rng, weights=rng.random() < 0.6)
    expect = {"rows": rows, "n": n, "own": True}
    return end.join([*lines, ""]).encode(), how, expect if how.get("directed", True) else {}, "g.gr"


def jlg(rng):
    """A graph of Julia's Graphs.jl."""
    n, directed = rng.choice((0, 1, 2, 5, 30)), rng.random() < 0.5
    rows = [(u, v, 1.0) for u, v, _ in _rows(rng, n, 1)]
    mark = rng.choice((",", ",", ", ", " , "))
    more = rng.choice(([], ["2", "Int64", "simplegraph"]))
    head = [f"{n}", f"{len(rows)}", "d" if directed else "u", "x", *more]
    lines = [rng.choice(("", "# x"))] * (rng.random() < 0.2) + [mark.join(head)]
    lines += [f"{u}{mark}{v}" for u, v, _ in rows]
    data = rng.choice(LINE_ENDS).join([*lines, ""]).encode()
    expect = {"rows": rows, "n": n, "own": directed, "mirror": not directed}
    data = rng.choice((data, data, gzip.compress(data, mtime=0)))
    return data, options(rng), expect, rng.choice(("g.jlg", "g.lg"))


def konect(rng):
    """A file of KONECT."""
    n = rng.choice((1, 2, 5, 30))
    rows = _rows(rng, n, 1) or [(1, 1, 1.0)]
    shape, kind = rng.choice(("sym", "asym", "bip")), rng.choice(("unweighted", "weighted", "posweighted"))
    lines = [f"% {shape} {kind}"] + [f"% {len(rows)} {n} {n}"] * (rng.random() < 0.7)
    mark = rng.choice((" ", "\t"))
    time = rng.choice(("", f"{mark}1082040961"))
    lines += [f"{u}{mark}{v}" + (f"{mark}{w!r}{time}" if kind != "unweighted" else "") for u, v, w in rows]
    how = options(rng, weights=kind != "unweighted" and rng.random() < 0.8)
    expect = {"rows": rows, "own": shape == "asym"} if shape != "bip" else {}
    return "\n".join([*lines, ""]).encode(), how, expect, "out.g"


def serialised(rng):
    """A graph as GAPBS has it in memory."""
    n, directed, weighted = rng.choice((0, 1, 2, 5, 30)), rng.random() < 0.5, rng.random() < 0.5
    rows = _rows(rng, n, 0)
    arcs = rows if directed else rows + [(v, u, w) for u, v, w in rows if u != v]
    data = struct.pack("<BQQ", directed, len(arcs), n)
    for half in (arcs, [(v, u, w) for u, v, w in arcs])[: 1 + directed]:
        tails = np.bincount(np.array([u for u, _, _ in half], np.int64), minlength=n)[:n]
        data += np.concatenate(([0], np.cumsum(tails))).astype("<i8").tobytes()
        for _, v, w in sorted(half):
            data += struct.pack("<ii", v, int(w)) if weighted else struct.pack("<i", v)
    how = options(rng, weights=weighted and rng.random() < 0.7)
    expect = {"rows": rows, "n": n, "own": directed, "mirror": not directed}
    return data, how, expect if directed <= how.get("directed", True) else {}, "g.wsg" if weighted else "g.sg"


def graph500(rng):
    """Pairs of 64-bit numbers."""
    top = rng.choice((2, 9, 1000, 2**31, 2**40, 2**63 - 1))
    rows = [(rng.randrange(top), rng.randrange(top), 1.0) for _ in range(rng.choice((1, 2, 5, 20)))]
    data = np.array([row[:2] for row in rows], "<i8").tobytes()
    return data, options(rng), {"rows": rows, "own": False}, "g.g500"


def _names(rng, rows):
    """The rows among text or numbers, all vertices, and options."""
    text = rng.random() < 0.4
    names = rng.sample(NAMES, 30) if text else list(range(30))
    rows = [(names[u % 30], names[v % 30], w) for u, v, w in rows]
    nodes = list({end: 0 for row in rows for end in row[:2]} | {names[7]: 0})
    rng.shuffle(nodes)
    return rows, nodes, options(rng, weights=rng.random() < 0.5, ids="str" if text else "int")


def graphml(rng):
    """A GraphML file."""
    rows, nodes, how = _names(rng, _rows(rng, rng.choice((1, 2, 5, 30)), 0))
    directed = rng.random() < 0.5
    vertices = [f"<node id={quoteattr(str(name))}><data key='x'>a</data></node>" for name in nodes]
    edges = [
        f"<edge source={quoteattr(str(u))} target={quoteattr(str(v))}><data key='w'>{w!r}</data></edge>"
        for u, v, w in rows
    ]
    if rng.random() < 0.2:
        vertices, edges = edges, vertices
    lines = [
        rng.choice(("", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-8"?>')) + "<graphml>",
        '<key id="w" for="edge" attr.name="weight"/><key id="x" for="node"/>',
        f'<graph edgedefault="{"directed" if directed else "undirected"}">',
        *(*vertices, *edges, "</graph></graphml>"),
    ]
    return "\n".join(lines).encode(), how, {"rows": rows, "n": len(nodes), "own": directed}, "g.graphml"


def gexf(rng):
    """A GEXF file."""
    rows, nodes, how = _names(rng, _rows(rng, rng.choice((1, 2, 5, 30)), 0) or [(0, 1, 2.0)])
    directed = rng.random() < 0.5
    vertices = [f"<node id={quoteattr(str(name))} label='x'/>" for name in nodes]
    edges = [
        f"<edge id='{i}' source={quoteattr(str(u))} target={quoteattr(str(v))} weight='{w!r}'/>"
        for i, (u, v, w) in enumerate(rows)
    ]
    lines = [
        f"<gexf>\n<graph defaultedgetype='{'directed' if directed else 'undirected'}'>",
        "<nodes>" + "\n".join(vertices) + "</nodes>",
        "<edges>" + "\n".join(edges) + "</edges>\n</graph></gexf>",
    ]
    return "\n".join(lines).encode(), how, {"rows": rows, "n": len(nodes), "own": directed}, "g.gexf"


def pajek(rng):
    """A network of Pajek."""
    n = rng.choice((0, 1, 2, 5, 30))
    rows = _rows(rng, n, 1)
    directed = rng.random() < 0.5
    lines = ["*Network g"] * (rng.random() < 0.3) + [f"*{rng.choice(('Vertices', 'vertices'))} {n}"]
    lines += [f'{v} "{rng.choice(NAMES)}{v}" 0.1 0.2' for v in range(1, n + 1) if rng.random() < 0.5]
    kind = "Arcs" if directed else "Edges"
    listed = rng.random() < 0.3
    if listed:
        rows = [(u, v, 1.0) for u, v, _ in rows]
    lines.append(f"*{kind}list" if listed else f"*{kind}")
    lines += [f"{u} {v}" if listed else f"{u} {v} {w!r}" for u, v, w in rows]
    end = rng.choice(LINE_ENDS)
    how = options(rng, weights=not listed and rng.random() < 0.5)
    expect = {"rows": rows, "n": n, "own": directed, "mirror": not directed}
    return end.join([*lines, ""]).encode(), how, expect, "g.net"


def webgraph(rng):
    """An ASCII graph of WebGraph."""
    n = rng.choice((0, 1, 2, 5, 30))
    rows = sorted({(u, v) for u, v, _ in _rows(rng, n, 0)})
    lines = [str(n), *(" ".join(str(v) for u, v in rows if u == tail) for tail in range(n)), ""]
    how = options(rng)
    expect = {"rows": [(u, v, 1.0) for u, v in rows], "n": n, "own": True}
    return "\n".join(lines).encode(), how, expect if how.get("directed", True) else {}, "g.graph-txt"


def edge_index(rng):
    """PyTorch Geometric's arrays, some of which may be odd."""
    n = rng.choice((0, 1, 2, 5, 30))
    rows = _rows(rng, n, 0)
    index = np.array([row[:2] for row in rows], rng.choice((np.int32, np.int64))).reshape(-1, 2).T
    arrays = {"edge_index": index, "num_nodes": np.array(n)}
    weighted = rng.random() < 0.5
    if weighted:
        arrays["edge_weight"] = np.array([w for _, _, w in rows])
    how = options(rng, directed=True, weights=weighted and rng.random() < 0.6)
    expect = {"rows": rows, "n": n} if how["directed"] else {}
    if rng.random() < 0.4:
        name = rng.choice(tuple(arrays))
        odd = (index[:1], index - 1, index * 0.5, index.astype(np.int64) + 2**31)
        arrays[name], expect = rng.choice((np.array(-1), np.array(2**62), *odd, np.array("x"))), {}
    out = io.BytesIO()
    rng.choice((np.savez, np.savez_compressed))(out, **arrays)
    return out.getvalue(), how, expect, "g.npz"


TEXTS = (dimacs, jlg, konect, graphml, gexf, pajek, webgraph)
BINARIES = (serialised, graph500, edge_index)


def network_case(kind, rng):
    """A file of one of these formats, valid one time in three."""
    make = rng.choice(TEXTS + BINARIES)
    data, how, expect, name = make(rng)
    how["ids"] = how.get("ids", "int")
    if rng.random() < 0.65:
        data, expect = mutate(data, rng, make in TEXTS), {}
        if rng.random() < 0.15:
            how["weights"] = not how.get("weights")
    return Case(kind, {name: data}, {"path": name, "options": how, "expect": expect})
