"""What was announced of an evening of a ladder, and what a correction makes of it.

A ladder's evening has no numbered result. Its announcements are counted instead, from 1; the moves
and winners of each are kept as codes. See docs/decisions/0074-a-ladders-evening-is-corrected.md.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from typing import Final, TypeAlias

from django.db.models import Q
from django.utils import formats
from django.utils.translation import gettext as _

from scoring.errors import one_stop
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge, ChallengeState, LadderMove, LadderStep
from tournaments.models.rounds import Meeting
from tournaments.models.standings import LADDER_EVENING, StoredHistory
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.meetings import is_over, posted_rounds_of
from tournaments.selectors.ladders.challenge_results import contributions_of
from tournaments.selectors.ladders.ladder_evenings import NO_PLACE
from tournaments.selectors.ladders.log import side_ahead
from tournaments.selectors.standings.evening_results import get_next_result_time, has_newest_tables

MOST_ANNOUNCED: Final = 5
"""Moves that were announced otherwise and are named; the others are counted."""

Places: TypeAlias = tuple[int | None, int | None]
"""The places of a member before and after an evening; None off the list."""


@dataclass(frozen=True, slots=True)
class MovesOfGames:
    """What the games of an evening did to a ladder.

    `places` are those of the members whom they moved, by code. `winners` has which side won each
    challenge that was played, by its number: `challenger`, `challenged`, "" for none. Who joined or
    left that day, or forfeited a challenge, is not among them: that corrects no game.
    """

    places: Mapping[str, Places]
    winners: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AnnouncedMoves:
    """One announcement of an evening: the last round that was posted then, and the event's version.

    `number` counts those of the evening from 1.
    """

    number: int
    at: str
    round: int
    version: int
    places: Mapping[str, Sequence[int | None]] = field(default_factory=dict)
    winners: Mapping[str, str] = field(default_factory=dict)

    def moves(self, merged_into: Mapping[str, str]) -> MovesOfGames:
        """Return the moves under the codes that members have now."""
        places = {
            merged_into.get(code, code): (before, after)
            for code, (before, after) in self.places.items()
        }
        return MovesOfGames(places, self.winners)


def moves_of_games(event: Event, meeting: Meeting) -> MovesOfGames:
    """Return what the games of an evening did to a ladder, as it is stored now; four queries."""
    at_tables = Q(game__table__round__meeting=meeting)
    of_challenges = Q(challenge__game__table__round__meeting=meeting)
    steps = LadderStep.objects.filter(at_tables | of_challenges, event=event)
    numbers = list(steps.values_list("number", flat=True))
    rows = LadderMove.objects.filter(event=event, number__in=numbers).order_by("number")
    places: dict[str, Places] = {}
    for code, before, after in rows.values_list("entrant__code", "before", "after"):
        if code in places:
            before_evening, _after = places[code]
            places[code] = (before_evening, after)
        else:
            places[code] = (before, after)
    moved = {code: pair for code, pair in sorted(places.items()) if pair[0] != pair[1]}
    return MovesOfGames(moved, _winners(event, meeting))


def _winners(event: Event, meeting: Meeting) -> Mapping[str, str]:
    challenges = Challenge.objects.filter(event=event, game__table__round__meeting=meeting)
    rows = list(challenges.select_related("challenger", "challenged").order_by("number"))
    at_tables = contributions_of(rows)
    winners = {}
    for row in rows:
        side = ""
        if row.state != ChallengeState.VOID:
            at_table = at_tables.get(row.game_id or 0, ())
            side = side_ahead(row, {each.entrant.code: each.place for each in at_table})
        winners[str(row.number)] = side
    return winners


def announcements_of(meeting: Meeting) -> Sequence[AnnouncedMoves]:
    """Return what was announced of an evening of a ladder, the first one first; one query."""
    return announcements_by_day(meeting.event_id, [meeting.date]).get(meeting.date, ())


def announcements_by_day(
    event_id: int, days: Collection[date]
) -> Mapping[date, Sequence[AnnouncedMoves]]:
    """Return what was announced of some evenings of a ladder, by day; one query."""
    keys = [day.isoformat() for day in days]
    rows = StoredHistory.objects.filter(event=event_id, kind=LADDER_EVENING, key__in=keys)
    announced = {}
    for key, body in rows.values_list("key", "body"):
        documents = json.loads(bytes(body))["announced"]
        announced[date.fromisoformat(key)] = [AnnouncedMoves(**document) for document in documents]
    return announced


def document_of(announcements: Sequence[AnnouncedMoves]) -> bytes:
    return compact({"announced": [asdict(each) for each in announcements]})


def announced_at(announcements: Sequence[AnnouncedMoves]) -> datetime | None:
    """Return when an evening was announced last; None if it was not."""
    if not announcements:
        return None
    return datetime.fromisoformat(announcements[-1].at)


def find_announcement(
    announcements: Sequence[AnnouncedMoves], number: int
) -> AnnouncedMoves | None:
    return next((each for each in announcements if each.number == number), None)


def last_round_of(meeting: Meeting) -> int:
    numbers = posted_rounds_of(meeting).order_by("-number").values_list("number", flat=True)
    return numbers.first() or 0


def merged_members(event: Event) -> Mapping[str, str]:
    """Return the codes of a club's merged players, with those that they have now; one query."""
    merged = Player.objects.filter(club=event.club_id, merged_into__isnull=False)
    return dict(merged.values_list("player_id", "merged_into__player_id"))


def is_to_be_announced(event: Event, meeting: Meeting, announced: AnnouncedMoves) -> bool:
    """Whether an evening has other moves or winners than were announced, or a further round.

    Names, and the order in which moves came about, make no other announcement.
    """
    if last_round_of(meeting) > announced.round:
        return True
    return moves_of_games(event, meeting) != announced.moves(merged_members(event))


def find_corrected(
    event: Event, meeting: Meeting, announced: AnnouncedMoves
) -> "CorrectedMoves | None":
    """Return what is otherwise than announced, None without that.

    A further round corrects nothing: after it an evening is told like the first time.
    """
    if last_round_of(meeting) > announced.round:
        return None
    now = moves_of_games(event, meeting)
    before = announced.moves(merged_members(event))
    if now == before:
        return None
    return CorrectedMoves(event, now, before)


@dataclass(frozen=True, slots=True)
class CorrectedMoves:
    """The moves of an evening as they are now, and as they were announced."""

    event: Event
    now: MovesOfGames
    before: MovesOfGames

    def sentence(self, plain: Callable[[str], str] = str) -> str:
        """Return what a correction changed, and what was announced of those whom it changed."""
        if self.now.places == self.before.places:
            return _("Corrected: a challenge has another result than was announced.")
        differ = [
            code for code, pair in self.before.places.items() if self.now.places.get(code) != pair
        ]
        if not self.before.places:
            return _("Corrected: announced was that nobody moved.")
        if not differ:
            return _("Corrected: more members moved than was announced.")
        names = names_in(self.event)
        moves = []
        for code in sorted(differ, key=self._place_before)[:MOST_ANNOUNCED]:
            was, now = self.before.places[code]
            moves.append(f"{plain(names.get(code, code))} {_written(was)}→{_written(now)}")
        n_more = len(differ) - len(moves)
        if n_more:
            moves.append(_("and %(n)s more") % {"n": n_more})
        sentence = _("Corrected: members moved otherwise than announced. Announced was: %(moves)s.")
        return one_stop(sentence % {"moves": ", ".join(moves)})

    def sentence_about(self, code: str) -> str:
        """Return what was announced of the move of one member."""
        before = self.before.places.get(code)
        if before == self.now.places.get(code):
            return _("Your move is the one that was announced.")
        if before is None:
            return _("Announced was that your place is the same as before.")
        was, now = before
        if was is None:
            return _("Announced was that you are new, at place %s.") % _written(now)
        facts = {"was": _written(was), "now": _written(now)}
        return _("Announced was a move from place %(was)s to place %(now)s.") % facts

    def _place_before(self, code: str) -> tuple[int, str]:
        _was, now = self.before.places[code]
        return (now or 0, code)


def moves_being_corrected(event: Event, meeting: Meeting) -> str:
    """Return what a text says of an evening that was announced and is being corrected, else ""."""
    announced = announcements_of(meeting)
    if not announced or not is_over(meeting):
        return ""
    due_at = get_next_result_time(meeting)
    if due_at is not None:
        if not is_to_be_announced(event, meeting, announced[-1]):
            return ""
        sentence = _("The moves are being corrected: they are announced again at %(time)s.")
        return sentence % {"time": formats.time_format(due_at.astimezone(event.club.zone), "H:i")}
    if has_newest_tables(event.pk):
        return ""
    return _("The moves are being computed again.")


def _written(place: int | None) -> str:
    return NO_PLACE if place is None else str(place)
