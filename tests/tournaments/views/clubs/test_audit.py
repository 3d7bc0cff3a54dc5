"""The page of the audit trail: for owners, with filters, a page at a time."""

import html

from tests.support.answers import Answer
from tests.support.builders import players
from tests.support.cast import Cast

AT = "/clubs/riverside/audit"


def text(answer: Answer) -> str:
    return html.unescape(answer.content.decode())


def test_owner_finds_a_line_by_object_and_act(cast: Cast) -> None:
    players(cast.riverside, "Ada", "Ben")
    page = text(cast.client("olga").get(f"{AT}?act=add_player&object=player:RL02"))
    assert "player:RL02" in page
    assert "player:RL01" not in page
    assert "Show all" in page


def test_lines_of_one_local_day(cast: Cast) -> None:
    olga = cast.client("olga")
    assert "Create club" in text(olga.get(f"{AT}?day=2025-11-06"))
    assert "No line of the audit trail matches." in text(olga.get(f"{AT}?day=2025-11-07"))
    odd = olga.get(f"{AT}?day=someday")
    assert odd.status_code == 422
    assert "Enter a date, for example 2025-11-06." in text(odd)


def test_long_trail_goes_on_on_the_next_page(cast: Cast) -> None:
    players(cast.riverside, *(f"Player {n}" for n in range(1, 56)))
    olga = cast.client("olga")
    page = text(olga.get(AT))
    assert "Earlier lines" in page
    before = page.split('href="?before=', 1)[1].split('"', 1)[0]
    last = text(olga.get(f"{AT}?before={before}"))
    assert "club:riverside" in last
    assert "Earlier lines" not in last


def test_refused_acts_are_listed_beside_the_trail(cast: Cast) -> None:
    olga = cast.client("olga")
    assert "Refused acts" not in text(olga.get(AT))
    for _ in range(2):
        cast.client("nora").post("/clubs/riverside/settings")
    page = text(olga.get(AT))
    section = page[page.index("<h2>Refused acts</h2>") :]
    assert "nora" in section
    assert "Manage club" in section
    assert "2 attempts" in section
    assert "Refused acts" in text(olga.get(f"{AT}?by=nora"))
    assert "Refused acts" not in text(olga.get(f"{AT}?object=club"))
