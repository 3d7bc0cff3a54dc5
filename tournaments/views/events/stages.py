"""Stages of an event: the plan of its director, its forms, who went on, and the cuts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.domain.messages import sentence
from tournaments.domain.stage_plan import MOVEMENTS
from tournaments.errors import Missing
from tournaments.models.events import Event, StageKind
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import entrant_rows
from tournaments.selectors.events.stages import (
    CARRY_NAMES,
    MOVEMENT_NAMES,
    SEEDING_NAMES,
    StageRow,
    in_words,
    stage_row,
    stage_rows,
    stage_tag,
)
from tournaments.selectors.standings.reasons import question_with_names, with_names
from tournaments.selectors.standings.standings import review_of
from tournaments.services.playoffs.director_actions import play_off_tie
from tournaments.services.previewing.playoff_answers import AnswerPreview, answers_about_cut
from tournaments.services.stages.cuts import answer_cut, make_cut, undo_cut
from tournaments.services.stages.plan_stages import (
    begin_stage,
    change_stage,
    move_stage,
    plan_stage,
    remove_stage,
)
from tournaments.views.events.settings_fields import choice, text_field, whole
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pages import done, go_to, render_event
from tournaments.views.http.service_form import (
    ReasonForm,
    ServiceForm,
    attempt,
    posted,
    render_form,
    submit,
)
from tournaments.views.playoffs.playoff_text import playoff_links


class NamedEntrantsForm(ServiceForm):
    """A form in whose refusals entrants have their names."""

    def __init__(
        self, data: object = None, *, names: Mapping[str, str] | None = None, **more: object
    ) -> None:
        super().__init__(data, **more)
        self._names: Mapping[str, str] = names or {}

    def sentence_of(self, problem: Problem) -> str:
        if problem.code in OF_THE_TIED:
            names = {"level": with_names(str(problem.facts["level"]), self._names)}
            problem = replace(problem, facts={**problem.facts, **names})
        return super().sentence_of(problem)


OF_THE_TIED: Final = ("cut_tied", "table_tied", "wild_cards_tied")
"""Problems whose `level` lists ids of entrants."""


class CutForm(NamedEntrantsForm):
    cut = whole(_("Number of qualifiers"))
    name = text_field(
        _("Name of the stage"), _("For example Final. If empty, the name is “the final of 8”.")
    )


class AnswerCutForm(NamedEntrantsForm, ReasonForm):
    act = forms.CharField(required=False, widget=forms.HiddenInput)


class StagePlanForm(NamedEntrantsForm):
    """A stage to plan or to change.

    Args:
        stages: those before it, for `from_stage`.
        is_first: the first stage takes nobody from another one.
        only_rounds: a round of it was posted, so that its number of rounds alone can change.
    """

    based_on = forms.CharField(required=False, widget=forms.HiddenInput)
    name = text_field(_("Name of the stage"))
    movement = choice(_("Movement"), ())
    rounds = whole(_("Number of rounds"), _("Optional."))
    table_sizes = whole(_("Table sizes"), _("Optional, for example 4, 3."))
    from_stage = choice(_("Takes entrants from"), ())
    takes = choice(
        _("Who plays"),
        [("winners", _("Those who go on")), ("losers", _("Those who do not go on (consolation)"))],
    )
    from_round = whole(
        _("Losers of round"), _("Only for the consolation of a knock-out. Empty: the first round.")
    )
    advance = choice(
        _("Who goes on"),
        [
            ("", _("Everybody")),
            ("best", _("The best of the standings")),
            ("each_table", _("The best of each table of the last round")),
        ],
    )
    qualifiers = whole(_("Number of qualifiers"), _("In all, or of each table."))
    wild_cards = whole(
        _("Wild cards"), _("So many others with the best places in the standings go on, too.")
    )
    also_from = choice(
        _("Some come back from"), (), _("Optional: a second stage, for example a consolation.")
    )
    also_best = whole(
        _("Number who come back"), _("So many of the best of the second stage play here, too.")
    )
    carry = choice(_("What counts"), list(CARRY_NAMES.items()))
    seeding = choice(
        _("Seeding"),
        list(SEEDING_NAMES.items()),
        _("The order of the first round of the stage, where no scores count yet."),
    )
    each_round = whole(
        _("Go on from each table"), _("In each round of a knock-out. Empty: the best two.")
    )
    round_wild_cards = whole(
        _("Wild cards in each round"),
        _("Of a knock-out: so many others go on, the best of each round."),
    )

    def __init__(
        self,
        data: object = None,
        *,
        stages: Iterable[StageRow] = (),
        is_first: bool = False,
        only_rounds: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        self.fields["movement"].widget.choices = [
            (kind, MOVEMENT_NAMES[kind]) for kind in MOVEMENTS
        ]
        before = [(str(stage.number), stage.name) for stage in stages]
        self.fields["from_stage"].widget.choices = [("", gettext("the stage before")), *before]
        self.fields["also_from"].widget.choices = [("", gettext("nobody comes back")), *before]
        left_out: tuple[str, ...] = OF_LATER_STAGES if is_first else ()
        if only_rounds:
            left_out = tuple(name for name in self.fields if name not in ("based_on", "rounds"))
        for name in left_out:
            del self.fields[name]

    def differences(self, now: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        """Yield label and current value of each field that was entered otherwise."""
        for name, field in self.fields.items():
            value = str(now.get(name, ""))
            if name == "based_on" or self.cleaned_data.get(name, "").strip() == value:
                continue
            choices = dict(getattr(field.widget, "choices", ()))
            yield str(field.label), str(choices.get(value, value)) or "–"

    @property
    def arguments(self) -> dict[str, object]:
        return {"fields": self.plan}

    @property
    def plan(self) -> dict[str, object]:
        texts: Mapping[str, str] = self.cleaned_data
        rounds = texts["rounds"].strip() or None
        if "name" not in texts:
            return {"rounds": rounds}
        each, wild = texts["each_round"].strip(), texts["round_wild_cards"].strip()
        plan: dict[str, object] = {
            "name": texts["name"],
            "movement": texts["movement"],
            "rounds": rounds,
            "table_sizes": [size.strip() for size in texts["table_sizes"].split(",")]
            if texts["table_sizes"].strip()
            else None,
            "seeding": texts["seeding"] or "standings",
            "each_round": {"each_table": each or "2", "wild_cards": wild or "0"}
            if each or wild
            else None,
        }
        if "takes" in texts:
            plan |= {
                "carry": texts["carry"] or "all",
                "from_stage": texts["from_stage"] or None,
                "takes": texts["takes"] or "winners",
                "from_round": texts["from_round"].strip() or None,
                "advance": _advance(texts),
                "also_from": texts["also_from"] or None,
                "also_best": texts["also_best"].strip() or None,
            }
        return plan


OF_LATER_STAGES = (
    *("from_stage", "takes", "from_round", "advance", "qualifiers", "wild_cards", "carry"),
    *("also_from", "also_best"),
)
"""What the first stage has not."""


def _advance(texts: Mapping[str, str]) -> dict[str, str] | None:
    if not texts["advance"]:
        return None
    rule = {texts["advance"]: texts["qualifiers"]}
    if texts["wild_cards"].strip() and texts["advance"] != "best":
        rule["wild_cards"] = texts["wild_cards"]
    return rule


def entered(row: StageRow) -> dict[str, object]:
    rule = row.advance or {}
    return {
        "name": row.own_name,
        "movement": row.kind,
        "rounds": row.planned_rounds or "",
        "table_sizes": ", ".join(map(str, row.table_sizes)),
        "from_stage": row.from_stage or "",
        "takes": row.takes,
        "advance": next((key for key in ("best", "each_table") if key in rule), ""),
        "qualifiers": rule.get("best") or rule.get("each_table") or "",
        "wild_cards": rule.get("wild_cards") or "",
        "carry": row.carry,
        "seeding": row.seeding,
        "each_round": (row.each_round or {}).get("each_table", ""),
        "round_wild_cards": (row.each_round or {}).get("wild_cards") or "",
        "from_round": row.from_round or "",
        "also_from": row.also_from or "",
        "also_best": row.also_best or "",
    }


@event_page("read_public")
def stages(request: PageRequest, event: Event) -> HttpResponse:
    may_cut = event.state == "open" and may_do(event, "manage_event")
    return _form_page(request, event, CutForm() if may_cut else None)


@event_form_page("manage_event")
def new_cut(request: PageRequest, event: Event) -> HttpResponse:
    form = CutForm(posted(request), names=_names(event))
    stage = submit(request, form, make_cut, event=event)
    if stage is not None:
        notice = gettext("The best %(cut)s have qualified. The standings will be updated.")
        return done(request, notice % {"cut": stage.cut}, "stages", event)
    return _form_page(request, event, form)


@event_form_page("manage_event")
def manage_stage(request: PageRequest, event: Event, number: int) -> HttpResponse:
    row = _row(event, number)
    form = AnswerCutForm(posted(request), names=_names(event))
    if request.method == "POST" and form.is_valid() and _apply_action(request, event, number, form):
        return done(request, gettext("Done. The standings will be updated."), "stages", event)
    answers: dict[str, AnswerPreview | Problem] = {}
    if row.asked:
        answers = answers_about_cut(event, number, actor=request.actor, now=timezone.now())
    context = {
        "layout": layout.event_layout(request, event, (_link(event),)),
        "event": event,
        "row": row,
        "form": form,
        "answers": [
            {"answer": answer, "why_not": sentence(preview)}
            if isinstance(preview, Problem)
            else preview
            for answer, preview in answers.items()
        ],
        "may_redo": isinstance(answers.get("redo"), AnswerPreview),
        "under_review": review_of(event) if row.asked else None,
    }
    return render_form(request, "stages/new_cut.html", context, form)


def _apply_action(request: PageRequest, event: Event, number: int, form: ServiceForm) -> bool:
    texts = form.cleaned_data
    about = {"actor": request.actor, "event": event, "number": number, "reason": texts["reason"]}
    if texts["act"] == "undo":
        return attempt(form, lambda: (undo_cut(**about, now=timezone.now()), True)) is not None
    answered = attempt(form, lambda: answer_cut(**about, answer=texts["act"], now=timezone.now()))
    return answered is not None


def _row(event: Event, number: int) -> StageRow:
    rows = (row for row in _named_rows(event) if row.number == number)
    row = next((row for row in rows if row.made_at or row.asked), None)
    if row is None:
        raise Missing("stage", {"stage": number})
    return row


def _named_rows(event: Event) -> list[StageRow]:
    rows = stage_rows(event)
    names = _names(event) if any(row.asked for row in rows) else {}
    return [
        replace(
            row,
            asked=question_with_names(row.asked, names),
            went_on=tuple(sorted(row.went_on, key=lambda member: (member.name, member.entrant_id))),
        )
        for row in rows
    ]


def _names(event: Event) -> dict[str, str]:
    return {entrant_row.entrant_id: entrant_row.name for entrant_row in entrant_rows(event)}


def _form_page(request: PageRequest, event: Event, form: CutForm | None) -> HttpResponse:
    context = {
        "stages": [in_words(row) for row in _named_rows(event)],
        "may_plan": may_do(event, "manage_event") and event.state in ("draft", "open"),
        "form": form,
        "may_direct": may_do(event, "manage_event"),
    }
    return render_event(request, "stages/cuts.html", event, context, form)


def _link(event: Event) -> Link:
    return layout.link_to(gettext("Stages"), "stages", event)


@event_form_page("manage_event")
def new_stage(request: PageRequest, event: Event) -> HttpResponse:
    before = _before(stage_rows(event))
    form = StagePlanForm(posted(request), stages=before, is_first=not before)
    if submit(request, form, plan_stage, event=event) is not None:
        return done(request, gettext("The stage has been added."), "stages", event)
    return _plan_form_page(request, event, form, None)


@event_form_page("manage_event")
def change_planned_stage(request: PageRequest, event: Event, number: int) -> HttpResponse:
    rows = stage_rows(event)
    row = stage_row(event, number)
    before = _before(row for row in rows if row.number < number)
    about: dict[str, Any] = {"stages": before, "is_first": not row.is_planned}
    about["only_rounds"] = row.may_change_rounds
    about["names"] = _names(event)
    act = request.POST.get("act", "change") if request.method == "POST" else ""
    data = posted(request) if act == "change" else None
    initial = {**entered(row), "based_on": stage_tag(row)}
    form = StagePlanForm(data, initial=initial, **about)
    if act == "change" and form.is_valid():
        about = {"actor": request.actor, "event": event, "now": timezone.now()}
        looked_at = form.cleaned_data["based_on"]
        if attempt(
            form, lambda: change_stage(**about, number=number, fields=form.plan, based_on=looked_at)
        ):
            return done(request, gettext("The stage has been changed."), "stages", event)
        if any(problem.code == "stage_outdated" for problem in form.placed):
            row = stage_row(event, number)
            different = list(form.differences(entered(row)))
            form.data = {**form.cleaned_data, "based_on": stage_tag(row)}
            return _plan_form_page(request, event, form, row, different)
    elif act and act != "change":
        form = StagePlanForm(initial, **about)
        if form.is_valid() and attempt(form, lambda: _act(request, event, rows, row, act)):
            page = {"begin": "manage-event", "playoff": "playoffs"}.get(act, "stages")
            return go_to(page, event)
    return _plan_form_page(request, event, form, row)


def _act(request: PageRequest, event: Event, rows: list[StageRow], row: StageRow, act: str) -> bool:
    about: dict[str, Any] = {"actor": request.actor, "event": event, "now": timezone.now()}
    planned = [row.number for row in rows if row.is_planned]
    at = planned.index(row.number) if row.number in planned else 0
    plan: dict[str, Any] = {"number": row.number, "based_on": request.POST.get("based_on", "")}
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "begin": (
            lambda: begin_stage(**about, number=row.number),
            gettext("The stage has begun. The standings will be updated."),
        ),
        "playoff": (
            lambda: play_off_tie(**about, number=row.number),
            gettext("The play-off is ready. You can also draw the lot on its page."),
        ),
        "remove": (lambda: remove_stage(**about, **plan), gettext("The stage has been removed.")),
        "up": (
            lambda: move_stage(**about, **plan, to=planned[max(at - 1, 0)]),
            gettext("The order has been changed."),
        ),
    }
    if act not in acts:
        return True
    run, notice = acts[act]
    run()
    messages.success(request, notice)
    return True


def _before(rows: Any) -> list[StageRow]:
    return [row for row in rows if row.kind != StageKind.PLAYOFF]


def _plan_form_page(
    request: PageRequest,
    event: Event,
    form: StagePlanForm,
    row: StageRow | None,
    different: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    context = {
        "layout": layout.event_layout(request, event, (_link(event),)),
        "event": event,
        "form": form,
        "row": row,
        "different": different,
        "refused_links": playoff_links(event, form.placed),
        "is_tied": any(problem.code in OF_THE_TIED for problem in form.placed),
    }
    return render_form(request, "stages/plan_stage.html", context, form)
