"""A club night in fast motion, with faults; see benchmarks/drill.py."""
