"""The rules of a ladder as fields, each with its words; the services say what each may be."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.forms.http.service_form import ServiceForm
from tournaments.forms.rules.variant_options import WHOLE
from tournaments.presenters.ladders.rule_fields import RuleField

Text = str | Promise

WORDS: Final[Mapping[str, tuple[Text, Text]]] = {
    "rule": (_("Who beats a member above"), ""),
    "max_span": (_("Places between the best and the last at one table, at most"), ""),
    "reach": (_("Places up that one may challenge"), ""),
    "top_places": (_("So many places are the top"), ""),
    "reach_top": (_("Places up that one may challenge within the top"), ""),
    "free_challenge": (_("The first challenge of a new member may go anywhere"), ""),
    "respond_days": (_("Days to answer a challenge"), _("It ends with the last of them.")),
    "play_days": (_("Days to play an accepted challenge"), _("It ends with the last of them.")),
    "postpone_days": (_("Days that putting the game off adds"), _("Each of the two may once.")),
    "rematch_days": (_("Days until the same two may meet again"), ""),
    "confirm_hours": (
        _("Hours after which a result counts without being confirmed"),
        "",
    ),
    "unplayed": (_("Accepted and not played in time"), ""),
    "forgive_first_refusal": (_("The first refusal is forgiven"), ""),
    "refusal_days": (
        _("A second refusal counts within so many days"),
        _("Only where the first one is forgiven."),
    ),
    "away_days": (_("Days away in a season, at most"), _("Who is away keeps the place.")),
    "idle_days": (
        _("Days without a game after which a member is warned"),
        _("A week later the places begin to go."),
    ),
    "idle_drop": (_("Places lost for each further week"), _("0 = none.")),
    "rating": (_("How ratings are worked out"), ""),
    "start": (_("Rating at the start"), _("Elo only.")),
    "k": (_("How far a game moves a rating (K)"), _("Elo only.")),
    "k_new": (_("The same for new members"), _("Elo only.")),
    "new_games": (_("So many games one is new"), _("Elo only.")),
    "provisional_games": (_("Games until a rating has a rank"), ""),
    "hidden_days": (
        _("Days without a game after which a rating is not listed"),
        _("It comes back unchanged with the next game."),
    ),
}
"""Rule → its label and a hint."""

CHOICES: Final[Mapping[str, Text]] = {
    "take_place": _("takes that place; everybody between moves down one"),
    "swap": _("changes places with them"),
    "halfway": _("goes half the way up"),
    "one_up": _("goes up by one"),
    "forfeited_d": _("counts as a win for the challenger"),
    "forfeited_c": _("counts for nobody: the challenger gave up"),
    "cancelled": _("counts for nobody: called off"),
    "elo": _("Elo for any number at a table"),
    "plackett_luce": _("Plackett-Luce: the mean less three times the spread"),
}
"""What a rule may be, in words."""

GROUPS: Final[Sequence[tuple[str, Text, tuple[str, ...]]]] = (
    ("moving", _("What moves members"), ("rule", "max_span")),
    (
        "challenging",
        _("Who challenges whom"),
        ("reach", "top_places", "reach_top", "free_challenge", "rematch_days"),
    ),
    (
        "deadlines",
        _("How long a challenge waits"),
        ("respond_days", "play_days", "postpone_days", "confirm_hours", "unplayed",
         "forgive_first_refusal", "refusal_days"),
    ),
    ("away", _("Away and idle"), ("away_days", "idle_days", "idle_drop")),
    (
        "rating",
        _("Ratings"),
        ("rating", "start", "k", "k_new", "new_games", "provisional_games", "hidden_days"),
    ),
)  # fmt: skip
"""The fields of the form under their headings."""


def said_value(rule: RuleField) -> str:
    """Return what a rule is, in words."""
    if rule.kind == "choice":
        return str(CHOICES[rule.value])
    if rule.kind == "flag":
        return gettext("yes") if rule.value else gettext("no")
    return gettext("no limit") if rule.value is None else str(rule.value)


class LadderRulesForm(ServiceForm):
    """The rules of a ladder, and why they change once hands were entered."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_("One sentence. It stands in the event's change log."),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    based_on = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, data: Any = None, *, rules: Sequence[RuleField], asks_reason: bool, **more: Any
    ) -> None:
        super().__init__(data, **more)
        self._rules = rules
        for rule in rules:
            self.fields[rule.key] = _field(rule)
        if not asks_reason:
            del self.fields["reason"]

    @property
    def groups(self) -> list[tuple[str, Text, list[forms.BoundField]]]:
        """Headings with the fields below them."""
        return [(key, title, [self[name] for name in names]) for key, title, names in GROUPS]

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; a rule's problem stands at `settings`, `ladder`, rule."""
        if problem.at[:2] == ("settings", "ladder") and len(problem.at) > 2:
            name = str(problem.at[2])
            return name if name in self.fields else None
        return super().field_of(problem)

    def said(self, problem: Problem) -> str:
        """Return the sentence of a problem; a rule's says only what it may be, beside its field."""
        if problem.code == "bad_ladder_rule":
            said = gettext("%(found)s cannot be it. It is %(expected)s.")
            return said % problem.facts
        return super().said(problem)

    def wanted(self) -> dict[str, object]:
        """Return the rules as typed; what cannot be read stays as it is written."""
        return {rule.key: _value(rule, self.cleaned_data[rule.key]) for rule in self._rules}


def _field(rule: RuleField) -> forms.Field:
    label, hint = WORDS[rule.key]
    if rule.kind == "flag":
        return forms.BooleanField(label=label, required=False, initial=rule.value)  # type: ignore[arg-type]
    if rule.kind == "choice":
        choices = [(one, CHOICES[one]) for one in rule.choices]
        return forms.CharField(
            label=label,  # type: ignore[arg-type]
            required=False,
            initial=rule.value,
            help_text=hint,  # type: ignore[arg-type]
            widget=forms.Select(choices=choices),
        )
    span = gettext("%(least)s to %(most)s, usually %(usual)s.") % {
        "least": rule.least,
        "most": rule.most,
        "usual": gettext("no limit") if rule.usual is None else rule.usual,
    }
    empty = gettext("Left empty: no limit.") if rule.kind == "whole_or_none" else ""
    return forms.CharField(
        label=label,  # type: ignore[arg-type]
        required=False,
        initial="" if rule.value is None else rule.value,
        help_text=" ".join(part for part in (str(hint), span, empty) if part),
        max_length=20,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )


def _value(rule: RuleField, typed: Any) -> object:
    if rule.kind in ("flag", "choice"):
        return typed
    text = str(typed).strip()
    if not text:
        return None if rule.kind == "whole_or_none" else rule.usual
    return int(text) if WHOLE.fullmatch(text) else text
