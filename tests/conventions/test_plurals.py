"""A sentence that counts something has its own form for one, or says why it never counts one."""

import ast
import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.support.sources import ROOT, tracked

BLOCK: Final = re.compile(
    r"\{%\s*blocktranslate(?P<arguments>[^%]*)%\}(?P<text>.*?)\{%\s*endblocktranslate\s*%\}",
    re.DOTALL,
)
PLURAL: Final = re.compile(r"\{%\s*plural\s*%\}")
PLURAL_CALLS: Final = ("ngettext", "ngettext_lazy")
CALLS: Final = ("_", "gettext", "gettext_lazy", "gettext_noop", "pgettext")
NOUNS: Final = (
    "boards|cards|changes|days|disputes|entrants|evenings|events|games|hands|hearts|hours|matches|"
    "members|minutes|names|pairs|partners|people|places|players|points|results|rounds|rows|seats|"
    "tables|teams|times|tricks|weeks"
)
NUMBER: Final = "(?:n|found|points)"
COUNT: Final = rf"(?<!of )(?<!\{{)(?:%\({NUMBER}\)s|\{{{NUMBER}\}}|\{{\{{ {NUMBER} \}}\}})"
COUNTED: Final = re.compile(rf"{COUNT} (?:(?:trick|more|of the|own) )?(?:{NOUNS})\b")


def template_sentences() -> Iterator[tuple[str, list[str]]]:
    for path in sorted((ROOT / "templates").rglob("*.*")):
        for match in BLOCK.finditer(path.read_text(encoding="utf-8")):
            forms = [" ".join(form.split()) for form in PLURAL.split(match["text"])]
            yield str(path.relative_to(ROOT)), forms


def python_sentences() -> Iterator[tuple[str, list[str]]]:
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if path.suffix != ".py" or not name.startswith("tournaments/") or "/migrations/" in name:
            continue
        text = path.read_text(encoding="utf-8")
        if not re.search(COUNT, text):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "id", "")
            texts = [part.value for part in node.args if isinstance(part, ast.Constant)]
            forms = [text for text in texts if isinstance(text, str)]
            if called in PLURAL_CALLS:
                yield name, forms[:2]
            elif called in CALLS:
                for form in forms:
                    yield name, [form]


@cache
def sentences() -> list[tuple[str, list[str]]]:
    return [*template_sentences(), *python_sentences()]


@cache
def never_one() -> dict[str, str]:
    """Return the sentences that count without a form for one, each with its reason."""
    path = Path(__file__).with_name("never_one.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {row["sentence"]: row["reason"] for row in csv.DictReader(file, strict=True)}


def test_sentence_that_counts_has_a_form_for_one() -> None:
    lacking = [
        f"{name}: {forms[0]}"
        for name, forms in sentences()
        if len(forms) == 1 and COUNTED.search(forms[0]) and forms[0] not in never_one()
    ]
    assert lacking == []


def test_form_for_one_is_no_plural() -> None:
    wrong = [
        f"{name}: {forms[0]}"
        for name, forms in sentences()
        if len(forms) == 2 and COUNTED.search(forms[0])
    ]
    assert wrong == []


def test_each_sentence_that_never_counts_one_is_in_use() -> None:
    used = {forms[0] for _name, forms in sentences()}
    assert never_one().keys() - used == set()
