"""The table of an evening: its games alone, ranked as the event ranks, made by the history job."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final, TypeAlias

import pytest
from django.db.models import F

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.domain.standings.counting_release import COUNTING
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, history_scope
from tournaments.models.standings import Publication, StoredHistory
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.standings.evenings import evening_table
from tournaments.services.events.adjustments import withdraw_line
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.ladders.members import move_entrant
from tournaments.services.publishing.evening_tables import mark_missing_evenings
from tournaments.services.publishing.history import make_piece
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FIRST = date(2025, 11, 6)
SECOND = FIRST + timedelta(weeks=1)
THIRD = FIRST + timedelta(weeks=2)
SCHEME: Mapping[str, object] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ("wins",),
}
Sheet: TypeAlias = tuple[int, int, date, str, Sequence[int], int]
"""Round, table, evening, players, hearts of each, and who has the queen."""
SHEETS: Final[Sequence[Sheet]] = (
    (1, 1, FIRST, "ABCD", [0, 2, 4, 7], 3),
    (1, 2, FIRST, "EFGH", [1, 3, 3, 6], 3),
    (2, 1, SECOND, "ABEF", [5, 4, 3, 1], 0),
    (2, 2, SECOND, "CDGZ", [1, 2, 3, 7], 3),
    (3, 1, THIRD, "BCDZ", [6, 5, 2, 0], 0),
    (3, 2, THIRD, "EFGH", [0, 1, 5, 7], 2),
)


@pytest.fixture
def people(cast: Cast) -> Mapping[str, Player]:
    return dict(zip("ABCDEFGHZ", players(cast.riverside, *"ABCDEFGHZ"), strict=True))


@pytest.fixture
def night(cast: Cast) -> Event:
    return league(cast.riverside, slug="nights", settings=SCHEME)


def play(
    event: Event, people: Mapping[str, Player], sheets: Sequence[Sheet]
) -> dict[tuple[int, int], Game]:
    games = {}
    for number, at, day, seats, hearts, queen in sheets:
        seated = [people[name] for name in seats]
        game = table(event, seated, round_number=number, table_number=at, on=day)
        hand(game, 1, hearts, queen=queen)
        games[number, at] = game
    return games


def publish_now(event: Event) -> Publication:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    make_all(event.pk)
    return publication


def evening(event: Event, day: date) -> Json:
    row = StoredHistory.objects.get(event=event, kind="evening", key=day.isoformat())
    document: Json = json.loads(bytes(row.body))
    return document


def ranked(document: Json) -> list[tuple[int, str, str]]:
    return [
        (row["rank"], row["player"], row["values"][document["scheme"]["primary"]])
        for row in document["rows"]
    ]


def state(event: Event) -> Json:
    row = StoredHistory.objects.get(event=event, kind="evenings")
    document: Json = json.loads(bytes(row.body))
    return document


def days_made_again(event: Event) -> list[str]:
    rows = StoredHistory.objects.filter(event=event, kind="evening", version__gt=0)
    return sorted(rows.values_list("key", flat=True))


def forget_versions(event: Event) -> None:
    StoredHistory.objects.filter(event=event, kind="evening").update(version=0)


def test_evening_of_two_tables_is_ranked_by_its_own_games(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS)
    publish_now(night)
    assert ranked(evening(night, FIRST)) == [
        *((1, "A", "5"), (1, "E", "5"), (3, "B", "3"), (4, "F", "5/2"), (4, "G", "5/2")),
        *((6, "C", "2"), (7, "D", "1"), (7, "H", "1")),
    ]
    assert evening(night, FIRST)["evening"] == {"date": "2025-11-06", "counts": "evening"}
    assert evening(night, FIRST)["as_of"] == {"meeting": "2025-11-06", "round": 1, "hands": 2}
    assert [row["player"] for row in evening(night, SECOND)["rows"]][:2] == ["C", "F"]
    assert state(night)["tables"]["2025-11-06"]["n_first"] == 2


def test_hand_makes_the_table_of_its_evening_and_no_other_of_thirty(
    night: Event, people: Mapping[str, Player]
) -> None:
    for week in range(30):
        day = FIRST + timedelta(weeks=week)
        play(night, people, [(week + 1, 1, day, "ABCD", [0, 2, 4, 7], 3)])
    publish_now(night)
    assert len(days_made_again(night)) == 30
    forget_versions(night)
    game = Game.objects.get(event=night, table__round__number=7)
    hand(game, 2, [1, 2, 3, 7], queen=0)
    publish_now(night)
    assert days_made_again(night) == [(FIRST + timedelta(weeks=6)).isoformat()]


def test_second_table_of_an_evening_and_a_first_evening_are_found(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS[:1])
    publish_now(night)
    forget_versions(night)
    play(night, people, SHEETS[1:2])
    publish_now(night)
    assert days_made_again(night) == ["2025-11-06"]
    assert len(evening(night, FIRST)["rows"]) == 8
    play(night, people, SHEETS[2:3])
    publish_now(night)
    assert [row["player"] for row in evening(night, SECOND)["rows"]] == ["F", "E", "B", "A"]


def test_correction_makes_the_old_evening_again_and_a_voided_one_loses_its_table(
    night: Event, people: Mapping[str, Player]
) -> None:
    games = play(night, people, SHEETS[:4])
    publish_now(night)
    forget_versions(night)
    void_hand(by_tests(NOW), games[1, 1], number=1, based_on=1, reason="Wrong table.")
    publish_now(night)
    assert days_made_again(night) == ["2025-11-06"]
    assert ranked(evening(night, FIRST)) == [
        *((1, "E", "5"), (2, "F", "5/2"), (2, "G", "5/2"), (4, "H", "1")),
    ]
    void_hand(by_tests(NOW), games[1, 2], number=1, based_on=1, reason="Wrong table.")
    publish_now(night)
    assert list(state(night)["tables"]) == ["2025-11-13"]
    assert not StoredHistory.objects.filter(event=night, kind="evening", key="2025-11-06").exists()


def test_voiding_the_second_round_of_an_evening_makes_its_table_again(
    night: Event, people: Mapping[str, Player]
) -> None:
    sheets = [SHEETS[0], (2, 1, FIRST, "ABCD", [0, 2, 4, 7], 0)]
    games = play(night, people, sheets)
    publish_now(night)
    assert evening(night, FIRST)["as_of"] == {"meeting": "2025-11-06", "round": 2, "hands": 2}
    void_hand(by_tests(NOW), games[2, 1], number=1, based_on=1, reason="Wrong table.")
    publish_now(night)
    assert evening(night, FIRST)["as_of"] == {"meeting": "2025-11-06", "round": 1, "hands": 1}


def test_games_that_the_season_drops_or_too_few_of_them_count_in_the_evening(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    more = {"best_of": {"unit": "meeting", "min": 1, "per": 1}, "min_games": 3}
    event = league(cast.riverside, slug="dropping", settings={**SCHEME, **more})
    play(event, people, SHEETS)
    publish_now(event)
    assert ranked(evening(event, FIRST))[:2] == [(1, "A", "5"), (1, "E", "5")]
    assert ranked(evening(event, SECOND))[-1] == (7, "Z", "1")
    assert evening(event, SECOND)["provisional_rows"] == []
    assert evening(event, SECOND)["scheme"]["best_of"] is None


def test_penalty_of_the_season_changes_no_evening(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS[:2])
    publish_now(night)
    before = evening(night, FIRST)
    penalize(night, people["A"].player_id, "1", "Late.")
    publication = publish_now(night)
    assert [row["player"] for row in publication.document["rows"]][:2] == ["E", "A"]
    assert evening(night, FIRST) == before
    assert evening(night, FIRST)["rows"][0]["ledger"] == []


def ledgers(document: Json) -> dict[str, list[Json]]:
    return {row["player"]: row["ledger"] for row in document["rows"] if row["ledger"]}


def test_penalty_of_an_evening_counts_there_and_once_in_the_season(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS)
    publish_now(night)
    forget_versions(night)
    second = evening(night, SECOND)
    penalize(night, people["A"].player_id, "1/2", "Late.", meeting=FIRST)
    publication = publish_now(night)
    assert days_made_again(night) == ["2025-11-06"]
    assert ranked(evening(night, FIRST))[:3] == [(1, "E", "5"), (2, "A", "9/2"), (3, "B", "3")]
    line = {
        "number": 1,
        "kind": "penalty",
        "amount": "-1/2",
        "reason": "Late.",
        "meeting": "2025-11-06",
    }
    assert ledgers(evening(night, FIRST)) == {"A": [line]}
    assert ledgers(publication.document) == {"A": [line]}
    values = {
        row["player"]: row["values"]["placement_points"] for row in publication.document["rows"]
    }
    assert values["A"] == "11/2", "5 and 1 of two evenings, less 1/2"
    assert evening(night, SECOND) == second


def test_penalty_of_one_puts_h_behind_d_with_whom_he_shared_the_place(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS[:2])
    penalize(night, people["H"].player_id, "1", "Late.", meeting=FIRST)
    publish_now(night)
    assert ranked(evening(night, FIRST))[-2:] == [(7, "D", "1"), (8, "H", "0")]


def test_withdrawn_penalty_makes_the_table_of_its_evening_as_it_was(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS)
    publish_now(night)
    before = StoredHistory.objects.get(event=night, kind="evening", key="2025-11-06").digest
    line = penalize(night, people["A"].player_id, "1", "Late.", meeting=FIRST)
    publish_now(night)
    forget_versions(night)
    withdraw_line(by_tests(), line, reason="The bus was late.")
    publish_now(night)
    assert days_made_again(night) == ["2025-11-06"]
    assert StoredHistory.objects.get(event=night, kind="evening", key="2025-11-06").digest == before


def test_bonus_of_one_evening_is_none_of_another(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS)
    penalize(night, people["H"].player_id, "5", "Cake.", kind="bonus", meeting=FIRST)
    penalize(night, people["H"].player_id, "1", "Late.", meeting=THIRD)
    penalize(night, people["Z"].player_id, "1", "Was not there.", meeting=FIRST)
    publish_now(night)
    assert ranked(evening(night, FIRST))[0] == (1, "H", "6")
    assert [line["number"] for line in ledgers(evening(night, THIRD))["H"]] == [2]
    assert list(ledgers(evening(night, FIRST))) == ["H"], "who did not play has no row"


def test_table_as_of_a_day_has_the_penalties_of_its_evening_and_not_of_a_later_one(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = league(cast.riverside, slug="cup", settings=SCHEME)
    Event.objects.filter(pk=event.pk).update(kind="tournament")
    event.stages.update(kind="knockout")
    play(event, people, SHEETS)
    later = NOW + timedelta(weeks=3)
    penalize(event, people["A"].player_id, "1", "Late.", meeting=FIRST, now=later)
    penalize(event, people["B"].player_id, "1", "Late.", meeting=SECOND, now=NOW)
    publish_now(event)
    tables = [
        json.loads(evening_table(event, meeting_on(event, day)).body)
        for day in (FIRST, SECOND, THIRD)
    ]
    assert [sorted(ledgers(table)) for table in tables] == [["A"], ["A", "B"], ["A", "B"]]


def test_lot_is_drawn_for_each_evening_and_says_its_seed(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = league(cast.riverside, slug="lots", settings={**SCHEME, "tie_breaks": ("lot",)})
    days = [FIRST + timedelta(weeks=week) for week in range(8)]
    play(event, people, [(at, 1, day, "ABCD", [3, 3, 3, 4], 3) for at, day in enumerate(days, 1)])
    publish_now(event)
    first = {evening(event, day)["rows"][0]["player"] for day in days}
    assert len(first) > 1
    assert evening(event, FIRST)["scheme"]["seed"] == f"{event.seed}:2025-11-06"


def test_cup_has_the_table_of_the_event_as_of_the_evening(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = league(cast.riverside, slug="cup", settings=SCHEME)
    Event.objects.filter(pk=event.pk).update(kind="tournament")
    event.stages.update(kind="knockout")
    play(event, people, SHEETS[:2])
    publish_now(event)
    assert state(event)["as_of"] == ["2025-11-06"]
    assert state(event)["tables"] == {}
    assert not StoredHistory.objects.filter(event=event, kind="evening").exists()


def test_league_with_a_final_keeps_the_tables_of_its_evenings(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS[:2])
    night.stages.create(
        club=night.club, number=2, kind="swiss", plan="planned", name="Final", carry="none"
    )
    publish_now(night)
    assert (list(state(night)["tables"]), state(night)["as_of"]) == (["2025-11-06"], [])
    Event.objects.filter(pk=night.pk).update(kind="tournament")
    StoredHistory.objects.filter(event=night, kind="evenings").delete()
    publish_now(night)
    assert (list(state(night)["tables"]), state(night)["as_of"]) == ([], ["2025-11-06"])


def test_newest_evening_is_made_first_and_pieces_make_what_one_makes(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS)
    publish(night.pk, now=NOW)
    assert make_piece(night.pk, clock=lambda: NOW, budget=1)
    assert list(state(night)["tables"]) == ["2025-11-20"]
    assert state(night)["left"] == ["2025-11-06", "2025-11-13"]
    while make_piece(night.pk, clock=lambda: NOW, budget=1):
        pass
    in_pieces = {
        row.key: row.digest for row in StoredHistory.objects.filter(event=night, kind="evening")
    }
    StoredHistory.objects.filter(event=night).delete()
    make_all(night.pk)
    at_once = {
        row.key: row.digest for row in StoredHistory.objects.filter(event=night, kind="evening")
    }
    assert in_pieces == at_once
    assert len(at_once) == 3


def test_history_that_an_older_release_made_gets_its_evenings_in_the_next_piece(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS[:2])
    publish_now(night)
    before = evening(night, FIRST)
    StoredHistory.objects.filter(event=night, kind__in=("evening", "evenings")).delete()
    make_all(night.pk)
    assert evening(night, FIRST) == before
    assert set(json.loads(bytes(StoredHistory.objects.get(event=night, kind="todo").body))) == {
        *("turn", "seen", "whole", "todo")
    }


def test_player_who_withdrew_later_is_in_the_evening_without_a_mark(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS[:2])
    publish_now(night)
    who = night.entrants.get(code=people["A"].player_id)
    move_entrant(by_tests(), who, to="withdrawn", reason="Moved away.")
    publication = publish_now(night)
    withdrawn = {row["player"]: row["withdrawn"] for row in publication.document["rows"]}
    assert withdrawn["A"]
    assert not any(row["withdrawn"] for row in evening(night, FIRST)["rows"])


def test_sweep_finds_history_that_is_newer_than_its_evenings_and_no_other(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS[:2])
    publish_now(night)
    scope = Dirty.objects.filter(scope=history_scope(night.pk))
    scope.update(done=F("version"))
    assert mark_missing_evenings(now=NOW) == 0
    StoredHistory.objects.filter(event=night, kind="todo").update(version=F("version") + 1)
    assert mark_missing_evenings(now=NOW) == 1
    assert mark_missing_evenings(now=NOW) == 0, "it is due already"
    scope.update(done=F("version"))
    StoredHistory.objects.filter(event=night, kind__in=("evening", "evenings")).delete()
    assert mark_missing_evenings(now=NOW) == 1


def test_event_that_is_over_gets_its_evenings_and_keeps_its_older_tables(
    night: Event, people: Mapping[str, Player]
) -> None:
    play(night, people, SHEETS[:2])
    publish_now(night)
    Event.objects.filter(pk=night.pk).update(state="final")
    Publication.objects.filter(event=night).update(counting=COUNTING - 1)
    StoredHistory.objects.filter(event=night, kind__in=("evening", "evenings")).delete()
    before = StoredHistory.objects.get(event=night, kind="as_of")
    players(night.club, "Somebody new")
    make_all(night.pk)
    assert StoredHistory.objects.get(event=night, kind="as_of").digest == before.digest
    assert [row["player"] for row in evening(night, FIRST)["rows"]][:2] == ["A", "E"]
