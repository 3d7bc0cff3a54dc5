"""What readers see is written in the field's words: pages, messages, descriptions and documents."""

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.sources import ROOT, modules, tracked

WORDS = tomllib.loads(
    (Path(__file__).with_name("banned_phrases.toml")).read_text(encoding="utf-8")
)["phrase"]
Patterns = Sequence[tuple[re.Pattern[str], dict[str, Any]]]
PATTERNS: Patterns = [(re.compile(word["pattern"], re.IGNORECASE), word) for word in WORDS]
IN_CODE: Patterns = [(pattern, one) for pattern, one in PATTERNS if one.get("in_code")]
"""Phrases that docstrings, comments and names do not use either."""
LISTED_SCRIPT = "tests/support/imports/make_league.py"
"""A script that is kept to the byte."""
BEFORE_A_DOCSTRING = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}

MARKED = re.compile(
    r"""\{%\s*translate\s+(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')"""
    r"""|\{%\s*blocktranslate[^%]*%\}(?P<block>.*?)\{%\s*endblocktranslate\s*%\}""",
    re.DOTALL,
)
PLURAL = re.compile(r"\{%\s*plural\s*%\}")
COMMENT = re.compile(r"^\s*(//|\*|/\*).*$", re.MULTILINE)
QUOTED = re.compile(r'"([A-Z][^"\n]* [^"\n]+)"')
PLACE = re.compile(r"\{\{.*?\}\}|%\(\w+\)[sd]|\{\w*\}")
KEY = re.compile(r"`[^`]*`")
CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)

Sentence = tuple[str, int, str]


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def of_code() -> Iterator[Sentence]:
    """Every docstring and comment of Python, tests included; strings of their own are elsewhere."""
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if path.suffix != ".py" or "/migrations/" in name or name == LISTED_SCRIPT:
            continue
        before = tokenize.NEWLINE
        for token in tokenize.generate_tokens(
            io.StringIO(path.read_text(encoding="utf-8")).readline
        ):
            is_docstring = token.type == tokenize.STRING and before in BEFORE_A_DOCSTRING
            if token.type == tokenize.COMMENT or is_docstring:
                yield name, token.start[0], KEY.sub("{}", token.string.strip("#\"' \n"))
            if token.type not in (tokenize.NL, tokenize.COMMENT):
                before = token.type


def of_names() -> Iterator[Sentence]:
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if path.suffix != ".py" or "/migrations/" in name or name == LISTED_SCRIPT:
            continue
        yield name, 0, path.stem.replace("_", " ")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", node.name)
                yield name, node.lineno, words.strip()


def files(*ends: str) -> Iterator[tuple[str, str]]:
    """The tracked files whose names end so, without tests and migrations: path and text."""
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if name.endswith(ends) and not name.startswith("tests/") and "/migrations/" not in name:
            yield name, path.read_text(encoding="utf-8")


def of_templates() -> Iterator[Sentence]:
    for name, text in files(".html"):
        for found in MARKED.finditer(text):
            shown = found["double"] or found["single"] or found["block"] or ""
            for part in PLURAL.split(shown):
                yield name, line_of(text, found.start()), " ".join(part.split())


def of_python() -> Iterator[Sentence]:
    for name, tree in modules():
        hidden = {
            id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
        }  # docstrings, of attributes too
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                hidden |= {id(part) for part in node.values}
                parts = [
                    str(part.value) if isinstance(part, ast.Constant) else "{}"
                    for part in node.values
                ]
                yield name, node.lineno, "".join(parts)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            is_statement = node.value.lstrip().startswith(("SELECT", "INSERT", "WITH", "COPY"))
            if " " in node.value.strip() and id(node) not in hidden and not is_statement:
                yield name, node.lineno, KEY.sub("{}", node.value)


def of_scripts() -> Iterator[Sentence]:
    for name, text in files(".js"):
        code = COMMENT.sub("", text)
        for found in QUOTED.finditer(code):
            yield name, line_of(code, found.start()), found[1]


def of_data() -> Iterator[Sentence]:
    for name, text in files(".toml"):
        if name.startswith("scoring/data/"):
            for found in QUOTED.finditer(re.sub(r"^#.*$", "", text, flags=re.MULTILINE)):
                yield name, line_of(text, found.start()), found[1]


def of_documents() -> Iterator[Sentence]:
    for name, text in files(".md"):
        if name.startswith(("docs/", "README")) and not name.startswith("docs/decisions/"):
            shown = CODE.sub(lambda found: "\n" * found[0].count("\n"), text)
            for number, line in enumerate(shown.splitlines(), 1):
                yield name, number, re.sub(r"\]\([^)]*\)|[*_]", "", KEY.sub("", line))


def of_reference() -> Iterator[Sentence]:
    """Every description and summary of the REST reference, without the keys that it quotes."""
    written = (ROOT / "openapi.yaml").read_text(encoding="utf-8")
    document = yaml.load(written, Loader=yaml.CSafeLoader)
    for text in sorted(set(_descriptions(document))):
        yield "openapi.yaml", 0, KEY.sub("{}", text)


def _descriptions(node: object) -> Iterator[str]:
    if isinstance(node, list):
        for each in node:
            yield from _descriptions(each)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in ("description", "summary") and isinstance(value, str):
                yield value
            else:
                yield from _descriptions(value)


def findings(sentences: Iterable[Sentence], patterns: Patterns = PATTERNS) -> list[str]:
    """Each use of a banned phrase: file, line, phrase, and what to write instead."""
    found = []
    for name, line, text in sentences:
        plain = " ".join(PLACE.sub("{}", text).split())
        for pattern, one in patterns:
            hit = pattern.search(plain)
            kept = one.get("except", {})
            if hit and not any(re.search(allowed, f"{name}: {plain}") for allowed in kept):
                found.append(f"{name}:{line}: “{hit[0].strip()}”: write {one['write']}")
    return found


@pytest.mark.parametrize(
    "sentences", [of_templates, of_python, of_scripts, of_data, of_documents, of_reference]
)
def test_readers_see_the_words_of_the_field(sentences: Callable[[], Iterator[Sentence]]) -> None:
    found = findings(sentences())
    assert not found, "\n".join(found)


@pytest.mark.parametrize("sentences", [of_code, of_names])
def test_code_and_tests_use_words_of_the_field(sentences: Callable[[], Iterator[Sentence]]) -> None:
    found = findings(sentences(), IN_CODE)
    assert not found, "\n".join(found)


def test_finding_names_the_file_the_line_and_what_to_write() -> None:
    patterns = [(re.compile(r"^back to front$", re.IGNORECASE), {"write": "Reverse"})]
    assert findings([("page.html", 7, "Back to front")], patterns) == [
        "page.html:7: “Back to front”: write Reverse"
    ]


@pytest.mark.parametrize("one", WORDS, ids=lambda one: one["pattern"])
def test_each_phrase_says_what_to_write_and_why_an_exception_stays(one: dict[str, object]) -> None:
    assert one["write"]
    kept = one.get("except", {})
    assert isinstance(kept, dict)
    assert all(isinstance(reason, str) and reason for reason in kept.values())
