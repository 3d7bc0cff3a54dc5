"""Penalties and bonuses, numbered and withdrawn; how a hand is played makes no other game."""

from datetime import timedelta
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.models.rules import HouseVersion
from tournaments.models.standings import Change, LedgerLine
from tournaments.selectors.events.entrants import get_line
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.events.adjustments import add_line, withdraw_line
from tournaments.services.events.change_event import change_settings, use_house_version
from tournaments.services.events.events import create_event, move_event
from tournaments.services.operations import Operation
from tournaments.services.rules.house_rules import add_version, chosen_rules, make_house_rules

LATER = NOW + timedelta(days=3)
PLAYED = {"passing": {"4": ["left", "scatter"]}, "queen_breaks": True}
NAMES = ("Ada", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hal")


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B."))
    hand(game, 1, [4, 1, 2, 6], 3)
    return event


def added(cast: Cast, event: Event, amount: str = "2", **other: str) -> LedgerLine:
    typed: dict[str, Any] = {"entrant": "RL02", "kind": "penalty", "reason": "Late by an hour."}
    return add_line(cast.operation("dirk", LATER), event, amount=amount, **(typed | other))


def refused(cast: Cast, event: Event, amount: str = "2", **other: str) -> list[tuple[str, object]]:
    before = (event_version(event), AuditLine.objects.count())
    with pytest.raises(Refused) as told:
        added(cast, event, amount, **other)
    assert not LedgerLine.objects.exists()
    assert not Change.objects.exists()
    assert (event_version(event), AuditLine.objects.count()) == before
    return [(problem.code, problem.at) for problem in told.value.problems]


@pytest.mark.parametrize(
    ("typed", "units"),
    [
        ("2", 720720),
        (" 2.5 ", 900900),
        ("2,5", 900900),
        ("5/2", 900900),
        ("0.1", 36036),
        ("1/15", 24024),
        ("1000000", 360360000000),
    ],
)
def test_amount_is_kept_exactly(cast: Cast, event: Event, typed: str, units: int) -> None:
    line = added(cast, event, typed)
    assert LedgerLine.objects.get().amount == line.amount == units


@pytest.mark.parametrize(
    ("typed", "code", "facts"),
    [
        ("", "bad_amount", {"found": ""}),
        ("0", "bad_amount", {"found": "0"}),
        ("0/3", "bad_amount", {"found": "0/3"}),
        ("1/0", "bad_amount", {"found": "1/0"}),
        ("-2", "bad_amount", {"found": "-2"}),
        ("two", "bad_amount", {"found": "two"}),
        ("1e3", "bad_amount", {"found": "1e3"}),
        ("nan", "bad_amount", {"found": "nan"}),
        ("1.2.3", "bad_amount", {"found": "1.2.3"}),
        ("٢", "bad_amount", {"found": "٢"}),
        ("9" * 400, "bad_amount", {"found": "9" * 39 + "…"}),
        ("1000001", "amount_too_large", {"found": "1000001", "expected": 1000000}),
        ("0.33", "amount_not_exact", {"found": "0.33", "nearest": "3/10, 1/3"}),
        ("1/16", "amount_not_exact", {"found": "1/16", "nearest": "1/15, 1/10"}),
        ("0.01", "amount_not_exact", {"found": "0.01", "nearest": "1/15"}),
    ],
)
def test_amount_that_cannot_be_is_refused_with_what_can(
    cast: Cast, event: Event, typed: str, code: str, facts: dict[str, object]
) -> None:
    with pytest.raises(Refused) as told:
        added(cast, event, typed)
    (problem,) = told.value.problems
    assert (problem.code, problem.at, dict(problem.facts)) == (code, ("amount",), facts)
    assert not LedgerLine.objects.exists()


def test_everything_wrong_with_a_line_is_said_at_once(cast: Cast, event: Event) -> None:
    assert refused(cast, event, "x", entrant="RL99", kind="gift", reason="  ") == [
        ("unknown_entrant", ("entrant",)),
        ("bad_ledger_kind", ("kind",)),
        ("bad_amount", ("amount",)),
        ("reason_required", ("reason",)),
    ]


def test_lines_are_numbered_through_their_event_without_a_gap(cast: Cast, event: Event) -> None:
    other = league(cast.riverside, slug="cup")
    table(other, list(cast.riverside.players.order_by("player_id")))
    assert [added(cast, event).number, added(cast, event, kind="bonus").number] == [1, 2]
    with pytest.raises(Refused):
        added(cast, event, "x")
    assert (added(cast, event).number, added(cast, other).number) == (3, 1)


def test_line_stands_in_the_change_log_and_in_the_record(cast: Cast, event: Event) -> None:
    before = event_version(event)
    added(cast, event, "2,5")
    change = Change.objects.get()
    assert (change.kind, change.version, change.at, change.by, change.reason) == (
        *("penalty", before + 1, LATER),
        *("director", "Late by an hour."),
    )
    assert change.facts == {"line": 1, "entrant": "RL02", "amount": "5/2"}
    audited = AuditLine.objects.order_by("number").last()
    assert audited is not None
    assert (audited.act, audited.subject) == ("add_penalty", "event:league/ledger:1")
    assert audited.facts == {**change.facts, "reason": "Late by an hour."}


def test_line_is_withdrawn_once_and_keeps_its_amount(cast: Cast, event: Event) -> None:
    added(cast, event, "5/2")
    before = event_version(event)
    dirk = cast.actor("dirk")
    with pytest.raises(Refused, match="reason_required"):
        withdraw_line(Operation(dirk, LATER), get_line(event, 1), reason=" ")
    assert event_version(event) == before
    withdraw_line(Operation(dirk, LATER), get_line(event, 1), reason="The bus was late.")
    line = LedgerLine.objects.get()
    assert (line.amount, line.withdrawn_at, line.withdrawn_reason, line.withdrawn_as) == (
        *(900900, LATER),
        *("The bus was late.", "director"),
    )
    assert event_version(event) == before + 1
    assert [change.kind for change in Change.objects.order_by("pk")] == [
        "penalty",
        "withdrawn_line",
    ]
    with pytest.raises(Conflict, match="line_is_withdrawn"):
        withdraw_line(Operation(dirk, LATER), get_line(event, 1), reason="Again.")
    assert event_version(event) == before + 1


@pytest.fixture
def raw(cast: Cast) -> Event:
    """A league of American Hearts that ranks by raw points."""
    players(cast.riverside, *NAMES)
    event = create_event(
        by_tests(), cast.riverside, slug="league", name="League", variant="hearts",
        settings={"length": "open", "primary": "raw_per_hand"},
    )  # fmt: skip
    return move_event(by_tests(), event, to="open")


def four(event: Event, first: int = 0) -> list[Any]:
    return [*event.club.players.order_by("player_id")[first : first + 4]]


def club_rules(event: Event, **options: object) -> HouseVersion:
    return make_house_rules(
        by_tests(), event.club, name="Club rules", chosen=chosen_rules("hearts", PLAYED | options)
    )


def test_table_with_another_passing_cycle_compares_with_the_others(raw: Event) -> None:
    table(raw, four(raw), variant="hearts", options=PLAYED)
    table(raw, four(raw, 4), table_number=2)
    assert Game.objects.count() == 2
    with pytest.raises(Refused, match=r"^games_not_mixed$"):
        table(raw, four(raw), round_number=2, variant="hearts", options=PLAYED | {"target": 50})


def test_house_rules_that_differ_only_in_the_play_are_the_same_game(raw: Event) -> None:
    first = club_rules(raw)
    table(raw, four(raw))
    table(raw, four(raw, 4), table_number=2, variant="club-rules")
    event = use_house_version(by_tests(), raw, version=first)
    scored = add_version(by_tests(), first.variant, chosen=chosen_rules(first, {"target": 50}))
    with pytest.raises(Refused, match=r"^games_not_mixed$"):
        use_house_version(by_tests(), event, version=scored)


def test_tables_that_differ_only_in_the_play_may_rank_by_raw_points(raw: Event) -> None:
    change_settings(by_tests(), raw, values={"primary": "wins"})
    table(raw, four(raw), variant="hearts", options=PLAYED)
    table(raw, four(raw, 4), table_number=2)
    change_settings(by_tests(), raw, values={"primary": "raw_per_hand"})
    raw.refresh_from_db()
    assert raw.settings["primary"] == "raw_per_hand"
    assert Round.objects.count() == 1


def test_reason_has_a_length_and_the_line_must_be_there(cast: Cast, event: Event) -> None:
    assert refused(cast, event, reason="x" * 501) == [("bad_text", ("reason",))]
    line, op = added(cast, event), cast.operation("dirk", LATER)
    with pytest.raises(Refused, match="bad_text"):
        withdraw_line(op, line, reason="x" * 501)
    LedgerLine.objects.all().delete()
    with pytest.raises(Missing, match="line"):
        withdraw_line(op, line, reason="The bus was late.")
