"""The next step of an event, the most urgent first; steps of problems, events and ladders."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.json_types import JsonDict
from tournaments.domain.messages import sentence
from tournaments.models.events import EventKind, Visibility
from tournaments.models.rounds import RoundState
from tournaments.selectors.clubs.clubs import may_create_events
from tournaments.selectors.hands.decisions import listed
from tournaments.selectors.ladders.challenges import by_when
from tournaments.selectors.playoffs.playoffs import PlayoffView
from tournaments.templatetags.points import at, day
from tournaments.templatetags.tables import table_name
from tournaments.views.events.manage import round_steps
from tournaments.views.events.manage.facts import ManageAction, ManageFacts, ManageStep
from tournaments.views.events.manage.round_steps import stage_step

LONGEST_PAUSE: Final = timedelta(weeks=6)
"""A league whose last round is older is over, as far as anybody can tell."""


def filed_hands(facts: ManageFacts) -> Iterator[ManageStep]:
    for hand in facts.filed:
        action = facts.resolve_action(hand)
        table = hand.game.table
        names = {
            "act": action.text,
            "table": table.number,
            "round": facts.round_label(table.round.number),
        }
        yield ManageStep(
            _("%(act)s at table %(table)s") % names,
            _(
                "The entry is saved as disputed. It does not count before it is corrected, and the "
                "results of round %(round)s cannot become final."
            )
            % names,
            action,
            facts.open_table_action(table.code, table.number),
            tone="bad",
        )


def imported_hands(facts: ManageFacts) -> Iterator[ManageStep]:
    for tile in facts.board.tiles if facts.board else ():
        for problem in tile.problems[:1]:
            count = len(tile.problems)
            text = ngettext(
                "Imported hands of the table do not count before a problem is resolved: "
                "%(message)s",
                "Imported hands of the table do not count before %(n)s problems are resolved: "
                "%(message)s",
                count,
            )
            yield ManageStep(
                _("Resolve the import at table %(table)s") % {"table": tile.number},
                text % {"n": count, "message": problem.message},
                ManageAction(
                    _("Resolve problem"),
                    facts.url("problem", problem.batch.number, problem.position),
                    "import_sheets",
                ),
                facts.open_table_action(tile.code, tile.number),
                tone="bad",
            )


def empty_seats(facts: ManageFacts) -> Iterator[ManageStep]:
    current, board = facts.current, facts.board
    if current is None or board is None or current.state == RoundState.DRAFT:
        return
    for tile in board.tiles:
        empty = [seat for seat in tile.seats if seat["gone"]]
        if tile.state not in ("empty", "seated", "play", "disp") or not (
            empty or tile.state == "empty"
        ):
            continue
        names = {"table": tile.number, "name": empty[0]["name"] if empty else ""}
        begun = tile.n_hands or tile.state == "play"
        yield ManageStep(
            _("Seat a player at table %(table)s") % names,
            _("%(name)s left the table. It cannot go on with an empty seat.") % names
            if empty
            else _("Nobody sits at the table."),
            ManageAction(
                _("Change players") if begun else _("Change seats"),
                facts.url("change-players" if begun else "table-seating", tile.code),
            ),
            tone="bad",
        )


def open_disputes(facts: ManageFacts) -> Iterator[ManageStep]:
    for dispute in facts.disputes:
        table = dispute.hand.game.table
        names = {
            "hand": dispute.hand.number,
            "table": table.number,
            "round": facts.round_label(table.round.number),
        }
        text = _(
            "Hand %(hand)s of round %(round)s is disputed. It keeps its score until you "
            "decide, and the results cannot become final before."
        )
        if not dispute.hand.number:
            text = _(
                "The totals of round %(round)s are disputed. They keep their score until you "
                "decide, and the results cannot become final before."
            )
        yield ManageStep(
            _("Decide the dispute at table %(table)s") % names,
            text % names,
            facts.decide_dispute_action(dispute.number),
            facts.open_table_action(table.code, table.number),
        )


def upheld_disputes(facts: ManageFacts) -> Iterator[ManageStep]:
    for dispute in facts.upheld:
        hand = dispute.hand
        table = dispute.hand.game.table
        names = {
            "hand": hand.number,
            "table": table.number,
            "round": facts.round_label(table.round.number),
            "dispute": dispute.number,
        }
        if hand.number:
            name = _("Correct the hand of dispute %(dispute)s")
            text = _(
                "Dispute %(dispute)s was upheld. Hand %(hand)s of round %(round)s still counts as "
                "it was entered."
            )
            act = _("Correct hand %(hand)s")
            page = facts.url("edit-hand", table.code, hand.number)
        else:
            name = _("Correct the totals of dispute %(dispute)s")
            text = _(
                "Dispute %(dispute)s was upheld. The totals of round %(round)s still count as they "
                "were entered."
            )
            act = _("Correct totals")
            page = facts.url("totals", table.code)
        yield ManageStep(
            name % names,
            text % names,
            ManageAction(act % names, page, "correct_closed"),
            facts.open_table_action(table.code, table.number),
        )


def reviews(facts: ManageFacts) -> Iterator[ManageStep]:
    for playoff in facts.playoffs:
        if playoff.is_asked:
            action = facts.decide_playoff_action(playoff.number)
            yield ManageStep(
                action.text,
                _(
                    "A correction changes the tie. The standings are not published again before "
                    "you keep the result or have it replayed."
                ),
                action,
            )
    for number in facts.asked_stages:
        yield ManageStep(
            _("Decide who goes on in stage %(number)s") % {"number": number},
            _("A correction affects who goes on. Read what would change, then decide."),
            facts.decide_stage_action(number),
        )


def live_playoffs(facts: ManageFacts) -> Iterator[ManageStep]:
    for playoff in facts.playoffs:
        if playoff.is_asked or not playoff.is_live:
            continue
        names = {"number": playoff.number}
        page = facts.url("playoff", playoff.number)
        other = None
        if playoff.state == "detected":
            name, action = _("Prepare play-off %(number)s"), _("Prepare play-off")
            text = _("A director prepares their table, draws lots or lets them share the place.")
        elif playoff.is_exhausted:
            name, action = _("End play-off %(number)s"), _("Open play-off")
            text = _("The maximum number of hands is reached: allow more hands or draw lots.")
        else:
            name, action = _("Play play-off %(number)s"), _("Open play-off")
            text = _("The results cannot become final before it is decided.")
            if any(line["kind"] == "table" for line in playoff.boundaries):
                text = _("The next round can be planned once it is decided.")
            elif facts.event.is_open:
                text = _("The next stage can begin once it is decided.")
            if not all(chair["player"] for chair in playoff.chairs):
                other, action = ManageAction(action, page), _("Seat neutral players")
                text = _("Neutral players are missing.") + f" {text}"
                page += "#act-neutral"
        yield ManageStep(
            name % names, f"{_tied(playoff)} {text}", ManageAction(action, page), other
        )


def _tied(playoff: PlayoffView) -> str:
    playing = [member.player for member in playoff.members if member.status == "playing"]
    where = [table_name(table["code"]).lower() for table in playoff.open_tables]
    if where and len(playing) < len(playoff.members):
        facts = {"who": listed(playing), "where": listed(where)}
        return _("%(who)s play on at %(where)s.") % facts
    count = len(playoff.members)
    return ngettext("%(n)s is tied at a cut-off.", "%(n)s are tied at a cut-off.", count) % {
        "n": count
    }


def draft_event(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.event.state == "draft":
        yield ManageStep(
            _("Open the event"),
            _(
                "The event is a draft. Hands can be entered after it is opened; until the first "
                "hand it can become a draft again."
            ),
            facts.move_action("open", _("Open event")),
            ManageAction(_("Add players"), facts.url("add-entrants"))
            if not facts.counts["entrants"]
            else None,
        )


def event_without_boards(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.event.is_open and facts.n_boards == 0:
        yield ManageStep(
            _("Create the boards"),
            _(
                "Every table plays the same deals, and the event has no boards yet. A hand "
                "is entered with the number of its board."
            ),
            ManageAction(_("Create boards"), facts.url("new-boards")),
        )


def waiting_challenges(facts: ManageFacts) -> Iterator[ManageStep]:
    zone = facts.event.club.zone
    for challenge in facts.challenges:
        names = {
            "number": challenge.number,
            "challenger": challenge.challenger["player"],
            "challenged": challenge.challenged["player"],
            "when": by_when(challenge.due_at, zone, day="j M Y") if challenge.due_at else "",
        }
        is_late = challenge.due_at is not None and challenge.due_at <= facts.now
        if challenge.state == "played":
            text = _(
                "%(challenger)s and %(challenged)s have played, and the result is not confirmed."
            )
            more = _("It is confirmed by itself on %(when)s.")
            yield ManageStep(
                _("Confirm the result of challenge %(number)s") % names,
                f"{text % names} {more % names}" if challenge.due_at else text % names,
                ManageAction(
                    _("Check result"), facts.url("challenge", challenge.number), "confirm_result"
                ),
            )
        elif is_late:
            yield ManageStep(
                _("Decide challenge %(number)s") % names,
                _("%(challenger)s challenged %(challenged)s. The deadline was %(when)s.") % names,
                ManageAction(
                    _("Open challenge %(number)s") % names, facts.url("challenge", challenge.number)
                ),
            )


def held_results(facts: ManageFacts) -> Iterator[ManageStep]:
    event = facts.event
    is_held = event.visibility == Visibility.HELD and facts.counts["publication"] is not None
    if is_held and not facts.is_running:
        yield ManageStep(
            _("Release the results"),
            _("The event is over, and only directors can read its results."),
            ManageAction(
                _("Release results"),
                facts.url("visibility"),
                "publish",
                "visibility",
                Visibility.PUBLIC,
            ),
            ManageAction(_("Change visibility"), facts.url("visibility"), "publish"),
        )


def closed_event(facts: ManageFacts) -> Iterator[ManageStep]:
    """Ask for a closed event to be made final, once nothing is in dispute.

    A stage that is planned begins in an open event only: its tie was played off while the event
    was closed.
    """
    if facts.event.state != "closed":
        return
    final = facts.move_action("final", facts.text_to_finish)
    if facts.stage is not None and facts.stage.next_name:
        names = {"stage": facts.stage.next_name}
        yield ManageStep(
            _("Reopen the event for “%(stage)s”") % names,
            _(
                "The stage “%(stage)s” is planned and has not begun. A stage begins in an open "
                "event. Without it, make the results final."
            )
            % names,
            ManageAction(_("Reopen event"), f"{facts.url('manage-event')}#state"),
            None if facts.waits or facts.is_window_open else final,
        )
    elif not facts.waits and not facts.is_window_open:
        text = _("The event is closed and nothing is in dispute.")
        if facts.shared_first:
            yield ManageStep(
                _("Make the results final"),
                f"{facts.shared_first_text} {text}",
                facts.play_off_first_action(),
                final,
            )
            return
        yield ManageStep(_("Make the results final"), text, final)


def finished_event(facts: ManageFacts) -> Iterator[ManageStep]:
    event, rounds = facts.event, facts.own_rounds
    if not event.is_open or not rounds or facts.open_rounds or facts.n_planned:
        return
    zone = event.club.zone
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
        sentences = [text % {"n": count}, _("Close the event when no more rounds are played.")]
        reason = " ".join([*sentences, *facts.questions_at_close])
        close = facts.move_action("closed", facts.text_to_close)
        if facts.shared_first:
            yield ManageStep(_("Close the event"), reason, facts.play_off_first_action(), close)
            return
        new_round = ManageAction(_("New round"), facts.url("new-round"))
        yield ManageStep(_("Close the event"), reason, close, new_round)


def empty_ladder(facts: ManageFacts) -> Iterator[ManageStep]:
    if facts.is_ladder and facts.event.is_open and facts.counts["entrants"] < 2:
        yield ManageStep(
            _("Add players"),
            _("A ladder needs at least two players before anybody can be challenged."),
            ManageAction(_("Add players"), facts.url("add-entrants")),
        )


def final_event(facts: ManageFacts) -> Iterator[ManageStep]:
    event = facts.event
    if event.state == "final" and not facts.is_ladder and may_create_events(event):
        yield ManageStep(
            _("Create the next season"),
            _("The event is final. The next one starts as a draft with the same settings."),
            ManageAction(_("Create next season"), facts.url("next-event")),
        )


def next_step(facts: ManageFacts) -> JsonDict:
    """Return the next `step` of an event; without one `idle` says how long there is none."""
    steps = (
        step for finder in STEPS for step in finder(facts) if step.action.is_allowed(facts.event)
    )
    step = next(steps, None)
    return {"step": step, "idle": "" if step else _idle(facts)}


STEPS: Final = (
    filed_hands,
    imported_hands,
    empty_seats,
    open_disputes,
    upheld_disputes,
    reviews,
    round_steps.complete_rounds,
    draft_event,
    event_without_boards,
    round_steps.draft_rounds,
    round_steps.empty_rounds,
    round_steps.rounds_in_play,
    round_steps.entrants_of_stage,
    live_playoffs,
    round_steps.next_stage,
    round_steps.attendance_today,
    round_steps.people_without_plan,
    round_steps.meeting_today,
    round_steps.past_evening,
    waiting_challenges,
    held_results,
    closed_event,
    finished_event,
    empty_ladder,
    round_steps.ended_evening,
    round_steps.planned_round,
    round_steps.evening_to_plan,
    round_steps.new_round,
    final_event,
)
"""Functions that find the step, the most urgent first."""


def _idle(facts: ManageFacts) -> str:
    event = facts.event
    zone = facts.event.club.time_zone
    if event.state == "closed" and facts.waits:
        return sentence(facts.waits[0])
    if facts.is_window_open and facts.window_ends is not None:
        return _(
            "Nothing to do until %(when)s. Corrections are possible until then; afterwards the "
            "event becomes final by itself."
        ) % {"when": at(facts.window_ends, zone)}
    if event.state == "final":
        return _("Nothing to do. The event is final.")
    if facts.next_meeting is not None:
        return _("Nothing to do until %(day)s.") % {"day": day(facts.next_meeting)}
    due = min(
        (challenge.due_at for challenge in facts.challenges if challenge.due_at), default=None
    )
    if due is not None:
        return _("Nothing to do until %(when)s, the next deadline of a challenge.") % {
            "when": by_when(due, ZoneInfo(zone), day="j M Y")
        }
    return _("Nothing to do. The members challenge each other.")
