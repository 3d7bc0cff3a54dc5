"""A club night in fast motion, with faults: `python -m tests.support.live.drill`."""
