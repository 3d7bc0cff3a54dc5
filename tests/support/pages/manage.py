"""The page Manage of an event as its director reads it: next step, what follows, attention."""

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


def after_that(client: Client, page: str) -> list[str]:
    """What the page says comes next."""
    found = re.search(r'<div class="then">(.*?)</div>', _main(client.get(page)), re.DOTALL)
    return [_words(one) for one in re.findall(r"<li>(.*?)</li>", found[1])] if found else []


def attention(client: Client, page: str) -> list[tuple[str, str]]:
    """Each line of the attention list: its title, and the words of its act."""
    found = re.search(r'<ul class="todo">(.*?)</ul></section>', _main(client.get(page)), re.DOTALL)
    return [
        (
            _words(line.partition("<h3>")[2].partition("</h3>")[0]),
            _words(line.partition('<div class="acts">')[2]),
        )
        for line in (re.findall(r"<li>(.*?)</li>", found[1], re.DOTALL) if found else [])
    ]


def tiles(client: Client, page: str) -> list[tuple[str, str]]:
    """Each tile of the round: the number of its table, and the word for its state."""
    main = _main(client.get(page))
    found = re.findall(
        r'<section class="tile.*?<h3[^>]*>(.*?)</h3><span class="st">(.*?)</header>',
        main,
        re.DOTALL,
    )
    return [(_words(number).removeprefix("Table "), _words(state)) for number, state in found]
