"""What a file holds, in words, and the choice to read it as something else."""

from typing import Final

from django.http import HttpResponse, QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from tournaments.documents.read.kinds.people import PEOPLE, text_of_people
from tournaments.documents.read.kinds.season import SEASON
from tournaments.models.events import Event
from tournaments.models.imports import Holds, Upload
from tournaments.selectors.clubs import clubs
from tournaments.services.imports.kinds import kind_of_upload
from tournaments.services.imports.season import season_of
from tournaments.views.clubs.clubs import preview_players
from tournaments.views.events.adjustments import SeasonListForm, show_season
from tournaments.views.http.layout import PageRequest

KINDS_OF_FILES: Final = {Holds.HANDS: _("Hands"), Holds.TOTALS: _("Totals of whole games")}
"""What a file of games may hold → its label."""

OTHER_KINDS: Final = {
    SEASON.key: ("penalize", _("Season so far")),
    PEOPLE.key: ("edit_players", _("Players")),
}
"""What a file may hold that is shown on a page of its own → the right and the label."""

WHY: Final = {
    "hand_columns": _("it has columns that only hands have"),
    "running": _("its rows are running totals of hands"),
    "adds_up": _("the points of a row have the total of a hand"),
    "adds_not_up": _("the points of a row do not have the total of a hand"),
    "one_score": _("it has one score for each player and nothing about hands"),
    SEASON.key: _("it has each player once, with points of evenings or a total"),
    PEOPLE.key: _("it has names of people and no points"),
}
"""Why a file is taken to hold something."""


def kind_context(event: Event, upload: Upload) -> JsonDict:
    """Return what a file is read as, why (where it looks so), and all kinds."""
    kind = kind_of_upload(event, upload)
    return {
        "kind_of_file": KINDS_OF_FILES.get(Holds(upload.holds), ""),
        "why_kind": WHY.get(kind.why, "") if kind.kind.key == upload.holds else "",
        "holds": upload.holds,
        "kinds_of_files": _kinds_for(event),
        "other_sheets": upload.other_sheets,
    }


def _kinds_for(event: Event) -> list[tuple[str, str | Promise]]:
    others = ((key, label) for key, (right, label) in OTHER_KINDS.items()
              if clubs.may_do(event, right))  # fmt: skip
    return [*((str(key), label) for key, label in KINDS_OF_FILES.items()), *others]


def import_steps(now: int, n_people: int = 0, n_rows: int = 0) -> list[tuple[str, int, str]]:
    """Return the steps of an import: their names, what is left, and `done`, `now` or nothing."""
    names = gettext("Columns"), gettext("People"), gettext("Rows"), gettext("Import")
    counts = 0, n_people, n_rows, 0
    return [
        (name, n, "now" if at == now else "done" if at < now else "")
        for at, (name, n) in enumerate(zip(names, counts, strict=True))
    ]


def show_as(request: PageRequest, event: Event, kind: str, content: bytes) -> HttpResponse:
    """Show the season, or the people, in a file on the page that adds them; or raise Unreadable."""
    read_as: JsonDict = {
        "event": event,
        "kind_of_file": OTHER_KINDS[kind][1],
        "why_kind": WHY[kind],
        "holds": kind,
        "kinds_of_files": _kinds_for(event),
    }
    if kind == PEOPLE.key:
        read_as["text"] = text_of_people(content)
        data = QueryDict(mutable=True)
        data["names"] = read_as["text"]
        return preview_players(request, event.club, data, {"read_as": read_as})
    season = season_of(event, content, now=timezone.now(), until=None)
    read_as["text"] = season.text
    form = SeasonListForm(initial={"text": season.text})
    form.season = season
    return show_season(request, event, form, {"read_as": read_as})


def may_show_as(event: Event, kind: str) -> bool:
    return kind in OTHER_KINDS and clubs.may_do(event, OTHER_KINDS[kind][0])
