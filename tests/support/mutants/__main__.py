"""`python -m tests.support.mutants`: draw mutants, try each, and list those that lived."""

import argparse
import resource
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

from releasing.release import releases
from tests.support.mutants.drawing import drawn, git, mutants_of
from tests.support.mutants.running import Copy, copy_to
from tests.support.sources import PACKAGES, ROOT

MEMORY: Final = 6 << 30
"""A mutant may have a loop that only grows."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--range", default=f"{releases()[-1].version}..HEAD", help="of commits or releases"
    )
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--skip", type=int, default=0, help="as many of the drawn ones")
    parser.add_argument("--only", nargs="*", default=PACKAGES, help="folders or modules")
    parser.add_argument("--limit", type=float, default=120, help="seconds of tests for a mutant")
    parser.add_argument("--jobs", type=int, default=0, help="processes that measure at once")
    parser.add_argument("--nearest", type=int, help="files of tests of a module, else all")
    options = parser.parse_args()
    if git(ROOT, "status", "--porcelain", "--", *PACKAGES):
        print("Commit first: blame knows no line of what is not committed.")
        return 2
    every = mutants_of(ROOT, options.range, options.only)
    mutants = drawn(every, seed=options.seed, number=options.number)[options.skip :]
    n_at_boundaries = sum(mutant.fault.is_boundary for mutant in mutants)
    print(f"{len(mutants)} of {len(every)} mutants, {n_at_boundaries} at boundaries", flush=True)
    if not mutants:
        return 0
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ExitStack() as stack:
        copy_to(tree := Path(folder) / "tree")
        copy = stack.enter_context(closing(Copy(tree, limit_s=options.limit)))
        start = time.monotonic()
        copy.measure(mutants, jobs=options.jobs, nearest=options.nearest)
        print(f"{len(copy.reach.seconds)} tests measured  {time.monotonic() - start:.0f} s")
        for test in sorted(copy.reach.failed):
            print(f"fails without a mutant: {test}", flush=True)
        for mutant in mutants:
            start = time.monotonic()
            outcome = copy.try_out(mutant)
            outcomes.append(outcome)
            print(f"{outcome}  {time.monotonic() - start:.0f} s", flush=True)
    lived = [outcome for outcome in outcomes if not outcome.killer]
    print(f"\n{len(lived)} of {len(outcomes)} lived, {copy.n_forked} were tried in a fork")
    print(*lived, sep="\n")
    return 1 if lived else 0


if __name__ == "__main__":
    sys.exit(main())
