"""Verifies an event: all that follows from the entries, to the bytes of the publication.

Calls the other modules in order; what differs gets the names that people know.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tournaments.models.events import Entrant, Event, EventKind
from tournaments.models.hands import Game
from tournaments.selectors.standings.aggregates_bulk import number_of_games
from tournaments.verification.differences import Difference, Verification
from tournaments.verification.games import Report, verify_games
from tournaments.verification.ladder import verify_ladder
from tournaments.verification.publication import verify_publication
from tournaments.verification.recount import recount_now
from tournaments.verification.totals import verify_totals

LADDER_PARTS: Final = ("moves", "ratings", "state")
"""What is compared of a ladder."""


@dataclass(frozen=True, slots=True)
class EventVerification:
    """What a replay of one event found."""

    event: Event
    found: Verification
    ladder: Verification | None = None

    @property
    def refused(self) -> int:
        """How many differences no replay repairs: entries that the rules refuse."""
        return self.found.counts["refused"]

    @property
    def differs(self) -> bool:
        """Whether anything stored is not what follows from the entries."""
        return self.found.differs or (self.ladder is not None and self.ladder.differs)

    def as_json(self) -> Mapping[str, object]:
        """Return it for programs; at most a thousand differences, all counted in `differing`."""
        return {
            "club": self.event.club.slug,
            "event": self.event.slug,
            "games": self.found.games,
            "hands": self.found.hands,
            "publication": self.found.publication.value,
            **({"ladder": _ladder_json(self.ladder)} if self.ladder is not None else {}),
            "differing": self.found.differing,
            "differences": [
                {
                    "at": at,
                    "what": one.what,
                    "stored": one.stored,
                    "found": one.found,
                }
                for at, one in named(self.found.differences)
            ],
        }

    def lines(self) -> Iterable[str]:
        """Yield it for people: one line, and one more a difference."""
        name = f"{self.event.club.slug}/{self.event.slug}"
        size = f"{self.found.games:,} games, {self.found.hands:,} hands"
        if self.ladder is not None:
            rows = ", ".join(f"{self.ladder.counts[what]:,} {what}" for what in LADDER_PARTS)
            what = f"differing: {rows}" if self.ladder.differs else "no difference"
            yield f"{name}: ladder: {what}; publication: {self.ladder.publication}"
        differing = (
            f"{self.found.differing:,} differences" if self.found.differs else "no difference"
        )
        yield f"{name}: {size}: {differing}; publication: {self.found.publication}"
        for at, one in named(self.found.differences):
            yield f"  {at}: {one.what} stored {one.stored}, from the entries {one.found}"


def _ladder_json(found: Verification) -> Mapping[str, object]:
    counts = {what: found.counts[what] for what in LADDER_PARTS}
    return {"publication": found.publication.value, **counts}


def verify_event(event: Event, *, repair: bool, now: datetime, report: Report) -> EventVerification:
    """Compare all that follows from the event's entries, and repair it where that is wanted.

    Args:
        report: is given sentences on progress, and on what is waited for.
    """
    if repair and recount_now(event.pk, now=now):
        report("was being counted again; that is done now")
    found, games = Verification(), number_of_games(event)
    for done in verify_games(event, found, repair=repair, report=report):
        report(f"{done:,} of {games:,} games")
    report("the totals")
    verify_totals(event, found, repair=repair)
    report("the publication")
    found.publication = verify_publication(event, repair=repair, now=now)
    if event.kind != EventKind.LADDER:
        return EventVerification(event, found)
    report("the ladder")
    return EventVerification(event, found, verify_ladder(event, repair=repair, now=now))


def named(differences: Iterable[Difference]) -> list[tuple[str, Difference]]:
    """Return differences with where they are: table, hand, entrant."""
    found = list(differences)
    played = {one.game_id for one in found if one.game_id is not None}
    people = {one.entrant for one in found if one.entrant is not None}
    tables = dict(Game.objects.filter(pk__in=played).values_list("pk", "table__code"))
    codes = dict(Entrant.objects.filter(pk__in=people).values_list("pk", "code"))
    return [(_place(one, tables, codes), one) for one in found]


def _place(one: Difference, tables: Mapping[int, str], codes: Mapping[int, str]) -> str:
    words = []
    if one.game_id is not None:
        words.append(f"table {tables.get(one.game_id, '?')}")
    if one.number is not None:
        words.append(f"hand {one.number}")
    if one.entrant is not None:
        words.append(codes.get(one.entrant, "?"))
    return ", ".join(words)
