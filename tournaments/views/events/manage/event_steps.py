"""Steps of an event as a whole, and those of a ladder."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.forms.ladders.challenges import by_when
from tournaments.models.events import EventKind, Visibility
from tournaments.presenters.events.manage_facts import ManageFacts
from tournaments.selectors.clubs.clubs import may_create_events
from tournaments.views.events.manage.acts import (
    ManageAct,
    ManageStep,
    event_url,
    move_act,
)
from tournaments.views.events.manage.stage_steps import stage_step

LONGEST_PAUSE: Final = timedelta(weeks=6)
"""A league whose last round is older is over, as far as anybody can tell."""


def draft_event(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for a draft to be opened."""
    if facts.event.state == "draft":
        yield ManageStep(
            name=_("Open the event"),
            reason=_(
                "The event is a draft. Hands can be entered after it is opened; it can become a "
                "draft again as long as there are none."
            ),
            act=move_act(facts.event, "open", _("Open event")),
            other=ManageAct(_("Add entrant"), event_url(facts.event, "new-entrant"))
            if not facts.counts.entrants
            else None,
        )


def event_without_boards(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the boards of a duplicate event, without which no hand can be entered."""
    if facts.event.state == "open" and facts.n_boards == 0:
        yield ManageStep(
            name=_("Create the boards"),
            reason=_(
                "Every table plays the same deals, and the event has no boards yet. A hand "
                "is entered with the number of its board."
            ),
            act=ManageAct(_("Create boards"), event_url(facts.event, "new-boards")),
        )


def waiting_challenges(facts: ManageFacts) -> Iterator[ManageStep]:
    """A result of a ladder moves nobody before it is confirmed."""
    zone = ZoneInfo(facts.event.club.time_zone)
    for one in facts.challenges:
        names = {
            "number": one.number,
            "challenger": one.challenger.player,
            "challenged": one.challenged.player,
            "when": by_when(one.due_at, zone, day="j M Y") if one.due_at else "",
        }
        is_late = one.due_at is not None and one.due_at <= facts.now
        if one.state == "played":
            text = _(
                "%(challenger)s and %(challenged)s have played, and the result is not confirmed."
            )
            more = _("It is confirmed by itself on %(when)s.")
            yield ManageStep(
                name=_("Confirm the result of challenge %(number)s") % names,
                reason=f"{text % names} {more % names}" if one.due_at else text % names,
                act=ManageAct(
                    _("Check result"),
                    event_url(facts.event, "challenge", one.number),
                    "confirm_result",
                ),
            )
        elif is_late:
            yield ManageStep(
                name=_("Decide challenge %(number)s") % names,
                reason=_("%(challenger)s challenged %(challenged)s. The deadline was %(when)s.")
                % names,
                act=ManageAct(
                    _("Open challenge %(number)s") % names,
                    event_url(facts.event, "challenge", one.number),
                ),
            )


def held_results(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the results of an event that is over to be released."""
    event = facts.event
    is_held = event.visibility == Visibility.HELD and facts.counts.publication is not None
    if is_held and not facts.is_running:
        yield ManageStep(
            name=_("Release the results"),
            reason=_("The event is over, and only directors can read its results."),
            act=ManageAct(
                _("Release results"), event_url(event, "visibility"), "publish",
                "visibility", Visibility.PUBLIC,
            ),
            other=ManageAct(_("Change visibility"), event_url(event, "visibility"), "publish"),
        )  # fmt: skip


def closed_event(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for a closed event to be made final, once nothing is in dispute.

    A stage that is planned begins in an open event only: its tie was played off while the event
    was closed.
    """
    if facts.event.state != "closed":
        return
    final = move_act(facts.event, "final", _("Make final"))
    if facts.stage is not None and facts.stage.next_name:
        names = {"stage": facts.stage.next_name}
        yield ManageStep(
            name=_("Reopen the event for “%(stage)s”") % names,
            reason=_(
                "The stage “%(stage)s” is planned and has not begun. A stage begins in an open "
                "event. Without it, make the results final."
            )
            % names,
            act=ManageAct(_("Reopen event"), f"{event_url(facts.event, 'manage-event')}#state"),
            other=None if facts.waits or facts.is_window_open else final,
        )
    elif not facts.waits and not facts.is_window_open:
        yield ManageStep(
            name=_("Make the results final"),
            reason=_("The event is closed and nothing is in dispute."),
            act=final,
        )


def finished_event(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for an event to be closed whose season is over, or that is not played any more."""
    event, rounds = facts.event, facts.own_rounds
    if event.state != "open" or not rounds or facts.open_rounds or facts.n_planned:
        return
    zone = ZoneInfo(event.club.time_zone)
    days = [round_.on for round_ in rounds if round_.on] or [
        round_.row.closed_at.astimezone(zone).date() for round_ in rounds if round_.row.closed_at
    ]
    last = max(days, default=None)
    is_over = event.season is not None and event.season.ends_on < facts.today
    is_over = is_over or stage_step(facts) == "over"
    if last is not None:
        pause = timedelta() if event.kind == EventKind.TOURNAMENT else LONGEST_PAUSE
        is_over = is_over or last + pause < facts.today
    if is_over:
        count = len(rounds)
        text = ngettext("Its round is closed.", "All %(n)s rounds are closed.", count)
        yield ManageStep(
            name=_("Close the event"),
            reason=f"{text % {'n': count}} " + _("Close the event when no more rounds are played."),
            act=move_act(event, "closed", _("Close event")),
            other=ManageAct(_("New round"), event_url(event, "new-round")),
        )


def empty_ladder(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for the entrants of a new ladder."""
    if facts.is_ladder and facts.event.state == "open" and facts.counts.entrants < 2:
        yield ManageStep(
            name=_("Add entrants"),
            reason=_("A ladder needs at least two entrants before anybody can be challenged."),
            act=ManageAct(_("Add entrant"), event_url(facts.event, "new-entrant")),
        )


def final_event(facts: ManageFacts) -> Iterator[ManageStep]:
    """Offer the next season."""
    event = facts.event
    if event.state == "final" and not facts.is_ladder and may_create_events(event):
        yield ManageStep(
            name=_("Create the next season"),
            reason=_("The event is final. The next one starts as a draft with the same settings."),
            act=ManageAct(_("Create next season"), event_url(event, "next-event")),
        )
