"""Who competes in an event, as pages and REST show it.

Takes an event that `selectors.events.events.event_at` has let the actor read.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch

from tournaments.errors import Missing
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event


@dataclass(frozen=True, slots=True)
class EntrantMemberRow:
    """A player of an entrant."""

    player_id: str
    name: str

    @property
    def label(self) -> str:
        """Name and id, as a list offers them."""
        return f"{self.name} ({self.player_id})"


@dataclass(frozen=True, slots=True)
class EntrantRow:
    """One entrant; `own_name` is empty where its players' names are shown for it."""

    entrant_id: str
    name: str
    own_name: str
    kind: str
    state: str
    members: tuple[EntrantMemberRow, ...]

    @property
    def is_alone(self) -> bool:
        """Whether it is a player, not a pair or a team."""
        return self.kind == EntrantKind.PLAYER

    @property
    def label(self) -> str:
        """Name and code, as a list offers them."""
        return f"{self.name} ({self.entrant_id})"


def entrant_rows(event: Event) -> Sequence[EntrantRow]:
    """Return who competes in an event, by name; two queries."""
    members = EntrantMember.objects.select_related("player").order_by("player__player_id")
    entrants = list(
        Entrant.objects.filter(event=event).prefetch_related(Prefetch("members", members))
    )
    names = entrant_names(entrants)
    rows = [
        EntrantRow(
            entrant_id=one.code,
            name=names[one.pk] or one.code,
            own_name=one.name,
            kind=one.kind,
            state=one.state,
            members=tuple(
                EntrantMemberRow(member.player.player_id, member.player.name)
                for member in one.members.all()
            ),
        )
        for one in entrants
    ]
    return tuple(sorted(rows, key=lambda one: (one.name, one.entrant_id)))


def names_in(event: Event) -> dict[str, str]:
    """Return what everybody in an event is called, by code; two queries."""
    people: dict[str, list[str]] = defaultdict(list)
    members = EntrantMember.objects.filter(event=event)
    for code, name in members.values_list("entrant__code", "player__name"):
        people[code].append(name)
    entrants = Entrant.objects.filter(event=event).values_list("code", "name")
    return {code: shown_name(own, people[code]) or code for code, own in entrants}


def entrant_row(event: Event, entrant_id: str) -> EntrantRow:
    """Return one entrant of an event.

    Raises:
        Missing: entrant.
    """
    for one in entrant_rows(event):
        if one.entrant_id == entrant_id:
            return one
    raise Missing("entrant", {"found": entrant_id[:40]})


def entrant_names(entrants: Iterable[Entrant]) -> dict[int, str]:
    """Return the shown name of each entrant; its members and their players are there."""
    return {
        entrant.pk: shown_name(entrant.name, (one.player.name for one in entrant.members.all()))
        for entrant in entrants
    }


def entrant_name(entrant: Entrant) -> str:
    """Return the shown name of one entrant; its members are read."""
    return shown_name(entrant.name, entrant.members.values_list("player__name", flat=True))


def shown_name(own: str, players: Iterable[str]) -> str:
    """Return what an entrant is called: its own name, or those of its players put together.

    >>> shown_name("", ["Willem V.", "Elsa D."])
    'Elsa D. & Willem V.'
    """
    return own or " & ".join(sorted(players))
