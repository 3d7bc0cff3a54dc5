"""History of an event: tables as of a round, places round by round, who met whom."""

import json
from datetime import date, timedelta
from typing import Any

import pytest
import time_machine
from django.db.models import F
from django.utils import timezone

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, history_scope
from tournaments.models.standings import Publication, StoredHistory
from tournaments.selectors.jobs.queue import list_claimable_scopes
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.history import make_piece
from tournaments.services.publishing.publications import publish
from tournaments.tasks import make_history

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HEARTS = ([4, 1, 2, 6], [0, 5, 5, 3], [1, 1, 1, 10], [7, 2, 2, 2])


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(
        cast.riverside,
        *("Elsa D.", "Zoë K.", "Leo K.", "Anton S.", "Marit S.", "Jörg S.", "Cleo S.", "Carla K."),
    )


@pytest.fixture
def games(event: Event, people: list[Player]) -> list[Game]:
    """Four rounds on four Thursdays, two tables each, two hands a table."""
    return season(event, people)


def season(event: Event, people: list[Player], rounds: int = 4, first: int = 1) -> list[Game]:
    made = []
    for number in range(first, rounds + 1):
        turned = people[number:] + people[:number]
        for at in (1, 2):
            seated = turned[4 * (at - 1) : 4 * at]
            on = date(2025, 9, 4) + timedelta(weeks=number)
            game = table(event, seated, round_number=number, table_number=at, on=on)
            hand(game, 1, HEARTS[(number + at) % 4], queen=number % 4)
            hand(game, 2, HEARTS[number % 4], queen=at)
            made.append(game)
    return made


def published(event: Event) -> Publication:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    return publication


def stored(event: Event) -> dict[tuple[str, str], bytes]:
    rows = StoredHistory.objects.filter(event=event).exclude(kind="todo").order_by("kind", "key")
    return {(row.kind, row.key): bytes(row.body) for row in rows}


def told(event: Event, kind: str, key: str = "") -> Json:
    found: Json = json.loads(stored(event)[kind, key])
    return found


def remainder(publication: Publication) -> bytes:
    body = json.loads(bytes(publication.body))
    del body["publication"]
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def from_scratch(event: Event) -> dict[tuple[str, str], bytes]:
    StoredHistory.objects.filter(event=event).delete()
    make_all(event.pk)
    return stored(event)


def test_while_hands_pour_in_it_is_made_every_two_seconds(
    event: Event, games: list[Game], clock: time_machine.Traveller
) -> None:
    scope = history_scope(event.pk)

    def is_due() -> bool:
        return any(one.prefix == "companion:" for one in list_claimable_scopes(timezone.now()))

    publish(event.pk, now=timezone.now())
    while is_due():
        make_history(event.pk)
    hand(games[-1], 3, [1, 2, 4, 6], queen=3)
    publish(event.pk, now=timezone.now())
    assert not is_due()
    assert Dirty.objects.filter(scope=scope, done__lt=F("version")).exists()
    clock.shift(timedelta(seconds=2.1))
    assert is_due()


@pytest.mark.parametrize(
    "settings",
    [
        {"primary": "raw_per_hand", "drop_worst": 1},
        {"primary": "raw_total", "tie_breaks": ("h2h", "wins", "countback", "lot")},
        {"primary": "index_per_game", "tie_breaks": ("sos", "last_game")},
        {
            "primary": "placement_points",
            "best_of": {"unit": "meeting", "min": 2, "per": 1},
            "tie_breaks": ("index", "moons_shot", "moons_against"),
        },
        {
            "primary": "placement_points",
            "best_of": {"unit": "meeting", "min": 2, "per": 1},
            "tie_breaks": ("countback", "moons_against", "moons_shot"),
        },
        {"primary": "wins", "tie_breaks": ("h2h", "index", "lot"), "min_games": 2},
        {"primary": "beaten_mean"},
    ],
    ids=lambda settings: settings["primary"],
)
def test_every_table_as_of_a_round_is_what_was_published_after_it_under_any_scheme(
    cast: Cast, people: list[Player], settings: dict[str, object]
) -> None:
    event = league(cast.riverside, slug="scheme", settings=settings)
    then = {}
    for number in range(1, 5):
        season(event, people, rounds=number, first=number)
        then[str(number)] = remainder(published(event))
        make_all(event.pk)
    assert {key: stored(event)["as_of", key] for key in then} == then
    assert from_scratch(event) == stored(event)
    assert {key: stored(event)["as_of", key] for key in then} == then


def test_correction_makes_tables_from_its_round_on_again(event: Event, games: list[Game]) -> None:
    published(event)
    make_all(event.pk)
    before = stored(event)
    StoredHistory.objects.filter(event=event, kind="as_of").update(version=0)
    hand(games[4], 1, [0, 0, 0, 13], queen=0, based_on=1, reason="Read from the wrong line.")
    published(event)
    make_all(event.pk)
    after = stored(event)
    again = StoredHistory.objects.filter(event=event, kind="as_of", version__gt=0)
    assert sorted(again.values_list("key", flat=True)) == ["3", "4"]
    unchanged = [key for key in "1234" if after["as_of", key] == before["as_of", key]]
    assert unchanged == ["1", "2"]
    assert after == from_scratch(event)


def test_everything_made_after_corrections_and_voids_is_what_a_fresh_look_makes(
    event: Event, games: list[Game]
) -> None:
    published(event)
    make_all(event.pk)
    hand(games[0], 1, [0, 0, 0, 13], queen=0, based_on=1, reason="Read from the wrong line.")
    published(event)
    make_all(event.pk)
    for game in games[-2:]:
        for number in (1, 2):
            void_hand(by_tests(), game, number=number, based_on=1, reason="Test.")
    newest = published(event)
    make_all(event.pk)
    after = stored(event)
    assert ("as_of", "4") not in after
    assert after["as_of", "3"] == remainder(newest)
    assert after == from_scratch(event)


def test_small_pieces_make_the_same_as_one_large_one(event: Event, games: list[Game]) -> None:
    published(event)
    pieces = 1
    while make_piece(event.pk, clock=lambda: NOW, budget=1):
        pieces += 1
    assert pieces == 17, "four of them for evenings"
    assert stored(event) == from_scratch(event)


def test_history_says_the_places_after_each_round(event: Event, games: list[Game]) -> None:
    published(event)
    make_all(event.pk)
    rounds = told(event, "history")["rounds"]
    assert [(round_["round"], round_["meeting"], round_["hands"]) for round_ in rounds] == [
        (1, "2025-09-11", 4),
        (2, "2025-09-18", 8),
        (3, "2025-09-25", 12),
        (4, "2025-10-02", 16),
    ]
    for round_ in rounds:
        rows = told(event, "as_of", str(round_["round"]))["rows"]
        assert round_["places"] == {
            row["player_id"]: f"{row['rank']}{'=' if row['tied'] else ''}" for row in rows
        }


def test_worker_makes_it_after_publications_and_returns(event: Event, games: list[Game]) -> None:
    publication = published(event)
    make_history(event.pk)
    dirty = Dirty.objects.get(scope=history_scope(event.pk))
    assert (dirty.version - dirty.done, dirty.claimed_until) == (1, None)
    make_history(event.pk)
    dirty.refresh_from_db()
    assert (dirty.version - dirty.done, dirty.claimed_until) == (0, None)
    assert stored(event)["as_of", "4"] == remainder(publication)


def test_piece_made_of_older_rows_than_another_one_is_thrown_away(
    event: Event, games: list[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    published(event)
    make_all(event.pk)
    good = stored(event)
    hand(games[0], 1, [0, 0, 0, 13], queen=0, based_on=1, reason="Read from the wrong line.")
    published(event)

    from tournaments.services.publishing import history

    store = history._store

    def after_another(*args: Any) -> bool:
        monkeypatch.setattr(history, "_store", store)
        make_all(event.pk)
        return store(*args)

    monkeypatch.setattr(history, "_store", after_another)
    assert make_piece(event.pk, clock=lambda: NOW)
    assert stored(event) != good
    assert stored(event) == from_scratch(event)


def test_head_to_head_counts_games_and_ties(cast: Cast, event: Event, people: list[Player]) -> None:
    hand(table(event, people[:4], round_number=1), 1, [4, 1, 2, 6], queen=3)
    hand(table(event, people[:4], round_number=2, on=date(2025, 11, 13)), 1, [4, 4, 2, 3], queen=3)
    published(event)
    make_all(event.pk)
    assert told(event, "head_to_head", "RL01")["against"] == [
        {"player_id": "RL02", "games": 2, "ahead": 0, "level": 1, "behind": 1, "share": "1/4",
         "difference": 3},
        {"player_id": "RL03", "games": 2, "ahead": 0, "level": 0, "behind": 2, "share": "0",
         "difference": 4},
        {"player_id": "RL04", "games": 2, "ahead": 2, "level": 0, "behind": 0, "share": "1",
         "difference": -27},
    ]  # fmt: skip


def test_records_name_holders_and_tables(cast: Cast, event: Event, people: list[Player]) -> None:
    first = table(event, people[:4], round_number=1)
    hand(first, 1, [4, 1, 2, 6], queen=3)
    hand(first, 2, [13, 0, 0, 0], queen=0, slam_choice="self")
    hand(table(event, people[:4], round_number=2, on=date(2025, 11, 13)), 1, [4, 4, 2, 3], queen=3)
    published(event)
    make_all(event.pk)
    found = {record["key"]: record for record in told(event, "records")["records"]}
    assert found["moons"]["value"] == 1
    assert found["moons"]["holders"] == [{"player_id": "RL01", "tables": ["r1t1"]}]
    assert found["best_night"]["value"] == -22
    assert found["best_night"]["holders"] == [
        {"player_id": "RL01", "hands": 2, "meeting": "2025-11-06", "round": 1, "tables": ["r1t1"]}
    ]
    assert (found["highest_game"]["value"], found["games"]["value"]) == (19, 2)
    assert len(found["games"]["holders"]) == 4
