"""References in columns that hold several kinds of them: a kind, a colon and a key (`person:3`)."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NamedTuple
from uuid import UUID

INVITATION_KIND: Final = "invitation"
PERSON_KIND: Final = "person"
COMMAND_KIND: Final = "command"


class Reference(NamedTuple):
    """A reference; a text without a colon is a kind without a key."""

    kind: str
    key: str


def reference_of(text: str) -> Reference:
    """Return what a text of such a column refers to; of a path the first part.

    >>> reference_of("person:3"), reference_of("event:league/round:2").key, reference_of("clock")
    (Reference(kind='person', key='3'), 'league', Reference(kind='clock', key=''))
    """
    kind, _colon, key = text.partition("/")[0].partition(":")
    return Reference(kind, key)


def person_reference(player: int) -> str:
    """Return how a column refers to a player by its row."""
    return f"{PERSON_KIND}:{player}"


def find_uuids(texts: Iterable[str], kind: str) -> dict[str, UUID]:
    """Return the ids of the references of a kind, by text; other kinds and bad ids are left out.

    >>> [*find_uuids(["person:3", "invitation:3", ""], "invitation")]
    []
    """
    ids: dict[str, UUID] = {}
    for text in texts:
        reference = reference_of(text)
        if reference.kind == kind:
            with suppress(ValueError):
                ids[text] = UUID(reference.key)
    return ids
