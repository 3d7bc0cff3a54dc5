"""The figures that need no database, one JSON line each: `python -m benchmarks.engine SIZES`."""

import json
import sys

from benchmarks import scoring_cards, scoring_counts
from benchmarks.sizes import SIZES


def main() -> None:
    """Measure the engine alone; a second argument asks for a line of every variant."""
    sizes = SIZES[sys.argv[1]]
    for figure in (
        *scoring_counts.figures(sizes, every_variant=len(sys.argv) > 2),
        *scoring_cards.figures(sizes),
    ):
        print(json.dumps({"database": "-", **figure.as_json()}), flush=True)


if __name__ == "__main__":
    main()
