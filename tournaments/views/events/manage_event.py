"""Managing an event: its page Manage with its links, and changes of state."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final, TypeAlias

from django.http import HttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from scoring.json_types import JsonDict
from tournaments.domain.event_settings import settings_of
from tournaments.domain.figures import in_short
from tournaments.domain.messages import sentence
from tournaments.domain.standings.criteria import primary_named
from tournaments.models.events import Event, EventState
from tournaments.models.rounds import RoundState
from tournaments.models.seating_plans import PlanState
from tournaments.selectors.clubs.clubs import may_create_events, may_do
from tournaments.selectors.events.events import has_hands, variant_names
from tournaments.selectors.events.meetings import list_planned_evenings
from tournaments.selectors.events.settings_checks import current_facts, unusable_criteria
from tournaments.selectors.events.settings_summary import counted_text
from tournaments.selectors.jobs.queue import get_recount
from tournaments.selectors.rules.rule_sets import differing_in, offered_in
from tournaments.selectors.standings import publications
from tournaments.services.events.change_event import change_settings, retry_jobs
from tournaments.services.events.events import move_event, require_no_planned_evening
from tournaments.states import EVENT, Moves, moves_from
from tournaments.templatetags.points import at
from tournaments.views.events.change_event import LABELS
from tournaments.views.events.manage.attention import attention_lines
from tournaments.views.events.manage.facts import ManageFacts, ManageStep, job_row, jobs_in_words
from tournaments.views.events.manage.next_steps import next_step
from tournaments.views.events.manage.round_steps import entered_kind
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, render_event
from tournaments.views.http.service_form import (
    ReasonForm,
    hidden_field,
    operation_of,
    posted,
    submit,
)


@dataclass(frozen=True, slots=True)
class GroupLink:
    """A link with its present value; `term` is a word of the glossary that explains it.

    A main link has its `place` among them; the others are in the groups.
    """

    text: str
    value: str
    url: str
    term: str = ""
    place: int = 0


LinkGroup: TypeAlias = tuple[str, str, Sequence[GroupLink]]
"""The anchor and the name of a group, and its links."""

MOST_MAIN: Final = 8
"""Maximum number of main links."""


class EventStateForm(ReasonForm):
    to = hidden_field()


EVENT_ACTIONS: Final = {
    ("draft", "open"): gettext_lazy("Open event"),
    ("open", "closed"): gettext_lazy("Close event"),
    ("open", "draft"): gettext_lazy("Back to draft"),
    ("closed", "final"): gettext_lazy("Make final"),
    ("closed", "open"): gettext_lazy("Reopen event"),
    ("final", "open"): gettext_lazy("Reopen event"),
}
"""Each move of the table of states as the button that makes it, the way on before the way back."""

EVENT_SAYS: Final = {
    "draft": gettext_lazy("The event is a draft again."),
    "open": gettext_lazy("Event opened."),
    "closed": gettext_lazy("The event is closed."),
    "final": gettext_lazy("The event is final."),
}
"""New state → the message."""


def manage_links(facts: ManageFacts) -> tuple[Sequence[GroupLink], Sequence[LinkGroup]]:
    """Return the main links, and the others in groups of anchor, name and links.

    Links to what the reader may not do are left out.
    """
    groups = (
        ("evenings", _("Evenings"), tuple(_evenings(facts))),
        ("results", _("Results"), tuple(_results(facts))),
        ("people", _("People"), tuple(_people(facts))),
        ("event", _("Event"), tuple(_event(facts))),
    )
    placed = []
    for _anchor, _name, links in groups:
        placed += [link for link in links if link.place]
    main = sorted(placed, key=attrgetter("place"))[:MOST_MAIN]

    others = []
    for anchor, name, links in groups:
        others.append((anchor, name, [link for link in links if link not in main]))
    return main, others


WITHOUT_ENTRANTS: Final[Mapping[str, str | Promise]] = {
    "": gettext_lazy("%(kind)s without players yet. Players who are checked in or seated join."),
    "pair": gettext_lazy("%(kind)s without pairs yet. Enter them before you plan the seating."),
    "team": gettext_lazy("%(kind)s without teams yet. Enter them before you plan the seating."),
}
NO_ENTRANTS: Final[Mapping[str, str | Promise]] = {
    "": gettext_lazy("No players yet"),
    "pair": gettext_lazy("No pairs yet"),
    "team": gettext_lazy("No teams yet"),
}
"""Kind of entrant that is entered before a plan, "" for players as they come → sentence."""


def event_in_words(facts: ManageFacts) -> str:
    kinds = {"league": _("League"), "tournament": _("Tournament"), "ladder": _("Ladder")}
    words = {"kind": kinds[facts.event.kind], "entrants": _entrants(facts)}
    text = _("%(kind)s with %(entrants)s.")
    if not facts.counts["entrants"] + facts.counts["withdrawn"]:
        text = str(WITHOUT_ENTRANTS[entered_kind(facts.stage)])
    parts = [text % words]
    if facts.own_rounds:
        parts.append(f"{rounds_in_words(facts)}.")
    return " ".join(parts)


def rounds_in_words(facts: ManageFacts) -> str:
    """Return how far the rounds are, as in "9 rounds closed, round 10 in progress"."""
    parts = []
    n_closed = sum(not own_round.is_open for own_round in facts.own_rounds)
    if n_closed:
        text = ngettext("%(n)s round closed", "%(n)s rounds closed", n_closed)
        parts.append(text % {"n": n_closed})
    for state, one_text, more_text in (
        (RoundState.PLAYING, _("%(round)s in progress"), _("rounds %(n)s in progress")),
        (RoundState.POSTED, _("%(round)s posted"), _("rounds %(n)s posted")),
        (RoundState.DRAFT, _("%(round)s is a draft"), _("rounds %(n)s are drafts")),
    ):
        numbers = [own_round.number for own_round in facts.own_rounds if own_round.state == state]
        if numbers:
            text = one_text if len(numbers) == 1 else more_text
            title = facts.round_title(numbers[0])
            names = {"n": in_short(numbers), "round": title[:1].lower() + title[1:]}
            parts.append(text % names)
    words = ", ".join(parts) or _("no rounds yet")
    return words[:1].upper() + words[1:]


def _attendance(facts: ManageFacts) -> str:
    if not facts.attendance:
        return _("Not recorded")
    parts = [_("%(n)s here") % {"n": facts.attendance.get("here", 0)}]
    for state, text in (
        ("late", _("%(n)s late")),
        ("expected", _("%(n)s expected")),
        ("absent", _("%(n)s absent")),
    ):
        n_players = facts.attendance.get(state, 0)
        if n_players:
            parts.append(text % {"n": n_players})
    return ", ".join(parts)


def _plans(facts: ManageFacts) -> str:
    if not facts.plans:
        return _("No plans yet")
    if facts.plans == PlanState.CHOSEN:
        return _("One plan chosen")
    return _("To be compared")


def _evenings(facts: ManageFacts) -> Iterator[GroupLink]:
    yield GroupLink(_("Rounds"), rounds_in_words(facts), facts.url("meetings"), place=1)

    if facts.is_running and not facts.is_ladder:
        planned = _("No further evening is planned")
        if facts.n_planned:
            text = ngettext("%(n)s planned", "%(n)s planned", facts.n_planned)
            planned = text % {"n": facts.n_planned}
        yield GroupLink(_("Plan evening"), planned, facts.url("new-meeting"))

    current = facts.current
    if facts.evening is not None and not facts.is_ladder:
        day = facts.evening.date.isoformat()
        yield GroupLink(_("Attendance"), _attendance(facts), facts.url("attendance", day), place=2)
        is_seated = current is not None or facts.plans == PlanState.CHOSEN
        page = "evening-seating" if is_seated else "seating-plans"
        yield GroupLink(_("Seating"), _plans(facts), facts.url(page, day), place=3)
    elif current is not None:
        title = facts.round_title(current.number)
        yield GroupLink(_("Seating"), title, facts.url("round", current.number), place=3)

    if facts.is_running:
        next_number = 1
        if facts.rounds:
            next_number = facts.rounds[-1].number + 1
        text = _("%(round)s is next") % {"round": facts.round_title(next_number)}
        yield GroupLink(_("Add round"), text, facts.url("new-round"))
        if not facts.is_ladder:
            url = facts.url("paper-sheets")
            yield GroupLink(_("Enter from paper"), _("Finished evening"), url, place=4)

    n_links = facts.counts["links"]
    created = _("No links")
    if n_links:
        created = ngettext("%(n)s created", "%(n)s created", n_links) % {"n": n_links}
    yield GroupLink(_("Table links"), created, facts.url("event-links"))


def _results(facts: ManageFacts) -> Iterator[GroupLink]:
    if facts.is_ladder:
        yield GroupLink(_("Ladder"), _entrants(facts), facts.url("ladder"), place=1)
        n_challenges = len(facts.challenges)
        challenges = _("No open challenges")
        if n_challenges:
            challenges = ngettext("%(n)s open", "%(n)s open", n_challenges) % {"n": n_challenges}
        yield GroupLink(_("Challenges"), challenges, facts.url("challenges"), place=2)

    yield GroupLink(_("Standings"), _standings(facts), facts.url("event"), place=4)

    if facts.n_boards is not None:
        boards = _("No boards yet")
        if facts.n_boards:
            text = ngettext("%(n)s board", "%(n)s boards", facts.n_boards)
            boards = text % {"n": facts.n_boards}
        yield GroupLink(_("Boards"), boards, facts.url("boards"))

    yield GroupLink(_("Imports"), _imports(facts), facts.url("imports"), place=5)

    n_open = facts.counts["disputes_open"]
    n_closed = facts.counts["disputes_closed"]
    disputes = _("No disputes")
    if n_open + n_closed:
        disputes = _("%(open)s open, %(closed)s decided") % {"open": n_open, "closed": n_closed}
    yield GroupLink(_("Disputes"), disputes, facts.url("disputes"))

    adjustments = _("No entries")
    if facts.counts["adjustments"]:
        adjustments = str(facts.counts["adjustments"])
    yield GroupLink(_("Penalties and bonuses"), adjustments, facts.url("adjustments"))

    opening_values = _("No values; a season begun on paper continues here")
    if facts.counts["opening_values"]:
        opening_values = str(facts.counts["opening_values"])
    yield GroupLink(_("Values from before"), opening_values, facts.url("opening-values"))

    yield GroupLink(_("Play-offs"), _playoffs(facts), facts.url("playoffs"))


def _standings(facts: ManageFacts) -> str:
    number = facts.counts["publication"]
    if not number:
        return _("Not published yet")
    is_final = facts.event.state == EventState.FINAL
    state = _("final") if is_final else _("provisional")
    return _("Publication %(n)s, %(state)s") % {"n": number, "state": state}


def _imports(facts: ManageFacts) -> str:
    n_files = facts.counts["imports"]
    n_problems = facts.counts["import_problems"]
    files = ngettext("%(n)s file", "%(n)s files", n_files) % {"n": n_files}
    problems = ngettext("%(n)s problem", "%(n)s problems", n_problems) % {"n": n_problems}
    if n_problems:
        return f"{files}, {problems}"
    if n_files:
        return files
    return _("No files")


def _playoffs(facts: ManageFacts) -> str:
    n_undecided = len(facts.playoffs)
    if n_undecided:
        return ngettext("%(n)s undecided", "%(n)s undecided", n_undecided) % {"n": n_undecided}
    n_playoffs = facts.counts["playoffs"]
    if n_playoffs:
        return ngettext("%(n)s play-off", "%(n)s play-offs", n_playoffs) % {"n": n_playoffs}
    settings = facts.settings
    if settings.playoff in ("share", "criteria") or not settings.boundaries:
        return _("No play-offs")
    return _("No play-off needed yet")


def _entrants(facts: ManageFacts) -> str:
    n_units = facts.counts["units"]
    n_players = facts.counts["entrants"] - n_units
    n_withdrawn = facts.counts["withdrawn"]
    parts = []
    if n_units:
        text = ngettext("%(n)s pair or team", "%(n)s pairs or teams", n_units)
        parts.append(text % {"n": n_units})
    if n_players:
        text = ngettext("%(n)s player", "%(n)s players", n_players)
        parts.append(text % {"n": n_players})
    if n_withdrawn:
        parts.append(_("%(n)s withdrawn") % {"n": n_withdrawn})
    return ", ".join(parts) or str(NO_ENTRANTS[entered_kind(facts.stage)])


def _people(facts: ManageFacts) -> Iterator[GroupLink]:
    event = facts.event
    entrants = _("Pairs and teams") if facts.counts["units"] else _("Players")
    yield GroupLink(entrants, _entrants(facts), facts.url("entrants"), place=6)

    if facts.is_ladder:
        n_absent = facts.counts["absences"]
        absences = ngettext("%(n)s away today", "%(n)s away today", n_absent) % {"n": n_absent}
        yield GroupLink(_("Absences"), absences, facts.url("absences"))

    if may_do(event, "edit_players"):
        n_players = facts.counts["players"]
        yield GroupLink(_("Players of the club"), str(n_players), facts.club_url("players"))

    if may_do(event, "link_players"):
        n_claims = len(facts.claims)
        claims = _("No claims")
        if n_claims:
            claims = ngettext("%(n)s pending", "%(n)s pending", n_claims) % {"n": n_claims}
        yield GroupLink(_("Claims"), claims, facts.club_url("claims"), term="claim")

    if may_do(event, "manage_members"):
        n_members = facts.counts["members"]
        members = ngettext("%(n)s member", "%(n)s members", n_members) % {"n": n_members}
        n_directors = facts.counts["directors"]
        text = ngettext("%(n)s director or owner", "%(n)s directors and owners", n_directors)
        directors = text % {"n": n_directors}
        url = facts.club_url("members")
        yield GroupLink(_("Members and roles"), f"{members}, {directors}", url)


def _event(facts: ManageFacts) -> Iterator[GroupLink]:
    event = facts.event
    yield GroupLink(_("Settings"), _settings(facts), facts.url("settings"), place=7)
    yield GroupLink(_("Name and address"), f"/{event.slug}", facts.url("rename-event"))
    if facts.is_ladder:
        url = facts.url("ladder-rules")
        yield GroupLink(_("Ladder rules"), _("Challenges and moves"), url)
    if may_do(event, "publish"):
        yield GroupLink(_("Visibility"), str(LABELS[event.visibility]), facts.url("visibility"))

    n_stages = facts.counts["stages"]
    stages = ngettext("%(n)s stage", "%(n)s stages", n_stages) % {"n": n_stages}
    yield GroupLink(_("Stages"), stages, facts.url("stages"), term="stage")

    n_changes = facts.counts["changes"]
    changes = _("No changes")
    if n_changes:
        changes = ngettext("%(n)s change", "%(n)s changes", n_changes) % {"n": n_changes}
    yield GroupLink(_("Change log"), changes, facts.url("change-log"))

    states = {
        "draft": _("Draft"),
        "open": _("Open now"),
        "closed": _("Closed"),
        "final": _("Final"),
    }
    text = _("Close event") if event.is_open else _("State")
    yield GroupLink(text, states[event.state], "#state", place=8)

    if not facts.is_ladder and may_create_events(event):
        yield GroupLink(_("Next season"), _("Copy this event’s settings"), facts.url("next-event"))
    if may_do(event, "archive_event"):
        url = facts.url("archive-event")
        if event.archived_at:
            when = at(event.archived_at, event.club.time_zone)
            text = _("Archived on %(when)s") % {"when": when}
            yield GroupLink(_("Unarchive event"), text, url)
        else:
            yield GroupLink(_("Archive event"), _("In the lists of the club"), url)
    if event.state == "draft" and not has_hands(event):
        yield GroupLink(_("Delete event"), _("Possible without hands"), facts.url("delete-event"))


def _settings(facts: ManageFacts) -> str:
    event = facts.event
    settings = facts.settings
    parts = ["; ".join(variant_names(event))]
    options = differing_in(offered_in(event), event.variant, event.options)
    if options:
        text = ngettext("%(n)s option changed", "%(n)s options changed", len(options))
        parts.append(text % {"n": len(options)})
    if settings.hands:
        text = ngettext("%(n)s hand", "%(n)s hands", settings.hands)
        parts.append(text % {"n": settings.hands})
    parts.append(str(primary_named(settings.primary).name))
    if settings.best_of:
        parts.append(counted_text(settings, facts.n_evenings))
    elif settings.drop_worst:
        parts.append(_("worst %(n)s dropped") % {"n": settings.drop_worst})
    if settings.double_entry:
        parts.append(_("double entry"))
    unusable = unusable_criteria(settings, current_facts(event), seed=event.seed)
    if unusable:
        text = ngettext(
            "%(n)s tie-break without effect", "%(n)s tie-breaks without effect", len(unusable)
        )
        parts.append(text % {"n": len(unusable)})
    return ", ".join(part for part in parts if part)


def actions(
    table: Moves, words: Mapping[tuple[str, str], str | Promise], state: str, read: Event
) -> list[JsonDict]:
    """Return the buttons of a state: where to, the text of `words`, whether a reason is needed.

    Moves without words, and those that the reader of the event may not do, are left out.
    """
    moves = dict(moves_from(table, state))
    buttons = []
    for (begin, to), text in words.items():
        if begin == state and to in moves and may_do(read, moves[to].right):
            buttons.append({"to": to, "text": text, "needs_reason": moves[to].needs_reason})
    return buttons


def _state_actions(facts: ManageFacts, step: ManageStep | None) -> list[JsonDict]:
    """Return the buttons that change the state of the event, without that of the next step."""
    event = facts.event
    texts = {"closed": facts.text_to_close, "final": facts.text_to_finish}
    to_of_step = ""
    if step is not None and step.action.field == "to":
        if step.action.url == facts.url("manage-event"):
            to_of_step = step.action.value

    buttons = []
    for action in actions(EVENT, EVENT_ACTIONS, event.state, event):
        to = action["to"]
        if to == "final" and (facts.waits or facts.is_window_open):
            continue
        if to == "draft" and has_hands(event):
            continue
        if to != to_of_step:
            buttons.append({**action, "text": texts.get(to, action["text"])})
    return buttons


def _play_off_first_place(request: PageRequest, event: Event, *, anyway: bool) -> None:
    """Make place 1 a title and close the event, so that those who share it play for it."""
    op = operation_of(request)
    if event.is_open and not anyway:
        require_no_planned_evening(event, op.now)
    lines = {**settings_of(event).boundaries, "title": 1}
    reason = gettext("Place 1 is played off.")
    change_settings(op, event, values={"boundaries": lines}, reason=reason)
    if event.is_open:
        move_event(operation_of(request), event, to="closed", anyway=anyway)


def _left_evenings(
    event: Event, form: EventStateForm, posted_fields: Mapping[str, str]
) -> dict[str, object]:
    """Return the planned evenings that kept a league open, and the button to press once more."""
    if not any(problem.code == "evenings_still_planned" for problem in form.placed):
        return {}
    again = "first" if "first" in posted_fields else "to"
    return {
        "left_evenings": list_planned_evenings(event, timezone.now()),
        "again": (again, posted_fields[again]),
    }


@event_form_page((move_event, EventStateForm, "anyway"), find=publications.event_with_state)
def manage_event(request: PageRequest, event: Event) -> HttpResponse:
    form = EventStateForm(posted(request))
    changed_event = None
    if "try_again" in request.POST:
        retry_jobs(operation_of(request), event)
        return done(request, gettext("The job will be tried again."), "manage-event", event)
    if "minimum" in request.POST:
        reason = gettext("Minimum of games switched off.")
        change_settings(operation_of(request), event, values={"min_third": False}, reason=reason)
        return done(request, gettext("The minimum is switched off."), "manage-event", event)
    if "first" in request.POST:
        form.is_valid()
        with form.placing():
            _play_off_first_place(request, event, anyway="anyway" in request.POST)
            return done(request, gettext("Place 1 is played off."), "manage-event", event)
    else:
        anyway = "anyway" in request.POST
        changed_event = submit(request, form, move_event, event, anyway=anyway)
    if changed_event is not None:
        return done(request, str(EVENT_SAYS[changed_event.state]), "manage-event", event)

    facts = ManageFacts(event, actor=request.actor, now=timezone.now())
    following = next_step(facts)
    offered = _state_actions(facts, following["step"])
    attention = attention_lines(facts)
    links, groups = manage_links(facts)

    current_name = ""
    current_round = None
    if facts.current is not None:
        current_name = facts.round_title(facts.current.number)
        current_round = facts.current.row
    ties_at_close: tuple[str, ...] = ()
    if any(action["to"] == "closed" for action in offered):
        ties_at_close = facts.ties_at_close
    context = {
        "lede": event_in_words(facts),
        "next": following,
        "current": facts.current,
        "current_name": current_name,
        "clock": facts.clock,
        "round": current_round,
        "may_extend": may_do(event, "extend_round"),
        "may_start": facts.is_running and not facts.is_ladder,
        "has_tonight": facts.meets_today,
        "end": facts.evening_end,
        "attention": attention,
        "asks_for_jobs": any(line.action.url == "#jobs" for line in attention),
        "links": links,
        "groups": groups,
        "form": form,
        "jobs": tuple(map(job_row, facts.jobs)),
        "jobs_summary": jobs_in_words(facts.jobs, event.club.time_zone),
        "counting": get_recount(event.pk),
        "waits": tuple(map(sentence, facts.waits)),
        "window_ends": facts.window_ends,
        "actions": offered,
        "ties_at_close": ties_at_close,
        "shared_first": facts.shared_first_text,
        "play_off_first": facts.play_off_first_action(),
        "asks_reason": any(action["needs_reason"] for action in offered),
        **_left_evenings(event, form, request.POST.dict()),
    }
    return render_event(request, "events/manage_event.html", event, context, form)
