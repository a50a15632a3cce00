"""Damage done to the bytes of a file."""

import gzip
import io
import re
from itertools import pairwise

from clgraph.formats.packed import END, Packer, zstd_library

NUMBERS = (
    *b"0 -0 -1 00 010 1_2 +5 1.5 1e3 1e308 1e999 nan inf -inf nan(0x1) 0x10 2147483647 2147483648".split(),
    *b"4294967296 1099511627776 9223372036854775807 9223372036854775808 18446744073709551616".split(),
    *(b"1000000000000", b"9" * 40, b"1" + b"0" * 4400, "²".encode(), "٣".encode(), "１".encode()),
)
WORDS = (
    *(b"\0", b"\r", b"\r\n", b"\n", b"\r\r\n", b"\n\n", b" ", b"\t", b",", b";", b'"', b"#", b"%"),
    *(b"# c\r\r\n", b"%\n", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", "é".encode(), "é".encode("latin-1")),
    *("\u2028".encode(), b"\x1a", b"\x0c", b"\x1c", b"\x85", "\u0085".encode(), b"\xc2\xa0", b"\xed\xa0\x80"),
    *(b"\x1f\x8b", b"e", b"-", b"=", b":", b"source,target\n", b"u v\n", b"true", b"False"),
)
# numbers of binary files, besides small ones
WIDE = (0, 1, -1, 2, 255, 2**31 - 1, -(2**31), 2**40, 2**62, 2**63 - 1)
LINE_ENDS = ((b"\n", b"\r\n"), (b"\n", b"\r"), (b"\n", b"\r\r\n"), (b" ", b"\t"), (b"\n", b"\0\n"))


def mutate(data, rng, text):
    """The bytes, damaged one to four times."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        data = _once(data, rng, text)
    return data[:1_000_000]


def _once(data, rng, text):
    size = len(data)
    way = rng.randrange(12)
    at = rng.randrange(size + 1)
    if way == 0 and size:  # a bit flips
        at = rng.randrange(size)
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if way == 1 and size:  # another byte
        at = rng.randrange(size)
        return data[:at] + bytes([rng.choice((0, 255, 127, 128, rng.randrange(256)))]) + data[at + 1 :]
    if way == 2:
        return data[:at]
    if way == 3:
        return data[at:]
    if way == 4:  # a piece twice
        end = min(size, at + rng.choice((1, 2, 8, 64, 4096)))
        return data[:end] + data[at:end] * rng.choice((1, 1, 3, 20)) + data[end:]
    if way == 5:  # a piece is gone
        return data[:at] + data[at + rng.choice((1, 2, 8, 64)) :]
    if way == 6:  # a piece elsewhere
        piece = data[at : at + rng.choice((1, 4, 16, 256))]
        to = rng.randrange(size + 1)
        return data[:to] + piece + data[to:]
    if way == 7:
        return data[:at] + rng.choice(WORDS) + data[at:]
    if way == 8 and not text:  # a number of a binary file, whatever it was
        width = rng.choice((1, 2, 4, 8))
        number = rng.choice((*WIDE, rng.randrange(99)))
        at -= at % width
        return data[:at] + (number % (1 << 8 * width)).to_bytes(width, "little") + data[at + width :]
    if way in (8, 9, 10) and text:  # a number of a text
        found = [match.span() for match in re.finditer(rb"[0-9]+", data)]
        if found:
            start, end = rng.choice(found[: rng.choice((3, len(found)))])
            return data[:start] + rng.choice(NUMBERS) + data[end:]
    if way == 11 and text:  # line ends
        old, new = rng.choice(LINE_ENDS)
        return data.replace(old, new, rng.choice((1, -1)))
    return data[:at] + rng.randbytes(rng.choice((1, 2, 8))) + data[at:]


def compress(data, rng, suffix=".gz"):
    """The bytes by gzip or zstd, in one to four members of any kind, now and then damaged."""
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.choice((0, 0, 1, 1, 2, 3))))
    parts = [data[one:other] for one, other in pairwise([0, *cuts, len(data)])]
    if suffix == ".zst":
        packed = b"".join(_frame(part, rng) for part in parts)
    else:
        ways = [_blocks if rng.random() < 0.4 else _member for _ in parts]
        packed = b"".join(way(part) for way, part in zip(ways, parts, strict=True))
        packed += END if ways[-1] is _blocks else b""
    way = rng.randrange(6)
    if way == 0:
        return mutate(packed, rng, False)
    if way == 1:
        return packed + rng.choice((b"\0" * 9, b"junk", packed[:7]))
    return packed


def _member(data):
    return gzip.compress(data, 1, mtime=0)


def _blocks(data):
    file = io.BytesIO()
    packer = Packer(file)
    with packer.pool:
        packer.write(data)
        packer.finish()
    return file.getvalue().removesuffix(END)


def _frame(data, rng):
    library = zstd_library()
    way = rng.randrange(5)
    if way == 0:  # does not tell its length
        packer = library.ZstdCompressor()
        return bytes(packer.compress(data[:5]) + packer.compress(data[5:]) + packer.flush())
    if way == 1:
        packed = library.compress(data, options={library.CompressionParameter.checksum_flag: 1})
    else:
        packed = library.compress(data, rng.choice((1, 3)))
    skipped = rng.randbytes(rng.choice((0, 4, 9)))
    head = rng.randrange(0x184D2A50, 0x184D2A60).to_bytes(4, "little") + len(skipped).to_bytes(4, "little")
    return bytes((head + skipped if way == 2 else b"") + packed)
