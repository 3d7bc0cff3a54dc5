"""Match the ids and names of a row with players of the club and pairs of the event."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tournaments.documents.read.cells import ParsedCell, plain
from tournaments.domain.name_matching import (
    FOLDERS,
    MOST_SUGGESTED,
    NameIndex,
    as_written,
    is_same_name,
    without_hidden,
)

LONGEST_NAME: Final = 120
LONGEST_ID: Final = 40
ALIKE: Final = 0.84
"""Names closer than this are suggested: one letter in six may differ."""


@dataclass(frozen=True, slots=True)
class ClubPlayer:
    key: int
    player_id: str
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({self.player_id})"


@dataclass(frozen=True, slots=True)
class RowPerson:
    """The person of a row. `code` is the problem with it, if there is one."""

    member: ClubPlayer | None
    found: str
    code: str = ""
    expected: str = ""
    suggestion: str | None = None
    candidates: tuple[ClubPlayer, ...] = ()
    notes: tuple[str, ...] = ()
    length: int = 0

    @property
    def name(self) -> str:
        if self.member:
            return str(self.member)
        return f'"{self.found}"'


class People:
    """The club's members, and the people of rows read so far.

    With `welcome` a row with an unknown id adds a new member of that id and name.
    """

    def __init__(self, members: Iterable[ClubPlayer], *, welcome: bool = False) -> None:
        self.welcome = welcome
        self.new: list[ClubPlayer] = []
        self._by_id: dict[str, ClubPlayer] = {}
        self._ids: NameIndex[str] = NameIndex()
        self._by_key: dict[int, ClubPlayer] = {}
        self._people: dict[tuple[str, str], RowPerson] = {}
        self.n_unknown = 0
        for member in members:
            self._add(member)

    def called(self, label: str) -> ClubPlayer | None:
        """Return the only member with this name or id."""
        member = self._by_id.get(as_written(label))
        members = (member,) if member is not None else self._of(self._ids.get(label))
        if len(members) != 1:
            return None
        return members[0]

    def has_id(self, text: str) -> bool:
        return text.casefold() in self._by_id

    def name_of(self, key: int) -> str:
        return str(self._by_key[key])

    def _add(self, member: ClubPlayer) -> None:
        self._by_key[member.key] = member
        self._by_id[code := member.player_id.casefold()] = member
        self._ids.add(member.name, code)

    def number(self, keys: Mapping[str, int]) -> None:
        """Set the keys of the new members after they were stored, by player id."""
        for member in self.new:
            stored = ClubPlayer(keys[member.player_id], member.player_id, member.name)
            self._by_id[member.player_id.casefold()] = self._by_key[stored.key] = stored
        self.new = []
        self._people.clear()

    def person(self, raw_id: str, raw_name: str) -> RowPerson:
        person = self._people.get((raw_id, raw_name))
        if person is None:
            if len(self._people) > 200_000:
                self._people.clear()
            person = self._people[raw_id, raw_name] = self._read(plain(raw_id), plain(raw_name))
        return person

    def _read(self, code: ParsedCell[str], name: ParsedCell[str]) -> RowPerson:
        notes = {*code.notes, *name.notes}
        text = without_hidden(name.text)
        words = text[:LONGEST_NAME]
        if words != text:
            notes.add("name_cut")
        if code.text:
            person = self._by_code(code.text, words)
        elif words:
            person = self._by_words(words)
        else:
            person = RowPerson(None, "", "no_player")
        return replace(person, notes=(*sorted(notes), *person.notes), length=len(text))

    def _by_code(self, code: str, words: str) -> RowPerson:
        member = self._by_id.get(code.casefold())
        is_usable = len(code) <= LONGEST_ID and code not in FOLDERS
        if member is None and self.welcome and is_usable:
            member = ClubPlayer(-1 - len(self.new), code, words or code)
            self.new.append(member)
            self._add(member)
        if member is None:
            return self._unknown(f"{words} ({code})" if words else code, words)
        if words and not is_same_name(words, member.name[:LONGEST_NAME]):
            namesakes = self._of(self._ids.get(words))
            hint = f"{words} is {namesakes[0].player_id}" if len(namesakes) == 1 else None
            either = (member, *namesakes)
            return RowPerson(None, words, "id_name_disagree", str(member), hint, either)
        return RowPerson(member, words or code)

    def _by_words(self, words: str) -> RowPerson:
        members = self._of(self._ids.get(words))
        if len(members) == 1:
            is_turned = "," in words and "," not in members[0].name
            return RowPerson(members[0], words, notes=("name_order",) if is_turned else ())
        if members:
            either = tuple(sorted(members, key=lambda member: member.player_id))
            ids = " and ".join(member.player_id for member in either)
            return RowPerson(None, words, "ambiguous_name", ids, None, either)
        return self._unknown(words, words)

    def _unknown(self, text: str, words: str) -> RowPerson:
        close = self._closest(words)
        hint = str(close[0]) if close else None
        return RowPerson(None, text, "unknown_player", "", hint, close)

    def _closest(self, words: str) -> tuple[ClubPlayer, ...]:
        """Return the one member whose name is nearly the same, Nadia D. for `Nadiia D.`.

        Only the first `MOST_SUGGESTED` unknown people of a file are compared.
        """
        self.n_unknown += 1
        if self.n_unknown > MOST_SUGGESTED:
            return ()
        members = self._of(self._ids.near(words, ALIKE, most=1))
        return members if len(members) == 1 else ()

    def _of(self, ids: Iterable[str]) -> tuple[ClubPlayer, ...]:
        """Return the members, each once: a merged player means the one they were merged into."""
        return tuple({member.key: member for member in map(self._by_id.__getitem__, ids)}.values())


SIDES: Final = 2
"""Number of sides at a table of pairs; the first one sits North and South."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A fixed pair of the event: its entrant's key and id, and its players' keys.

    The first player sits North or East.
    """

    key: int
    pair_id: str
    name: str
    players: tuple[int, ...]


class Pairs:
    """The pairs of an event; a pair is compared like a member of that id and name."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._by_id = {pair.pair_id.casefold(): pair for pair in pairs}
        self._by_player = {player: pair for pair in self._by_id.values() for player in pair.players}
        self._people: dict[str, RowPerson] = {}

    def person(self, raw: str) -> RowPerson:
        """Return the pair that a cell names, as a member."""
        if raw not in self._people:
            self._people[raw] = self._read(raw)
        return self._people[raw]

    def _read(self, raw: str) -> RowPerson:
        cell = plain(raw)
        pair = self._by_id.get(cell.text.casefold())
        if pair is not None:
            member = ClubPlayer(pair.key, pair.pair_id, pair.name)
            return RowPerson(member, cell.text, notes=cell.notes)
        code = "unknown_pair" if cell.text else "no_player"
        return RowPerson(None, cell.text, code, "a pair of the event", notes=cell.notes)

    def players(self, member: ClubPlayer | None) -> tuple[int, ...]:
        """Return the keys of a pair's players; none if the pair is not known."""
        pair = self._by_id.get(member.player_id.casefold()) if member is not None else None
        return pair.players if pair is not None else ()

    def has(self, raw: str, player: int) -> bool:
        code = plain(raw).text
        pair = self._by_player.get(player)
        return not code or (pair is not None and pair.pair_id.casefold() == code.casefold())

    def of(self, player: int) -> str:
        """Return the id of a player's pair, empty if there is none."""
        pair = self._by_player.get(player)
        return pair.pair_id if pair is not None else ""
