"""Small faults put into the code one at a time, to see which of them no test notices.

`make mutants RANGE=0.5.0..HEAD SEED=34 NUMBER=200` draws them from the seed and the sources only.
A fault is in a line that `git blame` gives to a commit of the range, codemods left out, and half of
them are at boundaries. Each is written into a copy of the tree, never here. Of the tests of its
subject (`subjects.py`) those run that reach its line, until the first one fails.

Why a runner of our own: mutmut 3.8 takes its mutants from files or names of functions and runs all
of them; cosmic-ray 8.7 can leave out what `git diff` against a branch does not show, which knows no
commits to ignore, and runs one test command for all modules. Neither draws a number by a seed.
"""
