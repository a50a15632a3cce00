"""How the house is laid out: imports go down only, the three trees agree, nothing hides anything.

The plan is drawn in CONTRIBUTING.md; a new folder gets its place in `FLOORS`.
"""

from __future__ import annotations

import ast
import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from cli_runs import ROOT, environment
from conftest import LONGEST
from mutations import MUTATIONS, misfits

from clgraph.errors import BuildError

HOUSE = ROOT / "clgraph"
KERNELS = ROOT / "cl"
TESTS = ROOT / "tests"
pytestmark = pytest.mark.skipif(
    not KERNELS.is_dir(), reason="needs the source tree, not an installed package"
)

# a module or folder of clgraph/ may import those of its own floor and of those below, never those above
FLOORS = (
    {
        "_version",
        "arguments",
        "errors",
        "hooks",
        "keyed",
        "lazy",
        "methods",
        "public",
        "system",
        "results",
        "progress",
        "drawing",
        "temporary",
    },
    {"device", "graph"},
    {"formats"},
    {"csr", "energy"},
    {"files"},
    {"scale"},
    {"run"},  # what decides which engine serves a graph
    {"components", "traversal", "ranking"},
    {"sampling", "measures", "centrality", "communities", "reference"},
    {"studies", "datasets", "theses"},
    {"selftest", "fpga", "networkx_backend", "clgraph"},  # clgraph: its __init__.py
    {"bench", "cli", "__main__"},
)
STRANGERS = {frozenset({"device", "graph"})}  # of one floor, and yet unknown to each other
# the table of every public name is the only one whose strings are no imports of its module
LAZY = "clgraph.public"
IMPORTERS = {"import_module", "__import__"}

# --- who imports whom -------------------------------------------------------------------------------------


@cache
def modules() -> dict[str, Path]:
    """Every module and package of clgraph, by its dotted name."""
    found = {}
    for file in sorted(HOUSE.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(), str(file))


@cache
def imports() -> dict[str, set[str]]:
    """Module -> modules of clgraph that it imports: also inside functions, and for type checkers only."""
    return {name: set(imports_of(name)) for name in modules()}


def imports_of(name: str) -> Iterator[str]:
    """Also by strings: pairs (module, name), and where there is an importer all that name a module."""
    known, tree = modules(), parsed(modules()[name])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}, line {node.lineno}: imports are absolute"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [full if full in known else str(node.module) for full in whole]
        else:
            continue
        yield from (each for each in names if each in known and each != name)
    if name != LAZY and any(True for _ in imported_by_string(tree)):
        strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        yield from (each for each in strings if each in known and each != name)
    for node in ast.walk(tree):
        if name != LAZY and isinstance(node, ast.Tuple) and len(node.elts) == 2:
            first, second = (getattr(part, "value", None) for part in node.elts)
            if first in known and first != name and isinstance(second, str) and second.isidentifier():
                yield first


def imported_by_string(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls of importers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in IMPORTERS:
            yield node


def folder(module: str) -> str:
    """The folder, or module, of clgraph/ that a module belongs to; clgraph for its __init__.py."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "clgraph"


def floor(module: str) -> int:
    found = [number for number, names in enumerate(FLOORS) if folder(module) in names]
    assert len(found) == 1, f"{module}: clgraph/{folder(module)} has no floor in FLOORS"
    return found[0]


def circle(edges: dict[str, set[str]]) -> list[str]:
    """Names on circles and on paths between them: what is left when ends are cut off, again and again."""
    left = {name: others - {name} for name, others in edges.items()}
    for _ in range(2):  # first those that import nothing, then those that nothing imports
        while ends := [name for name, others in left.items() if not others & left.keys()]:
            for name in ends:
                del left[name]
        left = {name: {other for other in left if name in left[other]} for name in left}
    return sorted(left)


def test_every_folder_has_a_floor() -> None:
    assert {folder(name) for name in modules()} == set().union(*FLOORS)


def test_imports_go_down() -> None:
    wrong = []
    for module, others in imports().items():
        for other in others:
            if frozenset((folder(module), folder(other))) in STRANGERS or floor(other) > floor(module):
                wrong.append(f"{module} imports {other}")
    assert "\n".join(sorted(wrong)) == ""


def test_imports_by_string_can_be_read() -> None:
    """What an importer is given stands in the module as it is: nothing is put together."""
    wrong = []
    for name, file in modules().items():
        for call in imported_by_string(parsed(file)):
            made = any(
                isinstance(node, ast.JoinedStr | ast.BinOp | ast.Call) for node in ast.walk(call.args[0])
            )
            if made and name != LAZY:
                wrong.append(f"{name}, line {call.lineno}: {ast.unparse(call)}")
    assert "\n".join(wrong) == ""


def test_no_circle_among_modules() -> None:
    assert circle(imports()) == []


def test_no_circle_among_folders() -> None:
    edges: dict[str, set[str]] = {}
    for module, others in imports().items():
        edges.setdefault(folder(module), set()).update(map(folder, others))
    assert circle(edges) == []


def test_a_circle_would_be_seen() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["b", "c"]
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize(
    "names",
    ["clgraph", "clgraph.cli", " ".join(name for name in modules() if folder(name) in ("graph", "formats"))],
    ids=["clgraph", "clgraph.cli", "clgraph.graph"],
)
def test_importing_loads_no_opencl(names: str) -> None:
    code = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "import clgraph\n"
        "clgraph.Graph.from_edges([0, 1], [1, 2])\n"
        "print([name for name in sys.modules if name.startswith('pyopencl')])"
    )
    assert python(code, *names.split()) == "[]\n"


# imported where they are used: together they would take longer than a sample of 20 000 vertices
HEAVY = {"scipy", "networkx", "pandas", "matplotlib", "pyarrow", "pyopencl", "rich", "PIL"}


@pytest.mark.parametrize(
    ("code", "never"),
    [
        ("import clgraph", HEAVY | {"numpy"}),
        ("from clgraph import Graph; Graph.from_edges([0, 1], [1, 2])", HEAVY),
        ("import clgraph.sampling, clgraph.formats, clgraph.files", HEAVY),
        ("import clgraph.cli as c; sys.argv = ['clgraph', '--help']; run(c.main)", HEAVY | {"numpy"}),
        (
            "import clgraph.cli as c; sys.argv = ['clgraph', 'sample', '--help']; run(c.main)",
            HEAVY | {"numpy"},
        ),
        (
            "open('g.txt', 'w').write('1 2'); import clgraph.cli as c; "
            "sys.argv = ['clgraph', 'sample', 'g.txt', '--size', '2', '-q', '-o', 'out.txt']; run(c.main)",
            (HEAVY - {"pyopencl"})
            | {"clgraph.scale", "clgraph.ranking", "clgraph.traversal", "clgraph.formats.gexf", "numpy.ma"},
        ),
    ],
)
def test_what_is_imported_where_it_is_used(code: str, never: set[str], tmp_path: Path) -> None:
    head = "import sys\ndef run(main):\n    try: main()\n    except SystemExit: pass\n"
    end = "\nprint('|', *sorted(sys.modules))"
    loaded = python(head + code + end, folder=tmp_path).rpartition("|")[2].split()
    assert "clgraph" in loaded
    assert never & set(loaded) == set()


def python(code: str, *args: str, folder: Path = ROOT) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, env=environment(), cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- names ------------------------------------------------------------------------------------------------


def test_no_module_has_the_name_of_a_public_function() -> None:
    """After all modules were imported, ``import a.b.c as m`` gives the module, not a function."""
    names = [name for name in modules() if name not in ("clgraph", "clgraph.__main__")]
    code = (
        "import importlib, sys\n"
        "names = sys.argv[1:]\n"
        "for name in names: importlib.import_module(name)\n"
        "import clgraph\n"
        "for name in clgraph.__all__: getattr(clgraph, name)\n"
        "for name in names:\n"
        "    parent, _, last = name.rpartition('.')\n"
        "    if getattr(sys.modules[parent], last) is not sys.modules[name]: print(name)\n"
    )
    assert python(code, *names) == ""


def test_the_three_trees_have_the_same_folders() -> None:
    def folders(tree: Path, suffix: str) -> set[str]:
        return {file.parent.relative_to(tree).as_posix() for file in tree.rglob(f"*{suffix}")} - {"."}

    house = folders(HOUSE, ".py")
    assert {name for name in folders(KERNELS, ".cl") if not name.startswith("fpga")} <= house
    assert {name.removeprefix("fpga/") for name in folders(KERNELS / "fpga", ".cl")} <= house
    assert {file.parent.relative_to(TESTS).as_posix() for file in TESTS.rglob("test_*.py")} - {"."} <= house


# --- bounds -----------------------------------------------------------------------------------------------


def test_the_longest_tests_are_there() -> None:
    assert [name for name in LONGEST if not (TESTS / name).is_file()] == []


def test_roots_are_small() -> None:
    assert len(list(HOUSE.glob("*.py"))) <= 16
    assert len([path for path in KERNELS.iterdir() if path.is_file()]) <= 4
    assert (ROOT / "README.md").stat().st_size <= 10_240


def test_nothing_large_is_committed() -> None:
    """What a download or a build has left behind does not slip in with a commit."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    told = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in told.stdout.split("\0") if name and (ROOT / name).is_file()]
    assert len(names) > 500
    assert [name for name in names if (ROOT / name).stat().st_size > 100_000] == []
    assert [name for name in names if name.endswith((".whl", ".gz", ".zip", ".so", ".clg"))] == []


def test_the_formatter_is_seldom_silenced() -> None:
    word = "# fmt: " + "skip"
    files = [*HOUSE.rglob("*.py"), *TESTS.rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    assert sum(file.read_text().count(word) for file in files) <= 20


# --- kernels ----------------------------------------------------------------------------------------------


def test_kernels_are_opencl_c() -> None:
    """What is a compiler's own is built only where a probe has found it; FPGAs' have their compiler."""
    own = re.compile(r"#\s*pragma\s+(?!OPENCL\b)|\b__builtin_|\basm\b|\b__asm")
    behind = re.compile(r"(HAVE|TRY)_(PREFETCH|PTX)\b|ifdef WITHOUT_")
    wrong = []
    for file in sorted(KERNELS.rglob("*.cl")) + sorted(KERNELS.rglob("*.h")):
        if KERNELS / "fpga" in file.parents:
            continue
        open_ifs: list[str] = []
        for number, line in enumerate(file.read_text().splitlines(), 1):
            code = line.split("//")[0]
            if re.match(r"\s*#\s*if", code):
                open_ifs.append(code)
            elif re.match(r"\s*#\s*el(if|se)", code):
                open_ifs[-1] = code
            elif re.match(r"\s*#\s*endif", code):
                open_ifs.pop()
            elif own.search(code) and not any(map(behind.search, open_ifs)):
                wrong.append(f"{file.relative_to(ROOT)}, line {number}: {code.strip()}")
    assert "\n".join(wrong) == ""


@cache
def parameters_of_kernels(alone: str = "") -> dict[str, set[str]]:
    """Kernel -> all its parameters' names, with the macros that its file asks for, all together.

    Of one kernel, with each of the macros: to read all sources so takes half a minute.
    """
    from clgraph.device.program import read_source
    from clgraph.device.signature import signatures

    found: dict[str, set[str]] = {}
    for file in sorted(KERNELS.rglob("*.cl")):
        source = read_source(file.relative_to(KERNELS).with_suffix("").as_posix())
        if alone and not re.search(rf"\b{alone}\b", source):
            continue
        asked = sorted({match[1] for match in re.finditer(r"(?:ifn?def|defined\(?) *(\w+)", source)})
        macros = [[each] for each in asked] if alone else [asked]
        for defined in ([], *macros):
            with contextlib.suppress(BuildError):  # a macro that is a type, defined as 1
                options = ("-DHAVE_FP64", *(f"-D{macro}" for macro in defined))
                for kernel, signature in signatures(source, options).items():
                    found.setdefault(kernel, set()).update(each.name for each in signature.parameters)
    return found


def test_launches_name_what_kernels_take() -> None:
    """A name that no variant of the kernel has is found here, even where no test runs the launch."""
    kernels, wrong, seen = parameters_of_kernels(), [], 0
    for module, file in modules().items():
        for node in ast.walk(parsed(file)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.keywords):
                continue
            called = node.func.value if node.func.attr in ("exact", "bind", "launch") else node.func
            kernel = called.attr if isinstance(called, ast.Attribute) else ""
            if kernel not in kernels or kernel == "probe":
                continue
            seen += 1
            named = {keyword.arg for keyword in node.keywords if keyword.arg} - {"local"}
            if named - kernels[kernel] and (strange := named - parameters_of_kernels(kernel)[kernel]):
                wrong.append(f"{module}, line {node.lineno}: {kernel} has no {', '.join(sorted(strange))}")
    assert "\n".join(wrong) == "" and seen > 300


# --- launch tables ----------------------------------------------------------------------------------------


def test_launch_tables_have_one_form() -> None:
    """Each is a `LaunchTable`: no dict by kind of device."""
    wrong = []
    for name, file in modules().items():
        if folder(name) in ("device", "bench", "cli"):  # they have tables of other things
            continue
        for node in ast.walk(parsed(file)):
            keys = [ast.unparse(key) for key in getattr(node, "keys", []) if isinstance(key, ast.AST)]
            if isinstance(node, ast.Dict) and "'gpu'" in keys:
                wrong.append(f"{name}, line {node.lineno}: a table by kind of device that is no LaunchTable")
    assert "\n".join(wrong) == ""


def test_mutations_fit_their_files():
    """Each of the mistakes that ``python tests/mutations.py`` makes can still be made."""
    assert len(MUTATIONS) > 90 and list(misfits()) == []
