"""Which player of a club is meant by a typed name or by the number of a merged player."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Generic, TypeVar

from scoring.errors import Path, Problem, Suggestion
from tournaments.domain.name_matching import each_begins, folded, letters_of, one_person
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Club, Player


def find_final_keys(club: Club | int) -> Mapping[int, int]:
    """Return the row of the player who has the records now, by the row of each merged player."""
    merged = Player.objects.filter(club=club, merged_into__isnull=False)
    into: dict[int, int] = dict(merged.values_list("pk", "merged_into_id"))
    return {pk: _last(pk, into) for pk in into}


def _last(pk: int, into: Mapping[int, int]) -> int:
    while pk in into:
        pk = into[pk]
    return pk


def find_merged_into(club: Club, player_id: str) -> Player | None:
    """Return who has the records of a merged player now; None for anybody else."""
    merged = Player.objects.filter(club=club, player_id=player_id, merged_into__isnull=False)
    found = merged.first()
    return None if found is None else Player.objects.get(pk=find_final_keys(club)[found.pk])


def find_current_ids(
    club_id: int, ids: Sequence[str] | None, there: Collection[str] = ()
) -> Sequence[str] | None:
    """Return numbers of players with those of merged ones replaced: an old page may send them.

    Args:
        there: numbers that need no look; nothing is asked where all are among them.
    """
    if ids is None or set(ids) <= set(there):
        return ids
    rows = Player.objects.filter(club=club_id, player_id__in=ids, merged_into__isnull=False)
    merged = dict(rows.values_list("player_id", "pk"))
    if not merged:
        return ids
    keys = find_final_keys(club_id)
    now = dict(Player.objects.filter(pk__in=keys.values()).values_list("pk", "player_id"))
    return [now[keys[merged[one]]] if one in merged else one for one in ids]


def require_not_merged(players: Collection[int]) -> None:
    """Lock the rows of players who enter an event, and refuse those who were merged into others.

    Whoever takes a player off the club's list locks these rows too: an entry is there by then, and
    the player stays, or the player is gone, and is not entered.

    A merge locks these rows too, after the events that it knows of: it is done, and seen here, or
    it waits, and finds the event (services/people/merge_players.py). What a foreign key locks would
    be too late for that: it is checked at the commit.
    """
    held = Player.objects.select_for_update(no_key=True).filter(pk__in=players).order_by("pk")
    if len(held.values_list("pk")) < len(set(players)):
        raise Missing("player")
    # A statement of its own: a joined row would be as it was before the lock was had.
    merged = Player.objects.filter(pk__in=players, merged_into__isnull=False)
    found = merged.select_related("merged_into").order_by("pk").first()
    if found is not None and found.merged_into is not None:
        facts = {"player": found.player_id, "into": found.merged_into.player_id}
        raise Conflict(Problem("player_is_merged", ("players",), facts))


LEAST_LETTERS: Final = 2
"""A single letter is asked about, even where only one name begins with it."""
MOST_CANDIDATES: Final = 8
CLOSE: Final = 0.7


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """Somebody else who is chosen as players are: an entrant, a member of a ladder."""

    player_id: str
    name: str

    @property
    def pk(self) -> str:
        """What tells them apart."""
        return self.player_id


N = TypeVar("N", Player, NamedPerson)


def label_of(player: Player | NamedPerson) -> str:
    """Return how a player is offered and read: name and id."""
    return f"{player.name} ({player.player_id})"


@dataclass(frozen=True, slots=True)
class _Named(Generic[N]):
    player: N
    letters: str

    @property
    def words(self) -> list[str]:
        return self.letters.split()


class NamedPeople(Generic[N]):
    """People by id, by name and by how their names begin."""

    def __init__(self, players: Iterable[N]) -> None:
        self._by_id: dict[str, N] = {}
        self._by_name: dict[str, list[N]] = {}
        self._by_letters: list[_Named[N]] = []
        self._not_offered: dict[str, list[N]] = {}
        for player in players:
            self._by_id[player.player_id.casefold()] = player
            self._by_name.setdefault(folded(player.name), []).append(player)
            self._by_name.setdefault(folded(label_of(player)), []).append(player)
            self._by_letters.append(_Named(player, letters_of(player.name)))

    def add_numbers(self, former: Mapping[str, N]) -> None:
        """Let further numbers find people too."""
        for number, player in former.items():
            self._by_id.setdefault(number.casefold(), player)

    def add_not_offered(self, players: Iterable[N]) -> None:
        """Let a whole name or an id find further people, who are never offered."""
        for player in players:
            self._by_id.setdefault(player.player_id.casefold(), player)
            for text in (player.name, label_of(player)):
                self._not_offered.setdefault(folded(text), []).append(player)

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
        if player := self._by_id.get(text.casefold()):
            return player
        for name in dict.fromkeys((text, one_person(text))):
            whole = folded(name)
            if named := self._by_name.get(whole) or self._not_offered.get(whole, []):
                return named[0] if len(named) == 1 else _of_several(text, named, at, but)
        begun = self._beginning_with(text)
        if len(begun) == 1 and len(letters_of(text)) >= LEAST_LETTERS:
            return begun[0]
        if begun:
            return _of_several(text, begun, at, but)
        return Problem("nobody_of_that_name", at, {"found": text}, _offered(self._near(text), but))

    def found(self, text: str) -> tuple[N, ...]:
        """Return the players that a search is for: by id, and by words of their names."""
        letters = letters_of(text)
        words = letters.split()
        return tuple(
            by_letter.player
            for by_letter in self._by_letters
            if by_letter.player.player_id.casefold().startswith(text.casefold())
            or each_begins(words, by_letter.words)
        )

    def _beginning_with(self, text: str) -> list[N]:
        """Return whose name begins with the text; else whose words begin with its words."""
        letters = letters_of(one_person(text))
        if not letters:
            return []
        begun = [
            by_letter.player
            for by_letter in self._by_letters
            if by_letter.letters.startswith(letters)
        ]
        words = letters.split()
        return begun or [
            by_letter.player for by_letter in self._by_letters if _begin(words, by_letter.words)
        ]

    def _near(self, text: str) -> list[N]:
        found: dict[object, N] = {}
        for name in (text, one_person(text)):
            for close in get_close_matches(folded(name), self._by_name, n=6, cutoff=CLOSE):
                found.update((player.pk, player) for player in self._by_name[close])
        return list(found.values())


NamedPlayers = NamedPeople[Player]
"""The players of a club."""


def named_players(club: Club) -> NamedPlayers:
    """Return the players of a club, to be found by what is typed.

    The number of a merged player finds who has the records now. Players who are not active are not
    offered; a whole name or a number finds them.
    """
    rows = {one.pk: one for one in Player.objects.filter(club=club).order_by("name", "player_id")}
    into = find_final_keys(club)
    people = [one for pk, one in rows.items() if pk not in into]
    found = NamedPlayers(one for one in people if one.is_active)
    found.add_not_offered(one for one in people if not one.is_active)
    found.add_numbers({rows[pk].player_id: rows[last] for pk, last in into.items()})
    return found


def _begin(words: Sequence[str], name: Sequence[str]) -> bool:
    """Whether the words begin words of the name, in the order of these.

    >>> _begin(["j", "smi"], ["john", "paul", "smith"]), _begin(["smi", "j"], ["john", "smith"])
    (True, False)
    """
    left = iter(name)
    return all(any(one.startswith(word) for one in left) for word in words)


def _of_several(
    text: str, named: Sequence[Player] | Sequence[NamedPerson], at: Path, but: Collection[object]
) -> Problem:
    ids = ", ".join(player.player_id for player in named[:MOST_CANDIDATES])
    facts: dict[str, int | str] = {"found": text, "ids": ids}
    return Problem("name_of_several", at, facts, _offered(named, but))


def _offered(
    players: Sequence[Player] | Sequence[NamedPerson], but: Collection[object]
) -> tuple[Suggestion, ...]:
    free = [player for player in players if player.pk not in but]
    labels = [label_of(player) for player in (free or players)[:MOST_CANDIDATES]]
    return tuple(Suggestion("closest", facts={"name": label}) for label in labels)
