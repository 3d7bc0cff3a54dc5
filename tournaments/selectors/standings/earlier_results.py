"""Which earlier result of an evening a later one corrects, and whom that one named first."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from scoring.errors import one_stop
from tournaments.domain.standings.evening_outcomes import Outcome, outcome_of, winners_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication
from tournaments.selectors.events.players import all_for_public, as_read
from tournaments.selectors.standings.evening_corrections import named


@dataclass(frozen=True, slots=True)
class EarlierResult:
    """The result that a later one corrects, and the sentence about who was first in it."""

    number: int
    sentence: str


def corrected_numbers(evenings: Collection[Meeting]) -> Mapping[tuple[int, int], int]:
    """Return for each result of these evenings that corrects one the number of that: the last
    earlier one with other places or values.

    The key is that of the evening, and the number of the result. Two queries.
    """
    rows = Publication.objects.filter(meeting__in=evenings).defer("csv")
    results = list(rows.order_by("meeting", "number"))
    merged = _merged_players(results)
    corrected: dict[tuple[int, int], int] = {}
    before: tuple[int, int] | None = None
    outcome: Outcome = {}
    for result in results:
        key = (result.meeting_id or 0, result.number)
        outcome_before = outcome
        outcome = outcome_of(result.document, merged)
        if before is not None and before[0] == key[0]:
            if outcome != outcome_before:
                corrected[key] = before[1]
            elif before in corrected:
                corrected[key] = corrected[before]
        before = key
    return corrected


def _merged_players(results: Collection[Publication]) -> Mapping[str, str]:
    if len(results) < 2:
        return {}
    merged = Player.objects.filter(
        club__in={result.club_id for result in results}, merged_into__isnull=False
    )
    return dict(merged.values_list("player_id", "merged_into__player_id"))


def find_earlier_result(event: Event, meeting: Meeting, number: int) -> EarlierResult | None:
    """Return what a result of an evening corrects, as the reader of the event reads names; None
    for one that corrects none."""
    if number < 2:
        return None
    corrected = corrected_numbers([meeting]).get((meeting.pk, number))
    if corrected is None:
        return None
    result = Publication.objects.get(meeting=meeting, number=corrected)
    return _earlier_result(as_read(result, event.club, event))


def earlier_results_for_public(
    event: Event, evenings: Collection[Meeting]
) -> Mapping[int, EarlierResult]:
    """Return what the newest result of each of these evenings corrects, as the public reads it, by
    the key of the evening.

    Takes evenings with `last_number`. Three queries, and three more where the club hides names;
    none if no evening has a second result.
    """
    again = [each for each in evenings if each.last_number > 1]  # type: ignore[attr-defined]  # annotated
    if not again:
        return {}
    corrected = corrected_numbers(again)
    wanted = Q()
    for meeting in again:
        number = corrected.get((meeting.pk, meeting.last_number))  # type: ignore[attr-defined]  # annotated
        if number is not None:
            wanted |= Q(meeting=meeting, number=number)
    if not wanted:
        return {}
    results = all_for_public(Publication.objects.filter(wanted).defer("csv"), event.club, event)
    return {
        result.meeting_id: _earlier_result(result)
        for result in results
        if result.meeting_id is not None
    }


def _earlier_result(result: Publication) -> EarlierResult:
    document = result.document
    names = {row["player_id"]: row["player"] for row in document["rows"]}
    winners = winners_of(document)
    facts = {"number": result.number, "names": named(winners, names, str)}
    sentence = _("Result %(number)s had other places or values.")
    if winners:
        sentence = _("Result %(number)s named %(names)s first.")
    return EarlierResult(result.number, one_stop(sentence % facts))
