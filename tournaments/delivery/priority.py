"""Priority of what works in the background: below the web processes of the same machine."""

import os
from typing import Final

LOWER_BY: Final = 5
_USUAL: Final = os.getpriority(os.PRIO_PROCESS, 0)


def lower_priority() -> None:
    """Lower the priority of this thread, once: hands come before standings.

    On Linux a priority is that of one thread, and of what it forks (setpriority(2)).
    """
    if os.getpriority(os.PRIO_PROCESS, 0) == _USUAL:
        os.nice(LOWER_BY)
