"""Puts a mail together: one text, as plain text and as HTML, and the headers that go with it."""

import re
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.utils import formataddr, parseaddr
from typing import Final

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

_URL: Final = re.compile(r"https?://[^\s<>]+")
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class MailText:
    """What a mail says: paragraphs, rows of a label and a value, and the page that it leads to.

    `footer` says why its reader gets it. `unsubscribe_url` stops the kind without signing in.
    """

    subject: str
    paragraphs: tuple[str, ...]
    rows: tuple[tuple[str, str], ...] = ()
    link: str = ""
    url: str = ""
    club: str = ""
    footer: str = ""
    unsubscribe_url: str = ""
    headers: dict[str, str] = field(default_factory=dict)


def message_of(
    text: MailText, *, to: str, message_id: str, language: str
) -> EmailMultiAlternatives:
    """Return a mail that says `text`, ready to be sent.

    Args:
        message_id: the part before the @; that of a mail that is sent twice is the same.
    """
    name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    headers = {"Message-ID": f"<{message_id}@{_domain(address)}>"}
    headers |= {"Auto-Submitted": "auto-generated"} | text.headers
    if text.unsubscribe_url:
        # RFC 8058: the mail program posts there without asking or signing in.
        headers["List-Unsubscribe"] = f"<{text.unsubscribe_url}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    context = {"text": text, "language": language, "site": settings.SITE_URL}
    html = context | {"paragraphs": [_with_links(one) for one in text.paragraphs]}
    message = EmailMultiAlternatives(
        subject=one_line(text.subject),
        body=render_to_string("mail/message.txt", context),
        from_email=formataddr((one_line(text.club) or name, address)),
        to=[to],
        headers=headers,
    )
    message.attach_alternative(render_to_string("mail/message.html", html), "text/html")
    return message


def one_line(text: str) -> str:
    """Return a text for a header: line ends and other white space are blanks."""
    return " ".join(text.split())


def _domain(address: str) -> str:
    domain: str = Address(addr_spec=address).domain if "@" in address else ""
    return domain or "localhost"


def _with_links(paragraph: str) -> SafeString:
    """Return a paragraph as HTML; an address in it is a link, whatever it is around it stays text.

    >>> _with_links("Open https://a.example/?x=1&y=2 <now>")
    'Open <a href="https://a.example/?x=1&amp;y=2">https://a.example/?x=1&amp;y=2</a> &lt;now&gt;'
    """
    made: list[str] = []
    end = 0
    for found in _URL.finditer(paragraph):
        url = found.group()
        shown = url if len(url) <= _SHOWN else f"{url[:_SHOWN]}…"
        made.append(escape(paragraph[end : found.start()]))
        made.append(f'<a href="{escape(url)}">{escape(shown)}</a>')
        end = found.end()
    made.append(escape(paragraph[end:]))
    return mark_safe("".join(made).replace("\n", "<br>"))  # noqa: S308 - each part is escaped above
