"""How the house is laid out: imports go down only, the three trees agree, nothing hides anything.

The plan is drawn in CONTRIBUTING.md; a new folder gets its place in `FLOORS`.
"""

import ast
import contextlib
import re
import shlex
import subprocess
from functools import cache
from graphlib import TopologicalSorter

import pytest
from cli_runs import ROOT, python
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
    *("_version arguments drawing errors hooks keyed lazy methods progress public results system temporary",),
    *("device graph", "formats", "csr energy", "files", "scale"),
    "run",  # what decides which engine serves a graph
    *("components traversal ranking", "sampling measures centrality communities reference"),
    "studies datasets theses",
    "selftest fpga networkx_backend clgraph",  # clgraph: its __init__.py
    "bench cli __main__",
)
STRANGERS = {frozenset({"device", "graph"})}  # of one floor, and yet unknown to each other
# the table of every public name is the only one whose strings are no imports of its module
LAZY = "clgraph.public"
IMPORTERS = {"import_module", "__import__"}

# --- who imports whom -------------------------------------------------------------------------------------


@cache
def modules():
    """Every module and package of clgraph, by its dotted name."""
    found = {}
    for file in sorted(HOUSE.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def parsed(file):
    return ast.parse(file.read_text(), str(file))


def nodes(kind):
    """The nodes of a kind in all modules, each behind the name of its module."""
    for module, file in modules().items():
        yield from ((module, node) for node in ast.walk(parsed(file)) if isinstance(node, kind))


@cache
def imports():
    """Module -> modules of clgraph that it imports: also inside functions, and for type checkers only."""
    return {name: (set(named_in(name)) & modules().keys()) - {name} for name in modules()}


def named_in(name):
    """What a module imports, also by strings: pairs (module, name), and all where there is an importer."""
    tree = parsed(modules()[name])
    has_importer = any(map(is_importer, ast.walk(tree)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}, line {node.lineno}: imports are absolute"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (full if full in modules() else node.module for full in whole)
        elif name == LAZY:
            continue
        elif isinstance(node, ast.Constant) and has_importer:
            yield node.value
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
            first, second = (getattr(part, "value", None) for part in node.elts)
            if isinstance(second, str) and second.isidentifier():
                yield first


def is_importer(node):
    """Whether a node is a call that imports the module whose name it gets."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in IMPORTERS


def folder(module):
    """The folder, or module, of clgraph/ that a module belongs to; clgraph for its __init__.py."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "clgraph"


def floor(module):
    found = [number for number, names in enumerate(FLOORS) if folder(module) in names.split()]
    assert len(found) == 1, f"{module}: clgraph/{folder(module)} has no floor in FLOORS"
    return found[0]


def test_every_folder_has_a_floor():
    assert {folder(name) for name in modules()} == set(" ".join(FLOORS).split())


def test_imports_go_down():
    wrong = []
    for module, others in imports().items():
        for other in others:
            if frozenset((folder(module), folder(other))) in STRANGERS or floor(other) > floor(module):
                wrong.append(f"{module} imports {other}")
    assert "\n".join(sorted(wrong)) == ""


def test_imports_by_string_can_be_read():
    """What an importer is given stands in the module as it is: nothing is put together."""
    wrong = []
    for name, call in nodes(ast.Call):
        if is_importer(call) and name != LAZY:
            parts = ast.walk(call.args[0])
            if any(isinstance(part, ast.JoinedStr | ast.BinOp | ast.Call) for part in parts):
                wrong.append(f"{name}, line {call.lineno}: {ast.unparse(call)}")
    assert "\n".join(wrong) == ""


def test_no_circles():
    """Among modules, and among folders; `CycleError` names what is on one."""
    folders = {}
    for module, others in imports().items():
        folders.setdefault(folder(module), set()).update({*map(folder, others)} - {folder(module)})
    TopologicalSorter(imports()).prepare()
    TopologicalSorter(folders).prepare()


# imported where they are used: together they would take longer than a sample of 20 000 vertices
HEAVY = {"scipy", "networkx", "pandas", "matplotlib", "pyarrow", "pyopencl", "rich", "PIL"}
UNUSED = {"clgraph.scale", "clgraph.ranking", "clgraph.traversal", "clgraph.formats.gexf", "numpy.ma"}
HOST = [name for name in modules() if folder(name) in ("graph", "formats")]


@pytest.mark.parametrize(
    ("command", "never"),
    [
        ("-c 'import clgraph'", HEAVY | {"numpy"}),
        ("-c 'from clgraph import Graph; Graph.from_edges([0, 1], [1, 2])'", HEAVY),
        ("-c 'import clgraph.sampling, clgraph.formats, clgraph.files'", HEAVY),
        (f"-c 'import {', '.join(HOST)}; clgraph.Graph.from_edges([0, 1], [1, 2])'", {"pyopencl"}),
        ("-c 'import clgraph.cli; clgraph.Graph.from_edges([0, 1], [1, 2])'", {"pyopencl"}),
        ("-m clgraph --help", HEAVY | {"numpy"}),
        ("-m clgraph sample --help", HEAVY | {"numpy"}),
        ("-m clgraph sample g.txt --size 2 -q -o out.txt", HEAVY - {"pyopencl"} | UNUSED),
    ],
    ids=range(8),
)
def test_what_is_imported_where_it_is_used(command, never, tmp_path):
    (tmp_path / "g.txt").write_text("1 2")
    told = python("-X", "importtime", *shlex.split(command), cwd=tmp_path).fine().err
    loaded = {line.rpartition("|")[2].strip() for line in told.splitlines()}
    assert "clgraph" in loaded
    assert never & loaded == set()


# --- names ------------------------------------------------------------------------------------------------


def test_no_module_has_the_name_of_a_public_function():
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
    assert python("-c", code, *names).fine().out == ""


def test_the_three_trees_have_the_same_folders():
    def folders(tree, names):
        return {file.parent.relative_to(tree).as_posix() for file in tree.rglob(names)} - {"."}

    house = folders(HOUSE, "*.py")
    assert {name for name in folders(KERNELS, "*.cl") if not name.startswith("fpga")} <= house
    assert folders(KERNELS / "fpga", "*.cl") <= house
    assert folders(TESTS, "test_*.py") <= house


# --- bounds -----------------------------------------------------------------------------------------------


def test_the_longest_tests_are_there():
    assert [name for name in LONGEST if not (TESTS / name).is_file()] == []


def test_roots_are_small():
    assert len(list(HOUSE.glob("*.py"))) <= 16
    assert len([path for path in KERNELS.iterdir() if path.is_file()]) <= 4


def test_nothing_large_is_committed():
    """What a download or a build has left behind does not slip in with a commit."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    told = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in told.stdout.split("\0") if name and (ROOT / name).is_file()]
    assert len(names) > 500
    assert [name for name in names if (ROOT / name).stat().st_size > 100_000] == []
    assert [name for name in names if name.endswith((".whl", ".gz", ".zip", ".so", ".clg"))] == []


def test_the_formatter_is_seldom_silenced():
    word = "# fmt: " + "skip"
    files = [*HOUSE.rglob("*.py"), *TESTS.rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    assert sum(file.read_text().count(word) for file in files) <= 20


# --- kernels ----------------------------------------------------------------------------------------------


def test_kernels_are_opencl_c():
    """What is a compiler's own is built only where a probe has found it; FPGAs' have their compiler."""
    own = re.compile(r"#\s*pragma\s+(?!OPENCL\b)|\b__builtin_|\basm\b|\b__asm")
    behind = re.compile(r"(HAVE|TRY)_(PREFETCH|PTX)\b|ifdef WITHOUT_")
    wrong = []
    for file in sorted(KERNELS.rglob("*.cl")) + sorted(KERNELS.rglob("*.h")):
        if KERNELS / "fpga" in file.parents:
            continue
        open_ifs = []
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
def parameters_of_kernels(alone=""):
    """Kernel -> all its parameters' names, with the macros that its file asks for, all together.

    Of one kernel, with each of the macros: to read all sources so takes half a minute.
    """
    from clgraph.device.program import read_source
    from clgraph.device.signature import signatures

    found = {}
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


def test_launches_name_what_kernels_take():
    """A name that no variant of the kernel has is found here, even where no test runs the launch."""
    kernels, wrong, seen = parameters_of_kernels(), [], 0
    for module, node in nodes(ast.Call):
        if not isinstance(node.func, ast.Attribute):
            continue
        called = node.func.value if node.func.attr in ("exact", "bind", "launch") else node.func
        kernel = called.attr if isinstance(called, ast.Attribute) else ""
        if not node.keywords or kernel not in kernels or kernel == "probe":
            continue
        seen += 1
        named = {keyword.arg for keyword in node.keywords if keyword.arg} - {"local"}
        if named - kernels[kernel] and (strange := named - parameters_of_kernels(kernel)[kernel]):
            wrong.append(f"{module}, line {node.lineno}: {kernel} has no {', '.join(sorted(strange))}")
    assert "\n".join(wrong) == "" and seen > 300


# --- launch tables ----------------------------------------------------------------------------------------


def test_launch_tables_have_one_form():
    """Each is a `LaunchTable`: no dict by kind of device."""
    wrong, others = [], ("device", "bench", "cli")  # they have tables of other things
    for name, node in nodes(ast.Dict):
        keys = [ast.unparse(key) for key in node.keys if key is not None]
        if "'gpu'" in keys and folder(name) not in others:
            wrong.append(f"{name}, line {node.lineno}: a table by kind of device that is no LaunchTable")
    assert "\n".join(wrong) == ""


def test_mutations_fit_their_files():
    """Each of the mistakes that ``python tests/mutations.py`` makes can still be made."""
    assert len(MUTATIONS) > 90 and list(misfits()) == []
