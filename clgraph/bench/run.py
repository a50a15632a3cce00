"""Running cases one after the other: each result is stored at once, and a failure does not stop the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clgraph.bench.harness import Absent, Case, Context
from clgraph.bench.store import Record, Store, key_of, new_record

if TYPE_CHECKING:
    from clgraph.device import Device

Say = Callable[[str], None]


@dataclass
class Outcome:
    """The outcome of a run of cases.

    Attributes
    ----------
    records : list
        One of every case, run now or before.
    skipped, ran : int
        Results taken from an earlier run, and cases run now.
    absent, failed : list of (name, reason)
    """

    records: list[Record] = field(default_factory=list)
    skipped: int = 0
    ran: int = 0
    absent: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)


def run_cases(
    cases: Iterable[Case],
    context: Context,
    say: Say,
    *,
    store: Store | None = None,
    fresh: bool = False,
    outcome: Outcome | None = None,
) -> Outcome:
    """Run cases on a device.

    Parameters
    ----------
    cases : iterable of Case
    context : Context
    say : callable
        Called with a line for each case.
    store : Store, optional
        Where results are stored and earlier ones are found.
    fresh : bool
        Rerun cases that have results already.
    outcome : Outcome, optional
        The outcome of other devices, to which this run is added.
    """
    outcome = outcome or Outcome()
    device, how = context.device, how_of(context)
    for case in cases:
        name = case.name + (f" on {device.name}" if case.on_device else "")
        if store is not None and not fresh:
            earlier = store.finished(case, device, key_of(case, device, how))
            if earlier is not None:
                outcome.skipped += 1
                outcome.records.append(earlier)
                continue
        record = _run(case, context, how, device)  # an interrupt ends all: what is finished is stored
        if record["status"] == "done":
            outcome.ran += 1
        else:
            bad = outcome.absent if record["status"] == "absent" else outcome.failed
            bad.append((name, record["reason"]))
        if store is not None:
            store.write(case, device, record)
        outcome.records.append(record)
        say(line(record))
    return outcome


def run_on(
    specs: Sequence[Any],
    cases: Sequence[Case],
    say: Say,
    *,
    energy: bool,
    watts: float | None,
    repeat: int,
    data: str,
    **more: Any,
) -> Outcome:
    """Run cases on several devices in turn; those that need none beside the first alone.

    Parameters
    ----------
    specs : sequence
        As `clgraph.get_device` takes them, or "host" for cases that need no device.
    cases, say, **more
        As for `run_cases`.
    energy : bool
        Whether to measure it.
    watts : float, optional
        The power, read from a wall meter, instead of a counter.
    repeat, data
        As in `Context`.
    """
    from clgraph.device import get_device
    from clgraph.energy import Meter, check_watts

    check_watts(watts)
    more["outcome"] = outcome = more.get("outcome") or Outcome()
    # a missing device is reported before the first one is busy for an hour
    opened = list(dict.fromkeys(None if spec == "host" else get_device(spec) for spec in specs))
    for place, device in enumerate(opened):
        meter = None
        if device is not None:
            say(f"device {device.spec}: {device.name} ({device.kind}, {device.platform_name})")
            meter = Meter(device, watts) if energy or watts is not None else None
        if meter is not None and meter.available:
            idle = meter.idle_watts()  # before the first case: then it is idle
            say(f"energy: {meter.source}" + ("" if idle is None else f", idle {idle:.1f} W"))
        elif meter is not None:
            say(f"energy: not available: {meter.reason}")
        mine = cases if place == 0 else [case for case in cases if case.on_device]
        run_cases(mine, Context(device, repeat, meter, data), say, **more)  # type: ignore[arg-type]
    return outcome


def how_of(context: Context) -> Record:
    """Return the settings of the measurement that a result depends on."""
    meter = context.meter
    energy = "no" if meter is None else "yes" if meter.watts is None else f"{meter.watts:g} W"
    return {"repeat": context.repeat, "energy": energy}


def _run(case: Case, context: Context, how: Record, device: Device) -> Record:
    begun = time.perf_counter()
    try:
        found = case.run(context).to_dict()
    except Absent as error:
        return new_record(case, device, how, "absent", reason=str(error))
    except Exception as error:  # reported now and again in the summary; it sets the exit status
        reason = str(error) or "no message"
        return new_record(case, device, how, "failed", reason=f"{type(error).__name__}: {reason}")
    took = {"value": time.perf_counter() - begun, "unit": "s"}
    return new_record(case, device, how, "done", **found, took=took)


def line(record: Record) -> str:
    """Return a record as a line for people."""
    name = f"{record['suite']:9} {record['graph']:16} {record['what']:22} {record['who']:22}"
    if record["status"] != "done":
        return f"{name} {record['status']}: {record['reason']}"
    shown = [f"{key} {show(value)}" for key, value in record["values"].items()]
    energy = record.get("energy", {})
    if energy.get("available"):
        shown.append(f"{show(energy['joules'])}, {show(energy['power'])}")
    return f"{name} {', '.join(shown)}"


def show(quantity: dict[str, Any], digits: int = 4) -> str:
    """Return a quantity with its unit, and its range if it was measured more than once."""
    unit = quantity["unit"]
    scale, name = _scale(abs(quantity["value"]), unit)
    text = f"{quantity['value'] / scale:.{digits}g}"
    if quantity.get("runs", 1) > 1:
        text += f" ({quantity['low'] / scale:.4g} to {quantity['high'] / scale:.4g})"
    return f"{text} {name}".rstrip()


def _scale(value: float, unit: str) -> tuple[float, str]:
    """The divisor and the unit that leave few digits before the decimal point."""
    if unit == "s":
        return next(((s, n) for s, n in ((1.0, "s"), (1e-3, "ms")) if value >= s), (1e-6, "us"))
    if unit in ("1/s", "B", "B/s") and value >= 1e6:
        return (1e9, "G" + unit.removeprefix("1")) if value >= 1e9 else (1e6, "M" + unit.removeprefix("1"))
    return 1.0, unit
