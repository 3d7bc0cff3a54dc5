"""What the documentation lists is what there is, both ways."""

import ast
import re
from pathlib import Path

import pytest

from releasing.release import EXAMPLES, current_release
from tests.support.sources import ROOT, modules, tracked


def listed(document: str) -> set[str]:
    """The names in the first column of a document's tables."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    firsts = re.findall(r"^\| *([^|]+?) *\|", text, re.M)
    return {name for cell in firsts for name in re.findall(r"`([A-Za-z_]+)[^`]*`", cell)}


READ_FROM_FILES = {
    "secret", "secret_key", "database", "cache", "mail", "redis_secret", "use_direct_database",
}  # fmt: skip
"""Readers that take `NAME_FILE` as well."""


def read_variables() -> set[str]:
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
                if node.func.attr in READ_FROM_FILES:
                    names.add(f"{name}_FILE")
    return names


def test_each_setting_is_documented_and_each_documented_setting_is_read() -> None:
    for_tests = set(re.findall(r"BLACKLADY_[A-Z_]+", sources_of_the_tests()))
    assert listed("settings.md") == read_variables() | for_tests


def sources_of_the_tests() -> str:
    files = (ROOT / "tests" / name for name in ("support/services.py", "conftest.py"))
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
    folders = (ROOT / app / "management" / "commands" for app in ("config", "tournaments"))
    commands = {path.stem for folder in folders for path in folder.glob("[a-z]*.py")}
    assert listed("commands.md") == commands


def test_each_command_that_a_page_names_exists() -> None:
    pages = "\n".join(path.read_text("utf-8") for path in (ROOT / "templates").rglob("*.html"))
    named = set(re.findall(r'"(\w+)[^"]*"\|server_command', pages))
    assert "setup_link" in named
    assert named <= listed("commands.md")


@pytest.mark.parametrize("target", ["demo", "test"])
def test_readme_shows_the_two_commands(target: str) -> None:
    assert re.search(rf"^make {target}$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
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


def test_each_page_and_each_image_is_linked_from_a_document() -> None:
    linked = {
        (path.parent / target).resolve()
        for path in tracked()
        if path.suffix == ".md"
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
    }
    files = {path for path in tracked() if path.is_relative_to(ROOT / "docs")}
    assert sorted(map(str, files - linked)) == []


def prose(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix not in {".py", ".js"}:
        return text
    matches = re.findall(r'(?s:"""(.*?)""")|^ *(?:#|//) (.*)', text, re.M)
    return "\n".join(docstring or comment for docstring, comment in matches)


READ = {".md", ".py", ".js", ".toml", ".yml", ".html", ".css"}
HISTORY = ("changelog.d/", "CHANGELOG.md", "migrations/")
"""Change notes and migrations may name files that have gone."""


def pages_and_code() -> list[tuple[str, Path]]:
    named = [(str(path.relative_to(ROOT)), path) for path in tracked() if path.suffix in READ]
    return [(name, path) for name, path in named if not any(part in name for part in HISTORY)]


def test_each_file_that_documents_and_docstrings_name_is_in_the_repository() -> None:
    here = ["/" + str(path.relative_to(ROOT)) for path in tracked()]
    ends = {name[at:] for name in here for at in range(len(name)) if name[at] == "/"}
    strays = [
        f"{reader}: {name}"
        for reader, path in pages_and_code()
        if not (reader.startswith("tests/conventions/") or path.suffix in {".css", ".html"})
        for name in re.findall(r"(?<![\w./*{-])\w[\w/-]*\.(?:py|html|js|css|md)\b", prose(path))
        if f"/{name}" not in ends
    ]
    assert strays == []


SECTION_ROOTS = {"scoring": "scoring", "config": "config"}
"""Section of the page of the architecture → the package that its names are below."""


def test_each_file_that_the_architecture_names_is_where_its_section_says() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    strays = []
    for section in page.split("\n## ")[1:]:
        root = SECTION_ROOTS.get(section.partition("\n")[0], "tournaments")
        text = re.sub(r"\]\([^)]*\)", "]", section)
        for name in re.findall(r"(?<![\w./*{-])[\w][\w/-]*\.(?:py|html|js|css|toml)\b", text):
            if not (ROOT / name).is_file() and not (ROOT / root / name).is_file():
                strays.append(f"{section.partition(chr(10))[0]}: {name}")
    assert strays == []


def test_each_module_that_the_page_of_the_rules_engine_names_exists() -> None:
    page = (ROOT / "docs" / "rules-engine.md").read_text(encoding="utf-8")
    modules = set(re.findall(r"`(\w+/\w+)`", page))
    assert modules
    assert {name for name in modules if not (ROOT / "scoring" / f"{name}.py").exists()} == set()


def headings(path: Path) -> list[str]:
    text = re.sub(r"(?ms)^```.*?^```", "", path.read_text(encoding="utf-8"))
    return re.findall(r"^#+ (.+)$", text, re.M)


def anchors(path: Path) -> set[str]:
    """What a link may name behind `#`: headings as GitHub writes them."""
    plain = [re.sub(r"\]\([^)]*\)", "", heading).lower() for heading in headings(path)]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def test_each_anchor_of_a_link_is_a_heading() -> None:
    dead = [
        f"{path.relative_to(ROOT)}: {target}#{anchor}"
        for path in tracked()
        if path.suffix == ".md"
        for target, anchor in re.findall(
            r"\]\(([\w./-]*)#([^)\s]+)\)", path.read_text(encoding="utf-8")
        )
        if anchor not in anchors(path.parent / target if target else path)
    ]
    assert dead == []


def test_each_heading_that_a_docstring_names_is_on_that_page() -> None:
    strays = [
        f"{reader}: {page}, {heading}"
        for reader, path in pages_and_code()
        if path.suffix == ".py"
        for page, heading in re.findall(
            r'(docs/[\w/-]+\.md),\s+"([^"\n]+)"', path.read_text(encoding="utf-8")
        )
        if heading not in headings(ROOT / page)
    ]
    assert strays == []


VERSION_IN_A_COMMAND = re.compile(r"(?:VERSION=|\bblacklady[-:]v?|\bv)(\d+\.\d+\.\d+)\b")


def test_each_example_names_the_current_release() -> None:
    """The image of docker-compose.yml is built from this tree, and has its version instead."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    commands = {
        str(page.relative_to(ROOT)): "\n".join(
            re.findall(r"(?ms)^ *```sh$(.*?)^ *```$", page.read_text(encoding="utf-8"))
        )
        for page in pages
    }
    for path in tracked():
        if path.is_relative_to(ROOT / "deploy") and path.suffix != ".json":
            commands[str(path.relative_to(ROOT))] = path.read_text(encoding="utf-8")
    named = [
        (name, version)
        for name, text in commands.items()
        for version in VERSION_IN_A_COMMAND.findall(text)
    ]
    assert {name for name, _version in named} >= set(EXAMPLES)
    assert [example for example in named if example[1] != current_release()] == []


MANUAL_OF_SECRETARIES = """
    enter-an-evening-from-paper enter-score-sheets paste-a-sheet-from-a-spreadsheet
    enter-sheets-twice-and-compare import-a-file-on-a-page import-a-file-with-other-columns
    resolve-problems undo-an-import start-in-the-middle-of-a-season import-with-a-command
    add-the-players-of-a-file import-players-and-pairs import-results-without-hands export-sheets
    columns-of-a-sheet columns-of-totals report-of-an-import read-as-meant-accept-note
    a-person-chooses-ask cannot-be-true-reject no-hand-or-there-already-skip after-the-import
"""


def test_addresses_in_the_manual_of_secretaries_stay() -> None:
    """Columns and codes have a page of their own; bookmarks still lead to its sections."""
    gone = set(MANUAL_OF_SECRETARIES.split()) - anchors(ROOT / "docs" / "for-secretaries.md")
    assert gone == set()


PRIVATE_CODES = re.compile(
    r"(?<![A-Z]\d\d )(?<![`'\",:])\b(?:[PFI]\d{1,2}|A(?:[1-36-9]|[1-9]\d))\b(?! [A-Z]\d\d)"
    r"|\bissue \d+|\bdesign \d|\bgoal [A-Z]\d|\bR script"
)
"""Numbers of goals, faults and tasks, which no page explains. A4 and A5 are paper."""


def test_no_text_cites_a_code_that_no_page_explains() -> None:
    codes = [
        f"{reader}: {code}"
        for reader, path in pages_and_code()
        for code in PRIVATE_CODES.findall(prose(path))
    ]
    assert codes == []


def test_each_decision_has_its_number_once_and_a_line_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    pages = sorted(folder.glob("0*.md"))
    numbers = [path.name[:4] for path in pages]
    assert numbers == sorted(set(numbers))
    index = (folder / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^\| \[.+\]\((.+)\) \| .+ \|$", index) == [path.name for path in pages]
    heads = [path.read_text(encoding="utf-8").partition("\n")[0] for path in pages]
    begins = [f"# {int(number)}. " for number in numbers]
    assert [head[: len(begin)] for head, begin in zip(heads, begins, strict=True)] == begins


TASKS = ("for-directors", "for-hosts", "for-players", "for-secretaries", "quickstart")
TEXTS = ("templates", "tournaments", "static/blacklady", "scoring/data")


def labels() -> re.Pattern[str]:
    """Every text of pages and scripts; a placeholder stands for any words."""
    texts = set()
    for folder in TEXTS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix == ".py":
                tree = ast.parse(path.read_text(encoding="utf-8"))
                nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
                texts |= {node.value for node in nodes if isinstance(node.value, str)}
            elif path.suffix in {".html", ".js", ".toml"}:
                text = path.read_text(encoding="utf-8")
                texts |= set(re.findall(r'"([^"\n]+)"', text))
                blocks = re.findall(r"blocktrans(?:late)?[^%]*%\}(.*?)\{% endblock", text, re.S)
                texts |= {part for block in blocks for part in re.split(r"\{% plural %\}", block)}
    return re.compile("|".join(sorted(map(pattern, (text for text in texts if len(text) < 90)))))


def pattern(label: str) -> str:
    parts = re.split(r"\{\{[^}]*\}\}|%\(\w+\)s|\{\w*\}", " ".join(label.split()))
    return ".+".join(map(re.escape, parts)) if any(part.strip() for part in parts) else "(?!)"


@pytest.mark.parametrize("name", TASKS)
def test_each_label_in_bold_is_on_a_page(name: str) -> None:
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    known = labels()
    bold = {" ".join(text.split()) for text in re.findall(r"\*\*(.+?)\*\*", page, re.S)}
    named = {label for label in bold if label[-1] not in ".,:" and label != "bold"}
    assert [label for label in sorted(named) if not known.fullmatch(label)] == []
