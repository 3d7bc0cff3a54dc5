"""The page Manage of an event as its director reads it: next step and attention."""

import re
from html import unescape

from django.test import Client

from tests.support.answers import Answer


def _words(text: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def _main(answer: Answer) -> str:
    assert answer.status_code == 200
    return answer.content.decode().partition("<main")[2].partition("</main>")[0]


def next_step(client: Client, page: str) -> tuple[str, str]:
    """The name of the next step and the words of the one filled button; empty where none is."""
    main = _main(client.get(page))
    name = re.search(r'<h2 id="next-step">(.*?)</h2>', main, re.DOTALL)
    filled = re.findall(
        r'<(?:a|button)[^>]*class="[^"]*\bpri\b[^"]*"[^>]*>(.*?)</(?:a|button)>', main, re.DOTALL
    )
    assert len(filled) == (1 if name else 0), filled
    return (_words(name[1]), _words(filled[0])) if name else ("", "")


def attention(client: Client, page: str) -> list[tuple[str, str]]:
    """Each line of the attention list: its title, and the words of its action."""
    match = re.search(r'<ul class="todo">(.*?)</ul></section>', _main(client.get(page)), re.DOTALL)
    lines = re.findall(r"<li>(.*?)</li>", match[1], re.DOTALL) if match else []
    return [
        (
            _words(line.partition("<h3>")[2].partition("</h3>")[0]),
            _words(line.partition('<div class="acts">')[2]),
        )
        for line in lines
    ]
