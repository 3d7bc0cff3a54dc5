"""The parts of the look beyond plain HTML: icons, suits, the chosen scheme, htmx's settings."""

import json
from collections.abc import Mapping
from typing import Final

from django import template
from django.conf import settings
from django.template.context import Context
from django.templatetags.static import static
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import one_stop as one_stop_of
from tournaments.domain.code_words import author_name
from tournaments.domain.event_settings import CUT_OFFS
from tournaments.selectors.hands.entry_display import SuitPile

register = template.Library()

THEME_COOKIE: Final = f"{settings.COOKIE_PREFIX}theme"
THEMES: Final = ("light", "dark")

HTMX_SETTINGS: Final = json.dumps(
    {
        "allowEval": False,
        "includeIndicatorStyles": False,
        "historyCacheSize": 0,
        "responseHandling": [
            {"code": "204|304", "swap": False},
            {"code": "[23]..", "swap": True},
            {"code": "[45]..", "swap": False, "error": True},
        ],
    }
)
"""htmx would swap in the empty body of a 304; the policy header forbids its eval and its styles."""


register.filter("author", author_name)

_SUIT_NAMES: Final = {
    "spade": lambda: _("spades"),
    "heart": lambda: _("hearts"),
    "diamond": lambda: _("diamonds"),
    "club": lambda: _("clubs"),
}


@register.simple_tag
def icon(name: str, css: str = "") -> SafeString:
    """Return a sign of `static/blacklady/icons.svg`; always beside a word, so not spoken."""
    return format_html(
        '<svg class="ic{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        f" {css}" if css else "",
        static("blacklady/icons.svg"),
        name,
    )


@register.simple_tag
def sign_up_is_open() -> bool:
    return bool(settings.SIGN_UP == "open")


@register.simple_tag
def pile(cards: SuitPile) -> SafeString:
    """Return cards of one suit, to the eye as a sign and to the ear as words.

    A count of hearts reads 5♥, cards of hearts ♥5: five hearts are not the five of hearts.
    """
    if not cards.suit:
        return format_html("<span>{}</span>", cards.text)
    sign = icon(cards.suit, "h" if cards.suit in ("heart", "diamond") else "s")
    if cards.of:
        facts = {"n": cards.n, "of": cards.of}
        words = _("%(n)s of %(of)s") % facts
        spoken = f"{words} {_SUIT_NAMES[cards.suit]()} {cards.text}"
        return format_html(
            '<span><span class="vh">{}</span><span aria-hidden="true">{} {}{}</span></span>',
            *(spoken, words, cards.text, sign),
        )
    if cards.is_count:
        counted = ngettext("%(count)s heart", "%(count)s hearts", int(cards.text))
        words = counted % {"count": cards.text}
    else:
        words = f"{_SUIT_NAMES[cards.suit]()} {cards.text}"
    is_written_first = cards.is_count or (cards.suit != "heart" and " " not in cards.text)
    parts = (cards.text, sign) if is_written_first else (sign, cards.text)
    return format_html(
        '<span><span class="vh">{}</span><span aria-hidden="true">{}{}</span></span>', words, *parts
    )


@register.filter
def suits(text: str) -> SafeString:
    """Return text with its red suits in red; the symbols stay, so nothing depends on colour."""
    html = str(conditional_escape(text))
    for sign in "♥♦":
        html = html.replace(sign, f'<span class="h">{sign}</span>')
    return SafeString(html)


@register.filter
def plain_words(key: str) -> str:
    """Return a key of the rules, such as a pledge's id, as words.

    >>> plain_words("no-hearts")
    'no hearts'
    """
    return key.replace("-", " ").replace("_", " ")


@register.filter
def cut_off(key: str) -> str:
    return str(CUT_OFFS[key])


@register.filter(is_safe=True)
def one_stop(text: str) -> str:
    """Return sentences without a second full stop behind a name that ends with one.

    Around what prints names: `{% filter one_stop %}It counts for {{ name }}.{% endfilter %}`.
    """
    return one_stop_of(text)


@register.simple_tag(takes_context=True)
def theme_attribute(context: Context) -> SafeString | str:
    """Return ` data-theme="dark"` where the reader chose a scheme; else the system decides."""
    request = context.get("request")
    chosen = request.COOKIES.get(THEME_COOKIE) if request is not None else None
    if chosen not in THEMES:
        return ""
    return format_html(' data-theme="{}"', chosen)


@register.simple_tag
def htmx_settings() -> SafeString:
    return format_html('<meta name="htmx-config" content="{}">', HTMX_SETTINGS)


@register.filter
def figure(row: Mapping[str, object], key: str) -> object:
    return row.get(key)
