"""Sheets to enter: one table's sheet after the other, typed in a grid from the keyboard."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import Problem
from tournaments.domain.replay_game import LAST_HAND
from tournaments.models.events import Event
from tournaments.selectors.events import events
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import must_preview
from tournaments.selectors.hands.undo import undoable_hand
from tournaments.selectors.rounds.table_sheets import next_missing, sheet_stack
from tournaments.services.db.transactions import dry_run
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.hands.record_entry import lock_table_totals, record_entry
from tournaments.services.previewing.run_preview import ChosenHands
from tournaments.templatetags.tables import round_of
from tournaments.views.hands.enter_totals import explain_no_hands
from tournaments.views.hands.form_feedback import changed
from tournaments.views.hands.grid_cells import RowTexts, read_row, write_row
from tournaments.views.hands.grid_hints import LONGEST_BLOCK, PastedBlock, is_too_long, pasted
from tournaments.views.hands.grid_rows import (
    MOST_ROWS,
    GridDraft,
    RowOutcome,
    known_moves_in,
    posted_rows,
)
from tournaments.views.hands.grid_screen import WAY, GridScreen
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.hands.hand_screen import LONGEST_REASON
from tournaments.views.hands.move_hands import moved_hands
from tournaments.views.hands.preview_correction import (
    BACK,
    LOOK,
    PREVIEWED,
    STAND_IN,
    PreviewForm,
    preview_or_save,
)
from tournaments.views.http.decorators import REFUSED, event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import go_to

NOT_KEPT: Final = frozenset(
    {"csrfmiddlewaretoken", "go", "reason", PREVIEWED, "paste", "paste_at", "not_twice"}
)
"""Fields that a preview does not send on."""

ANYWAY: Final = "anyway"
"""The button that saves hands which another sheet has already; what follows it is to come then."""

CANCEL: Final = "cancel"
"""The button that saves nothing."""

NOT_TWICE: Final = "not_twice"
"""The field by which a preview knows that the author was asked."""

ASKED: Final = 409
"""The status of a page that asks before anything is stored."""


@event_form_page(record_entry, file_disputed)
def grid(request: PageRequest, event: Event, code: str) -> HttpResponse:
    screen = GridScreen(event, code)
    if screen.is_empty:
        return go_to("new-hand", event, code=code)
    if screen.totals_only:
        messages.info(request, _("This sheet has totals only and no hands."))
        return go_to("table", event, code=code)
    if request.method == "POST":
        return _handle_button(request, screen)
    if refusal := screen.why_no_hands:
        return explain_no_hands(request, screen, refusal)
    begin = number_in(request.GET.get("from", "")) or 1
    drafts = screen.drafts(
        request.GET.get(WAY, ""), from_hand=begin if 1 <= begin <= LAST_HAND else 1
    )
    return _show(request, screen, drafts, {})


def _handle_button(request: PageRequest, screen: GridScreen) -> HttpResponse:
    drafts = list(posted_rows(screen.sheet, request.POST.dict()))
    button, _colon, value = request.POST.get("go", "").partition(":")
    if button == CANCEL:
        return _show(request, screen, drafts, {})
    if button == "paste":
        text = request.POST.get("paste", "")
        begin = number_in(request.POST.get("paste_at", "")) or 1
        block = pasted(
            text,
            screen.grammar,
            screen.worth,
            [*screen.names.values()],
            value,
            rules=screen.rules,
            before=screen.totals_before(begin),
        )
        if block is None or not 1 <= begin <= LAST_HAND:
            return _show(request, screen, drafts, {}, status=REFUSED, copied=text, begin=begin)
        rows, n_left = fill_rows(screen, drafts, block, begin)
        return _show(
            request, screen, rows, {}, copied=text, begin=begin, pasted=block, n_left=n_left
        )
    if button == "more":
        drafts += more_rows(screen, drafts, screen.way_of_new(request, drafts))
    elif button == "way":
        change_way(screen, drafts, value)
    elif button == "theirs":
        drafts = [
            screen.draft(draft.number) if str(draft.number) == value else draft for draft in drafts
        ]
    elif button != BACK:
        if button == "row":
            apply_row_button(screen, drafts, value)
        then = value if button == ANYWAY else button
        if not _is_no_repetition(request) and (repeated := screen.repeated(drafts)):
            return _show(request, screen, drafts, {}, status=ASKED, repeated=repeated, then=then)
        return _save_or_preview(request, screen, drafts, then=then)
    return _show(request, screen, drafts, {})


def _is_no_repetition(request: PageRequest) -> bool:
    return NOT_TWICE in request.POST or request.POST.get("go", "").startswith(ANYWAY)


def _save_or_preview(
    request: PageRequest, screen: GridScreen, drafts: Sequence[GridDraft], *, then: str
) -> HttpResponse:
    """Save the rows; corrections of results that are out show first what they change."""
    is_look = then == LOOK
    boards = tuple(board for draft in drafts if (board := screen.board_in(draft)))
    if not (is_look or must_preview(screen.event, screen.table)):
        return _save(request, screen, drafts, then=then)
    now, reason = timezone.now(), _reason(request)
    with dry_run():
        lock_table_totals(screen.game, boards)
        tried = screen.record(request.actor, drafts, reason=reason or STAND_IN, now=now)
    numbers = tuple(number for number in _saved_numbers(tried) if number in screen.hands)
    if _has_refused(tried):
        return _show(request, screen, drafts, _unsaved(tried), status=REFUSED)
    if not numbers and is_look:
        messages.info(request, _("No stored hand is changed."))
        return _show(request, screen, drafts, {})
    if not numbers:
        return _save(request, screen, drafts, then=then)

    def change(reason: str) -> Mapping[int, RowOutcome]:
        outcomes = screen.record(request.actor, drafts, reason=reason, now=now)
        if _has_refused(outcomes):
            raise _RowsRefused(outcomes)
        return outcomes

    saving = PreviewForm(
        action=request.path,
        title=_("Correct table %(number)s") % {"number": screen.table.number},
        button=ngettext("Save %(n)s hand", "Save %(n)s hands", len(numbers)) % {"n": len(numbers)},
        fields=(
            *((name, value) for name, value in request.POST.dict().items() if name not in NOT_KEPT),
            *((f"repeat-{draft.number}", "1") for draft in drafts if draft.may_repeat),
            *(((NOT_TWICE, "1"),) if _is_no_repetition(request) else ()),
        ),
        reason=reason,
        back=BACK,
    )
    at = ChosenHands(screen.event, screen.code, numbers[0], numbers[1:], boards)
    try:
        outcomes = preview_or_save(
            request,
            at,
            screen.table,
            saving,
            change,
            is_look=is_look,
            n_changes=lambda outcomes: len(_saved_numbers(outcomes)),
        )
    except _RowsRefused as refused:
        grid_screen = GridScreen(screen.event, screen.code)
        return _show(request, grid_screen, drafts, _unsaved(refused.outcomes), status=REFUSED)
    if isinstance(outcomes, HttpResponse):
        return outcomes
    n_hands = table_sheet(screen.event, screen.code).n_hands
    messages.success(request, _saved_message(screen, n_hands, len(numbers)))
    return _redirect("grid", *screen.address, query=_query(request, screen, drafts))


class _RowsRefused(Exception):
    """Rows that could be saved when they were looked at, and cannot now; none of them is."""

    def __init__(self, outcomes: Mapping[int, RowOutcome]) -> None:
        super().__init__()
        self.outcomes = outcomes


def _saved_numbers(outcomes: Mapping[int, RowOutcome]) -> tuple[int, ...]:
    return tuple(number for number, outcome in sorted(outcomes.items()) if outcome.kind == "saved")


def _has_refused(outcomes: Mapping[int, RowOutcome]) -> bool:
    return any(outcome.kind in ("refused", "conflict") for outcome in outcomes.values())


def _unsaved(outcomes: Mapping[int, RowOutcome]) -> dict[int, RowOutcome]:
    return {number: outcome for number, outcome in outcomes.items() if outcome.kind != "saved"}


def _save(
    request: PageRequest, screen: GridScreen, drafts: Sequence[GridDraft], *, then: str
) -> HttpResponse:
    outcomes = screen.record(request.actor, drafts, reason=_reason(request), now=timezone.now())
    n_saved = len(_saved_numbers(outcomes))
    if _has_refused(outcomes):
        now = GridScreen(screen.event, screen.code)
        rows = [now.refreshed(draft, outcomes[draft.number]) for draft in drafts]
        return _show(request, now, rows, outcomes, status=REFUSED)
    club, event, _code = screen.address
    number = screen.table.round_number
    sheets = sheet_stack(screen.event, events.get_round(screen.event, number))
    saved_sheet = next(sheet for sheet in sheets if sheet.code == screen.code)
    messages.success(request, _saved_message(screen, saved_sheet.hands, n_saved))
    if saved_sheet.gap and then == "next":
        messages.warning(request, saved_sheet.gap)
    if n_saved and all(sheet.is_in for sheet in sheets):
        messages.success(
            request,
            _("All sheets of round %(number)s are entered.")
            % {"number": round_of(number, screen.event)},
        )
    query = _query(request, screen, drafts)
    if then != "next":
        return _redirect("grid", club, event, screen.code, query=query)
    coming = next_missing(sheets, screen.table.number)
    if coming is None:
        return _redirect("sheets-to-enter" if query else "round", club, event, number, query=query)
    return _redirect("grid", club, event, coming.code, query=query)


def _query(request: PageRequest, screen: GridScreen, drafts: Sequence[GridDraft]) -> str:
    way = screen.way_of_new(request, drafts)
    if way == screen.ways[0]:
        return ""
    return urlencode({WAY: way})


def _redirect(name: str, *address: object, query: str) -> HttpResponse:
    path = reverse(f"tournaments:{name}", args=address)
    return redirect(f"{path}?{query}" if query else path)


def _saved_message(screen: GridScreen, n_hands: int, n_saved: int) -> str:
    facts = {"table": screen.table.number, "n": n_hands, "of": screen.of, "new": n_saved}
    if screen.of and n_hands < screen.of:
        notice = ngettext(
            "Table %(table)s: %(n)s of %(of)s hand entered.",
            "Table %(table)s: %(n)s of %(of)s hands entered.",
            screen.of,
        )
        return notice % facts
    if not n_saved:
        return _("Table %(table)s: nothing new to save.") % facts
    notice = ngettext(
        "Table %(table)s saved: %(n)s hand entered.",
        "Table %(table)s saved: %(n)s hands entered.",
        n_hands,
    )
    return notice % facts


def _show(
    request: PageRequest,
    screen: GridScreen,
    drafts: Sequence[GridDraft],
    outcomes: Mapping[int, RowOutcome],
    *,
    status: int = 200,
    copied: str = "",
    begin: int = 0,
    pasted: PastedBlock | None = None,
    n_left: int = 0,
    repeated: Sequence[Mapping[str, object]] = (),
    then: str = "",
) -> HttpResponse:
    round_ = events.get_round(screen.event, screen.table.round_number)
    sheets = sheet_stack(screen.event, round_)
    page = screen.grid_page(request, drafts, outcomes)
    if page["unsaved"]:
        for sheet in sheets:
            sheet.is_in = sheet.is_in and sheet.code != screen.code
    ways = {draft.way for draft in drafts if draft.based_on is None}
    moved = next((outcome.moved for outcome in outcomes.values() if outcome.moved), None)
    place = next(n for n, sheet in enumerate(sheets, 1) if sheet.code == screen.code)
    context = {
        **screen.page(request, *screen.crumbs()),
        **page,
        "round": round_,
        "sheets": sheets,
        "place": place,
        "gap": sheets[place - 1].gap,
        "n_missing": sum(not sheet.is_in for sheet in sheets),
        "has_next": next_missing(sheets, screen.table.number) is not None,
        "undoable": undoable_hand(request.actor, screen.game, timezone.now()),
        "reason": _reason(request),
        "has_stored": any(draft.based_on is not None for draft in drafts),
        "ways": tuple(way for way in screen.ways if ways and way not in ways),
        "query": _query(request, screen, drafts),
        "copied": copied,
        "begin": begin or next((draft.number for draft in drafts if draft.texts.is_empty), 1),
        "pasted": pasted,
        "n_left": n_left,
        "begin_left": begin + len(pasted.hands) + pasted.left_out - n_left if pasted else 0,
        "onward": _first_hand_of_next_page(screen, drafts),
        "repeated": repeated,
        "moved": moved_hands(screen.event, screen.code, moved) if moved is not None else None,
        "known_moves": _known_moves(request, screen, moved),
        "then": then,
        "is_unread": bool(copied) and pasted is None,
        "n_columns": len(screen.names),
        "longest_block": LONGEST_BLOCK if is_too_long(copied) else None,
    }
    return render(request, "hands/grid.html", context, status=status)


def _known_moves(
    request: PageRequest, screen: GridScreen, moved: Problem | None
) -> int | str | None:
    """Return how many moves of hands the page knows: as it was opened, or as it asks about them."""
    if moved is not None:
        moves: int = moved.facts["moves"]
        return moves
    if request.method != "POST":
        return screen.moves
    return known_moves_in(request.POST.dict())


def _first_hand_of_next_page(screen: GridScreen, drafts: Sequence[GridDraft]) -> int | None:
    last = max((draft.number for draft in drafts), default=0)
    is_full = len(drafts) >= MOST_ROWS and last < min(screen.of or LAST_HAND, LAST_HAND)
    if not is_full:
        return None
    return last + 1


def _reason(request: PageRequest) -> str:
    return request.POST.get("reason", "").strip()[:LONGEST_REASON]


MORE_ROWS: Final = 4


def more_rows(screen: GridScreen, drafts: Sequence[GridDraft], way: str) -> list[GridDraft]:
    last = max((draft.number for draft in drafts), default=0)
    room = min(MORE_ROWS, MOST_ROWS - len(drafts), LAST_HAND - last)
    return [screen.draft(number, way) for number in range(last + 1, last + 1 + room)]


def change_way(screen: GridScreen, drafts: Sequence[GridDraft], way: str) -> None:
    for draft in drafts:
        if draft.based_on is None and way in screen.ways:
            draft.way = way


def fill_rows(
    screen: GridScreen, drafts: Sequence[GridDraft], block: PastedBlock, begin: int
) -> tuple[list[GridDraft], int]:
    """Return the rows with a block's hands in them from hand `begin` on, and how many have no row.

    Unsaved rows stay in place; other rows are moved.
    """
    rows = {draft.number: draft for draft in drafts}
    coming = dict(zip(range(begin, LAST_HAND + 1), block.hands, strict=False))
    unsaved_numbers = [
        number
        for number, row in rows.items()
        if number not in coming and row.texts != screen.draft(number).texts
    ]
    block_numbers = list(coming)[: max(MOST_ROWS - len(unsaved_numbers), 0)]
    for number in block_numbers:
        row = rows.setdefault(number, screen.draft(number))
        row.way = block.way
        row.texts = RowTexts(coming[number], row.texts.beside)
    needed = [*unsaved_numbers, *block_numbers]
    other_numbers = sorted(set(rows) - set(needed))[: MOST_ROWS - len(needed)]
    n_left = len(block.hands) - len(block_numbers) + block.left_out
    return [rows[number] for number in sorted([*needed, *other_numbers])], n_left


def apply_row_button(screen: GridScreen, drafts: Sequence[GridDraft], value: str) -> None:
    number, _colon, button = value.partition(":")
    for draft in drafts:
        if str(draft.number) == number:
            fields = read_row(screen.grammar, draft.way, draft.texts)[0]
            fields, _is_saved = changed(screen.sheet, fields, button)
            draft.texts = write_row(screen.grammar, draft.way, fields)
