"""The commands and the Python in docs/ run and give the outputs shown; docs/ builds without a warning.

The blocks of each page run in order, in one folder, on one device. The rules of tests/test_readme.py apply:
times and names of devices may differ. A comment before a block can leave it out: ``<!-- needs: LIBRARY -->``
or ``<!-- needs: clgraph installed -->`` if that is not installed, ``<!-- not run: WHY -->`` always.
``python tests/test_docs.py [PAGE ...]`` writes the outputs of this machine into the pages.
"""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from html import unescape
from html.parser import HTMLParser
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from cli_runs import ROOT, environment
from test_examples import TRIALS
from test_readme import Recorder, commands, execute, plain

from clgraph.public import PUBLIC

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
BLOCK = re.compile(
    r"(?P<before>(?:<!-- [^\n]* -->\n)?)```(?P<kind>console|python)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
# pages whose blocks take more than 5 s each, a minute together, where all kernels are there
LONG = (
    *("coming-from", "howto/coarsening", "howto/exchange", "howto/new-device"),
    *("howto/shards", "howto/sparsification", "howto/study", "samplers"),
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def left_out(before: str) -> bool:
    """Whether the comment before a block leaves it out here."""
    if before == "<!-- needs: clgraph installed -->\n":  # NetworkX finds backends by their entry points
        return not any(found.name == "clgraph" for found in entry_points(group="networkx.backends"))
    needs = re.match(r"<!-- needs: (\w+) -->", before)
    if needs:
        return importlib.util.find_spec(needs[1]) is None
    return before.startswith("<!-- not run: ")


def pages_with_blocks() -> list[Path]:
    return [page for page in PAGES if BLOCK.search(page.read_text())]


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).with_suffix("").as_posix()


@pytest.mark.device
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (name_of(page) in LONG)) for page in pages_with_blocks()],
    ids=name_of,
)
def test_blocks_give_what_they_show(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {
        name
        for block in BLOCK.finditer(page.read_text())
        if not left_out(block["before"])
        for name in re.findall(r"^>>> (?:import|from) (\w+)", block["body"], re.MULTILINE)
        if importlib.util.find_spec(name) is None
    }
    if missing and os.environ.get("CI") != "true":  # there the extra `test` brings them
        pytest.skip(f"{page.name} needs {', '.join(sorted(missing))}: pip install '.[test]'")
    monkeypatch.chdir(tmp_path)
    parser, names, said = doctest.DocTestParser(), {}, []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for block in BLOCK.finditer(page.read_text()):
        if left_out(block["before"]):
            continue
        if block["kind"] == "console":
            for command, shown in commands(block["body"]):
                status, output = execute(command, tmp_path)
                # an installed clgraph beside the checkout whose pages are tested is a fault to the doctor
                assert status == 0 or command == "clgraph doctor", f"$ {command}\n{output}"
                if block["before"] != "<!-- output varies -->\n":
                    assert plain(output) == plain(shown), f"$ {command}"
            continue
        line = page.read_text()[: block.start("body")].count("\n")
        test = parser.get_doctest(block["body"], names, page.name, str(page), line)
        assert test.examples, f"{page}, line {line}: a Python block without >>> is not checked"
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    assert runner.failures == 0, "".join(said)


def test_long_pages_are_there() -> None:
    assert set(LONG) <= set(map(name_of, pages_with_blocks()))


def test_every_public_name_has_its_place_in_the_api() -> None:
    pages = {page.stem: page.read_text() for page in (DOCS / "api").glob("*.md")}
    assert {each.page for each in PUBLIC} == set(pages) - {"index"}
    for page in {each.page for each in PUBLIC}:  # docs/conf.py writes what the table has for it
        assert f"\n.. public:: {page}\n" in pages[page]
        assert f"\n{page}\n" in pages["index"]
    text = "".join(pages.values())
    for name in ("karate", "les_miserables", "fetch"):
        assert f"autofunction:: clgraph.datasets.{name}\n" in text


def test_it_builds_without_a_warning(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    needed = ("sphinx", "myst_parser", "numpydoc", "gensim", "node2vec")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        why = f"{', '.join(missing)} not installed: pip install '.[docs]'"
        if request.config.getoption("--require"):  # what is not tested must not look tested
            pytest.fail(why)
        pytest.skip(why)
    options = ("-q", "-W", "--keep-going", "-b", "html", "-d", str(tmp_path / "trees"))
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(DOCS), str(tmp_path / "html")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "html" / "api" / "graph.html").read_text()
    for name in ("from_pandas", "to_igraph", "subgraph"):
        assert f'id="clgraph.Graph.{name}"' in page
    for each in PUBLIC:
        page = (tmp_path / "html" / "api" / f"{each.page}.html").read_text()
        assert each.name == "datasets" or f'id="clgraph.{each.name}"' in page
    for made in (tmp_path / "html").rglob("*.html"):  # readable without a network
        text = made.read_text()
        assert not re.search(r'<(script|link)[^>]*(src|href)="https?://', text), made.name
        assert not re.search(r"\[R[0-9a-f]{8,}-|attrgetter object", text), made.name  # for machines
        section = re.search(r'aria-label="Section Navigation".*?</nav>', text, re.DOTALL)
        assert section is None or "<a " in section[0], f"{made.name}: an empty section navigation"
    assert "drawn highlight-" in (tmp_path / "html" / "devices.html").read_text()
    for name, printed in TRIALS.items():
        text = (tmp_path / "html" / "gallery" / f"{name}.html").read_text()
        outputs = re.findall("sphx-glr-script-out.*?</pre>", text, re.DOTALL)
        assert printed in unescape(re.sub("<[^>]*>", "", "\n".join(outputs))), name
    assert dead_links(tmp_path / "html") == []
    planted = tmp_path / "html" / "planted.html"
    planted.write_text(
        '<a href="install.html#gone"></a><img src="gone.svg"><p id="here"><a href="#here"></a>'
    )
    assert dead_links(tmp_path / "html") == ["planted.html: install.html#gone", "planted.html: gone.svg"]


class Links(HTMLParser):
    """What a page refers to, and the anchors that it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors = {""}
        self.feed(page.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.append(value)
            elif value and (name == "id" or (tag, name) == ("a", "name")):
                self.anchors.add(value)


def dead_links(folder: Path) -> list[str]:
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


def update(page: Path) -> None:
    """Write the outputs of this machine into a page."""
    parser, names = doctest.DocTestParser(), {}
    recorder = Recorder(optionflags=FLAGS)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)

        def block(match: re.Match[str]) -> str:
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
                test: Any = parser.get_doctest(match["body"], names, page.name, str(page), 0)
                wanted = {id(example): example.want for example in test.examples}
                recorder.run(test, clear_globs=False)
                names = test.globs
                for example in test.examples:
                    want = wanted[id(example)] if example.exc_msg else example.want
                    source = example.source.rstrip().replace("\n", "\n... ").replace("\n... \n", "\n...\n")
                    text += f">>> {source}\n{want}"
            return f"{match['before']}```{match['kind']}\n{text}```"

        page.write_text(BLOCK.sub(block, page.read_text()))


if __name__ == "__main__":
    for chosen in [Path(name).resolve() for name in sys.argv[1:]] or pages_with_blocks():
        print(chosen)
        update(chosen)


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


def test_no_worn_phrases() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    wrong = []
    for file in [*pages, *(ROOT / "clgraph").rglob("*.py")]:
        text = " ".join(file.read_text().split())
        for phrase, better in (WORN | ON_PAGES if file in pages else WORN).items():
            for found in re.finditer(rf"\b{phrase}\b", text):
                around = text[max(0, found.start() - 30) : found.end() + 30]
                wrong.append(f"{file.relative_to(ROOT)}: ...{around}...: {better}")
    assert "\n".join(wrong) == ""
