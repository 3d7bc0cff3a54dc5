"""What a correction changes, shown before it is saved: its page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import CUT_OFFS
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Forbidden, problems_of
from tournaments.models.events import Event
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.services.previewing.diff import Preview
from tournaments.services.previewing.run_preview import (
    HandRef,
    PreviewOutdated,
    preview,
    save_as_previewed,
)
from tournaments.views.http.decorators import REFUSED
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_table

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


def must_preview(event: Event, sheet: TableSheet) -> bool:
    return event.state in ("closed", "final") or sheet.round_state == "closed"


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
    at: HandRef, change: Callable[[], object], *, tells_conflicts: bool = True
) -> dict[str, Any]:
    """Return the preview of a change, or the problems that keep it from being made."""
    try:
        return preview_text(preview(at, change, now=timezone.now()))
    except (Refused, Conflict, Forbidden) as refusal:
        is_told = tells_conflicts or isinstance(refusal, Refused)
        return {"problems": tuple(map(sentence, problems_of(refusal)))} if is_told else {}


def preview_or_save(
    request: PageRequest,
    at: HandRef,
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
    at: HandRef,
    sheet: TableSheet,
    effect: Preview,
    saving: PreviewForm,
    *,
    problem: Problem | None = None,
    is_outdated: bool = False,
) -> HttpResponse:
    event = at.event
    address: tuple[object, ...] = (event.club.slug, event.slug, at.code)
    is_one = at.number and not at.more
    context = {
        "effect": preview_text(effect),
        "saving": saving,
        "problem": sentence(problem) if problem else "",
        "is_outdated": is_outdated,
        "leave": reverse("tournaments:hand", args=(*address, at.number))
        if is_one
        else reverse("tournaments:table", args=address),
    }
    status = 409 if is_outdated else REFUSED if problem else 200
    page = "hands/preview_correction.html"
    return render_table(request, page, event, sheet, context, status=status)
