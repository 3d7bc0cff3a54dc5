"""Evenings won break ties of a league that is ranked by its games, counted by hand."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

import pytest

from tests.support.answers import Json
from tests.support.builders import league, penalize, players
from tests.support.cast import NOW, Cast
from tests.support.seasons import assign_event, autumn_season
from tests.tournaments.services.publishing.evenings.test_evening_points import (
    FIRST,
    IN_ORDER,
    SHEETS,
    Sheet,
    play,
    publish_now,
    stored,
)
from tournaments.domain.event_settings import as_stored, preset_settings, settings_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Season, Stage
from tournaments.selectors.events.settings_checks import current_facts, unusable_criteria
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season, standings_under
from tournaments.services.verification.event import verify_publication
from tournaments.services.verification.games import PublicationState

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SCHEME: Final[Mapping[str, object]] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ["evenings"],
}
LATER: Final = [FIRST + timedelta(weeks=number) for number in (3, 4, 5)]
FULL_SEASON: Final[Sequence[Sheet]] = (
    *SHEETS,
    (4, 1, LATER[0], "BAGH", IN_ORDER),
    (5, 1, LATER[1], "DCZH", IN_ORDER),
    (6, 1, LATER[2], "DCHZ", IN_ORDER),
)
"""Ada has 5, 1 and 3 place points, Zoë 1, 5, 2 and 1. Each shared the first place of an evening,
and Ada was second alone in evening 4."""


@pytest.fixture
def people(cast: Cast) -> Mapping[str, Player]:
    return dict(zip("ABCDEFGHZ", players(cast.riverside, *"ABCDEFGHZ"), strict=True))


def plain_league(cast: Cast, **settings: object) -> Event:
    return league(cast.riverside, slug="friendly", settings={**SCHEME, **settings})


def row_of(document: Json, player: str) -> Json:
    rows: list[Json] = [row for row in document["rows"] if row["player"] == player]
    return rows[0]


def test_evenings_won_and_then_second_places_order_those_who_tie(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = plain_league(cast)
    play(event, people, FULL_SEASON)
    document = publish_now(event).document
    ada, zoe = row_of(document, "A"), row_of(document, "Z")
    assert (ada["rank"], ada["placement_points"], ada["values"]["evenings"]) == (6, 9, "1-1")
    assert (zoe["rank"], zoe["placement_points"], zoe["values"]["evenings"]) == (7, 9, "1-0")
    assert zoe["decided_by"] == "evenings"
    assert ada["ahead"].endswith("more second places in evenings, 1 against 0")
    won = {row["player"]: (row["evenings_won"], row["evenings_second"]) for row in document["rows"]}
    # Second alone: Ada in evening 4, Cleo in evenings 5 and 6.
    assert won == {
        "D": (2, 0), "C": (1, 2), "E": (2, 0), "B": (1, 0), "F": (1, 0),
        "A": (1, 1), "Z": (1, 0), "G": (0, 0), "H": (0, 0),
    }  # fmt: skip


def test_an_evening_that_is_left_out_is_not_won(cast: Cast, people: Mapping[str, Player]) -> None:
    best = {"unit": "meeting", "min": 1, "per": 1}
    event = plain_league(cast, best_of=best)
    play(event, people)
    document = publish_now(event).document
    # Edda won evenings 1 and 3 and counts one, as Cleo does the only one that she won.
    assert row_of(document, "E")["rank"] == row_of(document, "C")["rank"]
    assert row_of(document, "E")["evenings_won"] == 2
    event.settings["best_of"] = {**best, "min": 2}
    event.save()
    two = standings_under(event, settings_of(event))
    assert [(row.rank, str(row.value)) for row in two.placed][:1] == [(1, "10")]


@pytest.mark.parametrize(
    "dropping", [{"drop_worst": 1}, {"best_of": {"unit": "game", "min": 1, "per": 2}}]
)
def test_single_games_that_are_left_out_leave_the_evening_its_place(
    cast: Cast, people: Mapping[str, Player], dropping: Mapping[str, object]
) -> None:
    event = plain_league(cast, **dropping)
    play(event, people)
    document = publish_now(event).document
    # Of 5, 3 and 5 Edda's 3 is left out; of 5 and 1 Ada's 1. Both of evening 2.
    edda, ada = row_of(document, "E"), row_of(document, "A")
    assert (edda["placement_points"], edda["dropped"], edda["evenings_won"]) == (10, 1, 2)
    previewed = {
        row.sums.code: dict(row.values) for row in standings_under(event, settings_of(event)).placed
    }
    assert ada["values"] == {key: str(value) for key, value in previewed[ada["player_id"]].items()}


def test_tables_as_of_rounds_the_preview_and_the_check_say_the_same(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = plain_league(cast, best_of={"unit": "meeting", "min": 3, "per": 1})
    play(event, people, FULL_SEASON)
    publication = publish_now(event)
    document = publication.document
    del document["publication"]
    assert stored(event, "as_of", "6") == document
    # As of evening 3 Ada and Zoë have 6 points and an evening each; Ben has 6 and none.
    then = [(row["rank"], row["player"]) for row in stored(event, "as_of", "3")["rows"]]
    assert then[4:7] == [(5, "A"), (5, "Z"), (7, "B")]
    draft = standings_under(event, settings_of(event))
    previewed = [(row.rank, row.sums.code) for row in draft.placed]
    assert previewed == [(row["rank"], row["player_id"]) for row in document["rows"]]
    assert verify_publication(event, repair=False, now=NOW) == PublicationState.SAME


def test_a_penalty_of_an_evening_may_take_it_from_its_winner(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = plain_league(cast)
    play(event, people, FULL_SEASON)
    penalize(event, people["A"].player_id, "1", "Came late.", meeting=FIRST)
    ada = row_of(publish_now(event).document, "A")
    # 5 less 1 is the second place of evening 1, and it counts once in the season.
    assert (ada["placement_points"], ada["evenings_won"], ada["evenings_second"]) == (8, 0, 2)


def test_a_season_counts_the_evenings_won_in_each_of_its_events(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    first = plain_league(cast)
    second = league(cast.riverside, slug="second", settings={**SCHEME, "tie_breaks": []})
    play(first, people, [sheet for sheet in SHEETS if sheet[2] == FIRST])
    play(second, people, [sheet for sheet in SHEETS if sheet[2] != FIRST])
    autumn = autumn_season(cast.riverside)
    for event in (first, second):
        assign_event(event, autumn)
        publish(event.pk, now=NOW)
    values = {**as_stored(preset_settings("places")), **SCHEME}
    Season.objects.filter(pk=autumn.pk).update(settings=values)
    publication = publish_season(autumn.pk, now=NOW)
    assert publication is not None
    rows = publication.document["rows"]
    assert [(row["rank"], row["player"]) for row in rows][4:7] == [(5, "A"), (5, "Z"), (7, "B")]


def test_two_who_came_on_the_same_evening_have_not_met_in_the_season(
    cast: Cast, people: Mapping[str, Player]
) -> None:
    event = plain_league(cast)
    play(event, people)
    autumn = autumn_season(cast.riverside, preset="evenings")
    assign_event(event, autumn)
    values = as_stored(preset_settings("evenings")) | {"tie_breaks": ["h2h"]}
    Season.objects.filter(pk=autumn.pk).update(settings=values)
    publish(event.pk, now=NOW)
    publication = publish_season(autumn.pk, now=NOW)
    assert publication is not None
    # Ada and Zoë tie, were both there on evening 2, and never sat at one table.
    ada, zoe = (row_of(publication.document, player) for player in "AZ")
    assert (ada["rank"], zoe["rank"]) == (7, 7)
    assert "h2h" not in ada["values"]


@pytest.mark.parametrize(("n_stages", "is_usable"), [(1, True), (2, False)])
def test_only_evenings_with_a_table_of_their_own_break_ties(
    cast: Cast, people: Mapping[str, Player], n_stages: int, *, is_usable: bool
) -> None:
    event = plain_league(cast)
    Event.objects.filter(pk=event.pk).update(kind="tournament")
    event = Event.objects.get(pk=event.pk)
    play(event, people)
    for number in range(1, n_stages + 1):
        Stage.objects.get_or_create(
            club=event.club, event=event, number=number, defaults={"kind": "individual"}
        )
    unusable = unusable_criteria(settings_of(event), current_facts(event), seed=event.seed)
    assert ("evenings" not in unusable) == is_usable
    ada = row_of(publish_now(event).document, "A")
    assert ("evenings" in ada["values"]) == is_usable
