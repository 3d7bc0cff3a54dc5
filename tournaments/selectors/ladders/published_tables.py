"""Publications of an event as other sites show them: the first rows, of standings or of a ladder.

Everything is read from the stored bytes. A ladder's own publications are those of its list.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from tournaments.models.events import Event, EventKind
from tournaments.models.standings import Publication
from tournaments.selectors.events.published_names import all_for_public
from tournaments.selectors.ladders.ladder_page import ladder_view
from tournaments.selectors.standings.standings_view import PageQuery, standings_view

MOST_ROWS: Final = 50
"""Rows of a table that another site shows."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One line: the place as it is written, who it is, and the figure that decides, as JSON has it
    (None shows as a dash). `hands` is None on a ladder."""

    place: str
    entrant_id: str
    name: str
    figure: Any
    hands: int | None


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """The first rows of one publication. `competitor` is the head of the names, `figure` that of
    the figure that decides; `amount` counts the hands of standings, the games of a ladder; `n_rows`
    is how many rows there are."""

    number: int
    published_at: datetime
    is_ladder: bool
    competitor: str | Promise
    figure: str | Promise
    rows: tuple[PublishedRow, ...]
    n_rows: int
    as_of: date | None
    round: int | None
    amount: int


def publications_for_sites(event: Event) -> QuerySet[Publication]:
    """Return an event's publications without their bytes, the newest first: of its ladder where it
    is one, else of its standings."""
    is_ladder = event.kind == EventKind.LADDER
    own = {"ladder": event} if is_ladder else {"event": event}
    return Publication.objects.filter(**own).defer("body", "csv").order_by("-number")


def published_tables(
    event: Event, numbers: Sequence[int], *, at_most: int = MOST_ROWS
) -> Sequence[PublishedTable]:
    """Return these publications as the public reads them, the newest first.

    One query, and at most three more where the club hides names.

    Args:
        at_most: so many rows of each.
    """
    every = publications_for_sites(event).defer(None).defer("csv")
    found = every.filter(number__in=[*numbers])
    read = all_for_public(found, event.club, event)
    is_ladder = event.kind == EventKind.LADDER
    table = _ladder_table if is_ladder else _standings_table
    return tuple(table(one, at_most) for one in read)


def _standings_table(publication: Publication, at_most: int) -> PublishedTable:
    view = standings_view(publication, wanted=PageQuery())
    rows = (*view.rows, *view.provisional_rows)[:at_most]
    return PublishedTable(
        number=view.number,
        published_at=view.published_at,
        is_ladder=False,
        competitor=view.competitor,
        figure=view.columns[0].head,
        rows=tuple(
            PublishedRow(
                one.place, one.entrant_id, one.name, one.cells[0].number, one.facts.get("hands")
            )
            for one in rows
        ),
        n_rows=len(view.places),
        as_of=view.as_of,
        round=view.round,
        amount=view.hands,
    )


def _ladder_table(publication: Publication, at_most: int) -> PublishedTable:
    view = ladder_view(publication)
    return PublishedTable(
        number=view.number,
        published_at=view.published_at,
        is_ladder=True,
        competitor=_("Member"),
        figure=_("Rating"),
        rows=tuple(
            PublishedRow(str(one.place), one.player_id, one.name, one.rating or None, None)
            for one in view.rows[:at_most]
        ),
        n_rows=len(view.rows),
        as_of=view.on,
        round=None,
        amount=view.games,
    )
