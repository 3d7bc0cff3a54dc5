"""Seasons: local dates, the events in them, and whether they have a table of their own."""

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Final

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.standings.counting import Facts
from scoring.standings.metrics import FROM_GAMES, PRIMARIES
from tournaments.domain.etags import mark_of_text
from tournaments.domain.event_settings import (
    PRESETS,
    Settings,
    as_stored,
    preset_settings,
    read_settings,
    without_lot,
)
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.domain.stage_plan import FOR_PARTNERS, PRESET_STAGES
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Season, Visibility
from tournaments.models.jobs import season_scope
from tournaments.selectors.events.settings_checks import (
    default_snapshot,
    facts_of,
    setting_refusals,
)
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.clubs.clubs import proposed_slug, slug_problems
from tournaments.services.db.transactions import unless_taken
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.jobs.queue import mark_due
from tournaments.services.operations import Operation, operation

INVALID: Final = ("no_name", "name_too_long", "bad_day", "ends_before_it_starts", "bad_setting")

UNFIT: Final = ("season_goes_both_ways", "scores_have_no_order", "hands_not_known")
"""Why the sheets of an event cannot give the value of a table."""


def _spans_games(preset: str) -> bool:
    settings = preset_settings(preset)
    if settings.games_ranked_by not in FROM_GAMES or preset in PRESET_STAGES.keys() - FOR_PARTNERS:
        return False
    return settings.mixed_raw or not PRIMARIES[settings.games_ranked_by].is_raw


SEASON_PRESETS: Final = tuple(preset for preset in PRESETS if _spans_games(preset))
"""Presets for a season's own table: those whose value compares over games of any kind, and the one
that lets points mix."""


@operation("manage_event", refuses=(*INVALID, "no_slug", "bad_slug", "slug_taken"))
def make_season(
    op: Operation,
    club: Club,
    /,
    *,
    name: str,
    starts_on: str,
    ends_on: str,
    slug: str = "",
    preset: str = "",
) -> Season:
    """Create a season without events; add them by `PATCH`, or name the season in a new event."""
    name = one_line(name)
    slugs = Season.objects.filter(club=club).values_list("slug", flat=True)
    slug = slug or proposed_slug(name, slugs)
    of_slug = slug_problems(slug) if name or slug else []
    first, last = _require_valid(name, starts_on, ends_on, preset, of_slug)
    season = Season(
        club=club,
        slug=slug,
        name=name,
        starts_on=first,
        ends_on=last,
        settings=_preset_values(preset),
        seed=secrets.token_hex(8),
    )
    with unless_taken(Conflict(Problem("slug_taken", ("slug",), {"slug": slug}))):
        season.save()
    op.audit(season, {"table": preset})
    return season


def _lock_season(season: Season) -> Season:
    rows = Season.objects.select_for_update(of=("self",), no_key=True).select_related("club")
    return rows.get(pk=season.pk)


@operation(
    "manage_event",
    locks=_lock_season,
    refuses=(*INVALID, *UNFIT, "season_outdated", "season_of_another_club"),
)
def change_season(
    op: Operation,
    season: Season,
    /,
    *,
    name: str | None = None,
    starts_on: str | None = None,
    ends_on: str | None = None,
    preset: str | None = None,
    events: Collection[str] | None = None,
    based_on: str | None = None,
) -> Season:
    """Change the name, the days, the standings or the events of a season.

    `If-Match` names the season that you read, or is `*`. Without it the answer is 428; if somebody
    changed the season meanwhile it is 412, with the current one (`there`). `events` lists all its
    events: an event of another season moves to this one, one that is not listed leaves it.
    """
    if based_on and based_on != season_tag(season):
        raise Conflict(Problem("season_outdated"), there=_season_state(season))
    before = {"name": season.name, "from": str(season.starts_on), "to": str(season.ends_on)}
    name = season.name if name is None else one_line(name)
    days = (
        before["from"] if starts_on is None else starts_on,
        before["to"] if ends_on is None else ends_on,
    )
    first, last = _require_valid(name, *days, preset or "")
    if events is not None:
        members = _list_events(season, events)
    else:
        members = _events_of(season)
    season.name, season.starts_on, season.ends_on = name, first, last
    settings = season.settings
    listed = _events_of(season)
    if preset is not None and preset != preset_of(season):
        season.settings = _preset_values(preset)
    require_season_fits(season, members)
    after = {"name": name, "from": str(first), "to": str(last)}
    changed = {key: text for key, text in after.items() if before[key] != text}
    ids = {event.pk for event in members}
    removed = [event for event in listed if event.pk not in ids]
    if not changed and season.settings == settings and ids == {event.pk for event in listed}:
        return season
    season.save(update_fields=["name", "starts_on", "ends_on", "settings"])
    moves = [*((event, season) for event in members), *((event, None) for event in removed)]
    op.audit(season, {**changed, "table": preset_of(season)})
    _put(op, moves, season)
    return season


@operation("manage_event", locks=_lock_season)
def retry_season(op: Operation, season: Season, /) -> Season:
    """Compute the standings of a season again after the workers gave up because of an error."""
    _mark(season, op.now)
    op.audit(season, name="try_again")
    return season


def season_tag(season: Season) -> str:
    return mark_of_text(json.dumps(_season_state(season), sort_keys=True))


def _season_state(season: Season) -> dict[str, object]:
    return {
        "name": season.name,
        "starts_on": str(season.starts_on),
        "ends_on": str(season.ends_on),
        "table": preset_of(season),
        "events": [event.slug for event in _events_of(season)],
    }


def lock_season_for(season: Season, *, now: datetime) -> Season:
    """Lock a season in which an event is about to be created, and schedule its table.

    Both come before the event: these rows are locked before the head of the audit chain, which
    creating an event locks.
    """
    season = _lock_season(season)
    _mark(season, now)
    return season


def put_new_event(op: Operation, event: Event, season: Season) -> None:
    """Put an event that was created in this transaction into a season that it locked."""
    try:
        require_season_fits(season, [*_events_of(season), event])
    except Refused as refused:
        problems = (
            Problem(problem.code, ("season",), problem.facts) for problem in refused.problems
        )
        raise Refused(*problems) from refused
    Event.objects.filter(pk=event.pk).update(season=season)
    event.season = season
    op.audit(event, {"season": season.slug, "was": ""}, name="put_event")


def preset_of(season: Season) -> str:
    if not season.settings:
        return ""
    # Until 0.3.0 a preset ended with a lot, and a season that was made then still has it.
    settings = as_stored(without_lot(read_settings(season.settings)))
    presets = {preset: as_stored(preset_settings(preset)) for preset in SEASON_PRESETS}
    return next((preset for preset in presets if presets[preset] == settings), "")


def _put(op: Operation, moves: Sequence[tuple[Event, Season | None]], changed: Season) -> None:
    """Put events into seasons, or into none.

    Who publishes an event holds its dirty row and then marks the season's; so all events are
    marked before any season, and the club's chain is locked after both.
    """
    touched = {changed.pk: changed}
    moved = []
    for event, season in sorted(moves, key=lambda move: move[0].pk):
        before = Season.objects.filter(events=event).first()
        if before == season:
            continue
        event.season = season
        Event.objects.filter(pk=event.pk).update(season=season)
        moved.append(event)
        touched |= {row.pk: row for row in (before, season) if row is not None}
        slugs = {"season": season.slug if season else "", "was": before.slug if before else ""}
        op.audit(event, slugs, name="put_event")
    for event in moved:
        mark_changed(event=event, now=op.now)  # its own standings name its season
    for pk in sorted(touched):
        _mark(touched[pk], op.now)


def _mark(season: Season, now: datetime) -> None:
    if season.settings:
        mark_due(season_scope(season.pk), now=now)


def _events_of(season: Season) -> list[Event]:
    events = Event.objects.filter(season=season).select_related("club")
    return list(events.order_by("created_at", "pk"))


def _list_events(season: Season, slugs: Collection[str]) -> list[Event]:
    rows = Event.objects.filter(club_id=season.club_id, slug__in=slugs).select_related("club")
    events = list(rows.order_by("created_at", "pk"))
    if unknown := sorted(set(slugs) - {event.slug for event in events}):
        raise Refused(
            *(Problem("season_of_another_club", ("events",), {"event": slug}) for slug in unknown)
        )
    return events


def _preset_values(preset: str) -> JsonDict:
    if not preset:
        return {}
    return as_stored(preset_settings(preset))


def _require_valid(
    name: str, starts_on: str, ends_on: str, preset: str, of_slug: Sequence[Problem] = ()
) -> tuple[date, date]:
    problems = [*name_problems(name), *of_slug]
    days = []
    for key, text in (("starts_on", starts_on), ("ends_on", ends_on)):
        try:
            days.append(date.fromisoformat(text))
        except ValueError:
            problems.append(Problem("bad_day", (key,), {"found": text or "–"}))
    if len(days) == 2 and days[1] < days[0]:
        facts = {"found": str(days[1]), "expected": str(days[0])}
        problems.append(Problem("ends_before_it_starts", ("ends_on",), facts))
    if preset and preset not in SEASON_PRESETS:
        facts = {"key": "preset", "found": preset, "expected": ", ".join(SEASON_PRESETS)}
        problems.append(Problem("bad_setting", ("preset",), facts))
    refuse_any(problems)
    return days[0], days[1]


def require_season_fits(season: Season, events: Sequence[Event] | None = None) -> None:
    """Refuse a table whose value the sheets of these events, or of those it has, cannot give."""
    if not season.settings:
        return
    settings = read_settings(season.settings)
    members = _events_of(season) if events is None else events
    counted = [event for event in members if event.visibility == Visibility.PUBLIC]
    if PRIMARIES[settings.games_ranked_by].turns:
        lows = {low_wins(rules_of(default_snapshot(event))) for event in counted}
        if len(lows) > 1:
            raise Refused(Problem("season_goes_both_ways", ("events",)))
    problems = {
        problem.code: Problem(problem.code, ("preset",), problem.facts)
        for event in counted
        for problem in setting_refusals(
            settings, season_facts(event), seed=season.seed, changed=as_stored(settings)
        )
        if problem.at[1:] in (("primary",), ("evening_ranking",))
    }
    if problems:
        raise Refused(*problems.values())


def season_facts(event: Event) -> Facts:
    """Return what an event's sheets can tell a season.

    A size of table for which the season has no list of place points is none of them: there the
    points of the event itself count.
    """
    return replace(facts_of(event, Settings()), sizes=())


def season_settings(season: Season) -> Settings | None:
    return read_settings(season.settings) if season.settings else None
