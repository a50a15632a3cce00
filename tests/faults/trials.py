"""What trials share: commands with outputs, and a process for each command."""

from __future__ import annotations

import os
import pickle
import re
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.workers import in_a_fork

import clgraph
from clgraph.cli import main
from clgraph.sampling import corpus


@dataclass(frozen=True)
class Task:
    """A command that reads ``IN`` and writes ``OUT`` (a name without suffix) with these suffixes."""

    name: str
    args: str
    suffixes: tuple[str, ...]

    @property
    def device(self):
        """Whether it uses one."""
        return not self.args.startswith(("convert ", "generate "))

    def command(self, source, folder):
        """Its arguments."""
        places = {"IN": source, "SHARDS": source.with_suffix(".clgs")}
        out = str(folder / "out")
        return [
            out + word[3:] if word[:3] == "OUT" else str(places.get(word, word)) for word in self.args.split()
        ]

    def files(self, folder):
        """What it writes into a folder."""
        return [folder / f"out{suffix}" for suffix in self.suffixes]


FOLDER = b"a folder\n"


def content(path):
    """The bytes of an output: of a file, or of all files of a folder."""
    if not path.is_dir():
        return path.read_bytes()
    return FOLDER + pickle.dumps([(file.name, file.read_bytes()) for file in sorted(path.iterdir())])


def parts(data):
    """The files of an output, with their names below it."""
    return pickle.loads(data.removeprefix(FOLDER)) if data.startswith(FOLDER) else [("", data)]


def put(path, data):
    """Write an output of these bytes."""
    if data.startswith(FOLDER):
        path.mkdir()
    for name, held in parts(data):
        (path / name).write_bytes(held)


def remove(path):
    """Remove a file, or a folder."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


LDBC = (".v", ".e", ".properties")
CONVERTED = ("txt", "csv", "txt.gz", "mtx", "graph", "npz", "clg", "parquet", "arrow")
TASKS = [
    *(Task(f"convert to {form}", f"convert IN OUT.{form}", (f".{form}",)) for form in CONVERTED),
    Task("convert to ldbc", "convert IN OUT.v", LDBC),
    Task("convert to ldbc, packed", "convert IN OUT.v.gz", (".v.gz", ".e.gz", ".properties")),
    Task("generate", "generate powerlaw --vertices 9000 --seed SEED -o OUT.txt", (".txt",)),
    Task("sample", "sample IN --size 50% --seed 1 -o OUT.txt", (".txt",)),
    Task("sample, recorded", "sample IN --size 9% --seed 1 -o OUT.clg --record OUT.json", (".clg", ".json")),
    Task("samples", "sample IN --sizes 60%,30% --seed 1 -o OUT-{size}.txt", ("-60%.txt", "-30%.txt")),
    Task("sample to ldbc", "sample IN --method cre --size 50% --seed 1 -o OUT.v", LDBC),
    Task("curve", "curve IN --seed 1 -o OUT.csv", (".csv",)),
    Task("curve of shards", "curve SHARDS --method dre --seed 1 -o OUT.csv", (".csv",)),
    Task("convert to shards", "convert IN OUT.clgs", (".clgs",)),
    Task("sample of shards", "sample SHARDS --method dre --size 50% --seed 1 -o OUT.clgs", (".clgs",)),
    Task("forest", "forest SHARDS --seed 1 -o OUT.forest", (".forest",)),
    Task("components", "components IN -o OUT.tsv --largest OUT.txt", (".tsv", ".txt")),
    Task("communities", "communities IN --seed 1 -o OUT.tsv", (".tsv",)),
    Task("paths", "paths IN -s 1 -s 2 -o OUT.tsv", (".tsv",)),
    Task("bfs", "bfs IN -s 1 -o OUT.tsv", (".tsv",)),
    Task("pagerank", "pagerank IN -o OUT.tsv", (".tsv",)),
    Task("centrality", "centrality IN --measure closeness -o OUT.tsv", (".tsv",)),
    Task("ppr", "ppr IN -s 1 -s 2 --top 0 -o OUT.tsv", (".tsv",)),
    Task("walks", "walks IN --method rw --length 9 --seed 1 -o OUT.txt", (".txt",)),
    Task("walks, resumed", "walks IN --method rw --length 9 --seed 1 -o OUT.txt --resume", (".txt",)),
    Task("quality", "quality IN --no-eigenvalues --report OUT.html", (".html",)),
]


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit status, or minus the signal that killed it."""

    status: int
    said: str


@dataclass
class Tally:
    """How trials ended."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, what, end, fault):
        """Count one more; say at once what is wrong with it."""
        self.counts[end] += 1
        if fault is not None:
            self.failures.append(f"{what}: {fault}")
            print(f"{what}: {fault}", file=sys.stderr, flush=True)

    def shown(self):
        """A line of counts."""
        ends = ", ".join(f"{count} {end}" for end, count in self.counts.most_common())
        return f"{sum(self.counts.values())} trials ({ends}), {len(self.failures)} failed"


def begin(args, said, limits=()):
    """Start ``clgraph ARGS`` in a fork of this process, which has opened no driver; its id."""
    # a signal that comes while Python's own hooks of the fork run would be printed and dropped
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    child = in_a_fork(_become, args, said, limits)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return child


def _become(args, said, limits):
    corpus.HOST_SHARE = 1 << 18  # blocks of some thousand walks, so that there is something to resume
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    for descriptor, number in ((nowhere, 0), (out, 1), (out, 2)):
        os.dup2(descriptor, number)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="replace", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="replace", closefd=False)
    for name, most in limits:
        resource.setrlimit(name, (most, most))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    main(list(args))


def end(child, said):
    """Wait for its end."""
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Ended(status, said.read_text(encoding="utf-8", errors="replace") if said.exists() else "")


def run(args, limits=(), folder=None):
    """A command from its start to its end, in a folder of its own or in this one."""
    with tempfile.TemporaryDirectory(prefix="faults-") as new:
        said = Path(new, "said")
        before = os.getcwd()
        os.chdir(folder or new)
        try:
            return end(begin(args, said, limits), said)
        finally:
            os.chdir(before)


def raw(ended):
    """What of a command's words no user should see."""
    found = re.search("Traceback|fault of clgraph|Exception ignored", ended.said)
    return f"{found[0]}: {ended.said[-600:]}" if found else None


def temporary(folder):
    """Temporary files of clgraph in a folder."""
    return sorted(folder.glob(".clgraph-*"))


@dataclass(frozen=True)
class Prepared:
    """A task, and what it writes from two inputs."""

    task: Task
    old: dict[str, bytes]
    new: dict[str, bytes]
    command: list[str]  # writes the new files, into `folder`
    folder: Path

    def put_old(self):
        """Make the folder anew, with the old files."""
        for file in self.folder.iterdir():
            remove(file)
        for name, data in self.old.items():
            put(self.folder / name, data)

    def fault(self):
        """What is wrong with the files that are there: each is the old or the new one, whole."""
        there = {}
        for name in self.old:
            try:
                there[name] = content(self.folder / name)
            except FileNotFoundError:
                return f"{name} is gone"
        if self.task.suffixes[-1] == ".properties":
            return None if there in (self.old, self.new) else self.refused()
        known = {name: (self.old[name], self.new[name]) for name in there}
        strange = [name for name, data in there.items() if data not in known[name] and not whole(name, data)]
        return f"{', '.join(strange)}: neither the old nor the new one" if strange else None

    def refused(self):
        """Files of one output that do not belong together are refused by the reader."""
        try:
            graph = clgraph.read(self.folder / f"out{self.task.suffixes[0]}")
        except clgraph.InputError:
            return None
        return f"a mixture of old and new is read as {graph}"

    def is_new(self):
        """Whether all files are the new ones."""
        found = {name: content(self.folder / name) for name in self.new}
        return all(data == self.new[name] or whole(name, data) for name, data in found.items())


def whole(name, data):
    """Whether a file that says when it was made, or how long that took, has its end."""
    if name.endswith(".html"):
        return data.rstrip().endswith(b"</html>")
    return name.endswith(".json") and data.startswith(b"{") and data.endswith(b"}\n")


# what each task writes from the two graphs, once made: kills and disks use the same
_made = {}


def prepare(task, folder):
    """Run a task on two graphs, without a fault; the graphs are beside the folder, for all tasks."""
    sources = [folder.parent / f"graph{number}.txt" for number in (1, 2)]
    for number, source in enumerate(sources, start=1):
        if not source.exists():
            text = f"generate powerlaw --vertices {4000 + 8000 * number} --seed {number} -o"
            assert run([*text.split(), str(source)]).status == 0
            assert run(["convert", str(source), str(source.with_suffix(".clgs"))]).status == 0
    place = folder / "place"
    place.mkdir()

    def command(number):
        words = task.command(sources[number - 1], place)
        return [str(number) if word == "SEED" else word for word in words]

    if task.name not in _made:
        made = []
        for number in (1, 2):
            ended = run(command(number))
            assert ended.status == 0, ended.said
            made.append({file.name: content(file) for file in task.files(place)})
            for file in place.iterdir():
                remove(file)
        _made[task.name] = made
    return Prepared(task, *_made[task.name], command(2), place)
