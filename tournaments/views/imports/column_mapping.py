"""What the columns of a foreign file are: asked on a page, and kept for the club."""

from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Refused
from tournaments.forms.http.service_form import attempt
from tournaments.forms.imports.column_mapping import ColumnsForm, MappingNameForm
from tournaments.importers import upload_mapping
from tournaments.importers.mapping.plan import labels_of, plan_from
from tournaments.importers.process_upload import has_small_file, process_upload
from tournaments.importers.upload_mapping import MappingAnswers, ProposedMapping
from tournaments.messages import sentence
from tournaments.models.column_maps import DATES, HANDS, IGNORE, NAMES, SEATS, ColumnMap
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, ImportBatch, Upload
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.imports import column_mappings, imports
from tournaments.services.imports.column_mappings import delete_mapping, rename_mapping
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.form_response import posted, render_form
from tournaments.views.http.layout import PageRequest

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
            say = _(
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
        "mappings": tuple(column_mappings.maps_of(found)),
    }
    return render(request, "imports/mappings.html", context)


@form_page(imports.ACT)
def mapping(request: PageRequest, club: str, number: int) -> HttpResponse:
    """Show one kept mapping; give it another name, or forget it."""
    found = clubs.club_at(request.actor, club)
    kept = column_mappings.map_at(found, number)
    name = kept.name
    form = MappingNameForm(
        request.POST if "rename" in request.POST else None, initial={"name": name}
    )
    if "forget" in request.POST:
        delete_mapping(actor=request.actor, kept=kept, now=timezone.now())
        messages.success(request, _("Mapping %(name)s deleted.") % {"name": name})
        return redirect("tournaments:mappings", club=club)
    if form.is_bound and form.is_valid():
        typed = form.cleaned_data["name"]
        if attempt(form, lambda: _rename(request, kept, typed)):
            messages.success(request, _("Mapping renamed to %(name)s.") % {"name": kept.name})
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
