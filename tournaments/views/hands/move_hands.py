"""Hands at the wrong table: the form, its preview, saving and undo, and the moves in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.messages import sentence
from tournaments.domain.table_codes import round_and_table
from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.selectors.events.events import event_url
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.rounds.moved_hands import TableChoice, list_moves, tables_of_meeting
from tournaments.selectors.rounds.tables import table_seating
from tournaments.services.hands.move_hands import (
    MovedHands,
    move_hands,
    undo_move,
    undo_problem,
)
from tournaments.services.previewing.diff import Preview
from tournaments.services.previewing.preview_changes import change_as_previewed, preview_players
from tournaments.services.previewing.run_preview import PreviewOutdated
from tournaments.templatetags.tables import round_of
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.hands.preview_correction import PREVIEWED, STAND_IN, boundaries_in_words
from tournaments.views.http.decorators import REFUSED, event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_table
from tournaments.views.http.service_form import RefusalMessages, ServiceForm, operation_of

ACTS: Final = (
    ("move", gettext_lazy("These hands belong to that table")),
    ("exchange", gettext_lazy("Exchange the sheets of both tables")),
)


class MoveForm(ServiceForm):
    """Which hands belong to which table; `tables` are code and words of the others."""

    required_fields = ("act", "to")
    act = forms.ChoiceField(label=gettext_lazy("What to do"), choices=ACTS)
    to = forms.ChoiceField(
        label=gettext_lazy("Table"),
        help_text=gettext_lazy("The table at which the hands were played."),
    )
    from_hand = forms.IntegerField(
        label=gettext_lazy("From hand"),
        min_value=1,
        max_value=999,
        help_text=gettext_lazy("Enter 1 to move the whole sheet."),
        error_messages={"invalid": gettext_lazy("Enter the number of a hand, for example 3.")},
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        tables: Sequence[tuple[str, str]],
    ) -> None:
        super().__init__(data, initial={"from_hand": 1, "act": "move"})
        to_field: Any = self.fields["to"]
        to_field.choices = tables
        self.order_fields(["act", "to", "from_hand"])


class _TableRequest:
    """A request's table in its current state, and the tag of the page that was submitted."""

    def __init__(self, request: PageRequest, event: Event, code: str) -> None:
        self.event = event
        self.sheet = score_sheet.table_sheet(event, code)
        self.game = score_sheet.get_game(event, code)
        self.seating = table_seating(event, code)
        self.tag = request.POST.get("tag", "") or self.seating["tag"]

    @property
    def tables(self) -> list[tuple[str, str]]:
        return [
            (table.code, _table_in_words(self.event, table))
            for table in tables_of_meeting(self.event, self.game.table)
        ]


def _table_in_words(event: Event, table: TableChoice) -> str:
    facts = {
        "round": round_of(table.round, event),
        "table": table.number,
        "names": ", ".join(table.names),
    }
    if not table.names:
        return _("Round %(round)s, table %(table)s") % facts
    return _("Round %(round)s, table %(table)s: %(names)s") % facts


@event_form_page(move_hands)
def move_page(request: PageRequest, event: Event, code: str) -> HttpResponse:
    target = _TableRequest(request, event, code)
    undo = number_in(request.POST.get("undo", "") or request.GET.get("undo", ""))
    if undo is not None:
        return _undo(request, target, undo)
    data = request.POST if request.method == "POST" else None
    form = MoveForm(data, tables=target.tables)
    if request.method != "POST" or request.POST.get("go") == "back" or not form.is_valid():
        return _ask(request, target, form)
    values = form.cleaned_data
    to = score_sheet.get_game(event, values["to"])
    from_hand = 1 if values["act"] == "exchange" else values["from_hand"] or 1
    fields = (("act", values["act"]), ("to", values["to"]), ("from_hand", str(from_hand)))
    op = operation_of(request)

    def save(reason: str) -> MovedHands:
        return move_hands(
            op,
            target.game,
            to=to,
            act=values["act"],
            from_hand=from_hand,
            reason=reason,
            tag=target.tag,
        )

    with form.placing():
        return _preview_or_save(request, target, save, fields)
    return _ask(request, target, form)


def _undo(request: PageRequest, target: _TableRequest, line: int) -> HttpResponse:
    op = operation_of(request)

    def undo(reason: str) -> MovedHands:
        return undo_move(op, target.game, line=line, reason=reason, tag=target.tag)

    with RefusalMessages(request):
        return _preview_or_save(request, target, undo, (("undo", str(line)),), is_undo=True)
    return redirect(event_url("table", target.event, target.sheet.code))


def _ask(request: PageRequest, target: _TableRequest, form: MoveForm) -> HttpResponse:
    page = "hands/move_hands.html"
    context = {
        "form": form,
        "tag": target.seating["tag"],
        "reason": request.POST.get("reason", ""),
    }
    return render_table(request, page, target.event, target.sheet, context, form)


def _preview_or_save(
    request: PageRequest,
    target: _TableRequest,
    change: Callable[[str], MovedHands],
    fields: Sequence[tuple[str, str]],
    *,
    is_undo: bool = False,
) -> HttpResponse:
    digest = request.POST.get(PREVIEWED, "")
    reason = request.POST.get("reason", "").strip()
    now = timezone.now()
    event = target.event
    code = target.sheet.code
    is_outdated = False
    problem = ""
    if digest and reason:
        try:
            change_as_previewed(event, code, lambda: change(reason), digest=digest, now=now)
        except PreviewOutdated as outdated:
            preview = outdated.preview
            is_outdated = True
        else:
            notice = _(
                "Hands moved. The totals are updated, and the standings will follow shortly."
            )
            messages.success(request, notice)
            return redirect(event_url("table", event, code))
    else:
        preview = preview_players(event, code, lambda: change(reason or STAND_IN), now=now)
        problem = sentence(Problem("reason_required")) if digest else ""
    return _preview_page(
        request,
        target,
        preview,
        (*fields, ("tag", target.tag)),
        problem=problem,
        is_outdated=is_outdated,
        is_undo=is_undo,
    )


def _preview_page(
    request: PageRequest,
    target: _TableRequest,
    preview: Preview,
    fields: Sequence[tuple[str, str]],
    *,
    problem: str,
    is_outdated: bool,
    is_undo: bool,
) -> HttpResponse:
    context = {
        "preview": preview,
        "effect": boundaries_in_words(preview),
        "fields": fields,
        "back_url": event_url("table", target.event, target.sheet.code),
        "is_undo": is_undo,
        "reason": request.POST.get("reason", ""),
        "problem": problem,
        "is_outdated": is_outdated,
    }
    status = 200
    if problem:
        status = REFUSED
    if is_outdated:
        status = 409
    page = "hands/preview_move_hands.html"
    return render_table(request, page, target.event, target.sheet, context, status=status)


def moves_in_words(
    actor: Actor, event: Event, code: str, *, may_undo: bool
) -> list[dict[str, object]]:
    """Return the moves of hands from and to a table, the newest first.

    For a reader who may undo moves, `undo` of the newest is its number, or `no_undo` why it cannot
    be undone.
    """
    moves = list_moves(event, code)
    rows: list[dict[str, object]] = [
        {"text": move_in_words(move.facts), "reason": move.reason} for move in moves
    ]
    if moves and may_undo:
        problem = undo_problem(actor, event, moves[0])
        if problem is None:
            rows[0]["undo"] = moves[0].pk
        else:
            rows[0]["no_undo"] = sentence(problem)
    return rows


def move_in_words(facts: JsonObject) -> str:
    words = {"source": _place(facts["from"]), "target": _place(facts["to"])}
    if facts["act"] == "exchange":
        return _("The sheets of %(source)s and %(target)s were exchanged.") % words
    if facts["act"] == "undo":
        return _("A move between %(source)s and %(target)s was undone.") % words
    n = len(facts["hands"])
    told = ngettext(
        "%(n)s hand of %(source)s went to %(target)s.",
        "%(n)s hands of %(source)s went to %(target)s.",
        n,
    )
    return told % (words | {"n": n})


def _place(code: str) -> str:
    round_, table = round_and_table(code)
    return _("round %(round)s, table %(table)s") % {"round": round_, "table": table}


def moved_hands(event: Event, code: str, problem: Problem) -> dict[str, object]:
    """Return what a page says where `problem` refused an entry because hands of its table were
    moved."""
    facts = problem.facts
    moves = list_moves(event, code)
    return {
        "says": sentence(problem),
        "what": move_in_words(moves[0].facts) if moves else "",
        "reason": moves[0].reason if moves else "",
        "code": facts["code"],
        "table": facts["other"],
        "round": facts["round"],
    }
