"""The head of a round's page, which each of its tabs shows: the tabs, and the next step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.json_types import JsonDict
from tournaments.domain.messages import sentence
from tournaments.models.events import Event, StageKind
from tournaments.models.rounds import Meeting, Round
from tournaments.models.seating_plans import OPEN
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import last_round, rounds_of
from tournaments.selectors.events.meetings import is_over
from tournaments.selectors.ladders.log import tables_on_ladder
from tournaments.selectors.rounds.evening_end import find_due_evening_end
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.selectors.rounds.round_seating import (
    chosen_plan,
    next_plan_round,
)
from tournaments.selectors.rounds.seating_change_text import rematch_text
from tournaments.selectors.rounds.table_sheets import StackedSheet, sheet_stack
from tournaments.selectors.seating_plans.current_stage import CurrentStage, current_stage
from tournaments.services.drafts import outdated_draft
from tournaments.templatetags.tables import round_of, title_of_round
from tournaments.views.events.manage.facts import ManageAction, ManageStep, draft_actions
from tournaments.views.events.manage.partners import partners_step
from tournaments.views.http import layout
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import render_event

TABS: Final = (
    ("round", gettext_lazy("Seats"), ""),
    ("board", gettext_lazy("Live"), ""),
    ("sheets-to-enter", gettext_lazy("Sheets"), "enter_hand"),
    ("print-round", gettext_lazy("Print"), "enter_hand"),
    ("manage-round", gettext_lazy("Manage"), "manage_event"),
)
"""The page of each tab, its text, and the right that opens it; "" is for everybody."""


def render_round(
    request: PageRequest,
    template: str,
    event: Event,
    round_: Round,
    context: Mapping[str, object],
    *forms: Any,
) -> HttpResponse:
    """Return a tab of a round's page; `context` may have its `sheets`, or a `step` of its own."""
    step = {} if "step" in context else {"step": next_step(event, round_, context.get("sheets"))}
    page = {**round_head(request, event, round_), **step, **context}
    if page["may_direct"] and round_.state != "closed":
        page["rematches"] = rematch_text(round_)
        tables = tables_on_ladder(event, table__round=round_).values()
        page["no_moves"] = [str(table["number"]) for table in tables if table["problem"]]
    crumbs = (layout.evenings_link(event),)
    return render_event(request, template, event, page, *forms, crumbs=crumbs)


def round_head(request: PageRequest, event: Event, round_: Round) -> JsonDict:
    number = round_.number
    links = [
        layout.link_to(str(text), page, event, number=number)
        for page, text, right in TABS
        if not right or may_do(event, right)
    ]
    tabs = [replace(link, is_current=link.url == request.path) for link in links]
    end = find_due_evening_end(event, now=timezone.now())
    is_of_evening = end is not None and end.meeting.pk == round_.meeting_id
    return {
        "round": round_,
        "tabs": tabs,
        "may_direct": may_do(event, "manage_event"),
        "end": end if is_of_evening else None,
    }


def sit_out_action(event: Event, number: int, ids: str) -> ManageAction:
    """Return the button that lets players without a seat, by their ids, sit out in a round."""
    n = len(ids.split(","))
    text = ngettext("Let this player sit out", "Let these %(n)s sit out", n) % {"n": n}
    url = layout.link_to("", "manage-round", event, number=number).url
    return ManageAction(text, url, field="sit_out", value=ids)


def next_step(event: Event, round_: Round, stack: Any = None) -> ManageStep | None:
    """Return the next step of a round for its reader; None where it has none."""
    may_direct = may_do(event, "manage_event")
    number = {"number": round_.number}
    if not may_do(event, "enter_hand"):
        return None
    if event.is_over:
        return None
    if round_.state == "closed":
        if not may_direct or (round_.meeting is not None and is_over(round_.meeting)):
            return None
        return _after_round(event, round_)
    if round_.stage.kind == StageKind.PLAYOFF:
        return None
    sheets: Sequence[StackedSheet] = sheet_stack(event, round_) if stack is None else stack
    missing = [sheet for sheet in sheets if not sheet.is_in]
    if round_.state != "draft" and missing and event.is_open:
        step = _enter_step(event, missing, len(sheets))
        is_to_hand_out = round_.state == "posted" and may_direct
        if not is_to_hand_out:
            return step
        return _links_step(event, number, step)
    if not may_direct:
        return None
    if not sheets:
        return _step(event, _("No table yet"), _("Seat a table"), "new-table", number)
    if round_.state == "draft":
        return _post_step(event, round_, len(sheets))
    if event.state == "draft":
        return _step(event, "", _("Open event"), "manage-event", {}, ("to", "open"))
    if round_.state != "playing":
        return None
    n_open = sum(sheet.state not in OVER for sheet in sheets)
    note = _("All sheets are in")
    if n_open:
        note = ngettext(
            "Every table has hands. %(n)s is still open and closes with the round",
            "Every table has hands. %(n)s are still open and close with the round",
            n_open,
        ) % {"n": n_open}
    text = _("Close round %(number)s") % {"number": round_of(round_.number, event)}
    to = ("to", "closed")
    return _step(event, note, text, "manage-round", number, to)


def _enter_step(event: Event, missing: Sequence[StackedSheet], n: int) -> ManageStep:
    note = ngettext(
        "%(n)s sheet of %(of)s to enter", "%(n)s sheets of %(of)s to enter", len(missing)
    ) % {"n": len(missing), "of": n}
    return _step(event, note, _("Enter sheets"), "grid", {"code": missing[0].code})


def _links_step(event: Event, number: Mapping[str, object], enter: ManageStep) -> ManageStep:
    """Return the step of a posted round: before the first hand its tables get their links."""
    note = _("Players enter hands with the link of their table, or you enter the sheets")
    step = _step(event, note, _("Links and QR cards"), "round-links", number)
    return replace(step, other=enter.action)


def _post_step(event: Event, round_: Round, n: int) -> ManageStep:
    number = {"number": round_.number}
    round_.event = event
    if problem := outdated_draft(round_):
        url = layout.link_to("", "manage-round", event, **number).url
        return ManageStep("", sentence(problem), *draft_actions(url))
    note = ngettext("%(n)s table is seated", "%(n)s tables are seated", n) % {"n": n}
    text = _("Post round %(number)s") % {"number": round_of(round_.number, event)}
    step = _step(event, note, text, "manage-round", number, ("to", "posted"))
    if round_.plan_id is None or round_.meeting is None:
        return step
    day = {"day": round_.meeting.date.isoformat()}
    plans = layout.link_to("", "seating-plans", event, **day).url
    return replace(step, other=ManageAction(_("Other plans"), plans))


def _after_round(event: Event, round_: Round) -> ManageStep:
    later = rounds_of(event).filter(meeting=round_.meeting, number__gt=round_.number)
    after = later.first()
    if after is not None:
        number = {"number": after.number}
        return _step(event, "", title_of_round(after.number, event), "round", number)
    meeting = round_.meeting
    stage = current_stage(event)
    plan = chosen_plan(meeting) if meeting is not None else None
    day = {"day": meeting.date.isoformat()} if meeting is not None else {}
    name = {"stage": stage.name if stage is not None else ""}
    following = next_plan_round(plan) if plan is not None else None
    has_later_rounds = plan is None and last_round(event) != round_
    if has_later_rounds or round_.stage.kind == StageKind.PLAYOFF:
        return _step(event, "", _("Standings"), "event")
    if plan is not None and plan.movement == OPEN:
        return _step(event, "", _("Open night"), "evening-seating", day)
    has_rounds_left = stage is not None and stage.movement and not stage.is_seated
    if meeting is not None and (following is not None or has_rounds_left):
        return _next_round_step(event, meeting, round_, stage, is_planned=following is not None)
    if stage is not None and stage.next_name and stage.is_seated:
        note = _("The rounds of “%(stage)s” are closed") % name
        return _step(event, note, _("Begin stage"), "stages")
    if meeting is not None and plan is not None:
        step = _step(event, _("All planned rounds are closed"), _("Standings"), "event")
        further = _next_round_step(event, meeting, round_, stage, is_planned=True)
        return replace(step, other=further.action)
    return _step(event, "", _("New round"), "new-round")


def _next_round_step(
    event: Event, meeting: Meeting, round_: Round, stage: CurrentStage | None, *, is_planned: bool
) -> ManageStep:
    """Return the step that seats the round after a round, or what has to be done before."""
    blocked = partners_step(event, meeting, round_, stage)
    if blocked is not None:
        return blocked
    note = "" if is_planned else _("The rounds so far are closed")
    day = {"day": meeting.date.isoformat()}
    field = ("next_round", str(round_.number))
    step = _step(event, note, _("Next round"), "evening-seating", day, field)
    if is_planned:
        return step
    plans = layout.link_to("", "seating-plans", event, **day).url
    return replace(step, other=ManageAction(_("Plan seating"), plans))


def _step(
    event: Event,
    note: str,
    text: str,
    page: str,
    at: Mapping[str, object] = MappingProxyType({}),
    field: tuple[str, str] = ("", ""),
) -> ManageStep:
    """Return a step whose button leads to a page, or posts a field to it."""
    url = layout.link_to("", page, event, **at).url
    return ManageStep(text, note, ManageAction(text, url, field=field[0], value=field[1]))
