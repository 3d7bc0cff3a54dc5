"""A cup to its end: nobody is named before the final is decided, and then its winner is."""

import json
from collections.abc import Mapping
from datetime import date

import pytest
from django.test import Client

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.chat_text import result_text
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.notices.notice_messages import NoticeText
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.selectors.standings.evenings import evening_table
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.plan_stages import begin_stage

pytestmark = pytest.mark.django_db

PAGE = "/clubs/riverside/events/league"
TONIGHT = date(2025, 11, 6)
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal")
SETTINGS: Mapping[str, object] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "boundaries": {"title": 1},
}
SEMI_FINALS = (("Ada", "Ben", "Gus", "Hal"), ("Dan", "Eva", "Cleo", "Finn"))
FINALISTS = ("Ada", "Ben", "Dan", "Eva")


@pytest.fixture
def people(cast: Cast) -> Mapping[str, Player]:
    return dict(zip(NAMES, players(cast.riverside, *NAMES), strict=True))


@pytest.fixture
def cup(cast: Cast, people: Mapping[str, Player]) -> Event:
    """Semi-finals of two tables, closed: Ada won the one and Dan the other, in the order seated."""
    event = league(cast.riverside, settings=SETTINGS, name="Cup")
    Event.objects.filter(pk=event.pk).update(kind="tournament")
    event.kind = "tournament"
    for number, names in enumerate(SEMI_FINALS, start=1):
        game = table(event, [people[n] for n in names], table_number=number, on=TONIGHT)
        hand(game, 1, [0, 2, 4, 7], queen=3)
    Stage.objects.filter(event=event).update(kind="knockout", name="Cup")
    close(event, 1)
    return event


def close(event: Event, number: int) -> None:
    round_ = Round.objects.get(event=event, number=number)
    close_tables(by_tests(), round_)
    move_round(by_tests(), round_, to="closed")
    make_tables_of(event, NOW)


def play_final(event: Event, people: Mapping[str, Player], hearts: list[int], queen: int) -> Game:
    """Enter a hand of the final, which is not closed."""
    game = table(event, [people[n] for n in FINALISTS], round_number=2, on=TONIGHT)
    hand(game, 1, hearts, queen=queen)
    make_tables_of(event, NOW)
    return game


def the_meeting(event: Event) -> Meeting:
    return meeting_on(event, TONIGHT)


def rows(event: Event) -> list[Json]:
    table_: Json = json.loads(evening_table(event, the_meeting(event)).body)
    return list(table_["rows"])


def order(event: Event) -> list[str]:
    return [row["player"] for row in rows(event)]


def states(event: Event) -> list[str]:
    return [row.get("progress") or "" for row in rows(event)]


def read(client: Client, path: str) -> str:
    return " ".join(text_of(client.get(f"{PAGE}{path}")).split())


def mail(event: Event, name: str, cast: Cast) -> NoticeText:
    user = cast.users["piet"]
    link(Player.objects.get(name=name), user)
    facts = {"meeting": the_meeting(event).pk, "number": 1}
    text = notice_text("digest", facts, user, now=NOW)
    assert text is not None
    return text


def draw(event: Event) -> None:
    end_evening(by_tests(), the_meeting(event))
    make_tables_of(event, NOW)
    assert publish_result(the_meeting(event), now=NOW) is not None


DAN_WINS = ([5, 2, 0, 6], 0)
"""Of Ada, Ben, Dan and Eva: Ada is last in the final, who won a semi-final as Dan did."""


def test_final_orders_its_people_before_its_round_is_closed(
    cup: Event, people: Mapping[str, Player], cast: Cast
) -> None:
    game = play_final(cup, people, *DAN_WINS)
    for state in ("playing", "complete"):
        Game.objects.filter(pk=game.pk).update(state=state)
        assert order(cup)[:4] == ["Dan", "Ben", "Eva", "Ada"], state
        assert states(cup)[:4] == ["final"] * 4
        for path in ("", "/projector?page=1", "/meetings/2025-11-06"):
            page = read(cast.client(), path)
            assert "Title: first place" not in page, (state, path)
        for path in ("/projector?page=1", "/meetings/2025-11-06"):
            assert "Nobody has won yet." in read(cast.client(), path), (state, path)
        assert "First in the event" not in read(cast.client(), "/meetings/2025-11-06")
        assert "Nobody has won yet." in result_text(cup, the_meeting(cup), now=NOW)
    before = order(cup)
    close(cup, 2)
    assert order(cup) == before, "closing the round changes no place"


def test_before_the_first_hand_of_the_final_nobody_is_named(
    cup: Event, people: Mapping[str, Player], cast: Cast
) -> None:
    for path in ("", "/projector?page=1", "/meetings/2025-11-06"):
        assert "Title: first place" not in read(cast.client(), path)
    table(cup, [people[n] for n in FINALISTS], round_number=2, on=TONIGHT)
    make_tables_of(cup, NOW)
    assert states(cup)[:4] == ["final"] * 4
    assert "Title: first place" not in read(cast.client(), "")


def test_winner_is_named_once_the_final_is_closed(
    cup: Event, people: Mapping[str, Player], cast: Cast
) -> None:
    play_final(cup, people, *DAN_WINS)
    close(cup, 2)
    assert states(cup) == ["winner"] + ["final"] * 3 + ["out"] * 4
    api = cast.client().get(f"/api/v1{PAGE}/standings").json()
    assert api["rows"][0]["progress"] == "winner"
    assert "title_open" not in api["scheme"]
    for path in ("", "/projector?page=1&table=season", "/meetings/2025-11-06"):
        page = read(cast.client(), path)
        assert "Dan winner" in page, path
        assert "Title: first place" in page, path
        assert "Nobody has won yet." not in page, path
    evening = read(cast.client(), "/meetings/2025-11-06")
    assert "First in the event 1 Dan" in evening
    assert "This evening decided the event" in evening
    draw(cup)
    assert "This evening decided the event" in read(cast.client(), "/meetings/2025-11-06/results/1")
    assert "Winner: Dan" in result_text(cup, the_meeting(cup), now=NOW)
    assert "winner" in cast.client().get(f"/api/v1{PAGE}/standings.csv").content.decode()


@pytest.mark.parametrize(
    ("name", "headline", "sentence"),
    [
        ("Dan", "You are at place 1 of 8 after the evening.", "You won the event."),
        ("Ben", "You are at place 2 of 8 after the evening.", "Dan won the event."),
    ],
)
def test_mail_says_who_won(
    cup: Event,
    people: Mapping[str, Player],
    cast: Cast,
    name: str,
    headline: str,
    sentence: str,
) -> None:
    play_final(cup, people, *DAN_WINS)
    close(cup, 2)
    draw(cup)
    text = mail(cup, name, cast)
    assert text.headline == headline
    assert text.paragraphs.count(sentence) == 1
    assert "through" not in " ".join(text.paragraphs)


def test_shared_first_place_has_no_winner_while_a_play_off_is_due(
    cast: Cast, people: Mapping[str, Player], cup: Event
) -> None:
    play_final(cup, people, [0, 5, 0, 8], 3)
    close(cup, 2)
    assert states(cup)[:2] == ["winner", "winner"], "without a play-off they share it"
    Event.objects.filter(pk=cup.pk).update(settings={**cup.settings, "playoff": "extra_hands"})
    mark_changed(event=cup, now=NOW)
    make_tables_of(cup, NOW)
    api = cast.client().get(f"/api/v1{PAGE}/standings").json()
    assert api["rows"][0]["progress"] == "final"
    assert "A tie at place 1 is not resolved yet." in read(cast.client(), "")


def test_swiss_with_a_final_ends_with_its_winner(cast: Cast, people: Mapping[str, Player]) -> None:
    event = league(cast.riverside, settings=SETTINGS, name="Cup")
    Event.objects.filter(pk=event.pk).update(kind="tournament")
    event.kind = "tournament"
    first = Stage.objects.get(event=event)
    fields = {"kind": "swiss", "planned_rounds": 1, "name": "Swiss"}
    Stage.objects.filter(pk=first.pk).update(**fields)
    last = Stage.objects.create(
        event=event,
        club=event.club,
        number=2,
        kind="individual",
        plan="planned",
        name="Final",
        carry="none",
        planned_rounds=1,
        advance={"best": 4},
    )
    for number, names in enumerate(SEMI_FINALS, start=1):
        game = table(event, [people[n] for n in names], table_number=number, on=TONIGHT)
        hand(game, 1, [0, 2, 4, 7], queen=3)
    make_tables_of(event, NOW)
    assert "Title: first place" not in read(cast.client(), "")
    close(event, 1)
    assert states(event) == ["through"] * 4 + ["out"] * 4
    begin_stage(by_tests(), last)
    make_tables_of(event, NOW)
    game = table(event, [people[n] for n in FINALISTS], round_number=2, on=TONIGHT)
    Round.objects.filter(event=event, number=2).update(stage=last)
    hand(game, 1, *DAN_WINS)
    make_tables_of(event, NOW)
    assert "winner" not in states(event)
    close(event, 2)
    assert states(event) == ["winner", "", "", ""] + ["out"] * 4
    assert order(event)[0] == "Dan"
    draw(event)
    assert "Winner: Dan" in result_text(event, the_meeting(event), now=NOW)
    assert "Through" not in result_text(event, the_meeting(event), now=NOW)
    assert "You won the event." in mail(event, "Dan", cast).paragraphs
    assert "through" not in read(cast.client(), "/meetings/2025-11-06")
