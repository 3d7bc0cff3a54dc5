"""Creating an event: what a form says of it, or like an earlier event."""

from dataclasses import replace
from datetime import date
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.domain.evening_series import (
    MOST_EVENINGS,
    SERIES_INTERVALS,
    Break,
    Series,
    read_days_off,
    series_days,
)
from tournaments.domain.event_settings import as_stored, settings_of
from tournaments.domain.stage_plan import within
from tournaments.errors import Missing, refuse_any
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Stage, StagePlan, Visibility
from tournaments.selectors.events.settings_checks import (
    default_snapshot,
    fitting_settings,
    rules_facts,
)
from tournaments.selectors.rules.rule_sets import offered_to, rules_of
from tournaments.selectors.stages import stages_of
from tournaments.services.events.events import (
    NewEvent,
    address_for,
    create_event,
    new_event_settings,
)
from tournaments.services.operations import Operation, operation

COPIED: Final = (
    *("name", "kind", "planned_rounds", "table_sizes", "carry", "takes", "advance", "seeding"),
    *("each_round", "from_round", "also_best"),
)
"""Columns of a stage that its director chooses."""


@operation(
    "create_event",
    refuses=(
        *("no_name", "name_too_long", "bad_slug", "slug_taken", "player_is_merged"),
        *("unknown_event", "unknown_variant", "unknown_option", "bad_option"),
    ),
    name="make_next_event",
)
def copy_event(
    op: Operation, event: Event, /, *, name: str, slug: str = "", players: bool = True
) -> Event:
    """Create a draft with the game, settings, stages, visibility and entrants of an event.

    Results, penalties and the season are not copied. A ladder cannot be copied (404).
    """
    if event.is_ladder:
        raise Missing("event")
    rules = rules_of(default_snapshot(event))
    settings = fitting_settings(settings_of(event), rules_facts([rules]), seed=event.seed)
    copy = create_event(
        op,
        event.club,
        name=name,
        slug=slug,
        variant=event.variant,
        options=event.options,
        kind=event.kind,
        visibility=event.visibility,
        settings=as_stored(settings),
        entrants_of=event if players else None,
    )
    copies: dict[int, Stage] = {}
    for number, stage in enumerate(stages_of(event), 1):
        copies[stage.pk], _is_new = Stage.objects.update_or_create(
            club_id=copy.club_id,
            event=copy,
            number=number,
            defaults={
                **{column: getattr(stage, column) for column in COPIED},
                "plan": StagePlan.PLANNED if number > 1 else StagePlan.UNPLANNED,
                "from_stage": copies.get(stage.from_stage_id or 0),
                "also_from": copies.get(stage.also_from_id or 0),
            },
        )
    op.audit(copy, {"after": event.slug, "entrants": copy.entrants.count()})
    return copy


def evening_dates(
    first: str, last: str, interval: str, number: str = "", not_on: str = ""
) -> tuple[date, ...]:
    """Return the days from `first` to `last` (ISO dates, may be empty) at an interval.

    In place of `last`, `number` may say how many days; where both are given, they must agree. Those
    of `not_on` are left out, and do not count.

    >>> [day.day for day in evening_dates("2025-12-04", "2025-12-20", "week")]
    [4, 11, 18]
    >>> [day.day for day in evening_dates("2025-12-04", "", "week", "2", "2025-12-11")]
    [4, 18]
    """
    series = _read_evenings(first, last, interval, number, not_on)
    if series is None:
        return ()
    try:
        days = series_days(series)
    except Refused as refused:
        fields = {"first": "starts_on", "last": "ends_on", "number": "n_evenings"}
        raise Refused(
            *(replace(each, at=(fields[str(each.at[0])],)) for each in refused.problems)
        ) from refused
    return tuple(day for day in days if series.break_on(day) is None)


def _read_evenings(first: str, last: str, interval: str, number: str, not_on: str) -> Series | None:
    """Return the series that was typed; None where no day and no number was."""
    days: dict[str, date] = {}
    problems = []
    for key, text in (("starts_on", first), ("ends_on", last)):
        try:
            if text or (key == "starts_on" and (last or number)):
                days[key] = date.fromisoformat(text)
        except ValueError:
            problems.append(Problem("bad_day", (key,), {"found": text or "–"}))
    if interval not in SERIES_INTERVALS:
        facts = {"key": "interval", "found": interval, "expected": ", ".join(SERIES_INTERVALS)}
        problems.append(Problem("bad_setting", ("interval",), facts))
    n_evenings = within(number, 1, MOST_EVENINGS) or None
    if number and not n_evenings:
        facts = {"key": "n_evenings", "found": number, "expected": f"1 to {MOST_EVENINGS}"}
        problems.append(Problem("bad_setting", ("n_evenings",), facts))
    breaks: tuple[Break, ...] = ()
    try:
        breaks = read_days_off(not_on, "not_on")
    except Refused as refused:
        problems += refused.problems
    refuse_any(problems)
    if "starts_on" not in days:
        return None
    return Series(days["starts_on"], interval, days.get("ends_on"), n_evenings, breaks)


def usual_visibility(club: Club) -> str:
    return Visibility.PUBLIC.value if club.is_public else Visibility.MEMBERS.value


def check_event(club: Club, new_event: NewEvent) -> None:
    slug = address_for(club, new_event["name"], new_event["kind"])
    new_event_settings(offered_to(club), {**new_event, "slug": slug})
