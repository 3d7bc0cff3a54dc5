"""Tables of an event: a round's results in short, one table's sheet hand by hand, one hand.

Every function takes an event that `selectors.events.event_at` has let the actor read. The number of
queries is fixed for each; it does not grow with hands, seats or revisions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Final, TypeAlias

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.sheet import seat_names
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand, SeatScore
from tournaments.models.meetings import Round, Seat, Sitting, Table
from tournaments.models.numbers import as_json
from tournaments.models.standings import Contribution
from tournaments.selectors.sheets import Typed, TypedHand, laid_out

Number: TypeAlias = int | str | list[int | str]
"""A score as JSON writes it: 26, "26/3" or [re, im]."""

_PLACED: Final = ("entrant__code", "pk")
_COMPASS: Final = {"N": _("North"), "E": _("East"), "S": _("South"), "W": _("West")}
_PASSES: Final = {
    "left": _("left"),
    "right": _("right"),
    "across": _("across"),
    "hold": _("hold"),
}


@dataclass(frozen=True, slots=True)
class CardLine:
    """One entrant's result at a table; `place` is empty while nothing counts there."""

    place: str
    entrant_id: str
    name: str
    points: Number | None
    moons: int
    is_win: bool


@dataclass(frozen=True, slots=True)
class TableCard:
    """One table of a round in short."""

    code: str
    number: int
    state: str
    hands: int
    lines: tuple[CardLine, ...]


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat with who holds it at the end; `others` held it for earlier hands."""

    number: int
    label: str
    side: str
    player_id: str
    player: str
    others: tuple[str, ...] = ()

    @property
    def title(self) -> str | Promise:
        """The seat in words: "North", or "Seat 5" at larger tables."""
        return _COMPASS.get(self.label) or gettext("Seat %(number)s") % {"number": self.number}


@dataclass(frozen=True, slots=True)
class Cell:
    """What a seat was booked for one hand; empty numbers where the hand scores nobody."""

    seat: SeatView
    score: Number | None
    total: Number | None
    typed: Typed
    was: Typed | None = None
    shot: bool = False


@dataclass(frozen=True, slots=True)
class MoonView:
    """The engine's finding: which slam, by whom, and what they chose."""

    id: str
    by: tuple[int, ...]
    names: tuple[str, ...]
    choice: str


@dataclass(frozen=True, slots=True)
class Revision:
    """One entry of a hand, exactly as typed."""

    number: int
    form: str
    entry: Mapping[str, Any]
    typed: TypedHand
    entered_by: str
    entered_at: datetime
    source: str
    reason: str
    note: str
    counts: bool
    seats: tuple[SeatView, ...]

    @property
    def lines(self) -> tuple[tuple[SeatView, Typed], ...]:
        """Each seat with what was typed for it."""
        return tuple(zip(self.seats, self.typed.seats, strict=True))


@dataclass(frozen=True, slots=True)
class HandView:
    """One hand: what counts, what each seat was booked, and every revision behind it."""

    number: int
    n_hands: int | None
    state: str
    revision: int
    verified: str
    entry: Mapping[str, Any]
    moon: MoonView | None
    passing: str
    cells: tuple[Cell, ...]
    entered_by: str
    entered_at: datetime | None
    reason: str
    revisions: tuple[Revision, ...]

    @property
    def newest_first(self) -> tuple[Revision, ...]:
        """The revisions, the newest one first."""
        return self.revisions[::-1]


@dataclass(frozen=True, slots=True)
class Finish:
    """A seat's final total at its table and its place among the seats ("3=")."""

    seat: SeatView
    total: Number | None
    place: str


@dataclass(frozen=True, slots=True)
class TableSheet:
    """A table's sheet: the twin of the paper."""

    code: str
    number: int
    round_number: int
    round_state: str
    date: date | None
    state: str
    variant: str
    variant_name: str
    seats: tuple[SeatView, ...]
    hands: tuple[HandView, ...]
    finishes: tuple[Finish, ...]
    neighbours: tuple[str, ...]

    @property
    def n_hands(self) -> int:
        """How many hands stand on the sheet and count; totals only say how many they stand for."""
        counted = [hand for hand in self.hands if hand.state == "accepted"]
        return sum(1 if hand.number else hand.n_hands or 0 for hand in counted)

    @property
    def n_corrected(self) -> int:
        """How many hands have more than one revision."""
        return sum(hand.revision > 1 for hand in self.hands)

    @property
    def n_disputed(self) -> int:
        """How many hands score nobody until they are settled."""
        return sum(hand.state == "disputed" for hand in self.hands)

    @property
    def entered_by(self) -> tuple[str, ...]:
        """Everybody who entered a hand of this sheet, each once, in order."""
        names = (one.entered_by for hand in self.hands for one in hand.revisions)
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def has_passing(self) -> bool:
        """Whether the variant passes cards, so that the sheet has a column for it."""
        return any(hand.passing for hand in self.hands)

    @property
    def width(self) -> int:
        """Columns of the sheet beside the hand's number."""
        return len(self.seats) + 1 + self.has_passing


def tables_of(event: Event, round_: Round) -> QuerySet[Table]:
    """Return the tables of one round by number, each with its game and snapshot."""
    tables = Table.objects.filter(event=event, round=round_)
    return tables.select_related("game__snapshot").order_by("number")


def round_cards(event: Event, round_: Round) -> Sequence[TableCard]:
    """Return the results of a round's tables in short, in four queries."""
    tables = list(tables_of(event, round_))
    seated: dict[int, list[CardLine]] = {}
    for sitting in _sittings(round_=round_):
        line = CardLine("", sitting.player.player_id, sitting.player.name, None, 0, False)
        seated.setdefault(sitting.seat.table_id, []).append(line)
    scored = _results(event, round_)
    return tuple(
        TableCard(
            code=table.code,
            number=table.number,
            state=table.game.state,
            hands=table.game.hands_counted,
            lines=tuple(scored.get(table.pk) or seated.get(table.pk, ())),
        )
        for table in tables
    )


def table_sheet(event: Event, code: str) -> TableSheet:
    """Return the sheet of the table under `code`, hand by hand.

    Raises:
        Missing: the event has no table under that code; the facts say what its round has.
    """
    table = _table_at(event, code)
    seats = _Seats(table)
    hands = _hands(table, seats)
    neighbours = Table.objects.filter(round=table.round_id).order_by("number")
    return TableSheet(
        code=table.code,
        number=table.number,
        round_number=table.round.number,
        round_state=table.round.state,
        date=table.round.meeting.date if table.round.meeting else None,
        state=table.game.state,
        variant=table.game.snapshot.variant,
        variant_name=table.game.snapshot.variant_name,
        seats=seats.now,
        hands=hands,
        finishes=_finishes(seats.now, hands, _rule(table, "result").get("order", "low")),
        neighbours=tuple(neighbours.values_list("code", flat=True)),
    )


def hand_of(sheet: TableSheet, number: int) -> HandView:
    """Return one hand of a sheet.

    Raises:
        Missing: there is no such hand; the facts say how many the table has.
    """
    for hand in sheet.hands:
        if hand.number == number:
            return hand
    raise Missing("hand", {"hand": number, "table": sheet.code, "hands": len(sheet.hands)})


def entrant_names(entrants: Iterable[Any]) -> dict[int, str]:
    """Return the shown name of each entrant: its own, or that of its only player."""
    return {
        entrant.pk: entrant.name
        or " / ".join(member.player.name for member in entrant.members.all())
        for entrant in entrants
    }


def _table_at(event: Event, code: str) -> Table:
    table = (
        Table.objects.filter(event=event, code=code)
        .select_related("round__meeting", "game__snapshot")
        .first()
    )
    if table is not None:
        return table
    facts: dict[str, int | str] = {"table": code}
    number, dot, _ = code.removeprefix("r").partition("t")
    if dot and number.isdecimal() and len(number) < 10:
        there = Table.objects.filter(event=event, round__number=int(number)).count()
        facts |= {"round": int(number), "tables": there}
    raise Missing("table", facts)


def _sittings(*, round_: Round | None = None, table: Table | None = None) -> QuerySet[Sitting]:
    chosen = Sitting.objects.select_related("seat", "player")
    if table is not None:
        chosen = chosen.filter(seat__table=table)
    if round_ is not None:
        chosen = chosen.filter(round=round_)
    return chosen.order_by("seat__number", "from_hand")


def _results(event: Event, round_: Round) -> dict[int, list[CardLine]]:
    rows = list(
        Contribution.objects.filter(event=event, game__table__round=round_)
        .select_related("entrant", "game")
        .prefetch_related("entrant__members__player")
        .order_by("place", *_PLACED)
    )
    names = entrant_names(row.entrant for row in rows)
    places: dict[int, list[int]] = {}
    for row in rows:
        places.setdefault(row.game.table_id, []).append(row.place)
    lines: dict[int, list[CardLine]] = {}
    for row in rows:
        tied = places[row.game.table_id].count(row.place) > 1
        line = CardLine(
            place=f"{row.place}{'=' if tied else ''}",
            entrant_id=row.entrant.code,
            name=names[row.entrant_id],
            points=as_json(row.points),
            moons=row.moons,
            is_win=row.place == 1,
        )
        lines.setdefault(row.game.table_id, []).append(line)
    return lines


class _Seats:
    """The seats of one table and who held them at which hand; two queries."""

    def __init__(self, table: Table) -> None:
        rows = list(Seat.objects.filter(table=table).order_by("number"))
        labels = seat_names(len(rows)) if rows else ()
        self._held: dict[int, list[Sitting]] = {}
        for sitting in _sittings(table=table):
            self._held.setdefault(sitting.seat_id, []).append(sitting)
        self._rows = rows
        self._labels = dict(zip((row.pk for row in rows), labels, strict=True))
        self.now = tuple(self._view(row, None) for row in rows)

    def at(self, hand: int) -> dict[int, SeatView]:
        """Return seat row → the seat with its holder at hand number `hand`."""
        return {row.pk: self._view(row, hand) for row in self._rows}

    def _view(self, row: Seat, hand: int | None) -> SeatView:
        held = self._held.get(row.pk, [])
        sitting = next((one for one in reversed(held) if hand is None or _holds(one, hand)), None)
        return SeatView(
            number=row.number,
            label=self._labels[row.pk],
            side=row.side,
            player_id=sitting.player.player_id if sitting else "",
            player=sitting.player.name if sitting else "",
            others=tuple(one.player.name for one in held if one is not sitting),
        )


def _holds(sitting: Sitting, hand: int) -> bool:
    ends = sitting.to_hand
    return hand == 0 or (sitting.from_hand <= hand and (ends is None or hand <= ends))


def _hands(table: Table, seats: _Seats) -> tuple[HandView, ...]:
    entries: dict[int, list[Entry]] = {}
    hands: dict[int, Hand] = {}
    rows = Entry.objects.filter(hand__game=table.game).select_related("hand")
    for entry in rows.order_by("hand__number", "revision"):
        hands[entry.hand_id] = entry.hand
        entries.setdefault(entry.hand_id, []).append(entry)
    scores: dict[int, dict[int, SeatScore]] = {}
    for score in SeatScore.objects.filter(entry__hand__game=table.game):
        scores.setdefault(score.entry_id, {})[score.seat_id] = score
    passing = _rule(table, "play").get("passing") or ()
    return tuple(
        _hand_view(
            hand,
            entries[hand.pk],
            scores.get(hand.entry_id or 0, {}),
            seats.at(hand.number),
            _pass_of(hand.number, passing),
        )
        for hand in hands.values()
    )


def _pass_of(number: int, passing: Sequence[str]) -> str:
    if not passing or not number:
        return ""
    name = passing[(number - 1) % len(passing)]
    return str(_PASSES.get(name, name))


def _hand_view(
    hand: Hand,
    entries: Sequence[Entry],
    scores: Mapping[int, SeatScore],
    seats: Mapping[int, SeatView],
    passing: str,
) -> HandView:
    shown = next((entry for entry in entries if entry.pk == hand.entry_id), entries[-1])
    typed = laid_out(shown.typed, len(seats))
    earlier = [entry for entry in entries if entry.revision < shown.revision]
    was = laid_out(earlier[-1].typed, len(seats)).seats if earlier else typed.seats
    moon = shown.moon if hand.state == "accepted" else None
    shooters = tuple((moon or {}).get("by", ()))
    cells = tuple(
        _cell(view, scores.get(pk), now, before, view.number in shooters)
        for (pk, view), now, before in zip(seats.items(), typed.seats, was, strict=True)
    )
    return HandView(
        number=hand.number,
        n_hands=hand.hands,
        state=hand.state,
        revision=hand.revision,
        verified=shown.verified,
        entry=shown.typed,
        moon=_moon(moon, cells),
        passing=passing,
        cells=cells,
        entered_by=shown.entered_as,
        entered_at=shown.entered_at,
        reason=shown.reason,
        revisions=tuple(
            _revision(entry, tuple(seats.values()), hand.entry_id) for entry in entries
        ),
    )


def _cell(seat: SeatView, score: SeatScore | None, now: Typed, before: Typed, shot: bool) -> Cell:
    was = before if before != now else None
    if score is None:
        return Cell(seat, None, None, now, was, shot)
    booked = as_json(score.score, score.score_im)
    return Cell(seat, booked, as_json(score.total, score.total_im), now, was, shot)


def _revision(entry: Entry, seats: tuple[SeatView, ...], counting: int | None) -> Revision:
    return Revision(
        number=entry.revision,
        form=entry.form,
        entry=entry.typed,
        typed=laid_out(entry.typed, len(seats)),
        entered_by=entry.entered_as,
        entered_at=entry.entered_at,
        source=entry.source,
        reason=entry.reason,
        note=entry.note,
        counts=entry.pk == counting,
        seats=seats,
    )


def _moon(found: Mapping[str, Any] | None, cells: Sequence[Cell]) -> MoonView | None:
    if not found:
        return None
    by = tuple(found.get("by", ()))
    names = tuple(cell.seat.player for cell in cells if cell.seat.number in by)
    return MoonView(str(found.get("id", "")), by, names, str(found.get("choice") or ""))


def _finishes(
    seats: Sequence[SeatView], hands: Sequence[HandView], order: str
) -> tuple[Finish, ...]:
    counted = [hand for hand in hands if any(cell.total is not None for cell in hand.cells)]
    if not counted:
        return tuple(Finish(seat, None, "") for seat in seats)
    totals = [cell.total for cell in counted[-1].cells]
    ranks = [_rank_key(total, order) for total in totals]
    best_first = sorted(ranks)
    return tuple(
        Finish(seat, total, f"{best_first.index(own) + 1}{'=' if ranks.count(own) > 1 else ''}")
        for seat, total, own in zip(seats, totals, ranks, strict=True)
    )


def _rank_key(total: Number | None, order: str) -> Fraction:
    """Sort key of a total under the rules' `result.order`: the smallest key is first."""
    parts = total if isinstance(total, list) else [total or 0]
    if len(parts) > 1:
        return sum((Fraction(part) ** 2 for part in parts), Fraction())
    value = Fraction(parts[0])
    if order == "abs_low":
        return abs(value)
    return -value if order == "high" else value


def _rule(table: Table, key: str) -> Mapping[str, Any]:
    found = table.game.snapshot.rules.get(key)
    return found if isinstance(found, dict) else {}
