"""What the tests of forms share: a page's text, and what it says beside a field."""

import html
import re

from tests.support.answers import Answer


def text_of(response: Answer) -> str:
    main = response.content.decode().partition("<main")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", main)).split())


def beside(response: Answer, field: str) -> str:
    """Return the error message of a field, "" without one."""
    match = re.search(rf'id="id_{field}_error">(.*?)</div>', response.content.decode(), re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", match[1])).split()) if match else ""


def summary(response: Answer) -> str:
    """Return what the summary on top says; it takes the focus."""
    page = response.content.decode()
    match = re.search(
        r'<div class="note bad"[^>]*tabindex="-1" autofocus[^>]*>(.*?)</div>', page, re.S
    )
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", match[1])).split()) if match else ""


def text(response: Answer) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))
