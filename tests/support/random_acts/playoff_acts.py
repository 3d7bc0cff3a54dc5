"""Play-offs: ties, hands, lots, decisions."""

from django.db.models import QuerySet

from tests.support.builders import TESTS, counts, league
from tests.support.cast import NOW
from tests.support.random_acts.random_actor import NothingThere, RandomActor
from tournaments.models.clubs import Player
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round
from tournaments.models.playoffs import LIVE, Playoff, is_unanswered
from tournaments.models.playoffs import OVER as OVER_PLAYOFFS
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.record_entry import record_entry, void_hand
from tournaments.services.playoffs import director_actions
from tournaments.services.playoffs.director_actions import free_chairs
from tournaments.services.previewing.playoff_answers import answers_about
from tournaments.services.previewing.run_preview import HandRef, preview, save_as_previewed
from tournaments.services.rounds import seating

PLAYOFFS = 6
"""So many play-offs are played at most at a time."""
PLAYED_OFF = {"boundaries": {"title": 1}, "playoff": "extra_hands", "correction_window_h": 1}


class PlayoffActs(RandomActor):
    """Play-offs: ties, hands, lots, decisions."""

    def do_tie(self) -> None:
        live = Playoff.objects.filter(state__in=LIVE, is_waived=False)
        if live.count() >= PLAYOFFS:
            raise NothingThere
        slug = f"tied-{self.name}-{len(self.world.tied)}"
        event = league(self.world.club, slug=slug, settings=PLAYED_OFF)
        game = seating.seat_table(
            actor=TESTS, event=event, round_number=1, now=NOW,
            players=self.chance.sample(self.world.people, 4),
        )  # fmt: skip
        self.world.tied.append(event.pk)
        # Two who are tied need a third at their table: a chair for somebody neutral.
        entry = counts([2, 2, 4, 5], 3) if len(self.world.tied) % 2 else counts([4, 4, 4, 1], 3)
        self.record(game, 1, entry=entry)
        round_ = Round.objects.select_related("event", "club").get(event=event)
        close_tables(actor=TESTS, round_=round_, now=NOW)
        self.move(round_, "closed")
        move_event(actor=TESTS, event=event, to="closed", now=NOW)
        self.look(event)

    def do_look(self) -> None:
        self.look(self.event("closed", "final"))

    def _playoffs(self) -> QuerySet[Playoff]:
        playoffs = Playoff.objects.filter(state__in=LIVE, is_waived=False)
        return playoffs.select_related("event__club", "club")

    def _playoff(self) -> Playoff:
        one: Playoff = self.pick(self._playoffs())
        return one

    def do_playoff_hand(self) -> None:
        game = self.pick(
            self.games(counts=False, state__in=("seated", "playing")).exclude(
                table__round__state="closed"
            )
        )
        self.record(game, self.next_number(game))

    def _playoff_hand(self) -> Hand:
        void = Playoff.objects.filter(state="void", stage__isnull=False).values("stage")
        games = Game.objects.filter(counts=False).exclude(table__round__stage__in=void)
        return self.hand(state="accepted", game__in=games)

    def do_playoff_correct(self) -> None:
        hand = self._playoff_hand()
        self.record(hand.game, hand.number, based_on=hand.revision, reason="read again")

    def do_playoff_void_hand(self) -> None:
        hand = self._playoff_hand()
        void_hand(
            actor=TESTS, game=hand.game, number=hand.number, based_on=hand.revision,
            reason="twice", now=NOW,
        )  # fmt: skip

    def do_void_playoff(self) -> None:
        self._to("void")

    def do_lots(self) -> None:
        self._to("by_lot")

    def _to(self, to: str) -> None:
        one = self._playoff()
        director_actions.move_playoff(
            actor=TESTS, event=one.event, number=one.number, to=to, now=NOW, reason="agreed"
        )

    def do_waive(self) -> None:
        one = self._playoff()
        director_actions.waive_playoff(
            actor=TESTS, event=one.event, number=one.number, reason="too late", now=NOW
        )

    def do_gone(self) -> None:
        one = self._playoff()
        member = self.pick(one.members.select_related("entrant"))
        director_actions.retire_member(
            actor=TESTS, event=one.event, number=one.number, player_id=member.entrant.code,
            why="no_show", now=NOW,
        )  # fmt: skip

    def do_neutral(self) -> None:
        one = self.pick([playoff for playoff in self._playoffs() if free_chairs(playoff)])
        people = Player.objects.filter(club=one.event.club).order_by("pk")
        who = [self.pick(people).player_id]
        director_actions.seat_neutrals(
            actor=TESTS, event=one.event, number=one.number, players=who, now=NOW
        )

    def do_extend(self) -> None:
        one = self._playoff()
        director_actions.extend_playoff(
            actor=TESTS, event=one.event, number=one.number, hands=1, now=NOW
        )

    def do_touch(self) -> None:
        """Correct what a finished play-off stands on, as looked at before; then it is asked."""
        over = Playoff.objects.filter(state__in=OVER_PLAYOFFS, asked__isnull=True)
        event = self.pick(over.select_related("event__club")).event
        hand = self.hand(state="accepted", game__event=event, game__counts=True)
        entry = counts(self.chance.choice([(3, 5, 4, 1), (4, 4, 3, 2), (4, 4, 4, 1)]), 3)

        def change() -> object:
            return record_entry(
                actor=TESTS, game=hand.game, number=hand.number, entry=entry, now=NOW,
                source="host", based_on=hand.revision, reason="read again",
            )  # fmt: skip

        at = HandRef(event, hand.game.table.code, hand.number)
        looked = preview(at, change, now=NOW)
        save_as_previewed(at, change, digest=looked.digest, now=NOW)
        self.look(event)

    def _asked(self) -> Playoff:
        playoffs = Playoff.objects.filter(state__in=OVER_PLAYOFFS, asked__isnull=False)
        rows = [
            playoff
            for playoff in playoffs.select_related("event__club")
            if is_unanswered(playoff.asked)
        ]
        one: Playoff = self.pick(rows)
        return one

    def do_answer(self) -> None:
        one = self._asked()
        answers_about(one.event, one.number, actor=TESTS, now=NOW)
        director_actions.answer_playoff(
            actor=TESTS, event=one.event, number=one.number,
            answer=self.chance.choice(director_actions.ANSWERS), reason="agreed", now=NOW,
        )  # fmt: skip
