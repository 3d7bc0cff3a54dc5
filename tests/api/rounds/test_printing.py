"""PDF files over REST: who gets them, and that they are those of the pages."""

import re

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.cast import NOW
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

ROUND = "/api/v1/clubs/riverside/events/league/rounds/1"
PAGE = "/clubs/riverside/events/league/rounds/1/print"
FILES = {"seating-list": "list", "table-cards": "cards", "score-sheets": "sheets"}
IDS = re.compile(
    rb"(?s)/ID ?\[.*?\]|/(?:Creation|Mod)Date ?\(.*?\)|<xmp:\w+Date>.*?<|<xmpMM:\w+ID>.*?<"
)


def drawn(pdf: bytes) -> bytes:
    """A PDF without the times and ids of its making."""
    assert pdf.startswith(b"%PDF")
    return IDS.sub(b"", pdf)


@pytest.mark.parametrize("name", FILES)
def test_file_is_that_of_the_page(evening: Evening, name: str) -> None:
    dirk = evening.cast.client("dirk")
    sent = dirk.get(f"{ROUND}/{name}.pdf", {"paper": "letter"})
    page = dirk.get(PAGE, {"what": FILES[name], "paper": "letter", "layout": "boxes"})
    assert (sent.status_code, sent["Content-Type"]) == (200, "application/pdf")
    assert sent["Content-Disposition"] == page["Content-Disposition"]
    assert drawn(sent.content) == drawn(page.content)
    assert drawn(sent.content) != drawn(dirk.get(f"{ROUND}/{name}.pdf").content)


def test_cards_with_links_are_for_directors_and_lists_for_hosts(evening: Evening) -> None:
    found = {
        who: [evening.cast.client(who).get(f"{ROUND}/{name}.pdf").status_code for name in FILES]
        for who in ("", "nora", "piet", "hanna", "dirk")
    }
    assert found == {
        "": [401, 401, 401], "nora": [403, 403, 403], "piet": [403, 403, 403],
        "hanna": [200, 403, 200], "dirk": [200, 200, 200],
    }  # fmt: skip


def test_blank_sheets_are_public_and_say_what_they_cannot_be(evening: Evening) -> None:
    address = "/api/v1/variants/cancellation-hearts/score-sheet.pdf"
    chosen = {"seats": "7", "paper": "letter", "layout": "bubbles"}
    sent = Client().get(address, chosen)
    page = Client().get("/variants/cancellation-hearts/score-sheet", chosen)
    assert drawn(sent.content) == drawn(page.content)
    for wrong in ({"seats": "40"}, {"paper": "a5"}, {"layout": "dots"}, {"colour": "red"}):
        refused = Client().get(address, wrong)
        assert refused.status_code == 400, wrong
        assert codes(refused) in (["bad_parameter"], ["unknown_parameter"])
    assert Client().get("/api/v1/variants/nonsense/score-sheet.pdf").status_code == 404


def test_house_rules_have_a_blank_sheet_on_their_page_and_over_rest(evening: Evening) -> None:
    make_house_rules(
        actor=evening.cast.actor("dirk"), club=evening.cast.riverside, name="Midnight",
        chosen=chosen_rules("hearts"), now=NOW,
    )  # fmt: skip
    version = "/clubs/riverside/house-rules/midnight/versions/1"
    assert "Print blank score sheet" in text_of(Client().get(version))
    form = Client().get(f"{version}/score-sheet", {"seats": "4"})
    assert "Blank score sheet: Midnight" in text_of(form)
    page = Client().get(f"{version}/score-sheet", {"seats": "4", "paper": "a4"})
    sent = Client().get("/api/v1/clubs/riverside/variants/midnight/versions/1/score-sheet.pdf")
    assert drawn(sent.content) == drawn(page.content)
    assert sent["Content-Disposition"] == 'inline; filename="midnight-1-4-score-sheet.pdf"'
