"""One person who does an operation by chance, to something that it may be done to."""

import random
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from django.db.models import QuerySet

from scoring.errors import Refused
from tests.support.builders import by_tests, counts
from tests.support.cast import NOW
from tests.support.random_operations.world import Games, World
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import playoffs_scope
from tournaments.models.rounds import Round
from tournaments.selectors.jobs.queue import get_version
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.jobs.queue import finish_job
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.reviews import review_cuts
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs
from tournaments.services.rounds import rounds

T = TypeVar("T")
KNOWN = (Refused, Conflict, Forbidden, Missing)
"""How an operation may be refused."""

MADE_BY = {
    "abandon": "enter", "accept": "challenge", "answer": "touch", "cancel": "accept",
    "clear": "seat", "close_round": "close_tables", "complete": "enter", "confirm": "result",
    "decline": "challenge", "dispute_result": "result", "end_sit_out": "sit_out", "enter": "seat",
    "extend": "tie", "file_disputed": "seat", "finalise": "close_event", "go_on": "complete",
    "gone": "tie", "grid": "seat", "link": "enter", "lots": "tie", "neutral": "tie",
    "playoff_correct": "playoff_hand",
    "playoff_hand": "tie", "playoff_void_hand": "playoff_hand", "post_or_draft": "seat",
    "verify_sheet": "enter", "remove_round": "make_round", "reopen_event": "close_event",
    "reseat": "seat", "result": "accept", "return": "withdraw", "rule": "dispute",
    "seat": "close_tables", "settle": "file_disputed", "sit_out": "seat", "undo_cut": "cut",
    "undo_import": "import", "import_conflict": "enter", "use_file_hand": "import_conflict",
    "change_players": "enter", "undo_players": "change_players",
    "move_hands": "enter", "undo_move": "move_hands",
    "restore_table": "clear", "void_playoff": "tie", "waive": "tie", "withdraw_dispute": "dispute",
    "withdraw_line": "ledger", "touch": "lots", "withdraw_opening_value": "opening_value",
    "attend": "plan_evening", "make_plans": "attend", "choose_plan": "make_plans",
    "round_of_plan": "choose_plan", "redraw": "round_of_plan", "undo_check_in": "attend",
    "redraw_tables": "seat",
    "move_evening": "plan_evening", "remove_evening": "plan_evening",
    "remove_constraint": "constraint",
}  # fmt: skip
"""Operation → what makes something that it may be done to."""


class NothingThere(Exception):
    """There is nothing that the operation could be done to."""


class RandomActor:
    """One person; classes of operations add methods `do_NAME`."""

    def __init__(self, world: World, seed: int, place: Path | None = None) -> None:
        self.world = world
        self.chance = random.Random(seed)  # noqa: S311 - a draw that can be made again
        self.place = place or Path(tempfile.mkdtemp())
        self.name = f"{seed}"
        self.files = 0
        self.operations: dict[str, Callable[[], object]] = {
            name.removeprefix("do_"): getattr(self, name)
            for name in dir(self)
            if name.startswith("do_")
        }

    def one(self) -> None:
        """Do one operation: of some that come by chance, the one that was done least often."""
        drawn = self.chance.sample(sorted(self.operations), 6)
        self.do(
            min(drawn, key=lambda one: self.world.accepted[one] + self.world.refused[one] // 10)
        )

    def do(self, name: str) -> None:
        """Do an operation; where there is nothing for it, what makes something."""
        began = time.monotonic()
        try:
            self.operations[name]()
        except NothingThere:
            if name in MADE_BY:
                self.do(MADE_BY[name])
        except KNOWN as refused:
            self.world.refused[name] += 1
            problems = getattr(refused, "problems", None) or [refused.problem]  # type: ignore[union-attr]
            self.world.codes[problems[0].code] += 1
        else:
            self.world.accepted[name] += 1
        finally:
            self.world.slowest[name] = max(
                self.world.slowest[name], round((time.monotonic() - began) * 1000)
            )

    def pick(self, rows: Iterable[T]) -> T:
        found = list(rows.order_by("pk")[:200]) if isinstance(rows, QuerySet) else list(rows)
        if not found:
            raise NothingThere
        return self.chance.choice(found)

    def event(self, *states: str, among: Sequence[int] = ()) -> Event:
        events = Event.objects.select_related("club").filter(pk__in=among or self.world.events)
        event: Event = self.pick(events.filter(state__in=states or ("open",)))
        return event

    def games(self, **where: object) -> Games:
        games = Game.objects.select_related("event__club", "club", "snapshot", "table__round")
        return games.filter(event__in=self.world.events, **where)

    def open_game(self) -> Game:
        game: Game = self.pick(
            self.games(
                state__in=("seated", "playing"), event__state="open", counts=True,
                table__round__state__in=("posted", "playing"),
            )
        )  # fmt: skip
        return game

    def hand(self, **where: object) -> Hand:
        events = [*self.world.leagues, *self.world.tied]
        hands = Hand.objects.filter(game__event__in=events, **where).order_by("-pk")
        found = list(hands.select_related("game__event")[:100])
        hand: Hand = self.pick(found)
        hand.game = self.games(pk=hand.game_id).get()
        return hand

    def round(self, *states: str, event_state: str = "open") -> Round:
        found = Round.objects.select_related("event__club", "club").filter(
            event__in=self.world.leagues, state__in=states, event__state=event_state
        )
        round_: Round = self.pick(found.exclude(stage__kind="playoff"))
        return round_

    def entry(self, game: Game, *, level: bool = False) -> dict[str, object]:
        seats = game.table.seats.count()
        if not seats:  # somebody took the table away meanwhile
            raise NothingThere
        cuts = sorted(self.chance.choices(range(14), k=seats - 1))
        hearts = [high - low for low, high in zip((0, *cuts), (*cuts, 13), strict=True)]
        queen = self.chance.randrange(seats)
        if level:
            hearts, queen = [4, 4, 4, 1], 3
        if hearts[queen] == 13:
            hearts[queen], hearts[queen - 1] = 12, 1
        return counts(hearts, queen)

    def record(
        self,
        game: Game,
        number: int,
        *,
        entry: Mapping[str, object] | None = None,
        based_on: int | None = None,
        reason: str = "",
    ) -> None:
        if entry is None:
            entry = self.entry(game, level=game.event_id in self.world.tied and game.counts)
        record_entry(
            by_tests(), game, number=number, source="host", entry=entry,
            based_on=based_on, reason=reason,
        )  # fmt: skip

    def next_number(self, game: Game) -> int:
        last = Hand.objects.filter(game=game).order_by("-number").first()
        return (last.number if last else 0) + 1

    def look(self, event: Event) -> None:
        publish(event.pk, now=NOW)
        scope = playoffs_scope(event.pk)
        version = get_version(scope)
        schedule_playoffs(event.pk, now=NOW)
        review_cuts(event.pk, now=NOW)
        finish_job(scope, version, now=NOW)

    def move(self, round_: Round, to: str) -> None:
        rounds.move_round(by_tests(), round_, to=to, reason="a mistake")
