"""One table's sheet, hand by hand, with every revision.

The number of queries is fixed; it does not grow with hands, seats or revisions.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from django.utils.translation import gettext

from scoring.engine.progress import GameState, lives_after
from scoring.entry.sheet import boxes, hand_total, written_total
from scoring.json_types import JsonObject
from scoring.numbers import Score, ScoreJson, read_score, score_json
from scoring.rules.dealing import pass_of
from scoring.rules.rules import Keys, Rules
from scoring.rules.types import Play
from scoring.rules_card.playing import pass_text, reminders
from scoring.rules_card.wording import sentence_text
from tournaments.domain.figures import in_short
from tournaments.domain.repeated_hands import HandLine, repeated_hands
from tournaments.domain.replay_game import TOTALS
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
    PartOfSeat,
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

_UNPLACED: Final[Standing] = (None, False, None, "")


def table_sheet(event: Event, code: str) -> TableSheet:
    """Return the sheet of the table under `code`, hand by hand.

    If the event has no such table, the facts of the refusal list the tables of its round.
    """
    sheet, _game, _seats = stored_table(event, code)
    return sheet


def stored_table(event: Event, code: str) -> tuple[TableSheet, Game, Sequence[Seat]]:
    """Return the sheet of the table under `code`, its game and its seats in order.

    The game has its event, club, snapshot, table and round.
    """
    table = _get_table(event, code)
    seats = _get_seats(event, table)
    return _get_sheet(event, table, seats), table.game, seats.rows


def _get_seats(event: Event, table: Table) -> TableSeats:
    sittings = Sitting.objects.filter(seat__table=table).select_related("player")
    people = set()
    sittings_by_seat: dict[int, list[Sitting]] = defaultdict(list)
    for sitting in sittings.order_by("from_hand"):
        people.add(sitting.player_id)
        sittings_by_seat[sitting.seat_id].append(sitting)
    members = EntrantMember.objects.filter(event=table.event, player__in=people)
    return TableSeats(
        rows=list(Seat.objects.filter(table=table).order_by("number")),
        sittings=sittings_by_seat,
        column=name_column(event),
        entrants=dict(members.values_list("player_id", "entrant__code")),
    )


def _get_sheet(event: Event, table: Table, seats: TableSeats) -> TableSheet:
    game = table.game
    round_ = table.round
    people = tuple(seats.at(None).values())
    rules = Rules.from_json(game.snapshot.rules, stored=True)
    paper = _Paper(rules, people)
    hands: Sequence[HandView] = _list_hands(event, table, seats=seats, paper=paper)
    hands = _with_repeats(hands)
    hands = _with_lives(rules, hands)

    standings: Sequence[Standing] = ()
    decision = None
    if game.hands_counted and game.progress:
        state = GameState.from_json(rules, game.progress)
        is_over = game.state in OVER
        length = "open"
        if game.counts:
            length = str(event.settings.get("length", "variant"))
        standings, decision = standing(rules, state, people, is_over=is_over, length=length)

    playoff = _find_playoff(table)
    if playoff and playoff.totals and rules.keys.teams.mode in ("none", "pooled"):
        hands = _from_zero(hands, playoff)
        standings = ()
        decision = None

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
        hands=tuple(hands),
        finishes=_finishes(people, hands, standings=standings, paper=paper),
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
        self.n_seats = len(seats)
        teams = rules.keys.teams
        self.sides = teams.shape if teams.mode == "pooled" else ()
        self._side_of = {seat: side for side in self.sides for seat in side}

        least, most = rules.keys.players
        self.is_known = least <= self.n_seats <= most
        self.copies: dict[str, int] = {}
        if self.is_known:
            for box in boxes(rules, self.n_seats):
                if box.kind == "card" and box.card:
                    self.copies[box.card] = box.maximum or 1

    def typed(self, entry: JsonObject) -> DisplayedEntry:
        return displayed_entry(entry, self.n_seats, sides=self.sides, copies=self.copies)

    def side(self, place: int, seats: Sequence[SeatView]) -> SideView | None:
        """Who shares the column of a seat (from 0); None where it has one of its own."""
        side = self._side_of.get(place)
        if not side:
            return None
        return SideView(tuple(seats[index] for index in side))

    def unclaimed(self, entry: JsonObject) -> tuple[str, tuple[ScoreJson, ScoreJson] | None]:
        """Return the cards that nobody has, and the value of the others and of all cards.

        Without such cards the text is empty, and the values are None.
        """
        entered_cards = entry.get("unclaimed")
        if not (self.is_known and isinstance(entered_cards, list) and entered_cards):
            return "", None
        cards = [str(card) for card in entered_cards]
        whole = hand_total(self.rules, self.n_seats)
        rest = whole - written_total(self.rules, self.n_seats, hearts=0, cards=cards)
        return format_cards(", ".join(cards)), (score_json(rest), score_json(whole))


def lines_of_entry(
    rules: Rules, seats: Sequence[SeatView], entry: JsonObject
) -> tuple[tuple[SideView, SeatEntry], ...]:
    """Return what an entry that is not stored says of each player, or of each side."""
    paper = _Paper(rules, seats)
    typed = paper.typed(entry)
    sides = paper.sides or tuple((index,) for index in range(paper.n_seats))
    return tuple(
        (SideView(tuple(seats[index] for index in side)), typed.seats[side[0]]) for side in sides
    )


def _with_repeats(hands: Sequence[HandView]) -> Sequence[HandView]:
    """Note at each hand that equals the one before it which one that is."""
    lines = []
    for hand in hands:
        if hand.state == "void":
            continue
        moon = None
        if hand.moon is not None:
            # As it is stored, and as `same_entry` of the codec reads it: `by` is a list.
            moon = {**hand.moon, "by": list(hand.moon["by"])}
        line = HandLine(
            number=hand.number,
            entry=hand.entry,
            people=tuple(cell.seat.player_id for cell in hand.cells),
            moon=moon,
            board=hand.board,
        )
        lines.append(line)
    repeated = repeated_hands(lines)
    return [replace(hand, repeats=repeated.get(hand.number)) for hand in hands]


def _with_lives(rules: Rules, hands: Sequence[HandView]) -> Sequence[HandView]:
    """Note in each counted hand the lives that its seats have after it."""
    if rules.keys.lives is None:
        return hands
    start = rules.keys.lives.start
    lives: tuple[int, ...] = ()
    with_lives = []
    for hand in hands:
        numbers = [rules.number(cell.score) for cell in hand.cells]
        scores = [number for number in numbers if number is not None]
        if hand.number == TOTALS or len(scores) < len(hand.cells):
            with_lives.append(hand)
            continue
        lives_before = lives or (start,) * len(scores)
        lives = lives_after(rules, lives_before, scores)
        cells = []
        for cell, now, before in zip(hand.cells, lives, lives_before, strict=True):
            cells.append(replace(cell, lives=now, lost_life=now < before))
        with_lives.append(replace(hand, cells=tuple(cells)))
    return with_lives


def pass_in_words(play: Play, seats: int, way: str | None) -> str:
    if not way:
        return ""
    return sentence_text(pass_text(play, seats, way), gettext)


def reminders_in_words(keys: Keys) -> str:
    return " ".join(sentence_text(text, gettext) for text in reminders(keys))


def _find_playoff(table: Table) -> SheetPlayoff | None:
    """Return the play-off of a table's stage; one query where its game does not count."""
    if table.game.counts:
        return None
    playoff = Playoff.objects.filter(stage=table.round.stage_id).first()
    if playoff is None:
        return None

    is_live = playoff.state in LIVE and not playoff.is_waived
    moved_to = None
    if is_live and table.round.state == "closed":
        moved_to = max((leg["round"] or 0 for leg in playoff.legs), default=0)
    standing_json = playoff.standing or {}
    return SheetPlayoff(
        number=playoff.number,
        is_live=is_live,
        totals=standing_json.get("totals", {}).get(table.code, {}),
        moved_to=moved_to,
    )


def _from_zero(hands: Sequence[HandView], playoff: SheetPlayoff) -> Sequence[HandView]:
    """Return the hands with the totals of the play-off; who does not play for a place has none."""
    hands_from_zero = []
    for hand in hands:
        totals = playoff.totals.get(str(hand.number), {})
        cells = []
        for cell in hand.cells:
            total = totals.get(cell.seat.entrant_id)
            total_json = None if total is None else score_json(Fraction(total))
            cells.append(replace(cell, total=total_json))
        hands_from_zero.append(replace(hand, cells=tuple(cells)))
    return hands_from_zero


def _get_table(event: Event, code: str) -> Table:
    table = (
        tables_of_event(event)
        .filter(code=code)
        .select_related("event", "club", "round__meeting", "game__snapshot")
        .first()
    )
    if table is None:
        raise Missing("table", _facts_of_missing_table(event, code))
    table.game.event = with_role_of(event, table.event)
    table.game.club = table.club
    return table


def _facts_of_missing_table(event: Event, code: str) -> dict[str, int | str]:
    """Return the facts of the refusal; with the tables of the round if `code` begins as `r3t…`."""
    round_text, separator, _table = code.removeprefix("r").partition("t")
    if not separator or not round_text.isdecimal() or len(round_text) >= 10:
        return {"table": code}
    tables = tables_of_event(event).filter(round__number=int(round_text)).order_by("number")
    numbers = in_short(tables.values_list("number", flat=True))
    return {"table": code, "round": int(round_text), "tables": numbers}


def _list_hands(
    event: Event, table: Table, *, seats: TableSeats, paper: _Paper
) -> tuple[HandView, ...]:
    """Return the hands of a table by number, void ones among them."""
    entries = list(
        Entry.objects.filter(hand__game=table.game)
        .select_related("hand__board", "batch")
        .order_by("hand__number", "revision")
    )
    names = bylines(event, {entry.entered_by_id for entry in entries})
    display_text = texts_for(event)
    hands: dict[int, Hand] = {}
    entries_by_hand: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        entry.entered_as = names.get(entry.entered_by_id or 0, entry.entered_as)
        entry.reason = display_text(entry.reason)
        entry.note = display_text(entry.note)
        hands[entry.hand_id] = entry.hand
        entries_by_hand[entry.hand_id].append(entry)

    scores_by_entry: dict[int, dict[int, SeatScore]] = defaultdict(dict)
    for score in SeatScore.objects.filter(entry__hand__game=table.game):
        scores_by_entry[score.entry_id][score.seat_id] = score
    voided = [(table.code, hand.number) for hand in hands.values() if hand.state == "void"]
    deletions = find_deletions(table.event, voided)
    disputes: Mapping[int, int] = {}
    if hands:
        disputes = count_open_by_number(table.event, table.code)

    views = []
    for hand in hands.values():
        deletion = None
        if hand.state == "void":
            deletion = deletions.get((table.code, hand.number), Deletion(""))
            deletion = replace(deletion, reason=display_text(deletion.reason))
        view = _hand_view(
            hand,
            entries_by_hand[hand.pk],
            scores=scores_by_entry.get(hand.entry_id or 0, {}),
            seats=seats.at(hand.number),
            deletion=deletion,
            n_disputes=disputes.get(hand.number, 0),
            paper=paper,
        )
        views.append(view)
    return tuple(views)


def _hand_view(
    hand: Hand,
    entries: Sequence[Entry],
    *,
    scores: Mapping[int, SeatScore],
    seats: Mapping[int, SeatView],
    deletion: Deletion | None,
    n_disputes: int,
    paper: _Paper,
) -> HandView:
    """Return a hand; `entries` are its revisions in order, `scores` and `seats` by seat row."""
    entry = next((row for row in entries if row.pk == hand.entry_id), entries[-1])
    moon = entry.moon if hand.state == "accepted" else None
    cells = _score_cells(entry, entries, scores=scores, seats=seats, moon=moon, paper=paper)
    people = tuple(seats.values())
    unclaimed, claimed = paper.unclaimed(entry.typed)
    return HandView(
        number=hand.number,
        n_hands=hand.hands,
        board=hand.board.number if hand.board else None,
        state=hand.state,
        revision=hand.revision,
        verified=entry.verified,
        entry=entry.typed,
        moon=moon_view(moon, people),
        passing=_passing(hand, paper),
        cells=cells,
        entered_by=entry.entered_as,
        entered_at=entry.entered_at,
        reason=entry.reason if deletion is None else deletion.reason,
        moved_to=None if deletion is None else place_of(deletion.moved_to),
        revisions=tuple(
            _revision(row, people, counting=hand.entry_id, paper=paper) for row in entries
        ),
        n_disputes=n_disputes,
        unclaimed=unclaimed,
        claimed=claimed,
        is_undone=hand.is_undone,
    )


def _score_cells(
    entry: Entry,
    entries: Sequence[Entry],
    *,
    scores: Mapping[int, SeatScore],
    seats: Mapping[int, SeatView],
    moon: JsonObject | None,
    paper: _Paper,
) -> tuple[ScoreCell, ...]:
    """Return the cells of a hand, with what `entry` changed in the revision before it."""
    typed = paper.typed(entry.typed).seats
    typed_before = typed
    # One without a reason was entered as a new hand: those before it belong to another hand.
    if entry.reason:
        earlier = [row for row in entries if row.revision < entry.revision]
        if earlier:
            typed_before = paper.typed(earlier[-1].typed).seats

    shooters = tuple((moon or {}).get("by", ()))
    people = tuple(seats.values())
    cells = []
    for place, (seat_key, seat) in enumerate(seats.items()):
        score, total = booked(scores.get(seat_key))
        cell = ScoreCell(
            seat=seat,
            score=score,
            total=total,
            typed=typed[place],
            was=typed_before[place] if typed_before[place] != typed[place] else None,
            shot=seat.number in shooters,
            side=paper.side(place, people),
        )
        cells.append(cell)
    return tuple(cells)


def _passing(hand: Hand, paper: _Paper) -> str:
    """Return in words how cards are passed: by the board's number, where the hand has a board."""
    if hand.number == TOTALS:
        return ""
    number = hand.board.number if hand.board else hand.number
    play = paper.rules.keys.play
    return pass_in_words(play, paper.n_seats, way=pass_of(play, paper.n_seats, number))


def _revision(
    entry: Entry, seats: tuple[SeatView, ...], *, counting: int | None, paper: _Paper
) -> Revision:
    """Return an entry as a revision; `counting` is the key of the entry that counts."""
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
    *,
    standings: Sequence[Standing],
    paper: _Paper,
) -> tuple[Finish, ...]:
    """Return how each seat stands: its total after the last counted hand, and its place."""
    totals: Sequence[ScoreJson | None] = [None] * len(seats)
    counted = [hand for hand in hands if any(cell.total is not None for cell in hand.cells)]
    if counted:
        totals = [cell.total for cell in counted[-1].cells]
    if not counted or not standings:
        standings = [_UNPLACED] * len(seats)

    finishes = []
    rows = zip(seats, totals, standings, strict=True)
    for index, (seat, total, seat_standing) in enumerate(rows):
        place, is_tied, lives, far = seat_standing
        side = paper.side(index, seats)
        parts: Sequence[PartOfSeat] = ()
        if side is None:
            parts = _parts_of_seat(hand.cells[index] for hand in hands)
        finish = Finish(
            seat=seat,
            total=total,
            place=place,
            is_tied=is_tied,
            lives=lives,
            far=far,
            side=side,
            parts=parts,
        )
        finishes.append(finish)
    return tuple(finishes)


def _parts_of_seat(cells: Iterable[ScoreCell]) -> Sequence[PartOfSeat]:
    """Return what each player of one seat took; empty where one had all hands that count."""
    names: dict[str, str] = {}
    hands: Counter[str] = Counter()
    points: dict[str, Score] = {}
    for cell in cells:
        score = read_score(cell.score, pairs=True, stored=True)
        if score is None:
            continue
        player = cell.seat.player_id
        names[player] = cell.seat.player
        hands[player] += 1
        before = points.get(player)
        points[player] = score if before is None else before + score
    if len(names) < 2:
        return ()
    return [
        PartOfSeat(player, name, n_hands=hands[player], points=score_json(points[player]))
        for player, name in names.items()
    ]


def own_running_totals(
    cells: Iterable[tuple[HandView, ScoreCell]],
) -> Sequence[tuple[HandView, ScoreCell]]:
    """Return the cells of one who shared a seat, with totals over their own hands."""
    own: list[tuple[HandView, ScoreCell]] = []
    total: Score = 0
    for hand, cell in cells:
        score = read_score(cell.score, pairs=True, stored=True)
        if score is None:
            own.append((hand, cell))
            continue
        total += score
        own.append((hand, replace(cell, total=score_json(total))))
    return own


def get_game(event: Event, code: str) -> Game:
    """Return the game at a table of `event`, with what a service needs to judge a hand of it."""
    games = Game.objects.select_related("event", "club", "snapshot", "table__round")
    games = games.filter(readable_rounds(event, "table__round__"), event=event, table__code=code)
    game = first_or_missing(games, "table", table=code)
    with_role_of(event, game.event)
    return game
