"""Replaying events: all that follows from the entries, to the bytes of the publication.

The rows are compared and mended by services/verification/rebuild.py, the publication by publishing;
here it is put in order, and what differs gets the names that people know.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tournaments.models.events import Entrant, Event, EventKind
from tournaments.models.hands import Game
from tournaments.publishing.ladders.verify import LadderVerification, look_at_ladder
from tournaments.publishing.verify_publication import PublicationVerification, look_at_publication
from tournaments.selectors.standings.aggregates_bulk import number_of_games
from tournaments.services.verification.rebuild import Say, look_at_games, look_at_sums
from tournaments.services.verification.recount import recount_now
from tournaments.services.verification.verify_scores import ScoreDifference, ScoreVerification


@dataclass(frozen=True, slots=True)
class EventVerification:
    """What a replay of one event found."""

    event: Event
    told: ScoreVerification
    served: PublicationVerification
    ladder: LadderVerification | None = None

    @property
    def waiting(self) -> int:
        """How many differences no replay mends: entries that the rules refuse."""
        return sum(1 for one in self.told.differences if one.what == "refused")

    @property
    def differs(self) -> bool:
        """Whether anything stored is not what follows from the entries."""
        ladder = self.ladder is not None and self.ladder.differs
        return bool(self.told.differing) or self.served == PublicationVerification.DIFFERS or ladder

    def as_json(self) -> Mapping[str, Any]:
        """Return it for programs; at most a thousand differences, all counted in `differing`."""
        return {
            "club": self.event.club.slug,
            "event": self.event.slug,
            "games": self.told.games,
            "hands": self.told.hands,
            "publication": self.served.value,
            **({"ladder": self.ladder.as_json()} if self.ladder is not None else {}),
            "differing": self.told.differing,
            "differences": [
                {
                    "at": at,
                    "what": one.what,
                    "stored": one.stored,
                    "found": one.found,
                }
                for at, one in named(self.told.differences)
            ],
        }

    def lines(self) -> Iterable[str]:
        """Yield it for people: one line, and one more a difference."""
        name = f"{self.event.club.slug}/{self.event.slug}"
        size = f"{self.told.games:,} games, {self.told.hands:,} hands"
        if self.ladder is not None:
            seen = self.ladder
            rows = f"{seen.moves:,} moves, {seen.ratings:,} ratings, {seen.state} state"
            what = f"differing: {rows}" if seen.differs else "no difference"
            yield f"{name}: ladder: {what}; publication: {seen.served}"
        if not self.told.differing and self.served != PublicationVerification.DIFFERS:
            yield f"{name}: {size}: no difference; publication: {self.served}"
            return
        yield f"{name}: {size}: {self.told.differing:,} differences; publication: {self.served}"
        for at, one in named(self.told.differences):
            yield f"  {at}: {one.what} stored {one.stored}, from the entries {one.found}"


def replay_event(event: Event, *, mend: bool, now: datetime, say: Say) -> EventVerification:
    """Compare all that follows from the event's entries, and mend it where that is wanted.

    Args:
        say: where progress is said, and what is waited for.
    """
    if mend and recount_now(event.pk, now=now):
        say("was being counted again; that is done now")
    told, games = ScoreVerification(), number_of_games(event)
    for done in look_at_games(event, told, mend=mend, say=say):
        say(f"{done:,} of {games:,} games")
    say("the sums")
    look_at_sums(event, told, mend=mend)
    say("the publication")
    served = look_at_publication(event, mend=mend, now=now)
    if event.kind != EventKind.LADDER:
        return EventVerification(event, told, served)
    say("the ladder")
    return EventVerification(event, told, served, look_at_ladder(event, mend=mend, now=now))


def named(differences: Iterable[ScoreDifference]) -> list[tuple[str, ScoreDifference]]:
    """Return differences with where they are: table, hand, entrant."""
    found = list(differences)
    played = {one.game_id for one in found if one.game_id is not None}
    people = {one.entrant for one in found if one.entrant is not None}
    tables = dict(Game.objects.filter(pk__in=played).values_list("pk", "table__code"))
    codes = dict(Entrant.objects.filter(pk__in=people).values_list("pk", "code"))
    return [(_place(one, tables, codes), one) for one in found]


def _place(one: ScoreDifference, tables: Mapping[int, str], codes: Mapping[int, str]) -> str:
    words = []
    if one.game_id is not None:
        words.append(f"table {tables.get(one.game_id, '?')}")
    if one.number is not None:
        words.append(f"hand {one.number}")
    if one.entrant is not None:
        words.append(codes.get(one.entrant, "?"))
    return ", ".join(words)
