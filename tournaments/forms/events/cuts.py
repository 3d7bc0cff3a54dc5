"""What a director types about cuts: how many go on, and why one is undone or answered."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.forms.events.events import ReasonForm
from tournaments.selectors.standings.reason_text import with_names
from tournaments.views.http.service_form import ServiceForm


class NamedEntrantsForm(ServiceForm):
    """A form in whose refusals entrants have their names.

    Args:
        names: code → name of everybody in the event.
    """

    def __init__(
        self, data: object = None, *, names: Mapping[str, str] | None = None, **more: object
    ) -> None:
        super().__init__(data, **more)
        self._names: Mapping[str, str] = names or {}

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem, with names for the ids of who is tied."""
        if problem.code in OF_THE_TIED:
            named = {"level": with_names(str(problem.facts["level"]), self._names)}
            problem = replace(problem, facts={**problem.facts, **named})
        return super().sentence_of(problem)


OF_THE_TIED: Final = ("cut_tied", "table_tied", "wild_cards_tied")
"""Problems whose `level` lists ids of entrants."""


class CutForm(NamedEntrantsForm):
    """A cut to make."""

    cut = forms.CharField(
        label=_("Number of qualifiers"),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    name = forms.CharField(
        label=_("Name of the stage"),
        required=False,
        help_text=_("For example Final. If empty, the name is “the final of 8”."),
    )


class AnswerCutForm(NamedEntrantsForm, ReasonForm):
    """What becomes of a cut: `act` is `undo`, or the answer to what a correction has asked."""

    act = forms.CharField(required=False, widget=forms.HiddenInput)
