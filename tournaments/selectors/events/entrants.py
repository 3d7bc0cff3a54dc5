"""Who competes in an event, and which accounts belong to them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q

from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, EntrantState, Event
from tournaments.models.meetings import Round, Sitting
from tournaments.policy import Actor
from tournaments.selectors.clubs.names import NameColumn, name_column, name_of, shown_entrant
from tournaments.selectors.events.events import listed_events


@dataclass(frozen=True, slots=True)
class EntrantLine:
    """A line of a list: one player, two who are a pair, or a team; new players are names."""

    number: int
    players: tuple[Player | str, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class EntrantMemberRow:
    player_id: str
    name: str

    @property
    def label(self) -> str:
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
        return self.kind == EntrantKind.PLAYER

    @property
    def label(self) -> str:
        return f"{self.name} ({self.entrant_id})"


def entrant_rows(event: Event) -> Sequence[EntrantRow]:
    """Return who competes in an event, by name; two queries."""
    members = EntrantMember.objects.select_related("player").order_by("player__player_id")
    entrants = list(
        Entrant.objects.filter(event=event).prefetch_related(Prefetch("members", members))
    )
    column = name_column(event)
    names = entrant_names(entrants, column)
    rows = [
        EntrantRow(
            entrant_id=entrant.code,
            name=names[entrant.pk] or entrant.code,
            own_name=shown_entrant(entrant.name, _people(entrant), column) if entrant.name else "",
            kind=entrant.kind,
            state=entrant.state,
            members=tuple(
                EntrantMemberRow(member.player.player_id, name_of(member.player, column))
                for member in entrant.members.all()
            ),
        )
        for entrant in entrants
    ]
    return tuple(sorted(rows, key=lambda row: (row.name, row.entrant_id)))


def names_in(event: Event, column: NameColumn | None = None) -> dict[str, str]:
    """Return what everybody in an event is called, by code; three queries."""
    entrants = list(Entrant.objects.filter(event=event).prefetch_related("members__player"))
    names = entrant_names(entrants, column or name_column(event))
    return {entrant.code: names[entrant.pk] or entrant.code for entrant in entrants}


def entrant_row(event: Event, entrant_id: str) -> EntrantRow:
    for row in entrant_rows(event):
        if row.entrant_id == entrant_id:
            return row
    raise Missing("entrant", {"found": entrant_id[:40]})


def entrant_names(entrants: Iterable[Entrant], column: NameColumn) -> dict[int, str]:
    """Return the shown name of each entrant; its members and their players are read."""
    return {entrant.pk: entrant_name(entrant, column) for entrant in entrants}


def entrant_name(entrant: Entrant, column: NameColumn) -> str:
    """Return the shown name of one entrant; its members are read."""
    return shown_entrant(entrant.name, _people(entrant), column)


def _people(entrant: Entrant) -> list[Player]:
    return [member.player for member in entrant.members.all()]


def events_with_entrants(actor: Actor, club: Club, *, at_most: int = 20) -> Sequence[Event]:
    """Return a club's listed events that have `n_entrants` active ones, the newest first."""
    active = Count("entrants", filter=Q(entrants__state=EntrantState.ACTIVE))
    events = listed_events(actor, club).annotate(n_entrants=active).filter(n_entrants__gt=0)
    return tuple(events[:at_most])


def accounts_of_entrants(entrant_ids: Iterable[int]) -> set[int]:
    rows = EntrantMember.objects.filter(entrant_id__in=set(entrant_ids), player__user__isnull=False)
    return {account for account in rows.values_list("player__user_id", flat=True) if account}


def accounts_at_table(table_id: int) -> set[int]:
    """Return the accounts of everybody who sat at a table for some hand."""
    rows = Sitting.objects.filter(seat__table=table_id, player__user__isnull=False)
    return {account for account in rows.values_list("player__user_id", flat=True) if account}


def tables_by_account(round_: Round) -> Mapping[int, int]:
    """Return at which table of a round each account sits now; one query."""
    rows = Sitting.objects.filter(
        round=round_, to_hand__isnull=True, player__user__isnull=False
    ).exclude(seat__table__game__state="abandoned")
    pairs = rows.order_by("pk").values_list("player__user_id", "seat__table_id")
    return {account: table for account, table in pairs if account is not None}
