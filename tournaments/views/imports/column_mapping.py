"""Say what the columns of an uploaded file are, and store it for the club."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from scoring.entry.sheet import Box
from scoring.errors import Refused
from scoring.json_types import JsonDict, JsonObject
from tournaments.documents.read.column_meanings import Choices, choices_of, pairs_of
from tournaments.documents.read.column_plan import labels_of, plan_from
from tournaments.domain.messages import sentence
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
    ImportBatch,
    Upload,
)
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.imports import imports
from tournaments.services.imports import column_mappings as upload_mapping
from tournaments.services.imports.column_mappings import (
    MappingAnswers,
    ProposedMapping,
    delete_mapping,
    rename_mapping,
)
from tournaments.services.imports.process_upload import has_small_file, process_upload
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, attempt, posted, render_form

"""What a column may be too, in a duplicate event."""

"""Kind of a box → what a column of it is called; cards are called by themselves."""


IN_CELLS: Final = (
    ("points", _("Points")),
    ("hearts", _("Hearts taken")),
    ("cards", _("Cards taken, as codes")),
)

SHOWN: Final = 4

"""So many different values of a column are shown."""


class ColumnsForm(ServiceForm):
    """One field a column (`column-0` …), one for whose it is (`player-0` …), and what is given.

    Args:
        labels: what the columns of the file are called, `sample` a few rows of it.
        plan: what the fields say before anything is typed, in the shape of a kept mapping.
    """

    rows = forms.CharField(widget=forms.HiddenInput, required=False)
    cells = forms.CharField(
        label=_("Contents of a player's column"),
        required=False,
        widget=forms.Select(choices=IN_CELLS),
    )
    round = forms.CharField(
        label=_("Round, if there is no column"),
        help_text=_("Round number for the whole file, or for its first date."),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    by_dates = forms.BooleanField(label=_("Start a new round for each new date"), required=False)
    table = forms.CharField(
        label=_("Table, if there is no column"),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    day = forms.DateField(
        label=_("Date, if there is no column"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        labels: Sequence[str],
        sample: Sequence[Sequence[str]],
        plan: JsonObject,
        boxes: Sequence[Box],
        **more: Any,
    ) -> None:
        self.labels = labels
        self.plan_rows = str(plan["rows"])
        players = plan.get("players", {})
        said = {"rows": self.plan_rows, "cells": plan.get("cells", "")}
        super().__init__(data, initial={**said, **(more.pop("initial", None) or {})}, **more)
        if self.plan_rows == SEATS:
            del self.fields["cells"]
        else:
            there = {box.kind for box in boxes}
            choices_of_cells = [one for one in IN_CELLS if one[0] in there]
            self.fields["cells"].widget = forms.Select(choices=choices_of_cells)
        choices = choices_of(self.plan_rows, boxes, pairs_of(len(labels)))
        for index, label in enumerate(labels):
            means = plan["columns"].get(label, IGNORE)
            column = f"column-{index}"
            self.fields[column] = _column_field(index, label, means, sample, choices)
            typed = means if data is None else data.get(column)
            if self.plan_rows == HANDS and PLAYER in (means, typed):
                self.fields[f"player-{index}"] = _player_field(label, players.get(label, ""))

    @property
    def columns(self) -> list[list[forms.BoundField]]:
        """The fields of each column of the file."""
        names = (f"column-{index}" for index in range(len(self.labels)))
        return [
            [self[one] for one in (name, name.replace("column", "player")) if one in self.fields]
            for name in names
        ]

    @property
    def given_fields(self) -> list[forms.BoundField]:
        """The fields of what is given once for the file."""
        return [self[name] for name in ("cells", "round", "by_dates", "table", "day")
                if name in self.fields]  # fmt: skip

    def people(self) -> dict[str, str]:
        """Return who was typed for a column, by its label."""
        found = {}
        for index, label in enumerate(self.labels):
            text = self.cleaned_data.get(f"player-{index}", "").strip()
            if text and self.cleaned_data.get(f"column-{index}") == PLAYER:
                found[label] = text
        return found

    def plan(self, players: Mapping[str, str]) -> JsonDict:
        """Return the mapping that was typed, with the ids of its players' columns."""
        typed = self.cleaned_data
        columns = {
            label: typed[f"column-{index}"] or IGNORE for index, label in enumerate(self.labels)
        }
        given = {"round": DATES} if typed["by_dates"] else {}
        given["table"] = typed["table"].strip()
        found = {"rows": self.plan_rows, "columns": columns, "given": given}
        if self.plan_rows != SEATS:
            found["cells"] = typed.get("cells", "")
        return {**found, "players": dict(players)} if self.plan_rows == HANDS else found


def _column_field(
    index: int, label: str, means: str, sample: Sequence[Sequence[str]], choices: Choices
) -> forms.CharField:
    values = [row[index] for row in sample if index < len(row) and row[index].strip()]
    shown = " · ".join(list(dict.fromkeys(values))[:SHOWN])
    return forms.CharField(
        label=label,
        help_text=shown or gettext("empty in the first rows"),
        required=False,
        initial=means,
        widget=forms.Select(choices=choices),
    )


def _player_field(label: str, player_id: str) -> forms.CharField:
    return forms.CharField(
        label=gettext("Who is “%(head)s”?") % {"head": label},
        required=False,
        initial=player_id,
        widget=forms.TextInput(attrs={"list": "members", "autocomplete": "off"}),
    )


class MappingNameForm(ServiceForm):
    """The name of a kept mapping."""

    name = forms.CharField(label=_("Name of the mapping"), required=False)


LAYOUTS: Final = {
    SEATS: gettext_lazy("One row per player and hand"),
    HANDS: gettext_lazy("One row per hand, players as columns"),
    NAMES: gettext_lazy("One row per hand, names and points in pairs"),
}

"""What a row of a foreign file may be → what the choice of it is called."""


@form_page(imports.ACT)
def columns(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Ask what each column of a file is, and have it read so."""
    found = events.event_at(request.actor, club, event)
    batch = imports.batch_at(found, number)
    upload = imports.file_of(batch)
    if upload is None or batch.state not in (BatchState.MAPPING, BatchState.PREVIEW):
        return redirect("tournaments:import", club=club, event=event, number=number)
    form = _form(request, found, batch, upload)
    if request.method == "POST" and form.is_valid():
        done = attempt(form, lambda: _say(request, form, batch, upload))
        if done:
            if has_small_file(batch.pk):
                process_upload(batch.pk, now=timezone.now())
            return redirect("tournaments:import", club=club, event=event, number=number)
    return _ask(request, found, batch, upload, form)


def _form(request: PageRequest, event: Event, batch: ImportBatch, upload: Upload) -> ColumnsForm:
    known = upload_mapping.boxes_of(upload, event)
    asked = request.POST.get("rows") or request.GET.get("rows", "")
    rows = asked if asked in LAYOUTS else ""
    proposed = upload_mapping.proposed_plan(upload, event, known, rows)
    return ColumnsForm(
        posted(request),
        labels=labels_of(upload_mapping.file_heads(upload)),
        sample=upload.sample,
        plan=proposed.plan.as_json(),
        boxes=known,
        initial=_initial(batch, upload, proposed),
    )


def _initial(batch: ImportBatch, upload: Upload, proposed: ProposedMapping) -> dict[str, object]:
    plan = proposed.plan
    return {
        "round": upload.given.get("round") or imports.likely_round(batch),
        "by_dates": plan.given.get("round") == DATES,
        "table": upload.given.get("table") or plan.given.get("table", ""),
        "day": upload.day,
    }


def _say(request: PageRequest, form: ColumnsForm, batch: ImportBatch, upload: Upload) -> bool:
    typed = form.cleaned_data
    ids = upload_mapping.ids_of(batch.club, form.people(), form.labels)
    values = {key: typed[key] for key in ("round", "table")}
    said = MappingAnswers(plan_from(form.plan(ids)), values, typed["day"])
    upload_mapping.map_columns(
        actor=request.actor, batch=batch, upload=upload, said=said, now=timezone.now()
    )
    return True


@form_page(imports.ACT)
def save_mapping(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Keep the mapping that a file was read by, for the next file with these columns."""
    found = events.event_at(request.actor, club, event)
    shown = imports.import_at(found, number)
    if request.method == "POST" and shown.upload is not None and shown.may_keep_mapping:
        try:
            kept = upload_mapping.store_mapping(
                actor=request.actor,
                upload=shown.upload,
                name=request.POST.get("name", ""),
                now=timezone.now(),
            )
        except Refused as refused:
            messages.error(request, " ".join(map(sentence, refused.problems)))
        else:
            say = gettext(
                "Mapping saved as %(name)s. It will be used for the next file with these columns."
            )
            messages.success(request, say % {"name": kept.name})
    return redirect("tournaments:import", club=club, event=event, number=number)


def _ask(
    request: PageRequest, event: Event, batch: ImportBatch, upload: Upload, form: ColumnsForm
) -> HttpResponse:
    crumbs = (
        layout.event_link(event), layout.imports_link(event), layout.import_link(batch, event)
    )  # fmt: skip
    context = {
        "layout": layout.event_layout(request, event, crumbs),
        "event": event,
        "batch": batch,
        "upload": upload,
        "form": form,
        "layouts": LAYOUTS.items(),
        "rows": form.plan_rows,
        "lacks_heads": upload_mapping.lacks_heads(upload),
        "members": tuple(clubs.players_of(event.club).values_list("player_id", "name")),
    }
    return render_form(request, "imports/column_mapping.html", context, form)


@form_page(imports.ACT)
def mappings(request: PageRequest, club: str) -> HttpResponse:
    """Print the mappings that a club keeps."""
    found = clubs.club_at(request.actor, club)
    context = {
        "layout": layout.club_layout(request, found, (layout.club_link(found),)),
        "club": found,
        "mappings": tuple(imports.maps_of(found)),
    }
    return render(request, "imports/mappings.html", context)


@form_page(imports.ACT)
def mapping(request: PageRequest, club: str, number: int) -> HttpResponse:
    """Show one kept mapping; give it another name, or forget it."""
    found = clubs.club_at(request.actor, club)
    kept = imports.map_at(found, number)
    name = kept.name
    form = MappingNameForm(
        request.POST if "rename" in request.POST else None, initial={"name": name}
    )
    if "forget" in request.POST:
        delete_mapping(actor=request.actor, kept=kept, now=timezone.now())
        messages.success(request, gettext("Mapping %(name)s deleted.") % {"name": name})
        return redirect("tournaments:mappings", club=club)
    if form.is_bound and form.is_valid():
        typed = form.cleaned_data["name"]
        if attempt(form, lambda: _rename(request, kept, typed)):
            messages.success(request, gettext("Mapping renamed to %(name)s.") % {"name": kept.name})
            return redirect("tournaments:mapping", club=club, number=number)
    crumbs = (layout.club_link(found), layout.mappings_link(found))
    context = {
        "layout": layout.club_layout(request, found, crumbs),
        "club": found,
        "mapping": kept,
        "name": name,
        "columns": _columns_in_words(kept),
        "rows": LAYOUTS[kept.plan["rows"]],
        "form": form,
    }
    return render_form(request, "imports/mapping.html", context, form)


def _columns_in_words(kept: ColumnMap) -> list[tuple[str, str]]:
    """Return each column with what it is, in words."""
    players = kept.plan.get("players", {})
    return [
        (head, f"{means.replace('_', ' ').replace(':', ' ')} {players.get(head, '')}".strip())
        for head, means in kept.plan["columns"].items()
        if means != IGNORE
    ]


def _rename(request: PageRequest, kept: ColumnMap, name: str) -> bool:
    rename_mapping(actor=request.actor, kept=kept, name=name, now=timezone.now())
    return True
