"""Rounds, entrants and rules that the sheets of a file need: found in the event, or made."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Meeting, Round
from tournaments.services.clubs.codes import codes_for
from tournaments.services.clubs.merged_players import require_not_merged
from tournaments.services.imports.rules import SheetRules
from tournaments.services.rounds.stage_rosters import playing_stage
from tournaments.services.rules.rule_sets import store_snapshot


class RowsOfEvent:
    """Row ids of what sheets refer to, each read or made once in an import.

    The caller's transaction holds the event. After a transaction that failed, `forget` drops the
    ids: rows that it made went with it.

    Attributes:
        entrants: player's row id → entrant's row id, of all players brought so far.
        redated: rounds that got their meeting now; the caller counts their tables again.
    """

    def __init__(self) -> None:
        self.entrants: Final[dict[int, int]] = {}
        self.redated: Final[list[int]] = []
        self._rounds: Final[dict[int, int]] = {}
        self._snapshots: Final[dict[str, int]] = {}

    def forget(self) -> None:
        """Forget the ids of rows that went with their transaction."""
        self.entrants.clear()
        self.redated.clear()
        self._rounds.clear()
        self._snapshots.clear()

    def snapshot(self, event: Event, ruled: SheetRules) -> int:
        """Return the row id of the rules of a sheet, storing them where the event lacks them."""
        key = ruled.rules.content_hash
        if key not in self._snapshots:
            kept = store_snapshot(event=event, variant=ruled.name, options=ruled.options)
            self._snapshots[key] = kept.pk
        return self._snapshots[key]

    def round(self, event: Event, batch: ImportBatch, number: int, day: date | None) -> int:
        """Return the round's row id, making round and meeting where they are missing."""
        if number not in self._rounds:
            self._rounds[number] = self._find_round(event, batch, number, day)
        return self._rounds[number]

    def _find_round(self, event: Event, batch: ImportBatch, number: int, day: date | None) -> int:
        meeting = None
        if day is not None:
            meeting, _ = Meeting.objects.get_or_create(
                event=event, date=day, defaults={"club_id": event.club_id, "batch": batch}
            )
        row, _ = Round.objects.get_or_create(
            event=event,
            number=number,
            defaults={
                "club_id": event.club_id,
                "stage": playing_stage(event),
                "meeting": meeting,
                "state": "playing",
                "batch": batch,
            },
        )
        if row.meeting_id is None and meeting is not None:
            Round.objects.filter(pk=row.pk).update(meeting=meeting)
            self.redated.append(row.pk)
        return row.pk

    def bring_entrants(self, event: Event, batch: ImportBatch, players: Iterable[int]) -> None:
        """Know the entrant of each of these players; enter those who are new to the event."""
        unknown = set(players) - set(self.entrants)
        if not unknown:
            return
        members = EntrantMember.objects.filter(event=event, player__in=unknown)
        self.entrants.update(members.values_list("player_id", "entrant_id"))
        missing = sorted(unknown - set(self.entrants))
        if missing:
            self._enter(event, batch, missing)

    def _enter(self, event: Event, batch: ImportBatch, players: Sequence[int]) -> None:
        ids = dict(event.club.players.filter(pk__in=players).values_list("pk", "player_id"))
        codes = codes_for(event, set(ids.values()))
        entrants = Entrant.objects.bulk_create(
            [
                Entrant(club_id=event.club_id, event=event, code=codes[ids[player]], batch=batch)
                for player in players
            ]
        )
        EntrantMember.objects.bulk_create(
            [
                EntrantMember(club_id=event.club_id, event=event, entrant=entrant, player_id=player)
                for player, entrant in zip(players, entrants, strict=True)
            ]
        )
        require_not_merged(players)
        for player, entrant in zip(players, entrants, strict=True):
            self.entrants[player] = entrant.pk
