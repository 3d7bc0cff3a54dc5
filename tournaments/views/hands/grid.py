"""The pile: one table's sheet after the other, typed in a grid from the keyboard."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.domain.event_settings import settings_of
from tournaments.forms.hands.entry_fields import number_in
from tournaments.forms.hands.grid import MOST_ROWS, GridDraft, RowOutcome, posted_rows
from tournaments.forms.hands.grid_paste import LONGEST_BLOCK, PastedBlock, is_too_long, pasted
from tournaments.models.events import Event
from tournaments.models.meetings import Round
from tournaments.presenters.hands.repeated_sheets import RepeatedSheet
from tournaments.previewing.run_preview import HandRef
from tournaments.selectors.events import events
from tournaments.selectors.hands.double_entry import SheetTwice, twice_in
from tournaments.selectors.rounds.sheet_stack import StackedSheet, next_missing, pile_of, twice_of
from tournaments.services.db.dry_run import rehearsal
from tournaments.services.hands.lock_hands import hold_table
from tournaments.services.hands.record_entry import LAST_HAND
from tournaments.views.hands.grid_actions import filled, mended, more, turn
from tournaments.views.hands.grid_context import GridContext
from tournaments.views.hands.preview_correction import (
    PREVIEWED,
    STAND_IN,
    PreviewForm,
    looked_at,
    must_look,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import REFUSED, form_page
from tournaments.views.http.layout import PageRequest

LONGEST_REASON: Final = 500
LOOK: Final = "look"
"""The button that shows what corrections change."""
BACK: Final = "back"
"""The button that leads from there back to the rows."""
NOT_KEPT: Final = frozenset({
    "csrfmiddlewaretoken", "go", "reason", PREVIEWED, "paste", "paste_at", "not_twice"
})  # fmt: skip
"""Fields that a preview does not send on."""
ANYWAY: Final = "anyway"
"""The button that saves hands which another sheet has already; what follows it is to come then."""
CANCEL: Final = "cancel"
"""The button that saves nothing."""
NOT_TWICE: Final = "not_twice"
"""The field by which a preview knows that the author was asked."""
ASKED: Final = 409
"""The status of a page that asks before anything is stored."""


@form_page("enter_hand")
def grid(request: PageRequest, club: str, event: str, code: str) -> HttpResponse:
    """Show all hands of a table as rows to type in, or take them in."""
    desk = GridContext(events.event_at(request.actor, club, event), code)
    if desk.is_empty:
        return redirect("tournaments:new-hand", club, event, code)
    if desk.has_totals:
        messages.info(request, _("This sheet has the totals of its game only, and no hands."))
        return redirect("tournaments:table", club, event, code)
    if request.method == "POST":
        return _take(request, desk)
    begin = number_in(request.GET.get("from", "")) or 1
    way = request.GET.get("way", "")
    drafts = desk.drafts(way, from_hand=begin if 1 <= begin <= LAST_HAND else 1)
    return _show(request, desk, drafts, {})


@form_page("enter_hand")
def pile(request: PageRequest, club: str, event: str, number: int) -> HttpResponse:
    """Show which sheets of a round are in and which are missing: where typing a pile begins."""
    found = events.event_at(request.actor, club, event)
    shown = events.round_at(found, number)
    is_twice = settings_of(found).double_entry
    sheets = _pile(found, shown, twice_in(found, shown) if is_twice else None)
    before, after = events.neighbouring_rounds(found, number)
    links = (layout.event_link(found), layout.round_link(found, number))
    context = {
        "frame": layout.event_frame(request, found, links),
        "event": found,
        "round": shown,
        "pile": sheets,
        "twice": twice_of(sheets) if is_twice else None,
        "n_missing": sum(not one.is_in for one in sheets),
        "first": next((one for one in sheets if not one.is_in), None),
        "previous": before,
        "next": after,
    }
    return render(request, "rounds/sheet_stack.html", context)


def _take(request: PageRequest, desk: GridContext) -> HttpResponse:
    """Do what the pressed button says: change the rows, or save what is good."""
    drafts = list(posted_rows(desk.sheet, request.POST.dict()))
    button, _colon, what = request.POST.get("go", "").partition(":")
    if button == CANCEL:
        return _show(request, desk, drafts, {})
    if button == "paste":
        return _paste(request, desk, drafts, what)
    if button == "more":
        drafts += more(desk, drafts)
    elif button == "way":
        turn(desk, drafts, what)
    elif button == "theirs":
        drafts = [desk.draft(one.number) if str(one.number) == what else one for one in drafts]
    elif button != BACK and (button != "row" or mended(desk, drafts, what)):
        return _asked_or_saved(request, desk, drafts, then=what if button == ANYWAY else button)
    return _show(request, desk, drafts, {})


def _asked_or_saved(
    request: PageRequest, desk: GridContext, drafts: Sequence[GridDraft], *, then: str
) -> HttpResponse:
    """Save the rows; hands that another sheet has already are asked about before anything is."""
    if not _is_no_repetition(request) and (repeated := desk.repeated(drafts)):
        return _show(request, desk, drafts, {}, status=ASKED, repeated=repeated, then=then)
    return _save_or_show(request, desk, drafts, then=then)


def _is_no_repetition(request: PageRequest) -> bool:
    """Whether the author said that no sheet is entered twice, before a preview or now."""
    return NOT_TWICE in request.POST or request.POST.get("go", "").startswith(ANYWAY)


def _save_or_show(
    request: PageRequest, desk: GridContext, drafts: Sequence[GridDraft], *, then: str
) -> HttpResponse:
    """Save the rows; corrections of results that are out show first what they change.

    Args:
        then: `next` to go on to the next table that is missing, `look` to see what changes.
    """
    is_look = then == LOOK
    if not (is_look or must_look(desk.event, desk.table)):
        return _save(request, desk, drafts, then=then)
    now, reason = timezone.now(), _reason(request)
    with rehearsal():
        hold_table(desk.game)
        tried = desk.record(request.actor, drafts, reason=reason or STAND_IN, now=now)
    numbers = tuple(number for number in _saved_in(tried) if number in desk.hands)
    if _has_wrong(tried):
        return _show(request, desk, drafts, _unsaved(tried), status=REFUSED)
    if not numbers and is_look:
        messages.info(request, _("No hand that is there is changed."))
        return _show(request, desk, drafts, {})
    if not numbers:
        return _save(request, desk, drafts, then=then)

    def change(reason: str) -> Mapping[int, RowOutcome]:
        done = desk.record(request.actor, drafts, reason=reason, now=now)
        if _has_wrong(done):
            raise _RowsRefused(done)
        return done

    title = _("Correct table %(number)s") % {"number": desk.table.number}
    saving = PreviewForm(
        action=request.path,
        title=title,
        button=ngettext("Save %(n)s hand", "Save %(n)s hands", len(numbers)) % {"n": len(numbers)},
        fields=(
            *((name, one) for name, one in request.POST.dict().items() if name not in NOT_KEPT),
            *(((NOT_TWICE, "1"),) if _is_no_repetition(request) else ()),
        ),
        reason=reason,
        back=BACK,
    )
    at = HandRef(desk.event, desk.code, numbers[0], numbers[1:])
    try:
        done = looked_at(
            request,
            at,
            desk.table,
            saving,
            change,
            is_look=is_look,
            n_changes=lambda done: len(_saved_in(done)),
        )
    except _RowsRefused as refused:
        there = GridContext(desk.event, desk.code)
        return _show(request, there, drafts, _unsaved(refused.outcomes), status=REFUSED)
    if isinstance(done, HttpResponse):
        return done
    messages.success(request, _saved_said(GridContext(desk.event, desk.code), len(numbers)))
    return redirect("tournaments:grid", desk.event.club.slug, desk.event.slug, desk.code)


class _RowsRefused(Exception):
    """Rows that could be saved when they were looked at, and cannot now; none of them is."""

    def __init__(self, outcomes: Mapping[int, RowOutcome]) -> None:
        super().__init__()
        self.outcomes = outcomes


def _saved_in(outcomes: Mapping[int, RowOutcome]) -> tuple[int, ...]:
    return tuple(number for number, one in sorted(outcomes.items()) if one.kind == "saved")


def _has_wrong(outcomes: Mapping[int, RowOutcome]) -> bool:
    return any(one.kind in ("refused", "conflict") for one in outcomes.values())


def _unsaved(outcomes: Mapping[int, RowOutcome]) -> dict[int, RowOutcome]:
    """What is wrong with rows of which none was saved."""
    return {number: one for number, one in outcomes.items() if one.kind != "saved"}


def _save(
    request: PageRequest, desk: GridContext, drafts: Sequence[GridDraft], *, then: str
) -> HttpResponse:
    outcomes = desk.record(request.actor, drafts, reason=_reason(request), now=timezone.now())
    now = GridContext(desk.event, desk.code)
    n_saved = sum(one.kind == "saved" for one in outcomes.values())
    if any(one.kind in ("refused", "conflict") for one in outcomes.values()):
        rows = [now.refreshed(draft, outcomes[draft.number]) for draft in drafts]
        return _show(request, now, rows, outcomes, status=REFUSED)
    club, event = desk.event.club.slug, desk.event.slug
    messages.success(request, _saved_said(now, n_saved))
    number = desk.table.round_number
    sheets = _pile(desk.event, events.round_at(desk.event, number))
    if n_saved and all(one.is_in for one in sheets):
        messages.success(request, _("All sheets of round %(number)s are in.") % {"number": number})
    if then != "next":
        return redirect("tournaments:grid", club, event, desk.code)
    coming = next_missing(sheets, desk.table.number)
    if coming is None:
        return redirect("tournaments:pile", club, event, number)
    return redirect("tournaments:grid", club, event, coming.code)


def _saved_said(desk: GridContext, n_saved: int) -> str:
    facts = {"table": desk.table.number, "n": desk.table.n_hands, "of": desk.of, "new": n_saved}
    if desk.of and desk.table.n_hands < desk.of:
        said = ngettext(
            "Table %(table)s: %(n)s of %(of)s hand is in.",
            "Table %(table)s: %(n)s of %(of)s hands are in.",
            desk.of,
        )
        return said % facts
    if not n_saved:
        return _("Table %(table)s: nothing new; what is there stays.") % facts
    said = ngettext(
        "Table %(table)s is saved: %(n)s hand is in.",
        "Table %(table)s is saved: %(n)s hands are in.",
        desk.table.n_hands,
    )
    return said % facts


def _paste(
    request: PageRequest, desk: GridContext, drafts: list[GridDraft], read_as: str
) -> HttpResponse:
    """Fill rows from a copied block; nothing of it is saved yet."""
    text = request.POST.get("paste", "")
    names = [name for _row, name, _seat in desk.people]
    found = pasted(text, desk.grammar, desk.worth, names, read_as)
    begin = number_in(request.POST.get("paste_at", "")) or 1
    if found is None or not 1 <= begin <= LAST_HAND:
        return _show(request, desk, drafts, {}, status=REFUSED, copied=text, begin=begin)
    rows, n_left = filled(desk, drafts, found, begin)
    return _show(request, desk, rows, {}, copied=text, begin=begin, said=found, n_left=n_left)


def _show(
    request: PageRequest,
    desk: GridContext,
    drafts: Sequence[GridDraft],
    outcomes: Mapping[int, RowOutcome],
    *,
    status: int = 200,
    copied: str = "",
    begin: int = 0,
    said: PastedBlock | None = None,
    n_left: int = 0,
    repeated: Sequence[RepeatedSheet] = (),
    then: str = "",
) -> HttpResponse:
    shown = events.round_at(desk.event, desk.table.round_number)
    sheets = _pile(desk.event, shown)
    if _has_wrong(outcomes):  # a sheet of which a hand is refused is not in
        sheets = tuple(
            replace(one, is_in=False) if one.code == desk.code else one for one in sheets
        )
    laid_out = desk.show(drafts, outcomes)
    ways = {one.way for one in drafts if one.based_on is None}
    context = {
        "frame": layout.event_frame(
            request,
            desk.event,
            (layout.event_link(desk.event), layout.round_link(desk.event, shown.number)),
        ),
        "event": desk.event,
        "desk": desk,
        "table": desk.table,
        "round": shown,
        "grid": laid_out,
        "words": desk.words,
        "letters": desk.letters,
        "pile": sheets,
        "place": next(n for n, one in enumerate(sheets, 1) if one.code == desk.code),
        "n_missing": sum(not one.is_in for one in sheets),
        "n_saved": sum(one.kind == "saved" for one in outcomes.values()),
        "is_sent": bool(outcomes),
        "reason": _reason(request),
        "has_stored": any(one.based_on is not None for one in drafts),
        "ways": tuple(way for way in desk.ways if ways and way not in ways),
        "can_grow": len(drafts) < MOST_ROWS and not (desk.of and drafts[-1].number >= desk.of),
        "copied": copied,
        "begin": begin or next((one.number for one in drafts if one.texts.is_empty), 1),
        "said": said,
        "n_left": n_left,
        "begin_left": begin + len(said.hands) + said.left_out - n_left if said else 0,
        "onward": _onward(desk, drafts),
        "repeated": repeated,
        "then": then,
        "is_unread": bool(copied) and said is None,
        "longest_block": LONGEST_BLOCK if is_too_long(copied) else None,
    }
    return render(request, "hands/grid.html", context, status=status)


def _onward(desk: GridContext, drafts: Sequence[GridDraft]) -> int | None:
    """Return the hand that another page of the grid begins with, where this one is full."""
    last = max((one.number for one in drafts), default=0)
    is_full = len(drafts) >= MOST_ROWS and last < min(desk.of or LAST_HAND, LAST_HAND)
    return last + 1 if is_full else None


def _reason(request: PageRequest) -> str:
    return request.POST.get("reason", "").strip()[:LONGEST_REASON]


def _pile(
    event: Event, round_: Round, twice: Mapping[str, SheetTwice] | None = None
) -> tuple[StackedSheet, ...]:
    settings = settings_of(event)
    is_open = settings.hands is None and settings.is_open_ended
    return pile_of(event, round_, hands=settings.hands, is_open_ended=is_open, twice=twice)
