"""The preview of a correction, and the pages that delete, restore or undo a stored hand."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import CUT_OFFS
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Forbidden, Missing, problems_of
from tournaments.models.events import Event
from tournaments.selectors.events.events import event_url
from tournaments.selectors.hands import score_sheet, score_sheet_views
from tournaments.selectors.hands.score_sheet_views import (
    HandView,
    Revision,
    TableSheet,
    must_preview,
)
from tournaments.services.hands.record_entry import RecordedHand, record_entry
from tournaments.services.hands.void_hand import undo_hand, void_hand
from tournaments.services.previewing.diff import Preview
from tournaments.services.previewing.run_preview import (
    ChosenHands,
    PreviewOutdated,
    preview,
    save_as_previewed,
)
from tournaments.views.hands.hand_form_fields import natural_number
from tournaments.views.hands.hand_screen import HandScreen, hand_to_correct
from tournaments.views.http.decorators import REFUSED, event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_table
from tournaments.views.http.service_form import ReasonForm, operation_of, posted

T = TypeVar("T")

STAND_IN: Final = "–"
"""The reason that something is tried with before a person wrote one."""

PREVIEWED: Final = "previewed"
"""The field that says what was looked at."""

LOOK: Final = "look"
"""The button that shows what a correction changes."""

BACK: Final = "back"
"""The button that leads from there back to the numbers."""


@dataclass(frozen=True, slots=True)
class PreviewForm:
    """The form that saves a preview: its address, its fields, and its title."""

    action: str
    title: str
    button: str
    fields: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    asks_reason: bool = True
    back: str = ""
    """Value of the button that leads back to the numbers; empty where there are none."""


class VoidForm(ReasonForm):
    """The reason to delete or restore a hand, and the revision of it that the page showed."""

    based_on = forms.IntegerField(widget=forms.HiddenInput)


def preview_text(effect: Preview) -> dict[str, Any]:
    return {"preview": effect, **boundaries_in_words(effect)}


def boundaries_in_words(effect: Preview) -> dict[str, tuple[Any, ...]]:
    """Return the names of the cut-offs that others reach after a change, and of those that stay."""
    rows = [(CUT_OFFS[row["boundary"]], row) for row in effect.crossings]
    return {
        "crossed": tuple(pair for pair in rows if pair[1]["in"] or pair[1]["out"]),
        "stays": tuple(name for name, row in rows if not (row["in"] or row["out"])),
    }


def preview_text_of(
    at: ChosenHands, change: Callable[[], object], *, tells_conflicts: bool = True
) -> dict[str, Any]:
    """Return the preview of a change, or the problems that keep it from being made."""
    try:
        return preview_text(preview(at, change, now=timezone.now()))
    except (Refused, Conflict, Forbidden) as refusal:
        is_told = tells_conflicts or isinstance(refusal, Refused)
        if not is_told:
            return {}
        return {"problems": tuple(map(sentence, problems_of(refusal)))}


def preview_or_save(
    request: PageRequest,
    at: ChosenHands,
    sheet: TableSheet,
    saving: PreviewForm,
    change: Callable[[str], T],
    *,
    is_look: bool = False,
    n_changes: Callable[[T], int] = lambda _: 1,
) -> T | HttpResponse:
    """Return the preview page of `change`, or its result once the preview was confirmed.

    `change` takes the reason. `is_look` requests the preview in any case. `n_changes` returns the
    number of changed hands of its result; by default one.
    """
    digest = "" if is_look else request.POST.get(PREVIEWED, "")
    if digest and saving.reason:
        try:
            return save_as_previewed(
                at,
                lambda: change(saving.reason),
                digest=digest,
                now=timezone.now(),
                n_changes=n_changes,
            )
        except PreviewOutdated as outdated:
            return _page(request, at, sheet, outdated.preview, saving, is_outdated=True)
    effect = preview(at, lambda: change(saving.reason or STAND_IN), now=timezone.now())
    problem = Problem("reason_required", ("reason",)) if digest else None
    return _page(request, at, sheet, effect, saving, problem=problem)


def _page(
    request: PageRequest,
    at: ChosenHands,
    sheet: TableSheet,
    effect: Preview,
    saving: PreviewForm,
    *,
    problem: Problem | None = None,
    is_outdated: bool = False,
) -> HttpResponse:
    event = at.event
    is_one = at.number and not at.more
    context = {
        "effect": preview_text(effect),
        "saving": saving,
        "problem": sentence(problem) if problem else "",
        "is_outdated": is_outdated,
        "leave": event_url("hand", event, at.code, at.number)
        if is_one
        else event_url("table", event, at.code),
    }
    status = 200
    if is_outdated:
        status = 409
    elif problem:
        status = REFUSED
    page = "hands/preview_correction.html"
    return render_table(request, page, event, sheet, context, status=status)


@event_form_page(void_hand)
def void(request: PageRequest, event: Event, code: str, number: int) -> HttpResponse:
    """Ask why a hand is void, and make it so; a void one is restored as its next revision."""
    sheet = score_sheet.table_sheet(event, code)
    hand = score_sheet_views.hand_of(sheet, number)
    form = VoidForm(posted(request))
    at = ChosenHands(event, code, number)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        digest = request.POST.get(PREVIEWED, "")
        based_on = values["based_on"] or 0
        is_restored = "restore" in request.POST
        change = partial(_change, request, event, code, hand, based_on, is_restored=is_restored)
        with form.placing():
            _apply(at, sheet, change, values["reason"], digest)
            notice = _("Done. The totals are updated, and the standings will follow shortly.")
            return done(request, notice, "hand", event, code=code, number=number)
    sheet = score_sheet.table_sheet(event, code)
    hand = score_sheet_views.hand_of(sheet, number)
    is_void = hand.state == "void"
    attempted = partial(_change, request, event, code, hand, hand.revision, is_restored=is_void)
    context = {
        "hand": hand,
        "effect": preview_text_of(at, lambda: attempted(STAND_IN)),
        "form": form,
        "next_revision": hand.revision + 1,
    }
    return render_table(request, "hands/void_hand.html", event, sheet, context, form)


def _apply(
    at: ChosenHands, sheet: TableSheet, change: Callable[[str], object], reason: str, looked: str
) -> object:
    if reason.strip() and (looked or must_preview(at.event, sheet)):
        return save_as_previewed(at, lambda: change(reason), digest=looked, now=timezone.now())
    return change(reason)


def _change(
    request: PageRequest,
    event: Event,
    code: str,
    hand: HandView,
    based_on: int,
    reason: str,
    *,
    is_restored: bool,
) -> object:
    op = operation_of(request)
    game = score_sheet.get_game(event, code)
    number = hand.number
    if not is_restored:
        return void_hand(op, game, number=number, based_on=based_on, reason=reason)
    return record_entry(
        op,
        game,
        number=number,
        entry=hand.entry,
        source="host",
        based_on=based_on,
        reason=reason,
    )


@event_form_page(undo_hand, at_table=True)
def undo_entry(request: PageRequest, event: Event, code: str, number: int) -> HttpResponse:
    """Undo the hand that the actor has just entered, and show its empty form again."""
    to_form = event_url("new-hand", event, code)
    if request.method == "POST":
        game = score_sheet.get_game(event, code)
        try:
            undo_hand(operation_of(request), game, number=number)
        except (Conflict, Missing) as refusal:
            messages.error(request, sentence(refusal.problem))
        else:
            facts = {"hand": number}
            messages.success(request, _("Hand %(hand)s is undone. Enter it again.") % facts)
            to_form += f"?number={number}"
    if request.POST.get("to") == "grid":
        return go_to("grid", event, code=code)
    return redirect(event_url("totals", event, code) if number == 0 else to_form)


@event_form_page(record_entry, at_table=True)
def undo_revision(request: PageRequest, event: Event, code: str, number: int) -> HttpResponse:
    """Restore a hand's state before its newest revision, as a new revision.

    A void hand is restored. The reason is the undo itself; once the results are published, the
    consequences are shown first.
    """
    screen = HandScreen(event, code, number)
    hand = hand_to_correct(screen)
    to_hand = go_to("edit-hand", event, code=code, number=number)
    looked = natural_number(request.POST.get("based_on", ""))
    before = _revision_to_restore(hand, looked)
    if request.method != "POST" or looked is None or before is None:
        return to_hand
    facts = {"hand": number, "number": before.number}
    if problem := _undo_problem(hand, looked, before):
        messages.error(request, sentence(problem))
        return to_hand
    undo = partial(_undo, request, screen, hand, looked, before)
    reason = _("Undo: as in revision %(number)s") % facts
    try:
        if must_preview(event, screen.table):
            saving = PreviewForm(
                action=request.path,
                title=_("Undo: hand %(hand)s") % facts,
                button=_("Save as revision %(number)s") % {"number": hand.revision + 1},
                fields=(("based_on", str(looked)),),
                reason=reason,
                asks_reason=False,
            )
            at = ChosenHands(event, code, number)
            recorded = preview_or_save(request, at, screen.table, saving, undo)
            if isinstance(recorded, HttpResponse):
                return recorded
        else:
            undo(reason)
    except (Conflict, Refused) as refusal:
        messages.error(request, " ".join(map(sentence, problems_of(refusal))))
        return to_hand
    notice = _("Hand %(hand)s is back to revision %(number)s.") % facts
    return done(request, notice, "table", event, code=code)


def _revision_to_restore(hand: HandView, looked: int | None) -> Revision | None:
    if looked is None:
        return None
    number = looked if hand.state == "void" else looked - 1
    return next((revision for revision in hand.revisions if revision.number == number), None)


def _undo_problem(hand: HandView, looked: int, before: Revision) -> Problem | None:
    """Say why a revision is not undone: there are others since, or it changed nothing.

    A second tap is none of these: what it undoes has one revision more, which is its own.
    """
    if hand.revision > looked + 1:
        return Problem("entry_outdated", facts={"yours": looked, "theirs": hand.revision})
    is_same = looked == hand.revision and dict(before.entry) == dict(hand.entry)
    if is_same and hand.state != "void":
        return Problem("undo_changes_nothing", facts={"hand": hand.number})
    return None


def _undo(
    request: PageRequest,
    screen: HandScreen,
    hand: HandView,
    looked: int,
    before: Revision,
    reason: str,
) -> RecordedHand:
    kind = "void-hand" if hand.state == "void" else "hand"
    return record_entry(
        operation_of(request),
        screen.game,
        number=hand.number,
        entry=before.entry,
        source="host",
        based_on=looked,
        key=f"undo-of-{kind}-{hand.number}-revision-{looked}",
        reason=reason,
    )
