"""Bring a list of players or pairs into a club and one of its events."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from scoring.errors import Problem
from tournaments.documents.read.people import alias_note
from tournaments.documents.read.people_files import PeopleReader
from tournaments.documents.read.people_list import ListedPair, PastedPlayer
from tournaments.domain.imports.import_report import Finding, Spot, finding
from tournaments.domain.name_matching import (
    NameIndex,
    comma_problem,
    folded,
    one_line,
    one_person,
)
from tournaments.domain.people.public_names import new_player
from tournaments.domain.people.who_is_meant import Judge, Judged, Verdict
from tournaments.errors import Conflict
from tournaments.models.access import VOUCHED, Contact
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event, EventKind
from tournaments.models.jobs import ladder_scope
from tournaments.selectors.clubs.find_players import (
    MOST_CANDIDATES,
    aliases_of,
    get_roll,
    label_of,
    require_not_merged,
)
from tournaments.services.clubs.names import group_codes, lock_names
from tournaments.services.clubs.personal_links import store_addresses
from tournaments.services.imports.uploads import counted, in_order, problem_lines
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.log import has_begun
from tournaments.services.operations import Operation, operation

OVER = frozenset({"closed", "final"})


@dataclass(slots=True)
class _Person:
    """A player of the club or of the list, with the day and the address that the list adds."""

    player: Player
    joined: date | None = None
    email: str = ""


@dataclass(slots=True)
class _Entry:
    entrant: Entrant
    players: list[Player] = field(default_factory=list)
    is_new: bool = False
    position: int | None = None

    @property
    def ids(self) -> set[str]:
        return {player.player_id for player in self.players}

    @property
    def words(self) -> str:
        is_alone = self.entrant.kind == EntrantKind.PLAYER
        if is_alone:
            return "alone"
        return f"as {self.entrant.kind} {self.entrant.code}"


@dataclass(kw_only=True)
class PlayerListImport:
    """The import of a list into a club, and into `event` if one is given; then its report.

    `accepted` of its `rows` are in the club; `added` players and `entered` entrants are new.
    Without `writing` it judges everything and writes nothing.
    """

    op: Operation
    club: Club
    event: Event | None
    file: str
    rows: int
    writing: bool
    accepted: int = 0
    added: int = 0
    entered: int = 0
    findings: list[Finding] = field(default_factory=list)
    _by_id: dict[str, PastedPlayer] = field(default_factory=dict)
    _rows_by_name: NameIndex[PastedPlayer] = field(default_factory=NameIndex)
    _people: dict[str, _Person] = field(default_factory=dict)
    _judge: Judge[Player] = field(default_factory=Judge)
    _erased: set[str] = field(default_factory=set)
    _entries: dict[str, _Entry] = field(default_factory=dict)
    _entry_of: dict[str, _Entry] = field(default_factory=dict)
    _by_position: dict[int, _Entry] = field(default_factory=dict)
    _addressed: set[int] = field(default_factory=set)
    _groups: dict[str, str] = field(default_factory=dict)
    _has_begun: bool = False
    _number: int = 0

    def take(self, rows: Sequence[PastedPlayer | ListedPair]) -> None:
        if self.event is not None:
            self.op.require("manage_event", self.club)
            if self.event.state in OVER:
                raise Conflict(Problem("event_not_open", facts={"state": self.event.state}))
        if self.writing:
            self.club = lock_names(self.club)
        self._load()
        for row in rows:
            self.accepted += self._pair(*row) if isinstance(row, tuple) else self._player(row)
        if any(person.email for person in self._people.values()):
            self.op.require("manage_contacts", self.club)
        if self.writing:
            self._store()

    def _load(self) -> None:
        roll = get_roll(self.club)
        for player in roll.players:
            self._index(player)
        for player, final in roll.merged.items():
            code = player.player_id.casefold()
            self._people.setdefault(code, self._people[final.player_id.casefold()])
            self._judge.add(final, key=final.pk, player_id=player.player_id, name=player.name)
        for alias in aliases_of(self.club):
            self._judge.add_alias(alias)
        for player in roll.erased:
            code = player.player_id.casefold()
            if code not in self._people:
                self._people[code] = _Person(player)
                self._erased.add(code)
        contacts = Contact.objects.filter(VOUCHED, club=self.club).exclude(email="")
        self._addressed = {*contacts.values_list("player_id", flat=True)}
        self._groups = group_codes(self.club)
        if self.event is None:
            return
        self._has_begun = self.event.kind == EventKind.LADDER and has_begun(self.event)
        for entrant in Entrant.objects.filter(event=self.event):
            self._entries[entrant.code] = _Entry(entrant, position=entrant.start_position)
        members = EntrantMember.objects.filter(event=self.event)
        for code, player_id in members.values_list("entrant__code", "player__player_id"):
            self._join(self._entries[code], self._people[player_id.casefold()].player)
        self._by_position = {
            entry.position: entry for entry in self._entries.values() if entry.position is not None
        }

    def _index(self, player: Player) -> None:
        self._people[player.player_id.casefold()] = _Person(player)
        self._judge.add(
            player,
            key=player.pk or player.player_id,
            player_id=player.player_id,
            name=player.name,
            nickname=player.nickname,
            is_offered=player.pk is not None,
        )

    def _join(self, entry: _Entry, player: Player) -> None:
        entry.players.append(player)
        self._entry_of[player.player_id] = entry

    # --- the report ------------------------------------------------------------------------

    @property
    def problems(self) -> tuple[Finding, ...]:
        return in_order(self.findings)

    @property
    def waiting(self) -> int:
        return sum(problem.waits for problem in self.findings)

    def as_json(self) -> dict[str, object]:
        return {
            "file": self.file,
            "dry_run": not self.writing,
            "rows": self.rows,
            "accepted": self.accepted,
            "added": self.added,
            "entered": self.entered,
            "problems": [problem.as_json() for problem in self.problems],
        }

    def lines(self) -> Iterator[str]:
        yield from problem_lines(self.problems)
        would = "are" if self.writing else "would be"
        words = [
            f"{self.file}: {counted(self.rows, 'row')}, {self.accepted} of them {would} in the "
            f"club.",
            f"{counted(self.added, 'player')} and {counted(self.entered, 'entrant')} {would} new.",
        ]
        if not self.writing:
            words.append("Nothing was written: this was a dry run.")
        yield " ".join(words)

    # --- judging ---------------------------------------------------------------------------

    def _add_finding(self, code: str, row: PastedPlayer, **facts: str | None) -> None:
        self.findings.append(finding(code, Spot((row.line,)), **facts))

    def _player(self, row: PastedPlayer) -> bool:
        before = self._row_before(row)
        if before is not None:
            self._add_repeated(row, before)
            return False
        player = self._find_player(row)
        if player is None or not self._may_enter(row, player):
            return False
        self._add(player, row)
        if self.event is not None:
            self._enter(row, player)
        return True

    def _row_before(self, row: PastedPlayer) -> PastedPlayer | None:
        """Return an earlier row of the same person; without one this row is noted."""
        if row.player_id:
            before = self._by_id.setdefault(row.player_id.casefold(), row)
            return before if before is not row else None
        if rows := self._rows_by_name.get(row.name):
            return rows[0]
        self._rows_by_name.add(row.name, row)
        return None

    def _add_repeated(self, row: PastedPlayer, before: PastedPlayer) -> None:
        if row.player_id and _words(row) == _words(before):
            self._add_finding("duplicate_row", row)
            return
        text = row.player_id or f'"{row.name}"'
        hint = None if row.player_id else "write an id for each of them"
        self._add_finding("repeated_player", row, found=text, suggestion=hint)

    def _find_player(self, row: PastedPlayer) -> Player | None:
        person = self._people.get(row.player_id.casefold()) if row.player_id else None
        player = person.player if person is not None else None
        if row.player_id.casefold() in self._erased:
            self._add_finding("unknown_player", row, found=row.player_id)
            return None
        if player is None and not row.name:
            self._add_finding("no_name", row)
            return None
        if player is None and not row.player_id:
            judged = self._judge.judge(row.name)
            player = judged.member
            if player is None and judged.people:
                self._ask_who(row, judged)
                return None
            if player is not None and judged.alias is not None:
                label = label_of(player)
                spot = Spot((row.line,))
                self.findings.append(alias_note(row.name, label, judged.alias, spot))
        if player is None and comma_problem(row.name, ()):
            name = one_person(row.name)
            self._add_finding("one_or_several_people", row, found=row.name, expected=name)
            return None
        if player is None:
            return self._new(row)
        return player if self._agrees(row, player) else None

    def _ask_who(self, row: PastedPlayer, judged: Judged[Player]) -> None:
        if judged.is_whole:
            ids = " and ".join(sorted(player.player_id for player in judged.people))
            self._add_finding("ambiguous_name", row, found=row.name, expected=ids)
            return
        labels = [label_of(player) for player in judged.people[:MOST_CANDIDATES]]
        self._add_finding("likely_name", row, found=row.name, expected=" or ".join(labels))

    def _new(self, row: PastedPlayer) -> Player:
        code = row.player_id or self._next_id()
        name = one_line(row.name)
        return new_player(club=self.club, player_id=code, name=name, joined=row.joined)

    def _next_id(self) -> str:
        while True:
            self._number += 1
            code = f"P{self._number:04d}"
            is_taken = code.casefold() in self._people or code.casefold() in self._by_id
            if not is_taken and code not in self._groups:
                return code

    def _agrees(self, row: PastedPlayer, player: Player) -> bool:
        member = f"{player.name} ({player.player_id})"
        judged = self._judge.judge(row.name, row.player_id)
        if row.player_id and judged.verdict == Verdict.OTHER_NAME:
            self._add_finding("id_name_disagree", row, found=row.name, expected=member)
            return False
        if row.joined and player.joined and row.joined != player.joined:
            days = row.joined.isoformat(), player.joined.isoformat()
            self._add_finding("joined_disagrees", row, found=days[0], expected=days[1])
            return False
        return True

    def _may_enter(self, row: PastedPlayer, player: Player) -> bool:
        if self.event is None:
            return True
        code = player.player_id
        entry = self._entry_of.get(code)
        if entry is None and code in self._entries:
            names = " and ".join(sorted(self._entries[code].ids))
            self._add_finding("pair_exists", row, found=code, expected=names)
            return False
        if entry is not None and entry.entrant.kind != EntrantKind.PLAYER:
            self._add_finding("already_entered", row, found=player.name, expected=entry.words)
            return False
        return self._has_place(row, entry)

    def _has_place(self, row: PastedPlayer, entry: _Entry | None) -> bool:
        position = row.start_position
        if position is None:
            return True
        holder = self._by_position.get(position)
        if holder is not None and holder is not entry:
            self._add_finding(
                "position_taken", row, found=str(position), expected=holder.entrant.code
            )
            return False
        if entry is not None and entry.position not in {None, position}:
            self._add_finding(
                "position_disagrees", row, found=str(position), expected=str(entry.position)
            )
            return False
        if self._has_begun and (entry is None or entry.position is None):
            self._add_finding("ladder_begun", row, found=str(position))
            return False
        return True

    def _add(self, player: Player, row: PastedPlayer) -> None:
        key = player.player_id.casefold()
        if player._state.adding and key not in self._people:
            self._index(player)
            self.added += 1
        person = self._people[key]
        if row.joined and player.joined is None:
            person.joined = row.joined
        if row.email and player.pk in self._addressed:
            self._add_finding("address_kept", row)
        elif row.email:
            person.email = row.email

    def _enter(self, row: PastedPlayer, player: Player) -> None:
        code = player.player_id
        entry = self._entry_of.get(code)
        if entry is None:
            entry = self._new_entry(code, EntrantKind.PLAYER)
            entry.entrant.guest = row.guest and self._has_guests(row)
            self._join(entry, player)
        if row.start_position is not None:
            entry.position = row.start_position
            self._by_position[row.start_position] = entry

    def _has_guests(self, row: PastedPlayer) -> bool:
        is_league = self.event is not None and self.event.kind == EventKind.LEAGUE
        if not is_league:
            self._add_finding("guest_without_league", row, found=row.name or row.player_id)
        return is_league

    def _new_entry(self, code: str, kind: EntrantKind) -> _Entry:
        entrant = Entrant(club=self.club, event=self.event, code=code, kind=kind)
        entry = self._entries[code] = _Entry(entrant, is_new=True)
        self.entered += 1
        return entry

    def _pair(self, code: str, row: PastedPlayer, partner: PastedPlayer) -> bool:
        first, second = self._find_player(row), self._find_player(partner)
        if first is None or second is None:
            return False
        if first.player_id.casefold() == second.player_id.casefold():
            self._add_finding("same_player_twice", row, found=first.name)
            return False
        entry = self._entries.get(code)
        if entry is not None:
            ids = {first.player_id, second.player_id}
            if entry.entrant.kind == EntrantKind.PAIR and entry.ids == ids:
                if entry.is_new:
                    self._add_finding("duplicate_row", row)
                return not entry.is_new
            names = " and ".join(sorted(entry.ids))
            self._add_finding("pair_exists", row, found=code, expected=names)
            return False
        for player in (first, second):
            entry = self._entry_of.get(player.player_id)
            if entry is not None:
                name = player.name
                self._add_finding("already_entered", row, found=name, expected=entry.words)
                return False
        entry = self._new_entry(code, EntrantKind.PAIR)
        for player, listed in ((first, row), (second, partner)):
            self._add(player, listed)
            self._join(entry, player)
        return True

    # --- storing ---------------------------------------------------------------------------

    def _store(self) -> None:
        # The number of a merged player leads to the same person as that of the other record.
        people = list({id(person): person for person in self._people.values()}.values())
        new_players = [person.player for person in people if person.player._state.adding]
        Player.objects.bulk_create(new_players, batch_size=500)
        dated = [person for person in people if person.joined]
        for person in dated:
            person.player.joined = person.joined
            person.player.save(update_fields=["joined"])
        addresses = {person.player: person.email for person in people if person.email}
        addressed = store_addresses(self.op, self.club, addresses) if addresses else []
        is_changed = bool(self._store_entrants() or self.entered)
        if self.event is not None and self.event.kind == EventKind.LADDER and is_changed:
            mark_due(ladder_scope(self.event.pk), now=self.op.now)
        if new_players or dated or is_changed or addressed:
            subject = (self.event or self.club).audit_subject
            facts: dict[str, object] = {"players": len(new_players), "entrants": self.entered}
            facts |= {"addresses": addressed} if addressed else {}
            self.op.audit(self.club, facts, name="add_players", subject=subject)

    def _store_entrants(self) -> int:
        """Store entrants and the places they start from; return how many old ones got a place."""
        entries = list(self._entries.values())
        repositioned = [
            entry
            for entry in entries
            if not entry.is_new and entry.position != entry.entrant.start_position
        ]
        for entry in entries:
            entry.entrant.start_position = entry.position
        new_entries = [entry for entry in entries if entry.is_new]
        Entrant.objects.bulk_create([entry.entrant for entry in new_entries], batch_size=500)
        EntrantMember.objects.bulk_create(
            [
                EntrantMember(
                    club=self.club, event=self.event, entrant=entry.entrant, player=player
                )
                for entry in new_entries
                for player in entry.players
            ],
            batch_size=500,
        )
        require_not_merged([player.pk for entry in new_entries for player in entry.players])
        Entrant.objects.bulk_update(
            [entry.entrant for entry in repositioned], ["start_position"], batch_size=500
        )
        return len(repositioned)


@operation("edit_players", refuses=("event_not_open",))
def take_list(
    op: Operation,
    club: Club,
    /,
    *,
    listing: PlayerListImport,
    rows: Sequence[PastedPlayer | ListedPair],
) -> None:
    """Bring the rows of a list into a club, and into the event of the list."""
    listing.take(rows)


def _words(row: PastedPlayer) -> tuple[object, ...]:
    name = folded(row.name)
    return (row.player_id.casefold(), name, row.joined, row.start_position, row.guest)


def import_players(
    op: Operation,
    club: Club,
    event: Event | None,
    *,
    path: Path,
    name: str,
    dry_run: bool,
    has_consent: bool = False,
) -> PlayerListImport:
    """Import a file of players or pairs into `club`, and into `event` if one is given.

    Args:
        has_consent: these people agreed to get mails at the addresses in the file; without it no
            address is stored.
    """
    reader = PeopleReader(has_event=event is not None, has_consent=has_consent)
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        n_rows, rows = reader.file(path, Path(folder))
    listing = PlayerListImport(
        op=op,
        club=club,
        event=event,
        file=name,
        rows=n_rows,
        findings=reader.findings,
        writing=not dry_run,
    )
    take_list(op, club, listing=listing, rows=rows)
    return listing
