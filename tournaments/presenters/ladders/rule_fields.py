"""The rules of a ladder with what they may be, for a form; their words stand in the form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from scoring.ladders.rules import CHOICES, LIMITS, LadderRules
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Event

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
