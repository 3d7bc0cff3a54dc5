"""Every act that changes an event, done to whatever is there: `Acts(world, seed).one()`.

An act looks for something it may be done to, so that it is done often, and does it through its
service. Others do theirs meanwhile, so that it may be refused all the same.
"""

import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

from scoring.errors import Problem, Refused
from tests.support.builders import TESTS, counts, ladder, league
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import imported
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.forms.hands.grid_rows import texts_of
from tournaments.models.changes import Change
from tournaments.models.clubs import Club, Player
from tournaments.models.disputes import Dispute
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.models.ledger import LedgerLine
from tournaments.models.meetings import Round, SitOut, Sitting, Table
from tournaments.models.outbox import Deadline, playoffs_scope
from tournaments.models.playoffs import LIVE, Playoff, is_unanswered
from tournaments.models.playoffs import OVER as OVER_PLAYOFFS
from tournaments.previewing.playoff_answers import answers_about
from tournaments.previewing.run_preview import HandRef, preview, save_as_previewed
from tournaments.publishing.history.build import make_piece
from tournaments.publishing.ladders.publish import publish_ladder
from tournaments.publishing.playoffs.review_cuts import review_cuts
from tournaments.publishing.playoffs.schedule_playoffs import schedule_playoffs
from tournaments.publishing.publish_event import publish
from tournaments.scheduled_jobs import run_deadline_job
from tournaments.selectors.jobs.queue import version_of
from tournaments.selectors.rounds.removed_tables import removed_tables
from tournaments.selectors.rounds.sheet_verification import digest_of
from tournaments.services.access import table_links
from tournaments.services.clubs.clubs import add_player
from tournaments.services.events import adjustments, change_settings, entrants, sit_outs
from tournaments.services.events.events import entrant_for, move_event
from tournaments.services.hands import disputes, void_hand
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.changed_tables import ACTS, HANDS, PlayerChange
from tournaments.services.hands.file_disputed import file_disputed
from tournaments.services.hands.games import move_game
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.imports.resolve_conflict import conflict_game, use_file_hand
from tournaments.services.imports.undo import request_undo, undo_steps
from tournaments.services.jobs.queue import finish_job
from tournaments.services.ladders import answer_challenge, challenge_results, withdraw_entrant
from tournaments.services.ladders.issue_challenge import issue_challenge
from tournaments.services.ladders.log import current_ladder
from tournaments.services.playoffs import director_actions
from tournaments.services.playoffs.neutral_players import free_chairs
from tournaments.services.rounds import rounds, seating
from tournaments.services.rounds.close_tables import close_tables
from tournaments.services.rounds.sheet_verification import confirm_sheet
from tournaments.services.stages import cuts as cuts_service
from tournaments.verification.recount import recount_now
from tournaments.views.hands.grid_screen import GridScreen

T = TypeVar("T")
KNOWN = (Refused, Conflict, Forbidden, Missing)
"""How an act may be refused."""
LATER = NOW + timedelta(days=2)
"""When the window of what is closed at NOW is over."""
OVER = rounds.OVER
PEOPLE = 24
MEMBERS = 20
TABLES = 6
"""A league is played at so many tables at most at a time; then rounds have to close."""
PLAYOFFS = 6
"""So many play-offs are played at most at a time."""
PLAYED_OFF = {"boundaries": {"title": 1}, "playoff": "extra_hands", "correction_window_h": 1}

MADE_BY = {
    "abandon": "enter", "accept": "challenge", "answer": "touch", "cancel": "accept",
    "clear": "seat", "close_round": "close_tables", "complete": "enter", "confirm": "result",
    "decline": "challenge", "dispute_result": "result", "end_sit_out": "sit_out", "enter": "seat",
    "extend": "tie", "file_disputed": "seat", "finalise": "close_event", "go_on": "complete",
    "gone": "tie", "grid": "seat", "link": "enter", "lots": "tie", "neutral": "tie",
    "playoff_correct": "playoff_hand",
    "playoff_hand": "tie", "playoff_void_hand": "playoff_hand", "post_or_draft": "seat",
    "read_back": "enter", "remove_round": "make_round", "reopen_event": "close_event",
    "reseat": "seat", "result": "accept", "return": "withdraw", "rule": "dispute",
    "seat": "close_tables", "settle": "file_disputed", "sit_out": "seat", "undo_cut": "cut",
    "undo_import": "import", "import_conflict": "enter", "use_file_hand": "import_conflict",
    "change_players": "enter", "undo_players": "change_players",
    "restore_table": "clear", "void_playoff": "tie", "waive": "tie", "withdraw_dispute": "dispute",
    "withdraw_line": "ledger", "touch": "lots",
}  # fmt: skip
"""Act → what makes something that it may be done to."""

Games = QuerySet[Game]


class NothingThere(Exception):
    """There is nothing that the act could be done to."""


@dataclass
class World:
    """A club, its events by what they are for, and what became of each act."""

    club: Club
    people: list[Player]
    leagues: list[int]
    cutting: int
    ladder: int
    tied: list[int] = field(default_factory=list)
    accepted: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    slowest: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    moments: Iterator[int] = field(default_factory=count)

    @property
    def events(self) -> list[int]:
        """All but the ladder."""
        return [*self.leagues, self.cutting, *self.tied]

    def table_of_acts(self) -> str:
        """Say what became of each act."""
        names = sorted({*self.accepted, *self.refused})
        rows = [f"{'act':<20}{'accepted':>9}{'refused':>9}{'slowest ms':>11}"]
        rows += [
            f"{one:<20}{self.accepted[one]:>9}{self.refused[one]:>9}{self.slowest[one]:>11}"
            for one in names
        ]
        return "\n".join([*rows, f"refused for: {dict(self.codes.most_common())}"])


def make_world() -> World:
    """Two leagues, one of which drops games, an event before a cut, and a ladder."""
    club = enter_the_cast().riverside
    people = [
        add_player(actor=TESTS, club=club, name=f"Player {at}", player_id=f"P{at:02d}", now=NOW)
        for at in range(1, PEOPLE + 1)
    ]
    scheme = {"primary": "placement_points", "drop_worst": 1, "correction_window_h": 1}
    leagues = [
        league(club, slug="plain", settings={"correction_window_h": 1}),
        league(club, slug="dropping", settings=scheme),
    ]
    cutting = league(club, slug="cutting")
    for at in range(0, 8, 4):
        game = seating.seat_table(
            actor=TESTS, event=cutting, round_number=1, players=people[at : at + 4], now=NOW
        )
        record_entry(
            actor=TESTS, game=game, number=1, entry=counts([4 + at, 5 - at, 4, 0], 2), now=NOW,
            source="host",
        )  # fmt: skip
    first = Round.objects.get(event=cutting)
    close_tables(actor=TESTS, round_=first, now=NOW)
    rounds.move_round(actor=TESTS, round_=first, to="closed", now=NOW)
    climbed = ladder(club, slug="climbed", rules={"rematch_days": 0})
    for place, player in enumerate(people[:MEMBERS], start=1):
        entrant = entrant_for(event=climbed, player=player)
        Entrant.objects.filter(pk=entrant.pk).update(start_position=place)
    publish(climbed.pk, now=NOW)
    publish_ladder(climbed.pk, now=NOW)
    return World(club, people, [one.pk for one in leagues], cutting.pk, climbed.pk)


class Acts:
    """One person's acts, by chance."""

    def __init__(self, world: World, seed: int, place: Path | None = None) -> None:
        self.world = world
        self.chance = random.Random(seed)  # noqa: S311 - a draw that can be made again
        self.place = place or Path(tempfile.mkdtemp())
        self.name = f"{seed}"
        self.files = 0
        self.acts: dict[str, Callable[[], object]] = {
            name.removeprefix("do_"): getattr(self, name)
            for name in dir(self)
            if name.startswith("do_")
        }

    def one(self) -> None:
        """Do one act: of some that come by chance, the one that was done least often."""
        drawn = self.chance.sample(sorted(self.acts), 6)
        self.do(
            min(drawn, key=lambda one: self.world.accepted[one] + self.world.refused[one] // 10)
        )

    def do(self, name: str) -> None:
        """Do an act; where there is nothing for it, what makes something."""
        began = time.monotonic()
        try:
            self.acts[name]()
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

    # --- what there is ---------------------------------------------------------------------

    def pick(self, rows: Iterable[T]) -> T:
        """Return one of some rows."""
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
            actor=TESTS, game=game, number=number, now=NOW, source="host",
            entry=entry, based_on=based_on, reason=reason,
        )  # fmt: skip

    def next_number(self, game: Game) -> int:
        last = Hand.objects.filter(game=game).order_by("-number").first()
        return (last.number if last else 0) + 1

    # --- hands -----------------------------------------------------------------------------

    def do_enter(self) -> None:
        game = self.open_game()
        self.record(game, self.next_number(game))

    def do_grid(self) -> None:
        """Two new hands and a changed one at once, as a secretary sends them."""
        game = self.open_game()
        desk = GridScreen(game.event, game.table.code)
        if desk.is_empty or desk.has_totals:
            raise NothingThere
        last = self.next_number(game)
        there = [one for one in desk.hands.values() if one.state == "accepted"][:1]
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
        void_hand.void_hand(
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

    def do_read_back(self) -> None:
        game = self.pick(self.games(state="playing", event__state="open", hands_counted__gt=0))
        hands = Hand.objects.filter(game=game).values_list("number", "state", "revision")
        confirm_sheet(actor=TESTS, game=game, seen=digest_of(list(hands)), now=NOW)

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

    # --- tables and rounds -----------------------------------------------------------------

    def do_seat(self) -> None:
        event = self.event(among=self.world.leagues)
        last = Round.objects.filter(event=event).order_by("-number").first()
        is_open = last is not None and last.state != "closed"
        number = (last.number if last else 0) + (0 if is_open and self.chance.random() < 0.8 else 1)
        if self.games(event=event, state__in=("seated", "playing")).count() >= TABLES:
            raise NothingThere
        sat = Sitting.objects.filter(round__event=event, round__number=number)
        taken = set(sat.values_list("player_id", flat=True))
        free = [one for one in self.world.people if one.pk not in taken]
        if len(free) < 4:
            raise NothingThere
        seating.seat_table(
            actor=TESTS, event=event, round_number=number, players=self.chance.sample(free, 4),
            now=NOW, on=NOW.date() + timedelta(days=number),
        )  # fmt: skip

    def do_reseat(self) -> None:
        game = self.pick(self.games(state="seated", event__state="open", counts=True))
        sat = list(Player.objects.filter(sittings__seat__table=game.table_id).distinct())
        self.chance.shuffle(sat)
        seating.reseat_table(actor=TESTS, game=game, players=sat, now=NOW)

    def do_clear(self) -> None:
        game = self.pick(self.games(state="seated", event__state="open", counts=True))
        seating.clear_table(actor=TESTS, game=game, now=NOW)

    def do_restore_table(self) -> None:
        event = self.event(among=self.world.leagues)
        gone = [
            one
            for round_ in Round.objects.filter(event=event).exclude(state="closed")
            for one in removed_tables(event, round_)
        ]
        seating.restore_table(actor=TESTS, event=event, line=self.pick(gone).line, now=NOW)

    def do_change_players(self) -> None:
        games = self.games(counts=True, hands_counted__gt=0)
        game = self.pick(games.filter(event__in=[*self.world.leagues, *self.world.tied]))
        sat = Sitting.objects.filter(seat__table=game.table_id)
        seats = dict(sat.order_by("from_hand").values_list("seat__number", "player__player_id"))
        seat = self.pick(sorted(seats))
        act = self.chance.choice(ACTS)
        others = Sitting.objects.filter(round=game.table.round_id, to_hand=None)
        people = [one.player_id for one in self.world.people]
        if act == "swap":
            people = list(others.values_list("player__player_id", flat=True).distinct())
        wanted = PlayerChange(
            act, seat, self.pick(people), hands=self.chance.choice(HANDS),
            from_hand=1 if act == "replace" else self.chance.randrange(1, 4),
        )  # fmt: skip
        change_players(actor=TESTS, game=game, wanted=wanted, reason="wrong seats", now=NOW)

    def do_undo_players(self) -> None:
        lines = Change.objects.filter(event__in=self.world.leagues, kind="change_players")
        newest = {(one.event_id, one.table): one for one in lines.order_by("pk")}
        line = self.pick(list(newest.values())[-20:])  # an earlier one has moved on
        game = self.games(table__code=line.table, event=line.event_id).first()
        if game is None:
            raise NothingThere
        undo_players(actor=TESTS, game=game, line=line.pk, reason="it was right", now=NOW)

    def do_complete(self) -> None:
        game = self.pick(self.games(state="playing", event__state="open", counts=True))
        move_game(actor=TESTS, game=game, to="complete", now=NOW)

    def do_go_on(self) -> None:
        game = self.pick(self.games(state="complete", counts=True, table__round__state="playing"))
        move_game(actor=TESTS, game=game, to="playing", now=NOW)

    def do_abandon(self) -> None:
        game = self.pick(self.games(state="playing", event__state="open", counts=True))
        move_game(
            actor=TESTS, game=game, to="abandoned", now=NOW, reason="too late",
            hands_count=self.chance.random() < 0.5,
        )  # fmt: skip

    def do_close_tables(self) -> None:
        close_tables(actor=TESTS, round_=self.round("playing"), now=NOW)

    def do_make_round(self) -> None:
        event = self.event(among=self.world.leagues)
        if Round.objects.filter(event=event, state="draft").exists():
            raise NothingThere
        rounds.make_round(actor=TESTS, event=event, now=NOW)

    def do_remove_round(self) -> None:
        found = Round.objects.filter(state="draft", tables=None).select_related("event", "club")
        rounds.remove_round(actor=TESTS, round_=self.pick(found), now=NOW)

    def do_close_round(self) -> None:
        unfinished = self.games().exclude(state__in=OVER).values("table__round")
        found = Round.objects.select_related("event", "club").filter(
            event__in=self.world.events, event__state="open", state__in=("posted", "playing")
        )
        found = found.exclude(stage__kind="playoff").exclude(pk__in=unfinished)
        self._move(self.pick(found.filter(tables__isnull=False).distinct()), "closed")

    def do_reopen_round(self) -> None:
        self._move(self.round("closed"), "playing")

    def do_post_or_draft(self) -> None:
        found = Round.objects.select_related("event", "club").filter(
            event__in=self.world.leagues, event__state="open", state__in=("draft", "posted")
        )
        found = found.filter(tables__isnull=False, tables__game__hands=None).distinct()
        round_ = self.pick(found)
        self._move(round_, "draft" if round_.state == "posted" else "posted")

    def _move(self, round_: Round, to: str) -> None:
        rounds.move_round(actor=TESTS, round_=round_, to=to, now=NOW, reason="a mistake")

    def do_sit_out(self) -> None:
        round_ = self.round("posted", "playing")
        entrant = self.pick(Entrant.objects.filter(event=round_.event))
        sit_outs.sit_out(actor=TESTS, round_=round_, entrant=entrant.code, reason="bye", now=NOW)

    def do_end_sit_out(self) -> None:
        found = SitOut.objects.filter(round__state__in=("posted", "playing"), event__state="open")
        one = self.pick(found.select_related("round__event", "round__club", "entrant"))
        sit_outs.end_sit_out(actor=TESTS, round_=one.round, entrant=one.entrant.code, now=NOW)

    def do_link(self) -> None:
        tables = Table.objects.filter(event__in=self.world.events, game__state="playing")
        table = self.pick(tables.select_related("event", "club", "round"))
        table_links.make_link(actor=TESTS, table=table, now=NOW)

    def do_links(self) -> None:
        table_links.make_links(actor=TESTS, round_=self.round("posted", "playing"), now=NOW)

    def do_revoke_links(self) -> None:
        table_links.revoke_links(actor=TESTS, event=self.event(), now=NOW)

    # --- events ----------------------------------------------------------------------------

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
            self._look(event)

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
        self._look(event)
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
        change_settings.change_settings(
            actor=TESTS, event=event, wanted=wanted, now=NOW, reason="agreed"
        )

    def do_recount(self) -> None:
        recount_now(self.chance.choice(self.world.leagues), now=NOW)

    def do_ledger(self) -> None:
        event = self.event()
        adjustments.add_line(
            actor=TESTS, event=event, entrant=self.pick(Entrant.objects.filter(event=event)).code,
            kind="penalty", amount="1", reason="late", now=NOW,
        )  # fmt: skip

    def do_withdraw_line(self) -> None:
        found = LedgerLine.objects.filter(event__in=self.world.events, withdrawn_at=None)
        line = self.pick(found.select_related("event__club"))
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
        withdraw_entrant.move_entrant(
            actor=TESTS, event=one.event, code=one.code, to="withdrawn", reason="away", now=NOW
        )

    def do_return(self) -> None:
        one = self._entrant("withdrawn")
        withdraw_entrant.move_entrant(
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

    # --- imports ---------------------------------------------------------------------------

    def do_import(self) -> None:
        event = self.event(among=self.world.leagues)
        sat = self.games(event=event, state__in=("playing", "complete"))
        sat = sat.filter(table__round__state="playing")
        rows = ["date,round,table,hand,seat,player_id,hearts,queen_spades"]
        last = Round.objects.filter(event=event).order_by("-number").first()
        number = (last.number if last else 0) + 1
        people = self.chance.sample(self.world.people, 4)
        rows += self._rows(number, 1, 1, people)
        if (game := sat.order_by("?").first()) is not None:
            there = Sitting.objects.filter(seat__table=game.table_id, to_hand=None)
            own = [one.player for one in there.order_by("seat__number").select_related("player")]
            if len(own) == 4:
                rows += self._rows(
                    game.table.round.number, game.table.number, self.chance.randrange(100, 900), own
                )
        self.files += 1
        path = self.place / f"{self.name}-{self.files}.csv"
        path.write_text("\n".join(rows))
        if not imported(path, event=event.slug, now=NOW).accepted:
            raise Refused(Problem("nothing_accepted"))

    def _rows(self, number: int, at: int, hand: int, people: Sequence[Player]) -> list[str]:
        day = (NOW.date() + timedelta(days=number)).isoformat()
        hearts = self.chance.choice([(4, 1, 2, 6), (1, 5, 5, 2), (3, 3, 3, 4)])
        before = f"{day},{number},{at},{hand}"
        return [
            f"{before},{'NESW'[seat]},{one.player_id},{hearts[seat]},{int(seat == 3)}"
            for seat, one in enumerate(people)
        ]

    def do_import_conflict(self) -> None:
        """Import a hand that is there with other counts: it waits for somebody to choose."""
        found = Hand.objects.filter(
            game__event__in=self.world.leagues, state="accepted", number__gt=0,
            game__event__state="open", game__table__round__state="playing",
        )  # fmt: skip
        hand = self.pick(found.select_related("game__table__round", "game__event"))
        there = Sitting.objects.filter(seat__table=hand.game.table_id, to_hand=None)
        own = [one.player for one in there.order_by("seat__number").select_related("player")]
        if len(own) != 4:
            raise NothingThere
        at = hand.game.table
        rows = ["date,round,table,hand,seat,player_id,hearts,queen_spades"]
        rows += self._rows(at.round.number, at.number, hand.number, own)
        self.files += 1
        path = self.place / f"{self.name}-{self.files}.csv"
        path.write_text("\n".join(rows))
        imported(path, event=hand.game.event.slug, now=NOW)

    def do_use_file_hand(self) -> None:
        found = ImportProblem.objects.filter(code="hand_exists", state="open")
        problem = self.pick(found.select_related("batch__event__club", "batch__club"))
        game = conflict_game(problem, problem.batch.event)
        assert problem.hand is not None
        hand = game.hands.filter(number=problem.hand).first()  # or somebody took it away
        use_file_hand(
            actor=TESTS, problem=problem, based_on=hand.revision if hand else 1,
            reason="as on paper", now=NOW,
        )  # fmt: skip

    def do_undo_import(self) -> None:
        brought = Q(added__gt=0) | Q(replacements__isnull=False)
        found = ImportBatch.objects.filter(brought, state="done", event__state="open")
        batch = self.pick(found.select_related("event__club"))
        request_undo(actor=TESTS, batch=batch, now=NOW)
        self._undo(batch)

    def _undo(self, batch: ImportBatch) -> None:
        for _ in undo_steps(batch, now=NOW):
            pass

    # --- play-offs -------------------------------------------------------------------------

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
        # Two who are level need a third at their table: a chair for somebody neutral.
        entry = counts([2, 2, 4, 5], 3) if len(self.world.tied) % 2 else counts([4, 4, 4, 1], 3)
        self.record(game, 1, entry=entry)
        round_ = Round.objects.select_related("event", "club").get(event=event)
        close_tables(actor=TESTS, round_=round_, now=NOW)
        self._move(round_, "closed")
        move_event(actor=TESTS, event=event, to="closed", now=NOW)
        self._look(event)

    def _look(self, event: Event) -> None:
        publish(event.pk, now=NOW)
        scope = playoffs_scope(event.pk)
        version = version_of(scope)
        schedule_playoffs(event.pk, now=NOW)
        review_cuts(event.pk, now=NOW)
        finish_job(scope, version, now=NOW)

    def do_look(self) -> None:
        self._look(self.event("closed", "final"))

    def _playoffs(self) -> QuerySet[Playoff]:
        found = Playoff.objects.filter(state__in=LIVE, is_waived=False)
        return found.select_related("event__club", "club")

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
        void_hand.void_hand(
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
        one = self.pick([one for one in self._playoffs() if free_chairs(one)])
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
        self._look(event)

    def _asked(self) -> Playoff:
        found = Playoff.objects.filter(state__in=OVER_PLAYOFFS, asked__isnull=False)
        rows = [one for one in found.select_related("event__club") if is_unanswered(one.asked)]
        one: Playoff = self.pick(rows)
        return one

    def do_answer(self) -> None:
        one = self._asked()
        answers_about(one.event, one.number, actor=TESTS, now=NOW)
        director_actions.answer_playoff(
            actor=TESTS, event=one.event, number=one.number,
            answer=self.chance.choice(director_actions.ANSWERS), reason="agreed", now=NOW,
        )  # fmt: skip

    # --- the ladder ------------------------------------------------------------------------

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
        issue_challenge(
            actor=TESTS,
            event=event,
            challenger=order[at],
            challenged=order[at - 1],
            now=self.then(),
        )

    def then(self) -> datetime:
        """A moment of the ladder's, after the last one."""
        return NOW + timedelta(seconds=next(self.world.moments))

    def _answer(self, one: Challenge, to: str, **more: Any) -> None:
        moment = max(filter(None, (one.issued_at, one.accepted_at, one.played_at)))
        answer_challenge.answer_challenge(
            actor=TESTS, event=one.event, number=one.number, to=to,
            now=moment + timedelta(minutes=5), reason="agreed", **more,
        )  # fmt: skip

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
        points = dict(zip(codes, self.chance.sample((10, 20, 30, 40), 4), strict=True))
        challenge_results.enter_result(
            actor=TESTS, event=one.event, number=one.number, points=points,
            now=(one.accepted_at or NOW) + timedelta(minutes=5),
        )  # fmt: skip

    def do_confirm(self) -> None:
        self._answer(self._challenge("played"), "confirmed")

    def do_dispute_result(self) -> None:
        self._answer(self._challenge("played"), "accepted")

    # --- workers ---------------------------------------------------------------------------

    def do_publish(self) -> None:
        publish(self.chance.choice([*self.world.events, self.world.ladder]), now=NOW)

    def do_publish_ladder(self) -> None:
        publish(self.world.ladder, now=NOW)
        publish_ladder(self.world.ladder, now=NOW)

    def do_companions(self) -> None:
        make_piece(self.chance.choice(self.world.leagues))
