"""Say what the columns of an uploaded file are, and store it for the club."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from scoring.entry.sheet import Box
from scoring.json_types import JsonDict, JsonObject
from tournaments.documents.read.column_plan import (
    EMPTY,
    RUNNING,
    SIGN,
    labels_of,
    plan_from,
)
from tournaments.documents.read.columns import Choices, choices_of, pairs_of
from tournaments.documents.read.csv import Unreadable
from tournaments.documents.read.marked_cells import (
    CROSS_IS_NOBODY,
    CROSS_IS_ZERO,
    FIRST,
    MARKS,
    MOON,
    NO_MARKS,
    QUEEN,
    SECOND,
    WAYS_OF,
    Marks,
)
from tournaments.documents.read.marked_cells import ways_in as mark_ways_in
from tournaments.documents.read.readings import Reading
from tournaments.documents.read.ways import ways_in, with_ways
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.imports import (
    DATES,
    HANDS,
    IGNORE,
    NAMES,
    PLAYER,
    SEATS,
    BatchState,
    ColumnMap,
    Holds,
    ImportBatch,
    Upload,
)
from tournaments.selectors import imports
from tournaments.selectors.clubs import clubs
from tournaments.services.imports import column_mappings, uploads
from tournaments.services.imports.process_upload import has_small_file, process_upload
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page, event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_club, render_event
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    day_field,
    gives,
    hidden_field,
    operation_of,
    posted,
    submit,
    text_field,
)
from tournaments.views.imports.choose_reading import reading_choices
from tournaments.views.imports.imports import (
    KINDS_OF_FILES,
    import_steps,
    kind_context,
    may_show_as,
    show_as,
)

IN_CELLS: Final[Sequence[tuple[str, Promise]]] = (
    ("points", _("Points")),
    ("hearts", _("Hearts taken")),
    ("cards", _("Cards taken, as codes")),
    (RUNNING, _("Running totals of points")),
)

EMPTY_CELLS: Final = (
    ("", _("Nobody sat there")),
    ("0", _("No points")),
    ("0-", _("No points, and so is a dash")),
)
MINUS: Final = (("", _("Is part of the number")), ("-", _("Marks penalty points")))
MARKED: Final = {
    "pair": _("Cells with two numbers, such as %(example)s"),
    "queen": _("Numbers with a letter or a star, such as %(example)s"),
    "cross": _("A cross, such as %(example)s"),
    "moon": _("A word for a moon, such as %(example)s"),
}
"""Kind of mark in the cells of players → the label of the field that asks for its meaning."""

MARKS_MEAN: Final = {
    FIRST: _("The first number is of the hand"),
    SECOND: _("The second number is of the hand"),
    QUEEN: _("This player took the queen of spades"),
    CROSS_IS_ZERO: _("Took nothing: 0"),
    CROSS_IS_NOBODY: _("Did not play this hand"),
    MOON: _("This player took everything"),
}
AS_WRITTEN: Final = _("Nothing: these cells are refused")
CHOOSE: Final = _("Choose")

SHOWN: Final = 4
"""Number of different values of a column that are shown."""


class ColumnsForm(ServiceForm):
    """One field per column (`column-0` …) and for its player (`player-0` …), and further values."""

    rows = hidden_field()
    cells = forms.CharField(
        label=_("Contents of a player's column"), widget=forms.Select(choices=IN_CELLS)
    )
    round = text_field(
        _("Round, if there is no column"),
        _("Round number for the whole file, or for its first new date."),
        inputmode="numeric",
    )
    empty = forms.CharField(label=_("An empty cell"), widget=forms.Select(choices=EMPTY_CELLS))
    sign = forms.CharField(label=_("A minus"), widget=forms.Select(choices=MINUS))
    reading = forms.CharField(label=_("How are the numbers written?"))
    by_dates = forms.BooleanField(label=_("Start a new round for each new date"))
    table = text_field(_("Table, if there is no column"), inputmode="numeric")
    day = day_field(_("Date, if there is no column"))
    once = forms.BooleanField(
        label=_("Only in this file"),
        help_text=_(
            "Otherwise the answers are kept: files with these names are read so from now on."
        ),
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        labels: Sequence[str],
        sample: Sequence[Sequence[str]],
        plan: JsonObject,
        boxes: Sequence[Box],
        initial: JsonObject,
        club: Club,
        of_games: bool,
        readings: Sequence[Reading] = (),
        marks: Marks = NO_MARKS,
        other_names: Collection[str] = (),
    ) -> None:
        self.labels, self.club = labels, club
        self.readings = readings
        self.plan_rows = str(plan["rows"])
        self.asks_names = False
        players = plan.get("players", {})
        values = {"rows": self.plan_rows, "cells": plan.get("cells", ""), **initial}
        super().__init__(data, initial=values)
        if of_games:
            for name in ("round", "by_dates", "table"):
                del self.fields[name]
        if of_games or readings:
            del self.fields[EMPTY], self.fields[SIGN]
        if not readings:
            del self.fields["reading"]
        if of_games:
            del self.fields["cells"]
        else:
            self.fields["cells"].widget = forms.Select(choices=self._in_cells(boxes))
        self.marked = _marks_fields(marks, plan)
        self.fields.update(self.marked)
        self.required_fields = [name for name, field in self.marked.items() if field.required]
        choices = choices_of(self.plan_rows, boxes, pairs_of(len(labels)))
        for index, label in enumerate(labels):
            means = plan["columns"].get(label, IGNORE)
            column = f"column-{index}"
            self.fields[column] = _column_field(index, label, means, sample, choices)
            choice = means if data is None else data.get(column)
            if self.plan_rows == HANDS and PLAYER in (means, choice):
                self.fields[f"player-{index}"] = forms.CharField(
                    label=gettext("Who is “%(head)s”?") % {"head": label},
                    initial=players.get(label, ""),
                    widget=forms.TextInput(attrs={"list": "members", "autocomplete": "off"}),
                )
                self.asks_names |= label in other_names
        if not self.asks_names:
            del self.fields["once"]

    def _in_cells(self, boxes: Sequence[Box]) -> list[tuple[str, str | Promise]]:
        """Return what a cell of points can have, or a cell of a player's column."""
        kinds = {box.kind for box in boxes}
        kinds |= {RUNNING} if "points" in kinds else set()
        if self.plan_rows == SEATS:
            return [("", _("What its column says")), *(c for c in IN_CELLS if c[0] == RUNNING)]
        return [choice for choice in IN_CELLS if choice[0] in kinds]

    @property
    def columns(self) -> list[list[forms.BoundField]]:
        pairs = ((f"column-{index}", f"player-{index}") for index in range(len(self.labels)))
        return [[self[name] for name in pair if name in self.fields] for pair in pairs]

    @property
    def given_fields(self) -> list[forms.BoundField]:
        return [
            self[name]
            for name in (*self.marked, "cells", EMPTY, SIGN, "round", "by_dates", "table", "day")
            if name in self.fields
        ]

    def people(self) -> dict[str, str]:
        """Return the player entered for each column, by its label."""
        people = {}
        for index, label in enumerate(self.labels):
            text = self.cleaned_data.get(f"player-{index}", "").strip()
            if text and self.cleaned_data.get(f"column-{index}") == PLAYER:
                people[label] = text
        return people

    @property
    def reading_choices(self) -> list[JsonDict]:
        """Return the readings to choose from, each in words and with its first hands."""
        return reading_choices(self.readings, self.data.get("reading", ""))

    @gives("plan", "values", "day", "is_told", "keeps_names")
    def get_arguments(self) -> JsonDict:
        cleaned = self.cleaned_data
        players = column_mappings.ids_of(self.club, self.people(), self.labels)
        values = {key: cleaned.get(key, "") for key in ("round", "table")}
        plan = plan_from(self.plan(players))
        ways = ways_in(cleaned.get("reading", ""))
        if ways is not None:
            plan = with_ways(plan, ways)
        is_told = ways is not None or not self.readings
        return {
            "plan": plan,
            "values": values,
            "day": cleaned["day"],
            "is_told": is_told,
            "keeps_names": self.asks_names and not cleaned["once"],
        }

    def plan(self, players: Mapping[str, str]) -> JsonDict:
        cleaned = self.cleaned_data
        columns = {
            label: cleaned[f"column-{index}"] or IGNORE for index, label in enumerate(self.labels)
        }
        values = {"round": DATES} if cleaned.get("by_dates") else {}
        values |= {key: cleaned.get(key, "") for key in (EMPTY, SIGN)}
        values["table"] = cleaned.get("table", "").strip()
        values[MARKS] = " ".join(cleaned[name] for name in self.marked if cleaned[name])
        plan = {"rows": self.plan_rows, "columns": columns, "given": values}
        if "cells" in cleaned:
            plan["cells"] = cleaned["cells"]
        elif self.plan_rows != SEATS:
            plan["cells"] = "points"  # a game has nothing else
        if self.plan_rows != HANDS:
            return plan
        return {**plan, "players": dict(players)}


class MappingNameForm(ServiceForm):
    name = forms.CharField(label=_("Name of the mapping"))


LAYOUTS: Final = {
    SEATS: gettext_lazy("One row per player and hand"),
    HANDS: gettext_lazy("One row per hand, players as columns"),
    NAMES: gettext_lazy("One row per hand, names and points in pairs"),
}
"""Layout of a foreign file → its label."""

LAYOUTS_OF_GAMES: Final = {
    SEATS: gettext_lazy("One row per player and game"),
    HANDS: gettext_lazy("One row per game, players as columns"),
    NAMES: gettext_lazy("One row per game, names and points in pairs"),
}


def _column_field(
    index: int, label: str, means: str, sample: Sequence[Sequence[str]], choices: Choices
) -> forms.CharField:
    values = [row[index] for row in sample if index < len(row) and row[index].strip()]
    examples = " · ".join(list(dict.fromkeys(values))[:SHOWN])
    return forms.CharField(
        label=label,
        help_text=examples or gettext("empty in the first rows"),
        initial=means,
        widget=forms.Select(choices=choices),
    )


def _marks_fields(marks: Marks, plan: JsonObject) -> dict[str, forms.ChoiceField]:
    """Return a field for each kind of mark in a file, with the ways to read it that are possible.

    Where several are, none is chosen, and one has to be.
    """
    words = plan["given"].get(MARKS, "").split()
    fields: dict[str, forms.ChoiceField] = {}
    for kind, example in marks.examples.items():
        ways = chain.from_iterable(mark_ways_in(each) for each in marks.plans)
        possible = set(ways) & set(WAYS_OF[kind])
        chosen = next((way for way in WAYS_OF[kind] if way in words), "")
        is_open = len(possible) > 1 and not chosen
        choices = [(way, MARKS_MEAN[way]) for way in WAYS_OF[kind] if way in {*possible, chosen}]
        fields[f"marks-{kind}"] = forms.ChoiceField(
            label=MARKED[kind] % {"example": f"“{example}”"},
            choices=[("", CHOOSE if is_open else AS_WRITTEN), *choices],
            initial=chosen,
            required=is_open,
        )
    return fields


@event_form_page((column_mappings.map_columns, ColumnsForm, "upload"), uploads.change_kind)
def columns(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Ask for the meaning of each column of a file, and read the file by it."""
    batch = imports.batch_at(event, number)
    upload = imports.file_of(batch)
    if upload is None or batch.state not in (BatchState.MAPPING, BatchState.PREVIEW):
        return go_to("import", event, number=number)
    holds = request.POST.get("holds", "")
    if holds in (*KINDS_OF_FILES, Holds.AUTO):
        sheet = request.POST.get("sheet", "")
        hidden = request.POST.get("hidden") == "yes"
        with RefusalMessages(request):
            uploads.change_kind(
                operation_of(request), batch, holds=holds, sheet=sheet, hidden=hidden
            )
        return _read(event, batch)
    if may_show_as(event, holds):
        try:
            page = show_as(request, event, holds, bytes(upload.content))
        except Unreadable as fault:
            messages.error(request, str(fault))
            return go_to("import", event, number=number)
        with RefusalMessages(request):
            uploads.discard_upload(operation_of(request), batch)
        return page
    form = _form(request, event, batch, upload)
    if submit(request, form, column_mappings.map_columns, batch, upload=upload):
        return _read(event, batch)
    return _ask(request, event, batch, upload, form)


def _read(event: Event, batch: ImportBatch) -> HttpResponse:
    """Read a small file at once, and show what comes next: its columns, or the preview."""
    if has_small_file(batch.pk):
        process_upload(batch.pk, now=timezone.now())
    batch.refresh_from_db(fields=["state"])
    page = "column-mapping" if batch.state == BatchState.MAPPING else "import"
    return go_to(page, event, number=batch.number)


def _form(request: PageRequest, event: Event, batch: ImportBatch, upload: Upload) -> ColumnsForm:
    sheet_boxes = column_mappings.boxes_of(upload, event)
    rows_param = request.POST.get("rows") or request.GET.get("rows", "")
    rows = rows_param if rows_param in LAYOUTS else ""
    proposed = column_mappings.proposed_columns(upload, event, sheet_boxes, rows)
    plan = proposed.plan
    labels = labels_of(column_mappings.file_heads(upload))
    return ColumnsForm(
        posted(request),
        labels=labels,
        sample=upload.sample,
        plan=plan.as_json(),
        boxes=sheet_boxes,
        initial={
            "round": upload.given.get("round") or imports.likely_round(batch, upload.day),
            "by_dates": plan.given.get("round") == DATES,
            "table": upload.given.get("table") or plan.given.get("table", ""),
            **{key: plan.given.get(key, "") for key in (EMPTY, SIGN)},
            "day": upload.day,
        },
        club=batch.club,
        of_games=upload.holds == Holds.TOTALS,
        readings=proposed.readings,
        marks=column_mappings.marks_in(upload, event, plan),
        other_names=column_mappings.other_names_in(upload, event, labels),
    )


@event_form_page(column_mappings.store_mapping)
def save_mapping(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Store the mapping that a file was read by, for the next file with these columns."""
    batch = imports.batch_at(event, number)
    upload = imports.file_of(batch)
    if request.method == "POST" and upload is not None:
        name = request.POST.get("name", "")
        op = operation_of(request)
        with RefusalMessages(request):
            mapping = column_mappings.store_mapping(op, upload, name=name)
            text = gettext(
                "Mapping saved as %(name)s. It will be used for the next file with these columns."
            )
            messages.success(request, text % {"name": mapping.name})
    return go_to("import", event, number=number)


def _ask(
    request: PageRequest, event: Event, batch: ImportBatch, upload: Upload, form: ColumnsForm
) -> HttpResponse:
    crumbs = (layout.imports_link(event), layout.import_link(batch, event))
    of_games = upload.holds == Holds.TOTALS
    context = {
        **kind_context(event, upload),
        "steps": import_steps(0),
        "batch": batch,
        "upload": upload,
        "form": form,
        "layouts": (LAYOUTS_OF_GAMES if of_games else LAYOUTS).items(),
        "of_games": of_games,
        "rows": form.plan_rows,
        "lacks_heads": column_mappings.lacks_heads(upload),
        "members": tuple(clubs.list_players_of(event.club).values_list("player_id", "name")),
    }
    return render_event(request, "imports/column_mapping.html", event, context, form, crumbs=crumbs)


@club_form_page(imports.RIGHT)
def mappings(request: PageRequest, club: Club) -> HttpResponse:
    context = {"mappings": tuple(imports.maps_of(club))}
    return render_club(request, "imports/mappings.html", club, context)


@club_form_page((column_mappings.rename_mapping, MappingNameForm))
def mapping(request: PageRequest, club: Club, number: int) -> HttpResponse:
    """Show one mapping; rename or delete it."""
    column_map = imports.map_at(club, number)
    name = column_map.name
    form = MappingNameForm(
        request.POST if "rename" in request.POST else None, initial={"name": name}
    )
    if "forget" in request.POST:
        column_mappings.delete_mapping(operation_of(request), column_map)
        notice = gettext("Mapping %(name)s deleted.") % {"name": name}
        return done(request, notice, "mappings", club)
    if submit(request, form, column_mappings.rename_mapping, column_map):
        notice = gettext("Mapping renamed to %(name)s.") % {"name": column_map.name}
        return done(request, notice, "mapping", club, number=number)
    crumbs = (layout.link_to(gettext("Column mappings"), "mappings", club),)
    context = {
        "mapping": column_map,
        "name": name,
        "columns": _columns_in_words(column_map),
        "rows": LAYOUTS[column_map.plan["rows"]],
        "form": form,
    }
    return render_club(request, "imports/mapping.html", club, context, form, crumbs=crumbs)


def _columns_in_words(mapping: ColumnMap) -> list[tuple[str, str]]:
    players = mapping.plan.get("players", {})
    return [
        (head, f"{means.replace('_', ' ').replace(':', ' ')} {players.get(head, '')}".strip())
        for head, means in mapping.plan["columns"].items()
        if means != IGNORE
    ]
