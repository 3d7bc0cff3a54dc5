"""The figures that need no database, one JSON line each: `python -m benchmarks.engine SIZES`.

A second argument asks for more: `variants`, a line for every variant, or `seating`, `swiss` or
`duplicate`, those alone.
"""

import json
import sys
from itertools import chain

from benchmarks import duplicate, scoring_cards, scoring_counts, seating, swiss
from benchmarks.sizes import SIZES


def main() -> None:
    sizes, more = SIZES[sys.argv[1]], sys.argv[2:]
    alone = {
        "seating": seating.figures,
        "swiss": swiss.figures,
        "duplicate": duplicate.figures,
    }
    asked = [part for part in alone if part in more]
    found = (
        chain.from_iterable(alone[part](sizes) for part in asked)
        if asked
        else chain(
            scoring_counts.figures(sizes, every_variant="variants" in more),
            scoring_cards.figures(sizes),
        )
    )
    for figure in found:
        print(json.dumps({"database": "-", **figure.as_json()}), flush=True)


if __name__ == "__main__":
    main()
