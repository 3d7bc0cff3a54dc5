"""Events: closed, settings, penalties, entrants, cuts."""

from datetime import timedelta

from tests.support.builders import TESTS
from tests.support.cast import NOW
from tests.support.random_acts.random_actor import NothingThere, RandomActor
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.hands import Dispute, Hand
from tournaments.models.meetings import Round
from tournaments.models.outbox import Deadline
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.standings import LedgerLine
from tournaments.services.clubs.clubs import add_player
from tournaments.services.events import adjustments, entrants
from tournaments.services.events.change_event import change_settings
from tournaments.services.events.events import move_event
from tournaments.services.ladders import members
from tournaments.services.publishing.publications import publish
from tournaments.services.stages import cuts as cuts_service
from tournaments.services.verification.event import recount_now
from tournaments.tasks import run_deadline_job

LATER = NOW + timedelta(days=2)
"""When the window of what is closed at NOW is over."""


class EventActs(RandomActor):
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
        move_event(actor=TESTS, event=event, to="closed", now=NOW)
        if event.pk in self.world.tied:
            self.look(event)

    def do_reopen_event(self) -> None:
        event = self.event("closed", "final")
        live = Playoff.objects.filter(event=event, state__in=LIVE, is_waived=False)
        if live.exists() and self.chance.random() < 0.9:
            raise NothingThere
        move_event(actor=TESTS, event=event, to="open", now=NOW, reason="a mistake")

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
        move_event(actor=TESTS, event=event, to="final", now=LATER)

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
        change_settings(actor=TESTS, event=event, values=wanted, now=NOW, reason="agreed")

    def do_recount(self) -> None:
        recount_now(self.chance.choice(self.world.leagues), now=NOW)

    def do_ledger(self) -> None:
        event = self.event()
        adjustments.add_line(
            actor=TESTS, event=event, entrant=self.pick(Entrant.objects.filter(event=event)).code,
            kind="penalty", amount="1", reason="late", now=NOW,
        )  # fmt: skip

    def do_withdraw_line(self) -> None:
        ledger_lines = LedgerLine.objects.filter(event__in=self.world.events, withdrawn_at=None)
        line = self.pick(ledger_lines.select_related("event__club"))
        adjustments.withdraw_line(
            actor=TESTS, event=line.event, number=line.number, reason="was not", now=NOW
        )

    def do_add_entrant(self) -> None:
        event = self.event(among=self.world.leagues)
        with_new = self.chance.randrange(10**6)
        player = add_player(
            actor=TESTS, club=self.world.club, name=f"New {self.name} {with_new}",
            player_id=f"N{self.name}-{with_new}", now=NOW,
        )  # fmt: skip
        entrants.add_entrant(actor=TESTS, event=event, kind="player", players=[player], now=NOW)

    def _entrant(self, state: str) -> Entrant:
        found = Entrant.objects.filter(event__in=self.world.leagues, state=state)
        one: Entrant = self.pick(found.select_related("event__club"))
        return one

    def do_withdraw(self) -> None:
        one = self._entrant("active")
        members.move_entrant(
            actor=TESTS, event=one.event, code=one.code, to="withdrawn", reason="away", now=NOW
        )

    def do_return(self) -> None:
        one = self._entrant("withdrawn")
        members.move_entrant(
            actor=TESTS, event=one.event, code=one.code, to="active", reason="back", now=NOW
        )

    def do_cut(self) -> None:
        event = self.event(among=[self.world.cutting])
        if Stage.objects.filter(event=event, cut__isnull=False).exists():
            raise NothingThere
        publish(event.pk, now=NOW)
        cuts_service.make_cut(actor=TESTS, event=event, cut=self.chance.randrange(2, 5), now=NOW)

    def do_undo_cut(self) -> None:
        stage = self.pick(Stage.objects.filter(cut__isnull=False).select_related("event__club"))
        cuts_service.undo_cut(
            actor=TESTS, event=stage.event, number=stage.number, reason="too early", now=NOW
        )
