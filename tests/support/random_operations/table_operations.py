"""Tables and rounds: seated, changed, closed, posted; hands: entered, corrected, disputed."""

from datetime import timedelta

from scoring.errors import Problem, Refused
from tests.support.builders import TESTS, by_tests, counts
from tests.support.cast import NOW
from tests.support.random_operations.random_actor import NothingThere, RandomActor
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant
from tournaments.models.hands import Dispute, Hand
from tournaments.models.rounds import Round, SitOut, Sitting, Table
from tournaments.models.standings import Change
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.selectors.rounds.rounds import removed_tables
from tournaments.selectors.rounds.table_sheets import digest_of_hands
from tournaments.services.access import table_links
from tournaments.services.events import adjustments
from tournaments.services.hands import disputes
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.close_tables import close_tables, confirm_sheet, move_game
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.hands.move_hands import move_hands, undo_move
from tournaments.services.hands.plan_player_changes import ACTS, HANDS, PlayerChange
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.rounds import rounds, seating
from tournaments.views.hands.grid_cells import texts_of
from tournaments.views.hands.grid_screen import GridScreen

TABLES = 6
"""A league is played at so many tables at most at a time; then rounds have to close."""


class TableOperations(RandomActor):
    """Tables and rounds: seated, changed, closed, posted."""

    def do_seat(self) -> None:
        event = self.event(among=self.world.leagues)
        last = Round.objects.filter(event=event).order_by("-number").first()
        is_open = last is not None and last.state != "closed"
        number = (last.number if last else 0) + (0 if is_open and self.chance.random() < 0.8 else 1)
        if self.games(event=event, state__in=("seated", "playing")).count() >= TABLES:
            raise NothingThere
        sat = Sitting.objects.filter(round__event=event, round__number=number)
        taken = set(sat.values_list("player_id", flat=True))
        free = [player for player in self.world.people if player.pk not in taken]
        if len(free) < 4:
            raise NothingThere
        seating.seat_table(
            by_tests(),
            event,
            round_number=number,
            players=self.chance.sample(free, 4),
            on=NOW.date() + timedelta(days=number),
        )

    def do_reseat(self) -> None:
        game = self.pick(self.games(state="seated", event__state="open", counts=True))
        sat = list(Player.objects.filter(sittings__seat__table=game.table_id).distinct())
        self.chance.shuffle(sat)
        seating.reseat_table(by_tests(), game, players=sat)

    def do_clear(self) -> None:
        game = self.pick(self.games(state="seated", event__state="open", counts=True))
        seating.clear_table(by_tests(), game)

    def do_restore_table(self) -> None:
        event = self.event(among=self.world.leagues)
        gone = [
            removed
            for round_ in Round.objects.filter(event=event).exclude(state="closed")
            for removed in removed_tables(event, round_)
        ]
        seating.restore_table(by_tests(), event, line=self.pick(gone)["line"])

    def do_change_players(self) -> None:
        games = self.games(counts=True, hands_counted__gt=0)
        game = self.pick(games.filter(event__in=[*self.world.leagues, *self.world.tied]))
        sat = Sitting.objects.filter(seat__table=game.table_id)
        seats = dict(sat.order_by("from_hand").values_list("seat__number", "player__player_id"))
        seat = self.pick(sorted(seats))
        act = self.chance.choice(ACTS)
        others = Sitting.objects.filter(round=game.table.round_id, to_hand=None)
        people = [player.player_id for player in self.world.people]
        if act == "swap":
            people = list(others.values_list("player__player_id", flat=True).distinct())
        change = PlayerChange(
            act, seat, self.pick(people), hands=self.chance.choice(HANDS),
            from_hand=1 if act == "replace" else self.chance.randrange(1, 4),
        )  # fmt: skip
        change_players(by_tests(), game, change=change, reason="wrong seats")

    def do_undo_players(self) -> None:
        lines = Change.objects.filter(event__in=self.world.leagues, kind="change_players")
        newest = {(one.event_id, one.table): one for one in lines.order_by("pk")}
        line = self.pick(list(newest.values())[-20:])  # an earlier one has moved on
        game = self.games(table__code=line.table, event=line.event_id).first()
        if game is None:
            raise NothingThere
        undo_players(by_tests(), game, line=line.pk, reason="it was right")

    def do_move_hands(self) -> None:
        games = self.games(counts=True).filter(event__in=self.world.leagues)
        game = self.pick(games.filter(hands_counted__gt=0))
        to = self.pick(games.filter(event=game.event_id).exclude(pk=game.pk))
        act = self.chance.choice(["move", "exchange"])
        first = 1 if act == "exchange" else self.chance.randrange(1, 3)
        move_hands(by_tests(), game, to=to, act=act, from_hand=first, reason="wrong table")

    def do_undo_move(self) -> None:
        lines = Change.objects.filter(event__in=self.world.leagues, kind="move_hands")
        line = self.pick(list(lines.order_by("pk"))[-5:])
        game = self.games(table__code=line.table, event=line.event_id).first()
        if game is None:
            raise NothingThere
        undo_move(by_tests(), game, line=line.pk, reason="it was right")

    def do_complete(self) -> None:
        game = self.pick(self.games(state="playing", event__state="open", counts=True))
        move_game(by_tests(), game, to="complete")

    def do_go_on(self) -> None:
        game = self.pick(self.games(state="complete", counts=True, table__round__state="playing"))
        move_game(by_tests(), game, to="playing")

    def do_abandon(self) -> None:
        game = self.pick(self.games(state="playing", event__state="open", counts=True))
        move_game(
            by_tests(), game, to="abandoned", reason="too late",
            hands_count=self.chance.random() < 0.5,
        )  # fmt: skip

    def do_close_tables(self) -> None:
        close_tables(by_tests(), self.round("playing"))

    def do_make_round(self) -> None:
        event = self.event(among=self.world.leagues)
        if Round.objects.filter(event=event, state="draft").exists():
            raise NothingThere
        rounds.make_round(by_tests(), event)

    def do_remove_round(self) -> None:
        found = Round.objects.filter(state="draft", tables=None).select_related("event", "club")
        rounds.remove_round(by_tests(), self.pick(found))

    def do_close_round(self) -> None:
        unfinished = self.games().exclude(state__in=OVER).values("table__round")
        found = Round.objects.select_related("event", "club").filter(
            event__in=self.world.events, event__state="open", state__in=("posted", "playing")
        )
        found = found.exclude(stage__kind="playoff").exclude(pk__in=unfinished)
        self.move(self.pick(found.filter(tables__isnull=False).distinct()), "closed")

    def do_reopen_round(self) -> None:
        self.move(self.round("closed"), "playing")

    def do_post_or_draft(self) -> None:
        found = Round.objects.select_related("event", "club").filter(
            event__in=self.world.leagues, event__state="open", state__in=("draft", "posted")
        )
        found = found.filter(tables__isnull=False, tables__game__hands=None).distinct()
        round_ = self.pick(found)
        self.move(round_, "draft" if round_.state == "posted" else "posted")

    def do_sit_out(self) -> None:
        round_ = self.round("posted", "playing")
        entrant = self.pick(Entrant.objects.filter(event=round_.event))
        adjustments.sit_out(by_tests(), round_, entrant=entrant.code, reason="bye")

    def do_end_sit_out(self) -> None:
        sit_outs = SitOut.objects.filter(
            round__state__in=("posted", "playing"), event__state="open"
        )
        one = self.pick(sit_outs.select_related("round__event", "round__club", "entrant"))
        adjustments.end_sit_out(by_tests(), one.round, entrant=one.entrant.code)

    def do_link(self) -> None:
        tables = Table.objects.filter(event__in=self.world.events, game__state="playing")
        table = self.pick(tables.select_related("event", "club", "round"))
        table_links.make_link(by_tests(), table)

    def do_links(self) -> None:
        table_links.make_links(by_tests(), self.round("posted", "playing"))

    def do_revoke_links(self) -> None:
        table_links.revoke_links(by_tests(), self.event())


class HandOperations(RandomActor):
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
            by_tests(), hand.game, number=hand.number, based_on=hand.revision,
            reason="twice",
        )  # fmt: skip

    def do_restore(self) -> None:
        hand = self.hand(state="void", game__counts=True)
        self.record(hand.game, hand.number, based_on=hand.revision, reason="it was right")

    def do_file_disputed(self) -> None:
        game = self.open_game()
        file_disputed(
            by_tests(), game, number=self.next_number(game),
            entry=counts([1, 1, 1, 1], 0), key=None, reason="wrong total",
        )  # fmt: skip

    def do_settle(self) -> None:
        hand = self.hand(state="disputed")
        self.record(hand.game, hand.number, based_on=hand.revision, reason="settled")

    def do_verify_sheet(self) -> None:
        game = self.pick(self.games(state="playing", event__state="open", hands_counted__gt=0))
        hands = Hand.objects.filter(game=game).values_list("number", "state", "revision")
        confirm_sheet(by_tests(), game, compared_digest=digest_of_hands(list(hands)))

    def do_dispute(self) -> None:
        hand = self.hand(state="accepted")
        if Dispute.objects.filter(state="open").count() > 3:
            raise NothingThere
        words = f"wrong {self.chance.random()}"
        disputes.open_dispute(by_tests(), hand.game, number=hand.number, words=words)

    def _dispute(self) -> Dispute:
        found: Dispute = self.pick(Dispute.objects.filter(state="open").select_related("event"))
        found.event = self.event("open", "closed", among=[found.event_id])
        return found

    def do_rule(self) -> None:
        one = self._dispute()
        disputes.rule_on_dispute(by_tests(), one, to="rejected", ruling="no")

    def do_withdraw_dispute(self) -> None:
        one = self._dispute()
        disputes.withdraw_dispute(by_tests(), one)
