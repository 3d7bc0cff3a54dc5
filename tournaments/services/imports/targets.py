"""Where an import goes: the club, the event and the rules, found or created."""

import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.documents.read.apply_plan import StoredMapping
from tournaments.documents.read.people import ClubPlayer, Pair, People
from tournaments.domain.event_settings import PRESETS, settings_of
from tournaments.domain.imports.imported_sheets import SheetRules
from tournaments.domain.name_matching import folded, one_line, split_contact
from tournaments.domain.people.public_names import new_player
from tournaments.domain.people.who_is_meant import ANSWERED, Alias
from tournaments.errors import Missing, refuse_any
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantKind, EntrantMember, Event
from tournaments.policy import Actor
from tournaments.selectors.clubs.find_players import aliases_of, find_final_keys
from tournaments.selectors.imports import maps_of
from tournaments.selectors.rules.rule_sets import VariantChoices, offered_in, offered_to
from tournaments.services.clubs.clubs import create_club, slug_problems
from tournaments.services.clubs.names import lock_names
from tournaments.services.events.events import create_event, move_event
from tournaments.services.imports.batches import require_open
from tournaments.services.operations import Operation, operation, require


class RuleBook:
    """Finds rules by id, name or alias; an empty name means `otherwise`, or the event's variant.

    Without `offered` a name may mean the variants of the site.
    """

    def __init__(
        self,
        variant: str,
        options: Mapping[str, object],
        otherwise: str = "",
        *,
        offered: VariantChoices | None = None,
    ) -> None:
        self.offered = offered or offered_to(None)
        self.variant = variant
        self.options = options
        self.otherwise = otherwise or variant
        self._rules: dict[str, SheetRules] = {}

    def __call__(self, text: str) -> SheetRules:
        if text not in self._rules:
            name = self.offered.find(text or self.otherwise)
            options = self.options if name == self.variant else {}
            self._rules[text] = SheetRules(name, self.offered.rules(name, options), options)
        return self._rules[text]


NOBODY_NAMED: Final[Mapping[str, str]] = MappingProxyType({})

PRESET = "sheets"
"""The settings of an event that an import makes (docs/event-settings.md)."""


@dataclass(frozen=True, slots=True)
class Target:
    """A club and an event by their slugs; None if they do not exist yet.

    With `create` the import makes club, event and players that are missing.
    """

    club_slug: str
    event_slug: str
    club: Club | None
    event: Event | None
    create: bool
    time_zone: str

    @property
    def variant(self) -> str:
        return self.event.variant if self.event is not None else ""

    @property
    def has_boards(self) -> bool:
        return self.event is not None and settings_of(self.event).duplicate

    def rules(self, variant: str = "") -> Rules | None:
        """Return the rules of a sheet: of the variant that is named for a file, or the event's."""
        event = self.event
        name = variant or self.variant
        if not name:
            return None
        options = event.options if event is not None and event.variant == name else {}
        return RuleBook(name, options, offered=self.offered())("").rules

    def offered(self) -> VariantChoices:
        if self.event is not None:
            return offered_in(self.event)
        return offered_to(self.club)

    def members(self) -> Sequence[ClubPlayer]:
        """Return the club's players; a merged one's id and name mean who has the records now."""
        if self.club is None:
            return ()
        into = find_final_keys(self.club)
        players = Player.objects.filter(club=self.club).order_by("player_id")
        rows = list(players.values_list("pk", "player_id", "name", "nickname"))
        rows.sort(key=lambda row: row[0] in into)  # so that labels are of who has them now
        return [
            ClubPlayer(into.get(pk, pk), code, name, nickname) for pk, code, name, nickname in rows
        ]

    def people(self, named: Mapping[str, str] = NOBODY_NAMED, *, welcome: bool = False) -> People:
        """Return the club's players for reading a file, with the other names of files for them.

        `named` is who is meant in this file, as somebody answered: an id by name.
        """
        if self.club is None:
            return People((), welcome=welcome)
        members = self.members()
        keys = {member.player_id: member.key for member in members}
        answers = [
            Alias(name, keys[code], date.max, newest=ANSWERED, is_noted=False)
            for name, code in named.items()
            if code in keys
        ]
        answered = {folded(name) for name in named}
        aliases = [alias for alias in aliases_of(self.club) if folded(alias.name) not in answered]
        return People(members, aliases=(*answers, *aliases), welcome=welcome)

    def maps(self) -> Sequence[StoredMapping]:
        if self.club is None:
            return ()
        return list(maps_of(self.club).values_list("pk", "name", "plan"))

    def pairs(self) -> Sequence[Pair]:
        if self.event is None:
            return ()
        members = EntrantMember.objects.filter(event=self.event, entrant__kind=EntrantKind.PAIR)
        pairs: dict[tuple[int, str], list[tuple[int, str]]] = {}
        for pk, code, player, name in members.order_by("pk").values_list(
            "entrant_id", "entrant__code", "player_id", "player__name"
        ):
            pairs.setdefault((pk, code), []).append((player, name))
        return [
            Pair(pk, code, " & ".join(name for _, name in people), tuple(key for key, _ in people))
            for (pk, code), people in pairs.items()
        ]


def target_of(event: Event) -> Target:
    club = event.club
    return Target(club.slug, event.slug, club, event, create=False, time_zone=club.time_zone)


def find_target(
    *, actor: Actor, club: str, event: str, create: bool = False, time_zone: str = ""
) -> Target:
    """Return the target with these slugs. Nothing is written."""
    the_club = Club.objects.filter(slug=club).first()
    the_event = Event.objects.filter(club__slug=club, slug=event).select_related("club").first()
    problems = []
    if the_club is None:
        if not create:
            raise Missing("club")
        problems.extend(slug_problems(club))
        if time_zone and time_zone not in zoneinfo.available_timezones():
            problems.append(Problem("bad_time_zone", ("time_zone",), {"zone": time_zone}))
    if the_event is None:
        if not create:
            raise Missing("event")
        problems.extend(slug_problems(event))
    refuse_any(problems)
    if the_club is not None:
        require(actor, the_club, "import_sheets")
    if the_event is not None:
        require_open(the_event)
    zone = the_club.time_zone if the_club is not None else time_zone or "UTC"
    return Target(club, event, the_club, the_event, create, zone)


@operation(
    "create_event",
    right_in_body=True,
    refuses=create_club.refuses | create_event.refuses | move_event.refuses,
)
def make_target(op: Operation, *, target: Target, variant: str) -> Event:
    """Create the event of an import, and its club if it does not exist."""
    club = target.club or create_club(
        op,
        slug=target.club_slug,
        name=target.club_slug.replace("-", " ").capitalize(),
        time_zone=target.time_zone,
    )
    event = create_event(
        op,
        club,
        slug=target.event_slug,
        name=target.event_slug.replace("-", " ").capitalize(),
        variant=variant,
        settings=PRESETS[PRESET],
    )
    return move_event(op, event, to="open")


@operation("edit_players", locks=lock_names)
def add_players(op: Operation, club: Club, /, *, rows: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Add people to the club, given as (player id, name); return row ids by player id."""
    Player.objects.bulk_create(
        [
            new_player(club=club, player_id=code, name=one_line(split_contact(name)[0]) or code)
            for code, name in rows
        ],
        batch_size=500,
        ignore_conflicts=True,  # another import may bring the same people at this very moment
    )
    op.audit(club, {"players": len(rows)})
    return dict(Player.objects.filter(club=club).values_list("player_id", "pk"))
