"""`python -m benchmarks.drill`: a club night in fast motion, with faults all the time."""

from tests.support.live.drill.command import main

main()
