"""Options, progress lines and JSON of the scripts beside this file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from clgraph.bench.harness import Case
from clgraph.bench.run import Outcome, run_on
from clgraph.bench.store import SCHEMA, write_json
from clgraph.errors import ClgraphError


def words(text: str) -> list[str]:
    """Split a comma-separated list."""
    return [word.strip() for word in text.split(",") if word.strip()]


def numbers(text: str) -> list[int]:
    """Split a comma-separated list of integers."""
    return [int(word) for word in words(text)]


def parser(about: str | None, *, repeat: int = 3) -> argparse.ArgumentParser:
    """An argument parser with the common options."""
    raw = argparse.RawDescriptionHelpFormatter
    made = argparse.ArgumentParser(description=about, formatter_class=raw)
    made.add_argument("--device", default="", help="as in clgraph.get_device; several separated by commas")
    made.add_argument("--repeat", type=int, default=repeat)
    made.add_argument("--energy", action="store_true", help="measure it (NVML, RAPL)")
    made.add_argument("--watts", type=float, help="the power read off a wall meter, instead of a counter")
    made.add_argument("--data", default=os.environ.get("CLGRAPH_TEST_DATA", ""), help="folder of data sets")
    made.add_argument("--json", metavar="OUT", help="write the records there (docs/bench-json.md)")
    return made


def run(cases: Callable[[], Iterable[Case]], options: argparse.Namespace) -> Outcome:
    """Run the cases on every device named by the options; exit with status 1 if one fails.

    Parameters
    ----------
    cases : callable
        Makes the cases; errors that it raises are reported.
    """
    try:
        outcome = run_on(
            words(options.device) or [None],
            list(cases()),
            lambda text: print(text, flush=True),
            energy=options.energy,
            watts=options.watts,
            repeat=options.repeat,
            data=options.data,
        )
    except ClgraphError as error:
        raise SystemExit(f"error: {error}") from None
    if options.json:
        write_json(Path(options.json), {"schema": SCHEMA, "records": outcome.records})
    if outcome.failed:
        raise SystemExit("".join(f"failed: {name}: {why}\n" for name, why in outcome.failed))
    return outcome
