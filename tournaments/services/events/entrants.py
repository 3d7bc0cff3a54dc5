"""Entrants of an event: entering pairs and teams, renaming, withdrawing and returning them.

A result stays with its players: once an entrant has played, its members cannot change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from scoring.errors import Problem, Refused, shown
from tournaments.domain.name_matching import FOLDERS, name_problems, one_line
from tournaments.domain.reasons import BAD_REASON, require_reason
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event, EventKind
from tournaments.models.hands import Game
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.find_players import get_roll, require_not_merged
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import (
    EntrantLine,
    are_guests,
    entrant_name,
    get_entrant,
    list_used,
)
from tournaments.services.audit.audit import note_change
from tournaments.services.clubs.clubs import add_guest, add_player
from tournaments.services.clubs.names import LONGEST_CODE, code_for, lock_names
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import unless_taken
from tournaments.services.events.events import enter_guest, enter_players, entrant_for
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation

SIZES: Final = {EntrantKind.PLAYER: (1, 1), EntrantKind.PAIR: (2, 2), EntrantKind.TEAM: (2, 20)}
"""Kind → how many players it has, at least and at most."""
OF_ENTRANT: Final = (
    *("members_count", "same_player_twice", "competes_already", "entrant_has_results"),
    *("unknown_player", "player_is_merged", "name_too_long", "contact_in_name", "event_is_over"),
)
"""Error codes of the players and the name of a new or changed entrant."""
GUESTS_NOT_POSSIBLE: Final = "guests_of_leagues"


@operation(
    "manage_event",
    locks=lock_event,
    requires=require_running,
    refuses=(
        *(*OF_ENTRANT, "bad_entrant_kind", "entrant_code_not_usable", "entrant_code_taken"),
        GUESTS_NOT_POSSIBLE,
    ),
)
def add_entrant(
    op: Operation,
    event: Event,
    /,
    *,
    kind: str,
    players: Sequence[Player],
    name: str = "",
    code: str = "",
    guest: bool = False,
) -> Entrant:
    """Enter a player, a pair or a team. Members who competed alone without a result join it.

    A `guest` of a league is ranked in its evenings and has no place in its standings. So is a pair
    or a team of guests only.
    """
    name = one_line(name) if kind != EntrantKind.PLAYER else ""
    if kind not in EntrantKind.values:
        raise Refused(Problem("bad_entrant_kind", ("kind",), {"found": shown(kind)}))
    code = _code(event, EntrantKind(kind), one_line(code), players)
    joining = _Joining(event, players)
    problems = [
        *_size_problems(EntrantKind(kind), players),
        *joining.problems(is_alone=kind == EntrantKind.PLAYER),
        *(name_problems(name) if name else ()),
        *_code_problems(event, kind, code, joining.alone),
        *_guest_problems(event, are_guests=guest),
    ]
    refuse_any(problems)
    is_guest = guest or (kind != EntrantKind.PLAYER and are_guests(event, players))
    joining.leave_alone()
    entrant = Entrant.objects.create(
        club=event.club, event=event, code=code, name=name, kind=kind, guest=is_guest
    )
    _join(entrant, players)
    op.changed(event)
    facts: dict[str, object] = {"players": [player.player_id for player in players]}
    if is_guest:
        facts["guest"] = True
    op.audit(entrant, facts)
    return entrant


@operation("add_guest", locks=lock_event, refuses=add_guest.refuses)
def add_event_guest(op: Operation, event: Event, /, *, name: str) -> Player:
    """Add somebody to the club's list who is named at a table of the event for the first time.

    As the event's settings say, they become a guest of it, who is ranked in its evenings only. A
    player who is on the list already, and a second tap, change nothing.
    """
    club = lock_names(event.club)
    namesakes = get_roll(club).called(name)
    if len(namesakes) == 1:
        return namesakes[0]
    player = add_guest(op, club, name=name)
    enter_guest(event=event, player=player)
    return player


@operation(
    "manage_event",
    locks=lock_event,
    requires=require_running,
    refuses=(*OF_ENTRANT, "no_name", GUESTS_NOT_POSSIBLE),
)
def add_entrants(
    op: Operation, event: Event, /, *, lines: Sequence[EntrantLine], guests: bool = False
) -> int:
    """Enter a list of players, pairs and teams, all or none; 1,000 at most.

    Players who are in the event already, alone or in a pair or a team, stay as they are. With
    `guests` all that are new are guests of a league.
    """
    refuse_any(_guest_problems(event, are_guests=guests))
    if not lines:
        raise Refused(Problem("members_count", ("names",), {"found": 0, "expected": "1 or more"}))
    entrants = Entrant.objects.filter(event=event)
    before = list(entrants.values_list("pk", flat=True))
    problems: list[Problem] = []
    alone: list[Player] = []
    people = _find_or_add_players(op, event, lines)
    # All games at once and in order, before `add_entrant` locks those of each line.
    _lock_games_of(event, people.values())
    require_not_merged([player.pk for player in people.values()])
    for line in lines:
        players = [people[player] for player in line.players]
        if len(players) == 1 and not line.name:
            alone += players
        elif not _is_entered(event, players):
            kind = EntrantKind.PAIR if len(players) == 2 else EntrantKind.TEAM
            try:
                add_entrant(op, event, kind=kind, players=players, name=line.name, guest=guests)
            except Refused as refused:
                at = ("lines", line.number - 1)
                problems += [replace(problem, at=at) for problem in refused.problems]
    refuse_any(problems)
    if alone:
        enter_players(event=event, players=tuple(dict.fromkeys(alone)), are_guests=guests)
        op.changed(event)
        ids = [player.player_id for player in alone]
        op.audit(event, {"players": ids}, name="add_entrant")
    return entrants.exclude(pk__in=before).count()


def _find_or_add_players(
    op: Operation, event: Event, lines: Sequence[EntrantLine]
) -> Mapping[Player | str, Player]:
    """Return the player of each that lines name; those of new names are added to the club.

    A name that somebody else has added since the lines were read is that player's.
    """
    named = dict.fromkeys(player for line in lines for player in line.players)
    people: dict[Player | str, Player] = {
        player: player for player in named if not isinstance(player, str)
    }
    names = [player for player in named if isinstance(player, str)]
    if not names:
        return people
    club = lock_names(event.club)
    roll = get_roll(club)
    for name in names:
        namesakes = roll.called(name)
        if len(namesakes) == 1:
            people[name] = namesakes[0]
        else:
            people[name] = add_player(op, club, name=name)
    return people


def _lock_games_of(event: Event, players: Iterable[Player]) -> None:
    at_tables = Game.objects.filter(table__seats__sittings__player__in=players, event=event)
    lock_games(Game.objects.filter(pk__in=at_tables.values("pk")))


def _is_entered(event: Event, players: Sequence[Player]) -> bool:
    first = EntrantMember.objects.filter(event=event, player__in=players[:1])
    members = EntrantMember.objects.filter(entrant__in=first.values("entrant"))
    return {member.player_id for member in members} == {player.pk for player in players} != set()


def lock_entrant(entrant: Entrant) -> Entrant:
    return get_entrant(lock_event(entrant.event), entrant.code)


@operation(
    "manage_event",
    locks=lock_entrant,
    refuses=(*OF_ENTRANT, "unknown_entrant", "player_alone_has_no_name"),
)
def change_entrant(
    op: Operation,
    entrant: Entrant,
    /,
    *,
    name: str | None = None,
    players: Sequence[Player] | None = None,
) -> Entrant:
    """Rename a pair or a team, or change its players before its first result."""
    event = entrant.event
    if entrant.kind == EntrantKind.PLAYER:
        raise Refused(Problem("player_alone_has_no_name", ("name",), {"entrant": entrant.code}))
    name = entrant.name if name is None else one_line(name)
    members = entrant.members.select_related("player").order_by("player__player_id")
    before = {member.player_id: member.player for member in members}
    players = list(before.values()) if players is None else players
    joining = _Joining(event, players, but=entrant)
    problems = [
        *(name_problems(name) if name else ()),
        *_size_problems(EntrantKind(entrant.kind), players),
        *joining.problems(),
    ]
    if {player.pk for player in players} != set(before):
        require_running(event)  # a name may be corrected later, too
        if Contribution.objects.filter(entrant=entrant).exists():
            facts = {"entrant": f"{entrant_name(entrant, FULL_NAME)} ({entrant.code})"}
            problems.append(Problem("entrant_has_results", (), facts))
    refuse_any(problems)
    joining.leave_alone()
    Entrant.objects.filter(pk=entrant.pk).update(name=name)
    entrant.name = name
    EntrantMember.objects.filter(entrant=entrant).exclude(player__in=players).delete()
    _join(entrant, [player for player in players if player.pk not in before])
    # Who has left the pair and sits in the event competes alone.
    for player in before.values():
        if Sitting.objects.filter(seat__table__event=event, player=player).exists():
            entrant_for(event=event, player=player)
    op.changed(event)
    op.audit(entrant, {"players": [player.player_id for player in players]})
    return entrant


@operation(
    "manage_event",
    locks=lock_entrant,
    refuses=("unknown_entrant", "event_is_over", GUESTS_NOT_POSSIBLE, *BAD_REASON),
)
def set_guest(op: Operation, entrant: Entrant, /, *, guest: bool, reason: str) -> Entrant:
    """Let a guest become a member, or make a member a guest; all results so far count then, or not.

    The change log of the event has it with the reason.
    """
    event = entrant.event
    require_running(event)
    refuse_any(_guest_problems(event, are_guests=guest))
    require_reason(reason)
    if entrant.guest == guest:
        return entrant
    Entrant.objects.filter(pk=entrant.pk).update(guest=guest)
    entrant.guest = guest
    kind = "make_guest" if guest else "admit_guest"
    by = get_role(op.actor, event.club_id)
    facts = {"entrant": entrant.code}
    note_change(event=event, kind=kind, by=by, now=op.now, reason=reason, facts=facts)
    op.audit(entrant, {"reason": reason.strip()}, name=kind)
    return entrant


def _guest_problems(event: Event, *, are_guests: bool) -> Iterator[Problem]:
    if are_guests and event.kind != EventKind.LEAGUE:
        yield Problem(GUESTS_NOT_POSSIBLE, ("guest",))


class _Joining:
    def __init__(self, event: Event, players: Sequence[Player], but: Entrant | None = None) -> None:
        self.event = event
        self.players = players
        # Their games do not change while it is decided whether they have results, nor those of
        # who leaves the entrant: what they play from now on is counted for somebody else.
        former = Player.objects.filter(entries_in_events__entrant=but) if but is not None else ()
        _lock_games_of(event, {*players, *former})
        members = EntrantMember.objects.filter(event=event, player__in=players)
        if but is not None:
            members = members.exclude(entrant=but)
        self.elsewhere = {
            member.player_id: member.entrant for member in members.select_related("entrant")
        }
        entrants = self.elsewhere.values()
        self.alone = [entrant for entrant in entrants if entrant.kind == EntrantKind.PLAYER]
        keys = [entrant.pk for entrant in self.alone]
        self.used = set(list_used(Entrant.objects.filter(pk__in=keys)).values_list("pk", flat=True))

    def problems(self, *, is_alone: bool = False) -> Iterator[Problem]:
        """Yield a problem for each duplicate and each player who competes elsewhere."""
        for index, player in enumerate(self.players):
            facts = {"player": player.name, "player_id": player.player_id}
            if player in self.players[:index]:
                yield Problem("same_player_twice", ("players", index), facts)
                continue
            entrant = self.elsewhere.get(player.pk)
            if entrant is not None and (is_alone or entrant.kind != EntrantKind.PLAYER):
                name, code = entrant.name, entrant.code
                facts["entrant"] = f"{name} ({code})" if name else code
                yield Problem("competes_already", ("players", index), facts)
            elif entrant is not None and entrant.pk in self.used:
                facts["entrant"] = f"{player.name} ({entrant.code})"
                yield Problem("entrant_has_results", ("players", index), facts)

    def leave_alone(self) -> None:
        Entrant.objects.filter(pk__in=[entrant.pk for entrant in self.alone]).delete()


def _join(entrant: Entrant, players: Sequence[Player]) -> None:
    members = [
        EntrantMember(
            club_id=entrant.club_id, event_id=entrant.event_id, entrant=entrant, player=player
        )
        for player in players
    ]
    facts = {  # of somebody who is seated at this moment
        "player": " and ".join(player.name for player in players),
        "player_id": ", ".join(player.player_id for player in players),
        "entrant": "somebody else",
    }
    with unless_taken(Conflict(Problem("competes_already", ("players",), facts))):
        EntrantMember.objects.bulk_create(members)
        require_not_merged([player.pk for player in players])


def _size_problems(kind: EntrantKind, players: Sequence[Player]) -> Iterator[Problem]:
    least, most = SIZES[kind]
    if not least <= len(players) <= most:
        if least == most:
            expected = str(least)
        else:
            expected = f"{least} to {most}"
        yield Problem("members_count", ("players",), {"found": len(players), "expected": expected})


def _code(event: Event, kind: EntrantKind, code: str, players: Sequence[Player]) -> str:
    if kind == EntrantKind.PLAYER:
        return code_for(event, players[0].player_id) if players else ""
    if code:
        return code
    codes = set(Entrant.objects.filter(event=event).values_list("code", flat=True))
    codes |= set(Player.objects.filter(club_id=event.club_id).values_list("player_id", flat=True))
    return next(code for n in count(1) if (code := f"{kind}-{n}") not in codes)


def _code_problems(
    event: Event, kind: str, code: str, alone: Sequence[Entrant]
) -> Iterator[Problem]:
    facts = {"found": shown(code)}
    if kind == EntrantKind.PLAYER:
        return
    if code in FOLDERS or len(code) > LONGEST_CODE or "/" in code:
        yield Problem("entrant_code_not_usable", ("code",), facts | {"expected": LONGEST_CODE})
    # A player of the club may be seated any day, and competes under their own id.
    is_players = Player.objects.filter(club_id=event.club_id, player_id=code).exists()
    same_code = Entrant.objects.filter(event=event, code=code)
    if is_players or same_code.exclude(pk__in=[entrant.pk for entrant in alone]).exists():
        yield Problem("entrant_code_taken", ("code",), facts)
