"""Changing the settings of a club: judged, stored, and what follows from a change."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from scoring.errors import Problem, shown
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.club_settings import CLUB_SETTINGS, MOST_STEPS, ON_FRONT
from tournaments.domain.colours import LEAST_CONTRAST, contrast_on_light, read_colour
from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.domain.seating_preferences import (
    preference_problems,
    read_preferences,
)
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Club, ClubFront, ClubVisibility
from tournaments.models.events import Event, EventKind, EventState
from tournaments.models.jobs import LADDER_WEEK, Deadline
from tournaments.selectors.attendance.excuses import counts_excuses
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.settings_checks import club_settings
from tournaments.services.audit.audit import AFTER_AUDIT, mark_names_changed
from tournaments.services.clubs.clubs import BAD_CLUB, place_problems, slug_problems
from tournaments.services.clubs.names import change_slug, lock_names, set_names_policy
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import write_last
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.jobs.schedule import (
    lock_coming,
    next_sweep,
    reschedule_reminders,
    schedule_challenges,
)
from tournaments.services.operations import Operation, operation

REMINDING: Final = frozenset({"time_zone", "reminder_days"})
"""Settings that change when members are reminded of an evening."""


def club_tag(settings: Mapping[str, object]) -> str:
    """Return a mark of exactly these settings, independent of their order."""
    return mark_of_text("\n".join(f"{key} {settings[key]}" for key in CLUB_SETTINGS))


@operation(
    "manage_club",
    refuses=(
        *BAD_CLUB,
        *("club_outdated", "bad_setting", "bad_colour", "colour_too_light"),
        *("text_too_long", "too_many_steps", "unknown_event"),
    ),
)
def change_club(
    op: Operation, club: Club, /, *, wanted: Mapping[str, object], based_on: str | None = None
) -> Club:
    """Change settings of a club.

    `If-Match` is the ETag of the club that you read, or `*`; without it the answer is 428. If
    somebody changed the settings meanwhile, it is 412 with the current settings (`there`). After a
    change of the name or the slug the standings are published again, with the same places.
    """
    ladders: list[Event] = []
    if "time_zone" in wanted:
        # The deadlines of ladders are local days; events are locked before their club.
        open_ladders = Event.objects.filter(club=club, kind=EventKind.LADDER, state=EventState.OPEN)
        ladders = [lock_event(event) for event in open_ladders.order_by("pk")]
    reminding = lock_coming(club, op.now) if not REMINDING.isdisjoint(wanted) else []
    locked = lock_names(club)
    before = club_settings(locked)
    if based_on and based_on != club_tag(before):
        raise Conflict(Problem("club_outdated"), there=before)
    after = {**before, **_tidied(wanted, before)}
    refuse_any(_problems(locked, after))
    changed = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    if not changed:
        return locked
    _store(locked, after)
    if "time_zone" in changed:
        for event in ladders:
            event.club = locked
            schedule_challenges(event)
            if Deadline.objects.filter(event=event, kind=LADDER_WEEK).exists():
                set_deadline(event, LADDER_WEEK, next_sweep(event, op.now))
        for event in Event.objects.filter(club=locked).select_related("season"):
            if counts_excuses(event):
                op.changed(event)  # its evenings begin at other moments
    if not REMINDING.isdisjoint(changed):
        reschedule_reminders(reminding, locked, now=op.now)
    if not {"name", "slug"}.isdisjoint(changed):
        # They are laid out under the new address: workers read it when this is committed.
        events = Event.objects.filter(club=locked)
        mark_names_changed(events, by=get_role(op.actor, locked.pk), now=op.now)
    if "names_policy" in changed:
        locked = set_names_policy(op, locked, policy=str(after["names_policy"]))
    texts = [key for key in changed if CLUB_SETTINGS[key].called]
    facts = {key: list(pair) for key, pair in changed.items() if key not in ("name", *texts)}
    audited = {"settings": facts, "renamed": "name" in changed}
    op.audit(locked, {**audited, "texts": texts} if texts else audited)
    if "slug" in changed:
        write_last(partial(change_slug, locked, after["slug"], now=op.now), order=(AFTER_AUDIT,))
    return locked


def _tidied(values: JsonObject, before: JsonDict) -> JsonDict:
    tidied = {key: CLUB_SETTINGS[key].tidied(value) for key, value in values.items()}
    if isinstance(seating := tidied.get("seating"), Mapping) and not any(
        preference_problems(seating)
    ):
        tidied["seating"] = read_preferences({**before["seating"], **seating})
    if isinstance(name := tidied.get("name"), str):
        tidied["name"] = one_line(name)
    if isinstance(colour := tidied.get("colour"), str) and colour.strip():
        tidied["colour"] = read_colour(colour) or colour
    if isinstance(steps := tidied.get("how_to_join"), list):
        tidied["how_to_join"] = [line for step in steps if (line := one_line(str(step)))]
    if "front_event" in tidied:
        tidied["front_event"] = tidied["front_event"] or None
    return tidied


def _problems(club: Club, after: JsonObject) -> Iterable[Problem]:
    yield from name_problems(after["name"])
    yield from slug_problems(after["slug"])
    yield from place_problems(after["time_zone"], after["language"])
    for key, setting in CLUB_SETTINGS.items():
        yield from () if key in ON_FRONT else setting.problems(after[key])
    yield from _colour_problems(after["colour"])
    yield from preference_problems(after["seating"])
    for key in ON_FRONT:
        yield from CLUB_SETTINGS[key].problems(after[key])
    steps = after["how_to_join"]
    if len(steps) > MOST_STEPS:
        numbers = {"found": len(steps), "expected": MOST_STEPS}
        yield Problem("too_many_steps", ("how_to_join",), numbers)
    for at, step in enumerate(steps):
        yield from CLUB_SETTINGS["how_to_join"].length_problems(step, at)
    slug = after["front_event"]
    if slug is not None and not Event.objects.filter(club=club, slug=slug).exists():
        yield Problem("unknown_event", ("front_event",), {"event": shown(slug)})


def _colour_problems(colour: str) -> Iterable[Problem]:
    if not colour:
        return
    if read_colour(colour) is None:
        yield Problem("bad_colour", ("colour",), {"found": shown(colour)})
    elif (contrast := contrast_on_light(colour)) < LEAST_CONTRAST:
        facts = {"found": colour, "contrast": f"{contrast:.1f}", "expected": str(LEAST_CONTRAST)}
        yield Problem("colour_too_light", ("colour",), facts)


def _store(club: Club, after: JsonObject) -> None:
    stored = {
        **after,
        "how_to_join": "\n".join(after["how_to_join"]),
        "front_event": Event.objects.filter(club=club, slug=after["front_event"]).first(),
    }
    front = {key: stored.pop(key) for key in ON_FRONT}
    stored["is_public"] = stored.pop("visibility") == ClubVisibility.PUBLIC
    del stored["slug"], stored["names_policy"]  # changed by operations of their own
    for key, value in stored.items():
        setattr(club, key, value)
    club.save(update_fields=[*stored])
    ClubFront.objects.update_or_create(club=club, defaults=front)
