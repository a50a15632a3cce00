"""GAPBS (Beamer, Asanovic, Patterson: arXiv:1508.03619): its programs, in the folder that GAPBS_DIR names.

They read the graph from a file and measure themselves.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from clgraph.bench.harness import Told
from clgraph.files import write

if TYPE_CHECKING:
    from clgraph.graph import Graph

TRIALS = 5


def gapbs(program: str, graph: Graph) -> Callable[..., Told]:
    """A call that runs a program with further options, and tells the median of its trials.

    Raises
    ------
    ImportError
        GAPBS_DIR names no folder that has the program.
    """
    found = shutil.which(program, path=os.environ.get("GAPBS_DIR", ""))
    if found is None:
        raise ImportError(f"GAPBS_DIR names no folder with the program {program}")
    folder = tempfile.TemporaryDirectory()
    write(graph, Path(folder.name, "graph.sg"))

    def run(*options: str) -> Told:
        file = str(Path(folder.name, "graph.sg"))
        done = subprocess.run(
            [found, "-f", file, "-n", str(TRIALS), *options], check=True, capture_output=True, text=True
        )
        return Told(statistics.median(map(float, re.findall(r"^Trial Time:\s+(\S+)", done.stdout, re.M))))

    return run
