"""Numbers beyond what is stored are refused with a code, and totals of the others are exact."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from django.core.management import call_command

from scoring.errors import Refused
from scoring.rules.rules import Rules
from tests.support.answers import send_json
from tests.support.builders import league, table
from tests.support.cast import NOW, Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.rest.requests import refusal
from tournaments.models.columns import UNIT
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.standings import Aggregate
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.hands.record_entry import record_entry, record_totals
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db
AT = "/api/v1/clubs/riverside/events/league"
TOO_LARGE = (10**9 + 1, 10**12, 10**13, 10**14, 10**18, 10**30)
cast_once, cast = cast_with(*FOUR)


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"primary": "raw_total"})


def seated(cast: Cast, event: Event, number: int = 1) -> Game:
    return table(event, list(cast.riverside.players.order_by("player_id")), round_number=number)


def enter_totals(cast: Cast, game: Game, first: object) -> None:
    record_totals(
        cast.operation("hanna"), game, entry={"points": [first, 1, 2, 3]}, hands=5, source="host"
    )


@pytest.mark.parametrize(
    "points", [*TOO_LARGE, *(-size for size in TOO_LARGE), "1/17", "9" * 20 + "/7", "9" * 12 + "/7"]
)
def test_totals_that_no_column_holds_are_refused(cast: Cast, event: Event, points: object) -> None:
    with pytest.raises(Refused, match=r"^bad_count$"):
        enter_totals(cast, seated(cast, event), points)
    assert not Hand.objects.exists()


def test_largest_totals_of_an_earlier_release_add_up_exactly(cast: Cast, event: Event) -> None:
    for number in range(1, 31):
        enter_totals(cast, seated(cast, event, number), 124)
    # No input takes such a number any more: the rows are written as an earlier release left them.
    Entry.objects.update(typed={"points": [10**11, 1, 2, 3]})
    call_command("replay", "--club", "riverside")
    assert Aggregate.objects.get(entrant__code="RL01").points == 30 * 10**11 * UNIT
    publish(event.pk, now=NOW)
    call_command("replay", "--check", "--club", "riverside")


@pytest.mark.parametrize("size", [10**9, 10**13, 10**18, 10**30])
@pytest.mark.parametrize(
    ("key", "value"), [("start_totals", lambda n: n), ("placement", lambda n: {"4": [n, 1, 1, 0]})]
)
def test_settings_that_no_column_holds_are_refused(
    cast: Cast, event: Event, key: str, value: Callable[[int], object], size: int
) -> None:
    dirk, at, body = cast.client("dirk"), f"{AT}/settings", {"settings": {key: value(size)}}
    response = send_json(dirk, "PATCH", at, body, If_Match=dirk.get(at)["ETag"])
    assert refusal(response) == (422, ["bad_setting"])


@pytest.mark.parametrize("value", ["1/17", 10**11])
def test_rules_of_earlier_releases_are_still_read(cast: Cast, event: Event, value: object) -> None:
    game = seated(cast, event)
    rules = rules_of(game.snapshot).as_json()
    # A house rule of an earlier release; only who meets it finds that it has no total.
    rules["finish"] = [{**rules["finish"][0], "value": value}]
    with pytest.raises(Refused):
        Rules.from_json(rules)
    # Rules are kept in the process by their hash, so each version needs one of its own.
    content_hash = sha256(str(value).encode()).hexdigest()
    Snapshot.objects.filter(pk=game.snapshot_id).update(rules=rules, content_hash=content_hash)
    record_entry(
        cast.operation("hanna"),
        Game.objects.get(pk=game.pk),
        number=1,
        entry={"hearts": [4, 1, 2, 6], "taken": [["QS"], [], [], []]},
        source="host",
    )
    assert Aggregate.objects.get(entrant__code="RL01").points == 17 * UNIT
