"""Command lines, run by `clgraph.cli.main` in this process."""

import os
import sys
from pathlib import Path

from clgraph.cli import main
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
READING = "--format --directed --undirected --ids --weights --duplicates --nonsense"
DRAWING = (
    "--method --size --sizes --seeds --min-size --strict -o --to --record --verify --edges --keep "
    "--weighted --mix --starts --steps --walkers --burn-in --thin --patience --direction --p --q "
    "--closing --triangles --block --alpha --c --k --stages --r --coupons --share --powers --parts "
    "--attributes --start --json -q"
)
HOST = {
    "info": ("g.txt", f"{READING} --json -q"),
    "convert": ("g.txt out.txt", f"{READING} --to -q"),
    "generate powerlaw": (
        "-o out.clg --vertices 20",
        "--vertices --average-degree --exponent --seed -o --to -q",
    ),
    "generate rmat": (
        "-o out.clg --scale 4",
        "--scale --edge-factor --quadrants --directed --seed -o --plain",
    ),
    "": ("", "--version --help -h --nonsense"),
    "fpga show": ("g.txt", "--json"),
    "cache": ("", "--json"),
    "none": ("", ""),
}
DEVICE = {
    "generate ba": ("-o out.clg --vertices 20 --edges-each 2", "--vertices --edges-each --seed -q"),
    "generate copra": ("-o out.clg --vertices 200", "--vertices --seed -q"),
    "generate er": ("-o out.clg --vertices 20 --edges 30", "--vertices --edges --seed -q"),
    "generate ws": (
        "-o out.clg --vertices 20 --degree 4 --probability 0.1",
        "--vertices --degree --probability --seed -q",
    ),
    "generate configuration": (
        "-o out.clg --vertices 20",
        "--vertices --exponent --min-degree --max-degree --seed -q",
    ),
    "generate static": ("-o out.clg --vertices 20", "--vertices --average-degree --alpha --shift --seed -q"),
    "generate lfr": (
        "-o out.clg --vertices 200",
        "--vertices --mixing --min-degree --max-degree --max-community --communities",
    ),
    "sample": (
        "g.txt --size 2 --seed 1 -o out.txt",
        f"{READING} --method --size --sizes --seed --seeds --mode --tolerance --components --far-scan "
        "--connection --weight --start --strict -o --to --record --verify --json -q --device",
    ),
    "sample g.txt": ("--method re --edges 2 --seed 1 -o out.txt", f"{READING} {DRAWING}"),
    "sample g.txt --seed 1": ("--method rw --steps 9 -o out.txt", f"{READING} {DRAWING}"),
    "sample g.txt --seed 2": ("--method ff --size 2 -o out.graphml", f"{READING} {DRAWING}"),
    "sample g.txt --seed 3": ("--method pies --size 2 -o out.txt", f"{READING} {DRAWING}"),
    "curve": (
        "g.txt --seed 1",
        f"{READING} --method --seed --size --mode --weight --points -o --json --device",
    ),
    "bfs": ("g.txt -s 0", f"{READING} -s --depth --method -o --verify --json --device"),
    "paths": ("g.txt -s 0", f"{READING} -s --sources -t --cutoff --delta --dtype -o --verify --json"),
    "components": ("g.txt", f"{READING} --strong --largest -o --verify --json"),
    "communities": (
        "g.txt --seed 1",
        f"{READING} --method --resolution --seed --iterations -o --verify --json",
    ),
    "pagerank": (
        "g.txt",
        f"{READING} --damping --tol --norm --max-iter --personalize --dangling --nstart --variant --dtype "
        "--on-nonconvergence --top -o --explain --verify --json",
    ),
    "centrality": (
        "g.txt --measure closeness",
        f"{READING} --measure --k --seed --alpha --max-iter --tol --top -o --verify --json",
    ),
    "ppr": (
        "g.txt -s 0 --seed 1",
        f"{READING} -s --sources --method --damping --tol --max-iter --dangling --top --seed --walks "
        "--epsilon --confidence --check-every --squared --stored --stable-top --dtype -o --verify --json",
    ),
    "quality": (
        "g.txt g.txt --no-eigenvalues",
        f"{READING} --relation --record --method --hop-sources --json --seed --also",
    ),
}
LONG = {
    *["--vertices", "--scale", "--edge-factor", "--average-degree", "--walks", "--max-iter", "--seeds"],
    *["--hop-sources", "--epsilon", "--steps", "--walkers", "--burn-in", "--thin", "--patience", "--starts"],
}


def command_case(kind, rng):
    """A command with options that are right, odd or in the wrong place, on a graph that may be damaged."""
    table = DEVICE if kind == "device commands" else HOST
    name = rng.choice(tuple(table))
    places, options = table[name]
    known = options.split()
    args = [*name.split(), *places.split()]
    for _ in range(rng.choice((0, 1, 1, 2, 3)) if known else 1):
        option = rng.choice(known) if known else rng.choice(VALUES)
        args.append(option)
        if rng.random() < 0.8:
            value = rng.choice(VALUES)
            if option in LONG and len(value) > 3 and value.strip("0123456789.e") == "":
                value = "3"
            args.append(value)
    if places and rng.random() < 0.15:
        place = rng.randrange(len(name.split()), len(args))
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
