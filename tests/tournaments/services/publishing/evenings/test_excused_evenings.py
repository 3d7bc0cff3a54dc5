"""Excused evenings from the answers on: the season, tables as of rounds, seasons, the pages."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from tests.support.builders import by_tests, pairs, players, table
from tests.support.cast import NOW, Cast
from tests.support.seasons import assign_event, autumn_season
from tests.tournaments.services.publishing.evenings.test_evening_points import (
    FIRST,
    IN_ORDER,
    LIST,
    SECOND,
    SHEETS,
    THIRD,
    evening_league,
    places,
    play,
    publish_now,
    stored,
)
from tournaments.domain.event_settings import (
    as_stored,
    preset_settings,
    read_settings,
    settings_of,
)
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.rounds import Attendance, Meeting, Round
from tournaments.models.standings import StoredHistory
from tournaments.selectors.attendance.excuses import list_excused
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.standings.counted_values import list_counted_values
from tournaments.selectors.standings.evening_places import list_evening_values, list_excused_of
from tournaments.selectors.standings.standings_view import standings_view
from tournaments.services.attendance.excuses import excuse_player
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.events.events import enter_players
from tournaments.services.people.erase_player import erase_player
from tournaments.services.publishing.evening_points import EveningRanker
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season, standings_under
from tournaments.services.rounds.meetings import change_meeting
from tournaments.services.verification.event import verify_publication
from tournaments.services.verification.games import PublicationState

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

BEST = {"unit": "meeting", "min": 2, "per": 1}
EIGHT = time(20, 0)


@pytest.fixture
def people(cast: Cast) -> Mapping[str, Player]:
    return dict(zip("ABCDEFGHZ", players(cast.riverside, *"ABCDEFGHZ"), strict=True))


def evening(event: Event, day: Any) -> Meeting:
    meeting = Meeting.objects.get(event=event, date=day)
    meeting.event = event
    return meeting


def begin_at_eight(event: Event) -> None:
    Meeting.objects.filter(event=event).update(time=EIGHT)


def says_absent(event: Event, player: Player, day: Any, *, before: timedelta) -> Attendance:
    """Let a player say that they do not come, so long before eight."""
    at = datetime.combine(day, EIGHT, UTC) - before
    return set_attendance(by_tests(at), evening(event, day), player=player, state="absent")


def excused_league(
    cast: Cast, people: Mapping[str, Player], excused: str = "lowest", **settings: object
) -> Event:
    """Return the worked league, of whose third evening Ada was excused, and Zoë a guest."""
    event = evening_league(
        cast, best_of=BEST, evening_points=LIST, guests="evening", excused=excused, **settings
    )
    play(event, people)
    begin_at_eight(event)
    Entrant.objects.filter(event=event, code=people["Z"].player_id).update(guest=True)
    says_absent(event, people["A"], THIRD, before=timedelta(seconds=1))
    return event


def points_of(document: Any) -> Mapping[str, object]:
    return {player: value for _rank, player, value in places(document)}


def test_an_excused_evening_gives_the_lowest_points_and_another_is_dropped(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people)
    publication = publish_now(event)
    assert places(publication.document) == [
        (1, "E", 19),
        (2, "F", 16),
        (3, "C", "27/2"),
        (4, "D", "25/2"),
        (5, "A", "23/2"),
        (6, "B", "19/2"),
        (7, "G", 8),
        (8, "H", 6),
        (None, "Z", 0),
    ]
    (ada,) = (row for row in publication.document["rows"] if row["player"] == "A")
    assert (ada["evenings"], ada["tables"], ada["dropped"]) == (2, 2, 1)
    assert publication.document["scheme"]["evenings"]["excused"] == "lowest"
    # The table as of the last round is the same.
    document = publication.document
    del document["publication"]
    assert stored(event, "as_of", "3") == document
    assert points_of(stored(event, "as_of", "2"))["A"] == 11


@pytest.mark.parametrize(
    ("excused", "points", "total"), [("lowest", 0, 18), ("mean", 0, 24), ("fixed", 5, 21)]
)
def test_each_rule_gives_its_points(
    cast: Cast, people: Mapping[str, Player], excused: str, points: int, total: int
) -> None:
    event = evening_league(
        cast,
        evening_points=[10, 8, 6, 2],
        tie_breaks=(),
        excused=excused,
        excused_points=points,
    )
    # Ada has 6 and 10, and the last place of the third evening gives 2.
    sheets = [
        (1, 1, FIRST, "BCAD", IN_ORDER),
        (2, 1, SECOND, "ABCD", IN_ORDER),
        (3, 1, THIRD, "BCDE", IN_ORDER),
    ]
    play(event, people, sheets)
    begin_at_eight(event)
    says_absent(event, people["A"], THIRD, before=timedelta(hours=1))
    assert points_of(publish_now(event).document)["A"] == total
    values = list_counted_values(event, get_entrant(event, people["A"].player_id))
    assert [(value.value, value.is_excused) for value in values] == [
        (total - 16, True),
        (10, False),
        (6, False),
    ]


@pytest.mark.parametrize(("seconds", "total"), [(1, "23/2"), (0, 11), (-1, 11)])
def test_an_answer_counts_before_the_evening_begins(
    cast: Cast, people: Mapping[str, Player], seconds: int, total: object
) -> None:
    event = excused_league(cast, people)
    Attendance.objects.filter(player=people["A"]).delete()
    says_absent(event, people["A"], THIRD, before=timedelta(seconds=seconds))
    # Without the excuse she has 9 and 2.
    assert points_of(publish_now(event).document)["A"] == total


@pytest.mark.parametrize(("points", "n_games"), [(0, 0), (20, 1)])
def test_standings_count_the_games_left_out_and_an_excused_evening_has_none(
    cast: Cast, people: Mapping[str, Player], points: int, n_games: int
) -> None:
    event = excused_league(cast, people, "fixed", excused_points=points)
    publication = publish_now(event)
    row = next(row for row in publication.document["rows"] if row["player"] == "A")
    assert row["dropped"] == n_games
    evenings, left_out = list_evening_values(
        event, get_entrant(event, people["A"].player_id), settings_of(event)
    )
    assert len(left_out) == 1
    assert [row.is_excused for row in evenings if not row.counts] == [points == 0]
    heads = {column.key: str(column.head) for column in standings_view(publication).columns}
    assert heads["dropped"] == "Games left out"


def test_without_a_time_an_evening_begins_with_its_first_round(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people)
    Meeting.objects.filter(event=event).update(time=None)
    posted_at = datetime.combine(THIRD, time(20, 30), UTC)
    third = evening(event, THIRD)
    third.rounds.update(posted_at=posted_at)
    for at, excused in (
        (posted_at - timedelta(seconds=1), True),
        (posted_at, False),
    ):
        Attendance.objects.filter(player=people["A"]).update(answered_at=at)
        assert (people["A"].player_id in list_excused(event).get(str(THIRD), ())) == excused
    third.rounds.update(posted_at=posted_at + timedelta(days=3))
    midnight = datetime.combine(THIRD + timedelta(days=1), time(), UTC)
    for at, excused in ((midnight - timedelta(seconds=1), True), (midnight, False)):
        Attendance.objects.filter(player=people["A"]).update(answered_at=at)
        assert (people["A"].player_id in list_excused(event).get(str(THIRD), ())) == excused


def test_an_answer_of_an_older_release_counts_by_the_time_of_its_statement(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people)
    Attendance.objects.filter(player=people["A"]).update(answered_at=None)
    assert list_excused(event)[str(THIRD)] == {people["A"].player_id}
    again = datetime.combine(THIRD, time(22), UTC)
    set_attendance(by_tests(again), evening(event, THIRD), player=people["A"], state="absent")
    assert list_excused(event)[str(THIRD)] == {people["A"].player_id}


def test_a_new_time_of_an_evening_decides_again_who_is_excused(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people)
    assert points_of(publish_now(event).document)["A"] == "23/2"
    third = evening(event, THIRD)
    change_meeting(by_tests(), third, at=time(19, 59))
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    assert points_of(publication.document)["A"] == 11


def test_whoever_plays_all_the_same_has_their_place(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people)
    says_absent(event, people["B"], THIRD, before=timedelta(hours=1))
    assert points_of(publish_now(event).document)["B"] == "19/2"
    assert [row.name for row in list_excused_of(event, evening(event, THIRD))] == ["A"]


def test_only_an_evening_with_games_excuses(cast: Cast, people: Mapping[str, Player]) -> None:
    event = excused_league(cast, people, "fixed", excused_points=9)
    days = (THIRD + timedelta(weeks=1), THIRD + timedelta(weeks=2))
    for day, state in zip(days, ("planned", "cancelled"), strict=True):
        meeting = Meeting.objects.create(
            club=event.club, event=event, date=day, time=EIGHT, state=state
        )
        Attendance.objects.create(
            club=event.club,
            meeting=meeting,
            player=people["B"],
            state="absent",
            answer="absent",
            stated_at=NOW,
            answered_at=NOW,
        )
    assert points_of(publish_now(event).document)["B"] == "19/2"


@pytest.mark.parametrize("excused", ["fixed", "lowest", "mean"])
def test_who_has_not_played_yet_gets_points_if_they_are_entered(
    cast: Cast, people: Mapping[str, Player], excused: str
) -> None:
    event = excused_league(cast, people, excused, excused_points=4)
    uma, stranger = players(cast.riverside, "Uma", "Viv")
    enter_players(event=event, players=[uma])
    for player in (uma, stranger):
        says_absent(event, player, THIRD, before=timedelta(hours=1))
    publication = publish_now(event)
    points = points_of(publication.document)
    # The last place of evening 3 gives 5 and 4 to two who share it: 2.5.
    assert points.get("Uma") == {"fixed": 4, "lowest": "5/2"}.get(excused)
    assert "Viv" not in points
    named = [row.name for row in list_excused_of(event, evening(event, THIRD))]
    assert named == (["A"] if excused == "mean" else ["A", "Uma"])
    assert verify_publication(event, repair=False, now=NOW) == PublicationState.SAME
    document = publication.document
    del document["publication"]
    assert stored(event, "as_of", "3") == document


def test_a_guest_gets_nothing_until_they_are_a_member(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people, "fixed", excused_points=9)
    says_absent(event, people["Z"], FIRST, before=timedelta(hours=1))
    assert points_of(publish_now(event).document)["Z"] == 0
    Entrant.objects.filter(event=event, guest=True).update(guest=False)
    values = list_counted_values(event, get_entrant(event, people["Z"].player_id))
    assert [(value.value, value.is_excused) for value in values if value.is_excused] == [
        ("9.0", True)
    ]


def test_a_pair_is_excused_by_the_answer_of_one(cast: Cast, people: Mapping[str, Player]) -> None:
    event = evening_league(cast, excused="fixed", excused_points=4)
    pairs(event, [people[name] for name in "ABCD"])
    table(event, [people[name] for name in "ABCD"], on=FIRST)
    begin_at_eight(event)
    says_absent(event, people["A"], FIRST, before=timedelta(hours=1))
    members = {
        entrant.code: {member.player.name for member in entrant.members.all()}
        for entrant in Entrant.objects.filter(event=event)
    }
    excused = list_excused(event)[str(FIRST)]
    assert excused == {code for code, names in members.items() if names == {"A", "B"}}
    says_absent(event, people["D"], FIRST, before=timedelta(hours=1))
    assert list_excused(event)[str(FIRST)] == set(members)


def test_an_excuse_ranks_no_evening_again(
    cast: Cast, people: Mapping[str, Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    event = excused_league(cast, people)
    publish_now(event)
    ranked: list[str] = []
    placed = EveningRanker.placed

    def note(ranker: EveningRanker, day: str, *rest: Any) -> Any:
        ranked.append(day)
        return placed(ranker, day, *rest)

    monkeypatch.setattr(EveningRanker, "placed", note)
    excuse_player(
        by_tests(), evening(event, THIRD), player=people["A"], excused=False, reason="Came late."
    )
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    assert points_of(publication.document)["A"] == 11
    assert ranked == []
    row = StoredHistory.objects.get(event=event, kind="evening_places")
    assert "excused" not in json.loads(bytes(row.body))[str(THIRD)]


def test_the_check_of_an_event_finds_nothing(cast: Cast, people: Mapping[str, Player]) -> None:
    event = excused_league(cast, people, "mean")
    publish_now(event)
    state = verify_publication(event, repair=False, now=NOW)
    assert state == PublicationState.SAME


def test_the_mean_of_earlier_tables_is_that_of_their_evenings(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = evening_league(cast, evening_points=LIST, excused="mean")
    play(event, people, [*SHEETS, (4, 1, THIRD + timedelta(weeks=1), "ABCD", IN_ORDER)])
    begin_at_eight(event)
    says_absent(event, people["A"], THIRD, before=timedelta(hours=1))
    document = publish_now(event).document
    # 9 and 1.5 make 5.25; with the 10 of the fourth evening it is 20.5 / 3.
    assert points_of(stored(event, "as_of", "3"))["A"] == "63/4"
    assert points_of(document)["A"] == "82/3"


def test_an_erased_player_keeps_the_points_of_excused_evenings(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people)
    before = {
        row["player_id"]: row["evening_points"] for row in publish_now(event).document["rows"]
    }
    # An answer for an evening that is still to come goes.
    day = THIRD + timedelta(weeks=1)
    Meeting.objects.create(club=event.club, event=event, date=day, time=EIGHT)
    says_absent(event, people["A"], day, before=timedelta(hours=1))
    ada = people["A"]
    erase_player(cast.operation("olga"), ada, confirmed=ada.player_id, reason="Asked by letter.")
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    rows = publication.document["rows"]
    assert {row["player_id"]: row["evening_points"] for row in rows} == before
    assert [row.meeting.date for row in Attendance.objects.filter(player=ada)] == [THIRD]
    assert list_excused_of(event, evening(event, THIRD))[0].name != "A"


def test_a_preview_of_settings_counts_excused_evenings(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people, "nothing")
    wanted = read_settings({**event.settings, "excused": "lowest"})
    draft = standings_under(event, wanted)
    values = {row.sums.code: str(row.value) for row in draft.placed}
    assert values[people["A"].player_id] == "23/2"


def test_a_season_counts_excused_evenings_by_its_own_rule(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people, "nothing")
    Entrant.objects.filter(event=event).update(guest=False)
    autumn = autumn_season(cast.riverside, preset="evenings")
    assign_event(event, autumn)
    values = as_stored(preset_settings("evenings"))
    values |= {"tie_breaks": ["wins"], "excused": "fixed", "excused_points": 7}
    Season.objects.filter(pk=autumn.pk).update(settings=values)
    publish(event.pk, now=NOW)
    publication = publish_season(autumn.pk, now=NOW)
    assert publication is not None
    # 7.5 and 1.5 of her evenings, and 7.
    assert points_of(publication.document)["A"] == 16


def test_the_page_of_an_evening_names_who_is_excused(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people, "mean")
    publish_now(event)
    path = f"/clubs/riverside/events/{event.slug}/meetings/{THIRD}"
    text = " ".join(cast.client().get(path).content.decode().split())
    assert '<h2 id="excused">Excused</h2>' in text
    assert "so they change with each evening played" in text
    rest = cast.client().get(
        f"/api/v1/clubs/riverside/events/{event.slug}/meetings/{THIRD}/excused"
    )
    assert rest.json()["results"] == [
        {"player_id": people["A"].player_id, "player": "A", "points": "11/2"}
    ]
    other = cast.client().get(f"/clubs/riverside/events/{event.slug}/meetings/{FIRST}")
    assert 'id="excused"' not in other.content.decode()


def test_the_points_of_those_excused_have_the_decimals_of_the_table(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = excused_league(cast, people, "fixed", excused_points=2)
    publish_now(event)
    excused = list_excused_of(event, evening(event, THIRD))
    # Ties of that evening have halves.
    assert [(entrant.points, entrant.shown_points) for entrant in excused] == [(2, "2.0")]


@pytest.mark.parametrize(
    ("carry", "excused", "unexcused"),
    [("all", 12, "21/2"), ("half", "27/4", "21/2"), ("none", "3/2", "21/2")],
)
def test_an_excused_evening_of_a_stage_counts_in_full_and_carries_over_what_the_stage_does(
    cast: Cast, people: Mapping[str, Player], carry: str, excused: object, unexcused: object
) -> None:
    event = evening_league(cast, evening_points=LIST, tie_breaks=(), excused="lowest")
    play(event, people)
    begin_at_eight(event)
    stage = event.stages.create(club=event.club, number=2, kind="open", carry=carry)
    Round.objects.filter(event=event, number=3).update(stage=stage)
    # Ada has 9 and 1.5 of the stage before. Until she has a result of this one they count whole.
    assert points_of(publish_now(event).document)["A"] == unexcused
    says_absent(event, people["A"], THIRD, before=timedelta(hours=1))
    document = publish_now(event).document
    # The lowest points of evening 3 are 1.5, whatever the evenings before it count.
    assert points_of(document)["A"] == excused
    del document["publication"]
    assert stored(event, "as_of", "3") == document
    assert verify_publication(event, repair=False, now=NOW) == PublicationState.SAME
