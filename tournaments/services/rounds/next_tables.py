"""Telling people their table of a posted round; once, and again only where it is another one."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from tournaments.domain.notices import Recipients
from tournaments.models.clubs import Club
from tournaments.models.rounds import Round, Table
from tournaments.policy import Actor
from tournaments.selectors.events.entrants import recipients_by_table
from tournaments.selectors.notices.told_tables import (
    NEXT_TABLE,
    ToldTables,
    find_told_tables,
    told_key,
)
from tournaments.services.notices.notifications import Message, notify_each, without_actor


def notify_next_tables(
    actor: Actor, round_: Round, club: Club, now: datetime, among: Collection[int] | None = None
) -> None:
    """Tell people where they sit; who was told already, only if it is another table now."""
    tables = {
        table: without_actor(to, actor)
        for table, to in recipients_by_table(round_).items()
        if among is None or table in among
    }
    numbers = dict(Table.objects.filter(round=round_).values_list("pk", "number"))
    told = find_told_tables(round_)
    messages: list[tuple[Recipients, Message]] = []
    for table, to in tables.items():
        number = numbers[table]
        for was, some in _by_told_table(to, told).items():
            if was == number:
                continue
            if was is None:
                facts = {"table": table}
            else:
                facts = {"table": table, "was": was}
            key = told_key(round_.pk, table, number)
            if was is not None:
                key = f"{key}:{now:%Y%m%d%H%M%S%f}"  # it may be the table of the first message
            messages.append((some, Message(key, facts)))
    notify_each(club=club, kind=NEXT_TABLE, messages=messages, now=now)


def _by_told_table(to: Recipients, told: ToldTables) -> dict[int | None, Recipients]:
    """Return recipients by the number of the table that they were told last, None for none."""
    accounts: dict[int | None, set[int]] = defaultdict(set)
    people: dict[int | None, set[int]] = defaultdict(set)
    for account in to.accounts:
        accounts[told.accounts.get(account)].add(account)
    for person in to.people:
        people[told.people.get(person)].add(person)
    return {
        was: Recipients(frozenset(accounts[was]), frozenset(people[was]))
        for was in {*accounts, *people}
    }
