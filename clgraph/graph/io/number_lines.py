"""Lines of a stream whose ids are whole numbers, parsed block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph.io.digits import integer_rows
from clgraph.graph.io.edges import ID_MAX
from clgraph.sizes import real_number, whole_number


class NumberLines:
    """Rows of two whole numbers (and a weight), parsed block by block."""

    def __init__(self, name: str, weighted: bool, header: bool | None) -> None:
        self.name, self.weighted, self.header = name, weighted, header
        self.line = 0  # lines before the block
        self.width = 0  # fields of a row; 0: no row yet
        self.comma = False

    def columns(self, block: bytes) -> list[Any] | None:
        """The columns of a block of whole lines; None if there are none."""
        if self.width == 0:
            block = self.after_header(block)
            if self.width == 0:
                return None
        lines = block.count(b"\n")
        found = None if self.weighted else integer_rows(block, self.width, (0, 1), self.comma)
        columns = self.scan(block) if found is None else found
        self.line += lines
        return list(columns) if len(columns[0]) else None

    def last(self) -> None:
        """What is left at the stream's end: nothing."""

    def after_header(self, block: bytes) -> bytes:
        """What follows comments and a header; learns how rows look."""
        while block:
            line, _, rest = block.partition(b"\n")
            text = line.strip().removeprefix("\ufeff".encode())
            if text and text[:1] not in b"#%":
                fields = self.fields(text)
                words = any(whole_number(field.decode("latin-1")) is None for field in fields[:2])
                if self.header is None and words and text[:1].isalpha():
                    self.header = True
                if not self.header:
                    self.width, self.comma = len(fields), b"," in text
                    return block.removeprefix("\ufeff".encode())
                self.header = False
            block = rest
            self.line += 1
        return b""

    @staticmethod
    def fields(text: bytes) -> list[bytes]:
        """The fields of a row."""
        return [field.strip() for field in text.split(b"," if b"," in text else None)]

    def scan(self, block: bytes) -> list[Any]:
        """Row by row: any valid row, and an error for the first that is none."""
        ends: tuple[list[int], list[int]] = ([], [])
        weights: list[float] = []
        needed = 3 if self.weighted else 2
        for number, line in enumerate(block.split(b"\n"), self.line + 1):
            text = line.split(b"#")[0].split(b"%")[0].strip()
            if not text:
                continue
            where, fields = f"{self.name}, line {number}", self.fields(text)
            if len(fields) < needed:
                what = "two ids and a weight" if self.weighted else "two ids"
                raise InputError(
                    f"{where}: {shown(text[:80].decode('latin-1'))} has {len(fields)} of the fields of a "
                    f"row, {what}; complete or delete the line, or see why the stream was cut off there"
                )
            for end, field in zip(ends, fields, strict=False):
                value = whole_number(field.decode("latin-1"))
                if value is None or not 0 <= value <= ID_MAX:
                    raise InputError(
                        f"{where}: {shown(field[:80].decode('latin-1'))} where an id, a whole number from 0 "
                        f"to {ID_MAX}, should be; if ids are text, read with ids='str'"
                    )
                end.append(value)
            if self.weighted:
                weight = real_number(fields[2].decode("latin-1"))
                if weight is None or not 0 <= weight < float("inf"):
                    raise InputError(
                        f"{where}: the weight {shown(fields[2][:80].decode('latin-1'))}: give finite "
                        "numbers, 0 or more"
                    )
                weights.append(weight)
        columns: list[Any] = [np.array(end, np.int64) for end in ends]
        return [*columns, np.array(weights)] if self.weighted else columns
