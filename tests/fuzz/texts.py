"""Text files of graphs, each with the rows that a reader must find in it; then damaged."""

import gzip
from typing import Any

from clgraph.formats.packed import END, zstd_library
from fuzz.case import Case
from fuzz.mutations import compress, mutate

Rows = list[tuple[Any, Any, float]]
Made = tuple[bytes, dict[str, Any], dict[str, Any], str]  # data, options, what is expected, name or suffix
NAMES = (
    *("a", "b", "c", "u", "v", "start", "end", "from", "to", "source", "target", "id1", "id2", "é", "日本"),
    *("x-1", "007", "1", "1.5", "nan", "None", "Ω", "a'b", "p;q", "\U0001f600", "0x1", "w", "head", "tail"),
    "z" * 50,
)
JUNK = ("", " edges", "\t", "\r", " é", " 1 2", ",", '"', " x\r", "\x0c", " source target", "\x1c")
HEADERS = (("source", "target", "weight"), ("FromNodeId", "ToNodeId", "w"), ("u", "v", "cost"))
LINE_ENDS = ("\n", "\n", "\r\n")
# the ids of a file are below one of these
TOPS = (2, 4, 9, 9, 30, 1000, 10**6, 2**31, 2**40, 2**53 + 5, 10**16, 10**18, 2**63 - 1)


def numbers(rng):
    """Edges among ids of some range."""
    top = rng.choice(TOPS)
    pool = [rng.randrange(top) if top > 9 else i for i in range(min(top, 12))] + [top - 1]
    rows = _drawn(pool, rng.choice((1, 1, 2, 3, 5, 8, 20, 60)), rng)
    if rng.random() < 0.3:
        rows += rows[:3]
    return rows


def names(rng):
    """Edges among words."""
    pool = rng.sample(NAMES, rng.randrange(2, 12))
    return _drawn(pool, rng.choice((1, 2, 3, 8, 20)), rng)


def _drawn(pool, count, rng):
    return [(rng.choice(pool), rng.choice(pool), weight(rng)) for _ in range(count)]


def weight(rng):
    """A weight; sums of a few are finite."""
    return rng.choice((1.0, 2.0, 0.5, -3.0, 0.0, 1e-300, 1e300, rng.random(), rng.gauss(0, 9), 2.0**53))


def options(rng, **more):
    """Options of `clgraph.read` that any file may be read with."""
    made = dict(more)
    if rng.random() < 0.4:
        made["directed"] = rng.random() < 0.5
    if rng.random() < 0.25:
        made["duplicates"] = "keep"
    return made


def edges(rng):
    """An edge list."""
    text = rng.random() < 0.35
    rows = names(rng) if text else numbers(rng)
    mark = rng.choice((" ", "\t", ",")) if text else rng.choice((" ", "\t", ",", ", ", "  ", " \t", " , "))
    end = rng.choice(LINE_ENDS)
    weighted = rng.random() < 0.4
    more = rng.choice(("", "", *(mark + column for column in (("1082040961",) if weighted else ("7", "x")))))
    comment = rng.choice("#%")
    lines = [comment + rng.choice(JUNK) for _ in range(rng.choice((0, 0, 1, 3)))]
    if not text and rng.random() < 0.25:
        lines.append(mark.join(rng.choice(HEADERS)[: 2 + weighted]))
    for u, v, w in rows:
        if rng.random() < 0.05:
            lines.append(rng.choice((comment + rng.choice(JUNK), "", "#", "%  x")))
        shown = rng.choice((repr(w), f"{w:.17g}", f"{w!r}"))
        sign = "+" if not text and rng.random() < 0.02 else ""
        row = f"{sign}{u}{mark}{v}" + (mark + shown if weighted else "") + more
        if not text and rng.random() < 0.03:
            row = rng.choice((" " + row, row + " ", row + " # x"))
        lines.append(row)
    data = end.join(lines) + rng.choice((end, end, "", end + end))
    head = "\ufeff" if rng.random() < 0.05 else ""
    how = options(rng, weights=weighted and rng.random() < 0.9, ids="str" if text else "int")
    # a pair of names before rows of numbers may well be a header
    first = {str(end).lower() for end in rows[0][:2]}
    clear = not text or not first & {"u", "start", "from", "source", "id1", "tail"} or len(rows) == 1
    clear = clear or all(not str(end).replace(".", "").isdigit() for row in rows for end in row[:2])
    suffix = ".csv" if mark == "," and rng.random() < 0.7 else rng.choice((".txt", ".tsv", ".edges", ".el"))
    return (head + data).encode(), how, {"rows": rows} if clear and not (text and more) else {}, suffix


def mtx(rng):
    """A Matrix Market file."""
    n = rng.choice((1, 2, 5, 9, 30))
    field = rng.choice(("pattern", "real", "integer", "real", "complex", "unsigned-integer"))
    symmetry = rng.choice(("general", "symmetric", "general", "symmetric", "skew-symmetric", "hermitian"))
    pairs = {(rng.randrange(n), rng.randrange(n)) for _ in range(rng.choice((0, 1, 2, 5, 20)))}
    if symmetry != "general":
        pairs = {(max(pair), min(pair)) for pair in pairs}
    drawn = [weight(rng) if field == "real" else float(rng.randrange(1, 9)) for _ in pairs]
    rows = [(u + 1, v + 1, w) for (u, v), w in zip(sorted(pairs), drawn, strict=True)]
    form = {"pattern": "", "complex": " {!r} 0", "real": " {!r}"}.get(field, " {:.0f}")
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}"]
    lines += ["%" + rng.choice(JUNK).replace("\r", "") for _ in range(rng.choice((0, 0, 2)))]
    lines += [f"{n} {n} {len(rows)}", *(f"{u} {v}{form.format(w)}" for u, v, w in rows)]
    end = rng.choice(LINE_ENDS)
    how = options(rng, weights=field in ("real", "integer") and rng.random() < 0.6)
    plain = field in ("pattern", "real", "integer") and symmetry in ("general", "symmetric")
    how["ids"] = "int"
    expect = {"rows": rows, "n": n, "own": symmetry != "symmetric", "mirror": symmetry == "symmetric"}
    text = end.join(lines) + rng.choice((end, end, "", " ", "\t", "\r", end + " ", " " + end))
    return text.encode(), how, expect if plain else {}, ".mtx"


def metis(rng):
    """A METIS graph file."""
    n = rng.choice((1, 2, 3, 6, 20))
    pairs = sorted(
        {tuple(sorted(rng.sample(range(1, n + 1), 2))) for _ in range(rng.choice((0, 1, 4, 20))) if n > 1}
    )
    rows = [(u, v, float(rng.randrange(1, 9))) for u, v in pairs]
    sizes, ncon, weighted = rng.random() < 0.15, rng.choice((0, 0, 0, 1, 2)), rng.random() < 0.4
    fmt = f"{int(sizes)}{int(ncon > 0)}{int(weighted)}"
    header = f"{n} {len(rows)}" + (f" {fmt}" if fmt != "000" or rng.random() < 0.2 else "")
    header += f" {ncon}" if ncon > 1 or (ncon and rng.random() < 0.5) else ""
    lines = ["% a comment"] * (rng.random() < 0.2) + [header]
    for v in range(1, n + 1):
        cells = [str(rng.randrange(9)) for _ in range(sizes + ncon)]
        for a, b, w in rows:
            if v in (a, b):
                cells.append(str(a + b - v))
                if weighted:
                    cells.append(str(int(w)))
        lines.append(" ".join(cells))
    end = rng.choice(LINE_ENDS)
    how = options(rng, weights=weighted and rng.random() < 0.6)
    how["ids"] = "int"
    expect = {"rows": rows, "n": n, "own": False, "mirror": True}
    text = end.join(lines) + end * rng.choice((1, 1, 2))
    return text.encode(), how, expect, rng.choice((".graph", ".metis"))


MAKERS = {"edges": edges, "mtx": mtx, "metis": metis}


def text_case(kind, rng):
    """A file of one of these kinds, valid one time in four, compressed one time in ten."""
    data, how, expect, suffix = MAKERS[kind](rng)
    if rng.random() < 0.75:
        data, expect = mutate(data, rng, True), {}
        if rng.random() < 0.15:
            how["weights"] = not how["weights"]
        if rng.random() < 0.15:
            how["ids"] = "int" if how["ids"] == "str" else "str"
    name = "g" + suffix
    if rng.random() < 0.1:
        packed = compress(data, rng)
        if not (packed[:2] == b"\x1f\x8b" and len(packed) > 20 and _whole(packed, data, ".gz")):
            expect = {}
        name, data = name + ".gz", packed
    return Case(kind, {name: data}, {"path": name, "options": how, "expect": expect})


def _whole(packed, data, suffix):
    try:
        if suffix == ".zst":
            return zstd_library().decompress(packed) == data
        return gzip.decompress(packed) == data and (packed.endswith(END) or END[12:16] not in packed)
    except Exception:
        return False


def packed_case(kind, rng):
    """Any of the text files, compressed; the kind is that of the compression."""
    suffix = {"gzip": ".gz", "zstd": ".zst"}[kind]
    inner = text_case(rng.choice(tuple(MAKERS)), rng)
    (name, data), what = next(iter(inner.files.items())), inner.what
    if not name.endswith(".gz"):
        packed = compress(data, rng, suffix)
        name, expect = name + suffix, what["expect"] if _whole(packed, data, suffix) else {}
        data, what = packed, {**what, "path": name, "expect": expect}
    return Case(kind, {name: data}, what)


def ldbc_case(kind, rng):
    """NAME.v, NAME.e and perhaps NAME.properties."""
    text = rng.random() < 0.4
    rows = names(rng) if text else numbers(rng)
    weighted = rng.random() < 0.4
    vertices = sorted({end for row in rows for end in row[:2]})
    vertices += [] if text else [v for v in (3, 77) if v not in vertices]
    rng.shuffle(vertices)
    end = rng.choice(LINE_ENDS)
    files = {
        "g.v": "".join(f"{v}{end}" for v in vertices).encode(),
        "g.e": "".join(f"{u} {v}{f' {w!r}' if weighted else ''}{end}" for u, v, w in rows).encode(),
    }
    own = False
    if rng.random() < 0.6:
        own = rng.random() < 0.5
        files["g.properties"] = f"# of\ngraph.g.directed = {str(own).lower()}\n".encode()
    how = options(rng, weights=weighted and rng.random() < 0.9, ids="str" if text else "int")
    expect = {"rows": rows, "n": len(vertices), "own": own}
    if rng.random() < 0.7:
        name = rng.choice(tuple(files))
        files[name], expect = mutate(files[name], rng, True), {}
    return Case(kind, files, {"path": rng.choice(("g", "g.v", "g.e")), "options": how, "expect": expect})
