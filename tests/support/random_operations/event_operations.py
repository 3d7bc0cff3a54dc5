"""Events, what files bring into them, and the ladder with its challenges."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Q

from scoring.errors import Problem, Refused
from tests.support.builders import bring, by_tests, penalize
from tests.support.cast import NOW
from tests.support.imports.imports import imported
from tests.support.random_operations.random_actor import NothingThere, RandomActor
from tests.support.random_operations.world import LATER, MEMBERS
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.hands import Dispute, Game, Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.jobs import Deadline
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.rounds import Round, Sitting
from tournaments.models.standings import LedgerLine, OpeningValue
from tournaments.selectors.events.entrants import get_entrant, get_line
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.selectors.ladders.log import current_ladder
from tournaments.selectors.stages import get_stage
from tournaments.selectors.standings.opening_values import get_opening_value
from tournaments.services.clubs.clubs import add_player
from tournaments.services.events import adjustments, entrants
from tournaments.services.events.change_event import change_settings
from tournaments.services.events.events import move_event
from tournaments.services.events.opening_values import withdraw_opening_value
from tournaments.services.imports.resolve_problem import conflict_game, use_file_hand
from tournaments.services.imports.undo import request_undo, undo_steps
from tournaments.services.imports.uploads import Report
from tournaments.services.ladders import challenges, members
from tournaments.services.publishing.publications import publish
from tournaments.services.stages import cuts as cuts_service
from tournaments.services.verification.event import recount_now
from tournaments.tasks import run_deadline_job

HEADS = "date,round,table,hand,seat,player_id,hearts,queen_spades"


class EventOperations(RandomActor):
    """Events: closed, settings, penalties, entrants, cuts."""

    def do_close_event(self) -> None:
        busy = Round.objects.filter(state__in=("posted", "playing")).exclude(stage__kind="playoff")
        ready = (
            set(self.world.events)
            - {self.world.cutting}
            - set(busy.values_list("event", flat=True))
        )
        if not ready:
            raise NothingThere
        played = Hand.objects.filter(state="accepted").values("game__event")
        event = self.pick(Event.objects.filter(pk__in=ready, state="open").filter(pk__in=played))
        move_event(by_tests(), event, to="closed")
        if event.pk in self.world.tied:
            self.look(event)

    def do_reopen_event(self) -> None:
        event = self.event("closed", "final")
        live = Playoff.objects.filter(event=event, state__in=LIVE, is_waived=False)
        if live.exists() and self.chance.random() < 0.9:
            raise NothingThere
        move_event(by_tests(), event, to="open", reason="a mistake")

    def do_finalise(self) -> None:
        waits = [
            *Playoff.objects.filter(state__in=LIVE, is_waived=False).values_list(
                "event", flat=True
            ),
            *Dispute.objects.filter(state="open").values_list("event", flat=True),
            *Hand.objects.filter(state="disputed").values_list("game__event", flat=True),
        ]
        events = Event.objects.select_related("club").filter(pk__in=self.world.events)
        event = self.pick(events.filter(state="closed").exclude(pk__in=waits))
        self.look(event)
        move_event(by_tests(LATER), event, to="final")

    def do_clock(self) -> None:
        due = Deadline.objects.filter(event__in=self.world.events, done_at=None)
        run_deadline_job(self.pick(due).pk, now=LATER)

    def do_settings(self) -> None:
        event = self.event("open", "closed", among=self.world.leagues)
        wanted: dict[str, object] = self.chance.choice(
            [
                {"min_games": self.chance.randrange(1, 9)},
                {"correction_window_h": self.chance.randrange(1, 9)},
                {"drop_worst": self.chance.randrange(0, 4)},
            ]
        )
        change_settings(by_tests(), event, values=wanted, reason="agreed")

    def do_recount(self) -> None:
        recount_now(self.chance.choice(self.world.leagues), now=NOW)

    def do_ledger(self) -> None:
        event = self.event()
        penalize(event, self.pick(Entrant.objects.filter(event=event)).code, "1", "late")

    def do_withdraw_line(self) -> None:
        ledger_lines = LedgerLine.objects.filter(event__in=self.world.events, withdrawn_at=None)
        line = self.pick(ledger_lines.select_related("event__club"))
        adjustments.withdraw_line(by_tests(), get_line(line.event, line.number), reason="was not")

    def do_opening_value(self) -> None:
        event = self.event()
        code = self.pick(Entrant.objects.filter(event=event)).code
        day = NOW.date() - timedelta(days=self.chance.randrange(9, 20))
        bring(event, code, str(self.chance.randrange(30)), on=day)

    def do_withdraw_opening_value(self) -> None:
        values = OpeningValue.objects.filter(event__in=self.world.events, withdrawn_at=None)
        value = self.pick(values.select_related("event__club"))
        withdraw_opening_value(
            by_tests(), get_opening_value(value.event, value.number), reason="was not"
        )

    def do_add_entrant(self) -> None:
        event = self.event(among=self.world.leagues)
        with_new = self.chance.randrange(10**6)
        player = add_player(
            by_tests(),
            self.world.club,
            name=f"New {self.name} {with_new}",
            player_id=f"N{self.name}-{with_new}",
        )
        entrants.add_entrant(by_tests(), event, kind="player", players=[player])

    def _entrant(self, state: str) -> Entrant:
        found = Entrant.objects.filter(event__in=self.world.leagues, state=state)
        one: Entrant = self.pick(found.select_related("event__club"))
        return one

    def do_withdraw(self) -> None:
        one = self._entrant("active")
        members.move_entrant(
            by_tests(), get_entrant(one.event, one.code), to="withdrawn", reason="away"
        )

    def do_return(self) -> None:
        one = self._entrant("withdrawn")
        members.move_entrant(
            by_tests(), get_entrant(one.event, one.code), to="active", reason="back"
        )

    def do_cut(self) -> None:
        event = self.event(among=[self.world.cutting])
        if Stage.objects.filter(event=event, cut__isnull=False).exists():
            raise NothingThere
        publish(event.pk, now=NOW)
        cuts_service.make_cut(by_tests(), event, cut=self.chance.randrange(2, 5))

    def do_undo_cut(self) -> None:
        stage = self.pick(Stage.objects.filter(cut__isnull=False).select_related("event__club"))
        cuts_service.undo_cut(by_tests(), get_stage(stage.event, stage.number), reason="too early")


class ImportOperations(RandomActor):
    """Imports: files that come in, conflicts, undo."""

    def do_import(self) -> None:
        event = self.event(among=self.world.leagues)
        sat = self.games(event=event, state__in=("playing", "complete"))
        sat = sat.filter(table__round__state="playing")
        last = Round.objects.filter(event=event).order_by("-number").first()
        number = (last.number if last else 0) + 1
        rows = self._rows(number, 1, 1, self.chance.sample(self.world.people, 4))
        game = sat.order_by("?").first()
        if game is not None and len(own := self._seated(game)) == 4:
            at = game.table
            rows += self._rows(at.round.number, at.number, self.chance.randrange(100, 900), own)
        if not self._imported(event, rows).accepted:
            raise Refused(Problem("nothing_accepted"))

    def _seated(self, game: Game) -> list[Player]:
        sittings = Sitting.objects.filter(seat__table=game.table_id, to_hand=None)
        rows = sittings.order_by("seat__number").select_related("player")
        return [sitting.player for sitting in rows]

    def _imported(self, event: Event, rows: Sequence[str]) -> Report:
        self.files += 1
        path = self.place / f"{self.name}-{self.files}.csv"
        path.write_text("\n".join([HEADS, *rows]))
        return imported(path, event=event.slug, now=NOW)

    def _rows(self, number: int, at: int, hand: int, people: Sequence[Player]) -> list[str]:
        day = (NOW.date() + timedelta(days=number)).isoformat()
        hearts = self.chance.choice([(4, 1, 2, 6), (1, 5, 5, 2), (3, 3, 3, 4)])
        before = f"{day},{number},{at},{hand}"
        return [
            f"{before},{'NESW'[seat]},{player.player_id},{hearts[seat]},{int(seat == 3)}"
            for seat, player in enumerate(people)
        ]

    def do_import_conflict(self) -> None:
        """Import a hand that is there with other counts: it waits for somebody to choose."""
        hands = Hand.objects.filter(
            game__event__in=self.world.leagues, state="accepted", number__gt=0,
            game__event__state="open", game__table__round__state="playing",
        )  # fmt: skip
        hand = self.pick(hands.select_related("game__table__round", "game__event"))
        own, at = self._seated(hand.game), hand.game.table
        if len(own) != 4:
            raise NothingThere
        self._imported(hand.game.event, self._rows(at.round.number, at.number, hand.number, own))

    def do_use_file_hand(self) -> None:
        import_problems = ImportProblem.objects.filter(code="hand_exists", state="open")
        problem = self.pick(import_problems.select_related("batch__event__club", "batch__club"))
        game = conflict_game(problem)
        assert problem.hand is not None
        hand = game.hands.filter(number=problem.hand).first()  # or somebody took it away
        use_file_hand(
            by_tests(), problem, based_on=hand.revision if hand else 1, reason="as on paper"
        )

    def do_undo_import(self) -> None:
        brought = Q(added__gt=0) | Q(replacements__isnull=False)
        import_batches = ImportBatch.objects.filter(brought, state="done", event__state="open")
        batch = self.pick(import_batches.select_related("event__club"))
        request_undo(by_tests(), batch)
        for _ in undo_steps(batch, now=NOW):
            pass


class LadderOperations(RandomActor):
    """The ladder: challenges and their results."""

    def _ladder(self) -> Event:
        return self.event(among=[self.world.ladder])

    def _challenge(self, *states: str) -> Challenge:
        found = Challenge.objects.filter(event=self.world.ladder, state__in=states)
        one: Challenge = self.pick(found.select_related("event__club", "challenger", "challenged"))
        return one

    def do_challenge(self) -> None:
        event = self._ladder()
        order = list(current_ladder(event).order)
        waiting = Challenge.objects.filter(event=event, state__in=OPEN_CHALLENGES)
        busy = {
            one
            for two in waiting.values_list("challenger__code", "challenged__code")
            for one in two
        }
        at = self.pick([at for at in range(1, len(order)) if not busy & {order[at], order[at - 1]}])
        then = NOW + timedelta(seconds=next(self.world.moments))
        challenges.issue_challenge(
            by_tests(then), event, challenger=order[at], challenged=order[at - 1]
        )

    def _answer(self, one: Challenge, to: str, **more: Any) -> None:
        moment = max(filter(None, (one.issued_at, one.accepted_at, one.played_at)))
        challenges.answer_challenge(
            by_tests(moment + timedelta(minutes=5)),
            challenge_at(one.event, one.number),
            to=to,
            reason="agreed",
            **more,
        )

    def do_accept(self) -> None:
        self._answer(self._challenge("issued"), "accepted")

    def do_decline(self) -> None:
        self._answer(self._challenge("issued"), self.chance.choice(["declined", "withdrawn"]))

    def do_cancel(self) -> None:
        self._answer(self._challenge("accepted"), "cancelled")

    def do_result(self) -> None:
        one = self._challenge("accepted")
        others = self.chance.sample(self.world.people[:MEMBERS], MEMBERS)
        two = [one.challenger.code, one.challenged.code]
        codes = [*two, *[other.player_id for other in others if other.player_id not in two][:2]]
        points = dict(zip(codes, self.chance.sample((10, 20, 30, 44), 4), strict=True))
        challenges.enter_result(
            by_tests((one.accepted_at or NOW) + timedelta(minutes=5)),
            challenge_at(one.event, one.number),
            points=points,
        )

    def do_confirm(self) -> None:
        self._answer(self._challenge("played"), "confirmed")

    def do_dispute_result(self) -> None:
        self._answer(self._challenge("played"), "accepted")
