"""From an event's variant to prepared rules, and back to the snapshot a table is played under."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import structlog
from django.conf import settings

from scoring.catalogue import Catalogue, catalogue
from scoring.errors import Problem, Refused
from scoring.options import Option, options_of
from scoring.rules import Rules
from tournaments.models.events import Event, Snapshot
from tournaments.models.meetings import Side

log = structlog.get_logger(__name__)


def variants() -> Catalogue:
    """Return the catalogue this site offers: shipped variants and those of BLACKLADY_VARIANTS."""
    return _variants(tuple(settings.BLACKLADY_VARIANTS))


@lru_cache(maxsize=16)
def _variants(directories: tuple[Path, ...]) -> Catalogue:
    offered = catalogue(directories)
    for bad in offered.bad_files:
        log.warning("variant_file_left_out", file=str(bad.file), line=bad.line, why=str(bad))
    return offered


def rules_of(snapshot: Snapshot) -> Rules:
    """Return the prepared rules of a snapshot; made once a process for each content hash."""
    known = _prepared(snapshot.content_hash)
    if not known:
        known.append(Rules.from_json(snapshot.rules))
    return known[0]


@lru_cache(maxsize=512)
def _prepared(content_hash: str) -> list[Rules]:
    return []


def low_wins(rules: Rules) -> bool:
    """Whether the smaller total is the better one."""
    return rules.keys.result.order != "high"


def plays_for_chips(rules: Rules) -> bool:
    """Whether each player begins with chips and pays some of them into every deal."""
    return rules.keys.settle is not None and rules.keys.settle.stake == "ante"


def rules_named(variant: str, options: Mapping[str, object] | None = None) -> Rules | None:
    """Return the rules of this name with these options; None where there are none."""
    offered = variants()
    try:
        return offered.rules(offered.find(variant), options or {})
    except Refused:
        return None


def rule_problems(variant: str, options: Mapping[str, object] | None) -> tuple[Problem, ...]:
    """Return why there are no rules of this name with these options; empty where there are."""
    offered = variants()
    try:
        offered.rules(offered.find(variant), options or {})
    except Refused as refused:
        return refused.problems
    return ()


def options_for(variant: str) -> tuple[Option, ...]:
    """Return the options that have something to change in a variant's rules.

    Raises:
        Refused: unknown_variant.
    """
    offered = variants()
    return options_of(offered.resolved(offered.find(variant)))


def sides_of(rules: Rules, seats: int) -> tuple[str, ...]:
    """Return the side of each seat (NS, EW) clockwise; empty where the rules have no two sides.

    The first side of the rules has the first seat, which is North.
    """
    shape = rules.keys.teams.shape
    if len(shape) != len(Side.values):
        return ("",) * seats
    side_of = {seat: side for side, own in zip(Side.values, shape, strict=True) for seat in own}
    return tuple(side_of.get(seat, "") for seat in range(seats))


def take_snapshot(
    *, event: Event, variant: str, options: Mapping[str, object] | None = None
) -> Snapshot:
    """Keep the rules that `variant` (id, name or alias) and `options` mean today with the event.

    Returns:
        The event's snapshot of exactly these rules, a new one or the one kept before.

    Raises:
        Refused: unknown_variant, unknown_option, bad_option.
    """
    offered = variants()
    rules = offered.rules(offered.find(variant), options or {})
    snapshot, _ = Snapshot.objects.get_or_create(
        event=event,
        content_hash=rules.content_hash,
        defaults={
            "club_id": event.club_id,
            "variant": rules.id,
            "variant_name": rules.name,
            "options": dict(options or {}),
            "rules": rules.as_json(),
        },
    )
    return snapshot
