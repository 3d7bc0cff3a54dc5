"""Who gets the place of a table where a substitute took over: both, the regular, or by hands."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, league, pairs, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.module_scope import made_once
from tournaments.domain.event_settings import settings_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import StoredHistory
from tournaments.services.events.change_event import change_settings
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.plan_player_changes import PlayerChange
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import standings_under
from tournaments.services.publishing.shared_tables import with_table_owners
from tournaments.services.verification.event import recount_now, verify_event

pytestmark = pytest.mark.both_databases

LIST = {"4": [5, 3, 2, 1]}


def make_people(cast: Cast) -> list[Player]:
    return players(cast.riverside, "Anna", "Bob", "Cleo", "Dirk", "Sid", "Tess")


people_once, people = made_once("people", make_people)


def make_event(cast: Cast, people: list[Player]) -> Event:
    return league(cast.riverside, settings={"primary": "placement_points", "placement": LIST})


event_once, event = made_once("event", make_event)


def make_game(event: Event, people: list[Player]) -> Game:
    """After three hands Anna and Cleo share the first place, then come Dirk and Bob.

    Sid plays for Anna from the second hand on.
    """
    game = table(event, people[:4])
    hand(game, 1, [2, 6, 3, 2], queen=3)
    hand(game, 2, [5, 3, 4, 1], queen=1)
    hand(game, 3, [4, 2, 4, 3], queen=1)
    substitute(game, people[4], from_hand=2)
    return game


game_once, game = made_once("game", make_game)


def substitute(game: Game, player: Player, *, from_hand: int, seat: int = 1) -> None:
    change = PlayerChange(
        "substitute", seat, player.player_id, from_hand=from_hand, split_sides=True
    )
    change_players(by_tests(), game, change=change, reason="Anna had to leave.")


def set_owners(event: Event, owners: str, **values: object) -> None:
    wanted = {"substitutes": owners, **values}
    change_settings(by_tests(), event, values=wanted, reason="As the rule sheet says.")
    recount_now(event.pk, now=NOW)
    event.refresh_from_db()


def points(event: Event) -> Mapping[str, str]:
    """The value of each ranked player, as published."""
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    primary = publication.document["scheme"]["primary"]
    return {row["player"]: row["values"][primary] for row in publication.document["rows"]}


def is_same_when_counted_again(event: Event) -> bool:
    verification = verify_event(event, repair=False, now=NOW, report=lambda words: None)
    return verification.found.differences == []


@pytest.mark.parametrize(
    ("owners", "anna", "sid"),
    [("all", "4", "4"), ("regular", "4", None), ("by_hands", "4/3", "8/3")],
)
def test_place_points_of_a_shared_table_go_to_the_players_of_the_setting(
    event: Event, game: Game, owners: str, anna: str, sid: str | None
) -> None:
    set_owners(event, owners)
    shared = points(event)
    assert (shared["Anna"], shared.get("Sid")) == (anna, sid)
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    scheme_says = publication.document["scheme"].get("substitutes", "all")
    assert scheme_says == owners
    assert (shared["Bob"], shared["Cleo"], shared["Dirk"]) == ("1", "4", "2")
    assert is_same_when_counted_again(event)


def test_substitute_who_plays_for_the_substitute_plays_for_the_regular(
    event: Event, game: Game, people: list[Player]
) -> None:
    substitute(game, people[5], from_hand=3)
    set_owners(event, "regular")
    assert points(event).keys() == {"Anna", "Bob", "Cleo", "Dirk"}
    set_owners(event, "by_hands")
    shared = points(event)
    assert (shared["Anna"], shared["Sid"], shared["Tess"]) == ("4/3", "4/3", "4/3")


def test_regular_who_comes_back_has_the_table_alone(
    event: Event, game: Game, people: list[Player]
) -> None:
    substitute(game, people[0], from_hand=3)
    set_owners(event, "regular")
    assert points(event)["Anna"] == "4"
    assert "Sid" not in points(event)
    set_owners(event, "by_hands")
    shared = points(event)
    assert (shared["Anna"], shared["Sid"]) == ("8/3", "4/3")


def test_who_plays_the_whole_game_for_somebody_has_its_place(
    cast: Cast, people: list[Player]
) -> None:
    settings = {"primary": "placement_points", "placement": LIST, "substitutes": "regular"}
    event = league(cast.riverside, slug="whole", settings=settings)
    game = table(event, people[:4])
    substitute(game, people[4], from_hand=1)
    hand(game, 1, [2, 6, 3, 2], queen=3)
    assert points(event) == {"Sid": "5", "Cleo": "3", "Bob": "2", "Dirk": "1"}


def test_place_is_the_substitutes_when_no_hand_of_the_regular_counts(
    event: Event, game: Game
) -> None:
    set_owners(event, "regular")
    void_hand(by_tests(), game, number=1, based_on=1, reason="Misdeal.")
    assert points(event)["Sid"] == "2"
    assert "Anna" not in points(event)


def test_sheet_with_totals_is_the_regulars(cast: Cast, people: list[Player]) -> None:
    settings = {"primary": "placement_points", "placement": LIST, "substitutes": "regular"}
    event = league(cast.riverside, slug="totals", settings=settings)
    game = table(event, people[:4])
    substitute(game, people[4], from_hand=3)
    entry = {"points": [20, 30, 35, 45]}
    record_totals(by_tests(), game, entry=entry, hands=5, source="host", based_on=None)
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    anna = publication.document["rows"][0]
    assert (anna["player"], anna["points"], anna["hands"]) == ("Anna", 20, 5)
    assert "Sid" not in points(event)


def test_card_points_stay_each_players_own(event: Event, game: Game) -> None:
    set_owners(event, "regular", primary="raw_per_hand")
    shared = points(event)
    assert (shared["Anna"], shared["Sid"]) == ("2", "9/2")


def test_tables_won_are_shared_by_hands(event: Event, game: Game) -> None:
    set_owners(event, "by_hands", primary="wins")
    shared = points(event)
    assert (shared["Anna"], shared["Sid"], shared["Cleo"]) == ("1/6", "1/3", "1/2")


def test_beaten_share_is_not_shared_by_hands(event: Event, game: Game) -> None:
    with pytest.raises(Refused) as refused:
        set_owners(event, "by_hands", primary="beaten_mean")
    assert refused.value.problems[0].at == ("settings", "substitutes")
    set_owners(event, "regular", primary="beaten_mean")
    assert points(event)["Anna"] == "5/6"


def test_parts_are_exact_in_evenings_history_and_dropped_games(
    event: Event, game: Game, people: list[Player]
) -> None:
    set_owners(event, "by_hands")
    hand(table(event, people[:4], round_number=2), 1, [6, 2, 3, 2], queen=3)
    assert points(event)["Anna"] == str(Fraction(4, 3) + 2)
    make_all(event.pk)
    evening = StoredHistory.objects.get(event=event, kind="evening")
    assert '"placement_points":"10/3"' in bytes(evening.body).decode()
    set_owners(event, "by_hands", best_of={"unit": "game", "min": 1, "per": 1})
    assert points(event)["Anna"] == "2", "4/3 is the worse of the two games"


@pytest.mark.parametrize("before", ["all", "regular", "by_hands"])
def test_preview_of_settings_is_what_counting_again_gives(
    event: Event, game: Game, before: str
) -> None:
    set_owners(event, before)
    for owners in ("all", "regular", "by_hands"):
        table_then = standings_under(event, replace(settings_of(event), substitutes=owners))
        expected = {
            table_then.inputs.names[row.sums.code].name: str(row.value) for row in table_then.placed
        }
        set_owners(event, owners)
        assert points(event) == expected
        set_owners(event, before)


def test_preview_reads_many_shared_tables_with_as_many_queries_as_one(
    event: Event, game: Game, people: list[Player]
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            with_table_owners(event, (), replace(settings_of(event), substitutes="regular"))
        return len(captured)

    n_queries = queries()
    for number in (2, 3):
        more = table(event, people[:4], round_number=number)
        hand(more, 1, [2, 6, 3, 2], queen=3)
        hand(more, 2, [5, 3, 4, 1], queen=1)
        substitute(more, people[4], from_hand=2)
    assert queries() == n_queries == 5


@pytest.mark.parametrize("owners", ["regular", "by_hands"])
def test_pairs_have_their_table_whoever_substitutes(
    cast: Cast, people: list[Player], owners: str
) -> None:
    settings = {"primary": "wins", "substitutes": owners}
    variant = "partnership-hearts-pooled"
    event = league(cast.riverside, slug="pairs", variant=variant, settings=settings)
    anna, bob, cleo, dirk, sid, _tess = people
    pairs(event, [anna, cleo, bob, dirk])
    game = table(event, [anna, bob, cleo, dirk])
    hand(game, 1, [2, 6, 3, 2], queen=3)
    substitute(game, sid, from_hand=2)
    hand(game, 2, [2, 6, 3, 2], queen=3)
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    rows = {row["player"]: row for row in publication.document["rows"]}
    assert {name: (row["hands"], row["values"]["wins"]) for name, row in rows.items()} == {
        "Anna & Cleo": (2, "1"), "Bob & Dirk": (2, "0"),
    }  # fmt: skip
