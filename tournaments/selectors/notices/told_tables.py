"""Which table each reader of a round was told last, by a notice or a mail."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.models.rounds import Round

NEXT_TABLE: Final = "next_table"


class ToldTables(NamedTuple):
    """Number of a table by account, and by the row of a player without one."""

    accounts: Mapping[int, int]
    people: Mapping[int, int]


def told_key(round_id: int, table_id: int, number: int) -> str:
    """Return the key of the message with a table: the table may be gone when it is read again.

    >>> told_key(7, 30, 2)
    '7:30:2'
    """
    return f"{round_id}:{table_id}:{number}"


def find_told_tables(round_: Round) -> ToldTables:
    """Return the number of the table that each reader was told last of a round; two queries.

    Messages of 0.5.0 hold no number, and are left out.
    """
    about = {"kind": NEXT_TABLE, "key__startswith": f"{round_.pk}:"}
    notices = Notice.objects.filter(**about).order_by("created_at", "pk")
    accounts: list[tuple[datetime, int, str]] = list(
        notices.values_list("created_at", "user_id", "key")
    )
    people: list[tuple[datetime, int, str]] = []
    mails = Outbox.objects.filter(**about).order_by("created_at", "pk")
    rows: list[tuple[datetime, int | None, int | None, str]] = list(
        mails.values_list("created_at", "user_id", "player_id", "key")
    )
    for created_at, user, player, key in rows:
        if user is not None:
            accounts.append((created_at, user, key))
        elif player is not None:
            people.append((created_at, player, key))
    return ToldTables(_last_numbers(accounts), _last_numbers(people))


def _last_numbers(messages: Iterable[tuple[datetime, int, str]]) -> Mapping[int, int]:
    numbers: dict[int, int] = {}
    for _created_at, reader, key in sorted(messages):
        _round, _table, *number = key.split(":")
        if number:  # one of 0.5.0 has none
            numbers[reader] = int(number[0])
    return numbers
