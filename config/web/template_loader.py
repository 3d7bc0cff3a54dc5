"""Reads templates without the line breaks and indentation that only make the source readable."""

import re

from django.template import Origin
from django.template.loaders import filesystem

_TEMPLATE_TAG = r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}"
_KEPT_OR_TAG = re.compile(
    rf"""(?P<kept><(?P<name>pre|textarea)\b.*?</(?P=name)>)
    | <[a-zA-Z/](?:{_TEMPLATE_TAG} | "(?:{_TEMPLATE_TAG}|[^"])*" | [^>])*>""",
    re.DOTALL | re.VERBOSE,
)
_BREAK_BEFORE_END = re.compile(r"\s*\n\s*(?=/?>)")
_BREAK = re.compile(r"\s*\n\s*")
_BREAK_BETWEEN_WORDS = re.compile(r"(?<![>}\s])[^\S\n]*\n\s*(?![<{\s])")
_INDENTATION = re.compile(r"\n\s+")


def compact(source: str) -> str:
    """Return the source of an HTML template with its tags on one line and nothing indented.

    Whitespace becomes a space or a line break and never disappears between two words or elements,
    so a browser shows the same. `pre` and `textarea` keep theirs.

    >>> compact('<p>\\n  <a\\n    class="btn"\\n    href="/"\\n  >Add\\n   players</a>\\n</p>')
    '<p>\\n<a class="btn" href="/">Add players</a>\\n</p>'
    """
    parts = []
    end = 0
    for tag in _KEPT_OR_TAG.finditer(source):
        parts.append(_compact_text(source[end : tag.start()]))
        parts.append(tag[0] if tag["kept"] else _BREAK.sub(" ", _BREAK_BEFORE_END.sub("", tag[0])))
        end = tag.end()
    parts.append(_compact_text(source[end:]))
    return "".join(parts)


def _compact_text(text: str) -> str:
    return _INDENTATION.sub("\n", _BREAK_BETWEEN_WORDS.sub(" ", text))


class CompactLoader(filesystem.Loader):
    """Loads the templates of `TEMPLATES["DIRS"]`; those of mails and text files as they are."""

    def get_contents(self, origin: Origin) -> str:
        source = super().get_contents(origin)
        name = str(origin.template_name)
        return compact(source) if name.endswith(".html") and "mail/" not in name else source
