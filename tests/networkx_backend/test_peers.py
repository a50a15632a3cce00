"""The table in docs/networkx.md of what other backends of NetworkX have.

``python tests/networkx_backend/test_peers.py`` writes it from the backends that are installed (without what
they need: ``pip install --no-deps nx-cugraph-cu12 nx-parallel graphblas-algorithms``), on which
no test depends: of one that is not installed the table's marks are checked against nothing.
"""

import importlib.util
import re
import sys
import warnings
from importlib.metadata import version

from cli_runs import ROOT

from _clgraph_networkx import FUNCTIONS

PAGE = ROOT / "docs" / "networkx.md"
PEERS = {  # what NetworkX reads of each, and its distribution
    "nx-cugraph": ("_nx_cugraph", "nx-cugraph-cu12"),
    "nx-parallel": ("_nx_parallel", "nx-parallel"),
    "graphblas-algorithms": ("_nx_graphblas", "graphblas-algorithms"),
}
ROW = re.compile(r"^\| `(\w+)` \| (yes|) ?\| (yes|) ?\| (yes|) ?\|$", re.MULTILINE)


def functions(module):
    """The functions of an installed backend."""
    if importlib.util.find_spec(module) is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it needs and has not
        return set(importlib.import_module(module).get_info()["functions"])


def test_the_table_has_every_function_and_is_right():
    rows = {name: marks for name, *marks in ROW.findall(PAGE.read_text())}
    assert list(rows) == list(FUNCTIONS), f"python {__file__} writes the table"
    for place, (peer, (module, _)) in enumerate(PEERS.items()):
        theirs = functions(module)
        if theirs is not None:
            wrong = [name for name in rows if (rows[name][place] == "yes") != (name in theirs)]
            assert wrong == [], peer


if __name__ == "__main__":
    known = [functions(module) for module, _ in PEERS.values()]
    if None in known:
        sys.exit("install all of them: the table is written whole")
    lines = []
    for name in FUNCTIONS:
        marks = ("yes |" if name in theirs else "|" for theirs in known if theirs is not None)
        lines.append(f"| `{name}` | {' '.join(marks)}")
    text = PAGE.read_text()
    first, last = (list(ROW.finditer(text))[place] for place in (0, -1))
    PAGE.write_text(text[: first.start()] + "\n".join(lines) + text[last.end() :])
    for peer, (module, name) in PEERS.items():
        print(peer, version(name), len(functions(module) or ()))
