"""A case: one input, as it is made, run, kept and shrunk."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, field
from typing import Any


class Failure(Exception):
    """What must not happen happened: `kind` is one of `FAILURES`."""

    def __init__(self, kind, what):
        super().__init__(f"{kind}: {what}")
        self.kind, self.what = kind, what


FAILURES = {  # and the heading of each in the table
    "crash": "crashes",
    "hang": "hangs",
    "memory": "memory",
    "raw": "raw errors",
    "broken": "invariants",
    "lost": "edges lost",
}


@dataclass
class Case:
    """Files to be there, and what is done: a call or a command line, with options."""

    kind: str
    files: dict[str, bytes] = field(default_factory=dict)
    what: dict[str, Any] = field(default_factory=dict)  # JSON

    def write(self, folder):
        """Put the files into a folder."""
        for name, data in self.files.items():
            (folder / name).write_bytes(data)

    def to_json(self):
        """The case on a line; files that are no plain text are compressed."""
        shown = {name: _shown(data) for name, data in self.files.items()}
        return json.dumps({"kind": self.kind, "files": shown, "what": self.what}) + "\n"

    @classmethod
    def from_json(cls, text):
        """What `to_json` wrote."""
        value = json.loads(text)
        files = {name: _bytes(shown) for name, shown in value["files"].items()}
        return cls(value["kind"], files, value["what"])


def _shown(data):
    packed = base64.b85encode(zlib.compress(data, 9)).decode()
    text = data.decode("latin-1")
    return text if len(json.dumps(text)) <= len(packed) + 40 else {"zlib": packed}


def _bytes(shown):
    if isinstance(shown, str):
        return shown.encode("latin-1")
    return zlib.decompress(base64.b85decode(shown["zlib"]))
