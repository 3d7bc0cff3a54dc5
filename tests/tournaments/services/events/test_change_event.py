"""What is refused of an event or a season: to create, change, copy or delete it."""

from collections.abc import Callable
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import hand, ladder, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.seasons import autumn_season
from tournaments.domain.event_settings import as_stored
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.rules import HouseVersion
from tournaments.models.standings import Aggregate, Contribution
from tournaments.services.events.change_event import (
    archive_event,
    change_event,
    change_settings,
    delete_event,
    unarchive_event,
    use_house_version,
)
from tournaments.services.events.create_event import copy_event
from tournaments.services.events.events import create_event, move_event
from tournaments.services.events.seasons import change_season, make_season
from tournaments.services.jobs.enqueue import mark_recount
from tournaments.services.operations import Operation

pytestmark = pytest.mark.django_db

LONG = "x" * 501
DROPPED = {"drop_worst": 1}


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside)
    hand(table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora")), 1, [4, 1, 2, 6], 3)
    return event


@pytest.fixture
def op(cast: Cast) -> Operation:
    return cast.operation("olga")


def finish_while_counted(op: Operation, event: Event) -> None:
    mark_recount(event=event, now=NOW)
    move_event(op, event, to="final")


OPERATIONS: dict[str, Callable[[Operation, Event], object]] = {
    "delete": delete_event,
    "draft": lambda op, event: move_event(op, event, to="draft"),
    "open": lambda op, event: move_event(op, event, to="open"),
    "close": lambda op, event: move_event(op, event, to="closed"),
    "finish": lambda op, event: move_event(op, event, to="final"),
    "finish while counted": finish_while_counted,
    "use": lambda op, event: use_house_version(op, event, version=HouseVersion(code="hearts")),
    "rename": lambda op, event: change_event(op, event, name="x" * 121),
    "readdress": lambda op, event: change_event(op, event, slug="No slug"),
    "archive": lambda op, event: archive_event(op, event, reason=LONG),
    "archive silently": lambda op, event: archive_event(op, event, reason=" "),
    "unarchive": lambda op, event: unarchive_event(op, event, reason=LONG),
    "unarchive silently": lambda op, event: unarchive_event(op, event, reason=" "),
    "drop": lambda op, event: change_settings(op, event, values=DROPPED, reason=LONG),
    "drop silently": lambda op, event: change_settings(op, event, values=DROPPED),
}


@pytest.mark.parametrize(
    ("state", "operation", "code"),
    [
        ("open", "delete", "event_not_draft"),
        ("draft", "delete", "event_holds_hands"),
        ("open", "draft", "event_has_hands"),
        ("open", "finish", "state_not_allowed"),
        ("closed", "finish while counted", "event_recounted"),
        ("closed", "use", "event_is_over"),
        ("open", "rename", "name_too_long"),
        ("open", "readdress", "bad_slug"),
        ("closed", "open", "reason_required"),
        ("open", "close", "rounds_still_open"),
        ("open", "archive", "bad_text"),
        ("open", "archive silently", "reason_required"),
        ("open", "unarchive", "bad_text"),
        ("open", "unarchive silently", "reason_required"),
        ("open", "drop", "bad_text"),
        ("open", "drop silently", "reason_required"),
        ("final", "drop", "event_is_final"),
    ],
)
def test_event_that_was_played_stays_as_it_is(
    op: Operation, event: Event, state: str, operation: str, code: str
) -> None:
    Event.objects.filter(pk=event.pk).update(state=state)
    with pytest.raises((Refused, Conflict), match=code):
        OPERATIONS[operation](op, event)


@pytest.mark.parametrize(
    ("name", "slug", "code"),
    [
        ("", "", "no_name"),
        ("x" * 121, "", "name_too_long"),
        ("Next", "No slug", "bad_slug"),
        ("Next", "league", "slug_taken"),
    ],
)
def test_copy_needs_a_name_and_an_address_of_its_own(
    op: Operation, event: Event, name: str, slug: str, code: str
) -> None:
    with pytest.raises((Refused, Conflict), match=code):
        copy_event(op, event, name=name, slug=slug)


def test_ladder_and_merged_players_are_not_copied(cast: Cast, op: Operation, event: Event) -> None:
    with pytest.raises(Missing, match="event"):
        copy_event(op, ladder(cast.riverside), name="Next")
    first, second, *_others = Player.objects.order_by("pk")
    Player.objects.filter(pk=first.pk).update(merged_into=second)
    with pytest.raises(Conflict, match="player_is_merged"):
        copy_event(op, event, name="Next")


@pytest.mark.parametrize(
    ("stored", "code"),
    [
        ({"variant": "no-such-game"}, "unknown_variant"),
        ({"options": {"colour": "red"}}, "unknown_option"),
        ({"options": {"moon": "red"}}, "bad_option"),
    ],
)
@pytest.mark.parametrize("operation", ["copy", "open", "use", "create"])
def test_game_that_is_not_offered_any_more_is_not_chosen(
    op: Operation, event: Event, stored: dict[str, Any], code: str, operation: str
) -> None:
    Event.objects.filter(pk=event.pk).update(state="draft", **stored)
    event.refresh_from_db()
    operations: dict[str, Callable[[], object]] = {
        "copy": lambda: copy_event(op, event, name="Next"),
        "open": lambda: move_event(op, event, to="open"),
        "use": lambda: use_house_version(op, event, version=HouseVersion(code=event.variant)),
        "create": lambda: create_event(
            op, event.club, name="Next", variant=event.variant, options=event.options
        ),
    }
    with pytest.raises(Refused, match=code):
        operations[operation]()


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ({"ladder": {"reach": "far"}}, {"bad_ladder_rule"}),
        ({"ladder": {"colour": 1}}, {"unknown_ladder_rule"}),
        ({"playoff_rules": {"min_hands": 0}}, {"bad_playoff_rule"}),
        ({"playoff_rules": {"colour": 1}}, {"unknown_playoff_rule"}),
        ({"primary": "wins", "bye_award": "scheme_mean"}, {"bye_award_not_possible"}),
        ({"primary": "match_points", "drop_worst": 1}, {"no_sides", "matches_not_dropped"}),
        (
            {"primary": "datum", "drop_worst": 1},
            {"no_boards", "boards_not_dropped", "scores_have_no_order"},
        ),
    ],
)
@pytest.mark.parametrize("operation", ["create", "change"])
def test_settings_that_do_not_go_with_the_game_are_refused(
    cast: Cast, op: Operation, values: dict[str, object], codes: set[str], operation: str
) -> None:
    wins = {"primary": "wins", "mixed_raw": False}
    event = league(cast.riverside, variant="complex-hearts", settings=wins)
    operations: dict[str, Callable[[], object]] = {
        "create": lambda: create_event(
            op, cast.riverside, name="Next", variant=event.variant, settings=values
        ),
        "change": lambda: change_settings(op, event, values=values),
    }
    with pytest.raises(Refused) as refused:
        operations[operation]()
    assert {problem.code for problem in refused.value.problems} == codes


BEST_GAMES = {"unit": "game", "min": 5, "per": 1}
BEST_EVENINGS = {"unit": "meeting", "min": 7, "per": 1}


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ({"primary": "evening_points", "best_of": BEST_GAMES}, {"best_of"}),
        ({"primary": "evening_points", "drop_worst": 1}, {"drop_worst"}),
        ({"primary": "evening_points", "best_periods": 2}, {"best_periods"}),
        ({"primary": "evening_points", "period_evenings": 1}, {"period_evenings"}),
        (
            {"primary": "evening_points", "period_evenings": 6, "best_of": BEST_EVENINGS},
            {"best_of"},
        ),
        ({"primary": "evening_points", "evening_ranking": "evening_points"}, {"evening_ranking"}),
        ({"primary": "evening_points", "evening_ranking": "datum"}, {"evening_ranking"}),
        ({"primary": "evening_points", "evening_points": [5, 6]}, {"evening_points"}),
        ({"primary": "wins", "period_evenings": 6}, {"period_evenings"}),
        ({"primary": "wins", "best_periods": 5}, {"best_periods"}),
        ({"primary": "wins", "min_unit": "meeting"}, {"min_unit"}),
    ],
)
def test_settings_of_evenings_that_contradict_are_refused_at_their_fields(
    cast: Cast, op: Operation, values: dict[str, object], fields: set[str]
) -> None:
    event = league(cast.riverside)
    with pytest.raises(Refused) as refused:
        change_settings(op, event, values=values)
    assert {problem.at[1] for problem in refused.value.problems} == fields


def test_a_period_may_count_all_its_evenings_and_no_more(cast: Cast, op: Operation) -> None:
    event = league(cast.riverside)
    values = {"primary": "evening_points", "period_evenings": 7, "best_of": BEST_EVENINGS}
    assert change_settings(op, event, values=values).period_evenings == 7


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ({"mixed_raw": False}, {"raw_over_games", "raw_over_sizes"}),
        ({"primary": "index_per_game"}, {"hands_not_known"}),
        ({"primary": "raw_total"}, {"hands_differ"}),
        ({"primary": "placement_points", "placement": {"3": [5, 3, 1]}}, {"no_placement_list"}),
        ({"tie_breaks": ["moons_shot", "lot"]}, {"moons_not_known", "no_seed"}),
        ({"length": "hands:4"}, {"setting_is_played"}),
    ],
)
def test_settings_that_do_not_go_with_the_sheets_are_refused(
    op: Operation, event: Event, values: dict[str, object], codes: set[str]
) -> None:
    table(event, list(Player.objects.order_by("pk")[:3]), round_number=2, variant="omnibus")
    Hand.objects.update(number=0)
    Aggregate.objects.filter(entrant__code="RL01").update(hands=9, uncounted=1)
    Event.objects.filter(pk=event.pk).update(seed="")
    with pytest.raises(Refused) as refused:
        change_settings(op, event, values=values)
    assert {problem.code for problem in refused.value.problems} == codes


EVENINGS_BY_POINTS: dict[str, object] = {
    "primary": "evening_points",
    "evening_ranking": "raw_total",
    "evening_points": [10, 8, 6, 5],
}


@pytest.mark.parametrize(
    ("stored", "changed"),
    [
        (EVENINGS_BY_POINTS, {"best_of": BEST_EVENINGS}),
        (EVENINGS_BY_POINTS, {"excused": "mean"}),
        (EVENINGS_BY_POINTS, {"mixed_raw": True}),
        ({"primary": "raw_total"}, {"drop_worst": 1}),
        ({"primary": "raw_total"}, {"min_games": 1}),
    ],
)
def test_hands_that_differ_already_forbid_no_other_setting(
    op: Operation, event: Event, stored: dict[str, object], changed: dict[str, object]
) -> None:
    play_unequal_hands(event)
    Event.objects.filter(pk=event.pk).update(settings=stored)
    event.refresh_from_db()
    settings = change_settings(op, event, values=changed, reason="One fewer.")
    assert as_stored(settings).items() >= changed.items()


@pytest.mark.parametrize(
    ("stored", "changed", "at"),
    [
        ({"primary": "wins"}, {"primary": "raw_total"}, "primary"),
        ({"primary": "wins"}, EVENINGS_BY_POINTS, "evening_ranking"),
        (
            EVENINGS_BY_POINTS | {"evening_ranking": "wins"},
            {"evening_ranking": "raw_total"},
            "evening_ranking",
        ),
        ({"primary": "raw_total", "min_games": 2}, {"min_games": 1}, "primary"),
    ],
)
def test_hands_that_differ_refuse_the_change_that_compares_them(
    op: Operation, event: Event, stored: dict[str, object], changed: dict[str, object], at: str
) -> None:
    play_unequal_hands(event)
    Event.objects.filter(pk=event.pk).update(settings=stored)
    event.refresh_from_db()
    with pytest.raises(Refused) as refused:
        change_settings(op, event, values=changed)
    problems = [(problem.code, problem.at[1]) for problem in refused.value.problems]
    assert problems == [("hands_differ", at)]
    assert "Choose “Average a hand”." in refused.value.problems[0].message
    event.refresh_from_db()
    assert event.settings == stored


def play_unequal_hands(event: Event) -> None:
    """Let one of four have had a hand less in the evening."""
    Contribution.objects.filter(event=event, entrant__code="RL01").update(hands=0)
    Aggregate.objects.filter(event=event, entrant__code="RL01").update(hands=0)


@pytest.mark.parametrize(
    ("variant", "code"),
    [
        ("hearts", "hands_not_known"),
        ("complex-hearts", "scores_have_no_order"),
        ("gong-zhu", "season_goes_both_ways"),
    ],
)
@pytest.mark.parametrize("operation", ["create", "change", "season"])
def test_season_cannot_rank_sheets_that_lack_its_value(
    op: Operation, event: Event, variant: str, code: str, operation: str
) -> None:
    season = autumn_season(event.club, preset="sheets")
    league(event.club, slug="other", variant=variant, settings={"primary": "wins"})
    Event.objects.update(season=season)
    Aggregate.objects.update(uncounted=int(variant == "hearts"))
    operations: dict[str, Callable[[], object]] = {
        "create": lambda: create_event(
            op, event.club, name="Next", variant="hearts", season=season
        ),
        "change": lambda: change_event(op, event, slug="moved"),
        "season": lambda: change_season(op, season, name="Winter"),
    }
    with pytest.raises(Refused, match=code):
        operations[operation]()


@pytest.mark.parametrize(
    ("typed", "codes"),
    [
        ({"name": "x" * 121, "slug": "No slug"}, {"name_too_long", "bad_slug"}),
        ({"name": "木曜", "preset": "totals"}, {"no_slug", "bad_setting"}),
        ({"ends_on": "2025-08-31"}, {"ends_before_it_starts"}),
    ],
)
def test_season_needs_a_name_an_address_and_days_in_order(
    cast: Cast, op: Operation, typed: dict[str, str], codes: set[str]
) -> None:
    days = {"starts_on": "2025-09-01", "ends_on": "2025-12-31"}
    with pytest.raises(Refused) as refused:
        make_season(op, cast.riverside, **{"name": "Autumn", **days, **typed})
    assert {problem.code for problem in refused.value.problems} == codes


def test_season_and_event_need_a_short_name_and_an_address(cast: Cast, op: Operation) -> None:
    with pytest.raises(Refused, match="name_too_long"):
        change_season(op, autumn_season(cast.riverside), name="x" * 121)
    with pytest.raises(Refused, match="no_slug"):
        create_event(op, cast.riverside, name="木曜", variant="hearts", kind="")
