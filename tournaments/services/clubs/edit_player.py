"""Changing what a club knows of a player: by a director, or by the person for themselves."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Any, Final

from scoring.errors import Problem, Refused, shown
from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import folded, name_problems, one_line
from tournaments.domain.people.public_names import erased_name
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantMember
from tournaments.models.meetings import Sitting
from tournaments.policy import Actor
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.clubs import number_problems, taken_number_problem
from tournaments.services.clubs.names import lock_names, refresh_public_names, require_known
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require

LONGEST_NICKNAME: Final = 60


@dataclass(frozen=True, slots=True)
class PlayerDetails:
    """What can be changed of a player. `shown_as` is how much of the name the public reads, empty
    for as much as the club's policy says; `is_active` offers the player for seating."""

    name: str
    nickname: str
    player_id: str
    joined: date | None
    is_active: bool
    shown_as: str

    @property
    def tag(self) -> str:
        """A mark of exactly these details."""
        stored = [str(getattr(self, field.name)) for field in fields(self)]
        return mark_of_text(json.dumps(stored, ensure_ascii=False))


def details_of(player: Player) -> PlayerDetails:
    """Return the details of a stored player."""
    return PlayerDetails(
        **{field.name: getattr(player, field.name) for field in fields(PlayerDetails)}
    )


@atomic_act
def edit_player(
    *,
    actor: Actor,
    club: Club,
    player: Player,
    changes: Mapping[str, Any],
    now: datetime,
    based_on: str = "",
) -> Player:
    """Change details of a player; what is not named stays. Nothing happens where nothing differs.

    Args:
        changes: details of `PlayerDetails` by name.
        based_on: the tag of the details that the caller looked at; empty = whatever there is.
    """
    require(actor, club, "edit_players")
    club = lock_names(club)
    locked = _locked(club, player)
    before = details_of(locked)
    _require_same(before, based_on)
    wanted = replace(before, **_tidy(before, changes))
    problems = list(_problems(locked, before, wanted))
    if wanted.shown_as != before.shown_as and locked.user_id not in (None, actor.user_id):
        facts: dict[str, int | str] = {"player": locked.player_id}
        problems.append(Problem("shown_as_is_own", ("shown_as",), facts))
    if problems:
        raise Refused(*problems)
    return _store(actor, club, locked, wanted, "edit_player", now)


@atomic_act
def edit_own_player(
    *,
    actor: Actor,
    club: Club,
    player: Player,
    now: datetime,
    shown_as: str | None = None,
    nickname: str | None = None,
    based_on: str = "",
) -> Player:
    """Choose how much of one's own name the public reads, and the nickname; None leaves either.

    A choice that shows more than the club's policy is kept, and has no effect.
    """
    require(actor, club, "edit_own_player")
    club = lock_names(club)
    locked = _locked(club, player)
    if actor.user_id is None or locked.user_id != actor.user_id:
        raise Forbidden("edit_own_player")
    before = details_of(locked)
    _require_same(before, based_on)
    given = {"shown_as": shown_as, "nickname": nickname}
    changes = {name: value for name, value in given.items() if value is not None}
    wanted = replace(before, **_tidy(before, changes))
    if problems := list(_problems(locked, before, wanted)):
        raise Refused(*problems)
    return _store(actor, club, locked, wanted, "edit_own_player", now)


def _require_same(before: PlayerDetails, based_on: str) -> None:
    if based_on and based_on != before.tag:
        raise Conflict(Problem("player_outdated"), there=before.tag)


def _locked(club: Club, player: Player) -> Player:
    rows = Player.objects.select_for_update(of=("self",), no_key=True)
    found = rows.select_related("merged_into").filter(club=club, pk=player.pk).first()
    if found is None:
        raise Missing("player", {"player": player.player_id})
    facts: dict[str, int | str] = {"player": found.player_id}
    if found.erased_at is not None:
        raise Conflict(Problem("player_is_erased", ("player_id",), facts))
    if found.merged_into is not None:
        facts["into"] = found.merged_into.player_id
        raise Conflict(Problem("player_is_merged", ("player_id",), facts))
    return found


def _tidy(before: PlayerDetails, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes with texts as they are kept; one that is as before stays as it is stored."""
    typed = {
        name: one_line(value)
        for name, value in changes.items()
        if isinstance(value, str) and value != getattr(before, name)
    }
    return {**changes, **typed}


def _problems(player: Player, before: PlayerDetails, wanted: PlayerDetails) -> Iterator[Problem]:
    """Yield what is wrong with details that differ from those before."""
    if wanted.name != before.name:
        yield from name_problems(wanted.name)
    if wanted.nickname != before.nickname:
        yield from _nickname_problems(player, wanted.nickname)
    if wanted.player_id != before.player_id:
        yield from _number_problems(player, wanted.player_id)
    if wanted.shown_as and wanted.shown_as != before.shown_as:
        try:
            require_known(wanted.shown_as, "shown_as")
        except Refused as refused:
            yield from refused.problems


def _nickname_problems(player: Player, nickname: str) -> Iterator[Problem]:
    """Yield what is wrong with a nickname: as long as a name, or what another one is called."""
    if len(nickname) > LONGEST_NICKNAME:
        facts: dict[str, int | str] = {"found": len(nickname), "expected": LONGEST_NICKNAME}
        yield Problem("nickname_too_long", ("nickname",), facts)
        return
    words = folded(nickname)
    others = Player.objects.filter(club=player.club_id).exclude(pk=player.pk)
    columns = ("player_id", "name", "nickname", "public_name")
    for names in others.values_list(*columns) if words else ():
        if words in map(folded, (*names, erased_name(names[0]))):
            facts = {"found": shown(nickname), "player": names[0]}
            yield Problem("nickname_taken", ("nickname",), facts)
            return


def _number_problems(player: Player, player_id: str) -> Iterator[Problem]:
    """Yield why a player cannot have this number: results and addresses stay what they are."""
    yield from number_problems(player.club, player_id)
    if is_used(player):
        yield Problem("player_id_is_used", ("player_id",), {"player": player.player_id})


def is_used(player: Player) -> bool:
    """Whether results, entries or seats name a player by the number, so that it stays."""
    seated = Sitting.objects.filter(player=player)
    return EntrantMember.objects.filter(player=player).exists() or seated.exists()


def _store(
    actor: Actor, club: Club, player: Player, wanted: PlayerDetails, act: str, now: datetime
) -> Player:
    """Store the details that differ and what the public reads then; one audit line of ids."""
    before = details_of(player)
    differing = [
        field.name
        for field in fields(wanted)
        if getattr(wanted, field.name) != getattr(before, field.name)
    ]
    if not differing:
        return player
    if "player_id" in differing and (
        problem := taken_number_problem(club, wanted.player_id, player.pk)
    ):
        raise Conflict(problem)
    for name in differing:
        setattr(player, name, getattr(wanted, name))
    player.save(update_fields=differing)
    refresh_public_names(actor, club, [player], now)
    # Names never stand in the audit trail: it says which details were changed.
    facts_of_line: dict[str, object] = {"changed": differing}
    if before.player_id != wanted.player_id:
        facts_of_line["player_id"] = [before.player_id, wanted.player_id]
    if before.shown_as != wanted.shown_as:
        facts_of_line["shown_as"] = [before.shown_as, wanted.shown_as]
    append_audit(
        club=club,
        actor=actor,
        act=act,
        subject=f"player:{before.player_id}",
        facts=facts_of_line,
        now=now,
    )
    return player
