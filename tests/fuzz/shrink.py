"""The same failure from a smaller case."""

import hashlib
from itertools import chain
from pathlib import Path

from fuzz.case import Case
from fuzz.workers import outcomes_of

CASES = Path(__file__).resolve().parent / "cases"
TRIES = 150
LARGEST = 1024  # bytes of a kept case


def shrink(case, signature):
    """A case that fails as this one does, cut down as far as `TRIES` attempts lead."""
    left, smaller = TRIES, True
    while smaller and left > 0:
        smaller = False
        for candidate in smaller_cases(case):
            left -= 1
            if left <= 0:
                break
            if outcomes_of({"x": candidate})["x"].signature == signature:
                case, smaller = candidate, True
                break
    return case


def smaller_cases(case):
    """Cases with something taken away."""
    what, files = case.what, case.files

    def changed(**parts):
        return Case(case.kind, files, {**what, **parts})

    for group in ("options", "kwargs"):
        for name in what.get(group, ()):
            yield changed(**{group: _without(what[group], name)})
    if "args" in what and "call" not in what:
        for i in range(1, len(what["args"])):
            yield changed(args=what["args"][:i] + what["args"][i + 1 :])
    for name in ("weights", "multiplicity", "duplicates", "vertices"):
        if name in what:
            yield Case(case.kind, files, _without(what, name))
    rows = [name for name in ("source", "target", "weights", "multiplicity") if name in what]
    if "source" in what:
        for start, end in _cuts(what["source"]):
            yield changed(**{name: what[name][:start] + what[name][end:] for name in rows})
    if what.get("expect"):
        return  # bytes and rows belong together
    for name, data in files.items():
        shorter = (data[:start] + data[end:] for start, end in _cuts(data))
        zeroed = (data[:start] + bytes(end - start) + data[end:] for start, end in _cuts(data))
        for left in chain(shorter, zeroed if len(data) > LARGEST else ()):
            if left != data:
                yield Case(case.kind, {**files, name: left}, what)


def _without(group, name):
    return {key: value for key, value in group.items() if key != name}


def _cuts(data):
    """Pieces to leave out: halves, quarters, and so on."""
    size = len(data)
    while size > 1:
        size = (size + 1) // 2
        for start in range(0, len(data), size):
            yield start, min(len(data), start + size)
    if len(data) == 1:
        yield 0, 1


def keep(case):
    """Put a case among those that are replayed; None if it is too large to be kept."""
    text = case.to_json()
    if len(text) > LARGEST:
        return None
    path = CASES / f"{case.kind.replace(' ', '_')}.jsonl"
    path.parent.mkdir(exist_ok=True)
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    path.write_text("".join(sorted({*lines, text})))
    return path


def kept():
    """All cases that ever failed, by kind and digest."""
    return {
        f"{path.stem}/{hashlib.sha256(line.encode()).hexdigest()[:10]}": Case.from_json(line)
        for path in sorted(CASES.glob("*.jsonl"))
        for line in path.read_text().splitlines()
    }
