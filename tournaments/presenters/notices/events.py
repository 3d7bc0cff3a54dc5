"""Messages about an event: a play-off that is called, and the digest after an evening."""

import json
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.meetings import Meeting
from tournaments.models.numbers import as_json
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.standings import Contribution
from tournaments.presenters.notices.sentences import (
    MINUS,
    NoticeContext,
    NoticeText,
    on_day,
    page_of,
)
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import entrant_names
from tournaments.selectors.standings.standings import current_publication


def playoff_called(context: NoticeContext) -> NoticeText | None:
    """Tell the members of a tie that they play it off."""
    rows = Playoff.objects.select_related("event__club")
    playoff = rows.filter(pk=context.id_of("playoff"), state__in=LIVE, is_waived=False).first()
    if playoff is None or not context.may_read(playoff.event):
        return None
    members = Entrant.objects.filter(pk__in=playoff.members.values("entrant"))
    listed = members.prefetch_related("members__player").order_by("code")
    names = entrant_names(listed, FULL_NAME)
    return NoticeText(
        _("A play-off is called in %s") % playoff.event.name,
        _("Open play-off"),
        page_of(playoff.event, "playoff", playoff.number),
        (_("You are tied at a cut-off, so the tie is played off."),),
        ((_("Tied"), ", ".join(names.values())),),
    )


def digest(context: NoticeContext) -> NoticeText | None:
    """Tell somebody who played on an evening their own results and their place after it."""
    rows = Meeting.objects.select_related("event__club")
    meeting = rows.filter(pk=context.id_of("meeting")).first()
    if meeting is None or not context.may_read(meeting.event):
        return None
    own = EntrantMember.objects.filter(event=meeting.event, player__user=context.reader)
    entrant = own.values_list("entrant_id", "entrant__code").order_by("entrant__code").first()
    if entrant is None:
        return None
    results = tuple(_results(meeting, entrant[0]))
    if not results:
        return None
    place = _place(meeting.event, entrant[1])
    return NoticeText(
        _("%(event)s: your results of %(day)s")
        % {"event": meeting.event.name, "day": on_day(meeting.date)},
        _("Open standings"),
        page_of(meeting.event, "event"),
        (place,) if place else (),
        results,
    )


def _results(meeting: Meeting, entrant_id: int) -> Iterator[tuple[str, str]]:
    """Yield each table of an evening at which an entrant played, with place and points there."""
    found = Contribution.objects.filter(
        entrant=entrant_id, game__table__round__meeting=meeting, games__gt=0
    ).select_related("game__table__round", "game__snapshot")
    for row in found.order_by("game__table__round__number", "game__table__number"):
        table = row.game.table
        where = _("Round %(round)s, table %(table)s") % {
            "round": table.round.number,
            "table": table.number,
        }
        place = _("place %s") % f"{row.place}{'=' if row.shared > 1 else ''}"
        points = as_json(row.points)
        if row.game.snapshot.has_points:
            of_points = ngettext("%s point", "%s points", 1 if points == 1 else 2)
            place += f", {of_points % str(points).replace('-', MINUS)}"
        yield where, place


def _place(event: Event, code: str) -> str:
    """Return the place of an entrant in the standings as last published, in words."""
    publication = current_publication(event)
    rows: list[dict[str, Any]] = (
        json.loads(bytes(publication.body))["rows"] if publication is not None else []
    )
    ranked = [row for row in rows if row["rank"] is not None]
    for row in ranked:
        if row["player_id"] == code:
            return _("You are at place %(place)s of %(number)s.") % {
                "place": f"{row['rank']}{'=' if row['tied'] else ''}",
                "number": len(ranked),
            }
    return ""
