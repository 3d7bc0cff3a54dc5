"""Entrants of an event as forms: entering one or several, adjustments, rounds they sit out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from django import forms
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.models.events import EntrantKind
from tournaments.models.meetings import SitOutReason
from tournaments.models.standings import LedgerKind
from tournaments.views.events.settings_fields import text_field
from tournaments.views.http.find_players import NamedPlayersForm, PeopleForm, PersonField, offered
from tournaments.views.http.reason_form import ReasonForm
from tournaments.views.http.service_form import ServiceForm


class AddEntrantsForm(ServiceForm):
    players = forms.MultipleChoiceField(
        label=_("Players of the club"), required=False, widget=forms.CheckboxSelectMultiple
    )
    names = forms.CharField(
        label=_("Names"),
        required=False,
        help_text=_(
            "One entrant a line: a player by name or number, a pair as “Ada & Ben”, a team as "
            "“Spades: Ada, Ben, Cy, Dee”."
        ),
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
    )

    def __init__(self, data: object = None, *, offered: Iterable[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["players"].choices = list(offered)  # type: ignore[attr-defined]

    def typed(self) -> Iterator[str]:
        yield from self.cleaned_data["players"]
        yield from filter(None, (line.strip() for line in self.cleaned_data["names"].splitlines()))

    def ask_about(self, unknown: Iterable[Problem]) -> None:
        text = gettext("Not on the club's list of players: %(names)s.")
        self.add_error("names", text % {"names": self.names_in(unknown)})

    def names_in(self, unknown: Iterable[Problem]) -> str:
        names = []
        for problem in unknown:
            name = str(problem.facts["found"])
            near = " / ".join(str(player.facts["name"]) for player in problem.suggestions)
            names.append(f"{name} ({near}?)" if near else name)
        return " · ".join(names)

    def sentence_of(self, problem: Problem) -> str:
        if problem.code == "nobody_of_that_name":  # without a comma, `ask_about` asks
            text = gettext(
                "“%(found)s” has a comma and is not on the club's list of players. Add the player "
                "first, or enter the name without a comma."
            )
            return text % problem.facts
        if problem.code == "members_count":
            return gettext("Choose players, or enter a name.")
        return super().sentence_of(problem)


FIELDS: Final = {EntrantKind.PLAYER: 1, EntrantKind.PAIR: 2, EntrantKind.TEAM: 8}
"""Kind → fields for its players, as long as no more are needed."""
MOST: Final = 20
SIT_OUTS: Final = (
    (SitOutReason.BYE, gettext_lazy("bye: no seat left at a table")),
    (SitOutReason.LATE, gettext_lazy("arrived late")),
    (SitOutReason.LEFT, gettext_lazy("left")),
    (SitOutReason.REST, gettext_lazy("rests")),
)
LINES: Final = (
    (LedgerKind.PENALTY, gettext_lazy("Penalty")),
    (LedgerKind.BONUS, gettext_lazy("Bonus")),
)
Choice = tuple[str, str]


class _OfEntrants(PeopleForm):
    entrant = PersonField(label=gettext_lazy("Entrant"), required=False)

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        entrants: Iterable[Choice] = (),
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        offered(self.fields["entrant"], tuple(entrants), nobody=gettext("Choose one"))

    def sentence_of(self, problem: Problem) -> str:
        if problem.code == "unknown_entrant" and not self.cleaned_data.get("entrant"):
            return gettext("Choose an entrant.")
        return super().sentence_of(problem)


class AdjustmentForm(_OfEntrants, ReasonForm):
    field_order = ("entrant", "kind", "amount", "reason")
    kind = forms.CharField(
        label=gettext_lazy("Kind"),
        required=False,
        initial=LedgerKind.PENALTY,
        widget=forms.Select(choices=LINES),
    )
    amount = forms.CharField(
        label=gettext_lazy("Amount"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("For example 2, 2.5 or 5/2. Enter penalties as positive numbers."),
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )


class SitOutForm(_OfEntrants):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        initial=SitOutReason.BYE,
        widget=forms.Select(choices=SIT_OUTS),
    )


class EntrantForm(NamedPlayersForm):
    """A pair, a team or a player: one field for each of its players, `seat-1` on."""

    name = text_field(
        gettext_lazy("Name"), gettext_lazy("If empty, the names of the players are used.")
    )
    code = text_field(
        gettext_lazy("Code"),
        gettext_lazy("Short code for lists. If empty, the next number is used."),
        autocapitalize="none",
        spellcheck="false",
    )

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        kind: str,
        names: Sequence[str] = (),
        name: str | None = None,
    ) -> None:
        initial = {f"seat-{number}": label for number, label in enumerate(names, start=1)}
        super().__init__(data, initial={**initial, "name": name or ""})
        least = FIELDS.get(EntrantKind(kind) if kind in EntrantKind.values else kind, 2)  # type: ignore[call-overload]
        typed = [n for n in range(1, MOST + 1) if data and data.get(f"seat-{n}")]
        more = 2 if kind == EntrantKind.TEAM else 0
        seats = min(MOST, max(least, len(names) + more, *typed, 0))
        self.ask_players(gettext("Player %(number)s") % {"number": n} for n in range(1, seats + 1))
        if kind == EntrantKind.PLAYER:
            del self.fields["name"], self.fields["code"]
        if name is not None:
            self.fields.pop("code", None)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("name", "code") if name in self.fields]


class MoveEntrantForm(ReasonForm):
    to = forms.CharField(required=False, widget=forms.HiddenInput)
    check_out = forms.BooleanField(
        label=gettext_lazy("Check out of the evening"), required=False, initial=True
    )
