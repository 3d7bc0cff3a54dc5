"""Who competes in an event: entering pairs and teams, renaming, withdrawing and returning them.

A result stays with who made it: once an entrant has played, its members stay as they are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Q

from scoring.errors import Problem, Refused, shown
from tournaments.domain.name_matching import FOLDERS, LONGEST_NAME, one_line
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event
from tournaments.models.hands import Game
from tournaments.models.ladders import Challenge
from tournaments.models.meetings import SitOut, Sitting
from tournaments.models.playoffs import PlayoffMember, StageEntrant, WalkOver
from tournaments.models.standings import Contribution, LedgerLine
from tournaments.policy import Actor
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.selectors.events.entrants import EntrantLine
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.clubs import add_player
from tournaments.services.clubs.slugs import LONGEST_CODE, code_for
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.events import enter_players, entrant_for
from tournaments.services.events.states import require_running
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.permissions import require

SIZES: Final = {
    EntrantKind.PLAYER: (1, 1),
    EntrantKind.PAIR: (2, 2),
    EntrantKind.TEAM: (2, 20),
}
"""Kind → how many players it has, at least and at most."""

_MADE: Final = {EntrantKind.PAIR: "pair", EntrantKind.TEAM: "team"}


@atomic_act
def add_entrant(
    *,
    actor: Actor,
    event: Event,
    kind: str,
    players: Sequence[Player],
    now: datetime,
    name: str = "",
    code: str = "",
) -> Entrant:
    """Enter a player, a fixed pair or a team; who competed alone so far without a result joins it.

    Args:
        players: of the event's club, in any order.
        name: empty = the names of its players.
        code: how the standings call it; without one `pair-1`, `team-1` … A player's is their id.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    require_running(event)
    name = one_line(name) if kind != EntrantKind.PLAYER else ""
    if kind not in EntrantKind.values:
        raise Refused(Problem("bad_entrant_kind", ("kind",), {"found": shown(kind)}))
    code = _code(event, EntrantKind(kind), one_line(code), players)
    joining = _Joining(event, players)
    problems = [
        *_size_problems(EntrantKind(kind), players),
        *joining.problems(is_alone=kind == EntrantKind.PLAYER),
        *_name_problems(name),
        *_code_problems(event, kind, code, joining.alone),
    ]
    if problems:
        raise Refused(*problems)
    joining.leave_alone()
    entrant = Entrant.objects.create(
        club_id=event.club_id, event=event, code=code, name=name, kind=kind
    )
    _join(entrant, players)
    _keep(actor, entrant, "add_entrant", now, players=[player.player_id for player in players])
    return entrant


@atomic_act
def add_entrants(*, actor: Actor, event: Event, lines: Sequence[EntrantLine], now: datetime) -> int:
    """Enter the players, pairs and teams of a list, all or none; returns how many were added.

    New players are added to the club. Players who are entered already and named alone stay as they
    are, and so do pairs and teams of the same players.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    require_running(event)
    if not lines:
        facts: dict[str, int | str] = {"found": 0, "expected": "1 or more"}
        raise Refused(Problem("members_count", ("names",), facts))
    entrants = Entrant.objects.filter(event=event)
    before = list(entrants.values_list("pk", flat=True))
    problems: list[Problem] = []
    alone: list[Player] = []
    people: dict[Player | str, Player] = {}
    for player in dict.fromkeys(player for line in lines for player in line.players):
        if isinstance(player, str):
            people[player] = add_player(actor=actor, club=event.club, name=player, now=now)
        else:
            people[player] = player
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
                add_entrant(
                    actor=actor, event=event, kind=kind, players=players, name=line.name, now=now
                )
            except Refused as refused:
                at = ("names", line.number)
                problems += [replace(problem, at=at) for problem in refused.problems]
    if problems:
        raise Refused(*problems)
    if alone:
        enter_players(event=event, players=tuple(dict.fromkeys(alone)))
        mark_changed(event=event, now=now)
        append_audit(
            club=event.club,
            actor=actor,
            act="add_entrant",
            subject=f"event:{event.slug}",
            facts={"players": [player.player_id for player in alone]},
            now=now,
        )
    return entrants.exclude(pk__in=before).count()


def _lock_games_of(event: Event, players: Iterable[Player]) -> None:
    at_tables = Game.objects.filter(table__seats__sittings__player__in=players, event=event)
    lock_games(Game.objects.filter(pk__in=at_tables.values("pk")))


def _is_entered(event: Event, players: Sequence[Player]) -> bool:
    first = EntrantMember.objects.filter(event=event, player__in=players[:1])
    members = EntrantMember.objects.filter(entrant__in=first.values("entrant"))
    return {member.player_id for member in members} == {player.pk for player in players} != set()


@atomic_act
def change_entrant(
    *,
    actor: Actor,
    event: Event,
    code: str,
    name: str,
    players: Sequence[Player],
    now: datetime,
) -> Entrant:
    """Rename a pair or a team, or change who is in it before its first result.

    Args:
        players: who is in it from now on; who leaves competes alone as soon as they are seated.
    """
    require(actor, event.club, "manage_event")
    event = lock_event(event)
    entrant = entrant_in(event, code)
    if entrant.kind == EntrantKind.PLAYER:
        raise Refused(Problem("player_alone_has_no_name", ("name",), {"entrant": code}))
    name = one_line(name)
    there = {member.player_id: member.player for member in entrant.members.select_related("player")}
    is_moved = {one.pk for one in players} != set(there)
    joining = _Joining(event, players, but=entrant)
    problems = [
        *_name_problems(name),
        *_size_problems(EntrantKind(entrant.kind), players),
        *joining.problems(),
    ]
    if is_moved:
        require_running(event)
        if Contribution.objects.filter(entrant=entrant).exists():
            problems.append(Problem("entrant_has_results", (), {"entrant": code}))
    if problems:
        raise Refused(*problems)
    joining.leave_alone()
    Entrant.objects.filter(pk=entrant.pk).update(name=name)
    entrant.name = name
    EntrantMember.objects.filter(entrant=entrant).exclude(player__in=players).delete()
    _join(entrant, [one for one in players if one.pk not in there])
    for player in there.values():
        if Sitting.objects.filter(seat__table__event=event, player=player).exists():
            entrant_for(event=event, player=player)
    _keep(actor, entrant, "change_entrant", now, players=[one.player_id for one in players])
    return entrant


def entrant_in(event: Event, code: str) -> Entrant:
    entrant = Entrant.objects.filter(event=event, code=code).first()
    if entrant is None:
        raise Missing("entrant", {"found": shown(code)})
    entrant.event = event
    return entrant


class _Joining:
    def __init__(self, event: Event, players: Sequence[Player], but: Entrant | None = None) -> None:
        self.event = event
        self.players = players
        # Their games do not change while it is decided whether they have results, nor those of
        # who leaves the entrant: what they play from now on is counted for somebody else.
        own = Player.objects.filter(entries_in_events__entrant=but) if but is not None else ()
        _lock_games_of(event, {*players, *own})
        members = EntrantMember.objects.filter(event=event, player__in=players)
        if but is not None:
            members = members.exclude(entrant=but)
        self.elsewhere = {
            member.player_id: member.entrant for member in members.select_related("entrant")
        }
        self.alone = [one for one in self.elsewhere.values() if one.kind == EntrantKind.PLAYER]

    def problems(self, *, is_alone: bool = False) -> Iterator[Problem]:
        """Yield who is there twice, and who competes elsewhere and stays there.

        Args:
            is_alone: whether somebody is to compete alone, so that nobody can be moved.
        """
        for index, player in enumerate(self.players):
            facts: dict[str, int | str] = {"player": player.name, "player_id": player.player_id}
            if player in self.players[:index]:
                yield Problem("same_player_twice", ("seat", index + 1), facts)
                continue
            there = self.elsewhere.get(player.pk)
            if there is not None and (is_alone or there.kind != EntrantKind.PLAYER):
                facts["entrant"] = f"{there.name} ({there.code})" if there.name else there.code
                yield Problem("competes_already", ("seat", index + 1), facts)
            elif there is not None and _is_used(there):
                facts["entrant"] = there.code
                yield Problem("entrant_has_results", ("seat", index + 1), facts)

    def leave_alone(self) -> None:
        Entrant.objects.filter(pk__in=[one.pk for one in self.alone]).delete()


def _is_used(entrant: Entrant) -> bool:
    both = Q(challenger=entrant) | Q(challenged=entrant)
    return (
        entrant.start_position is not None
        or Contribution.objects.filter(entrant=entrant).exists()
        or LedgerLine.objects.filter(entrant=entrant).exists()
        or SitOut.objects.filter(entrant=entrant).exists()
        or Challenge.objects.filter(both).exists()
        or PlayoffMember.objects.filter(entrant=entrant).exists()
        or StageEntrant.objects.filter(entrant=entrant).exists()
        or WalkOver.objects.filter(entrant=entrant).exists()
    )


def _join(entrant: Entrant, players: Sequence[Player]) -> None:
    members = [
        EntrantMember(
            club_id=entrant.club_id, event_id=entrant.event_id, entrant=entrant, player=player
        )
        for player in players
    ]
    try:
        with transaction.atomic():
            EntrantMember.objects.bulk_create(members)
            require_not_merged([player.pk for player in players])
    except IntegrityError as entered:  # by being seated, this moment
        facts = {
            "player": " and ".join(player.name for player in players),
            "player_id": ", ".join(player.player_id for player in players),
            "entrant": "somebody else",
        }
        raise Conflict(Problem("competes_already", ("players",), facts)) from entered


def _size_problems(kind: EntrantKind, players: Sequence[Player]) -> Iterator[Problem]:
    least, most = SIZES[kind]
    if not least <= len(players) <= most:
        expected = str(least) if least == most else f"{least} to {most}"
        facts: dict[str, int | str] = {"found": len(players), "expected": expected}
        yield Problem("members_count", ("players",), facts)


def _name_problems(name: str) -> Iterator[Problem]:
    if len(name) > LONGEST_NAME:
        facts = {"found": len(name), "expected": LONGEST_NAME}
        yield Problem("name_too_long", ("name",), facts)


def _code(event: Event, kind: EntrantKind, code: str, players: Sequence[Player]) -> str:
    if kind == EntrantKind.PLAYER:
        return code_for(event, players[0].player_id) if players else ""
    if code:
        return code
    codes = set(Entrant.objects.filter(event=event).values_list("code", flat=True))
    codes |= set(Player.objects.filter(club_id=event.club_id).values_list("player_id", flat=True))
    number = 1
    while f"{_MADE[kind]}-{number}" in codes:
        number += 1
    return f"{_MADE[kind]}-{number}"


def _code_problems(
    event: Event, kind: str, code: str, alone: Sequence[Entrant]
) -> Iterator[Problem]:
    facts: dict[str, int | str] = {"found": shown(code)}
    if kind == EntrantKind.PLAYER:
        return
    if code in FOLDERS or len(code) > LONGEST_CODE or "/" in code:
        yield Problem("entrant_code_not_usable", ("code",), facts | {"expected": LONGEST_CODE})
    # A player of the club may be seated any day, and competes under their own id.
    is_players = Player.objects.filter(club_id=event.club_id, player_id=code).exists()
    others = Entrant.objects.filter(event=event, code=code).exclude(
        pk__in=[one.pk for one in alone]
    )
    if is_players or others.exists():
        yield Problem("entrant_code_taken", ("code",), facts)


def _keep(actor: Actor, entrant: Entrant, act: str, now: datetime, **facts: object) -> None:
    mark_changed(event=entrant.event, now=now)
    audit_entrant(actor, entrant, act, now, facts)


def audit_entrant(
    actor: Actor, entrant: Entrant, act: str, now: datetime, facts: Mapping[str, object]
) -> None:
    append_audit(
        club=entrant.event.club,
        actor=actor,
        act=act,
        subject=f"event:{entrant.event.slug}/entrant:{entrant.code}",
        facts=facts,
        now=now,
    )
