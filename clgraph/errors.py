"""The one exception family of clgraph.

A message says what is wrong, where (file and line, or device), and what to do.
"""

from __future__ import annotations

from typing import Any


class ClgraphError(Exception):
    """Base class of all errors that clgraph raises."""


class InputError(ClgraphError, ValueError):
    """A file, an argument or a graph cannot be used as it is."""


class DeviceError(ClgraphError, RuntimeError):
    """No device, no such device, or a device that fails."""


class BuildError(DeviceError):
    """A kernel file does not build, or a binary cannot be used."""


class CapacityError(DeviceError, MemoryError):
    """The device, or this computer, has too little memory."""


class ConvergenceError(ClgraphError, RuntimeError):
    """An iteration did not reach its tolerance.

    Attributes
    ----------
    result : object or None
        The result so far, as the call would have returned it.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class ConvergenceWarning(UserWarning):
    """An iteration did not reach its tolerance; the caller chose a warning over an error."""
