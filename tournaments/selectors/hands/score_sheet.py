"""One table's sheet, hand by hand, with every revision.

The number of queries is fixed; it does not grow with hands, seats or revisions.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from django.utils.translation import gettext

from scoring.engine.progress import GameState, lives_after
from scoring.entry.sheet import boxes, hand_total, written_total
from scoring.json_types import JsonObject
from scoring.numbers import ScoreJson, score_json
from scoring.rules.dealing import pass_of
from scoring.rules.rules import Keys, Rules
from scoring.rules.types import Play
from scoring.rules_card.playing import pass_text, reminders
from scoring.rules_card.wording import sentence_text
from tournaments.domain.figures import in_short
from tournaments.domain.repeated_hands import HandLine, repeated_hands
from tournaments.errors import Missing, first_or_missing
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.rounds import Seat, Sitting, Table
from tournaments.selectors.clubs.clubs import readable_rounds
from tournaments.selectors.clubs.names import name_column, texts_for, with_role_of
from tournaments.selectors.events.events import tables_of_event
from tournaments.selectors.hands.decisions import Standing, standing
from tournaments.selectors.hands.disputes import count_open_by_number
from tournaments.selectors.hands.entry_display import (
    Deletion,
    DisplayedEntry,
    SeatEntry,
    bylines,
    displayed_entry,
    find_deletions,
)
from tournaments.selectors.hands.games import OVER
from tournaments.selectors.hands.score_sheet_views import (
    Finish,
    HandView,
    Revision,
    ScoreCell,
    SeatView,
    SheetPlayoff,
    SideView,
    TableSeats,
    TableSheet,
    booked,
    format_cards,
    moon_view,
    place_of,
)


def table_sheet(event: Event, code: str) -> TableSheet:
    """Return the sheet of the table under `code`, hand by hand.

    If the event has no such table, the facts of the refusal list the tables of its round.
    """
    return stored_table(event, code)[0]


def stored_table(event: Event, code: str) -> tuple[TableSheet, Game, Sequence[Seat]]:
    """Return the sheet of the table under `code`, its game and its seats in order.

    The game has its event, club, snapshot, table and round.
    """
    table = _get_table(event, code)
    column = name_column(event)
    rows = list(Seat.objects.filter(table=table).order_by("number"))
    sittings = Sitting.objects.filter(seat__table=table).select_related("player")
    of_seat: dict[int, list[Sitting]] = defaultdict(list)
    for sitting in sittings.order_by("from_hand"):
        of_seat[sitting.seat_id].append(sitting)
    people = {sitting.player_id for rows_of_seat in of_seat.values() for sitting in rows_of_seat}
    members = EntrantMember.objects.filter(event=table.event, player__in=people)
    entrants = dict(members.values_list("player_id", "entrant__code"))
    seats = TableSeats(rows, of_seat, column, entrants)
    return _get_sheet(event, table, seats), table.game, seats.rows


def _get_sheet(event: Event, table: Table, seats: TableSeats) -> TableSheet:
    game = table.game
    round_ = table.round
    people = tuple(seats.at(None).values())
    rules = Rules.from_json(game.snapshot.rules, stored=True)
    paper = _Paper(rules, people)
    hands = _with_lives(rules, _with_repeats(_list_hands(event, table, seats, paper)))
    standings: Sequence[Standing] = ()
    decision = None
    if game.hands_counted and game.progress:
        state = GameState.from_json(rules, game.progress)
        length = str(event.settings.get("length", "variant")) if game.counts else "open"
        is_over = game.state in OVER
        standings, decision = standing(rules, state, people, is_over=is_over, length=length)
    playoff = _find_playoff(table)
    if playoff and playoff.totals and rules.keys.teams.mode in ("none", "pooled"):
        hands, standings, decision = _from_zero(hands, playoff), (), None
    neighbours = Table.objects.filter(round=table.round_id).order_by("number")
    plan = None
    if round_.plan_id is not None and round_.plan_round is not None:
        plan = round_.plan_id, round_.plan_round
    return TableSheet(
        code=table.code,
        number=table.number,
        round_number=round_.number,
        round_state=round_.state,
        date=round_.meeting.date if round_.meeting else None,
        state=game.state,
        variant=game.snapshot.variant,
        variant_name=game.snapshot.variant_name,
        seats=people,
        hands=hands,
        finishes=_finishes(people, hands, standings, paper),
        neighbours=tuple(neighbours.values_list("number", "code")),
        playoff=playoff,
        decision=decision,
        plan=plan,
        moves=game.moves,
    )


class _Paper:
    """The rules' effects on paper: shared columns, and cards that occur several times."""

    def __init__(self, rules: Rules, seats: Sequence[SeatView]) -> None:
        self.rules = rules
        self.n = len(seats)
        teams = rules.keys.teams
        self.sides = teams.shape if teams.mode == "pooled" else ()
        least, most = rules.keys.players
        self.is_known = least <= self.n <= most
        form_boxes = boxes(rules, self.n) if self.is_known else ()
        self.copies = {
            box.card: box.maximum or 1 for box in form_boxes if box.kind == "card" and box.card
        }
        self._side_of = {seat: side for side in self.sides for seat in side}

    def typed(self, entry: JsonObject) -> DisplayedEntry:
        return displayed_entry(entry, self.n, sides=self.sides, copies=self.copies)

    def side(self, place: int, seats: Sequence[SeatView]) -> SideView | None:
        """Who shares the column of a seat (from 0); None where it has one of its own."""
        side = self._side_of.get(place)
        if not side:
            return None
        return SideView(tuple(seats[index] for index in side))

    def unclaimed(self, entry: JsonObject) -> tuple[str, tuple[ScoreJson, ScoreJson] | None]:
        cards = entry.get("unclaimed")
        if not (self.is_known and isinstance(cards, list) and cards):
            return "", None
        whole = hand_total(self.rules, self.n)
        rest = whole - written_total(self.rules, self.n, 0, [str(card) for card in cards])
        return format_cards(", ".join(map(str, cards))), (score_json(rest), score_json(whole))


def lines_of_entry(
    rules: Rules, seats: Sequence[SeatView], entry: JsonObject
) -> tuple[tuple[SideView, SeatEntry], ...]:
    """Return what an entry that is not stored says of each player, or of each side."""
    paper = _Paper(rules, seats)
    typed = paper.typed(entry)
    sides = paper.sides or tuple((index,) for index in range(paper.n))
    return tuple(
        (SideView(tuple(seats[index] for index in side)), typed.seats[side[0]]) for side in sides
    )


def _with_repeats(hands: Sequence[HandView]) -> Sequence[HandView]:
    """Note at each hand that equals the one before it which one that is."""
    lines = [
        HandLine(
            hand.number,
            hand.entry,
            people=tuple(cell.seat.player_id for cell in hand.cells),
            moon=None if hand.moon is None else {**hand.moon, "by": list(hand.moon["by"])},
            board=hand.board,
        )
        for hand in hands
        if hand.state != "void"
    ]
    repeated = repeated_hands(lines)
    return [replace(hand, repeats=repeated.get(hand.number)) for hand in hands]


def _with_lives(rules: Rules, hands: Sequence[HandView]) -> tuple[HandView, ...]:
    if rules.keys.lives is None:
        return tuple(hands)
    lives: tuple[int, ...] = ()
    with_lives = []
    for hand in hands:
        booked = [rules.number(cell.score) for cell in hand.cells]
        scores = [score for score in booked if score is not None]
        if hand.number and len(scores) == len(hand.cells):
            before = lives or (rules.keys.lives.start,) * len(scores)
            lives = lives_after(rules, before, scores)
            cells = tuple(
                replace(cell, lives=now, lost_life=now < then)
                for cell, now, then in zip(hand.cells, lives, before, strict=True)
            )
            with_lives.append(replace(hand, cells=cells))
        else:
            with_lives.append(hand)
    return tuple(with_lives)


def pass_in_words(play: Play, seats: int, way: str | None) -> str:
    if not way:
        return ""
    return sentence_text(pass_text(play, seats, way), gettext)


def reminders_in_words(keys: Keys) -> str:
    return " ".join(sentence_text(text, gettext) for text in reminders(keys))


def _find_playoff(table: Table) -> SheetPlayoff | None:
    """Return the play-off of a table's stage; one query where its game does not count."""
    playoff = (
        None if table.game.counts else Playoff.objects.filter(stage=table.round.stage_id).first()
    )
    if playoff is None:
        return None
    totals = (playoff.standing or {}).get("totals", {}).get(table.code, {})
    is_live = playoff.state in LIVE and not playoff.is_waived
    is_closed = is_live and table.round.state == "closed"
    moved_to = max((leg["round"] or 0 for leg in playoff.legs), default=0) if is_closed else None
    return SheetPlayoff(playoff.number, is_live, totals, moved_to)


def _from_zero(hands: Sequence[HandView], playoff: SheetPlayoff) -> tuple[HandView, ...]:
    """The hands with the totals that the play-off has; who does not play for a place has none."""
    return tuple(
        replace(
            hand,
            cells=tuple(
                replace(cell, total=_total(totals.get(cell.seat.entrant_id))) for cell in hand.cells
            ),
        )
        for hand in hands
        for totals in [playoff.totals.get(str(hand.number), {})]
    )


def _total(text: str | None) -> ScoreJson | None:
    if text is None:
        return None
    return score_json(Fraction(text))


def _get_table(event: Event, code: str) -> Table:
    table = (
        tables_of_event(event)
        .filter(code=code)
        .select_related("event", "club", "round__meeting", "game__snapshot")
        .first()
    )
    if table is not None:
        table.game.event, table.game.club = with_role_of(event, table.event), table.club
        return table
    facts: dict[str, int | str] = {"table": code}
    number, dot, _ = code.removeprefix("r").partition("t")
    if dot and number.isdecimal() and len(number) < 10:
        tables = tables_of_event(event).filter(round__number=int(number)).order_by("number")
        numbers = in_short(tables.values_list("number", flat=True))
        facts |= {"round": int(number), "tables": numbers}
    raise Missing("table", facts)


def _list_hands(
    event: Event, table: Table, seats: TableSeats, paper: _Paper
) -> tuple[HandView, ...]:
    entries: dict[int, list[Entry]] = {}
    hands: dict[int, Hand] = {}
    rows = Entry.objects.filter(hand__game=table.game).select_related("hand__board", "batch")
    for entry in rows.order_by("hand__number", "revision"):
        hands[entry.hand_id] = entry.hand
        entries.setdefault(entry.hand_id, []).append(entry)
    names = bylines(
        event, {entry.entered_by_id for revisions in entries.values() for entry in revisions}
    )
    say = texts_for(event)
    for entry in (entry for revisions in entries.values() for entry in revisions):
        entry.entered_as = names.get(entry.entered_by_id or 0, entry.entered_as)
        entry.reason, entry.note = say(entry.reason), say(entry.note)
    scores: dict[int, dict[int, SeatScore]] = {}
    for score in SeatScore.objects.filter(entry__hand__game=table.game):
        scores.setdefault(score.entry_id, {})[score.seat_id] = score
    voided = [(table.code, hand.number) for hand in hands.values() if hand.state == "void"]
    deletions = find_deletions(table.event, voided)
    disputes = count_open_by_number(table.event, table.code) if hands else {}
    play = paper.rules.keys.play
    n_seats = len(seats.rows)
    return tuple(
        _hand_view(
            hand,
            entries[hand.pk],
            scores.get(hand.entry_id or 0, {}),
            seats.at(hand.number),
            # The pass is that of the board, where there is one.
            pass_in_words(
                play,
                n_seats,
                pass_of(play, n_seats, hand.board.number if hand.board else hand.number),
            )
            if hand.number
            else "",
            deletions.get((table.code, hand.number), Deletion(""))
            if hand.state == "void"
            else None,
            say,
            disputes.get(hand.number, 0),
            paper,
        )
        for hand in hands.values()
    )


def _hand_view(
    hand: Hand,
    entries: Sequence[Entry],
    scores: Mapping[int, SeatScore],
    seats: Mapping[int, SeatView],
    passing: str,
    deletion: Deletion | None,
    say: Callable[[str], str],
    n_disputes: int,
    paper: _Paper,
) -> HandView:
    entry = next((row for row in entries if row.pk == hand.entry_id), entries[-1])
    display = paper.typed(entry.typed)
    earlier = [row for row in entries if row.revision < entry.revision]
    if not entry.reason:
        earlier = []  # entered as a new hand; those before belonged to another one
    was = paper.typed(earlier[-1].typed).seats if earlier else display.seats
    moon = entry.moon if hand.state == "accepted" else None
    shooters = tuple((moon or {}).get("by", ()))
    people = tuple(seats.values())
    cells = tuple(
        ScoreCell(
            view,
            *booked(scores.get(pk)),
            now,
            before if before != now else None,
            view.number in shooters,
            side=paper.side(index, people),
        )
        for index, ((pk, view), now, before) in enumerate(
            zip(seats.items(), display.seats, was, strict=True)
        )
    )
    unclaimed, claimed = paper.unclaimed(entry.typed)
    return HandView(
        number=hand.number,
        n_hands=hand.hands,
        board=hand.board.number if hand.board else None,
        state=hand.state,
        revision=hand.revision,
        verified=entry.verified,
        entry=entry.typed,
        moon=moon_view(moon, [cell.seat for cell in cells]),
        passing=passing,
        cells=cells,
        entered_by=entry.entered_as,
        entered_at=entry.entered_at,
        reason=entry.reason if deletion is None else say(deletion.reason),
        moved_to=None if deletion is None else place_of(deletion.moved_to),
        revisions=tuple(_revision(row, people, hand.entry_id, paper) for row in entries),
        n_disputes=n_disputes,
        unclaimed=unclaimed,
        claimed=claimed,
        is_undone=hand.is_undone,
    )


def _revision(
    entry: Entry, seats: tuple[SeatView, ...], counting: int | None, paper: _Paper
) -> Revision:
    return Revision(
        number=entry.revision,
        form=entry.form,
        entry=entry.typed,
        typed=paper.typed(entry.typed),
        entered_by=entry.entered_as,
        entered_at=entry.entered_at,
        source=entry.source,
        reason=entry.reason,
        note=entry.note,
        counts=entry.pk == counting,
        is_new=entry.revision == 1 or not entry.reason,
        seats=seats,
        file=entry.batch.file_name if entry.batch else "",
        is_by_person=entry.entered_by_id is not None,
        sides=paper.sides,
        copies=paper.copies,
    )


def _finishes(
    seats: Sequence[SeatView],
    hands: Sequence[HandView],
    standings: Sequence[Standing],
    paper: _Paper,
) -> tuple[Finish, ...]:
    counted = [hand for hand in hands if any(cell.total is not None for cell in hand.cells)]
    if counted:
        totals = [cell.total for cell in counted[-1].cells]
    else:
        totals = [None] * len(seats)
    unplaced: Standing = (None, False, None, "")
    if not counted or not standings:
        standings = [unplaced] * len(seats)
    return tuple(
        Finish(seat, total, *stands, side=paper.side(place, seats))
        for place, (seat, total, stands) in enumerate(zip(seats, totals, standings, strict=True))
    )


def get_game(event: Event, code: str) -> Game:
    """Return the game at a table of `event`, with what a service needs to judge a hand of it."""
    games = Game.objects.select_related("event", "club", "snapshot", "table__round")
    games = games.filter(readable_rounds(event, "table__round__"), event=event, table__code=code)
    game = first_or_missing(games, "table", table=code)
    with_role_of(event, game.event)
    return game
