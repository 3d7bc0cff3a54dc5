"""Hands: entered, corrected, deleted, disputed."""

from scoring.errors import Problem, Refused
from tests.support.builders import TESTS, counts
from tests.support.cast import NOW
from tests.support.random_acts.random_actor import NothingThere, RandomActor
from tournaments.models.hands import Dispute, Hand
from tournaments.selectors.rounds.table_sheets import digest_of
from tournaments.services.hands import disputes
from tournaments.services.hands.close_tables import confirm_sheet
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.hands.record_entry import void_hand
from tournaments.views.hands.grid_rows import texts_of
from tournaments.views.hands.grid_screen import GridScreen


class HandActs(RandomActor):
    """Hands: entered, corrected, deleted, disputed."""

    def do_enter(self) -> None:
        game = self.open_game()
        self.record(game, self.next_number(game))

    def do_grid(self) -> None:
        game = self.open_game()
        desk = GridScreen(game.event, game.table.code)
        if desk.is_empty or desk.has_totals:
            raise NothingThere
        last = self.next_number(game)
        there = [hand for hand in desk.hands.values() if hand.state == "accepted"][:1]
        drafts = [desk.draft(number) for number in (last, last + 1)]
        drafts += [desk.draft(one.number) for one in there]
        for draft in drafts:
            draft.way, draft.texts = texts_of(desk.grammar, self.entry(game))
        done = desk.record(TESTS, drafts, reason="read again", now=NOW)
        if not any(one.kind == "saved" for one in done.values()):
            raise Refused(Problem("nothing_accepted"))

    def do_correct(self) -> None:
        hand = self.hand(state="accepted", game__counts=True)
        self.record(hand.game, hand.number, based_on=hand.revision, reason="read again")

    def do_void(self) -> None:
        hand = self.hand(state="accepted", game__counts=True)
        void_hand(
            actor=TESTS, game=hand.game, number=hand.number, based_on=hand.revision,
            reason="twice", now=NOW,
        )  # fmt: skip

    def do_restore(self) -> None:
        hand = self.hand(state="void", game__counts=True)
        self.record(hand.game, hand.number, based_on=hand.revision, reason="it was right")

    def do_file_disputed(self) -> None:
        game = self.open_game()
        file_disputed(
            actor=TESTS, game=game, number=self.next_number(game), entry=counts([1, 1, 1, 1], 0),
            key=None, reason="wrong total", now=NOW,
        )  # fmt: skip

    def do_settle(self) -> None:
        hand = self.hand(state="disputed")
        self.record(hand.game, hand.number, based_on=hand.revision, reason="settled")

    def do_verify_sheet(self) -> None:
        game = self.pick(self.games(state="playing", event__state="open", hands_counted__gt=0))
        hands = Hand.objects.filter(game=game).values_list("number", "state", "revision")
        confirm_sheet(actor=TESTS, game=game, compared_digest=digest_of(list(hands)), now=NOW)

    def do_dispute(self) -> None:
        hand = self.hand(state="accepted")
        if Dispute.objects.filter(state="open").count() > 3:
            raise NothingThere
        words = f"wrong {self.chance.random()}"
        disputes.open_dispute(actor=TESTS, game=hand.game, number=hand.number, words=words, now=NOW)

    def _dispute(self) -> Dispute:
        found: Dispute = self.pick(Dispute.objects.filter(state="open").select_related("event"))
        found.event = self.event("open", "closed", among=[found.event_id])
        return found

    def do_rule(self) -> None:
        one = self._dispute()
        disputes.rule_on_dispute(
            actor=TESTS, event=one.event, number=one.number, to="rejected", ruling="no", now=NOW
        )

    def do_withdraw_dispute(self) -> None:
        one = self._dispute()
        disputes.withdraw_dispute(actor=TESTS, event=one.event, number=one.number, now=NOW)
