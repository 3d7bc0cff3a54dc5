"""What the documentation lists is what there is, both ways."""

import ast
import re
from pathlib import Path

import pytest

from config import env
from tests.house.sources import ROOT, modules, tracked

READERS = {
    name for name, value in vars(env).items() if callable(value) and not name.startswith("_")
}


def listed(document: str) -> set[str]:
    """The names in the first column of a document's tables."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    firsts = re.findall(r"^\| *([^|]+?) *\|", text, re.M)
    return {name for cell in firsts for name in re.findall(r"`([A-Za-z_]+)[^`]*`", cell)}


def read_variables() -> set[str]:
    """Each variable that a reader of config/env.py is asked for."""
    names = set()
    for _, tree in modules("config"):
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "env"
                and isinstance(node.args[0], ast.Constant)
            ):
                name = str(node.args[0].value)
                names.add(name)
                if node.func.attr == "secret_key":
                    names.add(f"{name}_FILE")
    return names


def test_each_setting_is_documented_and_each_documented_setting_is_read() -> None:
    for_tests = set(re.findall(r"BLACKLADY_[A-Z_]+", sources_of_the_cells()))
    assert listed("settings.md") == read_variables() | for_tests


def sources_of_the_cells() -> str:
    files = (ROOT / "tests" / name for name in ("cells.py", "conftest.py"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def test_environment_is_read_in_one_place() -> None:
    strays = [
        f"{path}:{node.lineno}"
        for path, tree in modules()
        if path != "config/env.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript | ast.Attribute)
        and re.match(r"os\.(environ\[|environ\.get|getenv)", ast.unparse(node))
    ]
    assert strays == []


def test_each_command_is_documented_and_each_documented_command_exists() -> None:
    folder = ROOT / "tournaments" / "management" / "commands"
    commands = {path.stem for path in folder.glob("[a-z]*.py")}
    assert listed("commands.md") == commands


@pytest.mark.parametrize("target", ["demo", "test"])
def test_readme_shows_the_two_commands(target: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"^make {target}$", readme, re.M)
    assert re.search(rf"^{target}:.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


def test_each_link_between_documents_leads_somewhere() -> None:
    dead = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in tracked()
        if path.suffix == ".md"
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert dead == []


def prose(path: Path) -> str:
    """Return the text of a page, or the docstrings and comments of code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    found = re.findall(r'(?s:"""(.*?)""")|^ *(?:#|//) (.*)', text, re.M)
    return "\n".join(docstring or comment for docstring, comment in found)


def test_each_file_that_documents_and_docstrings_name_is_in_the_repository() -> None:
    """References name modules by their present path, and only pages of this repository."""
    readers = [path for path in tracked() if path.suffix in {".md", ".py", ".js"}]
    here = ["/" + str(path.relative_to(ROOT)) for path in tracked()]
    ends = {name[at:] for name in here for at in range(len(name)) if name[at] == "/"}
    skipped = ("changelog.d/", "CHANGELOG.md", "tests/", "migrations/", "docs/performance.md")
    strays = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in readers
        if not any(part in str(path.relative_to(ROOT)) for part in skipped)
        for name in re.findall(r"(?<![\w./*{-])\w[\w/-]*\.(?:py|html|js|css|md)\b", prose(path))
        if f"/{name}" not in ends
    ]
    assert strays == []


def test_each_decision_has_its_number_once() -> None:
    pages = sorted(Path(ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [path.name[:4] for path in pages]
    assert numbers == sorted(set(numbers))
    heads = [path.read_text(encoding="utf-8").partition("\n")[0] for path in pages]
    begins = [f"# {int(number)}. " for number in numbers]
    assert [head[: len(begin)] for head, begin in zip(heads, begins, strict=True)] == begins
