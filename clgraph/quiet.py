"""Warnings of other libraries that mean nothing to a user.

The filters of warnings are the process's: two threads that change them restore each other's, and leave the
wrong ones. So they take turns.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class _Turns:
    lock = threading.RLock()

    @classmethod
    def renew(cls) -> None:
        cls.lock = threading.RLock()


# a process that was forked while another thread had its turn has no such thread
os.register_at_fork(after_in_child=_Turns.renew)


@contextmanager
def no_warnings(*, errors: type[Warning] | None = None) -> Iterator[None]:
    """Within the block no warning is shown.

    Parameters
    ----------
    errors : class of warnings, optional
        These are raised instead.
    """
    with _Turns.lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if errors is not None:
            warnings.simplefilter("error", errors)
        yield
