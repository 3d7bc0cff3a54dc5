"""What a result of an evening says otherwise than one that was announced."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import one_stop
from scoring.json_types import JsonDict
from tournaments.domain.standings.evening_outcomes import (
    names_of_first,
    outcome_of,
    through_in,
    winners_of,
)
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.playoffs import OVER, Playoff
from tournaments.models.rounds import Meeting, Table
from tournaments.models.standings import Change, Publication
from tournaments.selectors.events.change_log import WITHOUT_RESULTS
from tournaments.selectors.events.players import as_read

MOST_WINNERS: Final = 3
"""Names of those who share the first place in a sentence; the others are counted."""

MOST_REASONS: Final = 3
"""Reasons of a correction that are named, the newest."""


def is_another_result(result: Publication, before: Publication) -> bool:
    """Whether places or values differ; a new name or setting, or a merge, makes no other result."""
    if result.digest == before.digest:
        return False
    new = result.document
    old = before.document
    return outcome_of(new) != outcome_of(old, _merged_since(before, old))


def was_continued_since(event: Event, result: Publication, announced: Publication) -> bool:
    """Whether a further round was played after an announced result, or a play-off was decided, so
    that the newest result corrects nothing."""
    last_round = result.document["as_of"]["round"] or 0
    announced_round = announced.document["as_of"]["round"] or 0
    if last_round > announced_round:
        return True
    decided = Playoff.objects.filter(event=event, state__in=OVER)
    return decided.filter(decided_at__gt=announced.published_at).exists()


def _merged_since(before: Publication, document: JsonDict) -> Mapping[str, str]:
    codes = [row["player_id"] for row in document["rows"]]
    merged = Player.objects.filter(
        club=before.club_id, player_id__in=codes, merged_into__isnull=False
    )
    return dict(merged.values_list("player_id", "merged_into__player_id"))


def correction_sentence(
    event: Event, result: Publication, announced: Publication, plain: Callable[[str], str] = str
) -> str:
    """Return who won by a result and who by the one that was announced, as the reader reads names.

    Before an event is decided that is who goes on now, and who went on as announced.

    Args:
        event: with the role of the reader.
        announced: an earlier result of the same evening, with other places or values.
    """
    new = as_read(result, event.club, event).document
    old = as_read(announced, event.club, event).document
    names = {row["player_id"]: row["player"] for row in (*old["rows"], *new["rows"])}
    won = winners_of(new)
    won_before = winners_of(old)
    facts = {"now": named(won, names, plain), "before": named(won_before, names, plain)}
    if not won and not won_before and new["evening"]["counts"] == "event":
        return _who_goes_on(new, old, names, plain)
    if not won or not won_before:
        sentence = _("Corrected: places or values changed.")
    elif set(won) == set(won_before):
        sentence = _("Corrected: places or values changed. First is %(now)s, as announced.")
    elif len(won) == 1 and new["evening"]["counts"] == "event":
        sentence = _("Corrected: %(now)s won the event; announced was %(before)s.")
    elif len(won) == 1:
        sentence = _("Corrected: %(now)s won the evening; announced was %(before)s.")
    else:
        sentence = _("Corrected: %(now)s share the first place; announced was %(before)s.")
    return one_stop(sentence % facts)


def _who_goes_on(
    new: JsonDict, old: JsonDict, names: Mapping[str, str], plain: Callable[[str], str]
) -> str:
    comes_in = sorted(through_in(new) - through_in(old))
    goes_out = sorted(through_in(old) - through_in(new))
    facts = {"now": named(comes_in, names, plain), "before": named(goes_out, names, plain)}
    if comes_in and goes_out:
        sentence = ngettext(
            "Corrected: %(now)s is through; announced was %(before)s.",
            "Corrected: %(now)s are through; announced were %(before)s.",
            len(comes_in),
        )
    elif comes_in:
        sentence = ngettext(
            "Corrected: %(now)s is through too.",
            "Corrected: %(now)s are through too.",
            len(comes_in),
        )
    elif goes_out:
        sentence = ngettext(
            "Corrected: %(before)s is no longer through.",
            "Corrected: %(before)s are no longer through.",
            len(goes_out),
        )
    else:
        sentence = _("Corrected: places or values changed.")
    return one_stop(sentence % facts)


def named(codes: Sequence[str], names: Mapping[str, str], plain: Callable[[str], str]) -> str:
    """Return the names of who shares a first place, of whom the last are counted."""
    called = [plain(names[code]) for code in codes[:MOST_WINNERS]]
    return names_of_first(called, len(codes) - len(called))


def shared_first_sentence(
    document: JsonDict, plain: Callable[[str], str] = str, *, reader: str = ""
) -> str:
    """Return who shares the first place of an evening, or of the event that it decided; "" where
    one or nobody is first.

    Args:
        reader: the code of the entrant whom the sentence addresses.
    """
    winners = winners_of(document)
    if len(winners) < 2:
        return ""
    names = {row["player_id"]: row["player"] for row in document["rows"]}
    if reader in winners:
        others = [code for code in winners if code != reader]
        sentence = _("You share the first place with %(names)s.")
        return one_stop(sentence % {"names": named(others, names, plain)})
    sentence = _("%(names)s share the first place of the evening.")
    if document["evening"]["counts"] != "evening":
        sentence = _("%(names)s share the first place of the event.")
    return sentence % {"names": named(winners, names, plain)}


def correction_reasons(meeting: Meeting, *, since: int) -> Sequence[str]:
    """Return why an evening was corrected since a version of its event, the newest reason first.

    Reasons are as they were entered. One query.
    """
    of_tables = Q(table__in=Table.objects.filter(round__meeting=meeting).values("code"))
    of_evening = Q(facts__meeting=meeting.date.isoformat())
    changes = Change.objects.filter(
        of_tables | of_evening, event=meeting.event_id, version__gt=since
    )
    changes = changes.exclude(kind__in=WITHOUT_RESULTS).exclude(reason="")
    reasons = changes.order_by("-pk").values_list("reason", flat=True)
    return list(dict.fromkeys(reasons))[:MOST_REASONS]
