"""An evening of a consolation after the final: no output says that somebody won that evening."""

import json
from collections.abc import Callable, Mapping
from datetime import date
from io import BytesIO
from typing import Final

import feedparser
import pytest
from django.test import Client
from python_calamine import CalamineWorkbook

from tests.support.builders import by_tests, hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of, work_on_evenings
from tests.support.pages.text import text_of
from tests.support.pdf_text import page_texts
from tests.support.webhooks import HOOK
from tournaments.delivery.webhooks.sender import chat_body
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.rounds import Round
from tournaments.models.webhooks import WebhookDelivery
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import move_round
from tournaments.services.webhooks.manage import create_webhook

pytestmark = pytest.mark.django_db

LAST_WEEK: Final = date(2025, 10, 30)
TONIGHT: Final = date(2025, 11, 6)
PAGE: Final = "/clubs/riverside/events/league"
EVENING: Final = f"{PAGE}/meetings/2025-11-06"
REST: Final = f"/api/v1{EVENING}"
NAMES: Final = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal")


def close(event: Event, number: int) -> None:
    round_ = Round.objects.get(event=event, number=number)
    close_tables(by_tests(), round_)
    move_round(by_tests(), round_, to="closed")
    make_tables_of(event, NOW)


@pytest.fixture
def consolation(cast: Cast) -> Event:
    """Ada won the cup last week; tonight Cleo won the table of those who were out."""
    create_webhook(by_tests(), cast.riverside, url=HOOK, kinds=["evening.closed"], format="discord")
    settings = {"primary": "placement_points", "placement": {"4": [5, 3, 2, 1]}}
    event = league(cast.riverside, settings=settings, name="Cup")
    Event.objects.filter(pk=event.pk).update(kind="tournament")
    event.kind = "tournament"
    people = players(cast.riverside, *NAMES)
    for number in (1, 2):
        game = table(event, people[4 * number - 4 : 4 * number], table_number=number, on=LAST_WEEK)
        hand(game, 1, [0, 2, 4, 7], queen=3)
    first = Stage.objects.get(event=event)
    Stage.objects.filter(pk=first.pk).update(kind="knockout", name="Cup")
    close(event, 1)
    final = [people[at] for at in (0, 1, 4, 5)]
    hand(table(event, final, round_number=2, on=LAST_WEEK), 1, [0, 2, 4, 7], queen=3)
    close(event, 2)
    fields = {"kind": "knockout", "takes": "losers", "name": "Consolation"}
    stage = Stage.objects.create(club=event.club, event=event, number=2, from_stage=first, **fields)
    losers = [people[at] for at in (2, 3, 6, 7)]
    game = table(event, losers, round_number=3, on=TONIGHT)
    Round.objects.filter(event=event, number=3).update(stage=stage)
    hand(game, 1, [0, 2, 4, 7], queen=3)
    close(event, 3)
    end_evening(by_tests(), meeting_on(event, TONIGHT))
    work_on_evenings(event, NOW)
    return event


def get(path: str) -> bytes:
    answer = Client().get(path)
    assert answer.status_code == 200, path
    return answer.content


def of_page(path: str) -> Callable[[], str]:
    return lambda: " ".join(text_of(Client().get(path)).split())


def of_file(path: str) -> Callable[[], str]:
    return lambda: get(path).decode()


def read_spreadsheet() -> str:
    book = CalamineWorkbook.from_filelike(BytesIO(get(f"{REST}/results/1.xlsx")))
    sheets = [book.get_sheet_by_name(name).to_python() for name in book.sheet_names]
    return " ".join(str(cell) for sheet in sheets for row in sheet for cell in row)


def read_print() -> str:
    return " ".join(" ".join(page) for page in page_texts(get(f"{REST}/results/1.pdf")))


def read_feed() -> str:
    entries = feedparser.parse(get(f"{PAGE}/evenings.atom")).entries
    (entry,) = (entry for entry in entries if "6 Nov" in entry.title)
    return f"{entry.title} {entry.summary}"


def read_chat() -> str:
    body = chat_body(WebhookDelivery.objects.get(), HOOK)
    assert body is not None
    return str(json.loads(body)["content"])


OUTPUTS: Final[Mapping[str, Callable[[], str]]] = {
    "evening page": of_page(EVENING),
    "page of the result": of_page(f"{EVENING}/results/1"),
    "Evenings": of_page(f"{PAGE}/meetings"),
    "Evenings of the club": of_page("/clubs/riverside/evenings"),
    "club page": of_page("/clubs/riverside"),
    "wall": of_page(f"{PAGE}/projector?page=1"),
    "big screen": of_page(f"{PAGE}/screen?page=1"),
    "printed sheet": read_print,
    "CSV of the evening": of_file(f"{REST}/standings.csv"),
    "CSV of the result": of_file(f"{REST}/results/1.csv"),
    "XLSX": read_spreadsheet,
    "result by REST": of_file(f"{REST}/results/1"),
    "chat text": of_file(f"{REST}/result.txt"),
    "chat": read_chat,
    "feed": read_feed,
}


DECIDED: Final = "The evening of 30 Oct 2025 decided the event."
TABLE_OF_EVENT: Final = "The evening of Thursday 30 October 2025 decided the event."
EXPECTED: Final[Mapping[str, str]] = {
    "evening page": TABLE_OF_EVENT,
    "page of the result": TABLE_OF_EVENT,
    "Evenings": "Thursday 6 November 2025 Consolation: Final · Round 3 1 held",
    "Evenings of the club": "6 Nov 2025 Cup Round Round 3 (Consolation: Final) 1 held",
    "club page": "Next evening No evening is planned. The last one was on",
    "wall": "as of round 3 (Consolation: Final)",
    "big screen": "Consolation: Final · Round 3 Cup · Thursday 6 November 2025 Table 1",
    "printed sheet": DECIDED,
    "CSV of the evening": "5,RL03,Cleo,2,2,4,2.0000,1,0,0,1,0,0,7,consolation",
    "CSV of the result": "5,RL03,Cleo,2,2,4,2.0000,1,0,0,1,0,0,7,consolation",
    "XLSX": "RL03 Cleo 2.0 2.0 4.0 2.0 1.0 0.0 0.0 1.0 0.0 0.0 7.0 consolation",
    "result by REST": '"counts":"event","decided_on":"2025-10-30"',
    "chat text": f"after the evening of 6 Nov 2025 {DECIDED} This one was for those who were out.",
    "chat": f"after the evening of 6 Nov 2025 {DECIDED} This one was for those who were out.",
    "feed": f"6 November 2025 {DECIDED}",
}
"""What each output says that is of this evening, or that its places are those of the event."""
WON: Final = (
    "Winner of the evening: Cleo",
    "won the evening",
    "This evening decided the event",
    "Result of the evening",
    "First this evening",
    "First in the event",
    "Nobody has won yet",
)
"""What none of them says."""


def test_no_output_of_a_consolation_names_a_winner_of_the_evening(consolation: Event) -> None:
    assert EXPECTED.keys() == OUTPUTS.keys()
    for name, read in OUTPUTS.items():
        text = " ".join(read().split())
        assert EXPECTED[name] in text, (name, text)
        said = [words for words in WON if words in text]
        assert said == [], name


def test_mail_of_a_consolation_says_where_its_reader_is(consolation: Event, cast: Cast) -> None:
    piet = cast.users["piet"]
    link(Player.objects.get(name="Cleo"), piet)
    facts = {"meeting": meeting_on(consolation, TONIGHT).pk, "number": 1}
    text = notice_text("digest", facts, piet, now=NOW)
    assert text is not None
    assert text.headline == "You are at place 5 of 8 after the evening."
    assert "You are in the consolation." in text.paragraphs
    assert text.rows[0] == ("Round 3 (Consolation: Final), table 1", "place 1, 0 points")
    assert "won the event" not in " ".join(text.paragraphs)


def test_table_of_the_consolation_alone_says_of_nobody_that_they_are_in_it(
    consolation: Event,
) -> None:
    body = json.loads(get(f"/api/v1{PAGE}/stages/2/standings"))
    assert [(row["player_id"], row.get("progress")) for row in body["rows"]] == [
        ("RL03", None), ("RL04", None), ("RL07", None), ("RL08", None),
    ]  # fmt: skip
