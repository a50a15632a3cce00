"""Command lines, run by `clgraph.cli.main` in this process."""

import os
import sys
from pathlib import Path

import click

from clgraph.cli import cli, main
from fuzz.case import Case, Failure
from fuzz.texts import text_case

VALUES = (
    *("", "0", "1", "-1", "2", "0.5", "50%", "-0.5", "1e99999999", "1e-99999999", "nan", "inf", "-inf"),
    *("²", "٣", "1_0", "0x1", "99999999999999999999", "9" * 5000, "é", "a b", "\0", "\udcff"),
    *("g.txt", "none.txt", ".", "/", "/dev/null", "none/out.txt", "o" * 300, "out.clg", "out.txt"),
    *("out-{size}.txt", "{seed}", "{", "{0}", "{size.x}", "--", "-h", "~nouser/x", "1,2,3", "70%,50%"),
    *("edges", "mtx", "drv", "weak", "strong", "uniform", "float64"),
    *("999999999", "2147483648", "18446744073709551616", "0.1 0.1 0.1"),
)
# every command, with what it needs
COMMANDS = {
    "sample": "IN --size 2 --seed 1 -o OUT.txt",
    "walks": "IN --seed 1 --length 3 -o OUT.txt",
    "curve": "IN --seed 1",
    "quality": "IN --no-eigenvalues",
    "study": "IN --methods drv --sizes 2 --seeds 1 --no-eigenvalues --no-figures -o OUT",
    "replay": "IN",
    "bfs": "IN -s 0",
    "paths": "IN -s 0",
    "components": "IN",
    "communities": "IN --seed 1",
    "pagerank": "IN",
    "ppr": "IN -s 0 --seed 1",
    "centrality": "IN --measure closeness",
    "forest": "IN -o OUT.forest",
    "info": "IN",
    "convert": "IN OUT.clg",
    "generate powerlaw": "--vertices 20 --seed 1 -o OUT.txt",
    "generate rmat": "--scale 4 --seed 1 -o OUT.txt",
    "generate ba": "--vertices 20 --edges-each 2 --seed 1 -o OUT.txt",
    "generate copra": "--vertices 200 --seed 1 -o OUT.txt",
    "generate er": "--vertices 20 --edges 30 --seed 1 -o OUT.txt",
    "generate ws": "--vertices 20 --degree 4 --probability 0.1 --seed 1 -o OUT.txt",
    "generate configuration": "--vertices 20 --seed 1 -o OUT.txt",
    "generate static": "--vertices 20 --seed 1 -o OUT.txt",
    "generate lfr": "--vertices 200 --seed 1 -o OUT.txt",
    "methods": "",
    "formats": "",
    "completion": "bash",
    "devices": "",
    "cache": "",
    "fpga show": "IN",
}
ON_HOST = ("info", "convert", "generate powerlaw", "generate rmat", "cache", "fpga show")
# what else the fuzzer begins with: samplers of other families, and no command at all
HOST = {name: COMMANDS[name] for name in ON_HOST} | {"": "", "none": ""}
NOT_FUZZED = ("walks", "study", "replay", "forest", "methods", "formats", "completion", "devices")
DEVICE = {name: rest for name, rest in COMMANDS.items() if name not in (*ON_HOST, *NOT_FUZZED)}
DEVICE |= {
    "quality IN": "IN --no-eigenvalues",
    "sample IN": "--method re --edges 2 --seed 1 -o OUT.txt",
    "sample IN --seed 1": "--method rw --steps 9 -o OUT.txt",
    "sample IN --seed 2": "--method ff --size 2 -o OUT.graphml",
    "sample IN --seed 3": "--method pies --size 2 -o OUT.txt",
}
# with a right value these take long, remove things or open what is not there
LEFT_OUT = {"--clear", "--energy", "--watts"}


def options_of(words):
    """The options of a command: of the first words that are no arguments."""
    found = cli
    for word in words:
        if isinstance(found, click.Group):
            found = found.get_command(click.Context(cli), word)
    options = [option for option in getattr(found, "params", ()) if isinstance(option, click.Option)]
    return [option for option in options if not LEFT_OUT & set(option.opts)]


LONG = {
    *["--vertices", "--scale", "--edge-factor", "--average-degree", "--walks", "--max-iter", "--seeds"],
    *["--hop-sources", "--epsilon", "--steps", "--walkers", "--burn-in", "--thin", "--patience", "--starts"],
    "--walks-per-vertex",
}
OF_ALL = ("--nonsense", "--help", "-h")
# not for host commands, whose workers are forks and may open no driver
OF_DEVICES = ("--device", "--kernels", "--fpga-binary", "--force", "--trace")


def command_case(kind, rng):
    """A command with options that are right, odd or in the wrong place, on a graph that may be damaged."""
    device = kind == "device commands"
    table = DEVICE if device else HOST
    name = rng.choice(tuple(table))
    words, places = name.split(), table[name].split()
    marks = [mark for each in options_of(words) for mark in (*each.opts, *each.secondary_opts)]
    known = [mark for mark in (*OF_ALL, *marks) if device or mark not in OF_DEVICES]
    files = {"IN": "g.txt", "OUT.txt": "out.txt", "OUT.clg": "out.clg", "OUT.graphml": "out.graphml"}
    args = [files.get(word, word) for word in (*words, *places)]
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        option = rng.choice(VALUES if name == "none" else known)
        args.append(option)
        if rng.random() < 0.8:
            value = rng.choice(VALUES)
            if option in LONG and len(value) > 3 and value.strip("0123456789.e") == "":
                value = "3"
            args.append(value)
    if places and rng.random() < 0.15:
        place = rng.randrange(len(words), len(args))
        if args[place - 1] not in LONG:
            args[place] = rng.choice(VALUES)
    if rng.random() < 0.03 and args:
        del args[rng.randrange(len(args))]
    files = {"g.txt": b"0 1\n1 2\n2 3 # x\n3 0\n"}
    if rng.random() < 0.2:
        files = {"g.txt": text_case("edges", rng).files.popitem()[1]}
    return Case(kind, files, {"args": args})


def run_command(case, folder):
    """Whether the command ended with 0; a `Failure` for a traceback, an odd status or an odd exception."""
    os.chdir(folder)
    case.write(folder)
    args = [text.replace("\udcff", os.fsdecode(b"\xff")) for text in case.what["args"]]
    status = 0
    before, descriptors = (sys.stdout, sys.stderr), [os.dup(1), os.dup(2)]
    try:
        with (
            open("stdout", "w", encoding="utf-8") as out,
            open("stderr", "w", encoding="utf-8", errors="replace") as err,
        ):
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.stdout, sys.stderr = out, err
            try:
                main(args)
            except SystemExit as stop:
                status = stop.code or 0
    finally:
        sys.stdout, sys.stderr = before
        for number, kept in enumerate(descriptors, 1):
            os.dup2(kept, number)
            os.close(kept)
        os.environ.pop("CLGRAPH_KERNELS", None)
    said = Path("stderr").read_text(encoding="utf-8", errors="replace")
    for words, kind in (("Traceback", "raw"), ("unexpected ", "raw"), ("out of memory:", "memory")):
        if words in said and (words != "unexpected " or "fault of clgraph" in said):
            raise Failure(kind, said.strip()[-400:].splitlines()[0])
    if status not in (0, 1, 2, 130, 141, 143):
        raise Failure("raw", f"exit status {status!r}: {said[-300:]}")
    return status == 0
