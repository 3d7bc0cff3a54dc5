"""A cup to its end: nobody is named before the final is decided, and then its winner is."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import by_tests, counts, hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import make_tables_of, work_on_evenings
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tests.support.scenarios.playoffs import look
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.models.jobs import Outbox
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Meeting, Round
from tournaments.selectors.chat_text import result_text, seating_text
from tournaments.selectors.events.meetings import is_over, meeting_on
from tournaments.selectors.notices.notice_messages import NoticeText
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.selectors.standings.evenings import evening_table
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.publishing.reviews import review_cuts
from tournaments.services.rounds.evenings import (
    LOOK_AT_PLAYOFFS,
    end_evening,
    end_evenings_at_noon,
)
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.plan_stages import begin_stage

pytestmark = pytest.mark.django_db

PAGE = "/clubs/riverside/events/league"
TONIGHT = date(2025, 11, 6)
HOUR = timedelta(hours=1)
LATER = NOW + timedelta(minutes=10)
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


def seat_final(event: Event, people: Mapping[str, Player], number: int = 2) -> Game:
    return table(event, [people[n] for n in FINALISTS], round_number=number, on=TONIGHT)


def play_final(event: Event, people: Mapping[str, Player], hearts: list[int], queen: int) -> Game:
    """Enter a hand of the final, which is not closed."""
    game = seat_final(event, people)
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


def mail(event: Event, name: str, cast: Cast, number: int = 1) -> NoticeText:
    user = cast.users["piet"]
    link(Player.objects.get(name=name), user)
    facts = {"meeting": the_meeting(event).pk, "number": number}
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
    assert "Ada" not in read(cast.client(), "/meetings")
    seat_final(cup, people)
    make_tables_of(cup, NOW)
    assert states(cup)[:4] == ["final"] * 4
    assert "Title: first place" not in read(cast.client(), "")


def test_winner_stays_with_the_evening_of_the_final_when_a_consolation_follows(
    cup: Event, people: Mapping[str, Player], cast: Cast
) -> None:
    play_final(cup, people, *DAN_WINS)
    close(cup, 2)
    first = Stage.objects.get(event=cup)
    consolation = Stage.objects.create(
        club=cup.club, event=cup, number=2, kind="knockout", takes="losers", from_stage=first
    )
    others = [player for name, player in people.items() if name not in FINALISTS]
    later = TONIGHT + timedelta(weeks=1)
    game = table(cup, others[:4], round_number=3, on=later)
    Round.objects.filter(event=cup, number=3).update(stage=consolation)
    hand(game, 1, [0, 2, 4, 7], queen=3)
    close(cup, 3)
    Meeting.objects.filter(event=cup).update(ended_at=NOW)
    page = read(cast.client(), "/meetings")
    assert page.count("Dan") == 1
    assert page.index("13 November 2025") < page.index("6 November 2025") < page.index("Dan")


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
    for address in (f"{PAGE}/meetings", "/clubs/riverside/evenings", "/clubs/riverside"):
        assert "Winner of the event: Dan" in " ".join(
            text_of(cast.client().get(address)).split()
        ), address
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
    game = seat_final(event, people)
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


@pytest.fixture
def tied(cast: Cast, cup: Event) -> Event:
    """The cup with a tie of Eva and Cleo at the line of a semi-final; its play-off is posted."""
    game = Game.objects.get(table__code="r1t2")
    hand(game, 1, [0, 4, 4, 5], 3, based_on=1, reason="Misread.")
    look(cup)
    assert Game.objects.get(counts=False).table.code == "r2t1"
    return cup


def decide_tie(event: Event, cast: Cast) -> None:
    address = f"/api/v1{PAGE}/playoffs/1/moves"
    assert post_json(cast.client("dirk"), address, {"to": "by_lot"}).status_code == 200
    make_tables_of(event, NOW)


@pytest.mark.parametrize("path", ["/direct", "/projector", "/screen", "/meetings/2025-11-06"])
def test_open_table_of_a_play_off_keeps_the_evening_on(
    tied: Event, cast: Cast, clock: time_machine.Traveller, path: str
) -> None:
    dirk = cast.client("dirk")
    page = read(dirk, path)
    assert "table 1 of round 2" in page
    assert "Close the evening" not in page
    with pytest.raises(Conflict) as refused:
        end_evening(by_tests(), the_meeting(tied))
    assert refused.value.problem.facts["tables"] == "r2t1"
    decide_tie(tied, cast)
    page = read(dirk, path)
    assert "Close the evening" in page
    assert "Still to be played: Final." in page


def test_evening_waits_an_hour_after_its_play_off(tied: Event, cast: Cast) -> None:
    meeting = the_meeting(tied)
    work_on_evenings(tied, NOW + HOUR)
    assert not is_over(meeting)
    decide_tie(tied, cast)
    Playoff.objects.update(decided_at=NOW + HOUR)
    work_on_evenings(tied, NOW + HOUR + LOOK_AT_PLAYOFFS)
    assert not is_over(meeting)
    work_on_evenings(tied, NOW + 2 * HOUR)
    assert is_over(meeting)


def test_play_off_that_is_open_next_noon_is_of_another_day(tied: Event) -> None:
    end_evenings_at_noon(now=datetime(2025, 11, 7, 12, tzinfo=UTC))
    assert is_over(the_meeting(tied))


def test_nothing_is_left_to_play_beside_the_end_of_a_final(
    cup: Event, people: Mapping[str, Player], cast: Cast
) -> None:
    play_final(cup, people, *DAN_WINS)
    Game.objects.update(state="complete")
    page = read(cast.client("dirk"), "/meetings/2025-11-06")
    assert "Close the evening" in page
    assert "Still to be played" not in page


def was_told(event: Event, cast: Cast) -> None:
    """Note that the mail about the first result left, as the sender does."""
    mail_ = Outbox(club=event.club, user=cast.users["piet"], kind="digest", payload={})
    mail_.key = str(the_meeting(event).pk)
    mail_.created_at = mail_.due_at = mail_.sent_at = NOW
    mail_.save()


@pytest.mark.parametrize("further", ["final", "play-off", "correction"])
def test_further_round_and_play_off_are_no_correction_of_a_result(
    cast: Cast, cup: Event, people: Mapping[str, Player], further: str
) -> None:
    if further == "play-off":
        hand(Game.objects.get(table__code="r1t2"), 1, [0, 4, 4, 5], 3, based_on=1, reason="No.")
        make_tables_of(cup, NOW)
    end_evening(by_tests(), the_meeting(cup))
    assert publish_result(the_meeting(cup), now=NOW) is not None
    was_told(cup, cast)
    if further == "final":
        play_final(cup, people, *DAN_WINS)
        close(cup, 2)
    elif further == "play-off":
        look(cup)
        decide_tie(cup, cast)
        Playoff.objects.update(decided_at=LATER)
    else:
        hand(Game.objects.get(table__code="r1t1"), 1, [7, 2, 4, 0], 3, based_on=1, reason="No.")
    make_tables_of(cup, LATER)
    end_evening(by_tests(LATER), the_meeting(cup))
    result = publish_result(the_meeting(cup), now=LATER)
    assert result is not None
    assert result.number == 2
    text = mail(cup, "Ben", cast, number=2)
    is_correction = further == "correction"
    assert text.title.endswith("was corrected") == is_correction
    assert text.headline.startswith("Corrected") == is_correction


def test_rounds_have_their_names_and_the_play_off_is_on_the_page_of_its_evening(
    tied: Event, people: Mapping[str, Player], cast: Cast
) -> None:
    decide_tie(tied, cast)
    through = [row["player"] for row in rows(tied)[:4]]
    final = table(tied, [people[name] for name in through], round_number=3, on=TONIGHT)
    Round.objects.filter(number=3).update(stage=Stage.objects.get(name="Cup"))
    hand(final, 1, *DAN_WINS)
    close(tied, 3)
    page = read(cast.client(), "/meetings/2025-11-06")
    semi_final, play_off, the_final = (
        page.index(name)
        for name in ("Semi-final · Round 1", "Play-off · Round 2", "Final · Round 3")
    )
    assert semi_final < play_off < the_final
    assert "Final · Round 3" in read(cast.client(), "/rounds/3")
    for path in ("/rounds/3", "/rounds/3/board", "/rounds/3/print", "/rounds/3/direct"):
        address = f"/clubs/riverside/events/{tied.slug}{path}"
        content = cast.client("dirk").get(address).content.decode()
        title = content.partition("<title>")[2].partition("</title>")[0]
        assert "Final · Round 3 ·" in " ".join(title.split()), path
    evenings = read(cast.client(), "/meetings")
    for name in ("Semi-final · Round 1", "Play-off · Round 2", "Final · Round 3"):
        assert name in evenings
    assert "round 3 (Final)" in seating_text(tied, Round.objects.get(number=3))
    places = [label for label, _value in mail(tied, "Ada", cast).rows]
    assert places[:2] == ["Round 1 (Semi-final), table 1", "Round 3 (Final), table 1"]
    other = league(cast.riverside, slug="plain", name="Plain")
    table(other, [people[name] for name in through], on=TONIGHT)
    assert ", round 1" in seating_text(other, Round.objects.get(event=other))


def test_consolation_after_the_final_decides_nothing(
    cup: Event, people: Mapping[str, Player], cast: Cast
) -> None:
    play_final(cup, people, *DAN_WINS)
    close(cup, 2)
    draw(cup)
    decided = evening_table(cup, the_meeting(cup))
    first = Stage.objects.get(event=cup)
    consolation = Stage.objects.create(
        club=cup.club, event=cup, number=2, kind="knockout", takes="losers", from_stage=first
    )
    others = [player for name, player in people.items() if name not in FINALISTS]
    later = TONIGHT + timedelta(weeks=1)
    game = table(cup, others[:4], round_number=3, on=later)
    Round.objects.filter(event=cup, number=3).update(stage=consolation)
    hand(game, 1, [0, 2, 4, 7], queen=3)
    close(cup, 3)

    of_final = json.loads(evening_table(cup, the_meeting(cup)).body)
    assert of_final["rows"][0]["progress"] == "winner"
    assert "title_open" not in of_final["scheme"]
    assert of_final["evening"] == {"date": "2025-11-06", "counts": "event"}
    assert of_final["rows"][:4] == json.loads(decided.body)["rows"][:4]
    assert "This evening decided the event" in read(cast.client(), "/meetings/2025-11-06")

    meeting = meeting_on(cup, later)
    end_evening(by_tests(), meeting)
    make_tables_of(cup, NOW)
    assert publish_result(meeting, now=NOW) is not None
    of_consolation = json.loads(evening_table(cup, meeting).body)
    assert of_consolation["evening"]["decided_on"] == "2025-11-06"
    for path in ("/meetings/2025-11-13", "/meetings/2025-11-13/results/1"):
        page = read(cast.client(), path)
        assert "The evening of Thursday 6 November 2025 decided the event." in page, path
        assert "This evening decided the event" not in page, path
        assert "First in the event" not in page, path
    user = cast.users["piet"]
    link(people["Cleo"], user)
    text = notice_text("digest", {"meeting": meeting.pk, "number": 1}, user, now=NOW)
    assert text is not None
    assert "won the event" not in " ".join(text.paragraphs)


BEN_WINS = (2, 0, 5, 6)
"""The hand of the final corrected: Ben is first, in the place of Dan."""


def preview_page(cast: Cast, code: str, hearts: Sequence[int], queen: int) -> str:
    host = Host(cast.client("dirk"), f"{PAGE}/tables/{code}/hands/1/edit")
    return " ".join(text_of(host.send(typed(hearts, queen=queen)), 200).split())


def preview(cast: Cast, code: str, hearts: Sequence[int], queen: int) -> Json:
    body = {"entry": counts(list(hearts), queen), "reason": "Exchanged."}
    path = f"/api/v1{PAGE}/tables/{code}/hands/1/preview"
    response = post_json(cast.client("dirk"), path, body, If_Match='"1"')
    assert response.status_code == 200, response.content
    evening: Json = response.json()["evening"]
    return evening


def test_preview_of_the_final_says_who_would_have_won(
    cup: Event, people: Mapping[str, Player], cast: Cast, clock: time_machine.Traveller
) -> None:
    play_final(cup, people, *DAN_WINS)
    close(cup, 2)
    draw(cup)
    page = preview_page(cast, "r2t1", BEN_WINS, queen=4)
    assert "Ben would have won the event. Winner now: Dan." in page
    assert "Result 1 of the evening is out. Result 2 follows" in page
    effect = preview(cast, "r2t1", BEN_WINS, queen=3)
    assert effect["first"] == {"before": ["RL04"], "after": ["RL02"]}
    assert effect["through"] == {"in": [], "out": []}
    assert effect["result"] == {"before": 1, "after": 2, "is_announced": True}
    same = preview_page(cast, "r2t1", (5, 6, 0, 2), queen=1)
    assert "would have won" not in same
    assert "The winner of the event stays: Dan." in same


def test_preview_of_a_semi_final_says_who_would_be_through(cup: Event, cast: Cast) -> None:
    page = preview_page(cast, "r1t2", (0, 7, 2, 4), queen=2)
    assert (
        "Cleo would be through after the evening of Thursday 6 November 2025. "
        "No longer through: Eva."
    ) in page
    effect = preview(cast, "r1t2", (0, 7, 2, 4), queen=1)
    assert effect["through"] == {"in": ["RL03"], "out": ["RL05"]}
    assert effect["first"] == {"before": [], "after": []}
    same = preview(cast, "r1t2", (2, 0, 4, 7), queen=3)
    assert same["through"] == {"in": [], "out": []}


def test_preview_of_a_semi_final_names_who_would_play_in_the_final_that_is_seated(
    cup: Event, people: Mapping[str, Player], cast: Cast
) -> None:
    seat_final(cup, people)
    make_tables_of(cup, NOW)
    page = preview_page(cast, "r1t2", (0, 7, 2, 4), queen=2)
    assert "Cleo would play in it and Eva would not." in page
    assert "would be through" not in page


@pytest.mark.parametrize(
    ("name", "own"), [("Cleo", "You reached the final."), ("Eva", "You are out.")]
)
def test_players_are_told_who_is_through_instead(
    cup: Event, cast: Cast, name: str, own: str
) -> None:
    draw(cup)
    was_told(cup, cast)
    game = Game.objects.get(table__code="r1t2")
    hand(game, 1, [0, 7, 2, 4], 1, based_on=1, reason="Exchanged.")
    make_tables_of(cup, LATER)
    result = publish_result(the_meeting(cup), now=LATER)
    assert result is not None
    assert result.number == 2
    text = mail(cup, name, cast, number=2)
    assert text.headline == "Corrected: Cleo is through; announced was Eva."
    assert own in text.paragraphs


def test_correction_waits_for_a_director_once_the_final_is_seated(
    cup: Event, people: Mapping[str, Player], cast: Cast
) -> None:
    seat_final(cup, people)
    make_tables_of(cup, NOW)
    assert "others would be through" not in text_of(cast.client("dirk").get("/me"))
    hand(Game.objects.get(table__code="r1t2"), 1, [0, 7, 2, 4], 1, based_on=1, reason="No.")
    look(cup)
    review_cuts(cup.pk, now=NOW)
    page = text_of(cast.client("dirk").get("/me"))
    assert "Cup: after a correction others would be through" in page
    assert "others would be through" not in text_of(cast.client("hanna").get("/me"))
