"""Odd command lines: every command, every option, with no value, an odd one, twice, or in the wrong place."""

import random
import resource
import tempfile
from pathlib import Path

import click
from fuzz.commands import COMMANDS, options_of

from faults.trials import Tally, raw, run

# no number, no word of a list; `STRANGE` may be right for some, which must then be done or refused in words
WRONG = ("\udcff\udcfe", "²")
STRANGE = (
    *("", "1e99999999", "-1e-99999999", "0", "-1", "nan", "inf", "1_0", "٣", "0x10", "9" * 5000, "a" * 5000),
    *("é", "{", "--", "/", "~nouser/x", "IN"),
)
NO_COMMANDS = ("", "none", "-", "--", "--nonsense", "sample sample", "-o", "\0", "é", "generate", "fpga")
NO_COMMANDS += ("\udcff",)
CHECKED = (click.types.IntParamType, click.types.FloatParamType, click.Choice)
SECONDS = 60  # of processor time for one of them


def odd_lines():
    """Command lines, and whether each is certainly wrong."""
    for line in NO_COMMANDS:
        yield line.split(" "), line not in ("", "generate", "fpga")
    for name, rest in COMMANDS.items():
        words, base = name.split(), rest.split()
        yield [*words, "--nonsense", *base], True
        yield [*words, *base, "too", "many", "words"], True
        yield [*base, *words], bool(base)
        if base:
            yield words, True
            yield [*words, *base[1:]], base[0] == "IN"
        for option in options_of(words):
            mark = max(option.opts, key=len)
            if option.is_flag:
                yield [*words, *base, f"{mark}=1"], True
                yield [*words, *base, mark, mark], False
                continue
            yield [*words, *base, mark], True
            typed = isinstance(option.type, CHECKED)
            for value in (*WRONG, *STRANGE):
                yield [*words, *base, mark, value], typed and value in WRONG


def lines(count, seed, only=""):
    """So many of them, drawn from all there are (0: all)."""
    chosen = [each for each in odd_lines() if only in " ".join(each[0])]
    if count and count < len(chosen):
        chosen = random.Random(seed).sample(chosen, count)
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="lines-") as name:
        folder = Path(name)
        files = {"IN": "graph.txt", "OUT.txt": "o.txt", "OUT.clg": "o.clg"}
        places = {word: str(folder / file) for word, file in files.items()}
        for words, wrong in chosen:
            (folder / "graph.txt").write_text("0 1\n1 2\n2 0\n2 3\n")
            words = [places.get(word, word).replace("\0", "\\0") for word in words]
            ended = run(words, limits=((resource.RLIMIT_CPU, SECONDS),), folder=folder)
            shown = [word if len(word) < 50 else f"{word[:50]}..." for word in words]
            tally.add(repr(shown), f"status {ended.status}", fault(ended, wrong))
    return tally


def fault(ended, wrong):
    """What is wrong with how a command ended."""
    if ended.status not in ((1, 2) if wrong else (0, 1, 2)):
        return f"status {ended.status}: {ended.said[-300:]}"
    if ended.status and not ended.said.strip():
        return "it says nothing"
    return raw(ended)
