"""One result in all that shows the winner of an evening: one winner, one digest, one erasure.

What each of them says besides is tested where it is made.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from io import BytesIO
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import feedparser
import pytest
import time_machine
from django.core.management import call_command
from django.test import Client
from python_calamine import CalamineWorkbook

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of, work_on_evenings
from tests.support.pages.text import text_of
from tests.support.pdf_text import page_texts
from tests.support.people import rows_with
from tests.support.scenarios.evenings import ADDRESS
from tests.support.webhooks import HOOK
from tournaments.delivery.mail.sender import compose
from tournaments.delivery.webhooks.sender import chat_body, standard_body
from tournaments.documents.club_archive import archive_chunks
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.models.standings import Publication, StoredHistory
from tournaments.models.webhooks import WebhookDelivery, WebhookEvent
from tournaments.selectors.access.personal_links import personal_path
from tournaments.selectors.events.meetings import LULL, meeting_on
from tournaments.services.clubs.deletion import remove_piece
from tournaments.services.clubs.personal_links import renew_personal_link, set_contact
from tournaments.services.hands.close_tables import move_game
from tournaments.services.people.erase_player import erase_player
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.webhooks.manage import create_webhook

pytestmark = pytest.mark.django_db

LAST_WEEK: Final = date(2025, 10, 30)
TONIGHT: Final = date(2025, 11, 6)
PAGE: Final = f"{ADDRESS}/meetings/2025-11-06"
REST: Final = f"/api/v1{PAGE}"
WINNER: Final = "Zoë K."
NAMES: Final = ("Elsa D.", WINNER, "Leo K.", "Anton S.")


@dataclass(frozen=True, slots=True)
class Night:
    """Elsa leads the season; Zoë wins tonight, and the evening is over.

    Leo has a personal link and an address; the club has a webhook and one of a chat.
    """

    event: Event
    own_page: str

    def get(self, path: str) -> bytes:
        answer = Client().get(path)
        assert answer.status_code == 200, path
        return answer.content

    def page(self, path: str) -> str:
        answer = Client().get(path)
        assert answer.status_code == 200, path
        return text_of(answer)


@pytest.fixture
def night(clock: time_machine.Traveller, cast: Cast) -> Night:
    for form in ("standard", "discord"):
        create_webhook(by_tests(), cast.riverside, url=HOOK, kinds=["evening.closed"], format=form)
    event = league(cast.riverside, name="Autumn league", settings={"primary": "raw_per_hand"})
    people = players(cast.riverside, *NAMES)
    set_contact(by_tests(), people[2], email="leo@river.example", has_consent=True)
    link = renew_personal_link(by_tests(), people[2])
    for number, day, hearts in ((1, LAST_WEEK, [0, 8, 3, 2]), (2, TONIGHT, [3, 0, 5, 5])):
        game = table(event, people, round_number=number, on=day)
        hand(game, 1, hearts, queen=3)
        move_game(by_tests(), game, to="complete")
    make_tables_of(event, NOW)
    end_evening(by_tests(), meeting_on(event, TONIGHT))
    work_on_evenings(event, NOW)
    return Night(event, personal_path(link))


def read_spreadsheet(night: Night) -> str:
    book = CalamineWorkbook.from_filelike(BytesIO(night.get(f"{REST}/results/1.xlsx")))
    sheets = [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]
    return " ".join(str(cell) for sheet in sheets for row in sheet for cell in row)


def read_print(night: Night) -> str:
    (page,) = page_texts(night.get(f"{REST}/results/1.pdf"))
    return " ".join(page)


def read_feed(night: Night) -> str:
    (entry,) = feedparser.parse(night.get(f"{ADDRESS}/evenings.atom")).entries
    return f"{entry.title} {entry.summary}"


def read_mail(night: Night) -> str:
    message = compose(Outbox.objects.get(kind="digest"))
    assert message is not None
    return str(message.body)


def read_webhook(night: Night) -> str:
    """Follow the links of the message, which has no name itself."""
    body = standard_body(WebhookDelivery.objects.get(webhook__format="standard"))
    links = json.loads(body)["data"]["links"]
    document = night.get(urlsplit(links["json"]).path).decode()
    text = night.get(urlsplit(links["text"]).path).decode()
    return f"{text} {document}"


def read_chat(night: Night) -> str:
    body = chat_body(WebhookDelivery.objects.get(webhook__format="discord"), HOOK)
    assert body is not None
    return str(json.loads(body)["content"])


def of_page(path: str) -> Callable[[Night], str]:
    return lambda night: night.page(path)


def of_file(path: str) -> Callable[[Night], str]:
    return lambda night: night.get(path).decode()


NAME: Final = r"(\w+ \w\.)"
DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
IN_CSV: Final = rf"\n1,\w+,{NAME},"
IN_JSON: Final = rf'"rank":1,.*?"player":"{NAME}"'
IN_LARGE: Final = rf"evening of Thursday 6 November 2025 .*?\b1 {NAME} Average a hand"

OUTPUTS: Final[Mapping[str, tuple[Callable[[Night], str], str]]] = {
    "evening page": (of_page(PAGE), rf"First this evening 1 {NAME}"),
    "page of the result": (of_page(f"{PAGE}/results/1"), rf"Points Hands 1 {NAME}"),
    "club page": (of_page("/clubs/riverside"), rf"Last tables, 6 Nov 2025.*?Points 1 {NAME}"),
    "Evenings of the club": (
        of_page("/clubs/riverside/evenings"),
        rf"6 Nov 2025 Autumn league First of the evening: {NAME}",
    ),
    "Evenings of the event": (
        of_page(f"{ADDRESS}/meetings"),
        rf"6 November 2025 First of the evening: {NAME}",
    ),
    "wall": (of_page(f"{ADDRESS}/projector"), rf"Result of the {IN_LARGE}"),
    "big screen": (of_page(f"{ADDRESS}/screen"), IN_LARGE),
    "personal page": (
        lambda night: night.page(night.own_page),
        rf"6 November 2025 in Autumn league. Won by {NAME}",
    ),
    "mail": (read_mail, rf"{NAME} won the evening."),
    "printed sheet": (read_print, rf"Result 1 .*? 1 {NAME}"),
    "CSV of the evening": (of_file(f"{REST}/standings.csv"), IN_CSV),
    "CSV of the result": (of_file(f"{REST}/results/1.csv"), IN_CSV),
    "XLSX": (read_spreadsheet, rf" 1\.0 +\w+ {NAME}"),
    "standings by REST": (of_file(f"{REST}/standings"), IN_JSON),
    "result by REST": (of_file(f"{REST}/results/1"), IN_JSON),
    "chat text": (of_file(f"{REST}/result.txt"), rf"\n1\. {NAME} "),
    "chat": (read_chat, rf"\n1\. {NAME} "),
    "feed": (read_feed, rf": 1\. {NAME} "),
    "webhook": (read_webhook, rf"\n1\. {NAME} "),
}
"""What shows the winner: how it is read, and where in its text the first of the evening is."""

WITH_DIGEST: Final = ("page of the result", "XLSX", "result by REST", "webhook")
"""Which of them name the digest of the result; the list of results does so too."""


def winners(night: Night) -> Mapping[str, str]:
    first = {}
    for output, (read, pattern) in OUTPUTS.items():
        text = read(night)
        match = re.search(pattern, text, re.DOTALL)
        assert match is not None, (output, text)
        first[output] = match[1]
    return first


def picture(night: Night) -> bytes:
    return night.get(f"{REST}/results/1.png")


def evening_digests(club: Club) -> list[tuple[str, str]]:
    """Return the digests of the tables of evenings, and of the results that were drawn of them."""
    tables = StoredHistory.objects.filter(event__club=club, kind="evening").order_by("key")
    results = Publication.objects.filter(meeting__event__club=club).order_by("number")
    return [
        *tables.values_list("key", "digest"),
        *((f"result {result.number}", result.digest) for result in results),
    ]


def announcements() -> tuple[int, int, int, int]:
    """Count mails, notices, messages of webhooks, and what was sent of these."""
    return (
        Outbox.objects.count(),
        Notice.objects.count(),
        WebhookEvent.objects.count(),
        WebhookDelivery.objects.count(),
    )


def test_all_outputs_name_one_winner_and_one_digest(night: Night) -> None:
    assert winners(night) == dict.fromkeys(OUTPUTS, WINNER)
    digest = Publication.objects.get(meeting__event=night.event).digest
    listed = json.loads(night.get(f"{REST}/results"))["results"]
    assert [row["digest"] for row in listed] == [digest]
    named = {output: set(DIGEST.findall(OUTPUTS[output][0](night))) for output in WITH_DIGEST}
    assert named == {output: {digest} for output in WITH_DIGEST}
    short = digest.removeprefix("sha256:")[:12]
    tags = [Client().get(f"{REST}/{path}")["ETag"] for path in ("standings", "results/1")]
    assert tags == [f'"evening-2025-11-06-{short}"', f'"1-{short}"']
    assert picture(night).startswith(b"\x89PNG")


def test_club_of_an_archive_has_equal_digests_and_the_same_winner(
    night: Night, tmp_path: Path
) -> None:
    club = night.event.club
    digests = evening_digests(club)
    assert [key for key, _ in digests] == ["2025-10-30", "2025-11-06", "result 1"]
    before = picture(night)
    archive = tmp_path / "riverside.zip"
    archive.write_bytes(b"".join(archive_chunks(club, now=NOW)))
    Club.objects.filter(pk=club.pk).update(delete_after=NOW)
    while remove_piece(club.pk, now=NOW):
        pass
    assert not Publication.objects.exists()
    sent = announcements()
    call_command("import_club", str(archive))
    event = Event.objects.select_related("club").get(slug="league")
    work_on_evenings(event, NOW)
    work_on_evenings(event, NOW + LULL)
    assert evening_digests(event.club) == digests
    assert announcements() == sent
    # Personal links, addresses and webhooks are in no archive.
    of_one_site = {"personal page", "mail", "chat", "webhook"}
    first = {
        output: re.search(pattern, read(Night(event, "")), re.DOTALL)
        for output, (read, pattern) in OUTPUTS.items()
        if output not in of_one_site
    }
    assert {match[1] for match in first.values() if match} == {WINNER}
    assert picture(Night(event, "")) == before


def test_erased_winner_is_nowhere_and_nothing_is_announced_again(night: Night) -> None:
    picture_before = picture(night)
    digest = Publication.objects.get(meeting__event=night.event).digest
    sent = announcements()
    zoe = Player.objects.get(name=WINNER)
    erase_player(by_tests(), zoe, confirmed=zoe.player_id, reason="Asked for it.")
    assert rows_with(WINNER, "Zoë") == {}
    for later in (timedelta(), LULL, timedelta(hours=9)):
        work_on_evenings(night.event, NOW + later)
    assert announcements() == sent
    numbers = Publication.objects.filter(meeting__event=night.event).order_by("number")
    assert [(result.number, result.is_redacted) for result in numbers] == [(1, True)]
    assert numbers[0].digest != digest
    for output, (read, _pattern) in OUTPUTS.items():
        text = read(night)
        assert "Elsa D." in text or "RL02" in text, output
        assert "Zoë" not in text, output
    assert picture(night) != picture_before
