"""Photos, checks and PDF files of score sheets over REST."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.support.answers import Answer, SignIn, codes, refusal, text_of
from tests.support.builders import Evening
from tests.support.pages.photos import picture, upload
from tournaments.models.rounds import SheetPhoto
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

ROUND = "/api/v1/clubs/riverside/events/league/rounds/1"
PRINT_PAGE = "/clubs/riverside/events/league/rounds/1/print"
FILES = {"seating-list": "list", "table-cards": "cards", "score-sheets": "sheets"}
IDS = re.compile(
    rb"(?s)/ID ?\[.*?\]|/(?:Creation|Mod)Date ?\(.*?\)|<xmp:\w+Date>.*?<|<xmpMM:\w+ID>.*?<"
)


def sent(client: Any, at: str, content: bytes) -> Answer:
    """Send a file as a photo."""
    answer: Answer = client.post(f"{at}/tables/r1t1/photos", {"photo": upload(content)})
    return answer


def test_same_photo_is_stored_once(evening: Evening, signed_in: SignIn) -> None:
    hanna, at = signed_in("hanna"), evening.at
    first = sent(hanna, at, picture())
    again = sent(hanna, at, picture())
    assert (again.status_code, again.json()) == (200, first.json())
    assert SheetPhoto.objects.count() == 1


def test_text_in_the_place_of_a_file_is_refused(evening: Evening, signed_in: SignIn) -> None:
    text = signed_in("hanna").post(f"{evening.at}/tables/r1t1/photos", {"photo": "x"})
    assert refusal(text) == (422, ["file_needed"])


@pytest.fixture
def at(evening: Evening) -> str:
    return f"{evening.at}/tables/r1t1/sheet-check"


def drawn(pdf: bytes) -> bytes:
    """A PDF without the times and ids of its making."""
    assert pdf.startswith(b"%PDF")
    return IDS.sub(b"", pdf)


@pytest.mark.parametrize("name", FILES)
def test_file_is_that_of_the_page(evening: Evening, name: str) -> None:
    dirk = evening.cast.client("dirk")
    sent = dirk.get(f"{ROUND}/{name}.pdf", {"paper": "letter"})
    page = dirk.get(PRINT_PAGE, {"what": FILES[name], "paper": "letter", "layout": "boxes"})
    assert (sent.status_code, sent["Content-Type"]) == (200, "application/pdf")
    assert sent["Content-Disposition"] == page["Content-Disposition"]
    assert drawn(sent.content) == drawn(page.content)
    assert drawn(sent.content) != drawn(dirk.get(f"{ROUND}/{name}.pdf").content)


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
        evening.cast.by("dirk"),
        evening.cast.riverside,
        name="Midnight",
        chosen=chosen_rules("hearts"),
    )
    version = "/clubs/riverside/house-rules/midnight/versions/1"
    assert "Print blank score sheet" in text_of(Client().get(version))
    form = Client().get(f"{version}/score-sheet", {"seats": "4"})
    assert "Blank score sheet: Midnight" in text_of(form)
    page = Client().get(f"{version}/score-sheet", {"seats": "4", "paper": "a4"})
    sent = Client().get("/api/v1/clubs/riverside/variants/midnight/versions/1/score-sheet.pdf")
    assert drawn(sent.content) == drawn(page.content)
    assert sent["Content-Disposition"] == 'inline; filename="midnight-1-4-score-sheet.pdf"'
