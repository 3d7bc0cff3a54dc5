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
"""Decimals of a rating on pages; for programs it has three."""


def ladder_at(actor: Actor, club: str, event: str) -> Event:
    ladder = event_at(actor, club, event)
    require_ladder(ladder)
    return ladder


def member_at(event: Event, player_id: str) -> Entrant:
    """Return the member of a ladder with a code, on the list or not."""
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
    """Return the changes of a member's rating game by game, the newest first."""
    rows = RatingChange.objects.filter(entrant=member)
    return rows.select_related("game__table__round__meeting").order_by("-sequence")


def absences_of(event: Event, member: Entrant) -> QuerySet[LadderAbsence]:
    """Return a member's absences, the newest first; none for readers outside the club."""
    if not may_do(event, "read_members"):
        return LadderAbsence.objects.none()
    return LadderAbsence.objects.filter(entrant=member).order_by("-since")


def codes_of(event: Event, codes: Sequence[str]) -> frozenset[str]:
    """Return those of the codes that an entrant of the event has."""
    return frozenset(
        Entrant.objects.filter(event=event, code__in=codes).values_list("code", flat=True)
    )


def figure(values: Values, rules: LadderRules) -> float:
    """Return a rating for programs, to three decimals."""
    return round(float(METHODS[rules.rating].shown(values)), 3)


def change(before: Values, after: Values, rules: LadderRules) -> float:
    """Return the change of a rating by a game, to three decimals."""
    number = METHODS[rules.rating].shown
    return round(float(number(after) - number(before)), 3)


def rating_text(values: Values, rules: LadderRules) -> str:
    """Return a rating for people.

    >>> rating_text((1588.9084,), LadderRules())
    '1588.9'
    """
    return f"{METHODS[rules.rating].shown(values):.{DECIMALS[rules.rating]}f}"


def moves_with_explanation(event: Event, member: Entrant | None = None) -> RenderedRows:
    """Return the moves on a ladder, or those of one member, each with its story, newest first.

    Each is a mapping of `number` (of the step), `on`, `player_id`, `player`, `before`, `after`
    (places, None off the list), `up`, `kind`, `story`, and its cause: `table` (a code) or
    `challenge` (a number), else None.
    """

    def documents(rows: Sequence[LadderMove]) -> list[MoveDocument]:
        names = names_in(event) if rows else {}
        return [_move_document(row, names) for row in rows]

    return RenderedRows(moves_of(event, member), documents)


def _move_document(row: LadderMove, names: Mapping[str, str]) -> MoveDocument:
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
    """Return the changes of a member's rating game by game, newest first.

    Each is a mapping of `sequence` (of the game among the ladder's, from 0), `on` (None if the
    evening is not known), `table`, `games` (up to this one), `before`, `after`, `change`, `spread`
    (sigma; None with Elo) and `rating_shown`.
    """
    rules = _rules(LadderState.objects.filter(event=event).first(), event)

    def document(row: RatingChange) -> RatingChangeDocument:
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

    return RenderedRows(ratings_of(member), lambda rows: [document(row) for row in rows])


def _rules(state: LadderState | None, event: Event) -> LadderRules:
    """Return the rules of the stored ratings: new ones count from the next computation on."""
    return ladder_rules(state.rules) if state and state.rules else ladder_rules_of(event)


def what_if(event: Event, codes: Sequence[str]) -> list[OutlookDocument]:
    """Return the change of each rating at a possible table by finishing place.

    Args:
        codes: none, or 2 to 11 members, each a separate side; without a game they have the first
            rating.

    Returns:
        One mapping a member, in the order of `codes`: `player_id`, `player`, `rating`,
        `rating_shown`, `games`, and `changes`, one for each place from the first to the last.

    See docs/algorithms/rating-ladder.md (before a night).
    """
    if not codes:
        return []
    members = codes_of(event, codes)
    problems = [
        Problem("not_on_ladder", ("player",), {"member": code})
        for code in dict.fromkeys(codes)
        if code not in members
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
    documents: list[OutlookDocument] = []
    for code, changes in zip(codes, outlook(sides, ratings, rules), strict=True):
        rating = ratings.members.get(code)
        values = rating.values if rating else first
        documents.append(
            {
                "player_id": code,
                "player": names.get(code, code),
                "rating": figure(values, rules),
                "rating_shown": rating_text(values, rules),
                "games": rating.games if rating else 0,
                "changes": [round(float(change), 3) for change in changes],
            }
        )
    return documents


Kind = Literal["choice", "whole", "whole_or_none", "flag"]
USUAL: Final[Mapping[str, Any]] = LadderRules().as_json()


@dataclass(frozen=True, slots=True)
class RuleField:
    """One rule: the kind of its value, its value, and its default."""

    key: str
    kind: Kind
    value: Any
    usual: Any
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0


def rule_fields(event: Event) -> tuple[RuleField, ...]:
    """Return the rules of an event's ladder in the order of `LadderRules`."""
    now = ladder_rules_of(event).as_json()
    fields = []
    for key, usual in USUAL.items():
        number: Kind = "whole_or_none" if usual is None else "whole"
        kind: Kind = "choice" if key in CHOICES else number if key in LIMITS else "flag"
        least, most = LIMITS.get(key, (0, 0))
        fields.append(RuleField(key, kind, now[key], usual, CHOICES.get(key, ()), least, most))
    return tuple(fields)


def what_differs(rules: Mapping[str, object]) -> dict[str, object]:
    """Return the rules that differ from the defaults: those that an event stores."""
    return {key: value for key, value in rules.items() if key not in USUAL or value != USUAL[key]}
