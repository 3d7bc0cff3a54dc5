"""Who meets again in an event: one count for plans, previews of changes, rounds and REST."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, combinations
from typing import TypeAlias

from tournaments.models.clubs import Player
from tournaments.models.events import Event, StageKind
from tournaments.models.rounds import Round, RoundState, Sitting
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.rounds.tables import PlayingGroups

Rematch: TypeAlias = tuple[int, int]
"""Two who meet again: rows of pairs or teams where some compete in the event, else of players."""


class EventMeetings:
    """Who met whom at the tables of an event: two pairs or teams where some compete, else players.

    Tables of posted rounds count, up to `round_` and without it; play-offs do not. Two queries.

    Args:
        players: those who are asked about; None for all of the event.
    """

    def __init__(
        self, event: Event, round_: Round | None = None, players: Collection[int] | None = None
    ) -> None:
        self.groups = PlayingGroups(event)
        self.has_groups = bool(self.groups.of)
        rows = Sitting.objects.filter(round__event=event, to_hand__isnull=True)
        rows = rows.exclude(round__stage__kind=StageKind.PLAYOFF)
        rows = rows.exclude(round__state=RoundState.DRAFT)
        if round_ is not None:
            rows = rows.filter(round__number__lte=round_.number).exclude(round=round_)
        if self.has_groups:
            rows = rows.exclude(seat__side="")
        elif players is not None:
            rows = rows.filter(player__in=players)
        tables: dict[int, list[int]] = defaultdict(list)
        for table, player in rows.values_list("seat__table_id", "player_id"):
            tables[table].append(player)
        self.met = frozenset(pair for players in tables.values() for pair in self.pairs_at(players))

    def pairs_at(self, players: Iterable[int]) -> list[Rematch]:
        """Return each two at a table; players alone do not count beside pairs and teams."""
        units = set(players)
        if self.has_groups:
            units = {self.groups.of[player] for player in units if player in self.groups.of}
        return list(combinations(sorted(units), 2))

    def rematches(self, tables: Iterable[Sequence[int]]) -> list[Rematch]:
        """Return who meets again at some tables, each two once."""
        seated = dict.fromkeys(pair for players in tables for pair in self.pairs_at(players))
        return [pair for pair in seated if pair in self.met]


def list_rematches(round_: Round) -> list[list[str]]:
    """Return the names of each two pairs or teams of a round who met in an earlier posted round.

    Without pairs and teams, of two players; a round without a plan has none. Over the rounds of a
    plan these are as many as its card says (`repeated_pairs`). Five queries at most.
    """
    tables: dict[int, list[int]] = defaultdict(list)
    rows = Sitting.objects.filter(round=round_, to_hand__isnull=True).order_by("seat__table")
    for table, player in rows.values_list("seat__table_id", "player_id"):
        tables[table].append(player)
    meetings = EventMeetings(round_.event, round_, [*chain(*tables.values())])
    if not meetings.has_groups and round_.plan_id is None:
        return []
    pairs = meetings.rematches(tables.values())
    names = meetings.groups.names
    if not meetings.has_groups:
        people = Player.objects.filter(pk__in=[*chain(*pairs)])
        names = dict(people.values_list("pk", FULL_NAME))
    return [[names[first], names[second]] for first, second in pairs]
