"""Planning an evening: constraints, plans side by side, and choosing one."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.models.seating_plans import KNOCKOUT, OPEN, SWISS, ConstraintKind, SeatingPlan
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.jobs.queue import is_worker_heard
from tournaments.selectors.seating_plans.people_here import seatable_players
from tournaments.selectors.seating_plans.plan_page import PlanPage
from tournaments.selectors.seating_plans.plans import constraints_of, get_constraint, plan_at
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.seating_plans.compute_plan import choose_plan, take_best_so_far
from tournaments.services.seating_plans.constraints import add_constraint, remove_constraint
from tournaments.services.seating_plans.make_plans import make_plans
from tournaments.views.hands.hand_form_fields import number_in
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_manage
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    gives,
    operation_of,
    posted,
    submit,
)
from tournaments.views.playoffs.playoff_text import playoff_links

MOVEMENTS: Final = (
    (
        "individual",
        _("Meet many players"),
        _("All rounds are planned now. Everybody meets as many different players as possible."),
    ),
    (
        "ladder",
        _("Ladder night"),
        _("All rounds are planned now. Neighbours in the ladder, or in the standings, meet."),
    ),
    (
        "swiss",
        _("Swiss: next round"),
        _("Players with equal scores share a table. Close each round before you plan the next."),
    ),
    (
        "knockout",
        _("Knock-out: next round"),
        _("The best two of each table go on. Close each round before you plan the next."),
    ),
    (
        "open",
        _("Open night"),
        _("Nothing is planned ahead. Tables form from players who are free."),
    ),
)
"""Kinds of plans with their labels, and what each of them does."""
WITH_BOARDS: Final = (
    "moving",
    _("Boards move"),
    _("All rounds are planned now. Nobody plays a board twice, and nobody meets twice."),
)
"""The kind of plan of a duplicate event whose boards move, in the order of `MOVEMENTS`."""
PARTNER_MOVEMENTS: Final = (
    ("whist", _("Whist: partners change"), _("Every round each player has another partner.")),
    (
        "pairs:all_play_all",
        _("Pairs: all play all"),
        _("Fixed pairs. Every pair plays each other pair once in the full set."),
    ),
    (
        "pairs:mitchell",
        _("Pairs: two fields"),
        _("Half of the pairs stay at their tables, the others move on (Mitchell)."),
    ),
    (
        "pairs:swiss",
        _("Pairs: Swiss, next round"),
        _("Pairs with equal scores play each other. Close each round before you plan the next."),
    ),
    (
        "teams:one_table",
        _("Team matches: one table"),
        _("Two of each team play at one table, on opposite sides."),
    ),
    (
        "teams:two_tables",
        _("Team matches: two tables"),
        _("Four of each team play at two tables, with the sides crossed."),
    ),
)
"""Kinds of plans with partners: movement and variation, label, and what each of them does."""


def _partner_movements(partners: Collection[str]) -> list[tuple[str, Promise, Promise]]:
    return [row for row in PARTNER_MOVEMENTS if row[0].partition(":")[0] in partners]


def usual_kind(movement: str, partners: Collection[str]) -> str:
    """Return the kind of plan proposed for a movement, `partners` among them; else the first."""
    movements = (*MOVEMENTS, WITH_BOARDS, *_partner_movements(partners))
    kinds = [kind for kind, _label, _text in movements]
    return next((kind for kind in kinds if kind.partition(":")[0] == movement), kinds[0])


class PlanForm(ServiceForm):
    """The kind of plan, its rounds and stage, the table sizes of this evening, and a seed."""

    movement = forms.ChoiceField(label=_("Kind of evening"))
    stage = forms.IntegerField(widget=forms.HiddenInput)
    rounds = forms.IntegerField(
        label=_("Number of rounds"),
        widget=forms.NumberInput(attrs={"min": 1, "max": 60, "inputmode": "numeric"}),
    )
    sizes = forms.MultipleChoiceField(
        label=_("Players at a table"), widget=forms.CheckboxSelectMultiple
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        help_text=_("The same people and seed give the same plans."),
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )

    def __init__(
        self,
        *args: Any,
        allowed: Sequence[int] = (),
        partners: Collection[str] = (),
        figures: Mapping[str, str] | None = None,
        is_moving: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.figures = figures or {}
        self.movements = (
            *((WITH_BOARDS,) if is_moving else ()),
            *MOVEMENTS,
            *_partner_movements(partners),
        )
        kinds = [(key, label) for key, label, _text in self.movements]
        self.fields["movement"].choices = kinds  # type: ignore[attr-defined]  # of a choice field
        self.fields["sizes"].choices = [(str(size), str(size)) for size in allowed]  # type: ignore[attr-defined]  # of a choice field

    def kinds(self) -> Iterator[tuple[str | Promise, str | Promise, str]]:
        """Yield the kinds of plans, each with its description and its results here."""
        for key, label, text in self.movements:
            yield label, text, self.figures.get(key, "")

    @gives("movement", "variation", "rounds", "sizes", "seed", "stage")
    def get_arguments(self) -> dict[str, Any]:
        fields = self.cleaned_data
        movement, _colon, variation = (fields["movement"] or "individual").partition(":")
        return {
            "movement": movement,
            "variation": variation,
            "rounds": 1 if {movement, variation} & {SWISS, KNOCKOUT} else fields["rounds"] or 0,
            "sizes": tuple(map(int, fields["sizes"])),
            "seed": fields["seed"],
            "stage": fields["stage"],
        }


class ConstraintForm(ServiceForm):
    """A constraint; `people` are the club's players by id."""

    required_fields = ("kind",)
    kind = forms.ChoiceField(
        label=_("Constraint"),
        choices=(
            (ConstraintKind.APART.value, _("Never at one table")),
            (ConstraintKind.TOGETHER.value, _("Always at one table")),
            (ConstraintKind.FIXED_TABLE.value, _("Always at a fixed table")),
        ),
        help_text=_("Where pairs play, two who are always at one table are partners."),
    )
    player = forms.CharField(label=_("Player"))
    other = forms.CharField(label=_("Other player"), help_text=_("Empty for a fixed table."))
    table = forms.IntegerField(
        label=_("Table number"),
        help_text=_("For a fixed table only."),
        widget=forms.NumberInput(attrs={"min": 1, "inputmode": "numeric"}),
    )
    reason = forms.CharField(
        label=_("Reason (optional)"), help_text=_("Only directors and owners read it.")
    )

    def __init__(self, *args: Any, people: Sequence[tuple[str, str]] = (), **more: Any) -> None:
        super().__init__(*args, **more)
        for name in ("player", "other"):
            choices = [("", _("Choose a player")), *people]
            self.fields[name].widget = forms.Select(choices=choices)


@event_form_page((add_constraint, ConstraintForm))
def constraints(request: PageRequest, event: Event) -> HttpResponse:
    """List the constraints of an event with their reasons; add and remove them.

    The page that offers pairs (`_make_pair.html`) leads here with `kind`.
    """
    if "remove" in request.POST:
        messages.success(request, _remove_constraint(request, event))
        return redirect(request.get_full_path())
    people = [
        (player.player_id, f"{getattr(player, FULL_NAME)} ({player.player_id})")
        for player in seatable_players(event)
    ]
    initial = {
        name: request.GET[name] for name in ("kind", "player", "other") if name in request.GET
    }
    form = ConstraintForm(posted(request), people=people, initial=initial)
    if submit(request, form, add_constraint, event):
        messages.success(request, gettext("Constraint added."))
        return redirect(request.get_full_path())
    day = request.GET.get("day")
    context = {
        "form": form,
        "constraints": tuple(constraints_of(event)),
        "day": meeting_on(event, date_of(day)).date if day else None,
    }
    below = (layout.evenings_link(event),)
    page = "seating_plans/seating_constraints.html"
    return render_manage(request, page, event, context, form, below=below)


def _remove_constraint(request: PageRequest, event: Event) -> str:
    try:
        constraint = get_constraint(event, request.POST["remove"])
        remove_constraint(operation_of(request), constraint)
    except Missing:  # somebody else removed it: there is nothing left to do
        return gettext("The constraint was removed already.")
    return gettext("Constraint removed.")


@event_form_page(
    (make_plans, PlanForm),
    (choose_plan, ServiceForm, "anyway"),
    (take_best_so_far, ServiceForm),
)
def plans(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """Show the plans of an evening; make them, choose one, or take the best found so far.

    `plan` makes plans with the initial values of the form, unless there are current ones.
    """
    meeting = meeting_on(event, date_of(day))
    meeting.event = event
    if request.htmx and request.method == "GET":
        return _progress(request, event, meeting)
    number = number_in(request.POST.get("stage") or request.GET.get("stage", ""))
    plans_page = PlanPage(event, meeting, timezone.now(), number)
    initial = _initial(plans_page)
    is_usual = "plan" in request.POST
    data: Any = None
    if is_usual:
        data = initial
    elif "make" in request.POST:
        data = request.POST
    form = PlanForm(
        data,
        initial=initial,
        allowed=plans_page.sizes,
        partners=plans_page.partners,
        figures=plans_page.figures,
        is_moving=plans_page.is_moving,
    )
    pressed = ServiceForm(posted(request))
    if is_usual:
        are_current = any(
            card.is_chosen or not (card.outdated or card.is_over) for card in plans_page.cards
        )
        if are_current or _make_plans(request, meeting, form):
            return go_to("seating-plans", event, day=day)
        notice = ""
    elif form.is_bound:
        notice = _make_plans(request, meeting, form)
    else:
        notice = _choose_plan(request, meeting, pressed)
    if notice:
        is_chosen = "choose" in request.POST or "anyway" in request.POST
        return done(
            request, notice, "evening-seating" if is_chosen else "seating-plans", event, day=day
        )
    if request.method == "POST":
        plans_page = PlanPage(event, meeting, timezone.now(), number)
    context = {
        "day": meeting.date,
        "shown": plans_page,
        "form": form,
        "pressed": pressed,
        "refused_links": playoff_links(event, (*form.placed, *pressed.placed)),
        "has_worker": not plans_page.waiting or is_worker_heard(timezone.now()),
    }
    below = (layout.evenings_link(event),)
    return render_manage(
        request, "seating_plans/plans.html", event, context, form, pressed, below=below
    )


def _progress(request: PageRequest, event: Event, meeting: Meeting) -> HttpResponse:
    plans_page = PlanPage(event, meeting, timezone.now(), None)
    context = {"event": event, "day": meeting.date, "shown": plans_page, "has_worker": True}
    response = render(request, "seating_plans/_plans_progress.html", context)
    if not plans_page.waiting:
        response["HX-Refresh"] = "true"
    return response


def _initial(plans_page: PlanPage) -> Mapping[str, Any]:
    """Return the initial values of the form: those of the newest plans, else defaults.

    Plans for another stage do not count.
    """
    stage = plans_page.stage.number if plans_page.stage is not None else None
    newest = max((card.plan.created_at for card in plans_page.cards), default=None)
    together = [card for card in plans_page.cards if card.plan.created_at == newest]
    is_chosen = any(card.is_chosen or card.is_over for card in together)
    is_of_before = is_chosen and plans_page.stage is not None and not plans_page.stage.seated
    if not together or is_of_before or together[0].plan.inputs.get("stage", stage) != stage:
        return {
            "movement": usual_kind(plans_page.movement, plans_page.partners),
            "rounds": plans_page.rounds,
            "sizes": list(map(str, plans_page.preferred)),
            "stage": stage,
        }
    plan = together[0].plan
    sizes = sorted({size for card in together for size in card.plan.inputs["sizes"]})
    kind = ":".join(filter(None, (plan.movement, plan.inputs.get("variation", ""))))
    return {
        "movement": kind,
        "sizes": list(map(str, sizes)),
        "rounds": _rounds_again(plans_page, plan, is_chosen=is_chosen),
        "stage": stage,
    }


def _rounds_again(plans_page: PlanPage, plan: SeatingPlan, *, is_chosen: bool) -> int:
    if plan.movement == OPEN:
        return plans_page.rounds
    if not is_chosen:
        return plan.round_count
    if plans_page.stage is not None and plans_page.stage.rounds_left:
        return plans_page.stage.rounds_left
    last = int(plan.inputs.get("first_round", 1)) + plan.round_count - 1
    return max(1, last - plans_page.evening.seated)


def _make_plans(request: PageRequest, meeting: Meeting, form: PlanForm) -> str:
    new_plans = submit(request, form, make_plans, meeting)
    if new_plans is None:
        return ""
    return ngettext("%(n)s plan created.", "%(n)s plans created.", len(new_plans)) % {
        "n": len(new_plans)
    }


def _choose_plan(request: PageRequest, meeting: Meeting, form: ServiceForm) -> str:
    """Choose a plan, and seat its first round where the evening has no round."""
    if not form.is_valid():
        return ""
    fields = request.POST
    event = meeting.event
    try:
        if "take" in fields:
            submit(request, form, take_best_so_far, plan_at(event, fields["take"]))
            return gettext("The best plan so far is taken.")
        sent = plan_at(event, fields.get("choose") or fields.get("anyway", ""))
        plan = submit(request, form, choose_plan, sent, anyway="anyway" in fields)
    except Missing as missing:
        form.place([missing.problem])
        return ""
    if plan is None:
        return ""
    if plan.movement != OPEN and not meeting.rounds.exists():
        with RefusalMessages(request):
            number = make_round_of_plan(operation_of(request), plan).number
            return gettext("Plan chosen. Round %(number)s is seated.") % {"number": number}
    return gettext("Plan chosen.")
