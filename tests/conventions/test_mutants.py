"""`make mutants` draws faults of a range of commits, half at boundaries, and tries each once."""

import os
import re
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from releasing.release import releases
from tests.support.mutants import running
from tests.support.mutants.drawing import Mutant, drawn, ends_of, lines_of, mutants_of
from tests.support.mutants.faults import Fault, faults_of, function_lines
from tests.support.mutants.forking import waited
from tests.support.mutants.running import Copy, Reach
from tests.support.mutants.subjects import FURTHER, ON_POSTGRESQL, files_for, modules_of
from tests.support.sources import PACKAGES, ROOT

STEPS = """\
from collections.abc import Callable

LEAST = 2


def is_enough(number: int) -> bool:
    return number >= LEAST


def is_many(number: int) -> bool:
    return number > 7


def is_never_asked(number: int) -> bool:
    return number > 8


def at_most(most: int) -> Callable[[int], bool]:
    return lambda number: number + 0 <= most


is_few = at_most(3)


def is_small(
    number: int,
    by: Callable[[int], int] = lambda each: each,
) -> bool:
    return by(number) < 4
"""
TESTS = """\
from scoring.steps import is_enough, is_few, is_many, is_small


def test_two_are_enough() -> None:
    assert is_enough(2)


def test_nine_are_many() -> None:
    assert is_many(9)


def test_three_are_few() -> None:
    assert is_few(3)


def test_four_are_not_small() -> None:
    assert not is_small(4)
"""


def written(source: str, *, is_boundary: bool) -> list[str]:
    """Return what a line becomes with each fault of one kind."""
    faults = faults_of(source.encode())
    mutants = [Mutant("a.py", fault) for fault in faults if fault.is_boundary is is_boundary]
    return [mutant.written_into(source.encode()).decode() for mutant in mutants]


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("a < b", ["(a <= b)"]),
        ("a <= b", ["(a < b)"]),
        ("a > b", ["(a >= b)"]),
        ("a >= b", ["(a > b)"]),
        ("a <= b < c", ["(a < b < c)", "(a <= b <= c)"]),
        ("rows[:5]", ["rows[:(6)]"]),
        ("a and b", ["(b)", "(a)"]),
        ("a or b or c", ["(b or c)", "(a or c)", "(a or b)"]),
        ("f(a, low=b, high=c)", ["(f(a, low=b))", "(f(a, high=c))"]),
        ("f(a, **more)", []),
        ("a == b", []),
        ("True", []),
        ("'ä' if a < b else c", ["'ä' if (a <= b) else c"]),
    ],
)
def test_boundaries(source: str, mutants: list[str]) -> None:
    assert sorted(written(source, is_boundary=True)) == sorted(mutants)


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("a == b", ["(a != b)"]),
        ("a in b", ["(a not in b)"]),
        ("a is None", ["(a is not None)"]),
        ("a + b", ["(a - b)"]),
        ("a and b", ["(a or b)"]),
        ("not a", ["(a)"]),
        ("True", ["False"]),
        ("min(rows)", ["None", "max(rows)"]),
        ("save(row)", ["None"]),
        ("total += row", ["total -= row"]),
        ("b if a else c", ["b if (not (a)) else c"]),
        ("def f():\n    return a", ["def f():\n    return None"]),
        ("for a in b:\n    continue", ["for a in b:\n    break"]),
        ("a < b", []),
    ],
)
def test_other_faults(source: str, mutants: list[str]) -> None:
    assert sorted(written(source, is_boundary=False)) == sorted(mutants)


@pytest.mark.parametrize(
    "source",
    [
        "text = _('%s points') % (n + 1)",
        "text = ngettext('%(n)s hand', '%(n)s hands', 2) % {'n': 2}",
        "text = gettext('{n} hands').format(n=2)",
        "log.info('seated', tables=2)",
        "log.bind(club=1).warning('seated', tables=2)",
        "raise Refused('too many', most=5)",
        "assert a < b",
        "text = f'{a + 1}'",
        "def f(a: Literal[1]) -> Literal[2]: ...",
        "@cached(5)\ndef f(): ...",
        "if TYPE_CHECKING:\n    a = 1",
    ],
)
def test_messages_logs_and_what_is_raised_stay(source: str) -> None:
    assert faults_of(source.encode()) == []


def test_message_is_no_argument_that_is_left_out() -> None:
    assert written("card(least=n, help=_('Some'))", is_boundary=True) == ["(card(help=_('Some')))"]


def test_columns_of_models_stay_and_their_methods_do_not() -> None:
    source = b"class Row(Model):\n    name = text(most=5)\n    def f(self):\n        return 1 < n\n"
    assert {fault.line for fault in faults_of(source, has_columns=True)} == {4}
    assert {fault.line for fault in faults_of(source)} == {2, 4}


def test_fault_has_the_line_of_what_changes_and_those_of_its_statement() -> None:
    source = b"def f():\n    if (\n        a\n        and b < 1\n    ):\n        go()\n"
    places = {fault.new: (fault.line, fault.lines) for fault in faults_of(source)}
    assert places["(b <= 1)"] == (4, range(2, 6))
    assert places["(a)"] == (4, range(2, 6))
    assert places["(b < 1)"] == (3, range(2, 6))
    assert places["None"] == (6, range(6, 7))


def test_what_runs_at_an_import_has_no_lines_of_its_own() -> None:
    source = b"MOST = 5\n\ndef f(least=1):\n    return least\n"
    assert [fault.lines for fault in faults_of(source)] == [None, None, range(4, 5)]
    assert function_lines(source) == [range(4, 5)]


class Club:
    """A repository with one module."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        names = ("-c", "user.name=Club", "-c", "user.email=club@example.com")
        run = subprocess.run(
            ["git", *names, *words],  # noqa: S607  # git of the machine
            cwd=self.root,
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout.strip()

    def commit(self, source: str) -> str:
        module = self.root / "scoring" / "steps.py"
        module.parent.mkdir(exist_ok=True)
        module.write_text(source)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")
        return self.git("rev-parse", "HEAD")


def test_mutants_are_in_lines_of_the_range_that_no_codemod_wrote(tmp_path: Path) -> None:
    club = Club(tmp_path)
    first = club.commit("a = 1\n")
    second = club.commit("a = 1\nb = 2\n")
    codemod = club.commit("a = (1)\nb = 2\n")
    third = club.commit("a = (1)\nb = 2\nc = 3\n")
    (tmp_path / ".git-blame-ignore-revs").write_text(f"# A codemod\n{codemod}\n")
    row = {
        "version": '"0.1.0"',
        "date": "2026-11-22",
        "commit": f'"{first}"',
        "migration": '"0001"',
    }
    facts = "\n".join(f"{name} = {value}" for name, value in row.items())
    (tmp_path / "releases.toml").write_text(f"[[release]]\n{facts}\n")

    def lines(commits: str) -> list[int]:
        return [mutant.fault.line for mutant in mutants_of(tmp_path, commits, ["scoring"])]

    assert lines("0.1.0..HEAD") == [2, 3]
    assert lines(f"{first}..{second}") == [2]
    assert lines(f"{second}..") == [3]
    assert lines(f"{third}..HEAD") == []
    assert lines_of(tmp_path, "scoring/steps.py", first=first, commits=[codemod]) == set()


def test_releases_are_names_of_their_commits() -> None:
    commits = {release.version: release.commit for release in releases()}
    assert ends_of(ROOT, "0.4.0..0.5.0") == (commits["0.4.0"], commits["0.5.0"])
    assert ends_of(ROOT, "0.5.0..HEAD") == (commits["0.5.0"], "HEAD")
    assert ends_of(ROOT, "0.5.0..") == (commits["0.5.0"], "HEAD")


def mutants(n_at_boundaries: int, n_others: int) -> list[Mutant]:
    return [
        Mutant("a.py", Fault(line, line, line, "a", "b", line < n_at_boundaries, None))
        for line in range(n_at_boundaries + n_others)
    ]


@pytest.mark.parametrize(
    ("there", "number", "drawn_of_each"),
    [
        ((50, 50), 10, (5, 5)),
        ((50, 50), 7, (4, 3)),
        ((50, 2), 10, (8, 2)),
        ((3, 50), 10, (3, 7)),
        ((3, 2), 10, (3, 2)),
    ],
)
def test_half_of_what_is_drawn_is_at_boundaries(
    there: tuple[int, int], number: int, drawn_of_each: tuple[int, int]
) -> None:
    kinds = [m.fault.is_boundary for m in drawn(mutants(*there), seed=3, number=number)]
    assert (kinds.count(True), kinds.count(False)) == drawn_of_each


def test_seed_decides_what_is_drawn() -> None:
    every = mutants(50, 50)
    assert drawn(every, seed=3, number=10) == drawn(every, seed=3, number=10)
    assert drawn(every, seed=3, number=10) != drawn(every, seed=4, number=10)


def test_tests_that_run_a_line_come_first_and_quick_ones_before_slow_ones() -> None:
    reach = Reach()
    seconds = {"a::slow": 3.0, "a::quick": 1.0, "b::other": 2.0, "b::first": 5.0, "c::no": 1.0}
    four = ["a::slow|call", "a::quick|call", "b::first|setup"]
    lines = {"4": four, "9": ["c::no|call"]}
    reach.add({"seconds": seconds, "failed": [], "reached": {"m.py": lines}, "imported": {}})
    assert reach.tests("m.py", [4]) == ["a::quick", "a::slow", "b::other", "b::first"]
    reach.failed.add("a::quick")
    assert reach.tests("m.py", [4]) == ["a::slow", "b::other", "b::first"]
    assert reach.tests("m.py", [5]) == []


def test_mutants_are_tried_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("PYTEST_", "DJANGO_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "scoring").mkdir()
    (tmp_path / "tests" / "scoring").mkdir(parents=True)
    module = tmp_path / "scoring" / "steps.py"
    module.write_text(STEPS)
    module.with_name("__init__.py").touch()
    (tmp_path / "tests" / "scoring" / "test_steps.py").write_text(TESTS)
    faults = faults_of(STEPS.encode())
    wanted = re.compile(r"\(number >|0 < most|<= 4")
    tried = [Mutant("scoring/steps.py", each) for each in faults if wanted.search(each.new)]
    with closing(Copy(tmp_path, limit_s=60)) as copy:
        copy.measure(tried)
        assert [str(copy.try_out(mutant)) for mutant in tried] == [
            "killed  scoring/steps.py:7  number >= LEAST -> (number > LEAST)"
            "  by tests/scoring/test_steps.py::test_two_are_enough",
            "lived   scoring/steps.py:11  number > 7 -> (number >= 7)  with 1 tests",
            "lived   scoring/steps.py:15  number > 8 -> (number >= 8)  with 0 tests",
            "killed  scoring/steps.py:19  number + 0 <= most -> (number + 0 < most)"
            "  by tests/scoring/test_steps.py::test_three_are_few",
            "killed  scoring/steps.py:29  by(number) < 4 -> (by(number) <= 4)"
            "  by tests/scoring/test_steps.py::test_four_are_not_small",
        ]
        assert copy.n_forked == 3
    assert module.read_text() == STEPS


def test_fork_that_takes_too_long_ends() -> None:
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        signal.pause()
    assert waited(pid, 0.1) is False
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("log", "killer"),
    [
        ("FAILED tests/test_a.py::test_b - assert 1 == 2", "tests/test_a.py::test_b"),
        ("ERROR tests/test_a.py - ImportError", "tests/test_a.py"),
        ("ImportError while loading conftest", "tests that do not start"),
        ("AttributeError: 'Config' object has no attribute 'cache'", None),
    ],
)
def test_run_that_ends_otherwise_kills_no_mutant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str, killer: str | None
) -> None:
    monkeypatch.setattr(Copy, "_pytest", lambda *arguments, **words: (False, log))
    (tmp_path / "steps.py").write_text(STEPS)
    copy = Copy(tmp_path, limit_s=60)
    copy.reach.add(
        {
            "seconds": {"t": 1.0},
            "failed": [],
            "reached": {"steps.py": {"7": ["t|call"]}},
            "imported": {},
        }
    )
    mutant = Mutant("steps.py", next(f for f in faults_of(STEPS.encode()) if f.line == 7))
    if killer is None:
        with pytest.raises(RuntimeError, match="Config"):
            copy.try_out(mutant)
    else:
        assert copy.try_out(mutant).killer == killer
    assert (tmp_path / "steps.py").read_text() == STEPS


@pytest.mark.parametrize(
    ("passes_without", "killer"), [(True, "tests/test_pg.py::test_lock"), (False, None)]
)
def test_mutant_that_only_a_test_on_postgresql_notices_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passes_without: bool, killer: str | None
) -> None:
    module = tmp_path / "steps.py"
    module.write_text(STEPS)
    asked: list[list[str]] = []

    def run(copy: Copy, tests: list[str], *words: str, **_more: object) -> tuple[bool, str]:
        asked.append([*tests, *words])
        is_without = module.read_text() == STEPS
        return passes_without if is_without else False, "FAILED tests/test_pg.py::test_lock"

    monkeypatch.setattr(Copy, "_pytest", run)
    monkeypatch.setattr(running, "ON_POSTGRESQL", {"steps.py": "tests/test_pg.py"})
    copy = Copy(tmp_path, limit_s=60)
    mutant = Mutant("steps.py", next(f for f in faults_of(STEPS.encode()) if f.line == 7))
    assert copy.try_out(mutant).killer == killer
    assert asked == [["tests/test_pg.py", "-x", "-n0", "-m", "pg"]] * (1 + passes_without)
    assert module.read_text() == STEPS


def test_every_product_folder_has_tests() -> None:
    without = [path for path in modules_of(ROOT, PACKAGES) if not files_for(ROOT, path)]
    assert without == []


def test_table_of_subjects_names_folders_that_exist() -> None:
    named = [*FURTHER, *(folder for folders in FURTHER.values() for folder in folders.split())]
    assert [folder for folder in named if not list((ROOT / folder).glob("*.py"))] == []
    files = [*ON_POSTGRESQL, *ON_POSTGRESQL.values()]
    assert [file for file in files if not (ROOT / file).is_file()] == []
