"""The rules of a ladder as fields with their words; the services validate them."""

from collections.abc import Sequence
from typing import ClassVar, Final

from django import forms
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.event_settings import ladder_rules_of, settings_of, tag_of
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import event_url
from tournaments.selectors.ladders.ladders import (
    RULE_CHOICES,
    RULE_LIMITS,
    USUAL_RULES,
    what_differs,
)
from tournaments.services.events.change_event import change_settings, has_hands
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pages import done
from tournaments.views.http.service_form import ServiceForm, gives, hidden_field, posted, submit
from tournaments.views.ladders.ladders import ladder_form, ladder_view, render_ladder
from tournaments.views.rules.variant_options import WHOLE

Text = str | Promise

WORDS: Final = {
    "rule": (_("Win against a higher member"), ""),
    "max_span": (_("Maximum distance between members at one table"), ""),
    "reach": (_("Maximum distance of a challenge"), ""),
    "top_places": (_("Size of the top group"), ""),
    "reach_top": (_("Maximum distance of a challenge in the top group"), ""),
    "free_challenge": (_("Allow the first challenge of a new member at any place"), ""),
    "respond_days": (
        _("Days to answer a challenge"),
        _("The deadline is the end of the last day."),
    ),
    "play_days": (
        _("Days to play an accepted challenge"),
        _("The deadline is the end of the last day."),
    ),
    "postpone_days": (_("Days added by a postponement"), _("Each player may postpone once.")),
    "rematch_days": (_("Days before a rematch"), ""),
    "confirm_hours": (_("Hours until an unconfirmed result counts"), ""),
    "unplayed": (_("Accepted but not played in time"), ""),
    "forgive_first_refusal": (_("Forgive the first refusal"), ""),
    "refusal_days": (
        _("Days in which a second refusal counts"),
        _("Only if the first refusal is forgiven."),
    ),
    "away_days": (_("Maximum days away per season"), _("Absent members keep their place.")),
    "idle_days": (
        _("Days without a game until a warning"),
        _("Places are lost from one week later."),
    ),
    "idle_drop": (_("Places lost per further week"), _("0 = none.")),
    "rating": (_("Rating system"), ""),
    "start": (_("Initial rating"), _("Elo only.")),
    "k": (_("K factor"), _("Elo only.")),
    "k_new": (_("K factor for new members"), _("Elo only.")),
    "new_games": (_("Games as a new member"), _("Elo only.")),
    "provisional_games": (_("Games needed for a rank"), ""),
    "hidden_days": (
        _("Days without a game until a rating is not listed"),
        _("The rating returns unchanged with the next game."),
    ),
}
"""Rule → its label and a hint."""
CHOICE_WORDS: Final = {
    "take_place": _("takes the place; members in between move down one"),
    "swap": _("swaps places"),
    "halfway": _("moves half the way up"),
    "one_up": _("moves up one place"),
    "forfeited_d": _("counts as a win for the challenger"),
    "forfeited_c": _("does not count: forfeited by the challenger"),
    "cancelled": _("does not count: cancelled"),
    "elo": _("Elo for tables of any size"),
    "plackett_luce": _("Plackett-Luce"),
}
"""The choices of rules in words."""
UNSET: Final = {"max_span": _("no limit"), "reach_top": _("the general distance")}
"""Words for rules without a value."""
GROUPS: Final[Sequence[tuple[str, Text, tuple[str, ...]]]] = (
    ("moving", _("Moves"), ("rule", "max_span")),
    (
        "challenging",
        _("Challenges"),
        ("reach", "top_places", "reach_top", "free_challenge", "rematch_days"),
    ),
    (
        "deadlines",
        _("Challenge deadlines"),
        ("respond_days", "play_days", "postpone_days", "confirm_hours", "unplayed",
         "forgive_first_refusal", "refusal_days"),
    ),
    ("away", _("Absence and inactivity"), ("away_days", "idle_days", "idle_drop")),
    (
        "rating",
        _("Ratings"),
        ("rating", "start", "k", "k_new", "new_games", "provisional_games", "hidden_days"),
    ),
)  # fmt: skip
"""The fields of the form under their headings."""


def value_text(key: str, value: object) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if key in RULE_CHOICES:
        return str(CHOICE_WORDS[str(value)])
    if value is None:
        return str(UNSET[key])
    return str(value)


class LadderRulesForm(ServiceForm):
    # Shown at the field of the rule, so without its name.
    sentences: ClassVar = {
        "bad_ladder_rule": _("%(found)s is not allowed. Expected: %(expected)s.")
    }
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("One sentence. Shown in the event's change log."),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    based_on = hidden_field()

    def __init__(
        self, data: object = None, *, rules: JsonObject, asks_reason: bool, **more: object
    ) -> None:
        super().__init__(data, **more)
        self.fields |= {key: _field(key, value) for key, value in rules.items()}
        if not asks_reason:
            del self.fields["reason"]

    @property
    def groups(self) -> list[tuple[str, Text, list[forms.BoundField]]]:
        return [(key, title, [self[name] for name in names]) for key, title, names in GROUPS]

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; a rule's problem is at `settings`, `ladder`, rule."""
        if problem.at[:2] == ("settings", "ladder") and len(problem.at) > 2:
            name = str(problem.at[2])
            return name if name in self.fields else None
        return super().field_of(problem)

    @gives("values", "reason", "based_on")
    def get_arguments(self) -> dict[str, object]:
        """Those of `change_settings`; text that is no number stays as it is."""
        typed = self.cleaned_data
        rules = {key: _value(key, typed[key]) for key in USUAL_RULES}
        return {
            "values": {"ladder": what_differs(rules)},
            "reason": typed.get("reason", ""),
            "based_on": typed["based_on"],
        }


def _field(key: str, value: object) -> forms.Field:
    label, hint = WORDS[key]
    if isinstance(value, bool):
        return forms.BooleanField(label=label, initial=value)
    if key in RULE_CHOICES:
        return forms.CharField(
            label=label,
            initial=value,
            help_text=hint,  # type: ignore[arg-type]
            widget=forms.Select(choices=[(word, CHOICE_WORDS[word]) for word in RULE_CHOICES[key]]),
        )
    least, most = RULE_LIMITS[key]
    span = gettext("%(least)s to %(most)s. Default: %(usual)s.") % {
        "least": least,
        "most": most,
        "usual": UNSET.get(key, USUAL_RULES[key]),
    }
    empty = gettext("If empty: %s.") % UNSET[key] if key in UNSET else ""
    return forms.CharField(
        label=label,
        initial="" if value is None else value,
        help_text=" ".join(part for part in (str(hint), span, empty) if part),
        max_length=20,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )


def _value(key: str, typed: object) -> object:
    if key not in RULE_LIMITS:
        return typed
    text = str(typed).strip()
    if not text:
        return USUAL_RULES[key]
    if not WHOLE.fullmatch(text):
        return text
    return int(text)


@ladder_view("read_public")
def rules(request: PageRequest, ladder: Event) -> HttpResponse:
    values = ladder_rules_of(ladder).as_json()
    groups = [
        (
            key,
            title,
            [
                (WORDS[name][0], value_text(name, values[name]), values[name] != USUAL_RULES[name])
                for name in names
            ],
        )
        for key, title, names in GROUPS
    ]
    context = {
        "groups": groups,
        "may_change": may_do(ladder, "manage_event") and ladder.state != "final",
    }
    return render_ladder(request, "ladders/rules.html", ladder, context)


@ladder_form((change_settings, LadderRulesForm))
def change(request: PageRequest, ladder: Event) -> HttpResponse:
    settings = settings_of(ladder)
    is_played = has_hands(ladder)
    form = LadderRulesForm(
        posted(request),
        rules=ladder_rules_of(ladder).as_json(),
        asks_reason=is_played or ladder.state in ("closed", "final"),
        initial={"based_on": tag_of(settings)},
    )
    if submit(request, form, change_settings, ladder) is not None:
        notice = gettext("Rules saved. The ladder will be updated.")
        return done(request, notice, "ladder-rules", ladder)
    url = event_url("ladder-rules", ladder)
    context = {"form": form, "is_played": is_played}
    page = "ladders/change_rules.html"
    crumbs = (Link(gettext("Ladder rules"), url),)
    return render_ladder(request, page, ladder, context, form, crumbs=crumbs)
