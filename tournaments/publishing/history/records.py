"""The records of an event: the most and the least that anybody made, each with where it stands."""

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, cast

from tournaments.domain.standings.publication_head import compact
from tournaments.domain.standings.standings_documents import HolderPlace, RecordDocument
from tournaments.models.events import Event
from tournaments.models.standings import StoredHistory
from tournaments.publishing.history.head_to_head import BESTS
from tournaments.publishing.history.work_units import PendingWork, WorkUnit
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.events.events import default_snapshot

RECORDS: Final = "records"
MOST_HOLDERS: Final = 12
"""A record that more people hold is not said of anybody."""

COUNTS: Final = ("moons", "wins", "games", "hands")
"""Records of a number; nobody holds one of none."""

HIGHEST: Final = {
    "best_night": False, "worst_night": True, "lowest_game": False, "highest_game": True,
}  # fmt: skip
"""Records of points → whether more is further; the nights turn where the highest total wins."""


def make_records(event: Event, todo: PendingWork, budget: int) -> WorkUnit:
    """Make the records of an event, once all its entrants are through."""
    if not todo.records or todo.entrants or todo.everybody or budget <= 0:
        return WorkUnit(todo)
    rows = StoredHistory.objects.filter(event=event, kind=BESTS).order_by("key")
    found = {key: json.loads(bytes(body)) for key, body in rows.values_list("key", "body")}
    is_low = low_wins(rules_of(default_snapshot(event)))
    body = compact({"records": records(found, low_wins=is_low)})
    return WorkUnit(replace(todo, records=False), len(found) // 10, {(RECORDS, ""): body})


def records(bests: Mapping[str, Mapping[str, Any]], *, low_wins: bool) -> list[RecordDocument]:
    """Return the records over what each entrant made, by code; holders in the order of codes."""
    told = []
    for key in COUNTS:
        tables = "moon_tables" if key == "moons" else ""
        told.append(
            _record(
                key,
                {code: Fraction(own[key]) for code, own in bests.items() if own[key]},
                {code: {"tables": own[tables] if tables else []} for code, own in bests.items()},
                highest=True,
            )
        )
    series = {code: own["longest_series"] for code, own in bests.items()}
    won = {code: Fraction(one["wins"]) for code, one in series.items() if one["wins"] > 1}
    told.append(_record("longest_series", won, series, highest=True))
    for key, highest in HIGHEST.items():
        turned = key.endswith("night") and not low_wins
        where = {code: own[key] for code, own in bests.items() if own[key] is not None}
        points = {code: Fraction(one["points"]) for code, one in where.items()}
        told.append(_record(key, points, where, highest=highest != turned))
    return [record for record in told if record is not None]


def _record(
    key: str,
    values: Mapping[str, Fraction],
    where: Mapping[str, Mapping[str, object]],
    *,
    highest: bool,
) -> RecordDocument | None:
    if not values:
        return None
    best = max(values.values()) if highest else min(values.values())
    holders = [code for code in sorted(values) if values[code] == best]
    if len(holders) > MOST_HOLDERS:
        return None
    return {
        "key": key,
        "value": best.numerator if best.denominator == 1 else str(best),
        "holders": [{"player_id": code, **_place(where[code])} for code in holders],
    }


def _place(where: Mapping[str, object]) -> HolderPlace:
    kept = ("hands", "meeting", "round", "tables")
    return cast("HolderPlace", {name: where[name] for name in kept if name in where})
