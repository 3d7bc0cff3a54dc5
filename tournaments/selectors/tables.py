"""One table's sheet, hand by hand: the twin of the paper, with every revision behind it.

Takes an event that `selectors.events.event_at` has let the actor read. The number of queries is
fixed; it does not grow with hands, seats or revisions.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from scoring.dealing import pass_of
from scoring.sheet import seat_names
from tournaments.errors import Missing
from tournaments.models.audit import AuditLine
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Entry, Hand, SeatScore
from tournaments.models.meetings import Seat, Sitting, Table
from tournaments.models.numbers import as_json
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.selectors.bylines import bylines
from tournaments.selectors.disputes import open_at
from tournaments.selectors.rounds import in_short
from tournaments.selectors.sheets import (
    AtPlayoff,
    Cell,
    Finish,
    HandView,
    MoonView,
    Number,
    Revision,
    SeatView,
    TableSheet,
)
from tournaments.selectors.typed_hands import Typed, laid_out

_PASSES: Final = {
    "left": _("left"),
    "right": _("right"),
    "across": _("across"),
    "hold": _("hold"),
}


def table_sheet(event: Event, code: str) -> TableSheet:
    """Return the sheet of the table under `code`, hand by hand.

    Raises:
        Missing: the event has no table under that code; the facts say what its round has.
    """
    table = _table_at(event, code)
    seats = _Seats(table)
    hands = _hands(event, table, seats)
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
        finishes=_finishes(seats.now, hands, _rule(table, "result"), _rule(table, "teams")),
        neighbours=tuple(neighbours.values_list("number", "code")),
        playoff=_playoff_at(table),
    )


def pass_in_words(name: str | None) -> str:
    """Return how cards are passed as a page says it; nothing where none are."""
    return str(_PASSES.get(name, name)) if name else ""


def _playoff_at(table: Table) -> AtPlayoff | None:
    """Return the play-off of a table's stage; one query where its game does not count."""
    found = (
        None if table.game.counts else Playoff.objects.filter(stage=table.round.stage_id).first()
    )
    if found is None:
        return None
    return AtPlayoff(found.number, is_live=found.state in LIVE and not found.is_waived)


def _table_at(event: Event, code: str) -> Table:
    table = (
        Table.objects.filter(event=event, code=code)
        .select_related("event", "round__meeting", "game__snapshot")
        .first()
    )
    if table is not None:
        return table
    facts: dict[str, int | str] = {"table": code}
    number, dot, _ = code.removeprefix("r").partition("t")
    if dot and number.isdecimal() and len(number) < 10:
        there = Table.objects.filter(event=event, round__number=int(number)).order_by("number")
        numbers = in_short(there.values_list("number", flat=True))
        facts |= {"round": int(number), "tables": numbers}
    raise Missing("table", facts)


class _Seats:
    """The seats of one table and who held them at which hand; three queries."""

    def __init__(self, table: Table) -> None:
        rows = list(Seat.objects.filter(table=table).order_by("number"))
        labels = seat_names(len(rows)) if rows else ()
        self._held: dict[int, list[Sitting]] = {}
        for sitting in (
            Sitting.objects.filter(seat__table=table).select_related("player").order_by("from_hand")
        ):
            self._held.setdefault(sitting.seat_id, []).append(sitting)
        people = {one.player.pk for held in self._held.values() for one in held}
        entered = EntrantMember.objects.filter(event=table.event, player__in=people).select_related(
            "entrant", "player"
        )
        self._entrants = {one.player.pk: one.entrant.code for one in entered}
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
            entrant_id=self._entrants.get(sitting.player.pk, "") if sitting else "",
            others=tuple(one.player.name for one in held if one is not sitting),
        )


def _holds(sitting: Sitting, hand: int) -> bool:
    ends = sitting.to_hand
    return hand == 0 or (sitting.from_hand <= hand and (ends is None or hand <= ends))


def _hands(event: Event, table: Table, seats: _Seats) -> tuple[HandView, ...]:
    entries: dict[int, list[Entry]] = {}
    hands: dict[int, Hand] = {}
    rows = Entry.objects.filter(hand__game=table.game).select_related("hand", "batch")
    for entry in rows.order_by("hand__number", "revision"):
        hands[entry.hand_id] = entry.hand
        entries.setdefault(entry.hand_id, []).append(entry)
    names = bylines(event, {one.entered_by_id for each in entries.values() for one in each})
    for entry in (one for each in entries.values() for one in each):
        entry.entered_as = names.get(entry.entered_by_id or 0, entry.entered_as)
    scores: dict[int, dict[int, SeatScore]] = {}
    for score in SeatScore.objects.filter(entry__hand__game=table.game):
        scores.setdefault(score.entry_id, {})[score.seat_id] = score
    voided = any(hand.state == "void" for hand in hands.values())
    reasons = _void_reasons(table) if voided else {}
    disputes = open_at(table.event, table.code) if hands else {}
    passing = _rule(table, "play").get("passing") or ()
    return tuple(
        _hand_view(
            hand,
            entries[hand.pk],
            scores.get(hand.entry_id or 0, {}),
            seats.at(hand.number),
            pass_in_words(pass_of(passing, len(seats.now), hand.number) if hand.number else None),
            reasons.get(hand.number, "") if hand.state == "void" else None,
            disputes.get(hand.number, 0),
        )
        for hand in hands.values()
    )


def _void_reasons(table: Table) -> dict[int, str]:
    """Return why hands of the table were made void, by number; the newest reason of each."""
    subject = f"event:{table.event.slug}/table:{table.code}/hand:"
    lines = AuditLine.objects.filter(
        club=table.club_id, act="void_hand", subject__startswith=subject
    ).order_by("number")
    return {int(line.subject.removeprefix(subject)): str(line.facts["reason"]) for line in lines}


def _hand_view(
    hand: Hand,
    entries: Sequence[Entry],
    scores: Mapping[int, SeatScore],
    seats: Mapping[int, SeatView],
    passing: str,
    void_reason: str | None,
    n_disputes: int,
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
        reason=shown.reason if void_reason is None else void_reason,
        revisions=tuple(
            _revision(entry, tuple(seats.values()), hand.entry_id) for entry in entries
        ),
        n_disputes=n_disputes,
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
        file=entry.batch.file_name if entry.batch else "",
        is_by_person=entry.entered_by_id is not None,
    )


def _moon(found: Mapping[str, Any] | None, cells: Sequence[Cell]) -> MoonView | None:
    if not found:
        return None
    by = tuple(found.get("by", ()))
    names = tuple(cell.seat.player for cell in cells if cell.seat.number in by)
    return MoonView(str(found.get("id", "")), by, names, str(found.get("choice") or ""))


def _finishes(
    seats: Sequence[SeatView],
    hands: Sequence[HandView],
    result: Mapping[str, Any],
    teams: Mapping[str, Any],
) -> tuple[Finish, ...]:
    """Each seat's place; partners have that of their side, whose seats' totals count together."""
    counted = [hand for hand in hands if any(cell.total is not None for cell in hand.cells)]
    if not counted:
        return tuple(Finish(seat, None, None, False) for seat in seats)
    totals = [cell.total for cell in counted[-1].cells]
    order = result.get("order", "low")
    keys = [_rank_key(total, order) for total in totals]
    sides = teams.get("shape") or [[index] for index in range(len(seats))]
    ranks = [sum((keys[seat] for seat in side), Fraction()) for side in sides]
    side_of = {seat: side for side, own in enumerate(sides) for seat in own}
    best_first = sorted(ranks)
    return tuple(
        Finish(
            seat,
            total,
            best_first.index(ranks[side_of[index]]) + 1,
            ranks.count(ranks[side_of[index]]) > 1,
        )
        for index, (seat, total) in enumerate(zip(seats, totals, strict=True))
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
