"""Changing what a club knows of a player: by a director, or by the person for themselves."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from scoring.errors import Problem, Refused, shown
from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import folded, name_problems, one_line
from tournaments.domain.people.public_names import erased_name
from tournaments.errors import Conflict, Forbidden
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantMember
from tournaments.models.meetings import Sitting
from tournaments.policy import Actor
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.clubs import number_problems, taken_number_problem
from tournaments.services.clubs.members import lock_player, require_whole
from tournaments.services.clubs.names import lock_names, refresh_public_names, require_known
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require

LONGEST_NICKNAME: Final = 60


DETAILS: Final = ("name", "nickname", "player_id", "joined", "is_active", "shown_as")
"""What can be changed of a player.

`shown_as` is how much of the name the public reads, empty for as much as the club's policy says;
`is_active` offers the player for seating.
"""


def details_of(player: Player) -> dict[str, Any]:
    return {name: getattr(player, name) for name in DETAILS}


def details_tag(player: Player) -> str:
    texts = [str(value) for value in details_of(player).values()]
    return mark_of_text(json.dumps(texts, ensure_ascii=False))


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
        changes: `DETAILS` by name.
        based_on: the tag of the details that the caller looked at; empty = whatever there is.
    """
    require(actor, club, "edit_players")
    club = lock_names(club)
    locked = lock_player(club, player)
    require_whole(locked)
    _require_unchanged(locked, based_on)
    differing = _differing(locked, changes)
    problems = list(_problems(locked, differing))
    if "shown_as" in differing and locked.user_id not in (None, actor.user_id):
        problems.append(Problem("shown_as_is_own", ("shown_as",), {"player": locked.player_id}))
    if problems:
        raise Refused(*problems)
    return _store(actor, club, locked, differing, "edit_player", now)


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
    locked = lock_player(club, player)
    require_whole(locked)
    if actor.user_id is None or locked.user_id != actor.user_id:
        raise Forbidden("edit_own_player")
    _require_unchanged(locked, based_on)
    changes = {"shown_as": shown_as, "nickname": nickname}
    differing = _differing(
        locked, {name: value for name, value in changes.items() if value is not None}
    )
    if problems := list(_problems(locked, differing)):
        raise Refused(*problems)
    return _store(actor, club, locked, differing, "edit_own_player", now)


def _require_unchanged(player: Player, based_on: str) -> None:
    tag = details_tag(player)
    if based_on not in ("", tag):
        raise Conflict(Problem("player_outdated"), there=tag)


def _differing(player: Player, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes that differ from what is stored, in the order of `DETAILS`.

    Texts are tidied; one that is as before stays as it is stored.
    """
    differing = {}
    for name, before in details_of(player).items():
        value = changes.get(name, before)
        if isinstance(value, str) and value != before:
            value = one_line(value)
        if value != before:
            differing[name] = value
    return differing


def _problems(player: Player, differing: Mapping[str, Any]) -> Iterator[Problem]:
    if "name" in differing:
        yield from name_problems(differing["name"])
    if nickname := differing.get("nickname"):
        yield from _nickname_problems(player, nickname)
    if "player_id" in differing:
        yield from number_problems(player.club, differing["player_id"])
        if is_used(player):  # results and addresses stay what they are
            yield Problem("player_id_is_used", ("player_id",), {"player": player.player_id})
    if shown_as := differing.get("shown_as"):
        try:
            require_known(shown_as, "shown_as")
        except Refused as refused:
            yield from refused.problems


def _nickname_problems(player: Player, nickname: str) -> Iterator[Problem]:
    """Yield what is wrong with a nickname: too long, or a name of another player."""
    at, words = ("nickname",), folded(nickname)
    if len(nickname) > LONGEST_NICKNAME:
        facts = {"found": len(nickname), "expected": LONGEST_NICKNAME}
        yield Problem("nickname_too_long", at, facts)
        return
    others = Player.objects.filter(club=player.club_id).exclude(pk=player.pk)
    columns = ("player_id", "name", "nickname", "public_name")
    for names in others.values_list(*columns) if words else ():
        if words in map(folded, (*names, erased_name(names[0]))):
            yield Problem("nickname_taken", at, {"found": shown(nickname), "player": names[0]})
            return


def is_used(player: Player) -> bool:
    """Whether results, entries or seats name a player by the number, so that it stays."""
    seated = Sitting.objects.filter(player=player)
    return EntrantMember.objects.filter(player=player).exists() or seated.exists()


def _store(
    actor: Actor, club: Club, player: Player, differing: Mapping[str, Any], act: str, now: datetime
) -> Player:
    """Store the details that differ and what the public reads then; one audit line of ids."""
    if not differing:
        return player
    if "player_id" in differing and (
        problem := taken_number_problem(club, differing["player_id"], player.pk)
    ):
        raise Conflict(problem)
    # Names never stand in the audit trail: it says which details were changed.
    facts: dict[str, object] = {"changed": list(differing)}
    for name in ("player_id", "shown_as"):
        if name in differing:
            facts[name] = [getattr(player, name), differing[name]]
    subject = f"player:{player.player_id}"
    for name, value in differing.items():
        setattr(player, name, value)
    player.save(update_fields=list(differing))
    refresh_public_names(actor, club, [player], now)
    append_audit(club, actor, act, subject, facts=facts, now=now)
    return player
