"""Which player of a club is meant by a typed name or by the number of a merged player."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from scoring.errors import Path, Problem, Suggestion
from tournaments.domain.name_matching import (
    MOST_SUGGESTED,
    NameIndex,
    each_begins,
    folded,
    spellings,
    words_of,
)
from tournaments.domain.people.who_is_meant import LEAST_LETTERS, Alias, Judge
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Club, Player, PlayerAlias

MOST_CANDIDATES: Final = 8
"""Players that one problem suggests."""

NEAR: Final = 0.7
"""Likeness from which a name is suggested for an unknown one."""

_ID: Final = re.compile(r" \(([^()]*)\)(?=$| & )")
"""The id in a label, as `label_of` writes it; labels of a pair have two."""


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """Somebody else who is chosen as players are: an entrant, a member of a ladder."""

    player_id: str
    name: str

    @property
    def pk(self) -> str:
        return self.player_id


N = TypeVar("N", Player, NamedPerson)


def find_final_keys(club: Club | int) -> Mapping[int, int]:
    """Return the row of the player who has the records now, by the row of each merged player."""
    merged = Player.objects.filter(club=club, merged_into__isnull=False)
    final_keys = dict(merged.values_list("pk", "merged_into_id"))
    for pk in list(final_keys):
        # A player may be merged into one who is merged later.
        while final_keys[pk] in final_keys:
            final_keys[pk] = final_keys[final_keys[pk]]
    return final_keys


def aliases_of(club: Club) -> Sequence[Alias]:
    """Return all other names of a club's players, as the judge of names takes them."""
    into = find_final_keys(club)
    rows = PlayerAlias.objects.filter(club=club).order_by("pk")
    return [
        Alias(
            row.name,
            into.get(row.player_id, row.player_id),
            row.made_at.astimezone(club.zone).date(),
            is_confirmed=row.is_confirmed,
            newest=row.newest,
        )
        for row in rows
    ]


def find_merged_into(club: Club, player_id: str) -> Player | None:
    """Return the player who has the records of a merged one; None for any other number."""
    merged = Player.objects.filter(club=club, player_id=player_id, merged_into__isnull=False)
    player = merged.first()
    if player is None:
        return None
    return Player.objects.get(pk=find_final_keys(club)[player.pk])


def find_current_ids(
    club_id: int, ids: Sequence[str] | None, current: Collection[str] = ()
) -> Sequence[str] | None:
    """Return numbers of players with those of merged ones replaced: an old page may send them.

    Args:
        current: numbers of unmerged players; no query where all are among them.
    """
    if ids is None or set(ids) <= set(current):
        return ids
    merged = Player.objects.filter(club=club_id, player_id__in=ids, merged_into__isnull=False)
    merged_keys = dict(merged.values_list("player_id", "pk"))
    if not merged_keys:
        return ids

    final_keys = find_final_keys(club_id)
    final = Player.objects.filter(pk__in=final_keys.values())
    final_ids = dict(final.values_list("pk", "player_id"))
    current_ids = []
    for player_id in ids:
        if player_id in merged_keys:
            final_key = final_keys[merged_keys[player_id]]
            current_ids.append(final_ids[final_key])
        else:
            current_ids.append(player_id)
    return current_ids


def require_not_merged(players: Collection[int]) -> None:
    """Lock the rows of players who enter an event, and refuse those who were merged into others.

    Removing a player from the club's list locks these rows too: it finds the entry and keeps the
    player, or the player is removed first and is not entered.

    A merge locks these rows too, after the events that it knows of: either it is done and seen
    here, or it waits and finds the event (services/people/merge_players.py). The lock of a foreign
    key would be too late, because it is checked at the commit.
    """
    locked = Player.objects.select_for_update(no_key=True).filter(pk__in=players).order_by("pk")
    if len(locked.values_list("pk")) < len(set(players)):
        raise Missing("player")
    # A statement of its own: a joined row would be as it was before the lock was had.
    merged = Player.objects.filter(pk__in=players, merged_into__isnull=False)
    for player, into in merged.order_by("pk").values_list("player_id", "merged_into__player_id"):
        raise Conflict(Problem("player_is_merged", ("players",), {"player": player, "into": into}))


@dataclass(frozen=True, slots=True)
class Roll:
    """The players of a club for lists of names and numbers.

    `players` are neither merged nor erased; `merged` has who has the records now, by the row of
    each merged player.
    """

    players: tuple[Player, ...]
    merged: Mapping[Player, Player]
    erased: tuple[Player, ...]
    by_name: NameIndex[Player]

    def called(self, name: str) -> Sequence[Player]:
        """Return the players whom a name may mean; the name of a merged one means who has the
        records now."""
        finals = [self.merged.get(player, player) for player in self.by_name.get(name)]
        return list(dict.fromkeys(finals))


def get_roll(club: Club) -> Roll:
    """Return the players of a club by number; one query."""
    rows = Player.objects.filter(club=club).order_by("player_id")
    by_pk = {player.pk: player for player in rows}
    players: list[Player] = []
    merged: dict[Player, Player] = {}
    erased: list[Player] = []
    for player in by_pk.values():
        final = player
        while final.merged_into_id is not None:
            final = by_pk[final.merged_into_id]
        if final.erased_at is not None or player.erased_at is not None:
            erased.append(player)
        elif final is player:
            players.append(player)
        else:
            merged[player] = final
    by_name = NameIndex((player.name, player) for player in (*players, *merged))
    return Roll(players=tuple(players), merged=merged, erased=tuple(erased), by_name=by_name)


def label_of(player: Player | NamedPerson) -> str:
    return f"{player.name} ({player.player_id})"


def names_of(club: Club, players: Iterable[Player]) -> list[str]:
    """Return how players are written in a list: by name; with the id where that is not enough."""
    listed = Player.objects.filter(club=club, merged_into=None, erased_at=None)
    n_called = Counter(folded(name) for name in listed.values_list("name", flat=True))
    names = []
    for player in players:
        if n_called[folded(player.name)] > 1 or "," in player.name:
            names.append(label_of(player))
        else:
            names.append(player.name)
    return names


def names_in(labels: Sequence[str]) -> list[str]:
    """Return the names in labels; a name that two of them have keeps its id.

    >>> names_in(["Kay (RL01)", "Kay (RL02)", "Lee (RL03)", "Lee (RL03) & Moe (RL04)"])
    ['Kay (RL01)', 'Kay (RL02)', 'Lee', 'Lee & Moe']
    """
    names = [_ID.sub("", label) for label in labels]
    n_called = Counter(folded(name) for name in names)
    unambiguous = []
    for label, name in zip(labels, names, strict=True):
        if n_called[folded(name)] > 1:
            unambiguous.append(label)
        else:
            unambiguous.append(name)
    return unambiguous


class NamedPeople(Generic[N]):
    """People by id, by name and by how their names begin.

    Similar names are suggested for the first `MOST_SUGGESTED` unknown names of one object;
    `n_unknown` counts them all.
    """

    def __init__(self, players: Iterable[N]) -> None:
        self.n_unknown = 0
        self._judge: Judge[N] = Judge()
        self._spelled: list[tuple[N, tuple[str, ...]]] = []
        for player in players:
            self._add(player, is_offered=True)
            self._spelled.append((player, spellings(player.name)))

    def _add(self, player: N, *, is_offered: bool) -> None:
        nickname = player.nickname if isinstance(player, Player) else ""
        self._judge.add(
            player,
            key=player.pk,
            player_id=player.player_id,
            name=player.name,
            nickname=nickname,
            is_offered=is_offered,
        )

    @property
    def is_limited(self) -> bool:
        """Whether further unknown names got no suggestions."""
        return self.n_unknown > MOST_SUGGESTED

    def add_numbers(self, former: Mapping[str, N]) -> None:
        """Add former ids: id → the player who is found by it, unless another one has it."""
        for player_id, player in former.items():
            self._judge.add_id(player_id, player.pk)

    def add_not_offered(self, players: Iterable[N]) -> None:
        """Add people who are found by a whole name or an id, but never suggested."""
        for player in players:
            self._add(player, is_offered=False)

    def add_aliases(self, aliases: Iterable[Alias]) -> None:
        """Add the other names that the club keeps: a confirmed one is the player's."""
        for alias in aliases:
            self._judge.add_alias(alias)

    def meant(self, text: str, at: Path, *, but: Collection[object] = ()) -> N | Problem:
        """Return the player that a typed name means, or the problem with it.

        Args:
            text: an id, a name, its beginning, "name (id)" or "last name, first name".
            at: where the problem is placed.
            but: rows of players that are not offered, for they are placed already.

        Returns:
            Otherwise `nobody_of_that_name` or `name_of_several`; their suggestions name the
            players that may be meant, at most eight, as `label_of` writes them.
        """
        match = self.known(text, at, but=but)
        if match is not None:
            return match
        self.n_unknown += 1
        similar: Sequence[N] = ()
        if not self.is_limited:
            similar = self._judge.near(_ID.sub("", text), NEAR)
        return Problem("nobody_of_that_name", at, {"found": text}, _suggestions(similar, but))

    def known(self, text: str, at: Path, *, but: Collection[object] = ()) -> N | Problem | None:
        """Return what `meant` does; None instead of `nobody_of_that_name`, without a search."""
        player = self._judge.with_id(text) or self._labelled(text)
        if player is not None:
            return player
        judged = self._judge.whole(text)
        if judged.member is not None:
            return judged.member
        if judged.people:
            return name_of_several(text, judged.people, at=at, but=but)

        candidates = self._judge.beginning(text)
        if not candidates:
            return None
        if len(candidates) == 1 and len(folded(text)) >= LEAST_LETTERS:
            return candidates[0]
        return name_of_several(text, candidates, at=at, but=but)

    def matching(self, query: str) -> Sequence[N]:
        """Return the players that match a query: by id, and by words of their names."""
        id_start = query.casefold()
        words = words_of(query)
        players = []
        for player, ways in self._spelled:
            if player.player_id.casefold().startswith(id_start) or each_begins(words, ways):
                players.append(player)
        return players

    def _labelled(self, text: str) -> N | None:
        """Return the player that a text names as `label_of` does."""
        name, bracket, player_id = text.rstrip().removesuffix(")").rpartition("(")
        if not bracket or not name.strip():
            return None
        return self._judge.judge(name, player_id).member


NamedPlayers = NamedPeople[Player]
"""The players of a club."""


def named_players(club: Club) -> NamedPlayers:
    """Return the players of a club for look-ups by typed text.

    The number of a merged player finds the one who has the records now. Inactive players are not
    suggested; a whole name or a number finds them. Names that the club keeps from files are known.
    """
    players = Player.objects.filter(club=club).order_by("sort_key", "player_id")
    by_pk = {player.pk: player for player in players}
    final_keys = find_final_keys(club)
    unmerged = [player for pk, player in by_pk.items() if pk not in final_keys]
    named = NamedPlayers(player for player in unmerged if player.is_active)
    named.add_not_offered(player for player in unmerged if not player.is_active)
    named.add_numbers({by_pk[pk].player_id: by_pk[final] for pk, final in final_keys.items()})
    named.add_aliases(aliases_of(club))
    return named


def name_of_several(
    text: str,
    players: Sequence[Player] | Sequence[NamedPerson],
    at: Path,
    but: Collection[object] = (),
) -> Problem:
    """Return the problem with a name of several people; it suggests those who are not in `but`."""
    ids = ", ".join(player.player_id for player in players[:MOST_CANDIDATES])
    return Problem("name_of_several", at, {"found": text, "ids": ids}, _suggestions(players, but))


def _suggestions(
    players: Sequence[Player] | Sequence[NamedPerson], but: Collection[object]
) -> tuple[Suggestion, ...]:
    """Return suggestions of the players who are not in `but`; of all where everybody is."""
    free = [player for player in players if player.pk not in but]
    labels = [label_of(player) for player in (free or players)[:MOST_CANDIDATES]]
    return tuple(Suggestion("closest", facts={"name": label}) for label in labels)
