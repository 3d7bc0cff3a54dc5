"""The head of a round's page, which each of its tabs shows: the tabs, and the next step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.json_types import JsonDict
from tournaments.models.events import Event, StageKind
from tournaments.models.meetings import Round
from tournaments.models.seating_plans import OPEN
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import neighbouring_rounds
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.selectors.rounds.round_seating import (
    chosen_plan,
    next_plan_round,
    next_round_number,
)
from tournaments.selectors.rounds.table_sheets import StackedSheet, sheet_stack
from tournaments.selectors.seating_plans.current_stage import current_stage
from tournaments.views.events.manage.facts import ManageAct
from tournaments.views.http import layout
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_event

TABS: Final[Sequence[tuple[str, str | Promise, str]]] = (
    ("round", gettext_lazy("Seats"), ""),
    ("board", gettext_lazy("Live"), ""),
    ("sheets-to-enter", gettext_lazy("Sheets"), "enter_hand"),
    ("print-round", gettext_lazy("Print"), "enter_hand"),
    ("manage-round", gettext_lazy("Manage"), "manage_event"),
)
"""The page of each tab, its text, and the act that opens it; "" is for everybody."""


@dataclass(frozen=True, slots=True)
class RoundStep:
    """The next step of a round: its button, and what it is about."""

    act: ManageAct
    note: str = ""


def render_round(
    request: PageRequest,
    template: str,
    event: Event,
    round_: Round,
    context: Mapping[str, object],
    *forms: Any,
    status: int | None = None,
) -> HttpResponse:
    """Return a tab of a round's page; `context` may have its `sheets`, or a `step` of its own."""
    step = {} if "step" in context else {"step": next_step(event, round_, context.get("sheets"))}
    page = {**round_head(request, event, round_), **step, **context}
    crumbs = (layout.evenings_link(event),)
    return render_event(request, template, event, page, *forms, crumbs=crumbs, status=status)


def round_head(request: PageRequest, event: Event, round_: Round) -> JsonDict:
    match = request.resolver_match
    tabs = (
        replace(
            layout.link_to(str(text), page, event, number=round_.number),
            is_current=match is not None and match.url_name == page,
        )
        for page, text, act in TABS
        if not act or may_do(event, act)
    )
    return {"round": round_, "tabs": tuple(tabs), "may_direct": may_do(event, "manage_event")}


def next_step(event: Event, round_: Round, stack: Any = None) -> RoundStep | None:
    """Return the next step of a round for its reader; None where it has none."""
    may_direct, names = may_do(event, "manage_event"), {"number": round_.number}
    if not may_do(event, "enter_hand"):
        return None
    if round_.state == "closed" or event.state not in ("draft", "open"):
        return _after_round(event, round_) if may_direct else None
    if round_.stage.kind == StageKind.PLAYOFF:
        return None
    sheets: Sequence[StackedSheet] = sheet_stack(event, round_) if stack is None else stack
    missing = [sheet for sheet in sheets if not sheet.is_in]
    if round_.state != "draft" and missing and event.state == "open":
        text = ngettext(
            "%(n)s sheet of %(of)s to enter", "%(n)s sheets of %(of)s to enter", len(missing)
        )
        act = _link(_("Enter sheets"), "grid", event, code=missing[0].code)
        return RoundStep(act, text % {"n": len(missing), "of": len(sheets)})
    if not may_direct:
        return None
    if not sheets:
        return RoundStep(_link(_("Seat a table"), "new-table", event, **names), _("No table yet"))
    if round_.state == "draft":
        text = ngettext("%(n)s table is seated", "%(n)s tables are seated", len(sheets))
        act = _move(event, round_, "posted", _("Post round %(number)s") % names)
        return RoundStep(act, text % {"n": len(sheets)})
    if event.state == "draft":
        return RoundStep(
            replace(_link(_("Open event"), "manage-event", event), field="to", value="open")
        )
    if round_.state != "playing":
        return None
    n_open = sum(sheet.state not in OVER for sheet in sheets)
    text = ngettext(
        "All sheets are in; %(n)s open table is closed too",
        "All sheets are in; %(n)s open tables are closed too",
        n_open,
    )
    act = _move(event, round_, "closed", _("Close round %(number)s") % names)
    return RoundStep(act, text % {"n": n_open} if n_open else _("All sheets are in"))


def _after_round(event: Event, round_: Round) -> RoundStep:
    after = neighbouring_rounds(event, round_.number)[1]
    if after is not None:
        link = layout.round_link(event, after)
        return RoundStep(ManageAct(link.text, link.url))
    standings = RoundStep(_link(_("Standings"), "event", event))
    if event.state not in ("draft", "open"):
        return standings
    meeting, stage = round_.meeting, current_stage(event)
    plan = chosen_plan(meeting) if meeting is not None else None
    day = {"day": meeting.date.isoformat()} if meeting is not None else {}
    if plan is not None and plan.movement == OPEN:
        return RoundStep(_link(_("Open night"), "evening-seating", event, **day))
    if plan is not None and (following := next_plan_round(plan)) is not None:
        text = _("Seat round %(number)s") % {"number": next_round_number(event)}
        act = _link(text, "evening-seating", event, **day)
        return RoundStep(replace(act, field="plan_round", value=str(following)))
    if stage is not None and stage.movement and not stage.is_seated and meeting is not None:
        note = _("The planned rounds of “%(stage)s” are closed") % {"stage": stage.name}
        return RoundStep(_link(_("Plan seating"), "seating-plans", event, **day), note)
    if stage is not None and stage.next_name and stage.is_seated:
        note = _("The rounds of “%(stage)s” are closed") % {"stage": stage.name}
        return RoundStep(_link(_("Begin stage"), "stages", event), note)
    if plan is not None:
        return replace(standings, note=_("All planned rounds are closed"))
    return RoundStep(_link(_("New round"), "new-round", event))


def _link(text: str, page: str, event: Event, **address: object) -> ManageAct:
    return ManageAct(text, layout.link_to("", page, event, **address).url)


def _move(event: Event, round_: Round, to: str, text: str) -> ManageAct:
    act = _link(text, "manage-round", event, number=round_.number)
    return replace(act, field="to", value=to)
