"""Ladders in a line each: who is on top, how many members, how many games."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max

from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.selectors.events.published_names import as_read
from tournaments.selectors.ladders.ladder_page import LadderRow, ladder_view


@dataclass(frozen=True, slots=True)
class LadderLine:
    """A ladder as last published; nothing on top before the first publication."""

    slug: str
    name: str
    top: tuple[LadderRow, ...]
    members: int
    games: int


def ladder_lines(ladders: Sequence[Event], at_most: int) -> Sequence[LadderLine]:
    """Return a line for each ladder with its first `at_most` places.

    Two queries, and a few for each ladder of a club that hides names.
    """
    newest = Publication.objects.filter(ladder__in=ladders).order_by().values_list("ladder")
    ids = [pk for _ladder, pk in newest.annotate(newest=Max("pk"))]
    found = {one.ladder_id: one for one in Publication.objects.filter(pk__in=ids)}
    return tuple(_line(event, found.get(event.pk), at_most) for event in ladders)


def _line(event: Event, publication: Publication | None, at_most: int) -> LadderLine:
    if publication is None:
        return LadderLine(event.slug, event.name, (), 0, 0)
    view = ladder_view(as_read(publication, event.club, event))
    return LadderLine(event.slug, event.name, view.rows[:at_most], len(view.rows), view.games)
