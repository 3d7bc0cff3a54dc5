"""The result of an evening as a spreadsheet, as a print to hang up, and as a picture."""

from datetime import date
from io import BytesIO

import pytest
from django.test import Client
from python_calamine import CalamineWorkbook

from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of, work_on_evenings
from tests.support.pages.text import text_of
from tests.support.pdf_text import page_texts
from tests.support.scenarios.evenings import ADDRESS
from tournaments.documents.standings import published_table
from tournaments.models.events import Event
from tournaments.models.standings import Publication, PublicationFile
from tournaments.selectors.events.meetings import LULL, meeting_on
from tournaments.services.hands.close_tables import move_game
from tournaments.services.people.erase_player import erase_player
from tournaments.services.publishing import publication_files
from tournaments.services.rounds.evenings import end_evening

pytestmark = pytest.mark.django_db

LAST_WEEK = date(2025, 10, 30)
TONIGHT = date(2025, 11, 6)
PAGE = f"{ADDRESS}/meetings/2025-11-06/results/1"
REST = f"/api/v1{PAGE}"


@pytest.fixture
def night(cast: Cast) -> Event:
    """Elsa leads the season; Zoë wins tonight, and the evening is over."""
    event = league(cast.riverside, name="Autumn league", settings={"primary": "raw_per_hand"})
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    for number, day, hearts in ((1, LAST_WEEK, [0, 8, 3, 2]), (2, TONIGHT, [3, 0, 5, 5])):
        game = table(event, people, round_number=number, on=day)
        hand(game, 1, hearts, queen=3)
        move_game(by_tests(), game, to="complete")
    make_tables_of(event, NOW)
    end_evening(by_tests(), meeting_on(event, TONIGHT))
    work_on_evenings(event, NOW)
    return event


def sheets_of(content: bytes) -> list[list[list[object]]]:
    book = CalamineWorkbook.from_filelike(BytesIO(content))
    return [
        [[*row] for row in book.get_sheet_by_name(name).to_python()] for name in book.sheet_names
    ]


def test_spreadsheet_has_the_table_of_the_evening_and_says_so(night: Event, client: Client) -> None:
    answer = client.get(f"{REST}.xlsx")
    assert answer.status_code == 200
    assert 'filename="riverside-league-2025-11-06-1.xlsx"' in answer["Content-Disposition"]
    sheet, about_sheet = sheets_of(answer.content)
    texts = [str(cell) for row in sheet for cell in row]
    assert texts.index("Zoë K.") < texts.index("Elsa D.") < texts.index("Leo K.")
    about = {str(row[0]): row[1] for row in about_sheet}
    assert (about["Evening"], about["Result"]) == ("2025-11-06", 1)
    assert str(about["Page"]).endswith(PAGE)
    assert about["Digest"] == Publication.objects.get(meeting__event=night).digest


def test_print_is_headed_by_the_evening_and_its_number(night: Event, client: Client) -> None:
    answer = client.get(f"{REST}.pdf")
    assert answer.status_code == 200
    (page,) = page_texts(answer.content)
    text = " ".join(page)
    assert "Evening of 6 Nov 2025 · Result 1" in text
    assert text.index("Zoë K.") < text.index("Elsa D.")
    assert "Publication" not in text
    result = Publication.objects.get(meeting__event=night)
    assert published_table(result, "UTC").path == f"{ADDRESS}/meetings/2025-11-06"


def test_print_has_a_penalty_of_the_evening_beside_the_value(night: Event, client: Client) -> None:
    (before,) = page_texts(client.get(f"{REST}.pdf").content)
    assert "Penalties, " not in before
    penalize(night, "RL02", "4", "Came late.", meeting=TONIGHT)
    work_on_evenings(night, NOW)
    work_on_evenings(night, NOW + LULL)
    (page,) = page_texts(client.get(f"{REST[:-1]}2.pdf").content)
    at = page.index("Zoë K.")
    assert page[at + 1 : at + 3] == ["4.00", "4"]


def test_picture_is_made_and_kept(night: Event, client: Client) -> None:
    first = client.get(f"{REST}.png")
    assert (first.status_code, first.content[:4]) == (200, b"\x89PNG")
    assert client.get(f"{REST}.png", headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert PublicationFile.objects.count() == 1


def test_page_leads_to_its_files(night: Event, client: Client) -> None:
    content = client.get(PAGE).content.decode()
    for form in ("xlsx", "pdf", "png"):
        assert f'href="{REST}.{form}"' in content


@pytest.mark.parametrize("form", ["xlsx", "pdf", "png"])
def test_files_of_a_number_or_an_evening_that_is_not_there_are_not_there(
    night: Event, client: Client, form: str
) -> None:
    assert client.get(f"{REST[:-1]}2.{form}").status_code == 404
    of_other = REST.replace("2025-11-06", "2025-10-30")
    assert client.get(f"{of_other}.{form}").status_code == 404


def test_files_of_a_held_event_are_for_those_who_read_it(night: Event, cast: Cast) -> None:
    Event.objects.update(visibility="held")
    assert cast.client().get(f"{REST}.xlsx").status_code == 404
    answer = cast.client("dirk").get(f"{REST}.xlsx")
    assert answer.status_code == 200
    assert "public" not in answer["Cache-Control"]


def test_files_of_an_evening_push_out_no_file_of_another(
    night: Event, cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publication_files, "FILES_KEPT", 1)
    client.get(f"/api/v1{ADDRESS}/standings.xlsx")
    client.get(f"{REST}.xlsx")
    client.get(f"{REST}.png")
    kept = PublicationFile.objects.order_by("pk").values_list("publication__meeting", "form")
    meeting = meeting_on(night, TONIGHT)
    assert list(kept) == [(None, "xlsx"), (meeting.pk, "png")]


def test_erased_winner_is_in_no_file(night: Event, cast: Cast, client: Client) -> None:
    client.get(f"{REST}.xlsx")
    zoe = night.club.players.get(name="Zoë K.")
    erase_player(by_tests(), zoe, confirmed=zoe.player_id, reason="Asked for it.")
    answer = client.get(f"{REST}.xlsx")
    texts = [str(cell) for row in sheets_of(answer.content)[0] for cell in row]
    assert "Elsa D." in texts
    assert "Zoë K." not in texts
    assert "Zoë K." not in text_of(client.get(PAGE))
