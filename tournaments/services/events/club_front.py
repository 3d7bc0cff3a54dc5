"""The texts of a club's page and its first event, as settings: read, judged and stored."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from scoring.errors import Problem, shown
from scoring.json_types import JsonDict
from tournaments.domain.name_matching import one_line
from tournaments.models.clubs import Club, ClubFront
from tournaments.models.events import Event
from tournaments.policy import MAY
from tournaments.selectors.clubs.clubs import front_of
from tournaments.selectors.events.events import READING

LONGEST: Final[Mapping[str, int]] = {"about": 2000, "when_where": 160, "fee": 120, "contact": 200}
"""Characters of each text."""
MOST_STEPS: Final = 5
LONGEST_STEP: Final = 200
_CALLED: Final = {
    **{"about": "text", "when_where": "line", "how_to_join": "step"},
    **{"fee": "fee", "contact": "contact"},
}
"""What a sentence calls each text."""
TEXTS: Final = (*LONGEST, "how_to_join")
"""Settings in the owner's own words; the audit trail names them and keeps no words."""
FRONT_SETTINGS: Final = (
    *("about", "when_where", "how_to_join", "fee", "contact", "welcomes_visitors", "front_event"),
)
"""What can be changed, as REST and the page name it."""


def front_settings(club: Club, *, role: str | None = None) -> JsonDict:
    """Return the texts of a club and the slug of its first event, by key; one query.

    Args:
        role: of the reader; an event that this role may not read is left out. None: the service.
    """
    front = front_of(club)
    event = front.front_event
    is_read = event is not None and (role is None or role in MAY[READING[event.visibility]])
    return {
        "about": front.about,
        "when_where": front.when_where,
        "how_to_join": front.how_to_join.splitlines(),
        "fee": front.fee,
        "contact": front.contact,
        "welcomes_visitors": front.welcomes_visitors,
        "front_event": event.slug if event is not None and is_read else None,
    }


def tidied_front(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was entered as it is stored, as far as it can be read."""
    found = {key: wanted[key] for key in FRONT_SETTINGS if key in wanted}
    for key in LONGEST:
        if isinstance(text := found.get(key), str):
            found[key] = paragraphs(text) if key == "about" else one_line(text)
    if isinstance(steps := found.get("how_to_join"), list):
        found["how_to_join"] = [line for one in steps if (line := one_line(str(one)))]
    if "front_event" in found:
        found["front_event"] = found["front_event"] or None
    return found


def paragraphs(text: str) -> str:
    """Return a text of several lines as it is kept: one blank line at most between paragraphs.

    >>> paragraphs(" Hearts \\r\\n on Thursdays\\n\\n\\n\\n Come! \\n")
    'Hearts\\non Thursdays\\n\\nCome!'
    """
    lines = [one_line(line) for line in text.splitlines()]
    kept = [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]
    return "\n".join(kept).strip()


def front_problems(club: Club, after: Mapping[str, Any]) -> Iterable[Problem]:
    """Yield what is wrong with the settings that a club would have."""
    for key, most in LONGEST.items():
        yield from _too_long(after[key], most, key)
    steps = after["how_to_join"]
    if len(steps) > MOST_STEPS:
        found = {"found": len(steps), "expected": MOST_STEPS}
        yield Problem("too_many_steps", ("how_to_join",), found)
    for at, step in enumerate(steps):
        yield from _too_long(step, LONGEST_STEP, "how_to_join", at)
    if not isinstance(after["welcomes_visitors"], bool):
        facts = {"key": "welcomes_visitors", "found": shown(after["welcomes_visitors"])}
        yield Problem("bad_setting", ("welcomes_visitors",), {**facts, "expected": "true, false"})
    slug = after["front_event"]
    if slug is not None and not Event.objects.filter(club=club, slug=slug).exists():
        yield Problem("unknown_event", ("front_event",), {"event": shown(slug)})


def store_front(club: Club, after: Mapping[str, Any]) -> None:
    """Store the texts of a club and its first event."""
    slug = after["front_event"]
    event = Event.objects.filter(club=club, slug=slug).first() if slug is not None else None
    stored = {key: after[key] for key in FRONT_SETTINGS}
    stored |= {"how_to_join": "\n".join(after["how_to_join"]), "front_event": event}
    ClubFront.objects.update_or_create(club=club, defaults=stored)


def _too_long(text: str, most: int, *at: str | int) -> Iterable[Problem]:
    if len(text) > most:
        facts = {"field": _CALLED[str(at[0])], "found": len(text), "expected": most}
        yield Problem("text_too_long", at, facts)
