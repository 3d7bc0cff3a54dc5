"""Stages and cuts as forms: movement, rounds, who plays and who goes on."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.domain.stage_plan import MOVEMENTS
from tournaments.selectors.events.stages import CARRY_NAMES, MOVEMENT_NAMES, SEEDING_NAMES, StageRow
from tournaments.selectors.standings.reasons import with_names
from tournaments.views.events.settings_fields import choice, text_field, whole
from tournaments.views.http.reason_form import ReasonForm
from tournaments.views.http.service_form import ServiceForm


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
        self.fields["from_stage"].widget.choices = [("", _now("the stage before")), *before]
        self.fields["also_from"].widget.choices = [("", _now("nobody comes back")), *before]
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
    def plan(self) -> dict[str, object]:
        texts: Mapping[str, str] = self.cleaned_data
        rounds = texts["rounds"].strip() or None
        if "name" not in texts:
            return {"rounds": rounds}
        plan: dict[str, object] = {
            "name": texts["name"],
            "movement": texts["movement"],
            "rounds": rounds,
            "table_sizes": [size.strip() for size in texts["table_sizes"].split(",")]
            if texts["table_sizes"].strip()
            else None,
            "seeding": texts["seeding"] or "standings",
            "each_round": _each_round(texts),
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


def _each_round(texts: Mapping[str, str]) -> dict[str, str] | None:
    each, wild = texts["each_round"].strip(), texts["round_wild_cards"].strip()
    if not each and not wild:
        return None
    return {"each_table": each or "2", "wild_cards": wild or "0"}


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
