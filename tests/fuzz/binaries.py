"""Binary files of graphs: valid, with arrays that lie, or with damaged bytes."""

import io
import struct
import zlib
from contextlib import suppress

import numpy as np
import scipy.sparse as sp

from fuzz.case import Case
from fuzz.mutations import mutate
from fuzz.texts import names, numbers, options

ODD = (-1, -5, 0, 1, 2**30, 2**31 - 1, -(2**31), 2**31, 2**40, 2**62, -(2**63), 7)

TYPES = (np.float64, np.int8, np.uint64, bool, np.complex128, "U", "S", ">i4")
# of a matrix with n rows
FORMATS = ("csr", "csr", "csc", "coo", "bsr", "dia")
WRONG_FORMATS = (b"csr", b"csc", b"bsr", b"lil", b"", "csr")
NOTES = (b'{"directed": true}', b'{"directed": false}', b'{"directed": 3}', b"\xff", b"[]", b"[" * 9999)
LABELS = (("source", "target"), ("a", "b"), ("source", "source"), ("target", "source"), ("", "x"))


def wrong_shapes(n):
    """Shapes that no matrix of n rows has."""
    return (n, n + 1), (10**6, 10**6), (2**31 - 1,) * 2, (2**40, 2**40), (-1, -1), (n,), (0, 0)


def wrong_ids(n):
    """Ids that no graph of n vertices has."""
    twice, column = np.zeros(n, np.int64), np.zeros((n, 1), np.int64)
    halves, huge = np.arange(n) + 0.5, np.arange(n, dtype=np.uint64) + np.uint64(2**63)
    return twice, np.full(n, np.nan), np.arange(n) - 1, np.array(["a"] * n), np.array(5), column, halves, huge


def spoil(array, rng):
    """An array with a value, its shape or its type changed."""
    array = np.array(array)
    way = rng.randrange(7)
    if way <= 2 and array.size and array.dtype.kind in "iuf":
        if rng.random() < 0.3:
            array = array.astype(np.int64)
        flat = array.reshape(-1)
        value = rng.choice((*ODD, np.nan, np.inf)) if array.dtype.kind == "f" else rng.choice(ODD)
        with np.errstate(all="ignore"):
            flat[rng.randrange(array.size)] = np.array(value).astype(array.dtype)
        return array
    if way == 3 and array.size:
        return array[:-1] if array.ndim else array
    if way == 4:
        return np.append(array, array[-1:]) if array.ndim == 1 else array.reshape(-1)
    if way == 5:
        with suppress(ValueError):  # of a flag that is text already
            array = array.astype(rng.choice(TYPES))
        return array
    return rng.choice((array.reshape(1, -1), np.array(3), array.reshape(-1)[::-1], np.array([], array.dtype)))


def npz_case(kind, rng):
    """A matrix as SciPy saves it; the arrays within, or the archive, damaged."""
    n = rng.choice((0, 1, 2, 3, 6, 20)) if rng.random() < 0.9 else rng.choice((3, 5))
    pairs = [(rng.randrange(n), rng.randrange(n)) for _ in range(rng.choice((0, 1, 3, 10, 40)))] if n else []
    u, v = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    values = [rng.choice((1, 2, 5)) for _ in pairs]
    data = np.array(values, rng.choice((np.int8, np.int64, np.float64, np.float32)))
    matrix = sp.coo_array((data, (u, v)), shape=(n, n)).asformat(rng.choice(FORMATS))
    buffer = io.BytesIO()
    sp.save_npz(buffer, matrix, compressed=rng.random() < 0.3)
    with np.load(io.BytesIO(buffer.getvalue())) as file:
        arrays = dict(file)
    if rng.random() < 0.5:
        arrays["clgraph_directed"] = np.array(rng.random() < 0.5)
    if rng.random() < 0.5:
        numbered = rng.random() < 0.5
        arrays["clgraph_ids"] = np.arange(n) * 3 if numbered else np.array([f"v{i}" for i in range(n)], "U9")
    damage = rng.random()
    if damage < 0.6:
        for _ in range(rng.choice((1, 1, 2))):
            name = rng.choice(tuple(arrays))
            if name == "format":
                arrays[name] = np.array(rng.choice(WRONG_FORMATS))
            elif name == "clgraph_ids" and n:
                arrays[name] = rng.choice(wrong_ids(n))
            elif name == "shape":
                arrays[name] = np.array(rng.choice(wrong_shapes(n)))
            else:
                arrays[name] = spoil(arrays[name], rng)
    out = io.BytesIO()
    (np.savez_compressed if rng.random() < 0.2 else np.savez)(out, **arrays)
    content = out.getvalue()
    if 0.6 <= damage < 0.8:
        content = mutate(content, rng, False)
    how = options(rng, weights=rng.random() < 0.4)
    return Case(kind, {"g.npz": content}, {"path": "g.npz", "options": how, "expect": {}})


PAGE = 4096
MAGIC = b"\x93CLG\r\n\x1a\n"


def clg_bytes(arrays, n, arcs, loops, directed, version):
    """A .clg file of arrays that may be wrong; version 2 has checksums, which are right."""
    table, body = b"", b""  # the body begins at the second page
    for name in ("row_ptr", "col_idx", "weights", "multiplicity", "ids", "text"):
        array = arrays.get(name)
        if array is None or not array.nbytes:
            table += bytes(24)
            continue
        body += bytes(-len(body) % PAGE)
        kind = array.dtype.newbyteorder("<").str.encode()
        table += struct.pack("<QQ8s", PAGE + len(body), array.nbytes, kind)
        body += array.tobytes()
    if version == 2:
        body += bytes(-len(body) % PAGE)
        sums = struct.pack("<I", zlib.crc32(body)) if body else b""
        table += struct.pack("<QQQ", 0, n % 2**64, n % 2**64) + bytes(24)
        table += struct.pack("<QQ8s", PAGE + len(body), len(sums), b"<u4") if sums else bytes(24)
        body += sums
    head = struct.pack("<8sIIQQQQ", MAGIC, version, int(directed), n, arcs, loops, PAGE + len(body))
    return with_checksums((head + table).ljust(PAGE, b"\0") + body)


def with_checksums(data):
    """The header's own checksum put right, in files of version 2."""
    if len(data) < PAGE or data[8:12] == b"\1\0\0\0":
        return data
    return data[: PAGE - 4] + struct.pack("<I", zlib.crc32(data[: PAGE - 4])) + data[PAGE:]


def clg_arrays(rng):
    """Right arrays of a small graph, the numbers of vertices, arcs and loops, and the direction."""
    n, directed = rng.choice((0, 1, 2, 4, 9)), rng.random() < 0.5
    pairs = {(rng.randrange(n), rng.randrange(n)) for _ in range(rng.choice((0, 2, 8, 20)))} if n else set()
    if not directed:
        pairs |= {(v, u) for u, v in pairs}
    arcs = sorted(pairs)
    tail = np.array([u for u, _ in arcs], np.int64)
    kind = rng.choice((np.int32, np.int32, np.int64))
    arrays = {
        "row_ptr": np.concatenate(([0], np.cumsum(np.bincount(tail, minlength=n)[:n]))).astype(kind),
        "col_idx": np.array([v for _, v in arcs], np.int32),
    }
    if rng.random() < 0.4:
        arrays["weights"] = np.array([float(u + v) for u, v in arcs])
    if rng.random() < 0.4:
        arrays["multiplicity"] = np.array([1 + (u * v) % 3 for u, v in arcs], np.int32)
    choice = rng.random()
    if choice < 0.3:
        arrays["ids"] = np.arange(n, dtype=np.int64) * 5
    elif choice < 0.6:
        text = [f"v{i}".encode() for i in range(n)]
        arrays["ids"] = np.cumsum([0, *map(len, text)]).astype(np.int64)
        arrays["text"] = np.frombuffer(b"".join(text), np.uint8)
    return arrays, n, len(arcs), sum(u == v for u, v in arcs), directed


def clg_case(kind, rng):
    """A .clg file whose arrays or header lie, or whose bytes are damaged."""
    arrays, n, arcs, loops, directed = clg_arrays(rng)
    damage = rng.random()
    if 0.15 < damage < 0.7:
        name = rng.choice(tuple(arrays))
        array = np.array(arrays[name])
        if array.size and rng.random() < 0.8:
            at = rng.randrange(array.size)
            odd = (*ODD, np.nan, np.inf) if array.dtype.kind == "f" else ODD
            with np.errstate(all="ignore"):
                wrong = np.array(rng.choice(odd)).astype(array.dtype)
            array[at] = rng.choice((wrong, array[rng.randrange(array.size)]))
            arrays[name] = array
        else:
            directed = not directed
    elif 0.7 <= damage < 0.8:
        loops = rng.choice((0, 1, 9 * 10**18, 2**64 - 1, loops + 1))
    elif 0.8 <= damage < 0.85:
        n, arcs = rng.choice(((n + 1, arcs), (n, arcs + 1), (2**31 - 1, arcs), (2**63, 2**63), (n, 2**62)))
    data = clg_bytes(arrays, n, arcs, loops, directed, rng.choice((1, 2)))
    if damage >= 0.85:
        head = mutate(data[:264], rng, False) if rng.random() < 0.6 else data[:264]
        data = head[:264].ljust(264, b"\0") + data[264:] if rng.random() < 0.7 else mutate(data, rng, False)
        data = with_checksums(data) if rng.random() < 0.7 else data
    how = {}
    if rng.random() < 0.5:
        how = options(rng, weights="weights" in arrays, ids="str" if "text" in arrays else "int")
    return Case(kind, {"g.clg": data}, {"path": "g.clg", "options": how, "expect": {}})


def table_case(kind, rng):
    """An edge table in Parquet or Arrow: odd columns, buffers that lie, damaged bytes."""
    import pyarrow as pa
    import pyarrow.parquet

    text = rng.random() < 0.5
    rows = names(rng) if text else numbers(rng)
    columns = []
    for end in (0, 1):
        values = [row[end] for row in rows]
        column = pa.array(values)
        way = rng.random()
        if way < 0.2:
            column = column.dictionary_encode()
        elif way < 0.3 and text:
            column = column.cast(pa.large_string())
        elif way < 0.35:
            column = pa.array([None, *values[1:]])
        elif way < 0.4 and not text:
            column = pa.array(list(map(float, values)))
        columns.append(column)
    labels = list(rng.choice(LABELS))
    weighted = rng.random() < 0.4
    if weighted:
        columns.append(pa.array([row[2] for row in rows]))
        labels.append(rng.choice(("weight", "w", "source", "x")))
    if rng.random() < 0.15:
        columns.append(pa.array([rng.choice((1, 2, 0, -1, 2**40)) for _ in rows]))
        labels.append("multiplicity")
    table = pa.Table.from_arrays(columns, names=labels)
    if rng.random() < 0.5:
        table = table.replace_schema_metadata({b"clgraph": rng.choice(NOTES)})
    out = io.BytesIO()
    if kind == "parquet":
        pyarrow.parquet.write_table(table, out, compression=rng.choice(("snappy", "none", "gzip")))
    else:
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    data = out.getvalue()
    if rng.random() < 0.3 and kind == "arrow":
        data = _lying(pa, data, rng.choice(columns[:2]), rng)
    if rng.random() < 0.5:
        data = mutate(data, rng, False)
    how = options(rng, weights=weighted and rng.random() < 0.8, ids="str" if text else "int")
    if rng.random() < 0.1:
        how["ids"] = rng.choice(("str", "int"))
    name = rng.choice(("g.parquet", "g.pq") if kind == "parquet" else ("g.arrow", "g.feather"))
    return Case(kind, {name: data}, {"path": name, "options": how, "expect": {}})


def _lying(pa, data, column, rng):
    """The file with offsets or dictionary indices of a column that point outside."""
    if pa.types.is_dictionary(column.type):
        numbers = np.array(column.indices, np.int32)
    elif pa.types.is_string(column.type):
        numbers = np.frombuffer(column.buffers()[1], np.int32)[: len(column) + 1].copy()
    else:
        return data
    right = numbers.tobytes()
    numbers[rng.randrange(len(numbers))] = rng.choice((-1, 10**6, 2**31 - 1, 0, -(2**31), 3))
    return data.replace(right, numbers.tobytes())
