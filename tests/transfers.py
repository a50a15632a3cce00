"""What moves between the host and a device, by the methods through which all of it goes."""

import traceback
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from clgraph.device.memory import Memory


@contextmanager
def transfers():
    """Within the block: (bytes, method, where in clgraph) of each array that goes either way.

    Where memory is shared nothing is copied, but it is counted all the same.
    """
    seen = []
    plain = {name: getattr(Memory, name) for name in ("upload", "write", "download", "take")}
    inside = []

    def wrapped(name):
        def method(self, *args, **options):
            if not inside:
                if name in ("download", "take"):
                    nbytes = args[2] * np.dtype(args[1]).itemsize
                else:
                    nbytes = args[0 if name == "upload" else 1].nbytes
                frames = [frame for frame in traceback.extract_stack() if "/clgraph/" in frame.filename]
                above = [frame for frame in frames if "/clgraph/device/" not in frame.filename]
                where = (above or frames)[-1]
                seen.append((nbytes, name, f"{where.filename.split('/clgraph/')[-1]}:{where.lineno}"))
            inside.append(name)
            try:
                return plain[name](self, *args, **options)
            finally:
                inside.pop()

        return method

    with patch.multiple(Memory, **{name: wrapped(name) for name in plain}):
        yield seen
