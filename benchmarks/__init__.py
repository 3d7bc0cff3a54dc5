"""`make bench`: how fast each part is, mostly as a ratio of two things measured in turn.

`__main__` makes the databases and starts `child` on each; `figures` runs one module a goal. What
is posted over HTTP meets an installation that really runs (`installations`), and comes from a
process of its own (`phones`). README.md says how it is measured; what came out last stands in
docs/performance.md.
"""
