"""Repeats of plans for every head-count, beside those of another checkout's planner.

    git worktree add ../before 116c4d21
    python -m benchmarks.repeats --before ../before --people 5-60 --rounds 1-12 --seeds 20

Without a database and without Django. The table has a line for each head-count, number of rounds
and choice of sizes whose mean of repeats differs. Ends with 1 where a spread is above one.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Final

from scoring.seating.brackets import size_choices
from scoring.seating.plan_seats import plan_seats
from scoring.seating.requests import SeatingRequest

SIZES: Final = (4, 3, 5, 6)
Row = tuple[int, int, str, int, int, int]
"""People, rounds, policy, repeats, spread of small tables, spread of sit-outs."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--before", type=Path, help="another checkout of this repository")
    parser.add_argument("--people", type=_numbers, default=range(5, 61))
    parser.add_argument("--rounds", type=_numbers, default=range(1, 13))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--moves", type=int, help="of each search; without it the usual number")
    parser.add_argument("--rows", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    rows = _planned(options.people, options.rounds, options.seeds, options.moves)
    if options.rows:
        for row in rows:
            print(json.dumps(row), flush=True)
        return 0
    now = list(rows)
    before = list(_rows_of(options.before)) if options.before else now
    return _compare(now, before)


def _numbers(text: str) -> Sequence[int]:
    """`5-60`, or `5,8,13`."""
    first, dash, last = text.partition("-")
    return range(int(first), int(last) + 1) if dash else [int(one) for one in text.split(",")]


def _planned(
    people: Sequence[int], rounds: Sequence[int], seeds: int, moves: int | None
) -> Iterator[Row]:
    for count in people:
        for number in rounds:
            for policy, sizes, _tables in size_choices(count, SIZES):
                for seed in range(seeds):
                    everybody = tuple(range(1, count + 1))
                    request = SeatingRequest(everybody, number, sizes=sizes, seed=seed, moves=moves)
                    cost = plan_seats(request).cost
                    yield (
                        count, number, policy, cost.repeats,
                        cost.small_table_spread, cost.sit_out_spread,
                    )  # fmt: skip


def _rows_of(checkout: Path) -> Iterator[Row]:
    command = [sys.executable, "-P", __file__, "--rows", *sys.argv[1:]]
    environment = os.environ | {"PYTHONPATH": str(checkout.resolve())}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        for line in child.stdout or ():
            yield tuple(json.loads(line))


def _compare(now: Sequence[Row], before: Sequence[Row]) -> int:
    """Print where the mean of repeats differs; 1 where something is not shared evenly."""
    print("people rounds sizes: repeats now / before (spread now / before)")
    total_now = total_before = 0.0
    for key in dict.fromkeys(row[:3] for row in now):
        new, old = ([row for row in rows if row[:3] == key] for rows in (now, before))
        repeats, earlier = (mean(row[3] for row in rows) for rows in (new, old))
        total_now, total_before = total_now + repeats, total_before + earlier
        if repeats != earlier:
            spreads = max(row[4] for row in new), max(row[4] for row in old)
            print(
                f"{key[0]:3} {key[1]:2} {key[2]:6}: {repeats:6.1f} / {earlier:6.1f}"
                f" ({spreads[0]} / {spreads[1]})"
            )
    uneven = [row for row in now if max(row[4:]) > 1]
    print(f"mean repeats of all: {total_now:.1f} / {total_before:.1f}; {len(now)} plans, ", end="")
    print(f"{len(uneven)} with a spread above one {uneven[:5]}")
    return int(bool(uneven))


if __name__ == "__main__":
    sys.exit(main())
