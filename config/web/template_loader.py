"""Reads templates without the line breaks and indentation that only make the source readable."""

import re

from django.template import Origin
from django.template.loaders import filesystem

_BLOCKS = (
    "!doctype|article|aside|blockquote|body|caption|col|colgroup|dd|details|dialog|div|dl|dt|fieldset|figcaption"
    "|figure|footer|form|h[1-6]|head|header|hr|html|legend|li|link|main|meta|nav|ol|optgroup|option|p"
    "|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul"
)
_TEMPLATE_TAG = r"\{%.*?%\}|\{\{.*?\}\}|\{\#.*?\#\}"
_TAG = re.compile(
    rf"""<(?P<preformatted>pre|script|style|textarea)\b[^>]*>(?P<text>.*?)</(?P=preformatted)>
    | <(?P<end>/)?(?:(?P<block>{_BLOCKS})|(?P<control>a|button|label))?\b
      (?:{_TEMPLATE_TAG} | "(?:{_TEMPLATE_TAG}|[^"])*" | [^>])*>""",
    re.DOTALL | re.VERBOSE,
)
_BREAK = re.compile(r"\s*\n\s*")
_BREAK_BEFORE_END = re.compile(r"\s*\n\s*(?=/?>)")
_CONDITIONS = r"(?:\s*\n\s*|\{% (?:if|elif|else|endif|load|with|endwith)\b(?:(?!%\}).)*%\})+"
_BREAK_AND_IF = re.compile(r"\s*\n\s*\{% if\b")
_BREAKS_AT_START = re.compile("^" + _CONDITIONS)
_BREAKS_AT_END = re.compile(_CONDITIONS + "$")
_BREAK_BETWEEN_TEMPLATE_TAGS = re.compile(r"(?<=%\})\s*\n\s*(?=\{%)")


def compact(source: str) -> str:
    """Return the source of an HTML template with its tags on one line and nothing indented.

    Line breaks beside block elements and inside links, buttons and labels are removed; any other
    becomes a space or a line break without indentation. `pre`, `script`, `style` and `textarea`
    keep theirs.

    >>> compact('<p>\\n  <a\\n    class="btn"\\n    href="/"\\n  >Add\\n   players</a>\\n</p>')
    '<p><a class="btn" href="/">Add players</a></p>'
    >>> compact('<b>1</b>\\n{% if x %}\\n<p>2</p>\\n{% endif %}\\n<b>3</b>')
    '<b>1</b> {% if x %}<p>2</p>{% endif %}<b>3</b>'
    """
    parts = []
    end = 0
    trims_start = False
    for tag in _TAG.finditer(source):
        is_block = bool(tag["block"]) or tag["preformatted"] in ("pre", "script", "style")
        trims_end = is_block or (tag["end"] is not None and tag["control"] in ("a", "label"))
        parts.append(_compact_text(source[end : tag.start()], trims_start, trims_end))
        trims_start = is_block or (tag["control"] is not None and tag["end"] is None)
        if tag["preformatted"]:
            end = tag.start("text")
        else:
            end = tag.end()
        head = source[tag.start() : end]
        parts.append(_BREAK.sub(" ", _BREAK_BEFORE_END.sub("", head)) + source[end : tag.end()])
        end = tag.end()
    parts.append(_compact_text(source[end:], trims_start, False))
    return "".join(parts)


def _compact_text(text: str, trims_start: bool, trims_end: bool) -> str:
    if trims_start:
        text = _BREAKS_AT_START.sub(_without_breaks, text)
    if trims_end and (conditions := _BREAKS_AT_END.search(text)):
        before = text[: conditions.start()]
        # Where the block is left out by its condition, the words around it stay apart.
        space = " " if _BREAK_AND_IF.match(conditions[0]) and (before or not trims_start) else ""
        text = before + space + _without_breaks(conditions)
    breaks_kept = _BREAK_BETWEEN_TEMPLATE_TAGS.split(text)
    return "\n".join(_BREAK.sub(" ", part) for part in breaks_kept)


def _without_breaks(conditions: re.Match[str]) -> str:
    return _BREAK.sub("", conditions[0])


class CompactLoader(filesystem.Loader):
    """Loads the templates of `TEMPLATES["DIRS"]`; those of mails and text files unchanged."""

    def get_contents(self, origin: Origin) -> str:
        source = super().get_contents(origin)
        name = str(origin.template_name)
        if name.endswith(".html") and "mail/" not in name:
            return compact(source)
        return source
