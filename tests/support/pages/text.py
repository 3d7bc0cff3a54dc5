"""What the tests of forms share: a page's text, and what it says beside a field."""

import html
import re

from tests.support.answers import Answer


def text_of(response: Answer, status: int | None = None) -> str:
    """Return the words of a page, which was answered with `status` where one is given."""
    assert status in (None, response.status_code), response.status_code
    main = response.content.decode().partition("<main")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", main)).split())


def beside(response: Answer, field: str, status: int | None = None) -> str:
    """Return the error message of a field, "" without one; `status` as in `text_of`."""
    assert status in (None, response.status_code), response.status_code
    match = re.search(rf'id="id_{field}_error">(.*?)</div>', response.content.decode(), re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", match[1])).split()) if match else ""


def summary(response: Answer, status: int | None = None) -> str:
    """Return what the summary on top says; it takes the focus. `status` as in `text_of`."""
    assert status in (None, response.status_code), response.status_code
    page = response.content.decode()
    match = re.search(
        r'<div class="note bad"[^>]*tabindex="-1" autofocus[^>]*>(.*?)</div>', page, re.S
    )
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", match[1])).split()) if match else ""


def text(response: Answer) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))
