"""A ladder's stored rows in words: moves, ratings, what a game would change, the rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.db.models import QuerySet

from scoring.errors import Problem, Refused
from scoring.ladders.rating import METHODS, Ratings, outlook
from scoring.ladders.rating_methods import Values, game_problems
from scoring.ladders.replay import Move, explain_move
from scoring.ladders.rules import CHOICES, LIMITS, LadderRules, ladder_rules
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.domain.standings.ladder_documents import (
    MoveDocument,
    OutlookDocument,
    RatingChangeDocument,
)
from tournaments.errors import Missing
from tournaments.models.events import Entrant, Event
from tournaments.models.ladders import LadderAbsence, LadderMove, LadderState, RatingChange
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.events import event_at
from tournaments.selectors.ladders.log import stored_ratings
from tournaments.selectors.standings.publication_bytes import require_ladder

DECIMALS: Final = {"elo": 1, "plackett_luce": 2}
"""How many decimals of a rating people see; the figure itself has three."""


def ladder_at(actor: Actor, club: str, event: str) -> Event:
    """Return the ladder at an address."""
    found = event_at(actor, club, event)
    require_ladder(found)
    return found


def member_at(event: Event, player_id: str) -> Entrant:
    """Return who stands under a code in a ladder, on the list or not."""
    entrant = Entrant.objects.filter(event=event, code=player_id).first()
    if entrant is None:
        raise Missing("player", {"player": player_id})
    return entrant


def moves_of(event: Event, member: Entrant | None = None) -> QuerySet[LadderMove]:
    """Return the moves on a ladder, or those of one member, the newest first."""
    rows = LadderMove.objects.filter(event=event).select_related("entrant")
    if member is not None:
        rows = rows.filter(entrant=member)
    return rows.order_by("-number", "entrant__code")


def ratings_of(member: Entrant) -> QuerySet[RatingChange]:
    """Return what each game did to a member's rating, the newest first."""
    rows = RatingChange.objects.filter(entrant=member)
    return rows.select_related("game__table__round__meeting").order_by("-sequence")


def absences_of(event: Event, member: Entrant) -> QuerySet[LadderAbsence]:
    """Return when a member is or was away, the newest first; to members of the club only."""
    if not may_do(event, "read_members"):
        return LadderAbsence.objects.none()
    return LadderAbsence.objects.filter(entrant=member).order_by("-since")


def codes_of(event: Event, codes: Sequence[str]) -> frozenset[str]:
    """Return which of these codes somebody in the event has."""
    return frozenset(
        Entrant.objects.filter(event=event, code__in=codes).values_list("code", flat=True)
    )


def figure(values: Values, rules: LadderRules) -> float:
    """Return a rating as programs get it: the shown number, to three decimals."""
    return round(float(METHODS[rules.rating].shown(values)), 3)


def change(before: Values, after: Values, rules: LadderRules) -> float:
    """Return what a game did to the shown number, to three decimals."""
    shown = METHODS[rules.rating].shown
    return round(float(shown(after) - shown(before)), 3)


def rating_text(values: Values, rules: LadderRules) -> str:
    """Return a rating as people see it.

    >>> rating_text((1588.9084,), LadderRules())
    '1588.9'
    """
    return f"{METHODS[rules.rating].shown(values):.{DECIMALS[rules.rating]}f}"


def moves_with_explanation(event: Event, member: Entrant | None = None) -> RenderedRows:
    """Return the moves on a ladder, or those of one member, each with its story, newest first.

    Each is a mapping of `number` (the step's), `on`, `player_id`, `player`, `before`, `after`
    (places, None off the list), `up`, `kind`, `story`, and what it leads to: `table` (a code) or
    `challenge` (a number), None where there is none.
    """

    def dress(rows: Sequence[LadderMove]) -> list[MoveDocument]:
        names = names_in(event) if rows else {}
        return [_told(row, names) for row in rows]

    return RenderedRows(moves_of(event, member), dress)


def _told(row: LadderMove, names: Mapping[str, str]) -> MoveDocument:
    code = row.entrant.code
    move = Move(row.number, code, row.before, row.after, row.on, row.kind, row.facts)
    ref = str(row.facts.get("ref", ""))
    is_challenge = row.facts.get("how", "played") != "played"
    return {
        "number": row.number,
        "on": row.on,
        "player_id": code,
        "player": names.get(code, code),
        "before": row.before,
        "after": row.after,
        "up": move.up,
        "kind": row.kind,
        "story": explain_move(move, names),
        "table": ref if ref and not is_challenge else None,
        "challenge": int(ref) if is_challenge and ref.isdecimal() else None,
    }


def rating_history(event: Event, member: Entrant) -> RenderedRows:
    """Return what each game did to a member's rating, newest first.

    Each is a mapping of `sequence` (of the game among the ladder's, from 0), `on` (None where no
    evening is known), `table`, `games` (how many with this one), `before`, `after`, `change` (the
    shown number), `spread` (sigma; None with Elo) and `rating_shown`.
    """
    rules = _rules(LadderState.objects.filter(event=event).first(), event)

    def dress(rows: Sequence[RatingChange]) -> list[RatingChangeDocument]:
        return [_rated(row, rules) for row in rows]

    return RenderedRows(ratings_of(member), dress)


def _rated(row: RatingChange, rules: LadderRules) -> RatingChangeDocument:
    has_spread = row.before_spread is not None and row.after_spread is not None
    before: Values = (row.before, row.before_spread or 0.0) if has_spread else (row.before,)
    after: Values = (row.after, row.after_spread or 0.0) if has_spread else (row.after,)
    table = row.game.table
    return {
        "sequence": row.sequence,
        "on": table.round.meeting.date if table.round.meeting else None,
        "table": table.code,
        "games": row.games + 1,
        "before": figure(before, rules),
        "after": figure(after, rules),
        "change": change(before, after, rules),
        "spread": None if row.after_spread is None else round(row.after_spread, 3),
        "rating_shown": rating_text(after, rules),
    }


def _rules(state: LadderState | None, event: Event) -> LadderRules:
    """The rules that the stored ratings were made under; a worker has not seen new ones yet."""
    return ladder_rules(state.rules) if state and state.rules else ladder_rules_of(event)


def what_if(event: Event, codes: Sequence[str]) -> list[OutlookDocument]:
    """Return what each finishing place would change of the ratings of who might play together.

    Args:
        codes: 2 to 11 members, each a side of its own, or nobody; who has not played yet begins.

    Returns:
        One mapping a member, as they were named: `player_id`, `player`, `rating`, `rating_shown`,
        `games`, and `changes`, one for each place from the first to the last.

    See docs/algorithms/rating-ladder.md (before a night).
    """
    if not codes:
        return []
    known = codes_of(event, codes)
    problems = [
        Problem("not_on_ladder", ("player",), {"member": code})
        for code in dict.fromkeys(codes)
        if code not in known
    ]
    sides = [(code,) for code in codes]
    problems += game_problems(sides, range(1, len(sides) + 1))
    if problems:
        raise Refused(*problems)
    names = names_in(event)
    state = LadderState.objects.filter(event=event).first()
    rules = _rules(state, event)
    ratings = stored_ratings(state) if state is not None else Ratings()
    first = METHODS[rules.rating].first_values(rules)
    outlook_documents: list[OutlookDocument] = []
    for code, changes in zip(codes, outlook(sides, ratings, rules), strict=True):
        own = ratings.members.get(code)
        values = own.values if own else first
        outlook_documents.append(
            {
                "player_id": code,
                "player": names.get(code, code),
                "rating": figure(values, rules),
                "rating_shown": rating_text(values, rules),
                "games": own.games if own else 0,
                "changes": [round(float(one), 3) for one in changes],
            }
        )
    return outlook_documents


Kind = Literal["choice", "whole", "whole_or_none", "flag"]
USUAL: Final[Mapping[str, Any]] = LadderRules().as_json()


@dataclass(frozen=True, slots=True)
class RuleField:
    """One rule: what kind of value it has, what it is now, and what it is by default."""

    key: str
    kind: Kind
    value: Any
    usual: Any
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0


def rule_fields(event: Event) -> tuple[RuleField, ...]:
    """Return the rules of an event's ladder in the order in which they are written down."""
    now = ladder_rules_of(event).as_json()
    return tuple(
        RuleField(
            key=key,
            kind=_kind(key),
            value=now[key],
            usual=usual,
            choices=CHOICES.get(key, ()),
            least=LIMITS[key][0] if key in LIMITS else 0,
            most=LIMITS[key][1] if key in LIMITS else 0,
        )
        for key, usual in USUAL.items()
    )


def what_differs(typed: Mapping[str, object]) -> dict[str, object]:
    """Return the rules that are not the usual ones, which is what an event keeps."""
    return {key: value for key, value in typed.items() if key not in USUAL or value != USUAL[key]}


def _kind(key: str) -> Kind:
    if key in CHOICES:
        return "choice"
    if key not in LIMITS:
        return "flag"
    return "whole_or_none" if USUAL[key] is None else "whole"
