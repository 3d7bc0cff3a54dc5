"""The number of the formulas by which standings are counted, and the release that brought them.

See docs/decisions/0054-running-events-are-counted-anew.md.
"""

from typing import Final

COUNTING: Final = 2
"""Raised by one whenever a formula of standings gives other figures than in the release before.

Each publication and each worker's heartbeat stores it; 0 is every release before 0.6.
"""

RELEASES: Final = {1: "0.6", 2: "0.7"}
"""Number of the formulas → the release that brought them."""

COUNTED_ANEW: Final = "counted_anew"
"""Kind of the change log's line, and of the notice to directors."""
