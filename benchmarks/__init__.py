"""`make bench`: the goals of P4 to P8, each a ratio of two things measured in turn in one process.

`__main__` makes the databases and starts `child` on each; `figures` runs one module a goal. What
came out last, and on which machine, stands in docs/performance.md.
"""
