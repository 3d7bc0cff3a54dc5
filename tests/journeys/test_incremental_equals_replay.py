"""Invariant 3: whatever happens to an event, in whatever order, its standings are a replay's."""

import itertools
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Model
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from scoring.errors import Refused
from scoring.rules.catalogue import catalogue
from tests.support.answers import Json
from tests.support.builders import bring, counts, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lengths import short_or_long
from tournaments import tasks
from tournaments.domain.event_settings import PLACEMENT
from tournaments.domain.replay_game import replay
from tournaments.domain.seating_runs import SeatRun
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.columns import UNIT
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.jobs import event_scope
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.selectors.events.entrants import get_entrant, get_line
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.selectors.standings.opening_values import get_opening_value
from tournaments.services.events.adjustments import add_line, withdraw_line
from tournaments.services.events.change_event import change_settings
from tournaments.services.events.opening_values import withdraw_opening_value
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.plan_player_changes import HANDS, PlayerChange
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.jobs.queue import release_job
from tournaments.services.ladders.members import move_entrant
from tournaments.services.operations import Operation
from tournaments.services.publishing import publications
from tournaments.services.publishing.rank_and_render import draft_standings, render_draft
from tournaments.services.rounds.seating import people_at, reseat_table
from tournaments.services.totals.contributions import GameValues, game_values
from tournaments.services.verification.event import verify_event
from tournaments.services.verification.games import no_report

CODES = ("RL01", "RL02", "RL03", "RL04", "RL05")
SEATED = ((0, 1, 2, 3), (4, 0, 1, 2), (3, 4, 0, 1), (2, 3, 4, 0))
"""Who sits where in each of four rounds, two an evening; everybody sits out once at most."""
PRIMARIES = (
    "raw_per_hand", "placement_points", "beaten_mean", "raw_total", "wins", "index_per_game",
)  # fmt: skip
DROPS: tuple[dict[str, Any], ...] = (
    {},
    {"drop_worst": 1},
    {"best_of": {"unit": "meeting", "min": 1, "per": 1}},
    {"best_of": {"unit": "game", "min": 2, "per": 1}},
)
LISTS = ({"4": [5, 3, 2, 1]}, {"4": [9, 4, 1, 0]}, {"4": [2, 2, 0, 0]})
CHAINS: tuple[tuple[str, ...], ...] = (
    (), ("h2h", "wins", "countback"), ("index", "moons_shot", "sos"), ("last_game", "lot"),
)  # fmt: skip

Sheet = tuple[list[int], int, str]


def sheets() -> st.SearchStrategy[Sheet]:
    """Thirteen hearts dealt out over four seats, a seat for the queen, a choice for a moon."""
    cuts = st.lists(st.integers(0, 13), min_size=3, max_size=3).map(sorted)
    hearts = cuts.map(lambda c: [c[0], c[1] - c[0], c[2] - c[1], 13 - c[2]])
    return st.tuples(hearts, st.integers(0, 3), st.sampled_from(["self", "others"]))


def schemes() -> st.SearchStrategy[dict[str, object]]:
    parts = st.tuples(*map(st.sampled_from, (PRIMARIES, DROPS, LISTS, CHAINS)), st.integers(0, 2))
    return parts.map(
        lambda one: {
            "primary": one[0], "drop_worst": 0, "best_of": None, **one[1], "placement": one[2],
            "tie_breaks": list(one[3]), "min_games": one[4],
        }
    )  # fmt: skip


def typed(sheet: Sheet) -> Json:
    hearts, queen, choice = sheet
    return counts(hearts, queen, **({"slam_choice": choice} if hearts[queen] == 13 else {}))


def picture(event: Event) -> list[object]:
    """Everything that is derived of an event, without row ids; sums of nobody's games are none."""
    worth = Contribution.objects.filter(event=event).order_by(
        "game__table__round__number", "entrant__code"
    )
    sums = Aggregate.objects.filter(event=event, games__gt=0).order_by("entrant__code")
    scores = SeatScore.objects.filter(entry__hand__game__event=event).order_by(
        "entry__hand__game__table__round__number", "entry__hand__number", "seat__number"
    )
    games = Game.objects.filter(event=event).order_by("table__round__number")
    return [
        list(worth.values_list("entrant__code", *_columns(Contribution))),
        list(sums.values_list("entrant__code", *_columns(Aggregate))),
        list(scores.values_list("entry__hand__number", "score", "total", "moons")),
        list(games.values_list("state", "progress", "hands_counted")),
    ]


def _columns(model: type[Model]) -> list[str]:
    fields = model._meta.concrete_fields
    return [field.name for field in fields if not field.primary_key and not field.is_relation]


def rendered(event: Event) -> bytes:
    """The standings as served, under one address whatever the event is."""
    fresh = Event.objects.select_related("club", "season").get(pk=event.pk)
    body = render_draft(draft_standings(fresh)).body
    return body.replace(f'"slug":"{event.slug}"'.encode(), b'"slug":"x"')


def placed(body: bytes) -> list[tuple[object, ...]]:
    standings = json.loads(body)
    rows = [*standings["rows"], *standings["provisional_rows"]]
    return [(row["player_id"], row["rank"], row["values"], row["reason"]) for row in rows]


class Season(RuleBasedStateMachine):
    """A season of four rounds, to which anything may happen; each example in a transaction."""

    cast: Cast
    people: Sequence[Player]
    numbers = itertools.count(1)

    @initialize(scheme=schemes())
    def begin(self, scheme: dict[str, object]) -> None:
        self.example = transaction.atomic()
        self.example.__enter__()
        self.scheme = scheme
        self.dirk = self.cast.actor("dirk")
        self.event = self.season(scheme)
        self.slow: publications.StandingsReading | None = None

    def season(self, scheme: Json) -> Event:
        wanted = {"mixed_raw": True, **scheme}
        event = league(self.cast.riverside, slug=f"season-{next(self.numbers)}", settings=wanted)
        Event.objects.filter(pk=event.pk).update(seed="5eed")
        event.refresh_from_db()
        for number, seats in enumerate(SEATED, start=1):
            seated = [self.people[seat] for seat in seats]
            table(event, seated, round_number=number, on=date(2025, 1, 1 + number // 3))
        return event

    def game(self, round_number: int) -> Game:
        games = Game.objects.select_related("event", "club", "snapshot", "table__round")
        return games.get(event=self.event, table__round__number=round_number)

    def enter_at(self, game: Game, number: int, entry: dict[str, object]) -> None:
        hand = Hand.objects.filter(game=game, number=number).first()
        record_entry(
            Operation(self.dirk, NOW), game, number=number, entry=entry, source="host",
            based_on=hand.revision if hand else None, reason="read again" if hand else "",
        )  # fmt: skip

    @rule(round_number=st.integers(1, 4), number=st.integers(1, 3), sheet=sheets())
    def enter_or_correct(self, round_number: int, number: int, sheet: Sheet) -> None:
        self.enter_at(self.game(round_number), number, typed(sheet))

    @rule(chosen=st.integers(0, 99))
    def undo_a_correction(self, chosen: int) -> None:
        hands = list(Hand.objects.filter(game__event=self.event, revision__gt=1).order_by("pk"))
        if hands:
            one = hands[chosen % len(hands)]
            before = Entry.objects.get(hand=one, revision=one.revision - 1)
            round_number = one.game.table.round.number
            self.enter_at(self.game(round_number), one.number, dict(before.typed))

    @rule(chosen=st.integers(0, 99), sheet=sheets())
    def correct_there_and_back(self, chosen: int, sheet: Sheet) -> None:
        tasks.recount_event(self.event.pk)
        hands = Hand.objects.filter(game__event=self.event, state="accepted")
        found = list(hands.select_related("entry").order_by("pk"))
        if found:
            one = found[chosen % len(found)]
            game, entry = self.game(one.game.table.round.number), one.entry
            before = picture(self.event)
            assert entry is not None
            self.enter_at(game, one.number, typed(sheet))
            self.enter_at(game, one.number, dict(entry.typed))
            assert picture(self.event) == before

    @rule(chosen=st.integers(0, 99))
    def void(self, chosen: int) -> None:
        hands = list(Hand.objects.filter(game__event=self.event, state="accepted").order_by("pk"))
        if hands:
            one = hands[chosen % len(hands)]
            void_hand(
                Operation(self.dirk, NOW), one.game, number=one.number, based_on=one.revision,
                reason="not played",
            )  # fmt: skip

    @rule(
        round_number=st.integers(1, 4),
        act=st.sampled_from(["swap", "replace"]),
        seat=st.integers(1, 4),
        code=st.sampled_from(CODES),
        hands=st.sampled_from(HANDS),
    )
    def change_who_played(
        self, round_number: int, act: str, seat: int, code: str, hands: str
    ) -> None:
        """Whole seats only: of a chair that two people share, both have the place."""
        if act == "replace" and hands == "remap":
            return
        wanted = PlayerChange(act, seat, code, hands)
        with suppress(Refused, Conflict):
            change_players(
                Operation(self.dirk, NOW), self.game(round_number), change=wanted,
                reason="wrong seats",
            )  # fmt: skip

    @rule(chosen=st.integers(0, 99))
    def undo_a_change_of_players(self, chosen: int) -> None:
        lines = list(self.event.changes.filter(kind="change_players").order_by("pk"))
        if lines:
            one = lines[chosen % len(lines)]
            game = Game.objects.select_related("event", "club", "table__round").get(
                event=self.event, table__code=one.table
            )
            with suppress(Refused, Conflict):
                undo_players(Operation(self.dirk, NOW), game, line=one.pk, reason="it was right")

    @rule(
        code=st.sampled_from(CODES),
        kind=st.sampled_from(["penalty", "bonus"]),
        amount=st.sampled_from(["1", "5/2", "3.5"]),
    )
    def penalize(self, code: str, kind: str, amount: str) -> None:
        add_line(
            Operation(self.dirk, NOW),
            self.event,
            entrant=code,
            kind=kind,
            amount=amount,
            reason="late",
        )

    @rule(number=st.integers(1, 3))
    def take_one_back(self, number: int) -> None:
        self.withdraw_line(number)

    def withdraw_line(self, number: int) -> None:
        line = self.event.ledger_lines.filter(number=number, withdrawn_at=None)
        if line.exists():
            withdraw_line(
                Operation(self.dirk, NOW), get_line(self.event, number), reason="was there"
            )

    @rule(code=st.sampled_from(CODES), value=st.sampled_from(["7", "5/2", "-3"]))
    def bring_from_before(self, code: str, value: str) -> None:
        on = date(2025, 9, next(self.numbers) % 28 + 1)
        with suppress(Refused):
            bring(self.event, code, value, on=on, penalty="1/2")

    @rule(number=st.integers(1, 3))
    def take_a_value_back(self, number: int) -> None:
        self.withdraw_value(number)

    def withdraw_value(self, number: int) -> None:
        if self.event.opening_values.filter(number=number, withdrawn_at=None).exists():
            value = get_opening_value(self.event, number)
            withdraw_opening_value(Operation(self.dirk, NOW), value, reason="was not")

    @rule(code=st.sampled_from(CODES))
    def leave_or_return(self, code: str) -> None:
        is_there = self.event.entrants.get(code=code).state == "active"
        move_entrant(
            Operation(self.dirk, NOW),
            get_entrant(self.event, code),
            reason="moved",
            to="withdrawn" if is_there else "active",
        )

    @rule(scheme=schemes())
    def change_the_scheme(self, scheme: dict[str, object]) -> None:
        """Another value to rank by waits until the lines in the old one's unit are withdrawn."""
        try:
            self.want(scheme)
        except Refused as refused:
            units = {"ledger_in_other_units", "opening_values_in_other_units"}
            if units.isdisjoint(problem.code for problem in refused.problems):
                return
            for value in self.event.opening_values.filter(withdrawn_at=None).order_by("number"):
                self.withdraw_value(value.number)
            for line in self.event.ledger_lines.filter(withdrawn_at=None).order_by("number"):
                self.withdraw_line(line.number)
            try:
                self.want(scheme)
            except Refused:
                return
        self.scheme = scheme

    def want(self, scheme: dict[str, object]) -> None:
        change_settings(
            Operation(self.dirk, NOW), self.event, values=scheme, reason="So we want it."
        )

    @rule(times=st.integers(1, 2))
    def deliver_publishing(self, times: int) -> None:
        for _ in range(times):
            tasks.publish_event(self.event.pk)

    @rule()
    def deliver_counting(self) -> None:
        tasks.recount_event(self.event.pk)

    @rule()
    def slow_worker_reads(self) -> None:
        self.slow = publications._read(self.event.pk, now=NOW)

    @rule()
    def slow_worker_stores_what_it_read(self) -> None:
        if self.slow is not None:
            newest = self.newest()
            made = publications._store(self.slow, render_draft(self.slow.table), NOW)
            assert newest is None or made.version >= newest.version
            self.slow = None

    def newest(self) -> Publication | None:
        return Publication.objects.filter(event=self.event).order_by("-number").first()

    def teardown(self) -> None:
        try:
            if hasattr(self, "event"):
                self.settle()
        finally:
            if hasattr(self, "example"):
                transaction.set_rollback(True)
                self.example.__exit__(None, None, None)

    def settle(self) -> None:
        """Let everything that is on its way arrive, and hold it against a replay."""
        tasks.recount_event(self.event.pk)
        release_job(event_scope(self.event.pk))  # a rest after a burst is over by then
        tasks.publish_event(self.event.pk)
        assert not is_recounted(self.event.pk)
        self.event.refresh_from_db()
        newest = self.newest()
        assert newest is not None
        body = rendered(self.event)
        served = json.loads(bytes(newest.body))
        del served["publication"]
        served["event"]["slug"] = "x"
        assert json.dumps(served, ensure_ascii=False, separators=(",", ":")).encode() == body
        checked = verify_event(self.event, repair=False, now=NOW, report=no_report)
        assert (checked.found.differences, checked.found.publication) == ([], "same")
        self.hold_the_invariants()
        before = picture(self.event)
        for all_of_it in (True, False):
            if all_of_it:
                SeatScore.objects.filter(entry__hand__game__event=self.event).delete()
            Contribution.objects.filter(event=self.event).delete()
            Aggregate.objects.filter(event=self.event).delete()
            verify_event(self.event, repair=True, now=NOW, report=no_report)
            assert picture(self.event) == before
            assert rendered(self.event) == body
        self.enter_again_in_another_order(before, body)

    def hold_the_invariants(self) -> None:
        """What docs/algorithms/standings.md says of every table."""
        lists = self.event.settings["placement"]
        for game in Game.objects.filter(event=self.event, hands_counted__gt=0):
            worth = list(Contribution.objects.filter(game=game))
            assert sum(one.place_points for one in worth) == UNIT * sum(lists.get("4", [0]))
            assert sum(Fraction(one.index_num, one.index_den) for one in worth) == 0
            assert sum(one.win_share for one in worth) == UNIT
            assert sum(one.beaten_halves for one in worth) == 4 * UNIT

    def enter_again_in_another_order(self, before: list[object], body: bytes) -> None:
        """The last words alone, the last first, give the same."""
        other = self.season({key: self.event.settings[key] for key in self.scheme})
        hands = Hand.objects.filter(game__event=self.event, state="accepted")
        said = [
            (hand.game.table.round.number, hand.number, dict(hand.entry.typed))
            for hand in hands.select_related("entry", "game__table__round").order_by("-pk")
            if hand.entry is not None
        ]
        lines = list(self.event.ledger_lines.filter(withdrawn_at=None).select_related("entrant"))
        values = list(self.event.opening_values.filter(withdrawn_at=None).order_by("-number"))
        away = list(self.event.entrants.filter(state="withdrawn").values_list("code", flat=True))
        sat = {game.table.round.number: people_at(game)
               for game in Game.objects.filter(event=self.event)}  # fmt: skip
        first, self.event = self.event, other
        for round_number, people in sat.items():
            reseat_table(Operation(self.dirk, NOW), self.game(round_number), players=people)
        for round_number, number, entry in said:
            self.enter_at(self.game(round_number), number, entry)
        for line in reversed(lines):
            add_line(
                Operation(self.dirk, NOW),
                other,
                entrant=line.entrant.code,
                kind=line.kind,
                amount=f"{line.amount}/{UNIT}",
                reason="late",
            )
        for value in values:
            amount = f"{value.value}/{UNIT}"
            bring(other, value.entrant.code, amount, on=value.date, penalty="1/2")
        for code in away:
            move_entrant(
                Operation(self.dirk, NOW), get_entrant(other, code), to="withdrawn", reason="moved"
            )
        assert picture(other)[:3] == before[:3]
        assert placed(rendered(other)) == placed(body)
        self.event = first


@pytest.mark.django_db
@pytest.mark.tier_all
def test_anything_that_happens_leaves_what_a_replay_makes() -> None:
    Season.cast = enter_the_cast()
    Season.people = players(Season.cast.riverside, *"ABCDE")
    run_state_machine_as_test(
        Season,
        settings=settings(
            max_examples=short_or_long(6, 20),
            stateful_step_count=12,
            deadline=None,
            # One that fails is told as it is: making it smaller takes minutes.
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


def worth(totals: Sequence[int]) -> list[GameValues]:
    rules = catalogue().rules("hearts")
    played = replay(rules, 4, [(0, {"points": list(totals)})], open_ended=True)
    chairs = [SeatRun(seat + 1, seat, entrant=seat) for seat in range(4)]
    found = game_values(rules, played, chairs, placement=PLACEMENT, hands=5)
    return [found[seat] for seat in range(4)]


@given(
    totals=st.lists(st.integers(0, 130), min_size=4, max_size=4),
    more=st.integers(0, 50),
    better=st.integers(0, 20),
)
def test_constant_added_to_a_table_changes_nothing_and_a_better_score_lowers_nobodys_own(
    totals: list[int], more: int, better: int
) -> None:
    stands = worth(totals)
    assert [
        replace(one, points=0, difference=0) for one in worth([total + more for total in totals])
    ] == [replace(stand, points=0, difference=0) for stand in stands]
    improved = worth([totals[0] - min(better, totals[0]), *totals[1:]])[0]
    own = stands[0]
    assert improved.place_points >= own.place_points
    assert improved.beaten_halves >= own.beaten_halves
    assert improved.index_num * own.index_den >= own.index_num * improved.index_den
