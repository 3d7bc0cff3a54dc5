"""The figures that need no database, one JSON line each: `python -m benchmarks.engine SIZES`.

With the second argument `variants` there is a line for every variant.
"""

import json
import sys
from itertools import chain

from benchmarks import scoring_cards, scoring_counts
from benchmarks.sizes import SIZES


def main() -> None:
    sizes = SIZES[sys.argv[1]]
    figures = chain(
        scoring_counts.figures(sizes, every_variant="variants" in sys.argv[2:]),
        scoring_cards.figures(sizes),
    )
    for figure in figures:
        print(json.dumps({"database": "-", **figure.as_json()}), flush=True)


if __name__ == "__main__":
    main()
