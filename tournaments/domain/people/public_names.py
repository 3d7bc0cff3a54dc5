"""How much of a player's name the public reads.

A club chooses for all, a player for themselves where that is stricter. Members read full names.
See docs/decisions/0033.
"""

from collections.abc import Iterable
from datetime import date
from typing import Final

from tournaments.domain.people.redaction import redact_text, shown_together
from tournaments.models.clubs import Club, NamesPolicy, Player

STRICTNESS: Final[tuple[str, ...]] = tuple(NamesPolicy.values)
"""Policies, the one that shows most first."""


def stricter(policy: str, choice: str) -> str:
    """Return the stricter of a club's policy and a player's own choice ("" for none).

    >>> stricter("initial", "number"), stricter("nickname", "full"), stricter("full", "")
    ('number', 'nickname', 'full')
    """
    return max(policy, choice or policy, key=STRICTNESS.index)


def public_name(*, name: str, nickname: str, player_id: str, policy: str, choice: str = "") -> str:
    """Return what the public reads in the place of a player's name; never empty.

    Without a nickname the policy `nickname` shows the number: a name would show more than was
    allowed. `initial` keeps the first word and the first letter of the last one.

    >>> named = {"name": "Xenia van der Berg", "nickname": "Zed", "player_id": "RL24"}
    >>> [public_name(**named, policy=one) for one in STRICTNESS]
    ['Xenia van der Berg', 'Xenia B.', 'Zed', 'RL24']
    >>> public_name(name="Xenia S.", nickname="", player_id="RL24", policy="nickname")
    'RL24'
    """
    shown = stricter(policy, choice)
    if shown == NamesPolicy.FULL:
        return name or player_id
    if shown == NamesPolicy.INITIAL:
        return _with_initial(name) or player_id
    if shown == NamesPolicy.NICKNAME and nickname:
        return nickname
    return player_id


def _with_initial(name: str) -> str:
    words = name.split()
    if len(words) < 2:
        return name
    return f"{words[0]} {words[-1][0]}."


def public_name_of(player: Player, club: Club) -> str:
    """Return what the public reads of a row of `club` under its policy of now.

    The name of an erased person is made of the number alone.
    """
    if player.erased_at is not None:
        return erased_name(player.player_id)
    return public_name(
        name=player.name,
        nickname=player.nickname,
        player_id=player.player_id,
        policy=club.names_policy,
        choice=player.shown_as,
    )


def public_entrant_name(own: str, players: Iterable[tuple[str, str]]) -> str:
    """Return what the public reads of an entrant: its own name, or its players' put together.

    An own name that was typed with the full name of one of its players says what the public reads
    of that player instead.

    Args:
        players: the full and the public name of each.

    >>> public_entrant_name("Ann B. and friends", [("Ann B.", "RL24"), ("Bo C.", "Bo C.")])
    'RL24 and friends'
    >>> public_entrant_name("", [("Zoe", "Zoe"), ("Ann B.", "RL24")])
    'RL24 & Zoe'
    """
    people = list(players)
    hidden = {name: shown for name, shown in people if name != shown}
    return redact_text(own, hidden) or shown_together(shown for _name, shown in people)


def erased_name(player_id: str) -> str:
    """Return what stands in the place of an erased person's name.

    >>> erased_name("RL24")
    'Player RL24'
    """
    return f"Player {player_id}"


def new_player(*, club: Club, player_id: str, name: str, joined: date | None = None) -> Player:
    """Return an unsaved row of `club` with the name that the public reads of it."""
    player = Player(club=club, player_id=player_id, name=name, joined=joined)
    player.public_name = public_name_of(player, club)
    return player
