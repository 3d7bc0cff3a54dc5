"""Photos, checks and PDF files of score sheets over REST."""

import re
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from tests.api.conftest import Evening
from tests.support.answers import Answer, post_json
from tests.support.pages.photos import picture, upload
from tests.support.pages.text import text_of
from tests.support.rest.requests import SignIn, codes, refusal
from tournaments.models.hands import ReadBack
from tournaments.models.rounds import Picture, SheetPhoto
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

PAGE = "/clubs/riverside/events/league/tables/r1t1/photos"
ROUND = "/api/v1/clubs/riverside/events/league/rounds/1"
PRINT_PAGE = "/clubs/riverside/events/league/rounds/1/print"
FILES = {"seating-list": "list", "table-cards": "cards", "score-sheets": "sheets"}
IDS = re.compile(
    rb"(?s)/ID ?\[.*?\]|/(?:Creation|Mod)Date ?\(.*?\)|<xmp:\w+Date>.*?<|<xmpMM:\w+ID>.*?<"
)


def sent(client: Any, at: str, content: bytes) -> Answer:
    answer: Answer = client.post(f"{at}/tables/r1t1/photos", {"photo": upload(content)})
    return answer


def remove(client: Any, at: str, body: str = '{"reason": "Not this sheet."}') -> Answer:
    """Delete the first photo."""
    path = f"{at}/tables/r1t1/photos/1"
    answer: Answer = client.delete(path, body, content_type="application/json")
    return answer


def test_host_sends_lists_and_reads_a_photo(evening: Evening, signed_in: SignIn) -> None:
    hanna, at = signed_in("hanna"), evening.at
    made = sent(hanna, at, picture())
    assert (made.status_code, made.json()["number"]) == (201, 1)
    assert made["Location"] == f"{at}/tables/r1t1/photos"
    listed = hanna.get(made["Location"]).json()["results"]
    assert listed == [made.json()]
    assert (listed[0]["width"], listed[0]["height"], listed[0]["added_by"]) == (60, 80, "hanna")
    read = hanna.get(f"{at}/tables/r1t1/photos/1.jpg")
    assert (read.status_code, read["Content-Type"]) == (200, "image/jpeg")
    assert Image.open(BytesIO(read.content)).size == (60, 80)
    assert read.content == hanna.get(f"{PAGE}/1").content
    assert len(read.content) == listed[0]["size"]


def test_same_photo_is_stored_once(evening: Evening, signed_in: SignIn) -> None:
    hanna, at = signed_in("hanna"), evening.at
    first = sent(hanna, at, picture())
    again = sent(hanna, at, picture())
    assert (again.status_code, again.json()) == (200, first.json())
    assert SheetPhoto.objects.count() == 1


def test_director_deletes_a_photo_with_a_reason(evening: Evening, signed_in: SignIn) -> None:
    dirk, at = signed_in("dirk"), evening.at
    sent(dirk, at, picture())
    gone = remove(dirk, at)
    assert (gone.status_code, gone.json()["reason"]) == (200, "Not this sheet.")
    assert Picture.objects.count() == 0
    assert dirk.get(f"{at}/tables/r1t1/photos").json()["results"] == [gone.json()]
    assert refusal(remove(dirk, at)) == (409, ["photo_is_gone"])


def test_text_in_the_place_of_a_file_is_refused(evening: Evening, signed_in: SignIn) -> None:
    text = signed_in("hanna").post(f"{evening.at}/tables/r1t1/photos", {"photo": "x"})
    assert refusal(text) == (422, ["file_needed"])


@pytest.fixture
def at(evening: Evening) -> str:
    return f"{evening.at}/tables/r1t1/sheet-check"


def test_sheet_is_checked_once_and_its_table_is_complete(at: str, hanna: Client) -> None:
    seen = hanna.get(at).json()
    assert (seen["checked"], seen["checked_by"], seen["state"]) == (False, None, "playing")
    done = post_json(hanna, at, {"sheet": seen["sheet"]})
    assert done.status_code == 200, done.content
    assert done.json() == hanna.get(at).json()
    assert (done.json()["checked"], done.json()["state"]) == (True, "complete")
    assert post_json(hanna, at, {"sheet": seen["sheet"]}).json() == done.json()
    assert ReadBack.objects.count() == 1


def drawn(pdf: bytes) -> bytes:
    """A PDF without the times and ids of its making."""
    assert pdf.startswith(b"%PDF")
    return IDS.sub(b"", pdf)


@pytest.mark.parametrize("name", FILES)
def test_file_is_that_of_the_page(evening: Evening, name: str) -> None:
    dirk = evening.cast.client("dirk")
    response = dirk.get(f"{ROUND}/{name}.pdf", {"paper": "letter"})
    page = dirk.get(PRINT_PAGE, {"what": FILES[name], "paper": "letter", "layout": "boxes"})
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    assert response["Content-Disposition"] == page["Content-Disposition"]
    assert drawn(response.content) == drawn(page.content)
    assert drawn(response.content) != drawn(dirk.get(f"{ROUND}/{name}.pdf").content)


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
        evening.cast.operation("dirk"),
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
