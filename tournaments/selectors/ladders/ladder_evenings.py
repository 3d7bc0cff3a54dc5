"""What an evening did to a ladder: who moved from which place to which, its challenges, who is
first after it. Pages, texts, mails and the feed read the same."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from django.db.models import Max, Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.domain.standings.ladder_documents import MoveDocument
from tournaments.models.events import Event
from tournaments.models.ladders import (
    Challenge,
    ChallengeState,
    LadderMove,
    LadderStep,
    StepKind,
)
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.ladders.challenge_reasons import reasons_of_corrections
from tournaments.selectors.ladders.challenge_results import contributions_of
from tournaments.selectors.ladders.challenges import challenge_rows
from tournaments.selectors.ladders.ladder_page import short_explanation
from tournaments.selectors.ladders.ladders import move_documents, unconfirmed_sentence
from tournaments.selectors.ladders.log import winner_at

NO_PLACE: Final = "–"

MOST_MOVED: Final = 200
"""Members of an evening that are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class EveningMove:
    """The places of a member before and after an evening, with the story of the last change.

    `before` is None for a member who joined and was not moved since, `after` for one who left.
    `table` or `challenge` is what the last change came from.
    """

    player_id: str
    player: str
    before: int | None
    after: int | None
    story: str
    table: str | None
    challenge: int | None

    @property
    def place_before(self) -> str:
        return NO_PLACE if self.before is None else str(self.before)

    @property
    def place_after(self) -> str:
        return NO_PLACE if self.after is None else str(self.after)


@dataclass(frozen=True, slots=True)
class EveningChallenge:
    """A challenge that was played on an evening, or that moved members on it.

    `winner` is the name of who is ahead, "" without one; `reason` that of the correction after
    which it is void, or after which somebody else is ahead.
    """

    number: int
    challenger: str
    challenged: str
    state: str
    winner: str
    is_corrected: bool
    reason: str

    @property
    def sentence(self) -> str:
        return challenge_sentence(self)


@dataclass(frozen=True, slots=True)
class LadderEvening:
    """What an evening did to a ladder. `first` is the name at place 1 after it, "" without one.

    Members who were moved come first, the highest place first, then those who joined. `n_more`
    are not named.
    """

    moves: Sequence[EveningMove] = ()
    n_more: int = 0
    challenges: Sequence[EveningChallenge] = ()
    first: str = ""

    @property
    def n_unconfirmed(self) -> int:
        return sum(row.state == ChallengeState.PLAYED for row in self.challenges)

    @property
    def waits(self) -> str:
        """The sentence about results that are not confirmed yet; "" without any."""
        if not self.n_unconfirmed:
            return ""
        return unconfirmed_sentence(self.n_unconfirmed)

    def move_of(self, player_id: str) -> EveningMove | None:
        return next((move for move in self.moves if move.player_id == player_id), None)


@dataclass(slots=True)
class _Places:
    """The stored moves of a member on an evening in their order: the row and the places."""

    rows: list[tuple[int, int | None, int | None]] = field(default_factory=list)

    @property
    def before(self) -> int | None:
        """The place before the first change of an evening; joining it is none, if another came."""
        changes = [before for _pk, before, _after in self.rows if before is not None]
        return changes[0] if changes else None

    @property
    def after(self) -> int | None:
        _pk, _before, after = self.rows[-1]
        return after

    @property
    def last_row(self) -> int:
        return self.rows[-1][0]


def ladder_evening(event: Event, day: date, *, also: str = "") -> LadderEvening:
    """Return what an evening did to a ladder.

    Args:
        also: the code of a member whose move is named although it comes after the first ones.
    """
    return ladder_evenings(event, [day], also=also)[day]


def ladder_evenings(
    event: Event, days: Collection[date], *, also: str = ""
) -> Mapping[date, LadderEvening]:
    """Return what some evenings did to a ladder, by day; a fixed number of queries.

    The move of a challenge belongs to the evening on which it was played, on whatever day its
    result was confirmed; one without a game to the day of its move.
    """
    names = names_in(event) if days else {}
    steps = _days_of_challenges(event, days)
    moves = _moves_by_day(event, days, steps)
    moved = {day: _in_order(moves[day]) for day in days}
    named: dict[date, Sequence[tuple[str, _Places]]] = {}
    for day, rows in moved.items():
        own_row = [row for row in rows[MOST_MOVED:] if row[0] == also]
        named[day] = [*rows[:MOST_MOVED], *own_row]
    last_rows = [places.last_row for rows in named.values() for _code, places in rows]
    documents = _documents(event, last_rows, names)
    challenges = _challenges_by_day(event, days, steps, names)
    first = _first_by_day(event, days, steps)
    evenings = {}
    for day in days:
        rows = named[day]
        evenings[day] = LadderEvening(
            moves=[_move(documents[places.last_row], places) for _code, places in rows],
            n_more=len(moved[day]) - len(rows),
            challenges=challenges.get(day, ()),
            first=names.get(first.get(day, ""), ""),
        )
    return evenings


def _days_of_challenges(event: Event, days: Collection[date]) -> Mapping[int, date]:
    """Return the day of each step of a challenge that these evenings may have, by its number."""
    played = "challenge__game__table__round__meeting__date"
    steps = LadderStep.objects.filter(
        Q(on__in=days) | Q(**{f"{played}__in": days}), event=event, kind=StepKind.CHALLENGE
    )
    rows = steps.values_list("number", "on", played)
    return {number: played_on or on for number, on, played_on in rows}


def _moves_by_day(
    event: Event, days: Collection[date], steps: Mapping[int, date]
) -> Mapping[date, Mapping[str, _Places]]:
    moves: dict[date, dict[str, _Places]] = {day: defaultdict(_Places) for day in days}
    rows = LadderMove.objects.filter(Q(on__in=days) | Q(number__in=list(steps)), event=event)
    columns = ("pk", "number", "on", "entrant__code", "before", "after")
    for pk, number, on, code, before, after in rows.order_by("number").values_list(*columns):
        day = steps.get(number, on)
        if day in moves:
            moves[day][code].rows.append((pk, before, after))
    return moves


def _in_order(places_by_code: Mapping[str, _Places]) -> Sequence[tuple[str, _Places]]:
    """Return who has another place than before, the highest place first, and then who joined."""

    def order(row: tuple[str, _Places]) -> tuple[bool, bool, int]:
        places = row[1]
        return (places.before is None, places.after is None, places.after or places.before or 0)

    moved = [row for row in places_by_code.items() if row[1].before != row[1].after]
    return sorted(moved, key=order)


def _documents(
    event: Event, rows: Collection[int], names: Mapping[str, str]
) -> Mapping[int, MoveDocument]:
    if not rows:
        return {}
    moves = list(LadderMove.objects.filter(pk__in=rows).select_related("entrant"))
    documents = move_documents(event, moves, names)
    return {move.pk: document for move, document in zip(moves, documents, strict=True)}


def _move(document: MoveDocument, places: _Places) -> EveningMove:
    return EveningMove(
        player_id=document["player_id"],
        player=document["player"],
        before=places.before,
        after=places.after,
        story=short_explanation(document["story"]),
        table=document["table"],
        challenge=document["challenge"],
    )


def _challenges_by_day(
    event: Event, days: Collection[date], steps: Mapping[int, date], names: Mapping[str, str]
) -> Mapping[date, Sequence[EveningChallenge]]:
    played = Q(game__table__round__meeting__date__in=days)
    rows = list(challenge_rows(event).filter(played | Q(ladder_step__number__in=list(steps))))
    at_tables = contributions_of(rows)
    reasons = reasons_of_corrections(event, rows)
    challenges: dict[date, list[EveningChallenge]] = defaultdict(list)
    for row in rows:
        day = _day_of(row)
        places = {each.entrant.code: each.place for each in at_tables.get(row.game_id or 0, ())}
        winner = winner_at(row, places)
        step: LadderStep | None = getattr(row, "ladder_step", None)
        confirmed = step.facts.get("winner") if step is not None else None
        is_void = row.state == ChallengeState.VOID
        is_corrected = bool(confirmed and winner and confirmed != winner)
        challenges[day].append(
            EveningChallenge(
                number=row.number,
                challenger=names[row.challenger.code],
                challenged=names[row.challenged.code],
                state=row.state,
                winner=names[winner] if winner is not None else "",
                is_corrected=is_corrected,
                reason=reasons.get(row.number, "") if is_void or is_corrected else "",
            )
        )
    return challenges


def _day_of(row: Challenge) -> date:
    if row.game is not None and row.game.table.round.meeting is not None:
        return row.game.table.round.meeting.date
    return row.ladder_step.on


def _first_by_day(
    event: Event, days: Collection[date], steps: Mapping[int, date]
) -> Mapping[date, str]:
    """Return the code at place 1 after each of some evenings, as the log has it; three queries."""
    if not days:
        return {}
    at_top = LadderMove.objects.filter(Q(before=1) | Q(after=1), event=event)
    changes = at_top.filter(on__lte=max(days)).order_by().values("on")
    changes_by_day = list(changes.annotate(last=Max("number")).values_list("on", "last"))
    played = at_top.filter(number__in=list(steps)).values_list("number", flat=True)
    changes_by_day += [(steps[number], number) for number in played]
    last_of_day = {}
    for day in days:
        numbers = [number for on, number in changes_by_day if on <= day]
        last_of_day[day] = max(numbers, default=0)
    rows = at_top.filter(number__in=set(last_of_day.values()), after=1)
    codes = dict(rows.values_list("number", "entrant__code"))
    return {day: codes[number] for day, number in last_of_day.items() if number in codes}


_WORDS: Final[Mapping[str, Promise]] = {
    "won": gettext_lazy("%(challenger)s – %(challenged)s: %(winner)s won"),
    "corrected": gettext_lazy("%(challenger)s – %(challenged)s: %(winner)s won after a correction"),
    ChallengeState.PLAYED: gettext_lazy(
        "%(challenger)s – %(challenged)s: %(winner)s is ahead, not confirmed yet"
    ),
    ChallengeState.DECLINED: gettext_lazy("%(challenger)s – %(challenged)s: declined"),
    ChallengeState.EXPIRED: gettext_lazy("%(challenger)s – %(challenged)s: no answer in time"),
    ChallengeState.FORFEITED_D: gettext_lazy("%(challenger)s – %(challenged)s: forfeited"),
    ChallengeState.VOID: gettext_lazy("%(challenger)s – %(challenged)s: voided"),
    "void, reason": gettext_lazy("%(challenger)s – %(challenged)s: voided, “%(reason)s”"),
    "corrected, reason": gettext_lazy(
        "%(challenger)s – %(challenged)s: %(winner)s won after a correction, “%(reason)s”"
    ),
}
_WITH_WINNER: Final = ("won", "corrected", "corrected, reason", ChallengeState.PLAYED)


def challenge_sentence(row: EveningChallenge, plain: Callable[[str], str] = str) -> str:
    """Return who played whom and who won, or what became of a challenge and why.

    Args:
        plain: escapes what people entered.
    """
    key = row.state
    if row.state == ChallengeState.CONFIRMED:
        key = "corrected" if row.is_corrected else "won"
    if row.reason:
        key = f"{key}, reason"
    words = _WORDS.get(key)
    facts = {
        "challenger": plain(row.challenger),
        "challenged": plain(row.challenged),
        "winner": plain(row.winner),
        "reason": plain(row.reason),
    }
    if words is None or (key in _WITH_WINNER and not row.winner):
        return _("%(challenger)s – %(challenged)s: no result") % facts
    return str(words) % facts


def first_sentence(evening: LadderEvening, plain: Callable[[str], str] = str) -> str:
    """Return who is at place 1 after an evening; "" without anybody."""
    if not evening.first:
        return ""
    return _("First: %(name)s") % {"name": plain(evening.first)}


def named_moves(
    moves: Sequence[EveningMove], player_id: str, at_most: int
) -> Sequence[EveningMove]:
    """Return the first moves of an evening, and that of a member also where it comes later."""
    later = [move for move in moves[at_most:] if move.player_id == player_id]
    return [*moves[:at_most], *later]
