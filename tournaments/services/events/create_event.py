"""Creating an event: as a form asks for it, or for the next season from an earlier one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final

from django.db.models import QuerySet

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from tournaments.domain.event_settings import as_stored, settings_of
from tournaments.domain.name_matching import one_line
from tournaments.domain.stage_plan import game_of_preset, read_stage_plan, stages_of_preset, within
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Club
from tournaments.models.events import (
    Entrant,
    EntrantMember,
    EntrantState,
    Event,
    EventKind,
    Season,
    Stage,
    StageKind,
    StagePlan,
    Visibility,
)
from tournaments.models.meetings import Meeting
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.selectors.events.settings_checks import (
    default_snapshot,
    fitting_settings,
    rules_facts,
)
from tournaments.selectors.rules.rule_sets import offered_to, rules_of
from tournaments.services.audit.idempotency import result_once
from tournaments.services.db.locks import lock_event
from tournaments.services.events.deadlines import schedule_reminders
from tournaments.services.events.events import (
    BAD_NAME,
    BAD_RULES,
    BAD_SETTINGS,
    address_for,
    create_event,
    new_event_settings,
)
from tournaments.services.events.seasons import lock_season_for, put_new_event
from tournaments.services.operations import Operation, operation

COPIED: Final = (
    *("name", "kind", "planned_rounds", "table_sizes", "carry", "takes", "advance", "seeding"),
    *("each_round", "from_round", "also_best"),
)
"""Columns of a stage that its director chooses."""


@operation(
    "create_event",
    refuses=(*BAD_NAME, *BAD_RULES, *BAD_SETTINGS, "unknown_event", "player_is_merged"),
    name="make_next_event",
)
def copy_event(
    op: Operation, event: Event, /, *, name: str, slug: str = "", players: bool = True
) -> Event:
    """Create a draft with the game, settings, stages, visibility and entrants of an event.

    Results, penalties and the season are not copied. A ladder cannot be copied (404).
    """
    if event.kind == EventKind.LADDER:
        raise Missing("event")
    rules = rules_of(default_snapshot(event))
    settings = fitting_settings(settings_of(event), rules_facts([rules]), seed=event.seed)
    if players:
        _lock_entrants(event)
    copy = create_event(
        op,
        event.club,
        name=name,
        slug=slug or address_for(event.club, name, event.kind),
        variant=event.variant,
        options=event.options,
        kind=event.kind,
        visibility=event.visibility,
        settings=as_stored(settings),
    )
    _copy_stages(copy, event)
    n_entrants = _copy_entrants(copy, event) if players else 0
    op.audit(copy, {"after": event.slug, "entrants": n_entrants})
    return copy


def _copy_stages(event: Event, before: Event) -> None:
    """Plan in `event` the stages of `before`, as chosen; the first one needs no beginning."""
    copies: dict[int, Stage] = {}
    stages = Stage.objects.filter(event=before).exclude(kind=StageKind.PLAYOFF).order_by("number")
    for number, stage in enumerate(stages, 1):
        copies[stage.pk], _is_new = Stage.objects.update_or_create(
            club_id=event.club_id,
            event=event,
            number=number,
            defaults={
                **{column: getattr(stage, column) for column in COPIED},
                "plan": StagePlan.PLANNED if number > 1 else StagePlan.UNPLANNED,
                "from_stage": copies.get(stage.from_stage_id or 0),
                "also_from": copies.get(stage.also_from_id or 0),
            },
        )


def _lock_entrants(before: Event) -> None:
    """Lock an event and the players of its entrants; comes before the event they are copied to."""
    lock_event(before)
    require_not_merged(list(_members(before).values_list("player_id", flat=True)))


def _copy_entrants(event: Event, before: Event) -> int:
    """Let the entrants of `before` that did not withdraw, and are locked, compete in `event`."""
    entrants = Entrant.objects.filter(event=before, state=EntrantState.ACTIVE).order_by("code")
    fresh = Entrant.objects.bulk_create(
        [
            Entrant(
                club_id=event.club_id,
                event=event,
                code=entrant.code,
                name=entrant.name,
                kind=entrant.kind,
            )
            for entrant in entrants
        ]
    )
    by_code = {entrant.code: entrant for entrant in fresh}
    EntrantMember.objects.bulk_create(
        [
            EntrantMember(
                club_id=event.club_id, event=event, entrant=by_code[code], player_id=player_id
            )
            for code, player_id in _members(before).values_list("entrant__code", "player_id")
        ]
    )
    return len(fresh)


def _members(event: Event) -> QuerySet[EntrantMember]:
    members = EntrantMember.objects.filter(event=event, entrant__state=EntrantState.ACTIVE)
    return members.order_by("pk")


MOST_EVENINGS: Final = 100
INTERVALS: Final[Mapping[str, int]] = {"week": 7, "two_weeks": 14, "four_weeks": 28, "day": 1}
"""How often an event meets → days from one evening to the next."""
ATTEMPTS: Final = 3
"""How often an address is proposed anew because somebody else has just taken it."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that is wanted; `entrants_of` is the event whose entrants compete in it too.

    Without a `slug` the first free one that the name proposes is taken.
    """

    name: str
    variant: str
    kind: str = EventKind.LEAGUE
    options: Mapping[str, object] = field(default_factory=dict)
    preset: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    visibility: str = "public"
    evenings: tuple[date, ...] = ()
    entrants_of: Event | None = None
    slug: str = ""
    season: Season | None = None


def evening_dates(first: str, last: str, interval: str, number: str = "") -> tuple[date, ...]:
    """Return the days from `first` to `last` (ISO dates, may be empty) at an interval.

    In place of `last`, `number` may say how many days; where both are given, they must agree.

    >>> [day.day for day in evening_dates("2025-12-04", "2025-12-20", "week")]
    [4, 11, 18]
    >>> [day.day for day in evening_dates("2025-12-04", "", "week", "2")]
    [4, 11]
    """
    days, n_evenings = _read_evenings(first, last, interval, number)
    if not days:
        return ()
    begins, ends = days["starts_on"], days.get("ends_on", days["starts_on"])
    step = INTERVALS[interval]
    count = (ends - begins).days // step + 1
    if n_evenings and "ends_on" not in days:
        count = n_evenings
    elif ends < begins:
        facts = {"found": str(ends), "expected": str(begins)}
        raise Refused(Problem("ends_before_it_starts", ("ends_on",), facts))
    elif count > MOST_EVENINGS:
        numbers: dict[str, int | str] = {"found": count, "expected": MOST_EVENINGS}
        raise Refused(Problem("too_many_evenings", ("ends_on",), numbers))
    elif n_evenings and n_evenings != count:
        numbers = {"found": n_evenings, "expected": count}
        raise Refused(Problem("other_number_of_evenings", ("n_evenings",), numbers))
    return tuple(begins + timedelta(days=step * n) for n in range(count))


def _read_evenings(
    first: str, last: str, interval: str, number: str
) -> tuple[dict[str, date], int]:
    """Return the days that were typed, by field, and the number of evenings; 0 = none typed."""
    days: dict[str, date] = {}
    problems = []
    for key, text in (("starts_on", first), ("ends_on", last)):
        try:
            if text or (key == "starts_on" and (last or number)):
                days[key] = date.fromisoformat(text)
        except ValueError:
            problems.append(Problem("bad_day", (key,), {"found": text or "–"}))
    if interval not in INTERVALS:
        facts = {"key": "interval", "found": interval, "expected": ", ".join(INTERVALS)}
        problems.append(Problem("bad_setting", ("interval",), facts))
    n_evenings = within(number, 1, MOST_EVENINGS) or 0
    if number and not n_evenings:
        facts = {"key": "n_evenings", "found": number, "expected": f"1 to {MOST_EVENINGS}"}
        problems.append(Problem("bad_setting", ("n_evenings",), facts))
    if problems:
        raise Refused(*problems)
    return days, n_evenings


def usual_visibility(club: Club) -> str:
    return Visibility.PUBLIC.value if club.is_public else Visibility.MEMBERS.value


def check_event(club: Club, new_event: NewEvent) -> None:
    """Refuse what creating the event would refuse, without creating it."""
    slug = address_for(club, new_event.name, new_event.kind)
    fields = {**event_columns(new_event), "name": one_line(new_event.name)}
    new_event_settings(offered_to(club), slug=slug, **fields)


def event_columns(new_event: NewEvent) -> JsonDict:
    names = ("name", "variant", "kind", "options", "preset", "settings", "visibility")
    return {name: getattr(new_event, name) for name in names}


@operation(
    "create_event",
    refuses=(
        *(*BAD_NAME, *BAD_RULES, *BAD_SETTINGS, "too_many_evenings", "player_is_merged"),
        *("unknown_season", "unknown_event", "season_goes_both_ways"),
    ),
)
def set_up_event(op: Operation, club: Club, /, *, new_event: NewEvent, key: str = "") -> Event:
    """Create an event as a draft: a name and a variant are enough.

    The preset gives settings and stages; `settings` replace single ones. All problems are in one
    answer (422). A slug that another event of the club has or had is refused (409 `slug_taken`).
    """
    if not key:
        return _set_up(op, club, new_event)
    event_id = result_once(  # a form that is sent twice creates one event
        caller=op.actor.label,
        key=key,
        now=op.now,
        act=lambda: str(_set_up(op, club, new_event).pk),
    )
    event = Event.objects.select_related("club").filter(club=club, pk=int(event_id)).first()
    return event or _set_up(op, club, new_event)  # deleted meanwhile: create it again


def _set_up(op: Operation, club: Club, new_event: NewEvent) -> Event:
    if len(new_event.evenings) > MOST_EVENINGS:
        facts = {"found": len(new_event.evenings), "expected": MOST_EVENINGS}
        raise Refused(Problem("too_many_evenings", ("meetings",), facts))
    season = new_event.season
    if season is not None:
        op.require("manage_event", club)
        season = lock_season_for(season, now=op.now)
    if new_event.entrants_of is not None:
        _lock_entrants(new_event.entrants_of)
    is_ladder = new_event.kind == EventKind.LADDER  # it has no preset
    rules = offered_to(club).rules_named(new_event.variant, new_event.options)
    if not is_ladder and (game := game_of_preset(new_event.preset, rules)):
        # The game of a preset comes in the place of one that it cannot be played with.
        new_event = replace(new_event, variant=game, options={})
    event = _create(op, club, new_event)
    if season is not None:
        put_new_event(actor=op.actor, event=event, season=season, now=op.now)
    if not is_ladder:
        planned = Meeting.objects.bulk_create(
            Meeting(club=club, event=event, date=day) for day in sorted(set(new_event.evenings))
        )
        schedule_reminders(event, planned, now=op.now)
    earlier = new_event.entrants_of
    entrants = _copy_entrants(event, earlier) if earlier is not None else 0
    if not is_ladder:
        _plan_stages(event, stages_of_preset(new_event.preset, entrants))
    return event


def _plan_stages(event: Event, stages: Sequence[Mapping[str, object]]) -> None:
    """Add the stages of a preset to a new event: the first one exists, others are planned."""
    for number, fields in enumerate(stages, 1):
        columns = {"name": fields.get("name", ""), **read_stage_plan(fields)}
        plan = StagePlan.PLANNED if number > 1 else StagePlan.UNPLANNED
        Stage.objects.update_or_create(
            club_id=event.club_id, event=event, number=number, defaults={"plan": plan, **columns}
        )


def _create(op: Operation, club: Club, new_event: NewEvent) -> Event:
    """Create the event at the first address that is free, or at the one that is asked for."""
    for attempt in range(1, ATTEMPTS + 1):
        slug = new_event.slug or address_for(club, new_event.name, new_event.kind)
        try:
            return create_event(op, club, slug=slug, **event_columns(new_event))
        except Conflict as conflict:
            if new_event.slug or conflict.problem.code != "slug_taken" or attempt == ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")
