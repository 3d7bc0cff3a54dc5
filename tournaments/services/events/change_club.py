"""The texts of a club's page and its first event, as settings: read, judged and stored."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.domain.colours import LEAST, contrast_on_light, read_colour
from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.domain.seating.seating_preferences import (
    preference_problems,
    read_preferences,
)
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, ClubFront, ClubVisibility, EventCreators, NamesPolicy
from tournaments.models.events import Event, EventKind, EventState
from tournaments.models.outbox import Deadline
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.settings_checks import (
    _STORED_APART,
    CLUB_SETTINGS,
    FRONT_SETTINGS,
    club_settings,
)
from tournaments.services.audit.audit import AFTER_AUDIT, mark_names_changed
from tournaments.services.clubs.clubs import BAD_CLUB, place_problems, slug_problems
from tournaments.services.clubs.names import change_slug, lock_names, set_names_policy
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import write_last
from tournaments.services.events.deadlines import (
    WEEK,
    lock_coming,
    next_sweep,
    reschedule_reminders,
    schedule_challenges,
)
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.operations import Operation, operation

TEXTS: Final[Mapping[str, tuple[str, int]]] = {
    **{"about": ("text", 2000), "when_where": ("line", 160)},
    **{"fee": ("fee", 120), "contact": ("contact", 200), "how_to_join": ("step", 200)},
}
"""Settings in the owner's own words, of which the audit trail keeps no word.

Each has what a sentence calls it, and the most characters (of a step).
"""
MOST_STEPS: Final = 5


def _tidied_front(values: Mapping[str, Any]) -> dict[str, Any]:
    front = {key: values[key] for key in FRONT_SETTINGS if key in values}
    for key in TEXTS:
        if isinstance(text := front.get(key), str):
            front[key] = paragraphs(text) if key == "about" else one_line(text)
    if isinstance(steps := front.get("how_to_join"), list):
        front["how_to_join"] = [line for step in steps if (line := one_line(str(step)))]
    if "front_event" in front:
        front["front_event"] = front["front_event"] or None
    return front


def paragraphs(text: str) -> str:
    """Return a text of several lines as it is kept: one blank line at most between paragraphs.

    >>> paragraphs(" Hearts \\r\\n on Thursdays\\n\\n\\n\\n Come! \\n")
    'Hearts\\non Thursdays\\n\\nCome!'
    """
    lines = [one_line(line) for line in text.splitlines()]
    rest = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    return "\n".join(rest).strip()


def _front_problems(club: Club, after: Mapping[str, Any]) -> Iterable[Problem]:
    steps = after["how_to_join"]
    for key in TEXTS:
        if key != "how_to_join":
            yield from _too_long(after[key], key)
    if len(steps) > MOST_STEPS:
        numbers = {"found": len(steps), "expected": MOST_STEPS}
        yield Problem("too_many_steps", ("how_to_join",), numbers)
    for at, step in enumerate(steps):
        yield from _too_long(step, "how_to_join", at)
    yield from _choice("welcomes_visitors", after, (True, False))
    slug = after["front_event"]
    if slug is not None and not Event.objects.filter(club=club, slug=slug).exists():
        yield Problem("unknown_event", ("front_event",), {"event": shown(slug)})


def _store_front(club: Club, after: Mapping[str, Any]) -> None:
    stored = {key: after[key] for key in FRONT_SETTINGS}
    stored["how_to_join"] = "\n".join(after["how_to_join"])
    stored["front_event"] = Event.objects.filter(club=club, slug=after["front_event"]).first()
    ClubFront.objects.update_or_create(club=club, defaults=stored)


def _too_long(text: str, key: str, *at: int) -> Iterable[Problem]:
    called, most = TEXTS[key]
    if len(text) > most:
        facts = {"field": called, "found": len(text), "expected": most}
        yield Problem("text_too_long", (key, *at), facts)


REMINDING: Final = frozenset({"time_zone", "reminder_days"})
"""What decides when members are reminded of an evening."""
MOST_REMINDER_DAYS: Final = 14


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
    ladders = _lock_ladders(club) if "time_zone" in wanted else []
    reminding = lock_coming(club, op.now) if not REMINDING.isdisjoint(wanted) else []
    locked = lock_names(club)
    before = club_settings(locked)
    if based_on and based_on != club_tag(before):
        raise Conflict(Problem("club_outdated"), there=before)
    after = {**before, **_tidied(wanted, before)}
    if problems := (*_problems(after), *_front_problems(locked, after)):
        raise Refused(*problems)
    changed = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    if not changed:
        return locked
    _store(locked, after)
    if "time_zone" in changed:
        _move_deadlines(ladders, locked, op.now)
    if not REMINDING.isdisjoint(changed):
        reschedule_reminders(reminding, locked, now=op.now)
    if not {"name", "slug"}.isdisjoint(changed):
        # They are laid out under the new address: workers read it when this is committed.
        events = Event.objects.filter(club=locked)
        mark_names_changed(events, by=get_role(op.actor, locked.pk), now=op.now)
    if "names_policy" in changed:
        locked = set_names_policy(op, locked, policy=str(after["names_policy"]))
    facts = {key: list(values) for key, values in changed.items() if key not in ("name", *TEXTS)}
    audited = {"settings": facts, "renamed": "name" in changed}
    if texts := [key for key in changed if key in TEXTS]:
        audited["texts"] = texts
    op.audit(locked, audited)
    if "slug" in changed:
        write_last(partial(change_slug, locked, after["slug"], now=op.now), order=(AFTER_AUDIT,))
    return locked


def _tidied(values: Mapping[str, object], before: JsonDict) -> dict[str, Any]:
    tidied = {**values, **_tidied_front(values)}
    if isinstance(seating := tidied.get("seating"), Mapping) and not any(
        preference_problems(seating)
    ):
        tidied["seating"] = read_preferences({**before["seating"], **seating})
    if isinstance(name := tidied.get("name"), str):
        tidied["name"] = one_line(name)
    if isinstance(colour := tidied.get("colour"), str) and colour.strip():
        tidied["colour"] = read_colour(colour) or colour
    return tidied


def _problems(after: Mapping[str, Any]) -> Iterable[Problem]:
    yield from name_problems(after["name"])
    yield from slug_problems(after["slug"])
    yield from place_problems(after["time_zone"], after["language"])
    yield from _choice("visibility", after, ClubVisibility.values)
    yield from _choice("names_policy", after, NamesPolicy.values)
    yield from _choice("event_creators", after, EventCreators.values)
    yield from _choice("requires_second_factor", after, (True, False))
    yield from _reminder_problems(after["reminder_days"])
    yield from _colour_problems(after["colour"])
    yield from preference_problems(after["seating"])


def _bad_setting(key: str, value: object, expected: str) -> Problem:
    return Problem("bad_setting", (key,), {"key": key, "found": shown(value), "expected": expected})


def _choice(key: str, after: Mapping[str, Any], choices: Sequence[object]) -> Iterable[Problem]:
    if after[key] not in choices:
        expected = ", ".join(str(choice).lower() for choice in choices)
        yield _bad_setting(key, after[key], expected)


def _reminder_problems(days: object) -> Iterable[Problem]:
    is_number = isinstance(days, int) and not isinstance(days, bool)
    if days is not None and not (is_number and days in range(1, MOST_REMINDER_DAYS + 1)):
        yield _bad_setting("reminder_days", days, f"1 to {MOST_REMINDER_DAYS}, or null")


def _colour_problems(colour: str) -> Iterable[Problem]:
    if not colour:
        return
    if read_colour(colour) is None:
        yield Problem("bad_colour", ("colour",), {"found": shown(colour)})
    elif (contrast := contrast_on_light(colour)) < LEAST:
        facts = {"found": colour, "contrast": f"{contrast:.1f}", "expected": str(LEAST)}
        yield Problem("colour_too_light", ("colour",), facts)


def _store(club: Club, after: Mapping[str, Any]) -> None:
    apart = ("slug", "names_policy", *_STORED_APART)
    columns = {key: value for key, value in after.items() if key not in apart}
    columns["is_public"] = after["visibility"] == ClubVisibility.PUBLIC
    for key, value in columns.items():
        setattr(club, key, value)
    club.save(update_fields=[*columns])
    _store_front(club, after)


def _lock_ladders(club: Club) -> list[Event]:
    """Lock the open ladders, whose deadlines are local days; events come before their club."""
    ladders = Event.objects.filter(club=club, kind=EventKind.LADDER, state=EventState.OPEN)
    return [lock_event(event) for event in ladders.order_by("pk")]


def _move_deadlines(ladders: Iterable[Event], club: Club, now: datetime) -> None:
    for event in ladders:
        event.club = club
        schedule_challenges(event)
        if Deadline.objects.filter(event=event, kind=WEEK).exists():
            set_deadline(event, WEEK, next_sweep(event, now))
