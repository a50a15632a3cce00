"""The report of a selftest that users can send: device, driver, versions and checks, and nothing private."""

from __future__ import annotations

import getpass
import platform
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph._version import __version__
from clgraph.device.cache import cache_folder
from clgraph.device.doctor import PACKAGES, describe, installed

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.driver_selftest import Check, Verdict

MOST = 4000  # characters of a message


def about(device: Device | None) -> dict[str, Any]:
    """Versions, and the facts of a device."""
    facts = {} if device is None else describe(device)
    for name in ("verdict", "failed", "working", "reason", "identity"):  # said elsewhere, or of another test
        facts.pop(name, None)
    return {
        "clgraph": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "packages": installed(PACKAGES),
        "device": facts,
    }


def report(device: Device, verdict: Verdict, checks: list[Check]) -> dict[str, Any]:
    """Return the report."""
    families: dict[str, dict[str, Any]] = {}
    for check in checks:
        found = families.setdefault(check.family, {"verdict": "right", "seconds": 0.0})
        found["seconds"] = round(found["seconds"] + check.seconds, 3)
        if check.wrong is not None:
            found["verdict"] = "fails"
    return {
        **about(device),
        "verdict": str(verdict),
        "families": families,
        "checks": [
            {
                "family": check.family,
                "name": check.name,
                "seconds": round(check.seconds, 3),
                "message": None if check.wrong is None else impersonal(check.wrong),
            }
            for check in checks
        ],
    }


def impersonal(message: str) -> str:
    """A message without names of this user and of his folders."""
    for folder, word in (
        (cache_folder(), "CACHE"),
        (Path(__file__).resolve().parent.parent.parent, "CLGRAPH"),
        (Path(tempfile.gettempdir()), "TMP"),
        (Path.home(), "HOME"),
    ):
        if len(folder.parts) > 1:
            message = message.replace(str(folder), word)
    user = getpass.getuser()
    if user != "root":
        message = re.sub(rf"\b{re.escape(user)}\b", "USER", message)
    return message[:MOST]
