"""The command line of a drill, `python -m tests.support.live.drill`.

Exit status 0: nothing was lost, doubled or stale, and no answer was a fault of the server.
"""

import os
import sys
from argparse import ArgumentParser
from importlib import import_module

import django

from benchmarks.__main__ import environment
from benchmarks.child import end_in_order
from tests.support.live.drill.machines import running


def main() -> None:
    end_in_order()
    options = ArgumentParser(description="Play a club night while machines fail.")
    options.add_argument("--minutes", type=float, default=20.0)
    options.add_argument("--seed", type=int, default=61)
    options.add_argument("--faults", type=int, help="at least so many; 11 in two minutes")
    options.add_argument("--within", type=float, default=5.0, help="seconds until all is read")
    chosen = options.parse_args()
    faults = chosen.faults or round(5.5 * chosen.minutes)
    with running() as machines:
        os.environ.update(environment(machines.primary.url))
        django.setup()
        drill = import_module("tests.support.live.drill.run")
        is_well = drill.run(
            machines, drill.Plan(60 * chosen.minutes, faults, chosen.seed, chosen.within)
        )
    sys.exit(0 if is_well else 1)


if __name__ == "__main__":
    main()
