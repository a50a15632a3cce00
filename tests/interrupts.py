"""Ctrl-C between any two lines of some of our functions."""

import sys
from itertools import count


def interrupted(call, chosen):
    """Run `call` again and again, each time interrupted one event (call, line, return) later.

    Only events of the code that `chosen` says yes to are counted. The number of the event is yielded
    after each run that was interrupted; a run that comes to its end is the last one.
    """
    for at in count():
        left = iter(range(at))

        def trace(frame, event, _, left=left):
            if not chosen(frame.f_code):
                return trace if event == "call" else None
            if event != "exception" and next(left, None) is None:
                sys.settrace(None)
                raise KeyboardInterrupt
            return trace

        before = sys.gettrace()  # coverage's, perhaps
        sys.settrace(trace)
        try:
            call()
        except KeyboardInterrupt:
            yield at
        else:
            return
        finally:
            sys.settrace(before)
