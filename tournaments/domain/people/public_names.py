"""How much of a player's name the public reads, also in stored documents."""

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from tournaments.domain.csv_safety import escape_formula, unescape_formula
from tournaments.domain.etags import digest_of, publication_etag
from tournaments.domain.standings.standings_documents import compact, headed
from tournaments.models.clubs import Club, NamesPolicy, Player

TOGETHER: Final = " & "
"""Stands between the players' names of a pair or a team that has no name of its own."""


Renaming = Callable[[str, str], str]
"""A player's id and the name in a document → the name that is to stand there."""


@dataclass(frozen=True, slots=True)
class NewNames:
    """Names to put into a document: `names` by the player's id, `texts` for what was typed.

    Who is not in `names` keeps the name that is there; where `hides_others`, the id stands for it:
    nothing says how much of that name may be shown. `texts` has names that a document need not
    show in its rows and that sentences may hold. `entrants` names rows whose code is not the id of
    the player, and rows of pairs in documents that do not list their players.
    """

    names: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)
    entrants: Mapping[str, str] = field(default_factory=dict)
    hides_others: bool = False

    def of(self, player_id: str, stored: str) -> str:
        """Return the name of a player whose row says `stored`."""
        return self.names.get(player_id, player_id if self.hides_others else stored)

    def of_entrant(self, code: str, stored: str) -> str:
        """Return what an entrant is called whose row lists no players."""
        return self.entrants.get(code) or self.of(code, stored)


@dataclass(frozen=True, slots=True)
class RedactedPublication:
    """A publication with other names: its bytes with the digest and the ETag that these have.

    Where no name `is_changed`, all of it is as it was.
    """

    body: bytes
    csv: bytes
    digest: str
    etag: str
    is_changed: bool


def redact_publication(body: bytes, csv_bytes: bytes, new: NewNames) -> RedactedPublication:
    """Return a publication of standings, of a season or of a ladder with other names.

    The head keeps number, version and moment, gets the digest of the new bytes and says that the
    document is redacted.
    """
    document = json.loads(body)
    head = document.pop("publication")
    before = compact(document)
    _rename(document, new)
    after = compact(document)
    if after == before:
        etag = publication_etag(head["number"], head["digest"])
        return RedactedPublication(body, csv_bytes, head["digest"], etag, is_changed=False)
    digest = digest_of(after)
    return RedactedPublication(
        body=headed(after, head, redacted=True),
        csv=_csv(csv_bytes, document),
        digest=digest,
        etag=publication_etag(head["number"], digest),
        is_changed=True,
    )


def redact_document(body: bytes, csv_bytes: bytes, new: NewNames) -> tuple[bytes, bytes]:
    """Return a document that has no head yet, and its CSV, so renamed."""
    document = json.loads(body)
    _rename(document, new)
    return compact(document), _csv(csv_bytes, document)


def redact_table(body: bytes, new: NewNames) -> bytes:
    """Return a stored table without a head, as histories keep one for each round, so renamed.

    >>> table = b'{"rows":[{"player_id":"RL24","player":"Xenia S."}],"provisional_rows":[]}'
    >>> redact_table(table, NewNames({"RL24": "Player RL24"})).decode()
    '{"rows":[{"player_id":"RL24","player":"Player RL24"}],"provisional_rows":[]}'
    """
    document = json.loads(body)
    _rename(document, new)
    return compact(document)


def redact_text(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names where it has one of `names` as whole words.

    >>> redact_text("beat Ann B. (#4), not Joann B.", {"Ann B.": "RL24"})
    'beat RL24 (#4), not Joann B.'
    """
    wanted = sorted((name for name in names if name), key=len, reverse=True)
    if not wanted or not text:
        return text
    listed = "|".join(map(re.escape, wanted))
    return re.sub(rf"(?<!\w)(?:{listed})(?!\w)", lambda found: names[found[0]], text)


def _rename(document: dict[str, Any], new: NewNames) -> None:
    replaced: dict[str, set[str]] = defaultdict(set)
    named: list[dict[str, Any]] = []
    for row in _rows(document):
        members = row.get("members", ())
        before = shown_together(member["player"] for member in members)
        for who in members or (row,):
            stored = who["player"]
            rename = new.of if members else new.of_entrant
            who["player"] = rename(who["player_id"], stored)
            if stored != who["player_id"]:
                replaced[stored].add(who["player"])
        if members and row["player"] == before:
            row["player"] = shown_together(member["player"] for member in members)
        elif members:
            named.append(row)
    # Two people of one name are told apart in no sentence: it names both.
    texts = {name: " or ".join(sorted(others)) for name, others in replaced.items()}
    texts = {name: other for name, other in {**new.texts, **texts}.items() if name != other}
    for row in named:
        row["player"] = redact_text(row["player"], texts)
    for holder, key in _sentences(document):
        holder[key] = redact_text(holder[key], texts)


def shown_together(names: Iterable[str]) -> str:
    """Return what a pair or a team is called that has no name of its own.

    >>> shown_together(["Willem V.", "Elsa D."])
    'Elsa D. & Willem V.'
    """
    return TOGETHER.join(sorted(names))


def _rows(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for part in _PARTS:
        yield from document.get(part, ())


_PARTS: Final = ("rows", "provisional_rows", "ratings")


def _sentences(document: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    for row in _rows(document):
        if row.get("story"):
            yield row, "story"
        for line in row.get("ledger", ()):
            if line.get("reason"):
                yield line, "reason"


def _csv(stored: bytes, document: Mapping[str, Any]) -> bytes:
    rows = {row["player_id"]: row for row in _csv_rows(document)}
    lines = list(csv.reader(io.StringIO(stored.decode(), newline="")))
    heads = lines[0]
    for line in lines[1:]:
        row = rows.get(unescape_formula(line[heads.index("player_id")]))
        for key in _NAMED:
            if row is not None and key in heads:
                line[heads.index(key)] = escape_formula(str(row[key] or ""))
    return _csv_of(lines)


_NAMED: Final = ("player", "story")
"""Columns that hold names."""


def _csv_rows(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Rows that a CSV has: a ladder's list has no ratings."""
    for part in ("rows", "provisional_rows"):
        yield from document.get(part, ())


def _csv_of(lines: Iterable[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(lines)
    return text.getvalue().encode()


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
