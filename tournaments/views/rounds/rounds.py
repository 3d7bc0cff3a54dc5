"""Rounds and tables for their director: making, posting, opening, closing, extending."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from scoring.rules.options import Option
from scoring.rules.rules import Rules
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.rounds import Round
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events, meetings
from tournaments.selectors.events.entrants import sit_outs_in
from tournaments.selectors.events.settings_checks import default_snapshot, variant_text
from tournaments.selectors.hands import score_sheet
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.selectors.rounds import rounds
from tournaments.selectors.rounds.round_names import label_of_round
from tournaments.selectors.rounds.round_progress import round_clock
from tournaments.selectors.rounds.rounds import removed_tables
from tournaments.selectors.rounds.table_sheets import sheet_verification_of
from tournaments.selectors.rounds.tables import (
    decided_by_walk_over,
    entrants_at,
    may_walk_over,
    walk_overs_at,
)
from tournaments.selectors.rules.rule_sets import offered_in
from tournaments.services.drafts import draw_round_again, move_drawn_round
from tournaments.services.events.states import require_running
from tournaments.services.hands.close_tables import close_round, move_game
from tournaments.services.operations import Operation
from tournaments.services.rounds import seating
from tournaments.services.rounds.arrange_round import sit_out_unseated
from tournaments.services.rounds.rounds import change_round_game, make_round, remove_round
from tournaments.services.rounds.rounds import extend_round as extend
from tournaments.services.stages.walk_overs import record_walk_over, undo_walk_over
from tournaments.states import GAME, ROUND
from tournaments.templatetags.points import clock as time_of
from tournaments.views.events.manage_event import EventStateForm, actions
from tournaments.views.hands.change_players import change_player_links
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest, link_to
from tournaments.views.http.pages import done, go_to, render_manage, render_table
from tournaments.views.http.service_form import (
    ReasonForm,
    RefusalMessages,
    day_field,
    gives,
    operation_of,
    posted,
    submit,
)
from tournaments.views.playoffs.playoff_text import playoff_links
from tournaments.views.rounds.round_page import next_step, render_round, sit_out_action
from tournaments.views.rules.variant_options import (
    GameForm,
    GroupedGames,
    asks_to_preview,
    grouped_games,
    selected_game,
)


class WalkOverForm(ReasonForm):
    field_order = ("player_id", "reason")

    player_id = forms.CharField(label=_("Does not play"), widget=forms.Select)

    def __init__(self, *args: Any, entrants: Iterable[Mapping[str, str]] = (), **more: Any) -> None:
        super().__init__(*args, auto_id="walk-over-%s", **more)
        choices = [("", "–"), *((entrant["entrant_id"], entrant["name"]) for entrant in entrants)]
        self.fields["player_id"].widget.choices = choices


class RoundForm(GameForm):
    field_order = ("number", "on", "variant")
    number = forms.IntegerField(
        label=gettext_lazy("Round number"),
        help_text=gettext_lazy("Rounds are numbered through the whole event."),
        error_messages={"invalid": gettext_lazy("Enter a number from 1.")},
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    on = day_field(
        gettext_lazy("Date of the meeting"),
        gettext_lazy("Optional. For example 2026-11-20."),
        invalid=gettext_lazy("Enter the date as 2026-11-20."),
    )

    def __init__(
        self,
        data: object = None,
        *,
        options: Sequence[Option] = (),
        rules: Rules | None = None,
        otherwise: str = "",
        games: GroupedGames = (),
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        if not self.is_bound:
            self.fields["number"].widget.attrs["autofocus"] = True
        self.fields["variant"].label = gettext("Game of this round")
        self.fields["variant"].help_text = gettext("You can choose another game for each table.")
        self.choose_from(games, otherwise)
        self.ask_options(options, rules)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.field_order]

    @gives("number", "on", "variant", "options")
    def get_arguments(self) -> JsonDict:
        return {"number": self.cleaned_data["number"], "on": self.cleaned_data["on"], **self.game()}


ROUND_ACTIONS: Final = {
    ("draft", "posted"): gettext_lazy("Post round"),
    ("posted", "draft"): gettext_lazy("Back to draft"),
    ("playing", "closed"): gettext_lazy("Close round"),
    ("closed", "playing"): gettext_lazy("Reopen round"),
}

ROUND_SAYS: Final = {
    "draft": gettext_lazy("The round is a draft again."),
    "posted": gettext_lazy("Round posted."),
    "playing": gettext_lazy("Round reopened."),
    "closed": gettext_lazy("Round closed."),
}
"""New state → the message."""


@event_form_page(extend)
def extend_round(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Extend the time of a round, and go back to its board or to Manage."""
    round_ = events.get_round(event, number)
    op = operation_of(request)
    if request.method == "POST":
        with RefusalMessages(request):
            minutes = number_in(request.POST.get("minutes", "")) or 0
            based_on = number_in(request.POST.get("extra", ""))
            extended = extend(op, round_, minutes=minutes, based_on=based_on)
            ends = round_clock(event, extended, now=op.now)
            if ends is not None:
                notice = gettext("Round %(number)s now lasts until %(time)s.")
                facts = {
                    "number": label_of_round(event, round_),
                    "time": time_of(ends.ends_at, event.club.time_zone),
                }
                messages.success(request, notice % facts)
    if request.GET.get("back") == "manage":
        return go_to("manage-event", event)
    return go_to("board", event, number=number)


GAME_ACTIONS: Final = {
    ("playing", "complete"): gettext_lazy("Close table"),
    ("playing", "abandoned"): gettext_lazy("Abandon, hands count"),
    ("complete", "playing"): gettext_lazy("Reopen table"),
    ("checked", "playing"): gettext_lazy("Reopen table"),
}
WITHOUT_HANDS: Final = "without_hands"
"""Value of the button that abandons a table without its hands."""


@event_form_page(move_game)
def close_table(request: PageRequest, event: Event, code: str) -> HttpResponse:
    """Show the progress of a table, and close, continue or abandon it."""
    score_sheet.table_sheet(event, code)
    action = request.POST.get("walk_over", "")
    knockout = may_walk_over(event, code) if may_do(event, "manage_event") else None
    entrants = entrants_at(event, knockout.pk) if knockout is not None else ()
    walk_over = WalkOverForm(posted(request) if action else None, entrants=entrants)
    form = EventStateForm(None if action else posted(request))
    if action and walk_over.is_valid():
        with walk_over.placing():
            messages.success(request, _walk_over(request, event, code, walk_over))
            return go_to("close-table", event, code=code)
    if form.is_bound and form.is_valid():
        fields = form.cleaned_data
        is_without = fields["to"] == WITHOUT_HANDS
        with form.placing():
            moved_game = move_game(
                operation_of(request),
                score_sheet.get_game(event, code),
                to="abandoned" if is_without else fields["to"],
                reason=fields["reason"],
                hands_count=not is_without,
            )
            if moved_game.state == "complete":
                _warn_of_gaps(request, score_sheet.table_sheet(event, code))
            return done(request, gettext("Done."), "table", event, code=code)
    sheet = score_sheet.table_sheet(event, code)
    offered = actions(GAME, GAME_ACTIONS, sheet.state, event)
    may_change = sheet.round_state != "closed" and not event.is_over
    context = {
        "form": form,
        "read_back": sheet_verification_of(event, sheet),
        "actions": offered if may_change else (),
        "may_abandon": may_change and any(action["to"] == "abandoned" for action in offered),
        "without_hands": WITHOUT_HANDS,
        "walk_over": walk_over,
        "entrants": entrants,
        "given_up": walk_overs_at(event, knockout.pk) if knockout is not None else (),
    }
    return render_table(request, "rounds/close_table.html", event, sheet, context, form, walk_over)


def _warn_of_gaps(request: PageRequest, *tables: TableSheet | rounds.TableCard) -> None:
    for table in tables:
        if missing := table.missing_numbers:
            text = ngettext(
                "Table %(table)s: no hand has the number %(hands)s. "
                "Check whether a hand was not entered.",
                "Table %(table)s: no hands have the numbers %(hands)s. "
                "Check whether hands were not entered.",
                len(missing),
            )
            facts = {"table": table.number, "hands": ", ".join(map(str, missing))}
            messages.warning(request, text % facts)


def _walk_over(request: PageRequest, event: Event, code: str, form: WalkOverForm) -> str:
    fields = form.cleaned_data
    undone = request.POST.get("undo", "")
    op = operation_of(request)
    game = score_sheet.get_game(event, code)
    reason = fields["reason"]
    if undone:
        undo_walk_over(op, game, entrant=undone, reason=reason)
        return gettext("The walk-over has been undone.")
    record_walk_over(op, game, entrant=fields["player_id"], reason=reason)
    return gettext("The walk-over has been recorded.")


@event_form_page((make_round, RoundForm))
def new_round(request: PageRequest, event: Event) -> HttpResponse:
    if event.is_over:
        with RefusalMessages(request):
            require_running(event)
        return go_to("manage-event", event)
    last = events.rounds_of(event).last()
    game = selected_game(request.POST.get("variant", ""), offered_in(event))
    form = round_form(
        event,
        posted(request),
        options=game.options,
        rules=game.rules,
        initial={"number": last.number + 1 if last else 1, "on": _proposed_day(request, event)},
    )
    is_sent = request.method == "POST" and form.is_valid()
    if is_sent and not asks_to_preview(request, form, game):
        round_ = submit(request, form, make_round, event)
        if round_ is not None:
            notice = gettext("Round %(number)s created. Seat its tables.")
            messages.success(request, notice % {"number": label_of_round(event, round_)})
            return go_to("round", event, number=round_.number)
    context = {
        "form": form,
        "game": game,
        "is_open": "look" in request.POST or form.has_options_set,
    }
    return render_manage(request, "rounds/new_round.html", event, context, form)


def _proposed_day(request: PageRequest, event: Event) -> date | None:
    try:
        return date.fromisoformat(request.GET.get("on", ""))
    except ValueError:
        return meetings.day_to_play(event, timezone.now())


@event_form_page(move_drawn_round)
def manage_round(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Show the tab Manage of a round, and take the round from one state to the next."""
    round_ = events.get_round(event, number)
    form = EventStateForm(posted(request))
    notice = ""
    if form.is_valid():
        with form.placing():
            notice = _action(request, form, round_)
    if form.is_bound and not form.has_problems:
        if notice:
            messages.success(request, notice)
        if form.cleaned_data["to"] == "closed":
            _warn_of_gaps(request, *rounds.round_cards(event, round_))
        if "remove" in request.POST or request.GET.get("back") == "manage":
            return go_to("manage-event", event)
        if request.GET.get("back") == "night" and round_.meeting is not None:
            return go_to("evening-seating", event, day=round_.meeting.date.isoformat())
        is_moved = {"to", "anyway", "draw_again", "sit_out"} & request.POST.keys()
        return go_to("round" if is_moved else "manage-round", event, number=number)
    round_ = events.get_round(event, number)
    cards = rounds.round_cards(event, round_)
    rules = round_.snapshot or default_snapshot(event)
    has_hands = events.round_has_hands(round_)
    step = next_step(event, round_)
    skipped = {"draft" if has_hands else "", step.action.value if step else ""}
    if step is not None and step.action.field == "draw_again":
        skipped.add("posted")
    offered = tuple(
        action
        for action in actions(ROUND, ROUND_ACTIONS, round_.state, event)
        if action["to"] not in skipped
    )
    is_running = not event.is_over
    states = [card.state for card in cards]
    context = {
        "step": step,
        "tables": cards,
        "walk_overs": decided_by_walk_over(round_),
        "games": rounds.games_of(cards),
        "own_game": rules.variant_name,
        "game": variant_text(rules.variant_name, rules.options),
        "game_form": round_form(
            event, initial={"variant": round_.snapshot.variant if round_.snapshot else ""}
        ),
        "may_change_game": is_running and round_.state != "closed" and not has_hands,
        "sit_outs": sit_outs_in(event, round_),
        "removed": removed_tables(event, round_),
        "refused_links": (
            *change_player_links(event, form.placed),
            *playoff_links(event, form.placed),
            *(
                link_to(
                    gettext("Seats of round %(number)s")
                    % {"number": label_of_round(event, round_)},
                    "round",
                    event,
                    number=number,
                )
                for problem in form.placed
                if problem.code in ("present_without_seat", "seated_player_left")
            ),
        ),
        "refused_actions": [
            sit_out_action(event, number, str(problem.facts["ids"]))
            for problem in form.placed
            if problem.code == "present_without_seat"
        ],
        "n_playing": 0 if "seated" in states else states.count("playing"),
        "form": form,
        "actions": offered,
        "asks_reason": any(action["needs_reason"] for action in offered),
        "is_running": is_running,
    }
    return render_round(request, "rounds/manage_round.html", event, round_, context, form)


def round_form(event: Event, data: object = None, **more: Any) -> RoundForm:
    games = grouped_games(offered_in(event))
    otherwise = default_snapshot(event).variant_name
    return RoundForm(data, games=games, otherwise=otherwise, **more)


def _action(request: PageRequest, form: EventStateForm, round_: Round) -> str:
    """Perform the pressed button's action, and return the message of what was done."""
    buttons = request.POST
    fields = form.cleaned_data
    op = operation_of(request)
    if "remove" in buttons:
        remove_round(op, round_)
        return gettext("Round %(number)s deleted.") % {"number": round_.number}
    if line := number_in(buttons.get("restore", "")):
        table = seating.restore_table(op, round_.event, line=line).table
        return gettext("Table %(number)s restored.") % {"number": table.number}
    if "sit_out" in buttons:
        sit_out_unseated(op, round_, players=buttons["sit_out"].split(","))
        return gettext("The players without a seat sit out.")
    if "draw_again" in buttons:
        draw_round_again(op, round_)
        return gettext("Round %(number)s is drawn again.") % {
            "number": label_of_round(round_.event, round_)
        }
    if "variant" in buttons:
        change_round_game(op, round_, variant=buttons["variant"])
        return gettext("Game of the round changed.")
    # The button “Post anyway” has no `to`: it is offered where posting was refused.
    to = "posted" if "anyway" in buttons else fields["to"]
    _move(op, round_, to=to, reason=fields["reason"], anyway="anyway" in buttons)
    return str(ROUND_SAYS.get(to, ""))


def _move(op: Operation, round_: Round, *, to: str, reason: str, anyway: bool) -> Round:
    """Move a round; a second tap, also at the same moment as the first, is not refused."""
    try:
        if to == "closed":
            return close_round(op, round_)
        return move_drawn_round(op, round_, to=to, reason=reason, anyway=anyway)
    except Conflict:
        moved_round = events.get_round(round_.event, round_.number)
        if moved_round.state != to:
            raise
        return moved_round
