"""Room for the frames of a whole thread in one piece of memory.

CPython keeps the frames of a thread in chunks of 16 KiB, and gives a chunk back to the system as
soon as its first frame returns. A loop whose calls begin at the end of a chunk asks the system for
memory at each call: 300 times for a page of standings, 5,000 times in a test.
"""

from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

WORDS: Final = 70_000
"""The size of one frame; its chunk is the next power of two, and has room for a thousand more."""


def with_large_frame(act: Callable[[], T]) -> T:
    """Call `act` on top of a frame whose chunk holds the frames of all that it calls."""
    return act()


with_large_frame.__code__ = with_large_frame.__code__.replace(co_stacksize=WORDS)
