"""Small faults put into the code one at a time, to see which of them no test notices.

`python -m tests.support.mutants --seed 34 --number 30` draws the mutants from the seed and the
sources only, so two runs with the same sources compare their tests. Each mutant is written into a
copy of the tree, never here; the tests of its package run there until the first one fails.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import cache_from_source
from itertools import chain
from pathlib import Path
from typing import Final

from tests.support.services import SHARED
from tests.support.sources import ROOT, tracked

PYTEST_ARGUMENTS: Final = (
    *("-q", "-x", "--timeout=60"),
    *("--randomly-seed=34", "--randomly-dont-reorganize"),
)
LIMIT_S: Final = 900
"""A mutant whose tests take longer counts as killed."""

TESTS: Final = {
    "scoring/standings": "scoring/standings tournaments/services/publishing/standings "
    "tournaments/services/totals tournaments/views/standings",
    "scoring/playoffs": "scoring/playoffs tournaments/services/publishing/playoffs "
    "tournaments/services/playoffs tournaments/views/playoffs",
    "scoring/ladders": "scoring/ladders tournaments/services/ladders tournaments/views/ladders",
    "scoring/seating": "scoring/seating tournaments/services/seating_plans "
    "tournaments/views/seating_plans/test_seating_plans.py api/seating_plans/test_seating_plans.py",
    "tournaments/services/hands": "tournaments/services/hands api/hands api/boards "
    "tournaments/views/boards tournaments/views/hands",
}
"""Each package that is mutated, with its tests below `tests`."""

EXAMPLES: Final = "tests/scoring/engine/test_steps.py::test_examples_in_docstrings_are_true"
PAIRS: Final = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn)),
    *((ast.Is, ast.IsNot), (ast.Add, ast.Sub), (ast.And, ast.Or), (ast.BitAnd, ast.BitOr)),
)
OTHER_OPERATOR: Final[dict[type[ast.AST], type[ast.AST]]] = {
    operator: other for a, b in PAIRS for operator, other in ((a, b), (b, a))
}
OTHER_NAME: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
FIELDS_NOT_MUTATED: Final = ("annotation", "returns", "decorator_list")
NODES_NOT_MUTATED: Final = (ast.Raise, ast.Assert, ast.JoinedStr)  # the last has wrong positions


@dataclass(frozen=True)
class Mutant:
    """One change of one file: what is between two bytes, `old`, becomes `new`."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        old, new = (" ".join(text.split())[:80] for text in (self.old, self.new))
        return f"{self.path}:{self.line}  {old} -> {new}"


def functions(tree: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef]:
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            yield from functions(statement)
        elif isinstance(statement, ast.FunctionDef):
            yield statement


def nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, NODES_NOT_MUTATED):
                yield from nodes(child) if name not in FIELDS_NOT_MUTATED else ()


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    if new := replaced(node):
        yield node, f"({new})" if isinstance(node, ast.expr) else new
    for test in (getattr(node, "test", None), *getattr(node, "ifs", ())):
        if test and not isinstance(test, ast.Compare | ast.UnaryOp):  # their operators change
            yield test, f"(not ({ast.unparse(test)}))"


def replaced(node: ast.AST) -> str | None:
    match node:
        case (
            ast.Compare(ops=[old]) | ast.BinOp(op=old) | ast.BoolOp(op=old) | ast.AugAssign(op=old)
        ):
            if other := OTHER_OPERATOR.get(type(old)):
                field = {"ops": [other()]} if isinstance(node, ast.Compare) else {"op": other()}
                return ast.unparse(type(node)(**dict(ast.iter_fields(node)) | field))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            return ast.unparse(operand)
        case ast.Constant(value=int(value)):
            return str(not value if isinstance(value, bool) else value + 1)
        case ast.Name(id=name):
            return OTHER_NAME.get(name)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            return "return None"
        case ast.Expr(value=ast.Call()):
            return "None"
        case ast.Continue():
            return "break"
    return None


def mutants_of(tree: Path, package: str) -> Iterator[Mutant]:
    for path in sorted((tree / package).rglob("*.py")):
        source = path.read_bytes()
        lengths = [0, *(len(line) for line in source.splitlines(keepends=True))]
        found = [nodes(function) for function in functions(ast.parse(source))]
        for node in chain.from_iterable(found):
            for target, new in changes(node):
                assert isinstance(target, ast.expr | ast.stmt)
                start = sum(lengths[: target.lineno]) + target.col_offset
                end = sum(lengths[: target.end_lineno]) + (target.end_col_offset or 0)
                old = source[start:end].decode()
                yield Mutant(str(path.relative_to(tree)), target.lineno, start, end, old, new)


def drawn(tree: Path, seed: int, number: int) -> Iterator[tuple[str, Mutant]]:
    """Draw as many mutants of each package, in the order of the sources."""
    for at, package in enumerate(TESTS):
        n = number * (at + 1) // len(TESTS) - number * at // len(TESTS)
        chance = random.Random(f"{seed} {package}")  # noqa: S311 - draws mutants, keeps no secret
        chosen = chance.sample(list(mutants_of(tree, package)), n)
        for mutant in sorted(chosen, key=lambda one: (one.path, one.start)):
            yield package, mutant


def runs_of(tree: Path, package: str, path: str) -> list[list[str]]:
    """Return the tests of each run, the nearest first.

    Within a run, those of `scoring` and those without a database would come last.
    """
    module = path.removesuffix(".py").replace("/", ".")
    files: list[Path] = []
    for folder in (tree / "tests" / name for name in TESTS[package].split()):
        files += sorted(folder.rglob("test_*.py")) if folder.is_dir() else [folder]
    words = set(re.split(r"[._/]", path))
    shared = {file: words.intersection(file.stem.split("_")) for file in files}
    files.sort(key=lambda file: (-len(shared[file]), module not in file.read_text()))
    names = [str(file.relative_to(tree)) for file in files]
    library = [name for name in names if name.startswith("tests/scoring/")]
    same = [name for name in names if Path(name).stem == f"test_{Path(path).stem}"]
    examples = [f"{EXAMPLES}[{module}]"] if library else []
    others = [name for name in names if name not in (*library, *same)]
    same = [name for name in same if name not in library]
    return [run for run in ([*examples, *library], same, others) if run]


def pytest_in(tree: Path, *arguments: str, limit: float | None = None) -> tuple[bool, str]:
    """Run tests of the copy; return whether they passed, and what was printed."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *PYTEST_ARGUMENTS, *arguments],
        cwd=tree, env=os.environ | {"BLACKLADY_SHARED": str(SHARED)}, timeout=limit,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return run.returncode == 0, run.stdout


def write(path: Path, source: bytes) -> None:
    """Write a module without what was compiled of it: its size and time may be the same."""
    compile(source, path, "exec")
    path.write_bytes(source)
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def killer(tree: Path, package: str, mutant: Mutant) -> str | None:
    """Return the first test that fails with a mutant, "time limit" or None."""
    path = tree / mutant.path
    source = path.read_bytes()
    write(path, source[: mutant.start] + mutant.new.encode() + source[mutant.end :])
    end = time.monotonic() + LIMIT_S
    try:
        for tests in runs_of(tree, package, mutant.path):
            passed, log = pytest_in(tree, *tests, limit=end - time.monotonic())
            if not passed:
                failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", log, re.MULTILINE)
                if not failed and "while loading conftest" not in log:
                    raise RuntimeError(log)  # a fault in the list of tests kills no mutant
                name = failed[1] if failed else "tests that do not start"
                return f"{name} (time limit)" if "Failed: Timeout" in log else name
    except subprocess.TimeoutExpired:
        return "time limit"
    finally:
        write(path, source)
        # Examples that another mutant failed with would help to kill the next one.
        shutil.rmtree(tree / ".hypothesis", ignore_errors=True)
    return None


def copy_tree(tree: Path) -> None:
    for file in tracked():
        copy = tree / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--number", type=int, default=30)
    options = parser.parse_args()
    killers = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy_tree(tree := Path(folder) / "tree")
        for package, mutant in drawn(tree, options.seed, options.number):
            start = time.monotonic()
            test = killer(tree, package, mutant)
            killers += [test] if test else []
            outcome = f"killed    {mutant}  by {test}" if test else f"survived  {mutant}"
            print(f"{outcome}  {time.monotonic() - start:.0f} s", flush=True)
        print(f"killed {len(killers)} of {options.number}")
        # A test that fails without a mutant too has killed nothing.
        named = {test.split("[")[0].split(" ")[0] for test in killers if test.startswith("tests/")}
        passed, log = pytest_in(tree, *sorted(named)) if named else (True, "")
        print("their tests pass without a mutant" if passed else log)
        return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
