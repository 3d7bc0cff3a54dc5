"""The figures that need no database, one JSON line each: `python -m benchmarks.engine SIZES`."""

import json
import sys

from benchmarks import p1_hand, p2_cards
from benchmarks.sizes import SIZES


def main() -> None:
    """Measure the engine alone; a second argument asks for a line of every variant."""
    sizes = SIZES[sys.argv[1]]
    for figure in (
        *p1_hand.figures(sizes, every_variant=len(sys.argv) > 2),
        *p2_cards.figures(sizes),
    ):
        print(json.dumps({"database": "-", **figure.as_json()}), flush=True)


if __name__ == "__main__":
    main()
