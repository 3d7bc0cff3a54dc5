"""Match the ids and names of a row with players of the club and pairs of the event."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from django.utils.formats import date_format

from tournaments.documents.read.cells import ParsedCell, plain
from tournaments.domain.imports.import_report import Finding, Offer, Spot, finding
from tournaments.domain.name_matching import (
    FOLDERS,
    NAMES_COMPARED,
    as_written,
    without_hidden,
)
from tournaments.domain.people.who_is_meant import Alias, Judge, Verdict

LONGEST_NAME: Final = 120
LONGEST_ID: Final = 40
ALIKE: Final = 0.84
"""Names closer than this are suggested: one letter in six may differ."""

MOST_COMPARED: Final = 500_000
"""Names of members that all unknown people of a file are compared with, one by one."""

MOST_CANDIDATES: Final = 8
"""Members that one problem suggests."""

NO_SPOT: Final = Spot(())


@dataclass(frozen=True, slots=True)
class ClubPlayer:
    """A member; of a merged one, who has the records now is listed first with the same key."""

    key: int
    player_id: str
    name: str
    nickname: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.player_id})"


@dataclass(frozen=True, slots=True)
class RowPerson:
    """The person of a row. `code` is the problem with it, if there is one.

    `is_likely`: the name is short for that of the only candidate. `alias` is the other name by
    which the member is known. `is_compared`: somebody unknown is compared with all members.
    """

    member: ClubPlayer | None
    found: str
    code: str = ""
    expected: str = ""
    suggestion: str | None = None
    candidates: tuple[ClubPlayer, ...] = ()
    notes: tuple[str, ...] = ()
    length: int = 0
    is_likely: bool = False
    is_compared: bool = True
    alias: Alias | None = None

    @property
    def name(self) -> str:
        if self.member:
            return str(self.member)
        return f'"{self.found}"'


class People:
    """The club's members, and the people of rows read so far.

    With `welcome` a row with an unknown id adds a new member of that id and name. `used_aliases`
    are those by which rows named their members, by the name as written.
    """

    def __init__(
        self,
        members: Iterable[ClubPlayer],
        *,
        aliases: Iterable[Alias] = (),
        welcome: bool = False,
    ) -> None:
        self.welcome = welcome
        self.new: list[ClubPlayer] = []
        self.used_aliases: dict[str, tuple[Alias, ClubPlayer]] = {}
        self._judge: Judge[ClubPlayer] = Judge()
        self._by_key: dict[int, ClubPlayer] = {}
        self._people: dict[tuple[str, str], RowPerson] = {}
        self.n_unknown = 0
        self._n_compared = 0
        self._n_names_compared = 0
        for member in members:
            self._add(member)
        for alias in aliases:
            self._judge.add_alias(alias)

    def called(self, label: str) -> ClubPlayer | None:
        """Return the only member with this id, name, nickname or alias."""
        member = self._judge.with_id(as_written(label))
        return member if member is not None else self._judge.whole(label).member

    def is_doubtful(self, label: str, player_id: str) -> bool:
        """Whether the head of a column may be somebody else's by now than its mapping says."""
        return self._judge.is_doubtful(label, player_id)

    def is_called(self, label: str) -> bool:
        """Whether a text is the id, the whole name or the nickname of a member; no alias."""
        return self.has_id(as_written(label)) or bool(self._judge.called(label))

    def has_id(self, text: str) -> bool:
        return self._judge.with_id(text) is not None

    def name_of(self, key: int) -> str:
        return str(self._by_key[key])

    def _add(self, member: ClubPlayer) -> None:
        person = self._by_key.setdefault(member.key, member)
        self._judge.add(
            person,
            key=member.key,
            player_id=member.player_id,
            name=member.name,
            nickname=member.nickname,
        )

    def number(self, keys: Mapping[str, int]) -> None:
        """Set the keys of the new members after they were stored, by player id."""
        for member in self.new:
            stored = replace(member, key=keys[member.player_id])
            self._by_key[stored.key] = stored
            self._judge.replace(member.key, stored.key, stored, player_id=member.player_id)
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
        is_usable = len(code) <= LONGEST_ID and code not in FOLDERS
        if self.welcome and is_usable and not self.has_id(code):
            member = ClubPlayer(-1 - len(self.new), code, words or code)
            self.new.append(member)
            self._add(member)
        judged = self._judge.judge(words, code)
        if judged.member is not None:
            return RowPerson(judged.member, words or code)
        if judged.verdict == Verdict.OTHER_NAME:
            namesakes = self._judge.called(words)
            hint = f"{words} is {namesakes[0].player_id}" if len(namesakes) == 1 else None
            either = (*judged.people, *namesakes)
            return RowPerson(None, words, "id_name_disagree", str(either[0]), hint, either)
        return self._unknown(f"{words} ({code})" if words else code, self._closest(words))

    def _by_words(self, words: str) -> RowPerson:
        judged = self._judge.judge(words)
        member = judged.member
        if member is not None:
            alias = judged.alias
            if alias is not None and alias.is_noted:
                self.used_aliases[words] = alias, member
            is_turned = "," in words and "," not in member.name
            notes = ("name_order",) if is_turned and alias is None else ()
            return RowPerson(member, words, notes=notes, alias=alias)
        if judged.verdict == Verdict.UNKNOWN:
            return self._unknown(words, self._closest(words))
        either = tuple(sorted(judged.people, key=lambda member: member.player_id))
        if self._judge.called(words):
            ids = " and ".join(member.player_id for member in either)
            return RowPerson(None, words, "ambiguous_name", ids, None, either)
        person = self._unknown(words, either[:MOST_CANDIDATES])
        return replace(person, is_likely=judged.likely is not None)

    def _unknown(self, text: str, candidates: tuple[ClubPlayer, ...] | None) -> RowPerson:
        hint = " or ".join(map(str, candidates or ())) or None
        person = RowPerson(None, text, "unknown_player", "", hint, candidates or ())
        return replace(person, is_compared=candidates is not None)

    def _closest(self, words: str) -> tuple[ClubPlayer, ...] | None:
        """Return the one member whose name is nearly the same, Nadia D. for `Nadiia D.`

        None if it is not known whether somebody is called so.

        Further people of a file are not compared after `MOST_COMPARED` comparisons.
        """
        self.n_unknown += 1
        n_names = min(len(self._by_key), NAMES_COMPARED)
        if self._n_compared + n_names > MOST_COMPARED:
            return None
        self._n_compared += n_names
        self._n_names_compared += 1
        members = self._judge.near(words, ALIKE, most=1)
        return members if len(members) == 1 else ()

    def notes(self) -> Iterator[Finding]:
        """Yield what the report says about the people of a file as a whole."""
        if self.n_unknown > self._n_names_compared:
            found, expected = str(self.n_unknown), str(self._n_names_compared)
            yield finding("few_names_suggested", Spot(()), found=found, expected=expected)
        for words, (alias, member) in self.used_aliases.items():
            yield alias_note(words, str(member), alias)


def alias_note(words: str, member: str, alias: Alias, spot: Spot = NO_SPOT) -> Finding:
    """Return the line of a report that a name is read as that of a member, and since when."""
    day = date_format(alias.day, "j M Y")
    return finding("known_by_alias", spot, found=words, expected=member, day=day)


def offers_of(person: RowPerson, seated: Collection[str] = ()) -> list[Offer]:
    """Return who a row may mean, but for those `seated` beside it; a likely one says so."""
    offers: list[Offer] = []
    for member in person.candidates:
        if member.player_id not in seated:
            offer = {"text": str(member), "player": member.player_id}
            offers.append({**offer, "is_likely": True} if person.is_likely else offer)
    if not person.is_compared:
        offers.append({"is_unsure": True})
    return offers


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
