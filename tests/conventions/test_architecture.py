"""The packages, their layers and directions (pyproject.toml, docs/architecture.md)."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name

import pytest

from tests.support.sources import ROOT, modules, tracked

LAYERS = {
    **{name: f"tournaments/{name}" for name in ("models", "domain", "selectors", "services")},
    **{name: f"tournaments/{name}" for name in ("delivery", "documents", "views")},
    "api": "api/v1",
    "templates": "templates",
}
ONLY_SUBJECTS = ("selectors", "services", "views", "api", "templates")
"""The layers that have nothing but subjects, and what is named below."""
OF_NO_SUBJECT = {
    *("operations", "addresses", "fields", "account", "allauth", "mfa"),
    *("errors", "mail", "operation", "shared", "base", "__init__"),
}
HOMELESS = {"utils", "util", "helpers", "helper", "misc", "common", "base", "core"}


def lint_imports(place: Path) -> subprocess.CompletedProcess[str]:
    script = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    return subprocess.run(
        [sys.executable, "-c", script, "--no-cache", "--config", str(ROOT / "pyproject.toml")],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )


def test_import_contracts_hold() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout


def test_each_subject_is_listed_with_the_layers_that_have_it() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([a-z, ]+) \|$", text, re.MULTILINE)
    names = {
        layer: {
            path.relative_to(ROOT / folder).parts[0].partition(".")[0]
            for path in tracked()
            if path.is_relative_to(ROOT / folder)
        }
        for layer, folder in LAYERS.items()
    }
    subjects = set().union(*(names[layer] for layer in ONLY_SUBJECTS)) - OF_NO_SUBJECT
    assert {subject: layers.split(", ") for subject, layers in rows} == {
        subject: [layer for layer in LAYERS if subject in names[layer]] for subject in subjects
    }


def test_module_is_named_for_what_it_does() -> None:
    assert [path for path, _ in modules() if Path(path).stem in HOMELESS] == []


def test_public_class_name_is_unique_in_the_app() -> None:
    where: dict[str, list[str]] = {}
    for path, tree in modules("tournaments"):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                where.setdefault(node.name, []).append(path)
    repeated = {name: paths for name, paths in where.items() if len(paths) > 1}
    assert {name: paths for name, paths in repeated.items() if name != "Command"} == {}


def dotted_names(tree: ast.Module) -> Iterator[str]:
    """Names of our code in strings, as in `"scoring.cards.mask"` and f"{MODULE}.mask"."""
    known = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        texts = [
            known.get(part.value.id)
            if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name)
            else getattr(part, "value", None)
            for part in parts
        ]
        name = "".join(text if isinstance(text, str) else " " for text in texts)
        if re.fullmatch(r"(tournaments|api|config|scoring)(\.\w+){2,}", name):
            yield name


def test_name_of_our_code_in_a_string_of_a_test_leads_to_it() -> None:
    for path, tree in modules("tests"):
        for name in dotted_names(tree):
            try:
                resolve_name(name)
            except (ImportError, AttributeError):
                pytest.fail(f"{path}: {name} is nothing")


def test_package_file_holds_its_docstring_only() -> None:
    talkative = [
        path
        for path, tree in modules()
        if path.endswith("__init__.py")
        and not (len(tree.body) == 1 and ast.get_docstring(tree) is not None)
        and not (tree.body == [] and "management" in path)
    ]
    assert talkative == []


def test_import_stands_at_the_top_of_its_module() -> None:
    hidden = [
        f"{path}:{node.lineno}"
        for path, tree in modules()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert hidden == []


def test_event_or_club_is_locked_so_that_rows_may_still_point_at_it() -> None:
    shut = [
        f"{path}:{node.lineno}"
        for path, tree in modules("tournaments", "api")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "select_for_update"
        and ast.unparse(node.func.value).startswith(("Event.objects", "Club.objects"))
        and "no_key" not in {keyword.arg for keyword in node.keywords}
    ]
    assert shut == []


@pytest.mark.parametrize("package", ["scoring"])
def test_public_name_of_the_library_says_what_you_get(package: str) -> None:
    silent = [
        f"{path}: {name}"
        for path, tree in modules(package)
        for name, node in public_names(tree)
        if ast.get_docstring(node) is None
    ]
    assert silent == []


def test_module_of_the_app_says_what_it_is() -> None:
    silent = [
        path
        for path, tree in modules()
        if ast.get_docstring(tree) is None and not (path.endswith("__init__.py") and not tree.body)
    ]
    assert silent == []


Named = ast.FunctionDef | ast.ClassDef


def public_names(tree: ast.Module) -> list[tuple[str, Named]]:
    top = [
        (node.name, node)
        for node in tree.body
        if isinstance(node, Named) and not node.name.startswith("_")
    ]
    methods: list[tuple[str, Named]] = [
        (f"{name}.{method.name}", method)
        for name, node in top
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_")
    ]
    return [*top, *methods]
