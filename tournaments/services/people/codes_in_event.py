"""Codes of entrants in what an event stores as JSON: play-offs, cuts, the log of a ladder.

Rows that point at an entrant by its id need nothing; texts of codes are replaced here, and each
change is written down (`MovedRows`).
"""

from typing import Any, Final

from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.ladders import LadderStep, StepKind
from tournaments.models.playoffs import Playoff, PlayoffStep
from tournaments.services.people.moved_rows import MovedRows


def rename_code(event: Event, old: str, new: str, moved: MovedRows) -> None:
    """Replace an entrant's code in everything of the event that names entrants by code."""
    for playoff in Playoff.objects.filter(event=event):
        values = {name: with_code(getattr(playoff, name), old, new) for name in _OF_PLAYOFFS}
        moved.change(playoff, key=_key(playoff.key, old, new), **values)
    for step in PlayoffStep.objects.filter(playoff__event=event):
        moved.change(step, facts=with_code(step.facts, old, new))
    for stage in Stage.objects.filter(event=event):
        values = {name: with_code(getattr(stage, name), old, new) for name in ("asked", "kept")}
        moved.change(stage, **values)
    for row in LadderStep.objects.filter(event=event, kind__in=_LISTS):
        moved.change(row, facts=with_code(row.facts, old, new))


_OF_PLAYOFFS: Final = ("standing", "result", "asked", "legs")
_LISTS: Final = {StepKind.OPENED: "members", StepKind.SWEPT: "idle"}
"""Steps of a ladder that list codes, and under which fact."""


def with_code(value: Any, old: str, new: str) -> Any:
    """Return JSON in which every text and every key that is `old` is `new`.

    >>> with_code({"order": [["RL24"], ["RL2"]], "made": {"RL24": ["26"]}}, "RL24", "RL01")
    {'order': [['RL01'], ['RL2']], 'made': {'RL01': ['26']}}
    """
    if isinstance(value, dict):
        return {
            (new if key == old else key): with_code(one, old, new) for key, one in value.items()
        }
    if isinstance(value, list):
        return [with_code(one, old, new) for one in value]
    return new if value == old else value


def _key(key: str, old: str, new: str) -> str:
    """Return what names a tie with another code among its members, in their order."""
    lines, _, members = key.partition("|")
    codes = members.split(",")
    if old not in codes:
        return key
    return f"{lines}|{','.join(sorted(new if code == old else code for code in codes))}"


def join_ladder_steps(event: Event, entrant: Entrant, into: Entrant, moved: MovedRows) -> None:
    """Make one member of two in a ladder's log.

    The member is on the list while either of the two was: steps that let in or take off one of
    them while the other is there go.
    """
    both = {entrant.code, into.code}
    here: set[str] = set()
    steps = LadderStep.objects.filter(event=event, kind__in=(*_LISTS, *_OWN)).order_by("number")
    for step in steps.select_related("entrant"):
        if step.kind in _LISTS:
            listed = step.facts[_LISTS[StepKind(step.kind)]]
            if step.kind == StepKind.OPENED:
                here |= both & set(listed)
            _list_once(step, entrant.code, into.code, moved)
        elif step.entrant is not None and step.entrant.code in both:
            was = bool(here)
            change = here.add if step.kind == StepKind.JOINED else here.discard
            change(step.entrant.code)
            if bool(here) == was:
                moved.delete(step)


_OWN: Final = (StepKind.JOINED, StepKind.REMOVED)


def _list_once(step: LadderStep, code: str, into: str, moved: MovedRows) -> None:
    """List one of two codes in a step where it lists both: the first of the two."""
    name = _LISTS[StepKind(step.kind)]
    listed = [into if one == code else one for one in step.facts[name]]
    moved.change(step, facts={**step.facts, name: list(dict.fromkeys(listed))})
