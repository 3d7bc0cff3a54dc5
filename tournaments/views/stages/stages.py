"""Stages of an event: the plan of its director, its forms, who went on, and the cuts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.domain.messages import sentence
from tournaments.domain.name_matching import sort_key
from tournaments.domain.stage_plan import MOVEMENTS
from tournaments.domain.standings.criteria import question_with_names, with_names
from tournaments.errors import Missing
from tournaments.models.events import Event, Stage, StageKind
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import entrant_rows
from tournaments.selectors.stages import (
    CARRY_NAMES,
    MOVEMENT_NAMES,
    SEEDING_NAMES,
    StageRow,
    get_stage,
    in_words,
    stage_plan,
    stage_row,
    stage_rows,
    stage_tag,
)
from tournaments.selectors.standings.publications import review_of
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
from tournaments.views.events.settings_form import choice, whole
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_event
from tournaments.views.http.service_form import (
    ReasonForm,
    ServiceForm,
    gives,
    hidden_field,
    operation_of,
    posted,
    submit,
    text_field,
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
    """Why a cut is kept, repeated or undone."""


class StagePlanForm(NamedEntrantsForm):
    """A stage to plan or to change.

    Args:
        stages: those before it, for `from_stage`.
        is_first: the first stage takes nobody from another one.
        only_rounds: a round of it was posted, so that its number of rounds alone can change.
    """

    based_on = hidden_field()
    name = text_field(_("Name of the stage"))
    movement = choice(_("Movement"), ())
    rounds = whole(_("Number of rounds"), _("Optional."))
    table_sizes = whole(_("Table sizes"), _("Optional, for example 4, 3."))
    from_stage = choice(_("Takes players from"), ())
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
        movements = [(kind, MOVEMENT_NAMES[kind]) for kind in MOVEMENTS]
        self.fields["movement"].widget.choices = movements
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

    @gives("fields")
    def get_arguments(self) -> dict[str, object]:
        texts: Mapping[str, str] = self.cleaned_data
        plan: dict[str, object] = {"rounds": texts["rounds"].strip() or None}
        if "name" in texts:
            each = texts["each_round"].strip()
            wild = texts["round_wild_cards"].strip()
            rule = {"each_table": each or "2", "wild_cards": wild or "0"}
            sizes = [size.strip() for size in texts["table_sizes"].split(",")]
            plan |= {
                "name": texts["name"],
                "movement": texts["movement"],
                "table_sizes": sizes if any(sizes) else None,
                "seeding": texts["seeding"] or "standings",
                "each_round": rule if each or wild else None,
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
        return {"fields": plan}


OF_LATER_STAGES = (
    *("from_stage", "takes", "from_round", "advance", "qualifiers", "wild_cards", "carry"),
    *("also_from", "also_best"),
)
"""Fields that the first stage does not have."""


def _advance(texts: Mapping[str, str]) -> dict[str, str] | None:
    if not texts["advance"]:
        return None
    rule = {texts["advance"]: texts["qualifiers"]}
    if texts["wild_cards"].strip() and texts["advance"] != "best":
        rule["wild_cards"] = texts["wild_cards"]
    return rule


def entered(row: StageRow) -> dict[str, object]:
    """Return the values of the fields for the plan of a stage."""
    rule, each_round = row.advance or {}, row.each_round or {}
    return {
        **{name: value or "" for name, value in stage_plan(row).items()},
        "table_sizes": ", ".join(map(str, row.table_sizes)),
        "advance": next((key for key in ("best", "each_table") if key in rule), ""),
        "qualifiers": rule.get("best") or rule.get("each_table") or "",
        "wild_cards": rule.get("wild_cards") or "",
        "each_round": each_round.get("each_table", ""),
        "round_wild_cards": each_round.get("wild_cards") or "",
        "based_on": stage_tag(row),
    }


@event_page("read_public")
def stages(request: PageRequest, event: Event) -> HttpResponse:
    may_cut = event.is_open and may_do(event, "manage_event")
    return _form_page(request, event, CutForm() if may_cut else None)


@event_form_page((make_cut, CutForm))
def new_cut(request: PageRequest, event: Event) -> HttpResponse:
    form = CutForm(posted(request), names=_names(event))
    stage = submit(request, form, make_cut, event)
    if stage is not None:
        notice = gettext("The best %(cut)s have qualified. The standings will be updated.")
        return done(request, notice % {"cut": stage.cut}, "stages", event)
    return _form_page(request, event, form)


@event_form_page((answer_cut, AnswerCutForm, "answer"), (undo_cut, AnswerCutForm))
def manage_stage(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Undo the cut of a stage, or answer the question about it."""
    rows = (row for row in _named_rows(event) if row.number == number)
    row = next((row for row in rows if row.made_at or row.asked), None)
    if row is None:
        raise Missing("stage", {"stage": number})
    form = AnswerCutForm(posted(request), names=_names(event))
    stage = get_stage(event, number)
    action = request.POST.get("act", "")
    if action == "undo":
        managed = submit(request, form, undo_cut, stage)
    else:
        managed = submit(request, form, answer_cut, stage, answer=action)
    if managed is not None:
        return done(request, gettext("Done. The standings will be updated."), "stages", event)
    answers: dict[str, AnswerPreview | Problem] = {}
    if row.asked:
        answers = answers_about_cut(operation_of(request), stage)
    context = {
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
    return _stage_page(request, "stages/new_cut.html", event, context, form)


def _stage_page(
    request: PageRequest, template: str, event: Event, context: JsonDict, form: ServiceForm
) -> HttpResponse:
    crumb = layout.link_to(gettext("Stages"), "stages", event)
    return render_event(request, template, event, context, form, crumbs=(crumb,))


def _named_rows(event: Event) -> list[StageRow]:
    rows = stage_rows(event)
    names = _names(event) if any(row.asked for row in rows) else {}
    for row in rows:
        row.asked = question_with_names(row.asked, names)
        row.went_on = sorted(
            row.went_on, key=lambda member: (sort_key(member["name"]), member["entrant_id"])
        )
    return rows


def _names(event: Event) -> dict[str, str]:
    return {entrant_row.entrant_id: entrant_row.name for entrant_row in entrant_rows(event)}


def _form_page(request: PageRequest, event: Event, form: CutForm | None) -> HttpResponse:
    context = {
        "stages": [in_words(row) for row in _named_rows(event)],
        "may_plan": may_do(event, "manage_event") and not event.is_over,
        "form": form,
        "may_direct": may_do(event, "manage_event"),
    }
    return render_event(request, "stages/cuts.html", event, context, form)


@event_form_page((plan_stage, StagePlanForm))
def new_stage(request: PageRequest, event: Event) -> HttpResponse:
    before = _ordinary(event)
    form = StagePlanForm(posted(request), stages=before, is_first=not before)
    if submit(request, form, plan_stage, event) is not None:
        return done(request, gettext("The stage has been added."), "stages", event)
    return _plan_form_page(request, event, form, None)


@event_form_page((change_stage, StagePlanForm, "based_on"))
def change_planned_stage(request: PageRequest, event: Event, number: int) -> HttpResponse:
    """Change the plan of a stage, or do what one of its buttons is for."""
    row = stage_row(event, number)
    is_post = request.method == "POST"
    action = request.POST.get("act", "change")
    fields = request.POST if action == "change" else entered(row)
    form = StagePlanForm(
        fields if is_post else None,
        initial=entered(row),
        stages=[other for other in _ordinary(event) if other.number < number],
        is_first=not row.is_planned,
        only_rounds=row.may_change_rounds,
        names=_names(event),
    )
    different: Sequence[tuple[str, str]] = ()
    if is_post and action != "change":
        form.full_clean()
        with form.placing():
            return _press(request, get_stage(event, number), action)
    elif is_post:
        stage = get_stage(event, number)
        based_on = request.POST.get("based_on", "")
        if submit(request, form, change_stage, stage, based_on=based_on) is not None:
            return done(request, gettext("The stage has been changed."), "stages", event)
        if any(problem.code == "stage_outdated" for problem in form.placed):
            row = stage_row(event, number)
            different = list(form.differences(entered(row)))
            form.data = {**form.cleaned_data, "based_on": stage_tag(row)}
    return _plan_form_page(request, event, form, row, different)


def _press(request: PageRequest, stage: Stage, action: str) -> HttpResponse:
    op = operation_of(request)
    event = stage.event
    based_on = request.POST.get("based_on", "")
    match action:
        case "begin":
            begin_stage(op, stage)
            notice = gettext("The stage has begun. The standings will be updated.")
            return done(request, notice, "manage-event", event)
        case "playoff":
            play_off_tie(op, event, number=stage.number)
            notice = gettext("The play-off is ready. You can also draw the lot on its page.")
            return done(request, notice, "playoffs", event)
        case "remove":
            remove_stage(op, stage, based_on=based_on)
            return done(request, gettext("The stage has been removed."), "stages", event)
        case "up":
            planned = [row.number for row in stage_rows(event) if row.is_planned]
            before = [number for number in planned if number < stage.number]
            move_stage(op, stage, to=max(before, default=stage.number), based_on=based_on)
            return done(request, gettext("The order has been changed."), "stages", event)
    return go_to("stages", event)


def _ordinary(event: Event) -> list[StageRow]:
    return [row for row in stage_rows(event) if row.kind != StageKind.PLAYOFF]


def _plan_form_page(
    request: PageRequest,
    event: Event,
    form: StagePlanForm,
    row: StageRow | None,
    different: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    context = {
        "form": form,
        "row": row,
        "different": different,
        "refused_links": playoff_links(event, form.placed),
        "is_tied": any(problem.code in OF_THE_TIED for problem in form.placed),
    }
    return _stage_page(request, "stages/plan_stage.html", event, context, form)
