"""The marked sentences about mails and about sending links, and where each of them may stand.

`mail_sentences.csv` says for each of them whether a page may say it on a site whose mails are sent
(`on`), one whose mails wait (`off`), and one that has no mail server (`none`).
"""

import ast
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.sources import ROOT, modules

TABLE: Final = Path(__file__).with_name("mail_sentences.csv")
SITES: Final = ("on", "off", "none")
ABOUT_MAIL: Final = re.compile(
    r"\b(e-)?mail(s|ed)?\b|^(re)?send\b.{0,24}$|\bresend|\blink\b.*\b(was|is) (not )?sent\b",
    re.IGNORECASE,
)
ELSEWHERE: Final = (
    "templates/account/email/", "templates/mail/", "tournaments/views/hands/phone_queue.py",
    "tournaments/views/attendance.py", "templates/webhooks/", "tournaments/views/webhooks.py",
    "templates/offline/",
)  # fmt: skip
"""Mails themselves; what phones send to the site; messages to chats and programs."""
MARKED: Final = re.compile(
    r"""\{%\s*translate\s+(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')"""
    r"""|\{%\s*blocktranslate[^%]*%\}(?P<block>.*?)\{%\s*endblocktranslate\s*%\}""",
    re.DOTALL,
)
PLURAL: Final = re.compile(r"\{%\s*plural\s*%\}")
PLACE: Final = re.compile(r"\{\{.*?\}\}|%\(\w+\)[sd]|%s|\{\w*\}")
MARKS: Final = ("_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy")


def marked_sentences() -> Iterator[str]:
    """Yield the sentences of templates and code that are about a mail or about sending."""
    for path in sorted((ROOT / "templates").rglob("*.*")):
        if str(path.relative_to(ROOT)).startswith(ELSEWHERE):
            continue
        for match in MARKED.finditer(path.read_text(encoding="utf-8")):
            marked = match["double"] or match["single"] or match["block"] or ""
            yield from _about_mail(PLURAL.split(marked))
    for name, tree in modules("tournaments", "config"):
        if name.startswith(ELSEWHERE):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKS:
                texts = [part.value for part in node.args if isinstance(part, ast.Constant)]
                yield from _about_mail([text for text in texts if isinstance(text, str)])


def _about_mail(texts: list[str]) -> Iterator[str]:
    for text in texts:
        sentence = " ".join(text.split())
        if ABOUT_MAIL.search(sentence):
            yield sentence


def allowed_sites() -> dict[str, frozenset[str]]:
    """Return where each sentence of the table may stand."""
    with TABLE.open(encoding="utf-8", newline="") as rows:
        return {
            row["sentence"]: frozenset(site for site in SITES if row[site] == "yes")
            for row in csv.DictReader(rows)
        }


def pattern_of(sentence: str) -> re.Pattern[str]:
    """Return what finds a sentence on a page, whatever its facts are."""
    parts = (re.escape(part) for part in PLACE.split(sentence.replace("%%", "%")))
    return re.compile(r"(?<!\w)" + r".{1,80}?".join(parts) + r"(?!\w)")
