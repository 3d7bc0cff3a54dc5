"""The list of imports of an event: upload a file, look at it, confirm or discard it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import chain
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict, JsonObject
from tournaments.documents.read.csv import WIDEST_ROW, Unreadable
from tournaments.documents.read.kinds_of_files import ELSEWHERE, PEOPLE, SEASON
from tournaments.documents.read.people_files import text_of_people
from tournaments.documents.read.season import has_each_player_once
from tournaments.documents.read.source_file import MOST_BYTES as MOST_UNPACKED
from tournaments.documents.read.totals import MOST_ROWS as MOST_OF_TOTALS
from tournaments.documents.sheet_files import sheet_lines, undone_lines
from tournaments.documents.workbooks import MEDIA_TYPE, sheets_book
from tournaments.domain.figures import in_short
from tournaments.domain.imports.alike import alike_findings
from tournaments.domain.imports.import_report import READ_WITHOUT_DOUBT
from tournaments.domain.name_matching import folded
from tournaments.errors import Missing
from tournaments.models.events import Event, EventState
from tournaments.models.imports import BatchState, Holds, ImportBatch, ImportProblem, Upload
from tournaments.policy import Actor
from tournaments.selectors import imports
from tournaments.selectors.clubs import clubs
from tournaments.selectors.events import events
from tournaments.selectors.imports import kinds_of, lost_criteria_text
from tournaments.selectors.standings.opening_values import list_opening_days
from tournaments.services.imports import uploads
from tournaments.services.imports.answer_alike import answer_alike
from tournaments.services.imports.column_mappings import unread_labels
from tournaments.services.imports.import_file import kind_of_upload
from tournaments.services.imports.process_upload import FEW, ROWS, is_small, process_upload
from tournaments.services.imports.resolve_people import (
    add_unknown_players,
    is_about_unknown,
    is_unknown,
    likely_people,
    name_in,
    take_likely_people,
    unknown_people,
)
from tournaments.services.imports.season import season_of
from tournaments.services.imports.undo import request_undo
from tournaments.services.imports.uploads import LARGEST
from tournaments.services.operations import Operation
from tournaments.views.clubs.clubs import preview_players
from tournaments.views.events.adjustments import SeasonListForm, show_season
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_event
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    day_field,
    gives,
    operation_of,
    submit,
)

KINDS_OF_FILES: Final = {Holds.HANDS: _("Hands"), Holds.TOTALS: _("Totals of whole games")}
"""What a file of games may hold → its label."""

OTHER_KINDS: Final = {
    SEASON: ("penalize", _("Season so far")),
    PEOPLE: ("edit_players", _("Players")),
}
"""What a file may hold that is shown on a page of its own → the right and the label."""

WHY: Final = {
    "hand_columns": _("it has columns that only hands have"),
    "running": _("its rows are running totals of hands"),
    "adds_up": _("the points of a row have the total of a hand"),
    "adds_not_up": _("the points of a row do not have the total of a hand"),
    "one_score": _("it has one score for each player and nothing about hands"),
    SEASON: _("it has each player once, with points of evenings or a total"),
    PEOPLE: _("it has names of people and no points"),
}
"""Why a file is taken to hold something."""

KINDS: Final = {
    "all": _("All"),
    "open": _("Pending"),
    "players": _("Players"),
    "sheets": _("Sheets"),
    "stored": _("Already in the event"),
    "notes": _("Notes"),
}
"""The kinds of findings, with their names."""

SHOWN_AS: Final = {text: kind for kind, text in ELSEWHERE.items()}
"""Why a file has no games → the kind that it is shown as."""


def kind_context(event: Event, upload: Upload) -> JsonDict:
    """Return what a file is read as, why (where it looks so), and all kinds."""
    kind, why = kind_of_upload(event, upload)
    return {
        "kind_of_file": KINDS_OF_FILES.get(Holds(upload.holds), ""),
        "why_kind": WHY.get(why, "") if kind == upload.holds else "",
        "holds": upload.holds,
        "kinds_of_files": _kinds_for(event),
        "other_sheets": upload.other_sheets,
        "upload": upload,
    }


def _kinds_for(event: Event) -> list[tuple[str, str | Promise]]:
    others = (
        (key, label) for key, (right, label) in OTHER_KINDS.items() if clubs.may_do(event, right)
    )
    return [*((str(key), label) for key, label in KINDS_OF_FILES.items()), *others]


def import_steps(now: int, n_people: int = 0, n_rows: int = 0) -> list[tuple[str, int, str]]:
    """Return the steps of an import: their names, what is left, and `done`, `now` or nothing."""
    names = gettext("Columns"), gettext("People"), gettext("Rows"), gettext("Import")
    counts = 0, n_people, n_rows, 0
    steps = []
    for at, (name, n) in enumerate(zip(names, counts, strict=True)):
        state = ""
        if at == now:
            state = "now"
        elif at < now:
            state = "done"
        steps.append((name, n, state))
    return steps


def show_as(request: PageRequest, event: Event, kind: str, content: bytes) -> HttpResponse:
    """Show the season, or the people, in a file on the page that adds them; or raise Unreadable."""
    read_as: JsonDict = {
        "event": event,
        "kind_of_file": OTHER_KINDS[kind][1],
        "why_kind": WHY[kind],
        "holds": kind,
        "kinds_of_files": _kinds_for(event),
    }
    if kind == PEOPLE:
        read_as["text"] = text_of_people(content)
        data = QueryDict(mutable=True)
        data["names"] = read_as["text"]
        return preview_players(request, event.club, data, {"read_as": read_as})
    season, read_as["text"] = season_of(event, content, now=timezone.now(), until=None)
    if not has_each_player_once(season):
        read_as["why_kind"] = ""
    form = SeasonListForm(initial={"text": read_as["text"]})
    form.season = form.read_evenings(season)
    return show_season(request, event, form, {"read_as": read_as})


def may_show_as(event: Event, kind: str) -> bool:
    return kind in OTHER_KINDS and clubs.may_do(event, OTHER_KINDS[kind][0])


def _new_parts(outline: JsonObject) -> Iterator[str]:
    """Yield what an import makes; a preview that was stored before this was told has it all."""
    yield from _evenings_and_tables(
        outline.get("new_evenings", outline["evenings"]),
        outline.get("new_tables", outline["tables"]),
    )
    if new_rounds := outline["new_rounds"]:
        yield ngettext("new round %(numbers)s", "new rounds %(numbers)s", len(new_rounds)) % {
            "numbers": in_short(new_rounds)
        }


def _existing_parts(outline: JsonObject) -> Iterator[str]:
    """Yield what gets hands of the file, and is in the event already."""
    new_days = outline.get("new_evenings", outline["evenings"])
    n_new_tables = outline.get("new_tables", outline["tables"])
    days = [day for day in outline["evenings"] if day not in new_days]
    yield from _evenings_and_tables(days, outline["tables"] - n_new_tables)
    if event_rounds := outline["rounds"]:
        yield ngettext("round %(numbers)s", "rounds %(numbers)s", len(event_rounds)) % {
            "numbers": in_short(event_rounds)
        }


def _evenings_and_tables(days: Sequence[str], n_tables: int) -> Iterator[str]:
    if days:
        first, last = (
            formats.date_format(date.fromisoformat(day), "j M Y") for day in (days[0], days[-1])
        )
        span = first if first == last else f"{first} – {last}"
        n = len(days)
        yield ngettext("%(n)d evening (%(days)s)", "%(n)d evenings (%(days)s)", n) % {
            "n": n,
            "days": span,
        }
    if n_tables:
        yield ngettext("%(n)d table", "%(n)d tables", n_tables) % {"n": n_tables}


@event_page(imports.RIGHT)
def batches(request: PageRequest, event: Event) -> HttpResponse:
    context = {
        "batches": tuple(imports.batches_of(event)),
        "why_not": imports.why_no_import(event),
        "may_open": _may_open(event),
    }
    return render_event(request, "imports/imports.html", event, context)


def _may_open(event: Event) -> bool:
    return event.state == EventState.DRAFT and clubs.may_do(event, "manage_event")


def _get_event(actor: Actor, club: str, event: str) -> Event:
    the_event = events.get_event(actor, club, event)
    if not imports.may_import(the_event):
        raise Missing("import")
    return the_event


@event_page(imports.RIGHT, find=_get_event)
def sheets_csv(request: PageRequest, event: Event) -> HttpResponse:
    return _csv(sheet_lines(event), f"{event.club.slug}-{event.slug}-sheets.csv")


@event_page(imports.RIGHT, find=_get_event)
def sheets_xlsx(request: PageRequest, event: Event) -> HttpResponse:
    return _file(sheets_book(event), f"{event.club.slug}-{event.slug}-sheets.xlsx", MEDIA_TYPE)


@event_page(imports.RIGHT)
def undone_csv(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Return the hands that an undo removed, in the columns of an import."""
    undone = imports.batch_at(event, number)
    return _csv(undone_lines(undone), f"{event.club.slug}-{event.slug}-import-{number}-undone.csv")


def _csv(lines: Iterable[str], name: str) -> HttpResponse:
    return _file("".join(lines), name, "text/csv; charset=utf-8")


def _file(content: bytes | str, name: str, media_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _place(row: ImportProblem) -> str:
    names = ((_("round %s"), row.round), (_("table %s"), row.table), (_("hand %s"), row.hand))
    place = ", ".join(text % number for text, number in names if number)
    return capfirst(place or gettext("whole file"))


@event_page(imports.RIGHT)
def batch(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Show one import with its problems, open ones first; or its progress.

    An htmx request after the import has ended reloads the page.
    """
    batch = imports.batch_at(event, number)
    upload = imports.file_of(batch)
    problems = imports.problems_of(batch)
    view = imports.import_view(event, batch, upload, problems)
    context = {"view": view, "batch": batch, "event": event}
    if request.htmx and view["is_worked_on"]:
        return render(request, "imports/_import_progress.html", context)
    outline = upload.outline if upload is not None and view["is_preview"] else None
    outline_text = ""
    existing_text = ""
    if outline and outline["tables"]:
        outline_text = ", ".join(_new_parts(outline))
        existing_text = ", ".join(_existing_parts(outline))
    doubtful = [row for row in problems if row.code not in READ_WITHOUT_DOUBT]
    n_of = Counter(chain.from_iterable(map(kinds_of, doubtful)))
    if upload is not None and view["is_preview"] and view["is_open"]:
        context |= kind_context(event, upload)
    kind = request.GET.get("kind", "all")
    may_add = view["may_settle"] and clubs.may_do(event, "edit_players")
    people = unknown_people(event.club, problems) if may_add and upload is not None else []
    people = people if len(people) > 1 else []
    lines_of_people = {person.line for person in people}
    names_of_people = {folded(name_in(row)) for row in problems if row.position in lines_of_people}
    likely = likely_people(problems) if view["may_settle"] and upload is not None else []
    alike = alike_findings(problems) if view["may_settle"] and upload is not None else []
    names_of_likely = {person.name for person in likely}
    others = [
        row
        for row in doubtful
        if not (is_unknown(row) and folded(name_in(row)) in names_of_people)
        and not (is_about_unknown(row) and name_in(row) in names_of_likely)
    ]
    if kind == "all":
        doubtful = others
    n_rows = sum("open" in kinds_of(row) for row in others)
    context |= {
        "is_clean": _is_clean(view, batch),
        "unread": unread_labels(upload) if upload is not None else (),
        "first_hands": outline["first"] if outline and "first" in outline else (),
        "steps": import_steps(
            _step(view, [*likely, *people], n_rows), len(likely) + len(people), n_rows
        ),
        "likely_people": likely,
        "may_add_members": clubs.may_do(event, "edit_players"),
        "unknown_people": people,
        "alike_findings": alike,
        "outline": outline_text,
        "existing": existing_text,
        "opening_days": list_opening_days(event, outline["evenings"]) if outline else (),
        "loses_places": imports.loses_places(event, outline) if outline else False,
        "lost_criteria": lost_criteria_text(event, outline) if outline else "",
        "groups": [
            (_place(rows[0]), rows)
            for rows in imports.problems_by_hand(row for row in doubtful if kind in kinds_of(row))
        ],
        "kind": kind,
        "kinds": [(key, label, n_of[key]) for key, label in KINDS.items() if n_of[key]],
        "readings": [row for row in problems if row.code in READ_WITHOUT_DOUBT],
    }
    crumbs = (layout.imports_link(event),)
    response = render_event(request, "imports/import.html", event, context, crumbs=crumbs)
    if request.htmx:
        response["HX-Refresh"] = "true"
    return response


def _is_clean(view: JsonObject, batch: ImportBatch) -> bool:
    """Whether a checked file brings hands and leaves no question; `batch` has `n_open`."""
    n_open: int = getattr(batch, "n_open", 0)
    return view["is_preview"] and view["is_open"] and batch.added > 0 and n_open == 0


def _step(view: JsonObject, people: Sequence[object], n_rows: int) -> int:
    is_open = (view["asks_columns"], people, n_rows, view["is_preview"])
    return next((at for at, each in enumerate(is_open) if each), len(is_open))


class UploadForm(ServiceForm):
    file = forms.FileField(
        label=_("File"),
        help_text=_(
            "CSV, XLSX or ODS, up to %(most)s MB. A spreadsheet may unpack to %(unpacked)s MB: "
            "save a larger one as CSV. A file has at most %(columns)s columns, and one of totals "
            "at most %(rows)s rows."
        )
        % {
            "most": LARGEST // 1024 // 1024,
            "unpacked": MOST_UNPACKED // 1024 // 1024,
            "columns": WIDEST_ROW,
            "rows": MOST_OF_TOTALS,
        },
        max_length=255,
        allow_empty_file=True,  # the service says in a sentence what is wrong with it
        widget=forms.FileInput(
            attrs={
                "data-max-bytes": LARGEST,
                "data-too-large": _("This file is too large. The maximum is %(most)s MB.")
                % {"most": LARGEST // 1024 // 1024},
            }
        ),
    )
    text = forms.CharField(
        label=_("Or the rows, pasted"),
        strip=False,
        help_text=_("Copy them with their column names from your spreadsheet, or from a chat."),
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
    )
    holds = forms.ChoiceField(
        label=_("Contents of the file"),
        help_text=_(
            "For totals, use one row per game (date, round, table, player 1, score 1 …) or one "
            "row per player and game (round, table, player, points)."
        ),
        choices=((Holds.AUTO, _("As the file looks")), *KINDS_OF_FILES.items()),
    )
    variant = forms.CharField(
        label=_("Game, if not in the file"),
        help_text=_("If empty, the event's game is used."),
        max_length=120,
    )
    day = day_field(_("Date, if not in the file"))

    @property
    def sources(self) -> list[forms.BoundField]:
        """The fields for the file and for pasted rows."""
        return [self[name] for name in ("file", "text")]

    @property
    def options(self) -> list[forms.BoundField]:
        """The fields for what a file may leave out."""
        return [self[name] for name in ("holds", "variant", "day")]

    @property
    def has_options(self) -> bool:
        """Whether one of these was filled in, or refused."""
        chosen = [field.value() for field in self.options if field.value()]
        return chosen not in ([], [Holds.AUTO]) or any(field.errors for field in self.options)

    @gives("name", "content", "holds", "variant", "day")
    def get_arguments(self) -> JsonDict:
        arguments = dict(self.cleaned_data)
        file, text = arguments.pop("file"), arguments.pop("text")
        name = gettext("Pasted rows")
        content = text.encode()
        if file is not None:
            file.seek(0)
            name = file.name
            content = file.read()
        holds = arguments["holds"] or Holds.AUTO
        return {**arguments, "name": name, "content": content, "holds": holds}


@event_form_page((uploads.store_upload, UploadForm))
def upload(request: PageRequest, event: Event) -> HttpResponse:
    if request.method != "POST" or imports.why_no_import(event):
        return _ask(request, event, UploadForm())
    form = UploadForm(request.POST, request.FILES)
    batch = submit(request, form, uploads.store_upload, event)
    if batch is None:
        return _ask(request, event, form)
    if is_small(form.get_arguments()["content"]):
        process_upload(batch.pk, now=timezone.now())
        batch.refresh_from_db(fields=["state"])
        if batch.state == BatchState.MAPPING:
            return go_to("column-mapping", event, number=batch.number)
        if fault := imports.fault_of(batch):
            uploads.discard_upload(operation_of(request), batch)
            kind = SHOWN_AS.get(fault, "")
            if may_show_as(event, kind):
                try:
                    return show_as(request, event, kind, form.get_arguments()["content"])
                except Unreadable as unreadable:
                    fault = str(unreadable)
            form.add_error("file", fault)
            return _ask(request, event, form)
    return go_to("import", event, number=batch.number)


@event_form_page(uploads.confirm_upload)
def confirm(request: PageRequest, event: Event, number: int) -> HttpResponse:
    return _press(request, event, number, uploads.confirm_upload, lambda b: b.rows <= ROWS)


@event_form_page(add_unknown_players)
def add_people(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Add the unknown people of a file to the club: all, or those chosen."""
    names = None if "all" in request.POST else request.POST.getlist("name")

    def add(op: Operation, batch: ImportBatch) -> None:
        n = add_unknown_players(op, batch, names=names)
        text = ngettext("%(n)s player added.", "%(n)s players added.", n)
        messages.success(request, text % {"n": n})

    return _press(request, event, number, add, lambda batch: batch.rows <= ROWS)


@event_form_page(take_likely_people)
def take_likely(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Take names of a file for the players whom they are likely short for: all, or those chosen."""
    names = None if "all" in request.POST else request.POST.getlist("name")

    def take(op: Operation, batch: ImportBatch) -> None:
        n = take_likely_people(op, batch, names=names)
        text = ngettext("%(n)s name is known now.", "%(n)s names are known now.", n)
        messages.success(request, text % {"n": n})

    return _press(request, event, number, take, lambda batch: batch.rows <= ROWS)


@event_form_page(answer_alike)
def answer_all(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Answer all open findings of one kind alike."""
    code = request.POST.get("code", "")
    answer = request.POST.get("answer", "")
    reason = request.POST.get("reason", "")

    def give(op: Operation, batch: ImportBatch) -> None:
        n = answer_alike(op, batch, code=code, answer=answer, reason=reason)
        text = ngettext("%(n)s finding is answered.", "%(n)s findings are answered.", n)
        messages.success(request, text % {"n": n})

    return _press(request, event, number, give, lambda batch: batch.rows <= ROWS)


@event_form_page(uploads.discard_upload)
def discard(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Delete a file that has no hands in the event."""
    batch = imports.batch_at(event, number)
    if request.method == "POST":
        with RefusalMessages(request):
            uploads.discard_upload(operation_of(request), batch)
            text = gettext("%(file)s was discarded. None of its hands were in the event.")
            return done(request, text % {"file": batch.file_name}, "imports", event)
    return go_to("import", event, number=number)


@event_form_page(request_undo)
def undo(request: PageRequest, event: Event, number: int) -> HttpResponse:
    batch = imports.batch_at(event, number)
    counts = imports.count_imported_hands(batch)
    is_shown = request.method != "POST"
    if not event.is_open or (is_shown and not imports.may_be_undone(event, batch)):
        return go_to("import", event, number=number)  # its page says what keeps it
    if is_shown:
        crumbs = (layout.imports_link(event),)
        context = {"batch": batch, "brought": counts}
        return render_event(request, "imports/import_undo.html", event, context, crumbs=crumbs)
    return _press(request, event, number, request_undo, lambda _: counts["hands"] <= FEW)


@event_form_page(uploads.retry_upload)
def restart_import(request: PageRequest, event: Event, number: int) -> HttpResponse:
    return _press(request, event, number, uploads.retry_upload)


def _press(
    request: PageRequest,
    event: Event,
    number: int,
    operation: Callable[[Operation, ImportBatch], None],
    may_process: Callable[[ImportBatch], bool] = lambda batch: False,
) -> HttpResponse:
    """Run the operation of a button, process a small file at once, and show its page again."""
    batch = imports.batch_at(event, number)
    if request.method == "POST":
        with RefusalMessages(request):
            operation(operation_of(request), batch)
            if may_process(batch):
                process_upload(batch.pk, now=timezone.now())
    return go_to("import", event, number=number)


def _ask(request: PageRequest, event: Event, form: UploadForm) -> HttpResponse:
    why_not = imports.why_no_import(event)
    crumbs = (layout.imports_link(event),)
    context = {"form": form, "why_not": why_not, "may_open": _may_open(event)}
    is_refused = bool(form.errors) or (request.method == "POST" and bool(why_not))
    status = REFUSED if is_refused else 200
    return render_event(
        request, "imports/upload.html", event, context, crumbs=crumbs, status=status
    )
