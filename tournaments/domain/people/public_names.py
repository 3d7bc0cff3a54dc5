"""How much of a player's name the public reads, also in stored documents."""

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.csv_safety import escape_formula, unescape_formula
from tournaments.domain.etags import digest_of, publication_etag
from tournaments.domain.name_matching import sort_key
from tournaments.domain.standings.standings_documents import compact, headed
from tournaments.models.clubs import Club, NamesPolicy, Player

TOGETHER: Final = " & "
"""Stands between the players' names of a pair or a team that has no name of its own."""


@dataclass(frozen=True, slots=True)
class NewNames:
    """Names to put into a document: `names` by the player's id, `texts` for what was typed.

    Other players keep the name in the document; with `hides_others` the id replaces it, as it is
    unknown how much of that name may be shown. `texts` has names that a document need not
    show in its rows and that sentences may hold. `entrants` names rows whose code is not the id of
    the player, and rows of pairs in documents that do not list their players.
    """

    names: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)
    entrants: Mapping[str, str] = field(default_factory=dict)
    hides_others: bool = False

    def of(self, player_id: str, stored: str) -> str:
        return self.names.get(player_id, player_id if self.hides_others else stored)

    def of_entrant(self, code: str, stored: str) -> str:
        return self.entrants.get(code) or self.of(code, stored)


def redact_publication(body: bytes, csv_bytes: bytes, new: NewNames) -> dict[str, Any] | None:
    """Return the columns of a publication with other names; None if no name changes.

    It is one of standings, of a season or of a ladder. The head keeps number, version and moment,
    gets the digest of the new bytes and says that the document is redacted.
    """
    document = json.loads(body)
    head = document.pop("publication")
    before = compact(document)
    _rename(document, new)
    after = compact(document)
    if after == before:
        return None
    digest = digest_of(after)
    return {
        "body": headed(after, head, redacted=True),
        "csv": _csv(csv_bytes, document),
        "digest": digest,
        "etag": publication_etag(head["number"], digest),
    }


def redact_document(body: bytes, csv_bytes: bytes, new: NewNames) -> tuple[bytes, bytes]:
    """Return a document that has no head yet, and its CSV, so renamed."""
    document = _renamed(body, new)
    return compact(document), _csv(csv_bytes, document)


def redact_table(body: bytes, new: NewNames) -> bytes:
    """Return a stored table without a head, as histories keep one for each round, so renamed.

    >>> table = b'{"rows":[{"player_id":"RL24","player":"Xenia S."}],"provisional_rows":[]}'
    >>> redact_table(table, NewNames({"RL24": "Player RL24"})).decode()
    '{"rows":[{"player_id":"RL24","player":"Player RL24"}],"provisional_rows":[]}'
    """
    return compact(_renamed(body, new))


def _renamed(body: bytes, new: NewNames) -> JsonDict:
    document: JsonDict = json.loads(body)
    _rename(document, new)
    return document


def redact_text(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names where it has one of `names` as whole words.

    >>> redact_text("beat Ann B. (#4), not Joann B.", {"Ann B.": "RL24"})
    'beat RL24 (#4), not Joann B.'
    """
    longest_first = sorted(filter(None, names), key=len, reverse=True)
    if not longest_first or not text:
        return text
    any_name = "|".join(map(re.escape, longest_first))
    return re.sub(rf"(?<!\w)(?:{any_name})(?!\w)", lambda match: names[match[0]], text)


def _rename(document: JsonDict, new: NewNames) -> None:
    replaced: dict[str, set[str]] = defaultdict(set)
    typed_names: list[tuple[JsonDict, str]] = []
    for row in _rows(document):
        members = row.get("members", ())
        before = entrant_name_of("", (member["player"] for member in members))
        for member in members or (row,):
            stored, player_id = member["player"], member["player_id"]
            rename = new.of if members else new.of_entrant
            member["player"] = rename(player_id, stored)
            if stored != player_id:
                replaced[stored].add(member["player"])
        if members and row["player"] == before:
            row["player"] = entrant_name_of("", (member["player"] for member in members))
        elif members:
            typed_names.append((row, "player"))
    # Two people of one name are told apart in no sentence: it names both.
    texts = {**new.texts, **{name: " or ".join(sorted(ids)) for name, ids in replaced.items()}}
    texts = {name: other for name, other in texts.items() if name != other}
    for holder, key in (*typed_names, *_sentences(document)):
        holder[key] = redact_text(holder[key], texts)


def entrant_name_of(own_name: str, names: Iterable[str]) -> str:
    """Return the name of an entrant: its own, or those of its players put together.

    >>> entrant_name_of("", ["Willem V.", "Elsa D."]), entrant_name_of("Night owls", ["Elsa D."])
    ('Elsa D. & Willem V.', 'Night owls')
    """
    return own_name or TOGETHER.join(sorted(names))


def _rows(
    document: JsonObject, parts: tuple[str, ...] = ("rows", "provisional_rows", "ratings")
) -> Iterator[JsonDict]:
    return (row for part in parts for row in document.get(part, ()))


def _sentences(document: JsonObject) -> Iterator[tuple[JsonDict, str]]:
    for row in _rows(document):
        if row.get("story"):
            yield row, "story"
        for line in row.get("ledger", ()):
            if line.get("reason"):
                yield line, "reason"


def _csv(stored: bytes, document: JsonObject) -> bytes:
    # The CSV of a ladder has no ratings.
    rows = {row["player_id"]: row for row in _rows(document, ("rows", "provisional_rows"))}
    lines = list(csv.reader(io.StringIO(stored.decode(), newline="")))
    heads = lines[0]
    for line in lines[1:]:
        row = rows.get(unescape_formula(line[heads.index("player_id")]))
        for key in ("player", "story"):
            if row is not None and key in heads:
                line[heads.index(key)] = escape_formula(str(row[key] or ""))
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
    """Return the public name of a player; never empty.

    Without a nickname the policy `nickname` shows the number: a name would show more than was
    allowed. `initial` keeps the first word and the first letter of the last one.

    >>> xenia = {"name": "Xenia van der Berg", "nickname": "Zed", "player_id": "RL24"}
    >>> [public_name(**xenia, policy=policy) for policy in STRICTNESS]
    ['Xenia van der Berg', 'Xenia B.', 'Zed', 'RL24']
    >>> public_name(name="Xenia S.", nickname="", player_id="RL24", policy="nickname")
    'RL24'
    """
    words = name.split()
    shown_name = {
        NamesPolicy.FULL: name,
        NamesPolicy.INITIAL: f"{words[0]} {words[-1][0]}." if len(words) > 1 else name,
        NamesPolicy.NICKNAME: nickname,
    }.get(NamesPolicy(stricter(policy, choice)))
    return shown_name or player_id


def public_name_of(player: Player, club: Club) -> str:
    """Return the public name of a row of `club` under its current policy.

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


def public_entrant_name(name: str, players: Iterable[tuple[str, str]]) -> str:
    """Return the public name of an entrant: its own name, or its players' names joined.

    In the entrant's own name, public names of players replace full ones.

    Args:
        players: the full and the public name of each.

    >>> public_entrant_name("Ann B. and friends", [("Ann B.", "RL24"), ("Bo C.", "Bo C.")])
    'RL24 and friends'
    >>> public_entrant_name("", [("Zoe", "Zoe"), ("Ann B.", "RL24")])
    'RL24 & Zoe'
    """
    names = list(players)
    hidden = {full: public for full, public in names if full != public}
    return entrant_name_of(redact_text(name, hidden), (public for _full, public in names))


def erased_name(player_id: str) -> str:
    """Return the text that replaces the name of an erased person.

    >>> erased_name("RL24")
    'Player RL24'
    """
    return f"Player {player_id}"


def new_player(*, club: Club, player_id: str, name: str, joined: date | None = None) -> Player:
    """Return an unsaved row of `club` with the name that the public reads of it."""
    player = Player(club=club, player_id=player_id, name=name, joined=joined)
    player.public_name, player.sort_key = public_name_of(player, club), sort_key(name)
    return player
