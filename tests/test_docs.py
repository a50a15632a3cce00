"""The commands and the Python in README.md, docs/ and docstrings give the outputs shown; docs/ builds.

The blocks of each page run in order, in one folder, on one device; ``console`` blocks hold commands after
``$`` and their output. Times and the name of the device may differ, and the whole output may below
``<!-- output varies -->``. A comment before a block can leave it out: ``<!-- needs: LIBRARY -->`` or
``<!-- needs: clgraph installed -->`` if that is not installed, ``<!-- not run: WHY -->`` always.
``python tests/test_docs.py [PAGE ...]`` writes the outputs of this machine into the pages.
"""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
from html import unescape
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from cli_runs import ROOT, environment, python
from test_examples import TRIALS, networkx_finds_clgraph

import clgraph
from clgraph.public import PUBLIC

DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [README, *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(
    r"(?P<before>(?:<!-- [^\n]* -->\n)?)```(?P<kind>console|python)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
# pages whose blocks take more than 5 s each, a minute together, where all kernels are there
LONG = (
    *("docs/coming-from", "docs/howto/coarsening", "docs/howto/exchange", "docs/howto/new-device"),
    *("docs/howto/shards", "docs/howto/sparsification", "docs/howto/study", "docs/samplers"),
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
IN_CI = os.environ.get("CI") == "true"  # there the extra `test` brings all libraries but these
NOT_IN_CI = {"torch_geometric"}  # hundreds of megabytes with PyTorch


def left_out(before):
    """Whether the comment before a block leaves it out here."""
    if before == "<!-- needs: clgraph installed -->\n":
        return not networkx_finds_clgraph()
    if needs := re.match(r"<!-- needs: (\w+) -->", before):
        return find_spec(needs[1]) is None
    return before.startswith("<!-- not run: ")


def missing(examples):
    """The libraries that examples import and this environment has not."""
    source = "".join(example.source for example in examples)
    names = re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE)
    return {name for name in names if find_spec(name) is None}


def name_of(page):
    return page.relative_to(ROOT).with_suffix("").as_posix()


PAGES_WITH_BLOCKS = [page for page in PAGES if BLOCK.search(page.read_text())]


def commands(body):
    """(command, output) pairs of a block."""
    parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
    assert parts[0] == "", f"a console block begins with '$ ': {parts[0]!r}"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def execute(command, folder):
    """Run a command; returns its status, and stdout and stderr as a terminal shows them."""
    tools = folder / ".bin"
    tools.mkdir(exist_ok=True)
    for name, arguments in (("clgraph", '-m clgraph "$@"'), ("python", '"$@"')):
        program = tools / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}\n')
        program.chmod(0o755)
    env = environment(PATH=f"{tools}{os.pathsep}{os.environ['PATH']}", COLUMNS="100")
    for name in ("CLGRAPH_DEVICE", "PYOPENCL_CTX", "PYOPENCL_TEST"):
        env.pop(name, None)
    ends = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, text=True, timeout=300, **ends)
    return done.returncode, "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def plain(output):
    """An output without what differs between machines and runs."""
    output = re.sub(r"^device .*$", "device", output, flags=re.MULTILINE)
    output = re.sub(r'("device": )".*"', r"\1", output)
    output = re.sub(r"; variant \w+$", "; variant", output, flags=re.MULTILINE)  # by kind of device
    output = re.sub(r"\d+\.\d+(e-\d+)?( s\b)", r"T\2", output)
    return re.sub(r'("\w+": )\d+(\.\d+(e-\d+)?|e-\d+)', r"\1T", output)


@pytest.mark.device
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (name_of(page) in LONG)) for page in PAGES_WITH_BLOCKS],
    ids=name_of,
)
def test_blocks_give_what_they_show(page, tmp_path, monkeypatch):
    text, parser = page.read_text(), doctest.DocTestParser()
    blocks = [block for block in BLOCK.finditer(text) if not left_out(block["before"])]
    lacks = missing(example for block in blocks for example in parser.get_examples(block["body"]))
    if lacks and not IN_CI and page != README:
        pytest.skip(f"{page.name} needs {', '.join(sorted(lacks))}: pip install '.[test]'")
    monkeypatch.chdir(tmp_path)
    runner, names, said = doctest.DocTestRunner(optionflags=FLAGS), {}, []
    for block in blocks:
        if block["kind"] == "console":
            for command, shown in commands(block["body"]):
                status, output = execute(command, tmp_path)
                # an installed clgraph beside the checkout whose pages are tested is a fault to the doctor
                assert status == 0 or (command == "clgraph doctor" and page != README), (
                    f"$ {command}\n{output}"
                )
                if block["before"] != "<!-- output varies -->\n":
                    assert plain(output) == plain(shown), f"$ {command}"
            continue
        line = text[: block.start("body")].count("\n")
        test = parser.get_doctest(block["body"], names, page.name, str(page), line)
        assert test.examples, f"{page}, line {line}: a Python block without >>> is not checked"
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    assert runner.failures == 0, "".join(said)


def test_pages_of_which_something_is_known_have_blocks():
    assert {*LONG, "README"} <= set(map(name_of, PAGES_WITH_BLOCKS))
    assert {block["kind"] for block in BLOCK.finditer(README.read_text())} == {"console", "python"}


def modules_with_examples():
    names = [found.name for found in pkgutil.walk_packages(clgraph.__path__, "clgraph.")]
    files = {name: find_spec(name).origin for name in names if name != "clgraph.__main__"}
    return [name for name, file in files.items() if file and ">>> " in Path(file).read_text()]


@pytest.mark.smoke
@pytest.mark.first_device
@pytest.mark.parametrize("name", modules_with_examples())
def test_docstrings(device, name, tmp_path, monkeypatch):
    monkeypatch.setenv("CLGRAPH_DEVICE", device.spec)
    monkeypatch.chdir(tmp_path)
    runner, said, without = doctest.DocTestRunner(optionflags=FLAGS), [], set()
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        skipped = [example.source for example in test.examples if doctest.SKIP in example.options]
        assert not skipped, "an example that is not run proves nothing"
        lacks = missing(test.examples)
        if not networkx_finds_clgraph() and any('backend="clgraph"' in each.source for each in test.examples):
            lacks.add("an installed clgraph (NetworkX finds its backends by metadata)")
        if lacks := lacks & NOT_IN_CI if IN_CI else lacks:
            without |= lacks
        else:
            runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)
    if without:
        pytest.skip(f"some of the examples need {', '.join(without)}")


def test_the_two_commands_are_one_line_each_and_what_ci_runs():
    marked = re.findall(r"^<!-- ci: run -->\n```sh\n(.*)\n```$", README.read_text(), flags=re.MULTILINE)
    assert len(marked) == 2
    assert marked[0].endswith("clgraph demo")
    assert marked[1].endswith("-m pytest -q -n auto --dist loadfile")
    assert all(line.startswith("python3 -m venv .venv && ") for line in marked)


def test_links_into_the_repository_lead_somewhere():
    for target, anchor in re.findall(r"\]\((?!https?://|#)([^)#]+)(?:#([^)]+))?\)", README.read_text()):
        assert (ROOT / target).exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", (ROOT / target).read_text(), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w-]", "", head.lower().replace(" ", "-")) for head in headings}


def test_it_is_a_first_page():
    assert README.stat().st_size <= 10_240
    assert sum(path.stat().st_size for path in (DOCS / "images").iterdir()) < 60_000


def test_every_public_name_has_its_place_in_the_api():
    pages = {page.stem: page.read_text() for page in (DOCS / "api").glob("*.md")}
    assert {each.page for each in PUBLIC} == set(pages) - {"index"}
    for page in {each.page for each in PUBLIC}:  # docs/conf.py writes what the table has for it
        assert f"\n.. public:: {page}\n" in pages[page]
        assert f"\n{page}\n" in pages["index"]
    text = "".join(pages.values())
    for name in ("karate", "les_miserables", "fetch"):
        assert f"autofunction:: clgraph.datasets.{name}\n" in text


def test_it_builds_without_a_warning(request, tmp_path):
    needed = ("sphinx", "myst_parser", "numpydoc", "gensim", "node2vec")
    if lacks := [name for name in needed if find_spec(name) is None]:
        why = f"{', '.join(lacks)} not installed: pip install '.[docs]'"
        if request.config.getoption("--require"):  # what is not tested must not look tested
            pytest.fail(why)
        pytest.skip(why)
    html = tmp_path / "html"
    options = ("-q", "-W", "--keep-going", "-b", "html", "-d", tmp_path / "trees")
    python("-m", "sphinx", *options, DOCS, html, cwd=tmp_path, timeout=3600).fine()
    page = (html / "api" / "graph.html").read_text()
    for name in ("from_pandas", "to_igraph", "subgraph"):
        assert f'id="clgraph.Graph.{name}"' in page
    for each in PUBLIC:
        page = (html / "api" / f"{each.page}.html").read_text()
        assert each.name == "datasets" or f'id="clgraph.{each.name}"' in page
    for made in html.rglob("*.html"):  # readable without a network
        text = made.read_text()
        assert not re.search(r'<(script|link)[^>]*(src|href)="https?://', text), made.name
        assert not re.search(r"\[R[0-9a-f]{8,}-|attrgetter object", text), made.name  # for machines
        section = re.search(r'aria-label="Section Navigation".*?</nav>', text, re.DOTALL)
        assert section is None or "<a " in section[0], f"{made.name}: an empty section navigation"
    assert "drawn highlight-" in (html / "devices.html").read_text()
    for name, printed in TRIALS.items():
        text = (html / "gallery" / f"{name}.html").read_text()
        outputs = re.findall("sphx-glr-script-out.*?</pre>", text, re.DOTALL)
        assert printed in unescape(re.sub("<[^>]*>", "", "\n".join(outputs))), name
    assert dead_links(html) == []
    planted = '<a href="install.html#gone"></a><img src="gone.svg"><p id="here"><a href="#here"></a>'
    (html / "planted.html").write_text(planted)
    assert dead_links(html) == ["planted.html: install.html#gone", "planted.html: gone.svg"]


class Links(HTMLParser):
    """What a page refers to, and the anchors that it has."""

    def __init__(self, page):
        super().__init__()
        self.targets = []
        self.anchors = {""}
        self.feed(page.read_text())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.append(value)
            elif value and (name == "id" or (tag, name) == ("a", "name")):
                self.anchors.add(value)


def dead_links(folder):
    """Links of a built documentation to files or anchors that are not in it; others' pages are not asked."""
    found = sorted(set(folder.rglob("*.html")) - set((folder / "_static").rglob("*")))  # a theme's templates
    pages = {page: Links(page) for page in found}
    dead = []
    for page, links in pages.items():
        for link in dict.fromkeys(links.targets):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
            known = pages[target].anchors if target in pages else {parts.fragment}
            if not target.is_file() or unquote(parts.fragment) not in known:
                dead.append(f"{page.relative_to(folder)}: {link}")
    return dead


# --- phrases that are not English, or say nothing ---------------------------------------------------------


UNITS = "bytes|edges|vertices|rows|words|bits|steps|milliseconds|once|row|line|word|process|task"
EACH = "vertex|edge|arc|row|level|run|GPU|page|sample|step|iteration|pass|rank|launch|walk|work-item|line"
WORN = {
    "made again": "recomputed, reproduced, rebuilt",
    "again and again": "repeatedly",
    "beside (that|this)": "in addition",
    "(is|are|was|were) told": "gets, is reported",
    f"({UNITS}) an? ({EACH})": "per",
}
# what only the pages must not have: in docstrings a few of these are right
ON_PAGES = {"so many": "this many, a given number of", "tells": "says, shows", "Of (each|such|those)": "For"}


def test_no_worn_phrases():
    pages = [*PAGES, ROOT / "CONTRIBUTING.md"]
    wrong = []
    for file in [*pages, *(ROOT / "clgraph").rglob("*.py")]:
        text = " ".join(file.read_text().split())
        for phrase, better in (WORN | ON_PAGES if file in pages else WORN).items():
            for found in re.finditer(rf"\b{phrase}\b", text):
                around = text[max(0, found.start() - 30) : found.end() + 30]
                wrong.append(f"{file.relative_to(ROOT)}: ...{around}...: {better}")
    assert "\n".join(wrong) == ""


# --- the outputs of this machine ---------------------------------------------------------------------------


class Recorder(doctest.DocTestRunner):
    """Records what each example prints as what it should print."""

    def report_success(self, out, test, example, got):
        if example.exc_msg is None:
            example.want = got

    report_failure = report_success


def update(page):
    """Write the outputs of this machine into a page."""
    parser, names = doctest.DocTestParser(), {}
    recorder = Recorder(optionflags=FLAGS)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)

        def block(match):
            nonlocal names
            if left_out(match["before"]):
                return match[0]
            text = ""
            if match["kind"] == "console":
                for command, _ in commands(match["body"]):
                    status, output = execute(command, Path(folder))
                    if status:
                        sys.exit(f"{page}: $ {command}\n{output}")
                    text += f"$ {command}\n{output}"
            else:
                test = parser.get_doctest(match["body"], names, page.name, str(page), 0)
                recorder.run(test, clear_globs=False)
                names = test.globs
                for example in test.examples:
                    source = example.source.rstrip().replace("\n", "\n... ").replace("\n... \n", "\n...\n")
                    text += f">>> {source}\n{example.want}"
            return f"{match['before']}```{match['kind']}\n{text}```"

        page.write_text(BLOCK.sub(block, page.read_text()))


if __name__ == "__main__":
    for chosen in [Path(name).resolve() for name in sys.argv[1:]] or PAGES_WITH_BLOCKS:
        print(chosen)
        update(chosen)
