"""What the next Swiss or knock-out round is planned by: published scores, finishes, floats."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from django.db.models import F

from tournaments.models.events import EntrantMember, Event, Stage, StageKind
from tournaments.models.meetings import Round, RoundState
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.seating_plans import KNOCKOUT, PAIRS, SWISS, PlanState, SeatingPlan
from tournaments.models.standings import Publication


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """A player's score as a whole number in a unit of all, more is better, and as it is shown.

    `exact` is the published value as a fraction.
    """

    value: int
    text: str
    exact: str = ""


def open_round(event: Event, stage: Stage | None = None) -> int | None:
    """Return the number of the first round that is posted or played; None where all are closed.

    Args:
        stage: whose rounds; without one, all of the event but those of play-offs.
    """
    rounds = Round.objects.filter(event=event).exclude(stage__kind=StageKind.PLAYOFF)
    if stage is not None:
        rounds = rounds.filter(stage=stage)
    is_open = rounds.filter(state__in=(RoundState.POSTED, RoundState.PLAYING))
    return is_open.order_by("number").values_list("number", flat=True).first()


def is_behind(event: Event) -> bool:
    """Return whether results wait to be published; False before a round was closed.

    Results are closed rounds without a publication, and changes after the newest one.
    """
    closed = Round.objects.filter(event=event, state=RoundState.CLOSED)
    if not closed.exists():
        return False
    waits = Dirty.objects.filter(scope=event_scope(event.pk), done__lt=F("version"))
    return waits.exists() or not Publication.objects.filter(event=event).exists()


def published_scores(event: Event) -> Mapping[int, PublishedScore]:
    """Return the primary value of each player in the newest publication, by row; two queries.

    Members of a pair or a team share its value. Empty before the first publication.
    """
    of = Publication.objects.filter(event=event).order_by("-number")
    body = of.values_list("body", flat=True).first()
    if body is None:
        return {}
    document = json.loads(bytes(body))
    primary, is_low = document["scheme"]["primary"], document["scheme"]["direction"] == "asc"
    values: dict[str, Fraction] = {}
    for row in (*document["rows"], *document.get("provisional_rows", ())):
        value = _fraction(row.get("values", {}).get(primary))
        if value is not None:
            values[row["player_id"]] = value
    unit = lcm(*(value.denominator for value in values.values()))
    members = EntrantMember.objects.filter(event=event, entrant__code__in=values)
    return {
        player: PublishedScore(
            int(values[code] * unit) * (-1 if is_low else 1),
            shown_score(values[code]),
            str(values[code]),
        )
        for player, code in members.values_list("player_id", "entrant__code")
    }


def shown_score(value: Fraction) -> str:
    """Return a value as it is shown, with two decimals where it is not whole.

    >>> shown_score(Fraction(12)), shown_score(Fraction(277, 58))
    ('12', '4.78')
    """
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.2f}"


def _fraction(value: object) -> Fraction | None:
    try:
        return None if value is None else Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None


def seated_knockout(event: Event) -> bool:
    """Return whether a round of a knock-out plan of the event was seated."""
    plan = _newest(event, KNOCKOUT)
    if plan is None:
        return False
    rounds = Round.objects.filter(event=event, meeting=plan.meeting_id)
    return rounds.exclude(state=RoundState.DRAFT).exists()


def floated_down(event: Event) -> frozenset[int]:
    """Return who floated down in the newest Swiss round that was chosen."""
    plan = _newest(event, SWISS, PAIRS)
    rounds = plan.rounds if plan is not None and plan.is_swiss else ()
    floats = rounds[-1].get("floats", ()) if rounds else ()
    return frozenset(one["player"] for one in floats if one["direction"] == "down")


def _newest(event: Event, *movements: str) -> SeatingPlan | None:
    plans = SeatingPlan.objects.filter(event=event, movement__in=movements, is_ready=True)
    kept = plans.exclude(state=PlanState.DRAFT).exclude(chosen_at=None)
    return kept.order_by("-chosen_at", "-pk").first()
